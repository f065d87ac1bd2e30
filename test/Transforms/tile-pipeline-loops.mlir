// RUN: lathe-opt %s --tile-pipeline-loops | FileCheck %s

!shared = !tile.shared<[16, 32], bf16, <phases = 4, rows = 2>>

// Two loads go ahead, one at a computed place; of a view that is stored to, and at
// a place that another turn leaves, stay.
// CHECK-LABEL: tile.kernel @ahead
// CHECK:         %[[FIRST:.+]] = tile.load %[[X:.+]][%[[C0:.+]], %[[C0]]]
// CHECK-NEXT:    %[[PLACE0:.+]] = arith.addi %[[C0]], %[[C16:.+]] :
// CHECK-NEXT:    %[[SHIFTED:.+]] = tile.load %[[X]][%[[C0]], %[[PLACE0]]]
// CHECK-NEXT:    scf.for %[[K:.+]] = %[[C0]] to %{{.+}} step %[[STEP:.+]] iter_args(%{{.+}} = %{{.+}}, %[[LAST:.+]] = %{{.+}}, %[[HELD:.+]] = %[[FIRST]], %[[HELD1:.+]] = %[[SHIFTED]])
// CHECK-NEXT:      tile.load %[[Y:.+]][%[[C0]], %[[K]]]
// CHECK-NEXT:      arith.addi %[[K]], %[[C16]]
// CHECK-NEXT:      tile.load %[[X]][%[[C0]], %[[LAST]]]
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      tile.write_shared %[[HELD]]
// CHECK:           tile.write_shared %[[HELD1]]
// CHECK:           tile.barrier
// CHECK-NEXT:      %[[TURN:.+]] = arith.addi %[[K]], %[[STEP]]
// CHECK-NEXT:      %[[NEXT:.+]] = tile.load %[[X]][%[[C0]], %[[TURN]]]
// CHECK-NEXT:      %[[PLACE:.+]] = arith.addi %[[TURN]], %[[C16]]
// CHECK-NEXT:      %[[NEXT1:.+]] = tile.load %[[X]][%[[C0]], %[[PLACE]]]
// CHECK-NEXT:      %[[SUM:.+]] = tile.dot
// CHECK:           scf.yield %[[SUM]], %[[K]], %[[NEXT]], %[[NEXT1]]
tile.kernel @ahead(%x: !tile.view<[16, 64], bf16>, %y: !tile.view<[16, 64], bf16>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = tile.alloc : !shared
  %b = tile.alloc : !shared
  %c = tile.alloc : !shared
  %d = tile.alloc : !shared
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum:2 = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero, %last = %c0) -> (tensor<16x16xf32>, index) {
    %t = tile.load %x[%c0, %k] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    %u = tile.load %y[%c0, %k] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    %place = arith.addi %k, %c16 : index
    %v = tile.load %x[%c0, %place] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    %w = tile.load %x[%c0, %last] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    tile.barrier
    tile.write_shared %t to %a : tensor<16x32xbf16>, !shared
    tile.write_shared %u to %b : tensor<16x32xbf16>, !shared
    tile.write_shared %v to %c : tensor<16x32xbf16>, !shared
    tile.write_shared %w to %d : tensor<16x32xbf16>, !shared
    tile.barrier
    %next = tile.dot %a, %b transposed, %acc : !shared, !shared, tensor<16x16xf32>
    tile.store %u to %y[%c0, %k] : tensor<16x32xbf16>, !tile.view<[16, 64], bf16>
    scf.yield %next, %k : tensor<16x16xf32>, index
  }
  tile.return
}

