// RUN: lathe-opt %s --tile-alternate-buffers | FileCheck %s

!buffer = !tile.shared<[16, 32], f16, <phases = 4, rows = 2>>
!tile = tensor<16x32xf16>
!sum = tensor<16x16xf32>

// One barrier a turn, behind the writes.
// CHECK-LABEL: tile.kernel @loop
// CHECK-DAG:     %[[RX:.+]] = tile.alloc : !tile.ring<2, <[16, 32], f16, <phases = 4, rows = 2>>>
// CHECK-DAG:     %[[RY:.+]] = tile.alloc : !tile.ring<2, <[16, 32], f16, <phases = 4, rows = 2>>>
// CHECK-NOT:     tile.barrier
// CHECK:         scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}, %[[I:.+]] = %{{.+}}) -> (tensor<16x16xf32>, i32)
// CHECK-DAG:       %[[X:.+]] = tile.slot %[[RX]][%[[I]]]
// CHECK-DAG:       %[[Y:.+]] = tile.slot %[[RY]][%[[I]]]
// CHECK-NOT:       tile.barrier
// CHECK:           tile.write_shared %{{.+}} to %[[X]]
// CHECK-NEXT:      tile.write_shared %{{.+}} to %[[Y]]
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      tile.dot %[[X]], %[[Y]] transposed
// CHECK:           arith.xori %[[I]]
// CHECK-NEXT:      scf.yield
tile.kernel @loop(%x: !tile.view<[16, 96], f16>, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {SLOTS = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %a = tile.alloc : !buffer
  %b = tile.alloc : !buffer
  %zero = tile.splat %z : f32 -> !sum
  %r = scf.for %k = %c0 to %c96 step %c32 iter_args(%sum = %zero) -> (!sum) {
    %t = tile.load %x[%c0, %k] : !tile.view<[16, 96], f16> -> !tile
    tile.barrier
    tile.write_shared %t to %a : !tile, !buffer
    tile.write_shared %t to %b : !tile, !buffer
    tile.barrier
    %next = tile.dot %a, %b transposed, %sum : !buffer, !buffer, !sum
    scf.yield %next : !sum
  }
  tile.return
}

// Before an inner loop threads meet: its first turn writes what the last of the
// turn before has read.
// CHECK-LABEL: tile.kernel @nested
// CHECK:         scf.for
// CHECK:           tile.barrier
// CHECK:           scf.for
// CHECK:             tile.write_shared
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.dot
tile.kernel @nested(%x: !tile.view<[16, 96], f16>, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {SLOTS = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %a = tile.alloc : !buffer
  %zero = tile.splat %z : f32 -> !sum
  scf.for %i = %c0 to %c96 step %c32 {
    %r = scf.for %k = %c0 to %c96 step %c32 iter_args(%sum = %zero) -> (!sum) {
      %t = tile.load %x[%i, %k] : !tile.view<[16, 96], f16> -> !tile
      tile.barrier
      tile.write_shared %t to %a : !tile, !buffer
      tile.barrier
      %next = tile.dot %a, %a transposed, %sum : !buffer, !buffer, !sum
      scf.yield %next : !sum
    }
  }
  tile.return
}

// What is read after the loop, or not asked for, stays.
// CHECK-LABEL: tile.kernel @used_later
// CHECK-NOT:     tile.ring
// CHECK-COUNT-2: tile.barrier
tile.kernel @used_later(%x: !tile.view<[16, 96], f16>, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {SLOTS = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %a = tile.alloc : !buffer
  %zero = tile.splat %z : f32 -> !sum
  %r = scf.for %k = %c0 to %c96 step %c32 iter_args(%sum = %zero) -> (!sum) {
    %t = tile.load %x[%c0, %k] : !tile.view<[16, 96], f16> -> !tile
    tile.barrier
    tile.write_shared %t to %a : !tile, !buffer
    tile.barrier
    %next = tile.dot %a, %a transposed, %sum : !buffer, !buffer, !sum
    scf.yield %next : !sum
  }
  %q = tile.dot %a, %a transposed, %r : !buffer, !buffer, !sum
  tile.return
}

// CHECK-LABEL: tile.kernel @single
// CHECK-NOT:     tile.ring
// CHECK-COUNT-2: tile.barrier
tile.kernel @single(%x: !tile.view<[16, 96], f16>, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {SLOTS = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %a = tile.alloc : !buffer
  %zero = tile.splat %z : f32 -> !sum
  %r = scf.for %k = %c0 to %c96 step %c32 iter_args(%sum = %zero) -> (!sum) {
    %t = tile.load %x[%c0, %k] : !tile.view<[16, 96], f16> -> !tile
    tile.barrier
    tile.write_shared %t to %a : !tile, !buffer
    tile.barrier
    %next = tile.dot %a, %a transposed, %sum : !buffer, !buffer, !sum
    scf.yield %next : !sum
  }
  tile.return
}
