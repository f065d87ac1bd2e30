// RUN: lathe-opt %s --tile-plan-shared | FileCheck %s

!a = !tile.shared<[16, 32], bf16, <phases = 4, rows = 2>>
!b = !tile.shared<[48, 24], bf16, <phases = 1, rows = 8>>
!ring = !tile.ring<3, <[16, 32], bf16, <phases = 4, rows = 2>>>
!sum = tensor<16x16xf32>

// Used in one loop: 1024 bytes, then 2304, then mbarriers behind them.
// CHECK-LABEL: tile.kernel @together
// CHECK-NEXT:    shared_bytes = 3384
// CHECK:         tile.alloc at 0 : !tile.shared<[16, 32]
// CHECK:         tile.alloc at 1024 : !tile.shared<[48, 24]
// CHECK:         tile.init_mbarriers arrivals 1 at 3328 : !tile.mbarriers<3>
// CHECK:         tile.init_mbarriers arrivals 2 at 3352 : !tile.mbarriers<4>
tile.kernel @together(%x: !tile.view<[16, 32], bf16>, %s: bf16) grid ["1"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %u = tile.splat %s : bf16 -> tensor<48x24xbf16>
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<3>
  %empty = tile.init_mbarriers arrivals 2 : !tile.mbarriers<4>
  scf.for %i = %c0 to %c1 step %c1 {
    tile.barrier
    tile.write_shared %t to %a : tensor<16x32xbf16>, !a
    tile.barrier
    tile.write_shared %u to %b : tensor<48x24xbf16>, !b
  }
  tile.return
}

// One after the other, with a barrier between: one place, of the larger.
// CHECK-LABEL: tile.kernel @in_turn
// CHECK-NEXT:    shared_bytes = 2304
// CHECK:         tile.alloc at 0 : !tile.shared<[16, 32]
// CHECK:         tile.alloc at 0 : !tile.shared<[48, 24]
tile.kernel @in_turn(%x: !tile.view<[16, 32], bf16>, %s: bf16) grid ["1"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %u = tile.splat %s : bf16 -> tensor<48x24xbf16>
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  tile.write_shared %t to %a : tensor<16x32xbf16>, !a
  scf.for %i = %c0 to %c1 step %c1 {
    tile.barrier
    tile.write_shared %u to %b : tensor<48x24xbf16>, !b
  }
  tile.return
}

// Without a barrier that every use of the second has behind it, they stay apart.
// CHECK-LABEL: tile.kernel @no_barrier
// CHECK-NEXT:    shared_bytes = 3328
// CHECK:         tile.alloc at 0 : !tile.shared<[16, 32]
// CHECK:         tile.alloc at 1024 : !tile.shared<[48, 24]
tile.kernel @no_barrier(%x: !tile.view<[16, 32], bf16>, %s: bf16, %p: i1) grid ["1"] {
  %t = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %u = tile.splat %s : bf16 -> tensor<48x24xbf16>
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  tile.write_shared %t to %a : tensor<16x32xbf16>, !a
  scf.if %p {
    tile.barrier
    tile.write_shared %u to %b : tensor<48x24xbf16>, !b
  } else {
    tile.write_shared %u to %b : tensor<48x24xbf16>, !b
  }
  tile.return
}

// A ring that nobody multiplies from may be in use at any time, and so may what is
// read asynchronously; what TMA stores from shares with nothing later.
// CHECK-LABEL: tile.kernel @asynchronous
// CHECK-NEXT:    shared_bytes = 6144
// CHECK:         tile.alloc at 0 : !tile.ring
// CHECK:         tile.alloc at 3072 : !tile.shared
// CHECK:         tile.alloc at 4096 : !tile.shared
// CHECK:         tile.alloc at 5120 : !tile.shared
tile.kernel @asynchronous(%y: !tile.view<[16, 32], bf16>, %s: bf16) grid ["1"] {
  %c0 = arith.constant 0 : index
  %t = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %zero = arith.constant dense<0.0> : !sum
  %ring = tile.alloc : !ring
  %a = tile.alloc : !a
  %b = tile.alloc : !a
  %c = tile.alloc : !a
  tile.write_shared %t to %a : tensor<16x32xbf16>, !a
  tile.store_async %a to %y[%c0, %c0] : !a, !tile.view<[16, 32], bf16>
  tile.barrier
  tile.write_shared %t to %b : tensor<16x32xbf16>, !a
  %sum = tile.dot %b, %b transposed, %zero async : !a, !a, !sum
  tile.barrier
  tile.write_shared %t to %c : tensor<16x32xbf16>, !a
  tile.return
}

