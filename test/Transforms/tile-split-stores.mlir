// RUN: lathe-opt %s --tile-split-stores --split-input-file | FileCheck %s

!shared = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!view = !tile.view<[M, N], f32>

// Two parts, each with its own piece of what the epilogue loads: a matrix that the
// store may overwrite at the same place, a row, a line of groups; a column is whole.
// CHECK-LABEL: tile.kernel @epilogue(
// CHECK:         %[[SUM:.+]] = tile.await_dots
// CHECK-NEXT:    %[[COLUMN:.+]] = tile.load %arg3
// CHECK-NEXT:    %[[PART:.+]] = tile.columns %[[SUM]] at 0 : tensor<64x64xf32> -> tensor<64x32xf32>
// CHECK-NEXT:    %[[RP:.+]] = tile.load %arg0[%[[I:.+]], %[[J:.+]]] : {{.+}} -> tensor<64x32xf32>
// CHECK-NEXT:    arith.addf %[[PART]], %[[RP]] : tensor<64x32xf32>
// CHECK-NEXT:    %[[BP:.+]] = tile.load %arg2[%[[J]]] : {{.+}} -> tensor<32xf32>
// CHECK-NEXT:    tile.broadcast %[[BP]] along 0 : tensor<32xf32> -> tensor<64x32xf32>
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    tile.broadcast %[[COLUMN]] along 1 : tensor<64xf32> -> tensor<64x32xf32>
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    tile.load_groups %arg4[%[[I]], %[[J]]] along 1 groups "128" : {{.+}} -> tensor<32xf32>
// CHECK-NEXT:    tile.broadcast
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    arith.constant dense<1.000000e+00> : tensor<64x32xf32>
// CHECK-NEXT:    %[[OUT:.+]] = arith.addf
// CHECK-NEXT:    tile.store %[[OUT]] to %arg1[%[[I]], %[[J]]] evict_first
// CHECK-NEXT:    tile.columns %[[SUM]] at 32 : tensor<64x64xf32> -> tensor<64x32xf32>
// CHECK-NEXT:    %[[C32:.+]] = arith.constant 32 : index
// CHECK-NEXT:    %[[J1:.+]] = arith.addi %[[J]], %[[C32]]
// CHECK-NEXT:    tile.load %arg0[%[[I]], %[[J1]]]
// CHECK:         tile.load %arg2[%{{.+}}] : {{.+}} -> tensor<32xf32>
// CHECK:         tile.load_groups %arg4[%[[I]], %{{.+}}] along 1
// CHECK:         tile.store %{{.+}} to %arg1[%[[I]], %{{.+}}] evict_first
// CHECK-NOT:     tile.load
// CHECK:         tile.return
tile.kernel @epilogue(%r: !view, %y: !view, %b: !tile.view<[N], f32>, %c: !tile.view<[M], f32>,
                      %g: !tile.view<[M, N ceildiv 128], f32>, %M: index, %N: index) grid ["1"]
    attributes {dims = ["M", "N"], may_alias = array<i64: 0, 1>, threads = 256 : i64, wave = 32 : i64,
                schedule = {PRODUCERS = 4 : i64}} {
  %i = arith.constant 128 : index
  %j = arith.constant 256 : index
  %s = tile.alloc : !shared
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %dot = tile.dot %s, %s transposed, %zero async : !shared, !shared, tensor<64x64xf32>
    %sum = tile.await_dots pending 0, %dot : tensor<64x64xf32>
    %rt = tile.load %r[%i, %j] : !view -> tensor<64x64xf32>
    %t0 = arith.addf %sum, %rt : tensor<64x64xf32>
    %row = tile.load %b[%j] : !tile.view<[N], f32> -> tensor<64xf32>
    %rows = tile.broadcast %row along 0 : tensor<64xf32> -> tensor<64x64xf32>
    %t1 = arith.mulf %t0, %rows : tensor<64x64xf32>
    %column = tile.load %c[%i] : !tile.view<[M], f32> -> tensor<64xf32>
    %columns = tile.broadcast %column along 1 : tensor<64xf32> -> tensor<64x64xf32>
    %t2 = arith.mulf %t1, %columns : tensor<64x64xf32>
    %groups = tile.load_groups %g[%i, %j] along 1 groups "128" : !tile.view<[M, N ceildiv 128], f32> -> tensor<64xf32>
    %scales = tile.broadcast %groups along 0 : tensor<64xf32> -> tensor<64x64xf32>
    %t3 = arith.mulf %t2, %scales : tensor<64x64xf32>
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    %t4 = arith.addf %t3, %one : tensor<64x64xf32>
    tile.store %t4 to %y[%i, %j] evict_first : tensor<64x64xf32>, !view
  }
  tile.return
}

// -----

