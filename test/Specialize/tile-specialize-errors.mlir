// RUN: split-file %s %t
// RUN: lathe-opt %t/none.mlir --tile-specialize --verify-diagnostics
// RUN: lathe-opt %t/twice.mlir --tile-specialize="dims=T" --verify-diagnostics
// RUN: lathe-opt %t/two.mlir --tile-specialize --verify-diagnostics
// RUN: lathe-opt %t/entry.mlir --tile-specialize="constants=H=3" --verify-diagnostics
// RUN: lathe-opt %t/rebound.mlir --tile-specialize="constants=H:3,H:4" --verify-diagnostics
// RUN: lathe-opt %t/unbound.mlir --tile-specialize="schedule=ROWS:2" --verify-diagnostics
// RUN: lathe-opt %t/value.mlir --tile-specialize="schedule=ROWS:3" --verify-diagnostics
// RUN: lathe-opt %t/apart.mlir --tile-specialize="schedule=ROWS:2,VEC:8" --verify-diagnostics
// RUN: lathe-opt %t/nowhere.mlir --tile-specialize="schedule=ROWS:3,VEC:8" --verify-diagnostics
// RUN: lathe-opt %t/unknown.mlir --tile-specialize="schedule=ROWS:2,COLS:2" --verify-diagnostics
// RUN: lathe-opt %t/false.mlir --tile-specialize="constants=H:12 schedule=VEC:8" --verify-diagnostics
// RUN: lathe-opt %t/constraint.mlir --tile-specialize="dims=T" --verify-diagnostics
// RUN: lathe-opt %t/dtype.mlir --tile-specialize="dtypes=DT:index" --verify-diagnostics
// RUN: lathe-opt %t/dim.mlir --tile-specialize="dims=T,H" --verify-diagnostics
// RUN: lathe-opt %t/symbol.mlir --tile-specialize="dims=T" --verify-diagnostics
// RUN: lathe-opt %t/variable.mlir --tile-specialize="dims=T" --verify-diagnostics
// RUN: lathe-opt %t/extent.mlir --tile-specialize="dims=T dtypes=DT:f32" --verify-diagnostics
// RUN: lathe-opt %t/multiple.mlir --tile-specialize="dims=T multiples=T:0" --verify-diagnostics
// RUN: lathe-opt %t/alignment.mlir --tile-specialize="dims=T alignment=12" --verify-diagnostics
// RUN: lathe-opt %t/feature.mlir --tile-specialize="dims=T features=tma,wgmmma" --verify-diagnostics
// RUN: lathe-opt %t/lacking.mlir --tile-specialize="dims=T features=wgmma" --verify-diagnostics
// RUN: lathe-opt %t/threads.mlir --tile-specialize="dims=T schedule=WARPS:0" --verify-diagnostics

//--- none.mlir
// expected-error@+1 {{module has 0 tile.kernel operations, expected 1}}
module {}

//--- two.mlir
// expected-error@+1 {{module has 2 tile.kernel operations, expected 1}}
module {
  tile.kernel @a(%x: !tile.view<[T], f32>) grid ["T"] {
    tile.return
  }
  tile.kernel @b(%x: !tile.view<[T], f32>) grid ["T"] {
    tile.return
  }
}

//--- twice.mlir
// expected-error@+1 {{kernel is already specialized}}
tile.kernel @k(%x: !tile.view<[T], f32>) grid ["T"] attributes {threads = 32 : i64, wave = 32 : i64} {
  tile.return
}

//--- entry.mlir
// expected-error@+1 {{option 'constants' has 'H=3', expected name:integer}}
tile.kernel @k(%x: !tile.view<[T], f32>) grid ["T"] {
  tile.return
}

//--- rebound.mlir
// expected-error@+1 {{option 'constants' binds 'H' twice}}
tile.kernel @k(%x: !tile.view<[T], f32>) grid ["T"] {
  tile.return
}

//--- unbound.mlir
// expected-error@+1 {{schedule parameter 'VEC' is not bound}}
tile.kernel @k(%x: !tile.view<[T], f32>) space {ROWS = [1, 2], VEC = [1]} grid ["T"] {
  tile.return
}

//--- value.mlir
// expected-error@+1 {{schedule parameter 'ROWS' is 3, expected one of [1, 2]}}
tile.kernel @k(%x: !tile.view<[T], f32>) space {ROWS = [1, 2]} grid ["T"] {
  tile.return
}

