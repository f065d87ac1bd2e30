// RUN: lathe-opt %s --tile-plan-shared --convert-tile-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// A page with all its panels is one box of five dimensions: columns of a panel, rows of a
// band, panels, bands, heads. A prefetch asks for the same boxes.
// CHECK-LABEL: gpu.func @pages(
// CHECK-SAME:    tile.tensor_maps = [#tile.tensor_map<operand = 0, bf16, extents = [64, 8, 2, 128, H], strides = [H * 128 * 2, 128, H * 128 * 8 * 2, 256], box = [64, 8, 2, 2, 1], swizzle = 128>]
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.prefetch.tile.5d"
// CHECK-NOT:     prefetch
// CHECK:         llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.5d"
// CHECK:         llvm.getelementptr inbounds %{{.+}}[4096]
// CHECK:         llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.5d"
// CHECK-NOT:     g2s
!view = !tile.view<[1024, H, 128], bf16>
!table = !tile.view<[2, 4], i32>
!buffer = !tile.shared<[32, 128], bf16, <phases = 8, rows = 1>, panel = 64, band = 8>
tile.kernel @pages(%x: !view, %t: !table, %H: index) grid ["2"]
    attributes {dims = ["H"], threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0 : i32
  %s = tile.program_id 0
  %at = arith.muli %s, %c32 : index
  %b = tile.alloc : !buffer
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    tile.prefetch %x[%at, %c0, %c0] along [0, 2] through %t[%s] pages "16" for !buffer : !view through !table
    tile.copy_async %x[%at, %c0, %c0] along [0, 2] through %t[%s] pages "16" to %b signals %full[%z] : !view through !table, !buffer, !tile.mbarriers<1>
  }, {
  }
  tile.return
}

// -----

!view = !tile.view<[1024, 96], bf16>
!table = !tile.view<[2, 4], i32>
!buffer = !tile.shared<[32, 128], bf16, <phases = 8, rows = 1>, panel = 64, band = 8>
tile.kernel @half_panels(%x: !view, %t: !table) grid ["2"] attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.alloc : !buffer
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    // expected-error@+1 {{TMA cannot write bands of '!tile.shared<[32, 128], bf16, <phases = 8, rows = 1>, panel = 64, band = 8>' from '!tile.view<[1024, 96], bf16>', expected up to three dimensions, rows of whole panels and boxes of whole bands}}
    tile.copy_async %x[%c0, %c0] through %t[%c0] pages "16" to %b signals %full[%z] : !view through !table, !buffer, !tile.mbarriers<1>
  }, {
  }
  tile.return
}

// -----

// Teams number their threads, warpgroups and barriers each from its own first.
// CHECK-LABEL: gpu.func @teams(
// CHECK:         %[[GROUP:.+]] = arith.divui %{{.+}}, %c128_i32
// CHECK:         %[[OF_BLOCK:.+]] = llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"(%{{.+}}, %[[GROUP]]
// CHECK:         } else {
// CHECK:           %[[BARRIER:.+]] = arith.addi %[[OF_BLOCK]], %c1_i32
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%[[BARRIER]], %c128_i32)
tile.kernel @teams() grid ["1"] attributes {threads = 384 : i64, wave = 32 : i64} {
  tile.roles warps [4, 8] threads [1, 128] teams [1, 2] registers [0, 0] {
  }, {
    tile.barrier
  }
  tile.return
}

// -----

// Rows of b from a place on: where the buffer begins for this product.
// CHECK-LABEL: gpu.func @part(
// CHECK-SAME:    %[[I:[^:]+]]: i32)
// CHECK:         %[[BYTES:.+]] = arith.muli %[[I]], %c512_i32
// CHECK:         %[[FROM:.+]] = llvm.getelementptr inbounds %{{.+}}[%[[BYTES]]]
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ldmatrix
!part = !tile.shared<[16, 32], bf16, <phases = 4, rows = 2>>
!whole = !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
!sum = tensor<16x16xf32, #tile.mma<m16n8, warps = [1, 1]>>
tile.kernel @part(%y: !tile.view<[16, 16], f32>, %i: i32) grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : i32
  %z = arith.constant 0.0 : f32
  %a = tile.alloc : !part
  %b = tile.alloc : !whole
  %zero = tile.splat %z : f32 -> !sum
  %first = arith.muli %i, %c8 : i32
  %s = tile.dot %a, %b transposed from %first, %zero : !part, !whole, !sum
  tile.store %s to %y[%c0, %c0] : !sum, !tile.view<[16, 16], f32>
  tile.return
}

