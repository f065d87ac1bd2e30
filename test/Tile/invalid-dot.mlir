// RUN: lathe-opt %s --split-input-file --verify-diagnostics

tile.kernel @depth(%a: !tile.view<[8], f32>, %s: bf16, %z: f32) grid ["1"] {
  %x = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %zero = tile.splat %z : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{has rows of b '16', expected '32'}}
  %r = tile.dot %x, %x, %zero : tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @rows(%a: !tile.view<[8], f32>, %s: bf16, %z: f32) grid ["1"] {
  %x = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %zero = tile.splat %z : f32 -> tensor<32x16xf32>
  // expected-error@+1 {{has rows of the accumulator '32', expected '16'}}
  %r = tile.dot %x, %x transposed, %zero : tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<32x16xf32>
  tile.return
}

// -----

tile.kernel @columns(%a: !tile.view<[8], f32>, %s: bf16, %z: f32) grid ["1"] {
  %x = tile.splat %s : bf16 -> tensor<?x32xbf16, #tile.extents<[BM, 32]>>
  %zero = tile.splat %z : f32 -> tensor<?x?xf32, #tile.extents<[BM, BN]>>
  // expected-error@+1 {{has columns of the accumulator 'BN', expected 'BM'}}
  %r = tile.dot %x, %x transposed, %zero : tensor<?x32xbf16, #tile.extents<[BM, 32]>>, tensor<?x32xbf16, #tile.extents<[BM, 32]>>, tensor<?x?xf32, #tile.extents<[BM, BN]>>
  tile.return
}

// -----

tile.kernel @rank(%a: !tile.view<[8], f32>, %s: bf16, %z: f32) grid ["1"] {
  %x = tile.splat %s : bf16 -> tensor<32xbf16>
  %zero = tile.splat %z : f32 -> tensor<32x32xf32>
  // expected-error@+1 {{multiplies tiles of rank 1 and 1 into one of rank 2, expected rank 2}}
  %r = tile.dot %x, %x, %zero : tensor<32xbf16>, tensor<32xbf16>, tensor<32x32xf32>
  tile.return
}

// -----

tile.kernel @elements(%a: !tile.view<[8], f32>, %s: bf16, %h: f16, %z: f32) grid ["1"] {
  %x = tile.splat %s : bf16 -> tensor<16x16xbf16>
  %y = tile.splat %h : f16 -> tensor<16x16xf16>
  %zero = tile.splat %z : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{multiplies 'bf16' by 'f16', expected one element type}}
  %r = tile.dot %x, %y, %zero : tensor<16x16xbf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @sums(%a: !tile.view<[8], f32>, %s: bf16) grid ["1"] {
  %x = tile.splat %s : bf16 -> tensor<16x16xbf16>
  // expected-error@+1 {{adds products of 'bf16' up in 'bf16', expected f32 for floats and i32 for i8}}
  %r = tile.dot %x, %x, %x : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>
  tile.return
}

// -----

tile.kernel @write(%a: !tile.view<[8], f32>, %s: bf16) grid ["1"] {
  %x = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %m = tile.alloc : !tile.shared<[32, 16], bf16, <phases = 2, rows = 4>>
  // expected-error@+1 {{expected the same extents and elements}}
  tile.write_shared %x to %m : tensor<16x32xbf16>, !tile.shared<[32, 16], bf16, <phases = 2, rows = 4>>
  tile.return
}

// -----

// expected-error@+1 {{shared matrix of rank 1, expected two positive extents}}
func.func private @shared_rank(!tile.shared<[32], bf16, <phases = 1, rows = 8>>)

// -----

// expected-error@+1 {{shared matrix of 'i4', expected elements of whole bytes}}
func.func private @shared_bits(!tile.shared<[32, 32], i4, <phases = 1, rows = 8>>)

// -----

// expected-error@+1 {{shared matrix of more than 1048576 bytes}}
func.func private @shared_large(!tile.shared<[4294967296, 4294967296], bf16, <phases = 1, rows = 8>>)

// -----

// expected-error@+1 {{rows have 48 bytes, expected whole groups of 2 chunks of 16 bytes}}
func.func private @shared_chunks(!tile.shared<[8, 24], bf16, <phases = 2, rows = 4>>)

// -----

