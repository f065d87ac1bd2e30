// RUN: lathe-opt %s --tile-plan-shared --convert-tile-to-gpu --split-input-file --verify-diagnostics

// expected-error@+1 {{kernel is not specialized}}
tile.kernel @template(%x: !tile.view<[T], f32>) grid ["T"] {
  tile.return
}

// -----

tile.kernel @no_layout(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  // expected-error@+1 {{tile 'tensor<8xf32>' has no layout}}
  %t = tile.splat %s : f32 -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @threads(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  // expected-error@+1 {{layout deals to 64 threads, expected 32}}
  %t = tile.splat %s : f32 -> tensor<8xf32, #tile.blocked<vector = [1], threads = [64]>>
  tile.return
}

// -----

tile.kernel @vector(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  // expected-error@+1 {{layout vector 3 does not divide extent 8}}
  %t = tile.splat %s : f32 -> tensor<8xf32, #tile.blocked<vector = [3], threads = [32]>>
  tile.return
}

// -----

tile.kernel @rank_0(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  // expected-error@+1 {{a tile of rank 0 cannot be distributed}}
  %t = tile.splat %s : f32 -> tensor<f32, #tile.slice<0, #tile.blocked<vector = [1], threads = [32]>>>
  tile.return
}

// -----

tile.kernel @many(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  // expected-error@+1 {{gives a thread no element or more than 4096}}
  %t = tile.splat %s : f32 -> tensor<1000000xf32, #tile.blocked<vector = [1], threads = [32]>>
  tile.return
}

// -----

tile.kernel @none(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  // expected-error@+1 {{gives a thread no element or more than 4096}}
  %t = tile.splat %s : f32 -> tensor<0xf32, #tile.blocked<vector = [1], threads = [32]>>
  tile.return
}

// -----

!t = tensor<8xi4, #tile.blocked<vector = [1], threads = [32]>>
// expected-error@+1 {{view of 'i4', expected elements of whole bytes}}
tile.kernel @bits(%x: !tile.view<[8], i4>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<[8], i4> -> !t
  tile.return
}

// -----

!t = tensor<8xf32, #tile.blocked<vector = [1], threads = [32]>>
// expected-error@+1 {{cannot compute 'select(T, 8, 4)' at run time}}
tile.kernel @extent(%x: !tile.view<[select(T, 8, 4)], f32>, %T: index) grid ["1"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<[select(T, 8, 4)], f32> -> !t
  tile.return
}

// -----

tile.kernel @size(%x: !tile.view<[8], f32>, %T: index) grid ["1"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64} {
  // expected-error@+1 {{cannot compute 'T + H' at run time}}
  %n = tile.size "T + H"
  tile.return
}

// -----

!t = tensor<8xf32, #tile.blocked<vector = [1], threads = [32]>>
!n = tensor<8xf8E3M4, #tile.blocked<vector = [1], threads = [32]>>
tile.kernel @convert(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %t = tile.splat %s : f32 -> !t
  // expected-error@+1 {{no conversion from 'f32' to 'f8E3M4' on this target}}
  %n = tile.convert %t : !t -> !n
  tile.return
}

// -----

!t = tensor<8xf32, #tile.blocked<vector = [1], threads = [32]>>
tile.kernel @reduce_rank(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  // expected-error@+1 {{a tile constant must be a splat}}
  %t = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : !t
  tile.return
}

// -----

!t = tensor<2x8xf32, #tile.blocked<vector = [1, 1], threads = [2, 48]>>
!s = tensor<2xf32, #tile.slice<1, #tile.blocked<vector = [1, 1], threads = [2, 48]>>>
tile.kernel @reduce(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 96 : i64, wave = 32 : i64} {
  %t = tile.splat %s : f32 -> !t
  // expected-error@+1 {{along 1, expected a tile of rank 2 or more whose lines belong to a power of two of evenly spaced lanes, of one warp or of evenly spaced ones, and no sums of which warps have parts}}
  %r = tile.reduce <add> %t along 1 : !t -> !s
  tile.return
}

// -----

!t = tensor<8x8xf32, #tile.blocked<vector = [1, 1], threads = [4, 8]>>
tile.kernel @opaque(%x: !tile.view<[8], f32>, %s: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %t = tile.splat %s : f32 -> !t
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'vector.transfer_read' cannot be distributed over threads}}
  %v = vector.transfer_read %t[%c0, %c0], %s : !t, vector<8xf32>
  tile.return
}

// -----

!sum = tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1]>>
!blocked = tensor<16x16xbf16, #tile.blocked<vector = [1, 1], threads = [2, 16]>>
!narrow = tensor<16x8xbf16, #tile.blocked<vector = [1, 1], threads = [4, 8]>>
tile.kernel @dot_registers(%x: !tile.view<[8], f32>, %s: bf16, %z: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %a = tile.splat %s : bf16 -> !blocked
  %b = tile.splat %s : bf16 -> !narrow
  %c = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{operands are not in shared memory, nor in registers as the warps with the sums multiply them}}
  %r = tile.dot %a, %b, %c : !blocked, !narrow, !sum
  tile.return
}