// -----

!part = !tile.shared<[16, 32], bf16, <phases = 4, rows = 2>>
!whole = !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
!sum = tensor<16x16xf32, #tile.mma<m16n8, warps = [1, 1]>>
tile.kernel @anywhere(%y: !tile.view<[16, 16], f32>, %i: i32) grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %z = arith.constant 0.0 : f32
  %a = tile.alloc : !part
  %b = tile.alloc : !whole
  %zero = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{multiplies b from a row on that is a multiple of 1, expected one of 8}}
  %s = tile.dot %a, %b transposed from %i, %zero : !part, !whole, !sum
  tile.return
}

// -----

!a = tensor<16x256xbf16, #tile.operand<0, <m16n8, warps = [1, 1], parts = 8>, vector = 8>>
!b = tensor<16x256xbf16, #tile.operand<1, <m16n8, warps = [1, 1], parts = 8>, vector = 8>>
!sum = tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1], parts = 8>>
tile.kernel @registers(%x: !tile.view<[16, 256], bf16>) grid ["1"] attributes {alignment = 16 : i64, threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %i = arith.constant 8 : i32
  %z = arith.constant 0.0 : f32
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 256], bf16> -> !a
  %b = tile.load %x[%c0, %c0] : !tile.view<[16, 256], bf16> -> !b
  %zero = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{multiplies a part of an operand in registers, expected it in shared memory}}
  %s = tile.dot %a, %b transposed from %i, %zero : !a, !b, !sum
  tile.return
}

// -----

// Places compare with what is left of their row's bound, which nothing may take apart.
// CHECK-LABEL: gpu.func @mask(
// CHECK:         %[[PLACES:.+]] = arith.constant dense<{{\[\[}}0, 1, 8, 9], [0, 1, 8, 9]]> : vector<2x4xi32>
// CHECK:         %[[BOUND:.+]] = arith.maxsi %{{.+}}, %c-1_i32
// CHECK-NEXT:    %[[LEFT:.+]] = arith.subi %[[BOUND]]
// CHECK-NEXT:    llvm.inline_asm has_side_effects asm_dialect = att "", "=r,0" %[[LEFT]]
// CHECK:         arith.cmpi {{sle|sge}}, {{.*}}%[[PLACES]]{{.*}} : vector<2x4xi32>
!tile = tensor<16x16xi32, #tile.mma<m16n8, warps = [1, 1]>>
!seen = tensor<16x16xi1, #tile.mma<m16n8, warps = [1, 1]>>
!row = tensor<16xi32, #tile.slice<1, #tile.mma<m16n8, warps = [1, 1]>>>
tile.kernel @mask(%y: !tile.view<[16, 16], i32>, %i: i32) grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %own = tile.iota along 0 : !row
  %first = tile.splat %i : i32 -> !row
  %limit = arith.addi %own, %first : !row
  %limits = tile.broadcast %limit along 1 : !row -> !tile
  %column = tile.iota along 1 : !tile
  %inside = arith.cmpi sle, %column, %limits : !tile
  %kept = arith.select %inside, %column, %limits : !seen, !tile
  tile.store %kept to %y[%c0, %c0] : !tile, !tile.view<[16, 16], i32>
  tile.return
}

// -----

// Four fragments' words change hands among four lanes, which then store 16 bytes each.
// CHECK-LABEL: gpu.func @fragments(
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.nvvm.shfl.sync.bfly.i32"
// CHECK-NOT:     shfl
// CHECK-COUNT-2: llvm.store %{{.+}} {alignment = 16 : i64} : vector<8xbf16>
// CHECK-NOT:     llvm.store
// CHECK-LABEL: gpu.func @narrow(
// CHECK-NOT:     shfl
// CHECK:         llvm.store %{{.+}} {alignment = 4 : i64} : vector<2xbf16>
!tile = tensor<16x32xbf16, #tile.mma<m16n8, warps = [1, 1]>>
tile.kernel @fragments(%y: !tile.view<[16, 32], bf16>, %s: bf16) grid ["1"]
    attributes {alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.splat %s : bf16 -> !tile
  tile.store %t to %y[%c0, %c0] : !tile, !tile.view<[16, 32], bf16>
  tile.return
}
tile.kernel @narrow(%y: !tile.view<[16, 34], bf16>, %s: bf16) grid ["1"]
    attributes {alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.splat %s : bf16 -> !tile
  tile.store %t to %y[%c0, %c0] : !tile, !tile.view<[16, 34], bf16>
  tile.return
}
