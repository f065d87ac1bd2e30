// RUN: lathe-opt %s --tile-store-by-warpgroups --split-input-file | FileCheck %s

// Each of two warpgroups stores the rows that it wrote; the block's own barrier
// before the loop stays.
// CHECK-LABEL: tile.kernel @own_rows
// CHECK:         tile.barrier{{$}}
// CHECK:         tile.roles
// CHECK:           tile.await_stores warpgroup
// CHECK-NEXT:      tile.barrier warpgroup
// CHECK-NEXT:      tile.write_shared
// CHECK-NEXT:      tile.fence_async
// CHECK-NEXT:      tile.barrier warpgroup
// CHECK-NEXT:      tile.store_async %{{.+}} to %{{.+}}[%{{.+}}, %{{.+}}] warpgroup
// CHECK:           tile.await_stores warpgroup
!y_view = !tile.view<[M, 64], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!tile_t = tensor<128x64xbf16, #tile.mma<m16n8, warps = [8, 1]>>
tile.kernel @own_rows(%y: !y_view, %M: index) grid ["M ceildiv 128"]
    attributes {dims = ["M"], threads = 384 : i64, wave = 32 : i64, shared_bytes = 16384 : i64, schedule = {}} {
  %s = tile.alloc at 0 : !buffer
  %c0 = arith.constant 0 : index
  %first = tile.program_id 0
  %count = tile.size "M ceildiv 128"
  %step = tile.num_programs 0
  %t = arith.constant dense<1.0> : !tile_t
  tile.barrier
  tile.roles warps [4, 8] threads [1, 256] registers [40, 232] {
  }, {
    scf.for %item = %first to %count step %step {
      tile.await_stores
      tile.barrier
      tile.write_shared %t to %s : !tile_t, !buffer
      tile.fence_async
      tile.barrier
      tile.store_async %s to %y[%item, %c0] : !buffer, !y_view
    }
    tile.await_stores
  }
  tile.return
}

// -----

// A barrier that keeps other things apart stays of the whole role.
// CHECK-LABEL: tile.kernel @other_barrier
// CHECK:           tile.barrier{{$}}
// CHECK-NEXT:      tile.await_stores warpgroup
!y_view = !tile.view<[M, 64], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!tile_t = tensor<128x64xbf16, #tile.mma<m16n8, warps = [8, 1]>>
tile.kernel @other_barrier(%y: !y_view, %M: index) grid ["1"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64, shared_bytes = 16384 : i64, schedule = {}} {
  %s = tile.alloc at 0 : !buffer
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : !tile_t
  tile.roles warps [8] threads [256] registers [0] {
    tile.barrier
    tile.await_stores
    tile.barrier
    tile.write_shared %t to %s : !tile_t, !buffer
    tile.fence_async
    tile.barrier
    tile.store_async %s to %y[%c0, %c0] : !buffer, !y_view
    tile.await_stores
  }
  tile.return
}

// -----

// Memory that a ring had before, rows of other warpgroups, one warpgroup alone and
// a buffer of two roles: all as it was.
// CHECK-LABEL: tile.kernel @shares_memory
// CHECK-NOT:     warpgroup
// CHECK:         tile.return
!y_view = !tile.view<[M, 64], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!tile_t = tensor<128x64xbf16, #tile.mma<m16n8, warps = [8, 1]>>
tile.kernel @shares_memory(%y: !y_view, %M: index) grid ["1"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64, shared_bytes = 32768 : i64, schedule = {}} {
  %s = tile.alloc at 0 : !buffer
  %r = tile.alloc at 0 : !tile.ring<2, <[128, 64], bf16, <phases = 8, rows = 1>>>
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : !tile_t
  tile.roles warps [8] threads [256] registers [0] {
    tile.write_shared %t to %s : !tile_t, !buffer
    tile.fence_async
    tile.barrier
    tile.store_async %s to %y[%c0, %c0] : !buffer, !y_view
    tile.await_stores
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @other_rows
// CHECK-NOT:     warpgroup
// CHECK:         tile.return
!y_view = !tile.view<[M, 64], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!tile_t = tensor<128x64xbf16, #tile.mma<m16n8, warps = [4, 2]>>
tile.kernel @other_rows(%y: !y_view, %M: index) grid ["1"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64, shared_bytes = 16384 : i64, schedule = {}} {
  %s = tile.alloc at 0 : !buffer
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : !tile_t
  tile.roles warps [8] threads [256] registers [0] {
    tile.write_shared %t to %s : !tile_t, !buffer
    tile.fence_async
    tile.barrier
    tile.store_async %s to %y[%c0, %c0] : !buffer, !y_view
    tile.await_stores
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @alone
// CHECK-NOT:     warpgroup
// CHECK:         tile.return
!y_view = !tile.view<[M, 64], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!tile_t = tensor<128x64xbf16, #tile.mma<m16n8, warps = [4, 1]>>
tile.kernel @alone(%y: !y_view, %M: index) grid ["1"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64, shared_bytes = 16384 : i64, schedule = {}} {
  %s = tile.alloc at 0 : !buffer
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : !tile_t
  tile.roles warps [4, 4] threads [128, 128] registers [0, 0] {
    tile.write_shared %t to %s : !tile_t, !buffer
    tile.fence_async
    tile.barrier
  }, {
    tile.fence_async
    tile.barrier
    tile.store_async %s to %y[%c0, %c0] : !buffer, !y_view
    tile.await_stores
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @two_roles
// CHECK-NOT:     warpgroup
// CHECK:         tile.return
!y_view = !tile.view<[M, 64], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!tile_t = tensor<128x64xbf16, #tile.mma<m16n8, warps = [8, 1]>>
tile.kernel @two_roles(%y: !y_view, %M: index) grid ["1"]
    attributes {dims = ["M"], threads = 512 : i64, wave = 32 : i64, shared_bytes = 16384 : i64, schedule = {}} {
  %s = tile.alloc at 0 : !buffer
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : !tile_t
  tile.roles warps [8, 8] threads [256, 256] registers [0, 0] {
    tile.write_shared %t to %s : !tile_t, !buffer
    tile.fence_async
    tile.barrier
  }, {
    tile.fence_async
    tile.barrier
    tile.store_async %s to %y[%c0, %c0] : !buffer, !y_view
    tile.await_stores
  }
  tile.return
}