// -----

!sum = tensor<16x8xf32, #tile.blocked<vector = [1, 1], threads = [4, 8]>>
!a = !tile.shared<[16, 16], bf16, <phases = 2, rows = 4>>
!b = !tile.shared<[8, 16], bf16, <phases = 2, rows = 4>>
tile.kernel @dot_layout(%x: !tile.view<[8], f32>, %z: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{with waves of 32, expected fragments of such waves}}
  %r = tile.dot %a, %b transposed, %c : !a, !b, !sum
  tile.return
}

// -----

!sum = tensor<16x8xi32, #tile.mma<m16n8, warps = [1, 1]>>
!a = !tile.shared<[16, 32], i8, <phases = 2, rows = 4>>
!b = !tile.shared<[8, 32], i8, <phases = 2, rows = 4>>
tile.kernel @dot_type(%x: !tile.view<[8], f32>, %z: i32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.splat %z : i32 -> !sum
  // expected-error@+1 {{no matrix instruction for products of 'i8' by 'i8' in 'i32'}}
  %r = tile.dot %a, %b transposed, %c : !a, !b, !sum
  tile.return
}

// -----

!sum = tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1]>>
!a = !tile.shared<[16, 24], bf16, <phases = 1, rows = 8>>
!b = !tile.shared<[8, 24], bf16, <phases = 1, rows = 8>>
tile.kernel @dot_depth(%x: !tile.view<[8], f32>, %z: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{sums over 24 elements, expected a multiple of 16}}
  %r = tile.dot %a, %b transposed, %c : !a, !b, !sum
  tile.return
}

// -----

!sum = tensor<32x32xf32, #tile.mma<m32n32, warps = [1, 1]>>
!a = !tile.shared<[32, 16], bf16, <phases = 2, rows = 4>>
tile.kernel @dot_wave(%x: !tile.view<[8], f32>, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 32 : i64} {
  %a = tile.alloc : !a
  %c = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{with waves of 32, expected fragments of such waves}}
  %r = tile.dot %a, %a transposed, %c : !a, !a, !sum
  tile.return
}

// -----

!sum = tensor<16x16xf32, #tile.mma<m16n16, warps = [1, 1]>>
!a = !tile.shared<[16, 32], f8E4M3FN, <phases = 2, rows = 4>>
tile.kernel @mfma_type(%x: !tile.view<[8], f32>, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64} {
  %a = tile.alloc : !a
  %c = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{no matrix instruction for products of 'f8E4M3FN' by 'f8E4M3FN' in 'f32'}}
  %r = tile.dot %a, %a transposed, %c : !a, !a, !sum
  tile.return
}

// -----

!sum = tensor<16x16xf32, #tile.mma<m16n16, warps = [1, 1]>>
!a = !tile.shared<[16, 16], f8E4M3FNUZ, <phases = 1, rows = 8>>
tile.kernel @mfma_depth(%x: !tile.view<[8], f32>, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64} {
  %a = tile.alloc : !a
  %c = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{sums over 16 elements, expected a multiple of 32}}
  %r = tile.dot %a, %a transposed, %c : !a, !a, !sum
  tile.return
}

// -----

// Orders of K differ.
!sum = tensor<16x8xf32, #tile.mma<m16n8, warps = [1, 1]>>
!left = tensor<16x32xbf16, #tile.operand<0, <m16n8, warps = [1, 1]>, vector = 8>>
!right = tensor<8x32xbf16, #tile.operand<1, <m16n8, warps = [1, 1]>, vector = 4>>
tile.kernel @dot_orders(%s: bf16, %z: f32) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %a = tile.splat %s : bf16 -> !left
  %b = tile.splat %s : bf16 -> !right
  %c = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{operands are not in shared memory, nor in registers as the warps}}
  %r = tile.dot %a, %b transposed, %c : !left, !right, !sum
  tile.return
}

// -----

// Of other warps than those with the sums.
!sum = tensor<32x8xf32, #tile.mma<m16n8, warps = [2, 1]>>
!left = tensor<32x64xbf16, #tile.operand<0, <m16n8, warps = [1, 1], parts = 2>, vector = 8>>
!right = tensor<8x64xbf16, #tile.operand<1, <m16n8, warps = [1, 1], parts = 2>, vector = 8>>
tile.kernel @dot_warps(%s: bf16, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 32 : i64} {
  %a = tile.splat %s : bf16 -> !left
  %b = tile.splat %s : bf16 -> !right
  %c = tile.splat %z : f32 -> !sum
  // expected-error@+1 {{operands are not in shared memory, nor in registers as the warps}}
  %r = tile.dot %a, %b transposed, %c : !left, !right, !sum
  tile.return
}
