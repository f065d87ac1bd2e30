// RUN: lathe-opt %s --tile-persist --split-input-file --verify-diagnostics

// expected-error@+1 {{persistent kernel has 2 grid axes, expected 1}}
tile.kernel @axes(%x: !tile.view<[T], f32>, %T: index) grid ["T", "2"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{persistent kernel has a grid of 'T', expected a multiple of its clusters of 2}}
tile.kernel @clusters(%x: !tile.view<[T], f32>, %T: index) grid ["T"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64, CLUSTER = 2 : i64}} {
  tile.return
}