// expected-error@+1 {{swizzle has 3 phases, expected 1, 2, 4 or 8}}
func.func private @phases() attributes {swizzle = #tile.swizzle<phases = 3, rows = 4>}

// -----

// expected-error@+1 {{swizzle changes every 0 rows, expected 1, 2, 4 or 8}}
func.func private @swizzle_rows() attributes {swizzle = #tile.swizzle<phases = 4, rows = 0>}

// -----

// expected-error@+1 {{layout has 1 warp counts, expected 2}}
func.func private @warp_counts(tensor<16x8xf32, #tile.mma<m16n8, warps = [1]>>)

// -----

// expected-error@+1 {{layout has 0 warps along a dimension, expected 1 to 32}}
func.func private @no_warps(tensor<16x8xf32, #tile.mma<m16n8, warps = [0, 1]>>)

// -----

// expected-error@+1 {{extent 24 is no multiple of the 32 rows that all warps take in one turn}}
func.func private @turn(tensor<24x8xf32, #tile.mma<m16n8, warps = [2, 1]>>)

// -----

// expected-error@+1 {{tile has rank 1, expected 2 from its layout}}
func.func private @mma_rank(tensor<16xf32, #tile.mma<m16n8, warps = [1, 1]>>)

// -----

// expected-error@+1 {{extent 32 is no multiple of the 64 rows that all warps take in one turn}}
func.func private @large_turn(tensor<32x32xf32, #tile.mma<m32n32, warps = [2, 1]>>)

// -----

// expected-error@+1 {{extent 8 is no multiple of the 16 columns that all warps take in one turn}}
func.func private @small_turn(tensor<16x8xf32, #tile.mma<m16n16, warps = [1, 1]>>)

// -----

!narrow = !tile.shared<[16, 32], bf16, <phases = 4, rows = 2>>
tile.kernel @as_of_16_bits(%z: f32) grid ["1"] {
  %x = tile.alloc : !narrow
  %zero = tile.splat %z : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{multiplies as 'f16', expected f16 for 8-bit floats in shared memory, with K in rows, and no async}}
  %r = tile.dot %x, %x transposed, %zero as f16 : !narrow, !narrow, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @as_in_registers(%s: f8E4M3FN, %z: f32) grid ["1"] {
  %x = tile.splat %s : f8E4M3FN -> tensor<16x32xf8E4M3FN>
  %zero = tile.splat %z : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{multiplies as 'f16', expected f16 for 8-bit floats in shared memory}}
  %r = tile.dot %x, %x transposed, %zero as f16 : tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16x16xf32>
  tile.return
}

// -----

// expected-error@+1 {{layout has 0 parts, expected 1 to 32}}
func.func private @no_parts(tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1], parts = 0>>)

// -----

// expected-error@+1 {{layout has 33 parts, expected 1 to 32}}
func.func private @many_parts(tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1], parts = 33>>)

// -----

// expected-error@+1 {{operand of dimension 2, expected 0 for a or 1 for b}}
func.func private @operand_dim(tensor<16x32xbf16, #tile.operand<2, <m16n8, warps = [1, 1]>, vector = 8>>)

// -----

// expected-error@+1 {{expected fragments of m16n8}}
func.func private @operand_fragment(tensor<16x32xbf16, #tile.operand<0, <m16n16, warps = [1, 1]>, vector = 8>>)

// -----

// expected-error@+1 {{operand in vectors of 17 elements, expected 1 to 16}}
func.func private @operand_vector(tensor<16x32xbf16, #tile.operand<0, <m16n8, warps = [1, 1]>, vector = 17>>)

// -----

// expected-error@+1 {{tile has rank 1, expected 2 from its layout}}
func.func private @operand_rank(tensor<16xbf16, #tile.operand<0, <m16n8, warps = [1, 1]>, vector = 8>>)

// -----

// expected-error@+1 {{extent 24 is no multiple of the 32 rows that all warps take in one turn}}
func.func private @operand_rows(tensor<24x32xbf16, #tile.operand<0, <m16n8, warps = [2, 1]>, vector = 8>>)

// -----

// expected-error@+1 {{extent 12 is no multiple of the 8 rows that all warps take in one turn}}
func.func private @operand_columns(tensor<12x32xbf16, #tile.operand<1, <m16n8, warps = [2, 1]>, vector = 8>>)

// -----

// expected-error@+1 {{extent 96 of K is no multiple of 64, a run for each part}}
func.func private @operand_depth(tensor<16x96xbf16, #tile.operand<0, <m16n8, warps = [1, 1], parts = 2>, vector = 8>>)

// -----

tile.kernel @part(%s: bf16, %z: f32, %i: i32) grid ["1"] {
  %a = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %b = tile.splat %s : bf16 -> tensor<64x32xbf16>
  %zero = tile.splat %z : f32 -> tensor<16x128xf32>
  // expected-error@+1 {{multiplies 32 of 32 and 32 elements of K to 128 of 64 columns, expected no more}}
  %r = tile.dot %a, %b transposed from %i, %zero : tensor<16x32xbf16>, tensor<64x32xbf16>, tensor<16x128xf32>
  tile.return
}
