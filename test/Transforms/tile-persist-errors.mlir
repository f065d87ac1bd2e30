// RUN: lathe-opt %s --tile-persist --verify-diagnostics

// expected-error@+1 {{persistent kernel has 2 grid axes, expected 1}}
tile.kernel @axes(%x: !tile.view<[T], f32>, %T: index) grid ["T", "2"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64}} {
  tile.return
}
