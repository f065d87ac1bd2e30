// RUN: lathe-opt %s --tile-specialize-warps --tile-pipeline-loops | FileCheck %s

// Operands that are widened on their way go through registers: all threads of the role
// that copies load a turn ahead, widen and write, and one says that the slot is full.
// CHECK-LABEL: tile.kernel @wider(
// CHECK-SAME:    %[[X:[^:]+]]: !tile.view<[M, K], f8E4M3FN>, %[[W:[^:]+]]:
// CHECK:         %[[XS:.+]] = tile.alloc : !tile.ring<3, <[128, 64], f16, <phases = 8, rows = 1>>>
// CHECK-NEXT:    %[[WS:.+]] = tile.alloc : !tile.ring<3, <[64, 64], f16, <phases = 8, rows = 1>>>
// CHECK-NEXT:    %[[FULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<3>
// CHECK-NEXT:    %[[EMPTY:.+]] = tile.init_mbarriers arrivals 2 : !tile.mbarriers<3>
// CHECK:         tile.roles warps [4, 8] threads [128, 256] registers [104, 200] {
// CHECK:           %[[X0:.+]] = tile.load %[[X]]
// CHECK-NEXT:      %[[W0:.+]] = tile.load %[[W]]
// CHECK-NEXT:      scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %[[STEP:.+]] iter_args(%[[SLOT:[^ ]+]] = %{{.+}}, %{{.+}} = %{{.+}}, %[[XT:.+]] = %[[X0]], %[[WT:.+]] = %[[W0]])
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[K]], %[[STEP]]
// CHECK-NEXT:        %[[X1:.+]] = tile.load %[[X]][%{{.+}}, %[[NEXT]]]
// CHECK-NEXT:        %[[W1:.+]] = tile.load %[[W]][%{{.+}}, %[[NEXT]]]
// CHECK:             tile.mbarrier_wait %[[EMPTY]][%[[SLOT]]]
// CHECK-NOT:         tile.mbarrier_expect
// CHECK:             %[[XWIDE:.+]] = tile.convert %[[XT]]
// CHECK-NEXT:        %[[TO_X:.+]] = tile.slot %[[XS]][%[[SLOT]]]
// CHECK-NEXT:        tile.write_shared %[[XWIDE]] to %[[TO_X]]
// CHECK-NEXT:        %[[WWIDE:.+]] = tile.convert %[[WT]]
// CHECK-NEXT:        %[[TO_W:.+]] = tile.slot %[[WS]][%[[SLOT]]]
// CHECK-NEXT:        tile.write_shared %[[WWIDE]] to %[[TO_W]]
// CHECK-NEXT:        tile.fence_async
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.mbarrier_arrive %[[FULL]][%[[SLOT]]]
// CHECK:             scf.yield %{{.+}}, %{{.+}}, %[[X1]], %[[W1]]
// CHECK:         }, {
// CHECK-NOT:       tile.load
// CHECK-NOT:       tile.convert
// CHECK:           tile.mbarrier_wait %[[FULL]]
// CHECK:           tile.dot
// CHECK:           tile.mbarrier_arrive %[[EMPTY]]
!x_buffer = !tile.shared<[128, 64], f16, <phases = 8, rows = 1>>
!w_buffer = !tile.shared<[64, 64], f16, <phases = 8, rows = 1>>
tile.kernel @wider(%x: !tile.view<[M, K], f8E4M3FN>, %w: !tile.view<[N, K], f8E4M3FN>, %y: !tile.view<[M, N], f32>,
                   %M: index, %N: index, %K: index) grid ["1"]
    attributes {dims = ["M", "N", "K"], threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 3 : i64}} {
  %xs = tile.alloc : !x_buffer
  %ws = tile.alloc : !w_buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %depth = tile.size "K"
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32>) {
    %a = tile.load %x[%c0, %k] : !tile.view<[M, K], f8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %b = tile.load %w[%c0, %k] : !tile.view<[N, K], f8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %aw = tile.convert %a : tensor<128x64xf8E4M3FN> -> tensor<128x64xf16>
    %bw = tile.convert %b : tensor<64x64xf8E4M3FN> -> tensor<64x64xf16>
    tile.barrier
    tile.write_shared %aw to %xs : tensor<128x64xf16>, !x_buffer
    tile.write_shared %bw to %ws : tensor<64x64xf16>, !w_buffer
    tile.barrier
    %next = tile.dot %xs, %ws transposed, %acc : !x_buffer, !w_buffer, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store %sum to %y[%c0, %c0] : tensor<128x64xf32>, !tile.view<[M, N], f32>
  tile.return
}
