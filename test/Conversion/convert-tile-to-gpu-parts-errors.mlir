// RUN: lathe-opt %s --tile-plan-shared --convert-tile-to-gpu --split-input-file --verify-diagnostics

!left = tensor<16x128xbf16, #tile.operand<0, <m16n8, warps = [1, 1], parts = 4>, vector = 8>>
!right = tensor<8x128xbf16, #tile.operand<1, <m16n8, warps = [1, 1], parts = 4>, vector = 8>>
!sums = tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1], parts = 4>>
tile.kernel @stored(%x: !tile.view<[16, 128], bf16>, %w: !tile.view<[8, 128], bf16>, %y: !tile.view<[16, 8], f32>)
    grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 128], bf16> -> !left
  %b = tile.load %w[%c0, %c0] : !tile.view<[8, 128], bf16> -> !right
  %s = tile.dot %a, %b transposed, %zeros : !left, !right, !sums
  // expected-error@+1 {{takes a sum that warps share K of, expected tile.cluster_reduce to add its parts first}}
  tile.store %s to %y[%c0, %c0] : !sums, !tile.view<[16, 8], f32>
  tile.return
}

// -----

!shared = !tile.shared<[16, 64], bf16, <phases = 8, rows = 1>>
!sums = tensor<16x16xf32, #tile.mma<m16n8, warps = [1, 1], parts = 4>>
tile.kernel @shared() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %x = tile.alloc : !shared
  // expected-error@+1 {{multiplies all of K in every part of a sum, expected operands in registers}}
  %s = tile.dot %x, %x transposed, %zeros : !shared, !shared, !sums
  tile.return
}

// -----

!left = tensor<16x16xbf16, #tile.operand<0, <m16n8, warps = [1, 1]>, vector = 4>>
!right = tensor<16x16xbf16, #tile.operand<1, <m16n8, warps = [1, 1]>, vector = 4>>
!sums = tensor<16x16xf32, #tile.mma<m16n8, warps = [1, 1]>>
tile.kernel @turned(%x: !tile.view<[16, 16], bf16>) grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 16], bf16> -> !left
  %b = tile.load %x[%c0, %c0] : !tile.view<[16, 16], bf16> -> !right
  // expected-error@+1 {{operands are not in shared memory, nor in registers as the warps with the sums multiply them}}
  %s = tile.dot %a transposed, %b transposed, %zeros : !left, !right, !sums
  tile.return
}

// -----

!left = tensor<16x16xbf16, #tile.operand<0, <m16n8, warps = [1, 1], parts = 2>, vector = 2>>
!right = tensor<8x16xbf16, #tile.operand<1, <m16n8, warps = [1, 1], parts = 2>, vector = 2>>
!sums = tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1], parts = 2>>
tile.kernel @half_a_step(%x: !tile.view<[16, 16], bf16>, %w: !tile.view<[8, 16], bf16>) grid ["1"]
    attributes {threads = 64 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 16], bf16> -> !left
  %b = tile.load %w[%c0, %c0] : !tile.view<[8, 16], bf16> -> !right
  // expected-error@+1 {{operands are not in shared memory, nor in registers as the warps with the sums multiply them}}
  %s = tile.dot %a, %b transposed, %zeros : !left, !right, !sums
  tile.return
}
