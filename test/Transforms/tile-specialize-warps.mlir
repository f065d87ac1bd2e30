// RUN: lathe-opt %s --tile-specialize-warps --split-input-file | FileCheck %s

!x_view = !tile.view<[M, K], bf16, [XS, 1]>
!w_view = !tile.view<[N, K], bf16, [WS, 1]>
!y_view = !tile.view<[M, N], bf16, [YS, 1]>
!x_buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!w_buffer = !tile.shared<[256, 64], bf16, <phases = 8, rows = 1>>

// The producer has the loops and what places its copies; the ring goes on from one
// work item to the next. The consumer gives back the slot of the turn before.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME:    %[[X:.+]]: !tile.view<[M, K], bf16, [XS, 1]>, %[[W:.+]]: !tile.view<[N, K], bf16, [WS, 1]>, %[[Y:[^:]+]]:
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[PID:.+]] = tile.program_id 0
// CHECK-DAG:     %[[K:.+]] = tile.size "K"
// CHECK:         %[[XS:.+]] = tile.alloc : !tile.ring<3, <[128, 64], bf16, <phases = 8, rows = 1>>>
// CHECK-NEXT:    %[[WS:.+]] = tile.alloc : !tile.ring<3, <[256, 64], bf16, <phases = 8, rows = 1>>>
// CHECK-NEXT:    %[[FULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<3>
// CHECK-NEXT:    %[[EMPTY:.+]] = tile.init_mbarriers arrivals 2 : !tile.mbarriers<3>
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK-NEXT:    tile.roles warps [4, 8] threads [1, 256] registers [40, 232] {
// CHECK-NEXT:      scf.for %[[ITEM:.+]] = %[[PID]] to {{.+}} iter_args(%[[SLOT0:.+]] = %[[ZERO]], %[[PHASE0:.+]] = %[[ZERO]]) -> (i32, i32) {
// CHECK-NEXT:        %[[I:.+]], %[[J:.+]] = tile.raster %[[ITEM]]
// CHECK-NEXT:        %[[ROW:.+]] = arith.muli %[[I]]
// CHECK-NEXT:        %[[COLUMN:.+]] = arith.muli %[[J]]
// CHECK-NEXT:        %[[LOOP:.+]]:2 = scf.for %[[AT:.+]] = %[[C0]] to %[[K]] step {{.+}} iter_args(%[[SLOT:.+]] = %[[SLOT0]], %[[PHASE:.+]] = %[[PHASE0]]) -> (i32, i32) {
// CHECK:               %[[FREE:.+]] = arith.xori %[[PHASE]]
// CHECK-NEXT:          tile.mbarrier_wait %[[EMPTY]][%[[SLOT]]] parity %[[FREE]]
// CHECK-NEXT:          tile.mbarrier_expect %[[FULL]][%[[SLOT]]] bytes 49152
// CHECK-NEXT:          %[[TO_X:.+]] = tile.slot %[[XS]][%[[SLOT]]]
// CHECK-NEXT:          tile.copy_async %[[X]][%[[ROW]], %[[AT]]] to %[[TO_X]] signals %[[FULL]][%[[SLOT]]]
// CHECK-NEXT:          %[[TO_W:.+]] = tile.slot %[[WS]][%[[SLOT]]]
// CHECK-NEXT:          tile.copy_async %[[W]][%[[COLUMN]], %[[AT]]] to %[[TO_W]] signals %[[FULL]][%[[SLOT]]]
// CHECK:               %[[NEXT:.+]] = arith.addi %[[SLOT]]
// CHECK:               %[[WRAPS:.+]] = arith.cmpi eq, %[[NEXT]]
// CHECK:               %[[SLOT1:.+]] = arith.select %[[WRAPS]], %{{.+}}, %[[NEXT]]
// CHECK:               %[[PHASE1:.+]] = arith.xori %[[PHASE]]
// CHECK-NEXT:          scf.yield %[[SLOT1]], %[[PHASE1]] : i32, i32
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %[[LOOP]]#0, %[[LOOP]]#1 : i32, i32
// CHECK-NEXT:      }
// CHECK-NEXT:    }, {
// CHECK-NEXT:      %[[ZEROS:.+]] = arith.constant dense<0.0
// CHECK-NEXT:      scf.for {{.+}} iter_args(%[[SLOT0:.+]] = %[[ZERO]], %[[PHASE0:.+]] = %[[ZERO]]) -> (i32, i32) {
// CHECK:             %[[LOOP:.+]]:4 = scf.for %[[AT:.+]] = %[[C0]] to %[[K]] step {{.+}} iter_args(%[[ACC:.+]] = %[[ZEROS]], %[[SLOT:.+]] = %[[SLOT0]], %[[PHASE:.+]] = %[[PHASE0]], %[[LAST:.+]] = %[[ZERO]])
// CHECK-NEXT:          tile.mbarrier_wait %[[FULL]][%[[SLOT]]] parity %[[PHASE]]
// CHECK-NEXT:          %[[AT_X:.+]] = tile.slot %[[XS]][%[[SLOT]]]
// CHECK-NEXT:          %[[AT_W:.+]] = tile.slot %[[WS]][%[[SLOT]]]
// CHECK-NEXT:          %[[SUM:.+]] = tile.dot %[[AT_X]], %[[AT_W]] transposed, %[[ACC]] async
// CHECK-NEXT:          %[[RUNNING:.+]] = tile.await_dots pending 1, %[[SUM]]
// CHECK-NEXT:          %[[LATER:.+]] = arith.cmpi ne, %[[AT]], %[[C0]]
// CHECK-NEXT:          tile.mbarrier_arrive %[[EMPTY]][%[[LAST]]] if %[[LATER]]
// CHECK:               scf.yield %[[RUNNING]], %{{.+}}, %{{.+}}, %[[SLOT]]
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[DONE:.+]] = tile.await_dots pending 0, %[[LOOP]]#0
// CHECK-NEXT:        %[[ANY:.+]] = arith.cmpi slt, %[[C0]], %[[K]]
// CHECK-NEXT:        tile.mbarrier_arrive %[[EMPTY]][%[[LOOP]]#3] if %[[ANY]]
// CHECK-NEXT:        %[[NARROW:.+]] = tile.convert %[[DONE]]
// CHECK-NEXT:        tile.store %[[NARROW]] to %[[Y]]
// CHECK-NEXT:        scf.yield %[[LOOP]]#1, %[[LOOP]]#2
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    tile.return
tile.kernel @gemm(%x: !x_view, %w: !w_view, %y: !y_view, %M: index, %N: index, %K: index,
                  %XS: index, %WS: index, %YS: index) grid ["(M ceildiv 128) * (N ceildiv 256)"]
    attributes {dims = ["M", "N", "K", "XS", "WS", "YS"], threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 3 : i64}} {
  %xs = tile.alloc : !x_buffer
  %ws = tile.alloc : !w_buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %k0 = tile.size "K"
  %first = tile.program_id 0
  %count = tile.size "(M ceildiv 128) * (N ceildiv 256)"
  %step = tile.num_programs 0
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  scf.for %item = %first to %count step %step {
    %i, %j = tile.raster %item over ("M ceildiv 128", "N ceildiv 256") group "16"
    %row = arith.muli %i, %c128 : index
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

!x_view = !tile.view<[M, 256], f8E4M3FN>
!w_view = !tile.view<[64, 256], f8E4M3FN>
!x_buffer = !tile.shared<[64, 128], f8E4M3FN, <phases = 8, rows = 1>>

// A sum that its turn uses is waited for in the turn; so is the slot. What is not
// staged stays with the consumer; a load that two products share is copied once.
// CHECK-LABEL: tile.kernel @scaled(
// CHECK:         tile.init_mbarriers arrivals 1
// CHECK-NEXT:    tile.init_mbarriers arrivals 1
// CHECK-NEXT:    tile.barrier
// CHECK:         tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
// CHECK-NOT:       tile.load
// CHECK:           tile.mbarrier_expect %{{.+}} bytes 24576
// CHECK:           tile.copy_async
// CHECK:           tile.copy_async
// CHECK:           tile.copy_async
// CHECK-NOT:       tile.copy_async
// CHECK:         }, {
// CHECK:           scf.for %{{.+}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[SLOT:.+]] = %{{.+}}, %{{.+}} = %{{.+}}) -> (tensor<64x64xf32>, i32, i32) {
// CHECK-NEXT:        tile.load {{.+}} -> tensor<64x1xf32>
// CHECK:             tile.mbarrier_wait
// CHECK-NEXT:        %[[X:.+]] = tile.slot
// CHECK-NEXT:        %[[U:.+]] = tile.slot
// CHECK-NEXT:        %[[V:.+]] = tile.slot
// CHECK-NEXT:        %[[A:.+]] = tile.dot %[[X]], %[[U]] transposed, %{{.+}} async
// CHECK-NEXT:        %[[B:.+]] = tile.dot %[[X]], %[[V]] transposed, %{{.+}} async
// CHECK-NEXT:        %[[A0:.+]] = tile.await_dots pending 0, %[[A]]
// CHECK-NEXT:        %[[B0:.+]] = tile.await_dots pending 0, %[[B]]
// CHECK-NEXT:        tile.mbarrier_arrive %{{.+}}[%[[SLOT]]] : !tile.mbarriers<2>
// CHECK:             arith.mulf %[[A0]], %[[B0]]
// CHECK-NOT:       tile.await_dots
// CHECK:         tile.return
tile.kernel @scaled(%x: !x_view, %u: !w_view, %v: !w_view, %s: !tile.view<[M, 1], f32>,
                    %y: !tile.view<[M, 64], f32>, %M: index) grid ["M ceildiv 64"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64,
                schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %x1 = tile.alloc : !x_buffer
  %x2 = tile.alloc : !x_buffer
  %us = tile.alloc : !x_buffer
  %vs = tile.alloc : !x_buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %i = tile.program_id 0
  %row = arith.muli %i, %c64 : index
  %sum = scf.for %k = %c0 to %c256 step %c128 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %scale = tile.load %s[%row, %c0] : !tile.view<[M, 1], f32> -> tensor<64x1xf32>
    %column = tile.reduce <add> %scale along 1 : tensor<64x1xf32> -> tensor<64xf32>
    %scales = tile.broadcast %column along 1 : tensor<64xf32> -> tensor<64x64xf32>
    %a = tile.load %x[%row, %k] : !x_view -> tensor<64x128xf8E4M3FN>
    %b = tile.load %u[%c0, %k] : !w_view -> tensor<64x128xf8E4M3FN>
    %c = tile.load %v[%c0, %k] : !w_view -> tensor<64x128xf8E4M3FN>
    tile.barrier
    tile.write_shared %a to %x1 : tensor<64x128xf8E4M3FN>, !x_buffer
    tile.write_shared %b to %us : tensor<64x128xf8E4M3FN>, !x_buffer
    tile.barrier
    %p = tile.dot %x1, %us transposed, %zero : !x_buffer, !x_buffer, tensor<64x64xf32>
    tile.barrier
    tile.write_shared %a to %x2 : tensor<64x128xf8E4M3FN>, !x_buffer
    tile.write_shared %c to %vs : tensor<64x128xf8E4M3FN>, !x_buffer
    tile.barrier
    %q = tile.dot %x2, %vs transposed, %zero : !x_buffer, !x_buffer, tensor<64x64xf32>
    %pq = arith.mulf %p, %q : tensor<64x64xf32>
    %scaled = arith.mulf %pq, %scales : tensor<64x64xf32>
    %next = arith.addf %acc, %scaled : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum to %y[%row, %c0] : tensor<64x64xf32>, !tile.view<[M, 64], f32>
  tile.return
}

// -----

!view = !tile.view<[M, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// Straight lines take a turn too, and branches carry the ring. Two products in a
// chain are waited for once.
// CHECK-LABEL: tile.kernel @branch(
// CHECK:         tile.roles warps [4, 12] threads [1, 384] registers [32, 160] {
// CHECK:           scf.for %{{.+}} iter_args(%[[SLOT:.+]] = %{{.+}}, %[[PHASE:.+]] = %{{.+}}) -> (i32, i32) {
// CHECK:             scf.if %{{.+}} -> (i32, i32) {
// CHECK:               tile.copy_async
// CHECK:               scf.yield
// CHECK:             } else {
// CHECK-NEXT:          scf.yield %[[SLOT]], %[[PHASE]]
// CHECK:         }, {
// CHECK:           scf.if %{{.+}} -> (tensor<192x64xf32>, i32, i32) {
// CHECK:             %[[A:.+]] = tile.dot {{.+}} async
// CHECK-NEXT:        %[[B:.+]] = tile.dot %{{.+}}, %{{.+}}, %[[A]] async
// CHECK-NEXT:        %[[SUM:.+]] = tile.await_dots pending 0, %[[B]]
// CHECK-NEXT:        tile.mbarrier_arrive
// CHECK:             scf.yield %[[SUM]]
!rows = !tile.shared<[192, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @branch(%x: !view, %w: !view, %y: !tile.view<[M, 64], f32>, %M: index)
    grid ["M ceildiv 192"]
    attributes {dims = ["M"], threads = 512 : i64, wave = 32 : i64,
                schedule = {WARPS = 12 : i64, PRODUCERS = 4 : i64, STAGES = 4 : i64}} {
  %x1 = tile.alloc : !rows
  %w1 = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c192 = arith.constant 192 : index
  %zero = arith.constant dense<0.0> : tensor<192x64xf32>
  %first = tile.program_id 0
  %count = tile.size "M ceildiv 192"
  %step = tile.num_programs 0
  scf.for %i = %first to %count step %step {
    %row = arith.muli %i, %c192 : index
    %some = arith.cmpi slt, %row, %M : index
    %sum = scf.if %some -> (tensor<192x64xf32>) {
      %a = tile.load %x[%row, %c0] : !view -> tensor<192x64xbf16>
      %b = tile.load %w[%c0, %c0] : !view -> tensor<64x64xbf16>
      tile.barrier
      tile.write_shared %a to %x1 : tensor<192x64xbf16>, !rows
      tile.write_shared %b to %w1 : tensor<64x64xbf16>, !buffer
      tile.barrier
      %p = tile.dot %x1, %w1 transposed, %zero : !rows, !buffer, tensor<192x64xf32>
      %q = tile.dot %x1, %w1, %p : !rows, !buffer, tensor<192x64xf32>
      scf.yield %q : tensor<192x64xf32>
    } else {
      scf.yield %zero : tensor<192x64xf32>
    }
    tile.store %sum to %y[%row, %c0] : tensor<192x64xf32>, !tile.view<[M, 64], f32>
  }
  tile.return
}

// -----

// Other schedules stay as they are.
// CHECK-LABEL: tile.kernel @no_producers(
// CHECK-NOT:     tile.roles
tile.kernel @no_producers(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {PRODUCERS = 0 : i64, STAGES = 3 : i64}} {
  tile.return
}
