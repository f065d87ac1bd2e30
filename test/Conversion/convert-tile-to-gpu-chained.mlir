// RUN: lathe-opt %s --tile-plan-shared --convert-tile-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// What one product made is the next one's operand as it lies: four registers for 16 of
// K, and none of it in shared memory. Sums that start at zero are not read. The scores
// are there while one product still runs; the weights go through the loop as words.
// CHECK-LABEL: gpu.func @wgmma(
// CHECK:         scf.for {{.+}} -> (vector<2x8xi32>, vector<2x16xf32>)
// CHECK:           llvm.inline_asm {{.+}} "{\0A.reg .pred more;\0Asetp.ne.b32 more, $66, 0;\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.+}}, $64, $65, more, 1, 1, 0, 0;\0A}"
// CHECK-COUNT-3:   wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.+}}, $64, $65, 1, 1, 1, 0, 0;
// CHECK:           "llvm.nvvm.wgmma.commit_group.sync.aligned"
// CHECK-COUNT-4:   wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.+}}, {$64, $65, $66, $67}, $68, 1, 1, 1, 1;
// CHECK:           "llvm.nvvm.wgmma.commit_group.sync.aligned"
// CHECK:           "llvm.nvvm.wgmma.wait_group.sync.aligned"(%c1_i64)
// CHECK:           "llvm.nvvm.wgmma.wait_group.sync.aligned"(%c0_i64)
// CHECK:           scf.yield {{.+}} : vector<2x8xi32>, vector<2x16xf32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!sums = tensor<64x64xf32, #tile.mma<m16n8, warps = [4, 1]>>
!weights = tensor<64x64xbf16, #tile.mma<m16n8, warps = [4, 1]>>
tile.kernel @wgmma(%y: !tile.view<[64, 64], f32>, %n: i32, %z: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.index_cast %n : i32 to index
  %q = tile.alloc : !buffer
  %v = tile.alloc : !buffer
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %zero = arith.constant dense<0.0> : !sums
    %start = tile.splat %z : f32 -> !sums
    %first = tile.convert %start : !sums -> !weights
    %w, %o = scf.for %i = %c0 to %count step %c1 iter_args(%last = %first, %acc = %start) -> (!weights, !sums) {
      %s = tile.dot %q, %q transposed, %zero async : !buffer, !buffer, !sums
      %p = tile.dot %last, %v, %acc async : !weights, !buffer, !sums
      %scores = tile.await_dots pending 1 done, %s : !sums
      %sum = tile.await_dots pending 0, %p : !sums
      %next = tile.convert %scores : !sums -> !weights
      scf.yield %next, %sum : !weights, !sums
    }
    tile.store %o to %y[%c0, %c0] : !sums, !tile.view<[64, 64], f32>
  }
  tile.return
}

// -----

// mma.sync takes the same four registers, its other operand by ldmatrix. Four lanes
// have a row of the sums.
// CHECK-LABEL: gpu.func @mma(
// CHECK-COUNT-2: "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16"
// CHECK-NOT:     ldmatrix
// CHECK:         "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK:         gpu.subgroup_reduce maximumf {{.+}} cluster(size = 4)
!buffer = !tile.shared<[32, 16], bf16, <phases = 2, rows = 4>>
!scores = tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 1]>>
!weights = tensor<16x32xbf16, #tile.mma<m16n8, warps = [1, 1]>>
!sums = tensor<16x16xf32, #tile.mma<m16n8, warps = [1, 1]>>
!row = tensor<16xf32, #tile.slice<1, #tile.mma<m16n8, warps = [1, 1]>>>
tile.kernel @mma(%y: !tile.view<[16], f32>, %z: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.alloc : !buffer
  %s = tile.splat %z : f32 -> !scores
  %zero = tile.splat %z : f32 -> !sums
  %p = tile.convert %s : !scores -> !weights
  %o = tile.dot %p, %v, %zero depth "32" : !weights, !buffer, !sums
  %m = tile.reduce <max> %o along 1 : !sums -> !row
  tile.store %m to %y[%c0] : !row, !tile.view<[16], f32>
  tile.return
}

// -----

// A lane's four sums of a row are what v_mfma takes of it; four lanes, 16 apart, have
// a row.
// CHECK-LABEL: gpu.func @mfma(
// CHECK-COUNT-2: "llvm.amdgcn.mfma.f32.16x16x16bf16.1k"
// CHECK:         gpu.subgroup_reduce add {{.+}} cluster(size = 4, stride = 16)
!buffer = !tile.shared<[32, 16], bf16, <phases = 2, rows = 4>>
!scores = tensor<16x32xf32, #tile.mma<m16n16, warps = [1, 1]>>
!weights = tensor<16x32xbf16, #tile.mma<m16n16, warps = [1, 1]>>
!sums = tensor<16x16xf32, #tile.mma<m16n16, warps = [1, 1]>>
!row = tensor<16xf32, #tile.slice<1, #tile.mma<m16n16, warps = [1, 1]>>>
tile.kernel @mfma(%y: !tile.view<[16], f32>, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.alloc : !buffer
  %s = tile.splat %z : f32 -> !scores
  %zero = tile.splat %z : f32 -> !sums
  %p = tile.convert %s : !scores -> !weights
  %o = tile.dot %p, %v, %zero depth "32" : !weights, !buffer, !sums
  %m = tile.reduce <add> %o along 1 : !sums -> !row
  tile.store %m to %y[%c0] : !row, !tile.view<[16], f32>
  tile.return
}

// -----

!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!sums = tensor<64x64xf32, #tile.mma<m16n8, warps = [4, 1]>>
!blocked = tensor<64x64xbf16, #tile.blocked<vector = [1, 8], threads = [16, 8]>>
tile.kernel @elsewhere(%x: !tile.view<[64, 64], bf16>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.alloc : !buffer
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %zero = arith.constant dense<0.0> : !sums
    %p = tile.load %x[%c0, %c0] : !tile.view<[64, 64], bf16> -> !blocked
    // expected-error@+1 {{from registers, expected the layout of the sums}}
    %o = tile.dot %p, %v, %zero async : !blocked, !buffer, !sums
  }
  tile.return
}
