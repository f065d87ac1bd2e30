// RUN: lathe-opt %s --convert-tile-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Four lanes of four warps have a row: lanes by shuffles, then the first of them leaves
// what each row of its warp has beside that of the others, who all add up in one order.
// CHECK-LABEL: gpu.func @across(
// CHECK-SAME:    workgroup(%[[BUFFER:.+]] : memref<64xf32
// CHECK:         %[[QUAD:.+]] = arith.divui %[[TID:.+]], %c4
// CHECK-NEXT:    %[[ROW:.+]] = arith.remui %[[QUAD]], %c8
// CHECK-NEXT:    %[[WARP:.+]] = arith.divui %[[TID]], %c32
// CHECK:         %[[LANE:.+]] = arith.remui %[[TID]], %c4
// CHECK:         %[[HIGH:.+]] = gpu.subgroup_reduce add %{{.+}} cluster(size = 4)
// CHECK-NEXT:    %[[LOW:.+]] = gpu.subgroup_reduce add %{{.+}} cluster(size = 4)
// CHECK-NEXT:    %[[LINE:.+]] = arith.muli %[[ROW]], %c4
// CHECK-NEXT:    %[[FIRST:.+]] = arith.cmpi eq, %[[LANE]], %c0
// CHECK-NEXT:    scf.if %[[FIRST]] {
// CHECK-NEXT:      %[[MINE:.+]] = arith.addi %[[LINE]], %[[WARP]]
// CHECK-NEXT:      memref.store %[[HIGH]], %[[BUFFER]][%[[MINE]]]
// CHECK-NEXT:      %[[BELOW:.+]] = arith.addi %[[MINE]], %c32
// CHECK-NEXT:      memref.store %[[LOW]], %[[BUFFER]][%[[BELOW]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %[[A:.+]] = memref.load %[[BUFFER]][%[[LINE]]]
// CHECK-COUNT-3: memref.load
// CHECK:         arith.addi %[[LINE]], %c32
!sum = tensor<16x64xf32, #tile.mma<m16n8, warps = [1, 4]>>
!rows = tensor<16xf32, #tile.slice<1, #tile.mma<m16n8, warps = [1, 4]>>>
tile.kernel @across(%x: !tile.view<[16], f32>, %z: f32) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c = tile.splat %z : f32 -> !sum
  %r = tile.reduce <add> %c along 1 : !sum -> !rows
  tile.store %r to %x[%c0] : !rows, !tile.view<[16], f32>
  tile.return
}

// -----

// Of a grid of two by two warps those side by side share rows.
// CHECK-LABEL: gpu.func @grid(
// CHECK:         memref.store
// CHECK:         gpu.barrier
// CHECK-NEXT:    %[[GROUP:.+]] = arith.muli %{{.+}}, %c2
// CHECK-NEXT:    %[[FROM:.+]] = arith.addi %{{.+}}, %[[GROUP]]
// CHECK-NEXT:    memref.load %{{.+}}[%[[FROM]]]
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addi %[[GROUP]], %c1
// CHECK-NEXT:    %[[TO:.+]] = arith.addi %{{.+}}, %[[NEXT]]
// CHECK-NEXT:    memref.load %{{.+}}[%[[TO]]]
!sum = tensor<32x16xf32, #tile.mma<m16n8, warps = [2, 2]>>
!rows = tensor<32xf32, #tile.slice<1, #tile.mma<m16n8, warps = [2, 2]>>>
tile.kernel @grid(%x: !tile.view<[32], f32>, %z: f32) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c = tile.splat %z : f32 -> !sum
  %r = tile.reduce <max> %c along 1 : !sum -> !rows
  tile.store %r to %x[%c0] : !rows, !tile.view<[32], f32>
  tile.return
}

// -----