!shared = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!narrow = !tile.shared<[16, 64], bf16, <phases = 8, rows = 1>>
!view = !tile.view<[512, 512], f32>

// Whole stay: a sum that is only converted, one that meets what is loaded elsewhere
// from where the kernel stores, one of too few columns, one that no row can be cut
// for, and what is no sum.
// CHECK-LABEL: tile.kernel @whole(
// CHECK-NOT:     tile.columns
tile.kernel @whole(%x: !tile.view<[512, 512], bf16>, %y: !view, %z: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = tile.alloc : !shared
  %w = tile.alloc : !narrow
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %dot = tile.dot %s, %s transposed, %zero async : !shared, !shared, tensor<64x64xf32>
    %sum = tile.await_dots pending 0, %dot : tensor<64x64xf32>
    %half = tile.convert %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
    tile.store %half to %x[%c0, %c0] : tensor<64x64xbf16>, !tile.view<[512, 512], bf16>
    %t = tile.load %y[%c0, %c64] : !view -> tensor<64x64xf32>
    %u = arith.addf %sum, %t : tensor<64x64xf32>
    tile.store %u to %y[%c0, %c0] : tensor<64x64xf32>, !view
    %zero16 = arith.constant dense<0.0> : tensor<64x16xf32>
    %dot16 = tile.dot %s, %w transposed, %zero16 async : !shared, !narrow, tensor<64x16xf32>
    %sum16 = tile.await_dots pending 0, %dot16 : tensor<64x16xf32>
    %neg16 = arith.negf %sum16 : tensor<64x16xf32>
    tile.store %neg16 to %z[%c0, %c0] : tensor<64x16xf32>, !view
    %most = tile.reduce <max> %sum along 0 : tensor<64x64xf32> -> tensor<64xf32>
    %rows = tile.broadcast %most along 0 : tensor<64xf32> -> tensor<64x64xf32>
    %v = arith.subf %sum, %rows : tensor<64x64xf32>
    tile.store %v to %z[%c64, %c0] : tensor<64x64xf32>, !view
    %p = arith.addf %t, %t : tensor<64x64xf32>
    tile.store %p to %z[%c64, %c64] : tensor<64x64xf32>, !view
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @no_producers(
// CHECK-NOT:     tile.columns
!shared = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @no_producers(%y: !tile.view<[512, 512], f32>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !shared
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %dot = tile.dot %s, %s transposed, %zero async : !shared, !shared, tensor<64x64xf32>
  %sum = tile.await_dots pending 0, %dot : tensor<64x64xf32>
  %n = arith.negf %sum : tensor<64x64xf32>
  tile.store %n to %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<[512, 512], f32>
  tile.return
}

// -----

!shared = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!columns = !tile.shared<[48, 64], bf16, <phases = 8, rows = 1>>

// The last part may be half as wide.
// CHECK-LABEL: tile.kernel @half(
// CHECK:         tile.columns %{{.+}} at 0 : tensor<64x48xf32> -> tensor<64x32xf32>
// CHECK:         tile.columns %{{.+}} at 32 : tensor<64x48xf32> -> tensor<64x16xf32>
// CHECK-NEXT:    arith.negf %{{.+}} : tensor<64x16xf32>
// CHECK-NOT:     tile.columns
tile.kernel @half(%y: !tile.view<[512, 512], f32>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !shared
  %w = tile.alloc : !columns
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %zero = arith.constant dense<0.0> : tensor<64x48xf32>
    %dot = tile.dot %s, %w transposed, %zero async : !shared, !columns, tensor<64x48xf32>
    %sum = tile.await_dots pending 0, %dot : tensor<64x48xf32>
    %n = arith.negf %sum : tensor<64x48xf32>
    tile.store %n to %y[%c0, %c0] : tensor<64x48xf32>, !tile.view<[512, 512], f32>
  }
  tile.return
}

// -----

!shared = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!columns = !tile.shared<[176, 64], bf16, <phases = 8, rows = 1>>
!view = !tile.view<[512, 512], bf16>

// Where few buffers take what is stored, a sum that is only converted has parts too:
// 64 columns, and what is left. With something to compute parts are as they were.
// CHECK-LABEL: tile.kernel @staged(
// CHECK:         %[[SUM:.+]] = tile.await_dots
// CHECK-NEXT:    %[[S0:.+]] = tile.columns %[[SUM]] at 0 : tensor<64x176xf32> -> tensor<64x64xf32>
// CHECK-NEXT:    %[[T0:.+]] = tile.convert %[[S0]] : tensor<64x64xf32> -> tensor<64x64xbf16>
// CHECK-NEXT:    tile.store %[[T0]] to %arg0[%[[I:.+]], %[[J:.+]]] :
// CHECK-NEXT:    %[[S1:.+]] = tile.columns %[[SUM]] at 64 : tensor<64x176xf32> -> tensor<64x64xf32>
// CHECK-NEXT:    %[[T1:.+]] = tile.convert %[[S1]]
// CHECK-NEXT:    %[[C64:.+]] = arith.constant 64 : index
// CHECK-NEXT:    %[[J1:.+]] = arith.addi %[[J]], %[[C64]]
// CHECK-NEXT:    tile.store %[[T1]] to %arg0[%[[I]], %[[J1]]] :
// CHECK-NEXT:    %[[S2:.+]] = tile.columns %[[SUM]] at 128 : tensor<64x176xf32> -> tensor<64x48xf32>
// CHECK-NEXT:    %[[T2:.+]] = tile.convert %[[S2]] : tensor<64x48xf32> -> tensor<64x48xbf16>
// CHECK-NEXT:    %[[C128:.+]] = arith.constant 128 : index
// CHECK-NEXT:    %[[J2:.+]] = arith.addi %[[J]], %[[C128]]
// CHECK-NEXT:    tile.store %[[T2]] to %arg0[%[[I]], %[[J2]]] : tensor<64x48xbf16>
// CHECK-NEXT:    %[[N:.+]] = tile.columns %[[SUM]] at 0 : tensor<64x176xf32> -> tensor<64x32xf32>
// CHECK-NEXT:    arith.negf %[[N]]
// CHECK-COUNT-5: tile.store %{{.+}} to %arg1{{.+}} : tensor<64x32xbf16>
// CHECK:         tile.store %{{.+}} to %arg1{{.+}} : tensor<64x16xbf16>
// CHECK-NOT:     tile.store
tile.kernel @staged(%y: !view, %z: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64, STAGING = 1 : i64}} {
  %i = arith.constant 128 : index
  %j = arith.constant 256 : index
  %s = tile.alloc : !shared
  %w = tile.alloc : !columns
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %zero = arith.constant dense<0.0> : tensor<64x176xf32>
    %dot = tile.dot %s, %w transposed, %zero async : !shared, !columns, tensor<64x176xf32>
    %sum = tile.await_dots pending 0, %dot : tensor<64x176xf32>
    %half = tile.convert %sum : tensor<64x176xf32> -> tensor<64x176xbf16>
    tile.store %half to %y[%i, %j] : tensor<64x176xbf16>, !view
    %n = arith.negf %sum : tensor<64x176xf32>
    %other = tile.convert %n : tensor<64x176xf32> -> tensor<64x176xbf16>
    tile.store %other to %z[%i, %j] : tensor<64x176xbf16>, !view
  }
  tile.return
}

