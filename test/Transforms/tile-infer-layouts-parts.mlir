// RUN: lathe-opt %s --tile-infer-layouts | FileCheck %s

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