// A warp with one fragment and many steps of K sums them in four chains.
// CHECK-LABEL: gpu.func @chains(
// CHECK:         %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-COUNT-3: "llvm.nvvm.mma.m16n8k16.row.col.bf16"({{.+}}, %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]])
// CHECK-COUNT-12: "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-COUNT-12: arith.addf
// CHECK-NOT:     arith.addf
// CHECK-LABEL: gpu.func @chain(
// CHECK-COUNT-7: "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-NOT:     arith.addf
!a = !tile.shared<[16, 256], bf16, <phases = 8, rows = 1>, panel = 64>
!b = !tile.shared<[8, 256], bf16, <phases = 8, rows = 1>, panel = 64>
!sum = tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1]>>
tile.kernel @chains(%x: !tile.view<[16, 8], f32>, %z: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, shared_bytes = 12288 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc at 0 : !a
  %b = tile.alloc at 8192 : !b
  %c = tile.splat %z : f32 -> !sum
  %s = tile.dot %a, %b transposed, %c : !a, !b, !sum
  tile.store %s to %x[%c0, %c0] : !sum, !tile.view<[16, 8], f32>
  tile.return
}
tile.kernel @chain(%x: !tile.view<[16, 8], f32>, %z: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, shared_bytes = 12288 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc at 0 : !a
  %b = tile.alloc at 8192 : !b
  %c = tile.splat %z : f32 -> !sum
  %s = tile.dot %a, %b transposed, %c depth "112" : !a, !b, !sum
  tile.store %s to %x[%c0, %c0] : !sum, !tile.view<[16, 8], f32>
  tile.return
}

// -----

// A thread for each line that 40 elements may lie in, the last for the last element.
// CHECK-LABEL: gpu.func @line(
// CHECK:         %[[LINE:.+]] = arith.muli %[[TID:.+]], %c32
// CHECK-NEXT:    %[[MORE:.+]] = arith.minui %[[LINE]], %c39
// CHECK-NEXT:    %[[ASKS:.+]] = arith.cmpi ult, %[[TID]], %c3
// CHECK:         %[[AT:.+]] = arith.addi %[[MORE]], %c8
// CHECK-NEXT:    %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %arg1
// CHECK-NEXT:    %[[DOES:.+]] = arith.andi %{{.+}}, %[[INSIDE]]
// CHECK-NEXT:    scf.if %[[DOES]] {
// CHECK:           llvm.call_intrinsic "llvm.nvvm.prefetch.global.L1"
tile.kernel @line(%x: !tile.view<[4, MB], i32>, %MB: index) grid ["4"]
    attributes {dims = ["MB"], threads = 64 : i64, wave = 32 : i64} {
  %c8 = arith.constant 8 : index
  %s = tile.program_id 0
  tile.prefetch_elements %x[%s, %c8] count "40" : !tile.view<[4, MB], i32>
  tile.return
}

// -----

// CHECK-LABEL: gpu.func @no_line(
// CHECK-NOT:     prefetch
tile.kernel @no_line(%x: !tile.view<[4, MB], i32>, %MB: index) grid ["4"]
    attributes {dims = ["MB"], threads = 64 : i64, wave = 64 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.program_id 0
  tile.prefetch_elements %x[%s, %c0] count "40" : !tile.view<[4, MB], i32>
  tile.return
}

// -----

tile.kernel @open(%x: !tile.view<[4, MB], i32>, %MB: index) grid ["4"]
    attributes {dims = ["MB"], threads = 64 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.program_id 0
  // expected-error@+1 {{asks for 'MB' elements, expected a constant}}
  tile.prefetch_elements %x[%s, %c0] count "MB" : !tile.view<[4, MB], i32>
  tile.return
}

// -----

