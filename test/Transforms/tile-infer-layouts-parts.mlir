// RUN: lathe-opt %s --tile-infer-layouts | FileCheck %s

// Warps share K: two by one of them multiply, in four groups. Operands lie as these
// multiply them, in vectors of 16 bytes; the sum of all parts is dealt anew.
// CHECK-LABEL: tile.kernel @parts
// CHECK:         arith.constant dense<0.000000e+00> : tensor<32x8xf32, #tile.mma<m16n8, warps = [2, 1], parts = 4>>
// CHECK:         tile.load {{.+}} -> tensor<32x128xbf16, #tile.operand<0, <m16n8, warps = [2, 1], parts = 4>, vector = 8>>
// CHECK:         tile.load {{.+}} -> tensor<8x128xbf16, #tile.operand<1, <m16n8, warps = [2, 1], parts = 4>, vector = 8>>
// CHECK:         tile.dot {{.+}}, tensor<32x8xf32, #tile.mma<m16n8, warps = [2, 1], parts = 4>>
// CHECK:         tile.transpose {{.+}} -> tensor<8x32xf32, #tile.transposed<#tile.mma<m16n8, warps = [2, 1], parts = 4>>>
// CHECK:         tile.cluster_reduce {{.+}} -> tensor<8x32xf32, #tile.blocked<vector = [1, 8], threads = [{{[0-9]+}}, {{[0-9]+}}]>>
!buffer = !tile.shared<[32, 32], f32, <phases = 8, rows = 1>>
tile.kernel @parts(%x: !tile.view<[8, 512], bf16>, %w: !tile.view<[32, 512], bf16>,
                   %y: !tile.view<[8, 32], f32>, %p: i1) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64, VEC = 8 : i64}} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %buffer = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : tensor<32x8xf32>
  %all = scf.for %k = %c0 to %c512 step %c128 iter_args(%sum = %zero) -> (tensor<32x8xf32>) {
    %a = tile.load %w[%c0, %k] : !tile.view<[32, 512], bf16> -> tensor<32x128xbf16>
    %b = tile.load %x[%c0, %k] : !tile.view<[8, 512], bf16> -> tensor<8x128xbf16>
    %next = tile.dot %a, %b transposed, %sum : tensor<32x128xbf16>, tensor<8x128xbf16>, tensor<32x8xf32>
    scf.yield %next : tensor<32x8xf32>
  }
  %some = scf.if %p -> (tensor<32x8xf32>) {
    scf.yield %all : tensor<32x8xf32>
  } else {
    scf.yield %zero : tensor<32x8xf32>
  }
  %turned = tile.transpose %some : tensor<32x8xf32> -> tensor<8x32xf32>
  %total = tile.cluster_reduce %turned along 0 through %buffer : tensor<8x32xf32>, !buffer -> tensor<8x32xf32>
  tile.store %total to %y[%c0, %c0] : tensor<8x32xf32>, !tile.view<[8, 32], f32>
  tile.return
}

// One group of warps has the whole sum, which anyone may take; fp8 comes 16 at a time.
// CHECK-LABEL: tile.kernel @one
// CHECK:         tile.load {{.+}} -> tensor<16x64xf8E4M3FN, #tile.operand<0, <m16n8, warps = [1, 1]>, vector = 16>>
// CHECK:         arith.addf {{.+}} : tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1]>>
tile.kernel @one(%x: !tile.view<[16, 64], f8E4M3FN>, %w: !tile.view<[8, 64], f8E4M3FN>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {PARTS = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %start = tile.splat %s : f32 -> tensor<16x8xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 64], f8E4M3FN> -> tensor<16x64xf8E4M3FN>
  %b = tile.load %w[%c0, %c0] : !tile.view<[8, 64], f8E4M3FN> -> tensor<8x64xf8E4M3FN>
  %sum = tile.dot %a, %b transposed, %start : tensor<16x64xf8E4M3FN>, tensor<8x64xf8E4M3FN>, tensor<16x8xf32>
  %twice = arith.addf %sum, %sum : tensor<16x8xf32>
  tile.return
}

// Parts of sums may grow by parts of other sums: their total does as well.
// CHECK-LABEL: tile.kernel @promoted
// CHECK: arith.addf {{.+}} : tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1], parts = 4>>
// CHECK: tile.cluster_reduce {{.+}} : tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1], parts = 4>> -> tensor<16x8xf32, #tile.blocked<
tile.kernel @promoted(%w: !tile.view<[64, 512], f8E4M3FN>, %x: !tile.view<[8, 512], f8E4M3FN>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> tensor<16x8xf32>
  %sums = scf.for %k = %c0 to %c512 step %c256 iter_args(%so_far = %zeros) -> (tensor<16x8xf32>) {
    %a = tile.load %w[%c0, %k] : !tile.view<[64, 512], f8E4M3FN> -> tensor<16x256xf8E4M3FN>
    %b = tile.load %x[%c0, %k] : !tile.view<[8, 512], f8E4M3FN> -> tensor<8x256xf8E4M3FN>
    %turn = tile.dot %a, %b transposed, %zeros : tensor<16x256xf8E4M3FN>, tensor<8x256xf8E4M3FN>, tensor<16x8xf32>
    %next = arith.addf %so_far, %turn : tensor<16x8xf32>
    scf.yield %next : tensor<16x8xf32>
  }
  %total = tile.cluster_reduce %sums along 0 : tensor<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// What starts a sum and what meets the reduced one have layouts of their own, also
// where they are one constant.
// CHECK-LABEL: tile.kernel @square
// CHECK: arith.maximumf {{.+}} : tensor<16x16xf32, #tile.blocked<
tile.kernel @square(%w: !tile.view<[64, 512], f16>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> tensor<16x16xf32>
  %a = tile.load %w[%c0, %c0] : !tile.view<[64, 512], f16> -> tensor<16x256xf16>
  %b = tile.load %w[%c0, %c0] : !tile.view<[64, 512], f16> -> tensor<16x256xf16>
  %sum = tile.dot %a, %b transposed, %zeros : tensor<16x256xf16>, tensor<16x256xf16>, tensor<16x16xf32>
  %total = tile.cluster_reduce %sum along 0 : tensor<16x16xf32> -> tensor<16x16xf32>
  %positive = arith.maximumf %total, %zeros : tensor<16x16xf32>
  tile.return
}

// A buffer of as many tiles as parts serves a tile without parts too.
// CHECK-LABEL: tile.kernel @whole
// CHECK: tile.cluster_reduce {{.+}} : tensor<16x16xf32, #tile.blocked<
tile.kernel @whole(%x: !tile.view<[16, 16], f32>, %y: !tile.view<[16, 16], f32>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %buffer = tile.alloc : !tile.shared<[64, 16], f32, <phases = 4, rows = 2>>
  %t = tile.load %x[%c0, %c0] : !tile.view<[16, 16], f32> -> tensor<16x16xf32>
  %total = tile.cluster_reduce %t along 0 through %buffer
      : tensor<16x16xf32>, !tile.shared<[64, 16], f32, <phases = 4, rows = 2>> -> tensor<16x16xf32>
  tile.store %total to %y[%c0, %c0] : tensor<16x16xf32>, !tile.view<[16, 16], f32>
  tile.return
}
