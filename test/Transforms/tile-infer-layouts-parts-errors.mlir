// RUN: lathe-opt %s --tile-infer-layouts --split-input-file --verify-diagnostics

!a = tensor<16x256xf16>
!b = tensor<8x256xf16>
!sums = tensor<16x8xf32>
tile.kernel @multiplied(%s: f16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %a = tile.splat %s : f16 -> !a
  %b = tile.splat %s : f16 -> !b
  %sum = tile.dot %a, %b transposed, %zeros : !a, !b, !sums
  // expected-error@+1 {{takes a sum that warps share K of, expected tile.cluster_reduce to add its parts first}}
  %scaled = arith.mulf %sum, %sum : !sums
  tile.return
}

// -----

!a = tensor<16x256xf16>
!b = tensor<8x256xf16>
!sums = tensor<16x8xf32>
tile.kernel @grown_by_a_whole(%s: f16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  // expected-error@+1 {{warps share K, expected a sum that starts at zero}}
  %ones = tile.splat %one : f32 -> !sums
  %a = tile.splat %s : f16 -> !a
  %b = tile.splat %s : f16 -> !b
  %sum = tile.dot %a, %b transposed, %zeros : !a, !b, !sums
  %grown = arith.addf %sum, %ones : !sums
  %total = tile.cluster_reduce %grown along 0 : !sums -> !sums
  tile.return
}

// -----

!a = tensor<16x256xf16>
!b = tensor<8x256xf16>
!sums = tensor<16x8xf32>
tile.kernel @never_multiplied(%s: f16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  // expected-error@+1 {{warps share K, expected a sum that starts at zero}}
  %ones = tile.splat %one : f32 -> !sums
  %a = tile.splat %s : f16 -> !a
  %b = tile.splat %s : f16 -> !b
  %sum = scf.for %k = %c0 to %c1 step %c1 iter_args(%so_far = %ones) -> (!sums) {
    %next = tile.dot %a, %b transposed, %so_far : !a, !b, !sums
    scf.yield %next : !sums
  }
  %total = tile.cluster_reduce %sum along 0 : !sums -> !sums
  tile.return
}
