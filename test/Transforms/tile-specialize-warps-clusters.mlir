// RUN: lathe-opt %s --tile-specialize-warps --split-input-file | FileCheck %s

!x_view = !tile.view<[M, K], bf16, [XS, 1]>
!w_view = !tile.view<[N, K], bf16, [WS, 1]>
!y_view = !tile.view<[M, N], bf16, [YS, 1]>
!x_buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!w_buffer = !tile.shared<[256, 64], bf16, <phases = 8, rows = 1>>

// Both blocks of a cluster take the same rows of w, each brings half of them to both;
// their rows of x lie below each other. A slot is empty when both blocks' warpgroups
// say so, and the cluster meets before the first copy and after the last.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME:    %[[X:[^:]+]]: !tile.view<[M, K], bf16, [XS, 1]>, %[[W:[^:]+]]:
// CHECK-DAG:     %[[CLUSTER:.+]] = tile.cluster_id
// CHECK-DAG:     %[[RANK:.+]] = tile.cluster_rank
// CHECK:         %[[XS:.+]] = tile.alloc : !tile.ring<3, <[128, 64]
// CHECK-NEXT:    %[[WS:.+]] = tile.alloc : !tile.ring<3, <[256, 64]
// CHECK-NEXT:    %[[FULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<3>
// CHECK-NEXT:    %[[EMPTY:.+]] = tile.init_mbarriers arrivals 4 : !tile.mbarriers<3>
// CHECK-NEXT:    tile.cluster_barrier
// CHECK-NEXT:    %{{.+}} = arith.constant 0 : i32
// CHECK-NEXT:    tile.roles warps [4, 8] threads [1, 256] registers [40, 232] {
// CHECK-NEXT:      scf.for %[[ITEM:.+]] = %[[CLUSTER]] to
// CHECK-NEXT:        %[[I:.+]], %[[J:.+]] = tile.raster %[[ITEM]]
// CHECK-NEXT:        %[[ABOVE:.+]] = arith.muli %[[I]]
// CHECK-NEXT:        %[[BELOW:.+]] = arith.muli %[[RANK]]
// CHECK-NEXT:        %[[ROW:.+]] = arith.addi %[[ABOVE]], %[[BELOW]]
// CHECK-NEXT:        %[[COLUMN:.+]] = arith.muli %[[J]]
// CHECK-NEXT:        scf.for %[[AT:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[SLOT:[^ ]+]] =
// CHECK:               tile.mbarrier_wait %[[EMPTY]][%[[SLOT]]]
// CHECK-NEXT:          tile.mbarrier_expect %[[FULL]][%[[SLOT]]] bytes 49152
// CHECK-NEXT:          %[[TO_X:.+]] = tile.slot %[[XS]][%[[SLOT]]]
// CHECK-NEXT:          tile.copy_async %[[X]][%[[ROW]], %[[AT]]] to %[[TO_X]] signals %[[FULL]][%[[SLOT]]] :
// CHECK-NEXT:          %[[TO_W:.+]] = tile.slot %[[WS]][%[[SLOT]]]
// CHECK-NEXT:          tile.copy_async %[[W]][%[[COLUMN]], %[[AT]]] to %[[TO_W]] signals %[[FULL]][%[[SLOT]]] multicast :
// CHECK:         }, {
// CHECK:             %[[LOOP:.+]]:4 = scf.for {{.+}}, %[[LAST:[^ ]+]] = %{{.+}}) -> (tensor<128x256xf32>, i32, i32, i32) {
// CHECK:               %[[LATER:.+]] = arith.cmpi ne
// CHECK-NEXT:          tile.mbarrier_arrive %[[EMPTY]][%[[LAST]]] cluster if %[[LATER]]
// CHECK:             %[[ANY:.+]] = arith.cmpi slt
// CHECK-NEXT:        tile.mbarrier_arrive %[[EMPTY]][%[[LOOP]]#3] cluster if %[[ANY]]
// CHECK-NOT:         tile.mbarrier_arrive
// CHECK:           }
// CHECK-NEXT:    }
// CHECK-NEXT:    tile.cluster_barrier
// CHECK-NEXT:    tile.return
tile.kernel @gemm(%x: !x_view, %w: !w_view, %y: !y_view, %M: index, %N: index, %K: index,
                  %XS: index, %WS: index, %YS: index) grid ["(M ceildiv 256) * (N ceildiv 256) * 2"]
    attributes {dims = ["M", "N", "K", "XS", "WS", "YS"], threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 3 : i64, CLUSTER = 2 : i64}} {
  %xs = tile.alloc : !x_buffer
  %ws = tile.alloc : !w_buffer
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %k0 = tile.size "K"
  %first = tile.cluster_id
  %rank = tile.cluster_rank
  %count = tile.size "(M ceildiv 256) * (N ceildiv 256)"
  %blocks = tile.num_programs 0
  %step = arith.divui %blocks, %c2 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  scf.for %item = %first to %count step %step {
    %i, %j = tile.raster %item over ("M ceildiv 256", "N ceildiv 256") group "16"
    %above = arith.muli %i, %c256 : index
    %below = arith.muli %rank, %c128 : index
    %row = arith.addi %above, %below : index
    %col = arith.muli %j, %c256 : index
    %sum = scf.for %k = %c0 to %k0 step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %x[%row, %k] : !x_view -> tensor<128x64xbf16>
      %b = tile.load %w[%col, %k] : !w_view -> tensor<256x64xbf16>
      tile.barrier
      tile.write_shared %a to %xs : tensor<128x64xbf16>, !x_buffer
      tile.write_shared %b to %ws : tensor<256x64xbf16>, !w_buffer
      tile.barrier
      %next = tile.dot %xs, %ws transposed, %acc : !x_buffer, !w_buffer, tensor<128x256xf32>
      scf.yield %next : tensor<128x256xf32>
    }
    %narrow = tile.convert %sum : tensor<128x256xf32> -> tensor<128x256xbf16>
    tile.store %narrow to %y[%row, %col] : tensor<128x256xbf16>, !y_view
  }
  tile.return
}

