// RUN: lathe-opt %s --tile-infer-layouts --split-input-file --verify-diagnostics

tile.kernel @divisor(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 3 : i64}} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  // expected-error@+1 {{schedule has PARTS = 3, expected a divisor of the 4 warps}}
  %sum = tile.dot %a, %b transposed, %zero : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @waves(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 64 : i64, schedule = {PARTS = 2 : i64}} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  // expected-error@+1 {{warps share K, expected fragments of 16x8, which waves of 32 threads have}}
  %sum = tile.dot %a, %b transposed, %zero : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @columns(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %t = tile.splat %h : bf16 -> tensor<128x16xbf16>
  // expected-error@+1 {{multiplies operands in registers, expected K in rows of both}}
  %sum = tile.dot %a, %t, %zero : tensor<16x128xbf16>, tensor<128x16xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @turned(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %t = tile.splat %h : bf16 -> tensor<128x16xbf16>
  // expected-error@+1 {{multiplies operands in registers, expected K in rows of both}}
  %sum = tile.dot %t transposed, %b transposed, %zero : tensor<128x16xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @staged(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %m = tile.alloc : !tile.shared<[16, 128], bf16, <phases = 8, rows = 1>>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  // expected-error@+1 {{warps share K, expected operands in registers}}
  %sum = tile.dot %a, %m transposed, %zero : tensor<16x128xbf16>, !tile.shared<[16, 128], bf16, <phases = 8, rows = 1>>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @depth(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x64xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x64xbf16>
  // expected-error@+1 {{extent 64 of K is no multiple of 128, a run for each part}}
  %sum = tile.dot %a, %b transposed, %zero : tensor<16x64xbf16>, tensor<16x64xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @both(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  // expected-error@+1 {{meet in one operand}}
  %sum = tile.dot %a, %a transposed, %zero : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @taken(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %sum = tile.dot %a, %b transposed, %zero : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
  // expected-error@+1 {{takes a sum that warps share K of, expected tile.cluster_reduce to add its parts first}}
  %more = arith.mulf %sum, %sum : tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @stored(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %sum = tile.dot %a, %b transposed, %zero : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
  // expected-error@+1 {{takes a sum that warps share K of}}
  %row = tile.reduce <add> %sum along 0 : tensor<16x16xf32> -> tensor<16xf32>
  tile.return
}

// -----

// The first part would add it, and every other.
tile.kernel @start(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  // expected-error@+1 {{warps share K, expected a sum that starts at zero}}
  %start = tile.splat %s : f32 -> tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %sum = tile.dot %a, %b transposed, %start : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @start_of_loop(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{warps share K, expected a sum that starts at zero}}
  %start = tile.splat %s : f32 -> tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %all = scf.for %i = %c0 to %c1 step %c1 iter_args(%so_far = %start) -> (tensor<16x16xf32>) {
    %next = tile.dot %a, %b transposed, %so_far : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  tile.return
}

// -----

// A turn of the loop puts one in the place of a sum.
tile.kernel @start_again(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{warps share K, expected a sum that starts at zero}}
  %start = tile.splat %s : f32 -> tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %all = scf.for %i = %c0 to %c1 step %c1 iter_args(%so_far = %zero) -> (tensor<16x16xf32>) {
    %next = tile.dot %a, %b transposed, %so_far : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
    scf.yield %start : tensor<16x16xf32>
  }
  tile.return
}

// -----

// Nothing is multiplied on one way, and its tile comes four times.
tile.kernel @branch(%x: !tile.view<[16, 128], bf16>, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %p = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{warps share K, expected a sum that starts at zero}}
  %start = tile.splat %s : f32 -> tensor<16x16xf32>
  %a = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %b = tile.splat %h : bf16 -> tensor<16x128xbf16>
  %sum = tile.dot %a, %b transposed, %zero : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
  %one = scf.if %p -> (tensor<16x16xf32>) {
    scf.yield %sum : tensor<16x16xf32>
  } else {
    scf.yield %start : tensor<16x16xf32>
  }
  %all = tile.cluster_reduce %one along 0 : tensor<16x16xf32> -> tensor<16x16xf32>
  tile.return
}

// -----

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
