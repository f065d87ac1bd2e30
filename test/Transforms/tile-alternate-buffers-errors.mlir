// RUN: lathe-opt %s --tile-alternate-buffers --verify-diagnostics

// expected-error@+1 {{schedule has SLOTS = 3, expected 1 or 2}}
tile.kernel @three(%z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {SLOTS = 3 : i64}} {
  tile.return
}