// -----

!view = !tile.view<[M, 256], bf16>
!out = !tile.view<[M, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// All places are the same here: a turn that waits for its products gives back its own
// slot, to four blocks.
// CHECK-LABEL: tile.kernel @turn(
// CHECK:         tile.init_mbarriers arrivals 1 :
// CHECK-NEXT:    %[[EMPTY:.+]] = tile.init_mbarriers arrivals 4 :
// CHECK-NEXT:    tile.cluster_barrier
// CHECK:           tile.copy_async {{.+}} multicast
// CHECK:           tile.copy_async {{.+}} multicast
// CHECK:         }, {
// CHECK:           tile.await_dots pending 0
// CHECK-NEXT:      tile.mbarrier_arrive %[[EMPTY]][%{{.+}}] cluster :
// CHECK:         tile.cluster_barrier
tile.kernel @turn(%x: !view, %y: !out, %M: index) grid ["4"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64,
                schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, CLUSTER = 4 : i64}} {
  %xs = tile.alloc : !buffer
  %ws = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  %b = tile.load %x[%c0, %c64] : !view -> tensor<64x64xbf16>
  tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
  tile.write_shared %b to %ws : tensor<64x64xbf16>, !buffer
  tile.barrier
  %sum = tile.dot %xs, %ws transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
  tile.store %sum to %y[%c0, %c0] : tensor<64x64xf32>, !out
  tile.return
}

// -----

!view = !tile.view<[M, 256], bf16>
!out = !tile.view<[M, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// Blocks that take a part of K each are never at the same place.
// CHECK-LABEL: tile.kernel @depth(
// CHECK:         tile.init_mbarriers arrivals 1 :
// CHECK-NEXT:    tile.init_mbarriers arrivals 1 :
// CHECK-NEXT:    tile.barrier
// CHECK-NOT:     multicast
// CHECK-NOT:     tile.mbarrier_arrive {{.+}} cluster
// CHECK-NOT:     tile.cluster_barrier
// CHECK:         tile.return
tile.kernel @depth(%x: !view, %w: !view, %y: !out, %M: index) grid ["2"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64,
                schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, CLUSTER = 2 : i64}} {
  %xs = tile.alloc : !buffer
  %ws = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rank = tile.cluster_rank
  %first = arith.muli %rank, %c128 : index
  %end = arith.addi %first, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %first to %end step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %x[%c0, %k] : !view -> tensor<64x64xbf16>
    %b = tile.load %w[%c0, %k] : !view -> tensor<64x64xbf16>
    tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
    tile.write_shared %b to %ws : tensor<64x64xbf16>, !buffer
    tile.barrier
    %next = tile.dot %xs, %ws transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum to %y[%c0, %c0] : tensor<64x64xf32>, !out
  tile.return
}

