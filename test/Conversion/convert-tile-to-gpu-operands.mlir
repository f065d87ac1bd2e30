// RUN: lathe-opt %s --tile-plan-shared --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// Operands of mma.sync come 16 bytes at a time: two vectors for the rows of a, one for
// b, two steps of K each. Past the view there is zero. Nothing goes through shared
// memory but the parts of the sum, which are 16 rows of 32 bytes apart.
// CHECK:       llvm.mlir.global internal @parts_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<1024 x i8>
// CHECK-LABEL: gpu.func @parts
// CHECK:         %[[UPPER:.+]] = llvm.inline_asm {{.*}}mov.b32 $3, 0; @p ld.global.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4]; }", "=&r,=&r,=&r,=&r,l,r,~{memory}"
// CHECK-NEXT:    %[[U0:.+]] = llvm.extractvalue %[[UPPER]][0]
// CHECK-NEXT:    %[[U1:.+]] = llvm.extractvalue %[[UPPER]][1]
// CHECK-NEXT:    %[[U2:.+]] = llvm.extractvalue %[[UPPER]][2]
// CHECK-NEXT:    %[[U3:.+]] = llvm.extractvalue %[[UPPER]][3]
// CHECK:         %[[LOWER:.+]] = llvm.inline_asm {{.*}}@p ld.global.L1::no_allocate.L2::128B.v4.b32
// CHECK-NEXT:    %[[L0:.+]] = llvm.extractvalue %[[LOWER]][0]
// CHECK-NEXT:    %[[L1:.+]] = llvm.extractvalue %[[LOWER]][1]
// CHECK-NEXT:    %[[L2:.+]] = llvm.extractvalue %[[LOWER]][2]
// CHECK-NEXT:    %[[L3:.+]] = llvm.extractvalue %[[LOWER]][3]
// CHECK:         %[[RIGHT:.+]] = llvm.inline_asm {{.*}}"ld.global.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,~{memory}"
// CHECK-NEXT:    %[[R0:.+]] = llvm.extractvalue %[[RIGHT]][0]
// CHECK-NEXT:    %[[R1:.+]] = llvm.extractvalue %[[RIGHT]][1]
// CHECK-NEXT:    %[[R2:.+]] = llvm.extractvalue %[[RIGHT]][2]
// CHECK-NEXT:    %[[R3:.+]] = llvm.extractvalue %[[RIGHT]][3]
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"(%[[U0]], %[[L0]], %[[U1]], %[[L1]], %[[R0]], %[[R1]], %
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"(%[[U2]], %[[L2]], %[[U3]], %[[L3]], %[[R2]], %[[R3]], %
// CHECK-NOT:     llvm.nvvm
// CHECK:         gpu.barrier
// CHECK:         arith.muli %{{.+}}, %c512_i32
// CHECK-COUNT-2: llvm.store {{.+}} : vector<2xf32>, !llvm.ptr<3>
// CHECK:         gpu.barrier
// CHECK:         %[[FIRST:.+]] = llvm.load {{.+}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK:         %[[SECOND:.+]] = llvm.load {{.+}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK:         arith.addf %[[FIRST]], %[[SECOND]]
// CHECK-NOT:     !llvm.ptr<3>
// CHECK:         gpu.return
!left = tensor<16x64xbf16, #tile.operand<0, <m16n8, warps = [1, 1], parts = 2>, vector = 8>>
!right = tensor<8x64xbf16, #tile.operand<1, <m16n8, warps = [1, 1], parts = 2>, vector = 8>>
!part = tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1], parts = 2>>
!sum = tensor<16x8xf32, #tile.blocked<vector = [1, 2], threads = [16, 4]>>
!buffer = !tile.shared<[32, 8], f32, <phases = 2, rows = 4>>
tile.kernel @parts(%x: !tile.view<[M, 64], bf16>, %w: !tile.view<[8, 64], bf16>,
                   %y: !tile.view<[M, 8], f32>, %z: f32, %M: index)
    grid ["1"] attributes {alignment = 16 : i64, dims = ["M"], threads = 64 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %buffer = tile.alloc : !buffer
  %z0 = arith.constant 0.0 : f32
  %zero = tile.splat %z0 : f32 -> !part
  %a = tile.load %x[%c0, %c0] evict_first : !tile.view<[M, 64], bf16> -> !left
  %b = tile.load %w[%c0, %c0] : !tile.view<[8, 64], bf16> -> !right
  %s = tile.dot %a, %b transposed, %zero : !left, !right, !part
  tile.barrier
  %all = tile.cluster_reduce %s along 0 through %buffer : !part, !buffer -> !sum
  tile.store %all to %y[%c0, %c0] : !sum, !tile.view<[M, 8], f32>
  tile.return
}

// Where a promise is of less, loads are of pieces, and still to registers alone.
// CHECK-LABEL: gpu.func @pieces
// CHECK-NOT:     llvm.inline_asm
// CHECK-NOT:     !llvm.ptr<3>
// CHECK:         llvm.load {{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
// CHECK-COUNT-2: llvm.nvvm.mma.m16n8k16.row.col.bf16
!one_left = tensor<16x32xbf16, #tile.operand<0, <m16n8, warps = [1, 1]>, vector = 8>>
!one_right = tensor<8x32xbf16, #tile.operand<1, <m16n8, warps = [1, 1]>, vector = 8>>
!one = tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1]>>
tile.kernel @pieces(%x: !tile.view<[16, 32], bf16>, %w: !tile.view<[8, 32], bf16>, %y: !tile.view<[16, 8], f32>, %z: f32)
    grid ["1"] attributes {alignment = 4 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %zero = tile.splat %z : f32 -> !one
  %a = tile.load %x[%c0, %c0] evict_first : !tile.view<[16, 32], bf16> -> !one_left
  %b = tile.load %w[%c0, %c0] : !tile.view<[8, 32], bf16> -> !one_right
  %s = tile.dot %a, %b transposed, %zero : !one_left, !one_right, !one
  tile.store %s to %y[%c0, %c0] : !one, !tile.view<[16, 8], f32>
  tile.return
}
