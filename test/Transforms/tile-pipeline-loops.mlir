// RUN: lathe-opt %s --tile-pipeline-loops | FileCheck %s

!shared = !tile.shared<[16, 32], bf16, <phases = 4, rows = 2>>

// One load goes ahead; of a view that is stored to, and at a computed place, stay.
// CHECK-LABEL: tile.kernel @ahead
// CHECK:         %[[FIRST:.+]] = tile.load %[[X:.+]][%[[C0:.+]], %[[C0]]]
// CHECK-NEXT:    scf.for %[[K:.+]] = %[[C0]] to %{{.+}} step %[[STEP:.+]] iter_args(%{{.+}} = %{{.+}}, %[[HELD:.+]] = %[[FIRST]])
// CHECK-NEXT:      tile.load %[[Y:.+]][%[[C0]], %[[K]]]
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      tile.load %[[X]]
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      tile.write_shared %[[HELD]]
// CHECK:           tile.barrier
// CHECK-NEXT:      %[[TURN:.+]] = arith.addi %[[K]], %[[STEP]]
// CHECK-NEXT:      %[[NEXT:.+]] = tile.load %[[X]][%[[C0]], %[[TURN]]]
// CHECK-NEXT:      %[[SUM:.+]] = tile.dot
// CHECK:           scf.yield %[[SUM]], %[[NEXT]]
tile.kernel @ahead(%x: !tile.view<[16, 64], bf16>, %y: !tile.view<[16, 64], bf16>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = tile.alloc : !shared
  %b = tile.alloc : !shared
  %c = tile.alloc : !shared
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    %t = tile.load %x[%c0, %k] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    %u = tile.load %y[%c0, %k] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    %place = arith.addi %k, %c16 : index
    %v = tile.load %x[%c0, %place] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    tile.barrier
    tile.write_shared %t to %a : tensor<16x32xbf16>, !shared
    tile.write_shared %u to %b : tensor<16x32xbf16>, !shared
    tile.write_shared %v to %c : tensor<16x32xbf16>, !shared
    tile.barrier
    %next = tile.dot %a, %b transposed, %acc : !shared, !shared, tensor<16x16xf32>
    tile.store %u to %y[%c0, %k] : tensor<16x32xbf16>, !tile.view<[16, 64], bf16>
    scf.yield %next : tensor<16x16xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @one_stage
// CHECK:         scf.for
// CHECK-NEXT:      tile.load
tile.kernel @one_stage(%x: !tile.view<[16, 64], bf16>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = tile.alloc : !shared
  scf.for %k = %c0 to %c64 step %c32 {
    %t = tile.load %x[%c0, %k] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    tile.write_shared %t to %a : tensor<16x32xbf16>, !shared
  }
  tile.return
}