//--- apart.mlir
// expected-error@+1 {{schedule binds parameters to values that are in no space together}}
tile.kernel @k(%x: !tile.view<[T], f32>) space {ROWS = [1, 2], VEC = [1]}, {ROWS = [1, 4], VEC = [1, 8]} grid ["T"] {
  tile.return
}

//--- nowhere.mlir
// expected-error@+1 {{schedule parameter 'ROWS' is 3, expected one of [1, 2, 4]}}
tile.kernel @k(%x: !tile.view<[T], f32>) space {ROWS = [1, 2], VEC = [1]}, {ROWS = [1, 4], VEC = [1, 8]} grid ["T"] {
  tile.return
}

//--- unknown.mlir
// expected-error@+1 {{schedule binds 'COLS', which the space does not have}}
tile.kernel @k(%x: !tile.view<[T], f32>) space {ROWS = [1, 2]} grid ["T"] {
  tile.return
}

//--- false.mlir
// expected-error@+1 {{constraint 'H mod VEC == 0' does not hold for H = 12, VEC = 8}}
tile.kernel @k(%x: !tile.view<[T, H], f32>) space {VEC = [8]} where ["H mod VEC == 0"] grid ["T"] {
  tile.return
}

//--- constraint.mlir
// expected-error@+1 {{constraint 'H <= 64' depends on what is not bound: 'H <= 64'}}
tile.kernel @k(%x: !tile.view<[T], f32>) where ["H <= 64"] grid ["T"] runtime ["T"] {
  tile.return
}

//--- dtype.mlir
// expected-error@+1 {{option 'dtypes' has 'DT:index', expected variable:type}}
tile.kernel @k(%x: !tile.view<[T], !tile.dtype<DT>>) grid ["T"] {
  tile.return
}

//--- dim.mlir
// expected-error@+1 {{dimension 'H' is not bound, and the template does not accept it at run time}}
tile.kernel @k(%x: !tile.view<[T, H], f32>) grid ["T"] runtime ["T"] {
  tile.return
}

//--- symbol.mlir
tile.kernel @k(%x: !tile.view<[T], f32>) grid ["T"] runtime ["T"] {
  // expected-error@+1 {{parameter 'ROWS' is not bound}}
  %n = tile.size "ROWS * 2"
  tile.return
}

//--- variable.mlir
// expected-error@+1 {{dtype variable 'DT' is not bound}}
tile.kernel @k(%x: !tile.view<[T], !tile.dtype<DT>>) grid ["T"] runtime ["T"] {
  tile.return
}

//--- extent.mlir
tile.kernel @k(%x: !tile.view<[T], !tile.dtype<DT>>) grid ["1"] runtime ["T"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{tile extent 'T' is not constant after binding}}
  %t = tile.load %x[%c0] : !tile.view<[T], !tile.dtype<DT>>
    -> tensor<?x!tile.dtype<DT>, #tile.extents<[T]>>
  tile.return
}

//--- multiple.mlir
// expected-error@+1 {{multiple of 'T' is 0, expected at least 1}}
tile.kernel @k(%x: !tile.view<[T], f32>) grid ["T"] runtime ["T"] {
  tile.return
}

//--- alignment.mlir
// expected-error@+1 {{alignment is 12, expected a power of two}}
tile.kernel @k(%x: !tile.view<[T], f32>) grid ["T"] runtime ["T"] {
  tile.return
}

//--- feature.mlir
// expected-error@+1 {{option 'features' has 'wgmmma', expected tma, wgmma, fp8 or flushes}}
tile.kernel @k(%x: !tile.view<[T], f32>) grid ["T"] runtime ["T"] {
  tile.return
}

//--- lacking.mlir
// expected-error@+1 {{constraint 'TMA == 1' does not hold for TMA = 0}}
tile.kernel @k(%x: !tile.view<[T], f32>) where ["TMA == 1"] grid ["T"] runtime ["T"] {
  tile.return
}

//--- threads.mlir
// expected-error@+1 {{schedule has no threads, expected WARPS of at least 1}}
tile.kernel @k(%x: !tile.view<[T], f32>) space {WARPS = [0, 1]} grid ["T"] runtime ["T"] {
  tile.return
}