// -----

!shared = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// One part is the whole, and what is no sum stays whole as ever.
// CHECK-LABEL: tile.kernel @staged_whole(
// CHECK-NOT:     tile.columns
// CHECK-COUNT-2: tile.store
!view = !tile.view<[512, 512], bf16>
tile.kernel @staged_whole(%y: !view, %v: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64, STAGING = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !shared
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %dot = tile.dot %s, %s transposed, %zero async : !shared, !shared, tensor<64x64xf32>
    %sum = tile.await_dots pending 0, %dot : tensor<64x64xf32>
    %half = tile.convert %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
    tile.store %half to %y[%c0, %c0] : tensor<64x64xbf16>, !view
    %all = tile.splat %v : f32 -> tensor<64x128xf32>
    %same = tile.convert %all : tensor<64x128xf32> -> tensor<64x128xbf16>
    tile.store %same to %y[%c0, %c0] : tensor<64x128xbf16>, !view
  }
  tile.return
}

// -----

// What scales rows needs nothing beside the sums: one store.
// CHECK-LABEL: tile.kernel @scaled(
// CHECK-NOT:     tile.columns
// CHECK:         tile.store %{{.+}} : tensor<64x64xbf16>
// CHECK-NOT:     tile.store
// CHECK:         tile.return
!shared = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @scaled(%y: !tile.view<[64, 64], bf16>, %l: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !shared
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %next = tile.dot %s, %s transposed, %zero async : !shared, !shared, tensor<64x64xf32>
    %sum = tile.await_dots pending 0, %next : tensor<64x64xf32>
    %row = tile.splat %l : f32 -> tensor<64xf32>
    %all = tile.broadcast %row along 1 : tensor<64xf32> -> tensor<64x64xf32>
    %mean = arith.mulf %sum, %all : tensor<64x64xf32>
    %rounded = tile.convert %mean : tensor<64x64xf32> -> tensor<64x64xbf16>
    tile.store %rounded to %y[%c0, %c0] : tensor<64x64xbf16>, !tile.view<[64, 64], bf16>
  }
  tile.return
}
