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

// Rings and what is read asynchronously share with nothing.
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
