// RUN: lathe-opt %s --tile-pipeline-loops --split-input-file --verify-diagnostics

// expected-error@+1 {{schedule has STAGES = 10, expected 1 to 9}}
tile.kernel @ten(%x: !tile.view<[16], f32>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 10 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has STAGES = 0, expected 1 to 9}}
tile.kernel @none(%x: !tile.view<[16], f32>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 0 : i64}} {
  tile.return
}