// Nothing to place.
// CHECK-LABEL: tile.kernel @none
// CHECK-NOT:     shared_bytes
tile.kernel @none(%x: !tile.view<[16, 32], bf16>) grid ["1"] {
  tile.return
}

// A ring is done where its last product is awaited: behind the loop, or in each of its
// turns. What is written behind a barrier then takes its place.
!rows = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!rows_ring = !tile.ring<3, <[64, 64], bf16, <phases = 8, rows = 1>>>
// CHECK-LABEL: tile.kernel @awaited_in_turns
// CHECK-NEXT:    shared_bytes = 24576
// CHECK:         tile.alloc at 0 : !tile.ring
// CHECK:         tile.alloc at 0 : !tile.shared
// CHECK-LABEL: tile.kernel @awaited_in_some_turns
// CHECK-NEXT:    shared_bytes = 32768
// CHECK:         tile.alloc at 24576 : !tile.shared
tile.kernel @awaited_in_turns(%y: !tile.view<[16, 32], bf16>, %s: bf16) grid ["1"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slot = arith.constant 0 : i32
  %ring = tile.alloc : !rows_ring
  %out = tile.alloc : !rows
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %c1 step %c1 iter_args(%total = %zero) -> (tensor<64x64xf32>) {
      %a = tile.slot %ring[%slot] : !rows_ring
      %part = tile.dot %a, %a transposed, %zero async : !rows, !rows, tensor<64x64xf32>
      %done = tile.await_dots pending 0, %part : tensor<64x64xf32>
      %next = arith.addf %total, %done : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.barrier
    tile.write_shared %t to %out : tensor<64x64xbf16>, !rows
  }
  tile.return
}
tile.kernel @awaited_in_some_turns(%y: !tile.view<[16, 32], bf16>, %s: bf16) grid ["1"] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slot = arith.constant 0 : i32
  %ring = tile.alloc : !rows_ring
  %out = tile.alloc : !rows
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %c1 step %c1 iter_args(%total = %zero) -> (tensor<64x64xf32>) {
      %a = tile.slot %ring[%slot] : !rows_ring
      %part = tile.dot %a, %a transposed, %zero async : !rows, !rows, tensor<64x64xf32>
      %done = tile.await_dots pending 1, %part : tensor<64x64xf32>
      %next = arith.addf %total, %done : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.barrier
    tile.write_shared %t to %out : tensor<64x64xbf16>, !rows
  }
  tile.return
}

// What other blocks read is theirs for longer than a barrier of this one tells.
// CHECK-LABEL: tile.kernel @peers(
// CHECK:         tile.alloc at 0 : !tile.shared<[16, 32], f32
// CHECK:         tile.alloc at 2048 : !tile.shared<[16, 32], f32
// CHECK-LABEL: tile.kernel @alone(
// CHECK:         tile.alloc at 0 : !tile.shared<[16, 32], f32
// CHECK:         tile.alloc at 0 : !tile.shared<[16, 32], f32
!read = !tile.shared<[16, 32], f32, <phases = 8, rows = 1>>
tile.kernel @peers(%s: f32) grid ["2"]
    attributes {threads = 64 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  %a = tile.alloc : !read
  %b = tile.alloc : !read
  %t = tile.splat %s : f32 -> tensor<16x32xf32>
  tile.barrier
  %one = tile.cluster_reduce %t through %a : tensor<16x32xf32>, !read -> tensor<16x32xf32>
  tile.barrier
  %two = tile.cluster_reduce %one through %b : tensor<16x32xf32>, !read -> tensor<16x32xf32>
  tile.return
}
tile.kernel @alone(%s: f32) grid ["2"] attributes {threads = 64 : i64, wave = 32 : i64} {
  %a = tile.alloc : !read
  %b = tile.alloc : !read
  %t = tile.splat %s : f32 -> tensor<16x32xf32>
  tile.barrier
  %one = tile.cluster_reduce %t through %a : tensor<16x32xf32>, !read -> tensor<16x32xf32>
  tile.barrier
  %two = tile.cluster_reduce %one through %b : tensor<16x32xf32>, !read -> tensor<16x32xf32>
  tile.return
}
