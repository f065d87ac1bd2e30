// RUN: lathe-opt %s --tile-plan-shared --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// Rows of K go through plain ldmatrix, a's two fragments and b's pair four
// matrices each; two steps of 16. The store is of pairs, the swizzle an xor.
// CHECK:       llvm.mlir.global internal @dot_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<6144 x i8>
// CHECK-LABEL: gpu.func @dot
// CHECK:         gpu.barrier
// CHECK:         arith.xori
// CHECK:         llvm.store {{.+}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<3>
// CHECK:         gpu.barrier
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-NOT:     llvm.nvvm
// CHECK:         llvm.store {{.+}} : vector<2xf32>, !llvm.ptr<1>
!sum = tensor<64x32xf32, #tile.mma<m16n8, warps = [2, 2]>>
!a = !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
!b = !tile.shared<[32, 32], bf16, <phases = 4, rows = 2>>
tile.kernel @dot(%x: !tile.view<[64, 32], bf16>, %y: !tile.view<[64, 32], f32>, %z: f32)
    grid ["1"] attributes {alignment = 16 : i64, threads = 128 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %t = tile.load %x[%c0, %c0] : !tile.view<[64, 32], bf16> -> tensor<64x32xbf16, #tile.blocked<vector = [1, 8], threads = [32, 4]>>
  tile.barrier
  tile.write_shared %t to %a : tensor<64x32xbf16, #tile.blocked<vector = [1, 8], threads = [32, 4]>>, !a
  tile.barrier
  %zero = tile.splat %z : f32 -> !sum
  %s = tile.dot %a, %b transposed, %zero : !a, !b, !sum
  tile.store %s to %y[%c0, %c0] : !sum, !tile.view<[64, 32], f32>
  tile.return
}
