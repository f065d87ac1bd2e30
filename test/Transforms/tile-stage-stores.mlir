// RUN: lathe-opt %s --tile-stage-stores --split-input-file | FileCheck %s

// Each store of a block has its buffer; the first waits for those of the turn before,
// and the last must be read before the end.
// CHECK-LABEL: tile.kernel @stores(
// CHECK-SAME:    %[[Y:[^:]+]]:
// CHECK:         %[[S1:.+]] = tile.alloc : !tile.shared<[64, 128], bf16, <phases = 8, rows = 1>, panel = 64>
// CHECK-NEXT:    %[[S:.+]] = tile.alloc : !tile.shared<[64, 128], bf16, <phases = 8, rows = 1>, panel = 64>
// CHECK:         tile.roles
// CHECK:         }, {
// CHECK:           scf.for %[[I:.+]] = 
// CHECK:             tile.await_stores
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %[[T:.+]] to %[[S]]
// CHECK-NEXT:        tile.fence_async
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.store_async %[[S]] to %[[Y]][%[[I]], %{{.+}}]
// CHECK-NEXT:        tile.write_shared %[[T]] to %[[S1]]
// CHECK-NEXT:        tile.fence_async
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.store_async %[[S1]] to %[[Y]][%{{.+}}, %[[I]]]
// CHECK-NEXT:        tile.store %{{.+}} : tensor<64x128xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      tile.await_stores
// CHECK-NEXT:    }
!y = !tile.view<[512, 512], bf16>
!z = !tile.view<[512, 512], f32>
tile.kernel @stores(%y: !y, %z: !z, %s: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {STORE = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %wide = tile.splat %s : f32 -> tensor<64x128xf32>
    scf.for %i = %c0 to %c512 step %c64 {
      %t = tile.convert %wide : tensor<64x128xf32> -> tensor<64x128xbf16>
      tile.store %t to %y[%i, %c0] : tensor<64x128xbf16>, !y
      tile.store %t to %y[%c0, %i] : tensor<64x128xbf16>, !y
      tile.store %wide to %z[%i, %c0] : tensor<64x128xf32>, !z
    }
  }
  tile.return
}

// -----

// What is loaded before, at the same place or in other columns, may be stored so;
// else it stays.
// CHECK-LABEL: tile.kernel @aliases(
// CHECK-SAME:    %[[R:[^:]+]]: {{.+}}, %[[Y:[^:]+]]: {{.+}}, %[[Q:[^:]+]]: {{.+}}, %[[Z:[^:]+]]:
// CHECK-NOT:     tile.store_async {{.+}} to %[[Z]]
// CHECK:         tile.store_async {{.+}} to %[[Y]]
// CHECK:         tile.store_async {{.+}} to %[[Y]]
// CHECK-NOT:     tile.store_async {{.+}} to %[[Z]]
// CHECK:         tile.store {{.+}} to %[[Z]]
!view = !tile.view<[512, 512], bf16>
tile.kernel @aliases(%r: !view, %y: !view, %q: !view, %z: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, may_alias = array<i64: 0, 1>, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %c128 = arith.constant 128 : index
    %t = tile.load %r[%c0, %c64] : !view -> tensor<64x128xbf16>
    tile.store %t to %y[%c0, %c64] : tensor<64x128xbf16>, !view
    %right = arith.addi %c64, %c128 : index
    %v = tile.load %r[%c0, %right] : !view -> tensor<64x128xbf16>
    %there = arith.addi %c64, %c128 : index
    tile.store %v to %y[%c0, %there] : tensor<64x128xbf16>, !view
    %u = tile.load %z[%c0, %c0] : !view -> tensor<64x128xbf16>
    tile.store %u to %z[%c0, %c64] : tensor<64x128xbf16>, !view
  }
  tile.return
}

// -----