// Who has a row first leaves its logarithm below the tile. All then weigh both blocks' by
// them, relative to the greater.
// CHECK-LABEL: gpu.func @weighted(
// CHECK:         llvm.store %{{.+}} {alignment = 16 : i64}
// CHECK:         %[[OWN:.+]] = arith.cmpi eq, %{{.+}}, %c0
// CHECK-NEXT:    scf.if %[[OWN]] {
// CHECK-NEXT:      %[[PLACE:.+]] = arith.muli %{{.+}}, %c4
// CHECK-NEXT:      arith.addi %[[PLACE]], %c1024
// CHECK:           llvm.store %arg2
// CHECK:         "llvm.nvvm.barrier.cluster.wait.aligned"
// CHECK:         %[[A:.+]] = vector.extract %{{.+}}[0] : f32 from vector<1xf32>
// CHECK:         %[[B:.+]] = vector.extract %{{.+}}[0] : f32 from vector<1xf32>
// CHECK-NEXT:    %[[MAX:.+]] = arith.maximumf %[[A]], %[[B]]
// CHECK-NEXT:    %[[NONE:.+]] = arith.cmpf oeq, %[[MAX]], %{{.+}}
// CHECK-NEXT:    %[[BASE:.+]] = arith.select %[[NONE]], %{{.+}}, %[[MAX]]
// CHECK-NEXT:    %[[LA:.+]] = arith.subf %[[A]], %[[BASE]]
// CHECK-NEXT:    %[[WA:.+]] = math.exp2 %[[LA]]
// CHECK-NEXT:    %[[LB:.+]] = arith.subf %[[B]], %[[BASE]]
// CHECK-NEXT:    %[[WB:.+]] = math.exp2 %[[LB]]
// CHECK-NEXT:    %[[ALL:.+]] = arith.addf %[[WA]], %[[WB]]
// CHECK-NEXT:    %[[INVERSE:.+]] = arith.divf %{{.+}}, %[[ALL]]
// CHECK-NEXT:    %[[SA:.+]] = arith.mulf %[[WA]], %[[INVERSE]]
// CHECK-NEXT:    %[[SB:.+]] = arith.mulf %[[WB]], %[[INVERSE]]
// CHECK:         vector.broadcast %[[SA]]
// CHECK:         vector.broadcast %[[SB]]
// CHECK:         "llvm.nvvm.barrier.cluster.wait.aligned"
!logs = tensor<8xf32, #tile.slice<1, #tile.blocked<vector = [1, 4], threads = [4, 8]>>>
!tile = tensor<8x32xf32, #tile.blocked<vector = [1, 4], threads = [4, 8]>>
!half = tensor<4x32xf32, #tile.blocked<vector = [1, 4], threads = [4, 8]>>
!buffer = !tile.shared<[16, 32], f32, <phases = 8, rows = 1>>
tile.kernel @weighted(%y: !tile.view<[4, 32], f32>, %s: f32, %l: f32) grid ["2"]
    attributes {threads = 32 : i64, wave = 32 : i64, shared_bytes = 2048 : i64, schedule = {CLUSTER = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %b = tile.alloc at 0 : !buffer
  %t = tile.splat %s : f32 -> !tile
  %logs = tile.splat %l : f32 -> !logs
  %mean = tile.cluster_reduce %t weighted %logs along 0 through %b : !tile by !logs, !buffer -> !half
  tile.store %mean to %y[%c0, %c0] : !half, !tile.view<[4, 32], f32>
  tile.return
}

// -----

// Blocks that meet again need not wait for each other before that.
// CHECK-LABEL: gpu.func @twice(
// CHECK-COUNT-3: "llvm.nvvm.barrier.cluster.arrive.aligned"
// CHECK-NOT:     "llvm.nvvm.barrier.cluster.arrive.aligned"
!tile = tensor<8x32xf32, #tile.blocked<vector = [1, 4], threads = [4, 8]>>
!buffer = !tile.shared<[8, 32], f32, <phases = 8, rows = 1>>
tile.kernel @twice(%y: !tile.view<[8, 32], f32>, %s: f32) grid ["2"]
    attributes {threads = 32 : i64, wave = 32 : i64, shared_bytes = 2048 : i64, schedule = {CLUSTER = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc at 0 : !buffer
  %b = tile.alloc at 1024 : !buffer
  %t = tile.splat %s : f32 -> !tile
  %once = tile.cluster_reduce %t through %a : !tile, !buffer -> !tile
  %again = tile.cluster_reduce %once through %b : !tile, !buffer -> !tile
  tile.store %again to %y[%c0, %c0] : !tile, !tile.view<[8, 32], f32>
  tile.return
}
