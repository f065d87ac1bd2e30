// RUN: split-file %s %t
// RUN: lathe-opt %t/rows.mlir --tile-specialize="constants=H:128,act:1 dims=T,H,XS schedule=ROWS:2,WARPS:4,VEC:8 dtypes=DT:bf16 multiples=XS:8 alignment=16 kernel-name=rows_h128" | FileCheck %s --check-prefix=STATIC
// RUN: lathe-opt %t/rows.mlir --tile-specialize="constants=T:7,H:128,XS:128,act:0 dims=T,H,XS schedule=ROWS:4,WARPS:1,VEC:1 dtypes=DT:f32 wave=64" | FileCheck %s --check-prefix=EXACT
// RUN: lathe-opt %t/open.mlir --tile-specialize="dims=T,D schedule=VEC:8 dtypes=DT:f16" | FileCheck %s --check-prefix=OPEN
// RUN: lathe-opt %t/roles.mlir --tile-specialize="dims=T schedule=WARPS:8,PRODUCERS:4 features=tma,wgmma" | FileCheck %s --check-prefix=ROLES
// RUN: lathe-opt %t/open.mlir --tile-specialize="dims=T,D schedule=VEC:1 dtypes=DT:f32 multiples=D:4" | FileCheck %s --check-prefix=PROMISED
// RUN: lathe-opt %t/spaces.mlir --tile-specialize="dims=T schedule=ROWS:4,VEC:8" | FileCheck %s --check-prefix=SPACES

//--- rows.mlir

// Constants fold into types, extents and grid; what stays open becomes trailing
// index arguments in the order of `dims`.
// STATIC-LABEL: tile.kernel @rows_h128(
// STATIC-SAME:    %[[X:.+]]: !tile.view<[T, 128], bf16, [XS, 1]>, %[[EPS:.+]]: f32,
// STATIC-SAME:    %{{.+}}: index, %{{.+}}: index)
// STATIC-NEXT:    grid ["T ceildiv 2"] attributes
// STATIC-SAME:      alignment = 16 : i64
// STATIC-SAME:      dims = ["T", "XS"]
// STATIC-SAME:      multiples = {XS = 8 : i64}
// STATIC-SAME:      schedule = {ROWS = 2 : i64, VEC = 8 : i64, WARPS = 4 : i64}
// STATIC-SAME:      threads = 128 : i64, wave = 32 : i64
// STATIC-NOT:   extents
// STATIC-NOT:   dtype
// STATIC:       %[[ROWS:.+]] = arith.constant 2 : index
// STATIC:       arith.muli %{{.+}}, %[[ROWS]] : index
// STATIC:       tile.load %[[X]][%{{.+}}, %{{.+}}] : !tile.view<[T, 128], bf16, [XS, 1]> -> tensor<2x128xbf16>
// STATIC:       tile.convert %{{.+}} : tensor<2x128xbf16> -> tensor<2x128xf32>
// STATIC:       scf.if %{{.+}} -> (tensor<2x128xf32>)
// STATIC:       tile.size "T * 2"
// STATIC:       %[[ACT:.+]] = arith.constant 1 : index

// No dim is open: the kernel has no index argument.
// EXACT-LABEL: tile.kernel @rows(
// EXACT-SAME:    %{{.+}}: !tile.view<[7, 128], f32, [128, 1]>, %{{.+}}: f32)
// EXACT-NEXT:    grid ["2"]
// EXACT-SAME:      dims = []
// EXACT-SAME:      threads = 64 : i64, wave = 64 : i64
// EXACT:       tile.convert %{{.+}} : tensor<4x128xf32> -> tensor<4x128xf32>
// EXACT:       arith.constant 14 : index
!rows = tensor<?x?x!tile.dtype<DT>, #tile.extents<[ROWS, H]>>
!wide = tensor<?x?xf32, #tile.extents<[ROWS, H]>>
tile.kernel @rows(%x: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>, %eps: f32)
    space {ROWS = [1, 2, 4], WARPS = [1, 4], VEC = [1, 8]}
    where ["H mod VEC == 0", "VEC * DT_bytes <= 16", "ROWS <= WARPS * WAVE", "SMEM >= 1024"]
    grid ["T ceildiv ROWS"] runtime ["T", "XS"] model {passes = "1"} {
  %c0 = arith.constant 0 : index
  %pid = tile.program_id 0
  %rows = tile.size "ROWS"
  %row = arith.muli %pid, %rows : index
  %t = tile.load %x[%row, %c0] : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> !rows
  %f = tile.convert %t : !rows -> !wide
  %first = arith.cmpi eq, %pid, %c0 : index
  %r = scf.if %first -> (!wide) {
    scf.yield %f : !wide
  } else {
    %n = arith.negf %f : !wide
    scf.yield %n : !wide
  }
  %double = tile.size "T * 2"
  %act = tile.size "act"
  tile.return
}

//--- open.mlir
// What a constraint over open dims says of divisors is promised by the guards.
// OPEN-LABEL: tile.kernel @open(
// OPEN-SAME:    %{{.+}}: !tile.view<[T, D], f16>, %{{.+}}: index, %{{.+}}: index)
// OPEN-SAME:    {{$}}
// OPEN-NEXT:    grid ["T"] attributes {{.*}}multiples = {D = 16 : i64}
// OPEN:         threads = 128
// OPEN:         -> tensor<1x256xf16>

// PROMISED-LABEL: tile.kernel @open(
// PROMISED:       multiples = {D = 4 : i64}
// PROMISED:       -> tensor<1x32xf32>
tile.kernel @open(%x: !tile.view<[T, D], !tile.dtype<DT>>)
    space {VEC = [1, 8]}
    where ["VEC == 1 or D mod (2 * VEC) == 0 and D >= 2", "D <= 4096 or VEC < 16"]
    grid ["T"] runtime ["T", "D"] {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<[T, D], !tile.dtype<DT>>
    -> tensor<1x?x!tile.dtype<DT>, #tile.extents<[1, VEC * WAVE]>>
  tile.return
}

//--- roles.mlir
// Warps that only copy are threads of the block as well.
// ROLES: threads = 384 : i64, wave = 32 : i64
tile.kernel @roles(%x: !tile.view<[T], f32>)
    space {WARPS = [4, 8], PRODUCERS = [0, 4]}
    where ["PRODUCERS == 0 or TMA == 1", "WGMMA == 1"] grid ["T"] runtime ["T"] {
  tile.return
}

//--- spaces.mlir
// A schedule of the second space.
// SPACES-LABEL: tile.kernel @spaces(
// SPACES-NOT:   space {
// SPACES:       schedule = {ROWS = 4 : i64, VEC = 8 : i64}
tile.kernel @spaces(%x: !tile.view<[T], f32>)
    space {ROWS = [1, 2], VEC = [1]}, {ROWS = [1, 4], VEC = [1, 8]} grid ["T"] runtime ["T"] {
  tile.return
}
