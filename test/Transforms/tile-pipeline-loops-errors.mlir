// RUN: lathe-opt %s --tile-pipeline-loops --verify-diagnostics

// expected-error@+1 {{schedule has STAGES = 3, expected 1 or 2}}
tile.kernel @three(%x: !tile.view<[16], f32>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 3 : i64}} {
  tile.return
}