// The last part of an epilogue may be narrower: what it loads are still other columns.
// CHECK-LABEL: tile.kernel @narrow_rest(
// CHECK-COUNT-2: tile.store_async
// CHECK-NOT:     tile.store %
// CHECK-LABEL: tile.kernel @overlaps(
// CHECK:         tile.store %
!view = !tile.view<[512, 512], bf16>
tile.kernel @narrow_rest(%r: !view, %y: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, may_alias = array<i64: 0, 1>, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %c32 = arith.constant 32 : index
    %t = tile.load %r[%c0, %c0] : !view -> tensor<64x32xbf16>
    tile.store %t to %y[%c0, %c0] : tensor<64x32xbf16>, !view
    %rest = arith.addi %c0, %c32 : index
    %v = tile.load %r[%c0, %rest] : !view -> tensor<64x16xbf16>
    tile.store %v to %y[%c0, %rest] : tensor<64x16xbf16>, !view
  }
  tile.return
}
tile.kernel @overlaps(%r: !view, %y: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, may_alias = array<i64: 0, 1>, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %c16 = arith.constant 16 : index
    %there = arith.addi %c0, %c16 : index
    %t = tile.load %r[%c0, %c0] : !view -> tensor<64x32xbf16>
    tile.store %t to %y[%c0, %there] : tensor<64x32xbf16>, !view
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @direct(
// CHECK-NOT:     tile.store_async
!view = !tile.view<[512, 512], bf16>
tile.kernel @direct(%y: !view, %s: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64, STORE = 0 : i64}} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4] threads [128] registers [0] {
    %t = tile.splat %s : bf16 -> tensor<64x128xbf16>
    tile.store %t to %y[%c0, %c0] : tensor<64x128xbf16>, !view
  }
  tile.return
}

// -----

// Nothing here is narrow enough, and nobody asked for it.
// CHECK-LABEL: tile.kernel @wide(
// CHECK-NOT:     tile.store_async
// CHECK-NOT:     tile.await_stores
!view = !tile.view<[512, 512], f32>
tile.kernel @wide(%y: !view, %s: f32) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4] threads [128] registers [0] {
    %t = tile.splat %s : f32 -> tensor<64x128xf32>
    tile.store %t to %y[%c0, %c0] : tensor<64x128xf32>, !view
  }
  tile.return
}

// -----

// Stores of two blocks share buffers, so each waits.
// CHECK-LABEL: tile.kernel @blocks(
// CHECK:         %[[S:.+]] = tile.alloc
// CHECK-NOT:     tile.alloc
// CHECK:         scf.if
// CHECK-NEXT:      tile.await_stores
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      tile.write_shared %{{.+}} to %[[S]]
// CHECK:         tile.await_stores
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    tile.write_shared %{{.+}} to %[[S]]
!view = !tile.view<[512, 512], bf16>
tile.kernel @blocks(%y: !view, %s: bf16, %p: i1) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.roles warps [4] threads [128] registers [0] {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    scf.if %p {
      tile.store %t to %y[%c64, %c0] : tensor<64x64xbf16>, !view
    }
    tile.store %t to %y[%c0, %c0] : tensor<64x64xbf16>, !view
  }
  tile.return
}

// -----

// Each team of a role has a buffer.
// CHECK-LABEL: tile.kernel @teams(
// CHECK:         %[[RING:.+]] = tile.alloc : !tile.ring<2, <[64, 64], bf16, <phases = 8, rows = 1>>>
// CHECK:         }, {
// CHECK:           %[[TEAM:.+]] = tile.team_id
// CHECK-NEXT:      %[[OWN:.+]] = tile.slot %[[RING]][%[[TEAM]]]
// CHECK:           tile.await_stores
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      tile.write_shared %{{.+}} to %[[OWN]]
// CHECK:           tile.store_async %[[OWN]]
tile.kernel @teams(%y: !tile.view<[64, 64], bf16>, %s: bf16) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4, 8] threads [1, 128] teams [1, 2] registers [0, 0] {
  }, {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    tile.store %t to %y[%c0, %c0] : tensor<64x64xbf16>, !tile.view<[64, 64], bf16>
  }
  tile.return
}
