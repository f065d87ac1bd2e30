// RUN: lathe-opt %s --tile-plan-shared --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// Where K runs along the rows of both, a read of 16 bytes serves two
// instructions, b first. A lane stores four neighbours at once.
// CHECK-LABEL: gpu.func @rows
// CHECK:         arith.xori
// CHECK-COUNT-3: llvm.load {{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.32x32x8bf16.1k"{{.+}} : (vector<4xi16>, vector<4xi16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
// CHECK-COUNT-3: llvm.load {{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.32x32x8bf16.1k"
// CHECK-NOT:     llvm.amdgcn
// CHECK:         llvm.store {{.+}} : vector<4xf32>, !llvm.ptr<1>
!sum = tensor<128x32xf32, #tile.mma<m32n32, warps = [2, 1]>>
!a = !tile.shared<[128, 32], bf16, <phases = 4, rows = 2>>
!b = !tile.shared<[32, 32], bf16, <phases = 4, rows = 2>>
tile.kernel @rows(%y: !tile.view<[128, 32], f32>, %z: f32)
    grid ["1"] attributes {alignment = 16 : i64, threads = 128 : i64, wave = 64 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %zero = tile.splat %z : f32 -> !sum
  %s = tile.dot %a, %b transposed, %zero : !a, !b, !sum
  tile.store %s to %y[%c0, %c0] : !sum, !tile.view<[128, 32], f32>
  tile.return
}

// Where K runs down the rows, a lane gathers its four; the other operand's reads
// are of 8 bytes then, and give the same four.
// CHECK-LABEL: gpu.func @columns
// CHECK:         llvm.load {{.+}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<4xi16>
// CHECK:         llvm.bitcast {{.+}} : vector<4xi16> to vector<4xf16>
// CHECK-COUNT-4: llvm.load {{.+}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
// CHECK:         llvm.call_intrinsic "llvm.amdgcn.mfma.f32.16x16x16f16"
!small = tensor<16x16xf32, #tile.mma<m16n16, warps = [1, 1]>>
!half = !tile.shared<[16, 16], f16, <phases = 2, rows = 4>>
tile.kernel @columns(%y: !tile.view<[16, 16], f32>, %z: f32)
    grid ["1"] attributes {alignment = 16 : i64, threads = 64 : i64, wave = 64 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !half
  %b = tile.alloc : !half
  %zero = tile.splat %z : f32 -> !small
  %s = tile.dot %a, %b, %zero : !half, !half, !small
  tile.store %s to %y[%c0, %c0] : !small, !tile.view<[16, 16], f32>
  tile.return
}

// Bytes: eight of K a lane, in one register of 64 bits.
// CHECK-LABEL: gpu.func @bytes
// CHECK:         llvm.load {{.+}} : !llvm.ptr<1> -> vector<16xi8>
// CHECK:         llvm.store {{.+}} : vector<16xi8>, !llvm.ptr<3>
// CHECK:         llvm.bitcast {{.+}} : vector<8xi8> to i64
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.16x16x32.fp8.fp8"
!fp8 = !tile.shared<[16, 64], f8E4M3FNUZ, <phases = 4, rows = 2>>
!tile = tensor<16x64xf8E4M3FNUZ, #tile.blocked<vector = [1, 16], threads = [16, 4]>>
tile.kernel @bytes(%x: !tile.view<[16, 64], f8E4M3FNUZ>, %y: !tile.view<[16, 16], f32>, %z: f32)
    grid ["1"] attributes {alignment = 16 : i64, threads = 64 : i64, wave = 64 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !fp8
  %t = tile.load %x[%c0, %c0] : !tile.view<[16, 64], f8E4M3FNUZ> -> !tile
  tile.write_shared %t to %a : !tile, !fp8
  tile.barrier
  %zero = tile.splat %z : f32 -> !small
  %s = tile.dot %a, %a transposed, %zero : !fp8, !fp8, !small
  tile.store %s to %y[%c0, %c0] : !small, !tile.view<[16, 16], f32>
  tile.return
}
