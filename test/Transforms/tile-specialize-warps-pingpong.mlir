// RUN: lathe-opt %s --tile-specialize-warps --split-input-file | FileCheck %s

!view = !tile.view<[512, K], bf16>
!out = !tile.view<[512, 512], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// Two roles of four warps, each with half of the warps' arrivals: the first begins at
// once, the second when the first is through with its products. Each takes every
// second item and skips what the other takes of the ring, the second once more before
// its first item. One role copies for both.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[C64:.+]] = arith.constant 64 : index
// CHECK-DAG:     %[[DEPTH:.+]] = tile.size "K"
// CHECK-DAG:     %[[FIRST:.+]] = tile.program_id 0
// CHECK-DAG:     %[[COUNT:.+]] = tile.size "64"
// CHECK-DAG:     %[[STEP:.+]] = tile.num_programs 0
// CHECK:         %[[FULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<3>
// CHECK-NEXT:    %[[EMPTY:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<3>
// CHECK-NEXT:    %[[ORDER:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<2>
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK-NEXT:    tile.roles warps [4, 4, 4] threads [1, 128, 128] registers [40, 232, 232] {
// CHECK-NEXT:      scf.for %{{.+}} = %[[FIRST]] to %[[COUNT]] step %[[STEP]] iter_args(
// CHECK-NOT:       %[[ORDER]]
// CHECK:           tile.copy_async
// CHECK-NOT:       %[[ORDER]]
// CHECK:         }, {
// CHECK-NOT:       scf.for
// CHECK:           %[[SLOTS:.+]] = arith.constant 3 : i32
// CHECK-NEXT:      %[[ALL:.+]] = arith.subi %[[DEPTH]], %[[C0]]
// CHECK:           %[[SOME:.+]] = arith.maxsi %[[ALL]], %
// CHECK-NEXT:      %[[STEPS:.+]] = arith.ceildivui %[[SOME]], %[[C64]]
// CHECK-NEXT:      %[[TURNS:.+]] = arith.index_cast %[[STEPS]] : index to i32
// CHECK-NEXT:      %[[ROUNDS:.+]] = arith.divui %[[TURNS]], %[[SLOTS]]
// CHECK-NEXT:      %[[REST:.+]] = arith.remui %[[TURNS]], %[[SLOTS]]
// CHECK-NEXT:      %[[C1:.+]] = arith.constant 1 : i32
// CHECK-NEXT:      %[[ODD:.+]] = arith.andi %[[ROUNDS]], %[[C1]]
// CHECK-NEXT:      %[[NONE:.+]] = arith.constant 0 : index
// CHECK-NEXT:      %[[LATER:.+]] = arith.muli %[[STEP]], %[[NONE]]
// CHECK-NEXT:      %[[OWN:.+]] = arith.addi %[[FIRST]], %[[LATER]]
// CHECK-NEXT:      %[[TWO:.+]] = arith.constant 2 : index
// CHECK-NEXT:      %[[BOTH:.+]] = arith.muli %[[STEP]], %[[TWO]]
// CHECK-NEXT:      %[[OPEN:.+]] = arith.constant 1 : i32
// CHECK-NEXT:      scf.for %{{.+}} = %[[OWN]] to %[[COUNT]] step %[[BOTH]] iter_args(%[[SLOT:.+]] = %[[ZERO]], %[[PHASE:.+]] = %[[ZERO]], %[[PARITY:.+]] = %[[OPEN]]) -> (i32, i32, i32) {
// CHECK:             %[[ME:.+]] = arith.constant 0 : i32
// CHECK-NEXT:        tile.mbarrier_wait %[[ORDER]][%[[ME]]] parity %[[PARITY]] : !tile.mbarriers<2>
// CHECK-NEXT:        %[[LOOP:.+]]:4 = scf.for {{.+}} = %[[SLOT]], {{.+}} = %[[PHASE]], {{.+}} = %[[ZERO]])
// CHECK:             }
// CHECK-NEXT:        %[[OTHER:.+]] = arith.constant 1 : i32
// CHECK-NEXT:        tile.mbarrier_arrive %[[ORDER]][%[[OTHER]]] : !tile.mbarriers<2>
// CHECK-NEXT:        tile.await_dots pending 0, %[[LOOP]]#0
// CHECK-NEXT:        arith.cmpi slt
// CHECK-NEXT:        tile.mbarrier_arrive %[[EMPTY]][%[[LOOP]]#3] if
// CHECK-NEXT:        tile.convert
// CHECK-NEXT:        tile.store
// CHECK-NEXT:        %[[SLOTS:.+]] = arith.constant 3 : i32
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[LOOP]]#1, %[[REST]]
// CHECK-NEXT:        %[[WRAPS:.+]] = arith.cmpi uge, %[[NEXT]], %[[SLOTS]]
// CHECK-NEXT:        %[[BEHIND:.+]] = arith.subi %[[NEXT]], %[[SLOTS]]
// CHECK-NEXT:        %[[SLOT1:.+]] = arith.select %[[WRAPS]], %[[BEHIND]], %[[NEXT]]
// CHECK-NEXT:        %[[TURNED:.+]] = arith.extui %[[WRAPS]]
// CHECK-NEXT:        %[[ROUND:.+]] = arith.xori %[[TURNED]], %[[ODD]]
// CHECK-NEXT:        %[[PHASE1:.+]] = arith.xori %[[LOOP]]#2, %[[ROUND]]
// CHECK-NEXT:        %[[FLIP:.+]] = arith.constant 1 : i32
// CHECK-NEXT:        %[[PARITY1:.+]] = arith.xori %[[PARITY]], %[[FLIP]]
// CHECK-NEXT:        scf.yield %[[SLOT1]], %[[PHASE1]], %[[PARITY1]]
// CHECK-NEXT:      }
// CHECK-NEXT:    }, {
// CHECK-NOT:       scf.for
// CHECK:           %[[REST:.+]] = arith.remui
// CHECK:           %[[ODD:.+]] = arith.andi
// CHECK-NEXT:      %[[ONE:.+]] = arith.constant 1 : index
// CHECK-NEXT:      %[[LATER:.+]] = arith.muli %[[STEP]], %[[ONE]]
// CHECK-NEXT:      %[[OWN:.+]] = arith.addi %[[FIRST]], %[[LATER]]
// CHECK-NEXT:      %[[TWO:.+]] = arith.constant 2 : index
// CHECK-NEXT:      %[[BOTH:.+]] = arith.muli %[[STEP]], %[[TWO]]
// CHECK-NEXT:      %[[SLOTS:.+]] = arith.constant 3 : i32
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[ZERO]], %[[REST]]
// CHECK-NEXT:      %[[WRAPS:.+]] = arith.cmpi uge, %[[NEXT]], %[[SLOTS]]
// CHECK-NEXT:      %[[BEHIND:.+]] = arith.subi %[[NEXT]], %[[SLOTS]]
// CHECK-NEXT:      %[[SLOT0:.+]] = arith.select %[[WRAPS]], %[[BEHIND]], %[[NEXT]]
// CHECK-NEXT:      %[[TURNED:.+]] = arith.extui %[[WRAPS]]
// CHECK-NEXT:      %[[ROUND:.+]] = arith.xori %[[TURNED]], %[[ODD]]
// CHECK-NEXT:      %[[PHASE0:.+]] = arith.xori %[[ZERO]], %[[ROUND]]
// CHECK-NEXT:      %[[SHUT:.+]] = arith.constant 0 : i32
// CHECK-NEXT:      scf.for %{{.+}} = %[[OWN]] to %[[COUNT]] step %[[BOTH]] iter_args({{.+}} = %[[SLOT0]], {{.+}} = %[[PHASE0]], %[[PARITY:.+]] = %[[SHUT]]) -> (i32, i32, i32) {
// CHECK:             %[[ME:.+]] = arith.constant 1 : i32
// CHECK-NEXT:        tile.mbarrier_wait %[[ORDER]][%[[ME]]] parity %[[PARITY]]
// CHECK:               scf.yield
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[OTHER:.+]] = arith.constant 0 : i32
// CHECK-NEXT:        tile.mbarrier_arrive %[[ORDER]][%[[OTHER]]] : !tile.mbarriers<2>
// CHECK-NEXT:        tile.await_dots pending 0
tile.kernel @gemm(%x: !view, %w: !view, %y: !out, %K: index) grid ["64"]
    attributes {dims = ["K"], threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 3 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  %xs = tile.alloc : !buffer
  %ws = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %k0 = tile.size "K"
  %first = tile.program_id 0
  %count = tile.size "64"
  %step = tile.num_programs 0
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %item = %first to %count step %step {
    %i, %j = tile.raster %item over ("8", "8") group "8"
    %row = arith.muli %i, %c64 : index
    %col = arith.muli %j, %c64 : index
    %sum = scf.for %k = %c0 to %k0 step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %x[%row, %k] : !view -> tensor<64x64xbf16>
      %b = tile.load %w[%col, %k] : !view -> tensor<64x64xbf16>
      tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
      tile.write_shared %b to %ws : tensor<64x64xbf16>, !buffer
      tile.barrier
      %next = tile.dot %xs, %ws transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %narrow = tile.convert %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
    tile.store %narrow to %y[%row, %col] : tensor<64x64xbf16>, !out
  }
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>
!out = !tile.view<[512, 64], f32>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!narrow = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// Two loops of products in an item, of a ring each: all of them are one turn of a
// role, whose two warpgroups arrive for it, and both rings skip the other's. Blocks of
// a cluster wait for the one role of each that took a slot.
// CHECK-LABEL: tile.kernel @two_loops(
// CHECK:         tile.init_mbarriers arrivals 1 : !tile.mbarriers<4>
// CHECK-NEXT:    %[[EMPTY1:.+]] = tile.init_mbarriers arrivals 4 : !tile.mbarriers<4>
// CHECK:         tile.init_mbarriers arrivals 1 : !tile.mbarriers<4>
// CHECK-NEXT:    %[[EMPTY2:.+]] = tile.init_mbarriers arrivals 2 : !tile.mbarriers<4>
// CHECK-NEXT:    %[[ORDER:.+]] = tile.init_mbarriers arrivals 2 : !tile.mbarriers<2>
// CHECK-NEXT:    tile.cluster_barrier
// CHECK:         tile.roles warps [4, 8, 8] threads [1, 256, 256] registers [32, 112, 112] {
// CHECK:         }, {
// CHECK-COUNT-2:   arith.ceildivui
// CHECK:           scf.for {{.+}}) -> (i32, i32, i32, i32, i32) {
// CHECK-NOT:         scf.for
// CHECK:             tile.mbarrier_wait %[[ORDER]]
// CHECK-NEXT:        %[[A:.+]]:4 = scf.for
// CHECK:             tile.await_dots pending 0, %[[A]]#0
// CHECK:             tile.mbarrier_arrive %[[EMPTY1]][%[[A]]#3] cluster if
// CHECK-NOT:         %[[ORDER]]
// CHECK:             %[[B:.+]]:4 = scf.for
// CHECK:             tile.mbarrier_arrive %[[ORDER]]
// CHECK-NEXT:        tile.await_dots pending 0, %[[B]]#0
// CHECK:             tile.mbarrier_arrive %[[EMPTY2]][%[[B]]#3] if
// CHECK:             arith.addi %[[A]]#1
// CHECK:             arith.addi %[[B]]#1
// CHECK:             scf.yield
// CHECK:         }, {
// CHECK:         tile.cluster_barrier
tile.kernel @two_loops(%x: !view, %w: !view, %y: !out) grid ["8"]
    attributes {threads = 640 : i64, wave = 32 : i64,
                schedule = {WARPS = 16 : i64, PRODUCERS = 4 : i64, STAGES = 4 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64, CLUSTER = 2 : i64}} {
  %xs = tile.alloc : !buffer
  %ws = tile.alloc : !narrow
  %us = tile.alloc : !buffer
  %vs = tile.alloc : !narrow
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %first = tile.cluster_id
  %rank = tile.cluster_rank
  %count = tile.size "4"
  %step = tile.size "2"
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  scf.for %item = %first to %count step %step {
    %row = arith.addi %item, %rank : index
    %p = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32>) {
      %a = tile.load %x[%row, %k] : !view -> tensor<128x64xbf16>
      %b = tile.load %w[%item, %k] : !view -> tensor<64x64xbf16>
      tile.write_shared %a to %xs : tensor<128x64xbf16>, !buffer
      tile.write_shared %b to %ws : tensor<64x64xbf16>, !narrow
      tile.barrier
      %next = tile.dot %xs, %ws transposed, %acc : !buffer, !narrow, tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    %q = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %p) -> (tensor<128x64xf32>) {
      %a = tile.load %x[%row, %k] : !view -> tensor<128x64xbf16>
      %b = tile.load %w[%row, %k] : !view -> tensor<64x64xbf16>
      tile.write_shared %a to %us : tensor<128x64xbf16>, !buffer
      tile.write_shared %b to %vs : tensor<64x64xbf16>, !narrow
      tile.barrier
      %next = tile.dot %us, %vs transposed, %acc : !buffer, !narrow, tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    tile.store %q to %y[%row, %c0] : tensor<128x64xf32>, !out
  }
  tile.return
}
