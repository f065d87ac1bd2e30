// RUN: lathe-opt %s --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// A ring filled by TMA, emptied by wgmma, stored by TMA: all that the passes make
// of a matrix product, in one kernel.
// CHECK:       llvm.mlir.global external @gemm_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: gpu.func @gemm
// CHECK-SAME:    nvvm.minctasm = 1 : i32
// CHECK-SAME:    tile.shared_bytes = 213040 : i64
// CHECK-SAME:    tile.tensor_maps = [#tile.tensor_map<operand = 0, bf16, extents = [K, M], strides = [XS * 2], box = [64, 128], swizzle = 128>,
// CHECK-SAME:    #tile.tensor_map<operand = 1, bf16, extents = [K, N], strides = [WS * 2], box = [64, 256], swizzle = 128>,
// CHECK-SAME:    #tile.tensor_map<operand = 2, bf16, extents = [N, M], strides = [OS * 2], box = [64, 128], swizzle = 128>]
// CHECK-COUNT-3: "llvm.nvvm.mbarrier.init.shared"
// CHECK:         "llvm.nvvm.fence.mbarrier_init.release.cluster"
// CHECK:         gpu.barrier
// CHECK:         "llvm.nvvm.shfl.sync.idx.i32"
// CHECK:         "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"(%c40_i32)
// CHECK:         mbarrier.try_wait.parity
// CHECK:         "llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta"
// CHECK-COUNT-2: "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d"
// CHECK:         "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"(%c232_i32)
// CHECK:         mbarrier.try_wait.parity
// CHECK:         "llvm.nvvm.wgmma.fence.sync.aligned"
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK:         "llvm.nvvm.wgmma.commit_group.sync.aligned"
// CHECK:         "llvm.nvvm.wgmma.wait_group.sync.aligned"(%c1_i64)
// CHECK:         @leads mbarrier.arrive.shared::cta.b64 _, [$0];
// CHECK:         "llvm.nvvm.wgmma.wait_group.sync.aligned"(%c0_i64)
// CHECK:         "llvm.nvvm.cp.async.bulk.wait.group.read"
// CHECK:         "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK-COUNT-16: "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3"
// CHECK:         "llvm.nvvm.fence.proxy.async.shared_cta"
// CHECK-COUNT-4: "llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d"
// CHECK:         "llvm.nvvm.cp.async.bulk.commit.group"
!x_view = !tile.view<[M, K], bf16, [XS, 1]>
!w_view = !tile.view<[N, K], bf16, [WS, 1]>
!o_view = !tile.view<[M, N], bf16, [OS, 1]>
!xs = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!ws = !tile.shared<[256, 64], bf16, <phases = 8, rows = 1>>
!xr = !tile.ring<3, <[128, 64], bf16, <phases = 8, rows = 1>>>
!wr = !tile.ring<3, <[256, 64], bf16, <phases = 8, rows = 1>>>
!os = !tile.shared<[128, 256], bf16, <phases = 8, rows = 1>, panel = 64>
!acc = tensor<128x256xf32, #tile.mma<m16n8, warps = [8, 1]>>
!out = tensor<128x256xbf16, #tile.mma<m16n8, warps = [8, 1]>>
tile.kernel @gemm(%x: !x_view, %w: !w_view, %y: !o_view, %M: index, %N: index, %K: index, %XS: index, %WS: index, %OS: index)
    grid ["(M ceildiv 128) * (N ceildiv 256)"]
    attributes {dims = ["M", "N", "K", "XS", "WS", "OS"], multiples = {XS = 8 : i64, WS = 8 : i64, OS = 8 : i64}, alignment = 16 : i64,
                threads = 384 : i64, wave = 32 : i64, shared_bytes = 213040 : i64} {
  %xring = tile.alloc at 0 : !xr
  %wring = tile.alloc at 49152 : !wr
  %obuf = tile.alloc at 147456 : !os
  %full = tile.init_mbarriers arrivals 1 at 212992 : !tile.mbarriers<3>
  %empty = tile.init_mbarriers arrivals 2 at 213016 : !tile.mbarriers<3>
  tile.barrier
  %c0 = arith.constant 0 : index
  %k0 = tile.size "K"
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %true = arith.constant true
  %pid = tile.program_id 0
  %n = tile.size "(M ceildiv 128) * (N ceildiv 256)"
  %step = tile.num_programs 0
  tile.roles warps [4, 8] threads [1, 256] registers [40, 232] {
    %e:2 = scf.for %t = %pid to %n step %step iter_args(%s0 = %z, %p0 = %z) -> (i32, i32) {
      %i, %j = tile.raster %t over ("M ceildiv 128", "N ceildiv 256") group "16"
      %row = arith.muli %i, %c128 : index
      %col = arith.muli %j, %c256 : index
      %r:2 = scf.for %k = %c0 to %k0 step %c64 iter_args(%s = %s0, %p = %p0) -> (i32, i32) {
        %busy = arith.xori %p, %one : i32
        tile.mbarrier_wait %empty[%s] parity %busy : !tile.mbarriers<3>
        tile.mbarrier_expect %full[%s] bytes 49152 : !tile.mbarriers<3>
        %xs = tile.slot %xring[%s] : !xr
        tile.copy_async %x[%row, %k] to %xs signals %full[%s] : !x_view, !xs, !tile.mbarriers<3>
        %ws = tile.slot %wring[%s] : !wr
        tile.copy_async %w[%col, %k] to %ws signals %full[%s] : !w_view, !ws, !tile.mbarriers<3>
        %s1 = arith.addi %s, %one : i32
        %wrap = arith.cmpi eq, %s1, %three : i32
        %s2 = arith.select %wrap, %z, %s1 : i32
        %px = arith.xori %p, %one : i32
        %p2 = arith.select %wrap, %px, %p : i32
        scf.yield %s2, %p2 : i32, i32
      }
      scf.yield %r#0, %r#1 : i32, i32
    }
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %e:2 = scf.for %t = %pid to %n step %step iter_args(%s0 = %z, %p0 = %z) -> (i32, i32) {
      %i, %j = tile.raster %t over ("M ceildiv 128", "N ceildiv 256") group "16"
      %row = arith.muli %i, %c128 : index
      %col = arith.muli %j, %c256 : index
      %r:4 = scf.for %k = %c0 to %k0 step %c64 iter_args(%a = %zero, %s = %s0, %p = %p0, %prev = %z) -> (!acc, i32, i32, i32) {
        tile.mbarrier_wait %full[%s] parity %p : !tile.mbarriers<3>
        %xs = tile.slot %xring[%s] : !xr
        %ws = tile.slot %wring[%s] : !wr
        %d = tile.dot %xs, %ws transposed, %a async : !xs, !ws, !acc
        %d1 = tile.await_dots pending 1, %d : !acc
        %later = arith.cmpi ne, %k, %c0 : index
        tile.mbarrier_arrive %empty[%prev] if %later : !tile.mbarriers<3>
        %s1 = arith.addi %s, %one : i32
        %wrap = arith.cmpi eq, %s1, %three : i32
        %s2 = arith.select %wrap, %z, %s1 : i32
        %px = arith.xori %p, %one : i32
        %p2 = arith.select %wrap, %px, %p : i32
        scf.yield %d1, %s2, %p2, %s : !acc, i32, i32, i32
      }
      %sum = tile.await_dots pending 0, %r#0 : !acc
      %any = arith.cmpi ne, %k0, %c0 : index
      tile.mbarrier_arrive %empty[%r#3] if %any : !tile.mbarriers<3>
      %o = tile.convert %sum : !acc -> !out
      tile.await_stores
      tile.barrier
      tile.write_shared %o to %obuf : !out, !os
      tile.fence_async
      tile.barrier
      tile.store_async %obuf to %y[%row, %col] : !os, !o_view
      scf.yield %r#1, %r#2 : i32, i32
    }
    tile.await_stores
  }
  tile.return
}

// Columns of accumulators are some of a thread's registers: two rows of a fragment,
// two columns of each eight.
// CHECK-LABEL: gpu.func @columns
// CHECK:         vector.extract_strided_slice %{{.+}} {offsets = [0, 4], sizes = [2, 2], strides = [1, 1]} : vector<2x8xf32> to vector<2x2xf32>
tile.kernel @columns(%y: !tile.view<[16, 32], f32>, %z: !tile.view<[16, 8], f32>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %x = tile.load %y[%c0, %c0] : !tile.view<[16, 32], f32> -> tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 1]>>
  %t = tile.columns %x at 16 : tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 1]>> -> tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1]>>
  tile.store %t to %z[%c0, %c0] : tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1]>>, !tile.view<[16, 8], f32>
  tile.return
}