// -----

!view = !tile.view<[M, 256], bf16>
!out = !tile.view<[M, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// The same places, but not all blocks may be there, or not as often: only the last
// block takes the branch, and the steps go by the number of a block.
// CHECK-LABEL: tile.kernel @branch(
// CHECK:         tile.barrier
// CHECK-NOT:     multicast
// CHECK-NOT:     cluster_barrier
// CHECK-LABEL: tile.kernel @steps(
// CHECK:         tile.barrier
// CHECK-NOT:     multicast
// CHECK-NOT:     cluster_barrier
// CHECK:         tile.return
tile.kernel @branch(%x: !view, %w: !view, %y: !out, %M: index) grid ["2"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64,
                schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, CLUSTER = 2 : i64}} {
  %xs = tile.alloc : !buffer
  %ws = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %rank = tile.cluster_rank
  %last = arith.cmpi ne, %rank, %c0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %some = scf.if %last -> (tensor<64x64xf32>) {
    %sum = scf.for %k = %c0 to %c256 step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %x[%c0, %k] : !view -> tensor<64x64xbf16>
      %b = tile.load %w[%c0, %k] : !view -> tensor<64x64xbf16>
      tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
      tile.write_shared %b to %ws : tensor<64x64xbf16>, !buffer
      tile.barrier
      %next = tile.dot %xs, %ws transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    scf.yield %sum : tensor<64x64xf32>
  } else {
    scf.yield %zero : tensor<64x64xf32>
  }
  tile.store %some to %y[%c0, %c0] : tensor<64x64xf32>, !out
  tile.return
}
tile.kernel @steps(%x: !view, %w: !view, %y: !out, %M: index) grid ["2"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64,
                schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, CLUSTER = 2 : i64}} {
  %xs = tile.alloc : !buffer
  %ws = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tile.program_id 0
  %count = tile.size "M ceildiv 64"
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %item = %first to %count step %c1 {
    %a = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
    %b = tile.load %w[%c0, %c0] : !view -> tensor<64x64xbf16>
    tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
    tile.write_shared %b to %ws : tensor<64x64xbf16>, !buffer
    tile.barrier
    %sum = tile.dot %xs, %ws transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
    tile.store %sum to %y[%item, %c0] : tensor<64x64xf32>, !out
  }
  tile.return
}

// -----

!view = !tile.view<[M, 256], bf16>
!out = !tile.view<[M, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!narrow = !tile.shared<[24, 64], bf16, <phases = 8, rows = 1>>

// Rows that are not two times eight stay each block's own.
// CHECK-LABEL: tile.kernel @rows(
// CHECK-SAME:    %[[X:[^:]+]]: !tile.view<[M, 256], bf16>, %[[W:[^:]+]]:
// CHECK:         tile.cluster_barrier
// CHECK:           tile.copy_async %[[X]]{{.+}} multicast :
// CHECK:           tile.copy_async %[[W]][%{{.+}}, %{{.+}}] to %{{.+}} signals %{{.+}}[%{{[^ ]+}}] :
tile.kernel @rows(%x: !view, %w: !view, %y: !out, %M: index) grid ["2"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64,
                schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, CLUSTER = 2 : i64}} {
  %xs = tile.alloc : !buffer
  %ws = tile.alloc : !narrow
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x24xf32>
  %a = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  %b = tile.load %w[%c0, %c0] : !view -> tensor<24x64xbf16>
  tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
  tile.write_shared %b to %ws : tensor<24x64xbf16>, !narrow
  tile.barrier
  %sum = tile.dot %xs, %ws transposed, %zero : !buffer, !narrow, tensor<64x24xf32>
  tile.store %sum to %y[%c0, %c0] : tensor<64x24xf32>, !out
  tile.return
}