// What stays in registers comes a turn ahead too.
// CHECK-LABEL: tile.kernel @registers
// CHECK:         %[[A0:.+]] = tile.load %[[X:.+]][%[[C0:.+]], %[[C0]]]
// CHECK-NEXT:    %[[B0:.+]] = tile.load %[[W:.+]][%[[C0]], %[[C0]]]
// CHECK-NEXT:    scf.for %[[K:.+]] = %[[C0]] to %{{.+}} step %[[STEP:.+]] iter_args(%[[SUM:.+]] = %{{.+}}, %[[A:.+]] = %[[A0]], %[[B:.+]] = %[[B0]])
// CHECK-NEXT:      tile.load %[[Y:.+]][%[[C0]], %[[K]]]
// CHECK-NEXT:      %[[TURN:.+]] = arith.addi %[[K]], %[[STEP]]
// CHECK-NEXT:      %[[A1:.+]] = tile.load %[[X]][%[[C0]], %[[TURN]]]
// CHECK-NEXT:      %[[B1:.+]] = tile.load %[[W]][%[[C0]], %[[TURN]]]
// CHECK-NEXT:      %[[NEXT:.+]] = tile.dot %[[A]], %[[B]] transposed, %[[SUM]]
// CHECK:           scf.yield %[[NEXT]], %[[A1]], %[[B1]]
tile.kernel @registers(%x: !tile.view<[16, 512], bf16>, %w: !tile.view<[16, 512], bf16>,
                       %y: !tile.view<[16, 512], bf16>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {STAGES = 2 : i64, PARTS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %k = %c0 to %c512 step %c128 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    %other = tile.load %y[%c0, %k] : !tile.view<[16, 512], bf16> -> tensor<16x128xbf16>
    %a = tile.load %x[%c0, %k] : !tile.view<[16, 512], bf16> -> tensor<16x128xbf16>
    %b = tile.load %w[%c0, %k] : !tile.view<[16, 512], bf16> -> tensor<16x128xbf16>
    %next = tile.dot %a, %b transposed, %acc : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
    %wide = tile.convert %other : tensor<16x128xbf16> -> tensor<16x128xf32>
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

// Three slots: two groups under way before the loop, in each turn one more, which is
// empty past the end. A scale goes ahead in registers.
// CHECK-LABEL: tile.kernel @ring(
// CHECK-SAME:    %[[X:.+]]: !tile.view<[16, K], bf16>, %[[S:.+]]: !tile.view<[K], f32>, %[[K:.+]]: index
// CHECK:         %[[RING:.+]] = tile.alloc : !tile.ring<3, <[16, 32], bf16
// CHECK:         tile.barrier
// CHECK:         %[[GO0:.+]] = arith.cmpi slt, %[[C0:.+]], %[[K]]
// CHECK-NEXT:    scf.if %[[GO0]] {
// CHECK-NEXT:      %[[TO0:.+]] = tile.slot %[[RING]][%{{.+}}]
// CHECK-NEXT:      tile.copy_async %[[X]][%[[C0]], %[[C0]]] to %[[TO0]] :
// CHECK-NEXT:    }
// CHECK-NEXT:    tile.commit_copies
// CHECK-NEXT:    %[[K1:.+]] = arith.addi %[[C0]], %[[STEP:.+]] :
// CHECK:         scf.if
// CHECK:           tile.copy_async %[[X]][%[[C0]], %[[K1]]]
// CHECK:         tile.commit_copies
// CHECK-NEXT:    %[[K2:.+]] = arith.addi %[[K1]], %[[STEP]]
// CHECK-NEXT:    %[[AHEAD:.+]] = arith.subi %[[K2]], %[[C0]]
// CHECK-NEXT:    %[[READ0:.+]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[FILL0:.+]] = arith.constant 2 : i32
// CHECK-NEXT:    %[[SCALE0:.+]] = tile.load %[[S]][%[[C0]]]
// CHECK-NEXT:    scf.for %[[AT:.+]] = %[[C0]] to %[[K]] {{.+}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[READ:.+]] = %[[READ0]], %[[FILL:.+]] = %[[FILL0]], %[[SCALE:.+]] = %[[SCALE0]])
// CHECK:           tile.await_copies pending 1
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      %[[LATER:.+]] = arith.addi %[[AT]], %[[AHEAD]]
// CHECK-NEXT:      %[[GO:.+]] = arith.cmpi slt, %[[LATER]], %[[K]]
// CHECK-NEXT:      scf.if %[[GO]] {
// CHECK-NEXT:        %[[TO:.+]] = tile.slot %[[RING]][%[[FILL]]]
// CHECK-NEXT:        tile.copy_async %[[X]][%[[C0]], %[[LATER]]] to %[[TO]] :
// CHECK-NEXT:      }
// CHECK-NEXT:      tile.commit_copies
// CHECK-NEXT:      %[[FROM:.+]] = tile.slot %[[RING]][%[[READ]]]
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      tile.load %[[S]]
// CHECK-NEXT:      tile.dot %[[FROM]], %[[FROM]] transposed
// CHECK-NOT:       tile.barrier
// CHECK:           scf.yield
tile.kernel @ring(%x: !tile.view<[16, K], bf16>, %s: !tile.view<[K], f32>, %K: index) grid ["1"]
    attributes {dims = ["K"], threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 3 : i64, PREFETCH = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc : !shared
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    %t = tile.load %x[%c0, %k] : !tile.view<[16, K], bf16> -> tensor<16x32xbf16>
    %scale = tile.load %s[%k] : !tile.view<[K], f32> -> tensor<16xf32>
    %scales = tile.broadcast %scale along 0 : tensor<16xf32> -> tensor<16x16xf32>
    tile.barrier
    tile.write_shared %t to %a : tensor<16x32xbf16>, !shared
    tile.barrier
    %p = tile.dot %a, %a transposed, %zero : !shared, !shared, tensor<16x16xf32>
    %q = arith.mulf %p, %scales : tensor<16x16xf32>
    %next = arith.addf %acc, %q : tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  tile.return
}

// What is not loaded as it is has no ring.
// CHECK-LABEL: tile.kernel @computed(
// CHECK-NOT:     tile.ring
// CHECK:         tile.write_shared
tile.kernel @computed(%x: !tile.view<[16, 64], bf16>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = tile.alloc : !shared
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    %t = tile.load %x[%c0, %k] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    %u = arith.addf %t, %t : tensor<16x32xbf16>
    tile.barrier
    tile.write_shared %u to %a : tensor<16x32xbf16>, !shared
    tile.barrier
    %next = tile.dot %a, %a transposed, %acc : !shared, !shared, tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  tile.return
}

// In a role, only what the turn itself loads goes ahead, at the next turn's place.
// CHECK-LABEL: tile.kernel @role(
// CHECK:         %[[BLOCK0:.+]] = arith.divui
// CHECK-NEXT:    %[[FIRST:.+]] = tile.load_groups %{{.+}}[%[[BLOCK0]]]
// CHECK-NEXT:    scf.for %[[K:.+]] = {{.+}} step %[[STEP:.+]] iter_args(%{{.+}} = %{{.+}}, %[[HELD:.+]] = %[[FIRST]])
// CHECK:           tile.broadcast %[[HELD]]
// CHECK:           %[[TURN:.+]] = arith.addi %[[K]], %[[STEP]]
// CHECK-NEXT:      %[[BLOCK:.+]] = arith.divui %[[TURN]]
// CHECK-NEXT:      tile.load_groups %{{.+}}[%[[BLOCK]]]
// CHECK-NEXT:      tile.dot
tile.kernel @role(%s: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64,
                schedule = {PRODUCERS = 4 : i64, STAGES = 12 : i64, PREFETCH = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = tile.alloc : !shared
  tile.roles warps [4] threads [128] registers [0] {
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %sum = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
      %block = arith.divui %k, %c32 : index
      %scale = tile.load_groups %s[%block] along 0 groups "16" : !tile.view<[64], f32> -> tensor<16xf32>
      %scales = tile.broadcast %scale along 0 : tensor<16xf32> -> tensor<16x16xf32>
      %p = tile.dot %a, %a transposed, %zero : !shared, !shared, tensor<16x16xf32>
      %q = arith.mulf %p, %scales : tensor<16x16xf32>
      %next = arith.addf %acc, %q : tensor<16x16xf32>
      scf.yield %next : tensor<16x16xf32>
    }
  }
  tile.return
}

// What is cut off is asked for only if there is a next turn; the first turn's comes before
// what else the loop multiplies is there.
// CHECK-LABEL: tile.kernel @cut(
// CHECK:         %[[FIRST:.+]] = tile.load %arg0
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    tile.write_shared
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    scf.for {{.+}} to %[[END:.+]] step %[[STEP:.+]] iter_args(%{{.+}}, %[[NOW:.+]] = %[[FIRST]])
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      tile.write_shared %[[NOW]]
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      %[[TURN:.+]] = arith.addi %{{.+}}, %[[STEP]]
// CHECK-NEXT:      %[[MORE:.+]] = arith.cmpi slt, %[[TURN]], %[[END]]
// CHECK-NEXT:      %[[NEXT:.+]] = scf.if %[[MORE]]
// CHECK-NEXT:        %[[LOADED:.+]] = tile.load %arg0[%[[TURN]]
// CHECK-NEXT:        scf.yield %[[LOADED]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[NOW]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[SUM:.+]] = tile.dot
// CHECK-NEXT:      scf.yield %[[SUM]], %[[NEXT]]
tile.kernel @cut(%x: !tile.view<[64, 32], bf16>, %q: !tile.view<[16, 32], bf16>, %end: i32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.alloc : !shared
  %b = tile.alloc : !shared
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %until = arith.index_cast %end : i32 to index
  %held = tile.load %q[%c0, %c0] : !tile.view<[16, 32], bf16> -> tensor<16x32xbf16>
  tile.barrier
  tile.write_shared %held to %a : tensor<16x32xbf16>, !shared
  tile.barrier
  %sum = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    %t = tile.load %x[%k, %c0] along [0, 1] until %until : !tile.view<[64, 32], bf16> -> tensor<16x32xbf16>
    tile.barrier
    tile.write_shared %t to %b : tensor<16x32xbf16>, !shared
    tile.barrier
    %next = tile.dot %a, %b transposed, %acc : !shared, !shared, tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  tile.return
}
