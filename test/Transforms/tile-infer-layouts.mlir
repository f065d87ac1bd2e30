// RUN: lathe-opt %s --tile-infer-layouts | FileCheck %s

// Rows go to thread groups, VEC elements of a row to each thread in turn; what a
// row's statistic or weight is spread over follows as a slice.
// CHECK-LABEL: tile.kernel @rows
// CHECK:         tile.load %{{.+}} -> tensor<4x1152xbf16, #tile.blocked<vector = [1, 8], threads = [4, 32]>>
// CHECK:         tile.load %{{.+}} -> tensor<1152xf32, #tile.slice<0, #tile.blocked<vector = [1, 8], threads = [4, 32]>>>
// CHECK:         tile.convert %{{.+}} -> tensor<4x1152xf32, #tile.blocked<vector = [1, 8], threads = [4, 32]>>
// CHECK:         tile.reduce <add> %{{.+}} -> tensor<4xf32, #tile.slice<1, #tile.blocked<vector = [1, 8], threads = [4, 32]>>>
// CHECK:         arith.constant dense<1.000000e+00> : tensor<4xf32, #tile.slice<1, #tile.blocked<vector = [1, 8], threads = [4, 32]>>>
// CHECK:         arith.addf {{.+}} : tensor<4xf32, #tile.slice<1, #tile.blocked<vector = [1, 8], threads = [4, 32]>>>
tile.kernel @rows(%x: !tile.view<[T, 1152], bf16>, %w: !tile.view<[1152], f32>, %T: index)
    grid ["T ceildiv 4"] attributes {dims = ["T"], threads = 128 : i64, wave = 32 : i64, schedule = {VEC = 8 : i64}} {
  %c0 = arith.constant 0 : index
  %x0 = tile.load %x[%c0, %c0] : !tile.view<[T, 1152], bf16> -> tensor<4x1152xbf16>
  %w0 = tile.load %w[%c0] : !tile.view<[1152], f32> -> tensor<1152xf32>
  %xf = tile.convert %x0 : tensor<4x1152xbf16> -> tensor<4x1152xf32>
  %ws = tile.broadcast %w0 along 0 : tensor<1152xf32> -> tensor<4x1152xf32>
  %p = arith.mulf %xf, %ws : tensor<4x1152xf32>
  %s = tile.reduce <add> %p along 1 : tensor<4x1152xf32> -> tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %s1 = arith.addf %s, %one : tensor<4xf32>
  %b = tile.broadcast %s1 along 1 : tensor<4xf32> -> tensor<4x1152xf32>
  %q = arith.mulf %p, %b : tensor<4x1152xf32>
  tile.return
}

// Rows that share a warp: one takes as many lanes as it has vectors, the others
// follow in further rounds.
// CHECK-LABEL: tile.kernel @short_rows
// CHECK:         tile.load %{{.+}} -> tensor<16x128xbf16, #tile.blocked<vector = [1, 8], threads = [8, 16]>>
// CHECK:         tile.reduce <add> {{.+}} -> tensor<16xf32, #tile.slice<1, #tile.blocked<vector = [1, 8], threads = [8, 16]>>>
tile.kernel @short_rows(%x: !tile.view<[T, 128], bf16>, %T: index)
    grid ["T ceildiv 16"] attributes {dims = ["T"], threads = 128 : i64, wave = 32 : i64, schedule = {VEC = 8 : i64}} {
  %c0 = arith.constant 0 : index
  %x0 = tile.load %x[%c0, %c0] : !tile.view<[T, 128], bf16> -> tensor<16x128xbf16>
  %xf = tile.convert %x0 : tensor<16x128xbf16> -> tensor<16x128xf32>
  %s = tile.reduce <add> %xf along 1 : tensor<16x128xf32> -> tensor<16xf32>
  tile.return
}

// Loops and branches carry one layout through; the vector divides the extent.
// CHECK-LABEL: tile.kernel @control
// CHECK:         scf.for {{.+}} -> (tensor<1x36xf32, #tile.blocked<vector = [1, 4], threads = [1, 64]>>)
// CHECK:         scf.if {{.+}} -> (tensor<1x36xf32, #tile.blocked<vector = [1, 4], threads = [1, 64]>>)
tile.kernel @control(%x: !tile.view<[T, 36], f32>, %s: f32, %T: index)
    grid ["T"] attributes {dims = ["T"], threads = 64 : i64, wave = 64 : i64, schedule = {VEC = 8 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tile.splat %s : f32 -> tensor<1x36xf32>
  %total = scf.for %i = %c0 to %T step %c1 iter_args(%sum = %start) -> (tensor<1x36xf32>) {
    %t = tile.load %x[%i, %c0] : !tile.view<[T, 36], f32> -> tensor<1x36xf32>
    %next = arith.addf %sum, %t : tensor<1x36xf32>
    scf.yield %next : tensor<1x36xf32>
  }
  %many = arith.cmpi sgt, %T, %c1 : index
  %r = scf.if %many -> (tensor<1x36xf32>) {
    scf.yield %total : tensor<1x36xf32>
  } else {
    scf.yield %start : tensor<1x36xf32>
  }
  tile.store %r to %x[%c0, %c0] : tensor<1x36xf32>, !tile.view<[T, 36], f32>
  tile.return
}

// A stated layout stays and spreads.
// CHECK-LABEL: tile.kernel @stated
// CHECK:         tile.load %{{.+}} -> tensor<2x64xf32, #tile.blocked<vector = [2, 1], threads = [1, 32]>>
// CHECK:         tile.convert %{{.+}} -> tensor<2x64xf16, #tile.blocked<vector = [2, 1], threads = [1, 32]>>
!stated = tensor<2x64xf32, #tile.blocked<vector = [2, 1], threads = [1, 32]>>
!narrow = tensor<2x64xf16, #tile.blocked<vector = [2, 1], threads = [1, 32]>>
tile.kernel @stated(%x: !tile.view<[2, 64], f32>)
    grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<[2, 64], f32> -> !stated
  %n = tile.convert %t : !stated -> !narrow
  tile.return
}

// Rows that do not divide the threads leave fewer groups than rows.
// CHECK-LABEL: tile.kernel @uneven
// CHECK:         -> tensor<6x16xf32, #tile.blocked<vector = [1, 1], threads = [4, 16]>>
tile.kernel @uneven(%x: !tile.view<[6, 16], f32>)
    grid ["1"] attributes {threads = 64 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<[6, 16], f32> -> tensor<6x16xf32>
  tile.return
}

// The accumulator's warps form the grid that reads least; a bias gets its slice,
// operands are copied along their rows.
// CHECK-LABEL: tile.kernel @dot
// CHECK:         tile.load %{{.+}} -> tensor<64x32xbf16, #tile.blocked<vector = [1, 8], threads = [32, 4]>>
// CHECK:         tile.dot {{.+}}, tensor<64x128xf32, #tile.mma<m16n8, warps = [2, 2]>>
// CHECK:         tile.load %{{.+}} -> tensor<128xf32, #tile.slice<0, #tile.mma<m16n8, warps = [2, 2]>>>
!shared_a = !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
!shared_b = !tile.shared<[128, 32], bf16, <phases = 4, rows = 2>>
tile.kernel @dot(%x: !tile.view<[64, 32], bf16>, %bias: !tile.view<[128], f32>, %z: f32)
    grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64, schedule = {VEC = 8 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !shared_a
  %b = tile.alloc : !shared_b
  %t = tile.load %x[%c0, %c0] : !tile.view<[64, 32], bf16> -> tensor<64x32xbf16>
  tile.write_shared %t to %a : tensor<64x32xbf16>, !shared_a
  %zero = tile.splat %z : f32 -> tensor<64x128xf32>
  %sum = tile.dot %a, %b transposed, %zero : !shared_a, !shared_b, tensor<64x128xf32>
  %row = tile.load %bias[%c0] : !tile.view<[128], f32> -> tensor<128xf32>
  %rows = tile.broadcast %row along 0 : tensor<128xf32> -> tensor<64x128xf32>
  %y = arith.addf %sum, %rows : tensor<64x128xf32>
  tile.return
}

// Waves of 64 take the largest fragments that divide their share.
// CHECK-LABEL: tile.kernel @large_fragments
// CHECK:         tile.dot {{.+}}, tensor<64x128xf32, #tile.mma<m32n32, warps = [1, 2]>>
// CHECK-LABEL: tile.kernel @small_fragments
// CHECK:         tile.dot {{.+}}, tensor<64x48xf32, #tile.mma<m16n16, warps = [2, 1]>>
!k_rows = !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
!k_columns = !tile.shared<[32, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @large_fragments(%z: f32) grid ["1"] attributes {threads = 128 : i64, wave = 64 : i64} {
  %a = tile.alloc : !k_rows
  %b = tile.alloc : !tile.shared<[32, 128], bf16, <phases = 8, rows = 1>>
  %zero = tile.splat %z : f32 -> tensor<64x128xf32>
  %sum = tile.dot %a, %b, %zero : !k_rows, !tile.shared<[32, 128], bf16, <phases = 8, rows = 1>>, tensor<64x128xf32>
  tile.return
}
tile.kernel @small_fragments(%z: f32) grid ["1"] attributes {threads = 128 : i64, wave = 64 : i64} {
  %a = tile.alloc : !k_columns
  %b = tile.alloc : !tile.shared<[32, 48], bf16, <phases = 2, rows = 4>>
  %zero = tile.splat %z : f32 -> tensor<64x48xf32>
  %sum = tile.dot %a transposed, %b, %zero : !k_columns, !tile.shared<[32, 48], bf16, <phases = 2, rows = 4>>, tensor<64x48xf32>
  tile.return
}

// A role's tiles are dealt to its threads, also what is made before it. An
// asynchronous product gives each warpgroup rows of its own.
// CHECK-LABEL: tile.kernel @role
// CHECK:         arith.constant dense<0.000000e+00> : tensor<128x64xf32, #tile.mma<m16n8, warps = [8, 1]>>
// CHECK:         tile.dot {{.+}} async : {{.+}}, tensor<128x64xf32, #tile.mma<m16n8, warps = [8, 1]>>
// CHECK:         tile.await_dots pending 0, {{.+}} : tensor<128x64xf32, #tile.mma<m16n8, warps = [8, 1]>>
// CHECK:         tile.load {{.+}} -> tensor<32x64xf32, #tile.blocked<vector = [1, 4], threads = [16, 16]>>
!rows = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
!columns = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @role(%x: !tile.view<[32, 64], f32>) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {VEC = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !rows
  %b = tile.alloc : !columns
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  tile.roles warps [4, 8] threads [1, 256] registers [0, 0] {
  }, {
    %sum = tile.dot %a, %b transposed, %zero async : !rows, !columns, tensor<128x64xf32>
    %done = tile.await_dots pending 0, %sum : tensor<128x64xf32>
    %t = tile.load %x[%c0, %c0] : !tile.view<[32, 64], f32> -> tensor<32x64xf32>
  }
  tile.return
}

// -----

// Warps have whole rows of both products, so that what one makes is what the next takes.
// CHECK-LABEL: tile.kernel @chain(
// CHECK:         tile.dot {{.+}} : {{.+}}, tensor<64x32xf32, #tile.mma<m16n8, warps = [4, 1]>>
// CHECK:         tile.reduce <max> %{{.+}} along 1 : tensor<64x32xf32, #tile.mma<m16n8, warps = [4, 1]>> -> tensor<64xf32, #tile.slice<1, #tile.mma<m16n8, warps = [4, 1]>>>
// CHECK:         tile.dot {{.+}} : tensor<64x32xbf16, #tile.mma<m16n8, warps = [4, 1]>>, {{.+}}, tensor<64x128xf32, #tile.mma<m16n8, warps = [4, 1]>>
!q = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!k = !tile.shared<[32, 64], bf16, <phases = 8, rows = 1>>
!v = !tile.shared<[32, 128], bf16, <phases = 8, rows = 1>, panel = 64>
tile.kernel @chain(%y: !tile.view<[64], f32>) grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %q = tile.alloc : !q
  %k = tile.alloc : !k
  %v = tile.alloc : !v
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %none = arith.constant dense<0.0> : tensor<64x128xf32>
  %s = tile.dot %q, %k transposed, %zero : !q, !k, tensor<64x32xf32>
  %m = tile.reduce <max> %s along 1 : tensor<64x32xf32> -> tensor<64xf32>
  %p = tile.convert %s : tensor<64x32xf32> -> tensor<64x32xbf16>
  %o = tile.dot %p, %v, %none : tensor<64x32xbf16>, !v, tensor<64x128xf32>
  tile.store %m to %y[%c0] : tensor<64xf32>, !tile.view<[64], f32>
  tile.return
}

// -----

// Rows that are broadcast lie as the sums whose rows they are, and what all blocks get of
// a reduction lies as what each gave.
// CHECK-LABEL: tile.kernel @shared_rows(
// CHECK:         tile.broadcast %{{.+}} along 1 : tensor<64xf32, #tile.slice<1, #tile.mma<m16n8, warps = [4, 1]>>> -> tensor<64x16xf32, #tile.mma<m16n8, warps = [4, 1]>>
// CHECK:         tile.columns %{{.+}} at 0 : {{.+}} -> tensor<64x8xf32, #tile.mma<m16n8, warps = [4, 1]>>
// CHECK:         tile.cluster_reduce <max> %{{.+}} : tensor<64x8xf32, #tile.mma<m16n8, warps = [4, 1]>> -> tensor<64x8xf32, #tile.mma<m16n8, warps = [4, 1]>>
tile.kernel @shared_rows(%y: !tile.view<[64], f32>, %z: !tile.view<[64, 128], f32>) grid ["2"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %q = tile.alloc : !q
  %k = tile.alloc : !k
  %v = tile.alloc : !v
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %none = arith.constant dense<0.0> : tensor<64x128xf32>
  %s = tile.dot %q, %k transposed, %zero : !q, !k, tensor<64x32xf32>
  %m = tile.reduce <max> %s along 1 : tensor<64x32xf32> -> tensor<64xf32>
  %p = tile.convert %s : tensor<64x32xf32> -> tensor<64x32xbf16>
  %o = tile.dot %p, %v, %none : tensor<64x32xbf16>, !v, tensor<64x128xf32>
  %wide = tile.broadcast %m along 1 : tensor<64xf32> -> tensor<64x16xf32>
  %few = tile.columns %wide at 0 : tensor<64x16xf32> -> tensor<64x8xf32>
  %all = tile.cluster_reduce <max> %few : tensor<64x8xf32> -> tensor<64x8xf32>
  %max = tile.reduce <max> %all along 1 : tensor<64x8xf32> -> tensor<64xf32>
  tile.store %max to %y[%c0] : tensor<64xf32>, !tile.view<[64], f32>
  tile.store %o to %z[%c0, %c0] : tensor<64x128xf32>, !tile.view<[64, 128], f32>
  tile.return
}

// -----

// Products whose rows meet share a grid of warps, here of one row: what divides the sums
// of one alone would not do. Of what blocks share, neighbours read 16 bytes each.
// CHECK-LABEL: tile.kernel @across(
// CHECK:         tile.dot %{{.+}} transposed, {{.+}}, tensor<16x64xf32, #tile.mma<m16n8, warps = [1, 2]>>
// CHECK:         tile.dot %{{.+}}, tensor<16x96xf32, #tile.mma<m16n8, warps = [1, 2]>>
// CHECK:         tile.cluster_reduce %{{.+}} weighted %{{.+}} by tensor<16xf32, #tile.slice<1, #tile.mma<m16n8, warps = [1, 2]>>> -> tensor<8x96xf32, #tile.blocked<vector = [1, 4], threads = [4, 16]>>
!many = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!few = !tile.shared<[16, 64], bf16, <phases = 8, rows = 1>>
!wide = !tile.shared<[64, 96], bf16, <phases = 4, rows = 2>, panel = 32>
tile.kernel @across(%y: !tile.view<[8, 96], f32>) grid ["2"]
    attributes {threads = 64 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64, VEC = 8 : i64}} {
  %c0 = arith.constant 0 : index
  %q = tile.alloc : !few
  %k = tile.alloc : !many
  %v = tile.alloc : !wide
  %p = tile.alloc : !few
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %none = arith.constant dense<0.0> : tensor<16x96xf32>
  %s = tile.dot %q, %k transposed, %zero : !few, !many, tensor<16x64xf32>
  %m = tile.reduce <max> %s along 1 : tensor<16x64xf32> -> tensor<16xf32>
  %narrow = tile.convert %s : tensor<16x64xf32> -> tensor<16x64xbf16>
  tile.barrier
  tile.write_shared %narrow to %p : tensor<16x64xbf16>, !few
  tile.barrier
  %sums = tile.dot %p, %v, %none : !few, !wide, tensor<16x96xf32>
  %maxima = tile.broadcast %m along 1 : tensor<16xf32> -> tensor<16x96xf32>
  %o = arith.mulf %sums, %maxima : tensor<16x96xf32>
  %mean = tile.cluster_reduce %o weighted %m along 0 : tensor<16x96xf32> by tensor<16xf32> -> tensor<8x96xf32>
  tile.store %mean to %y[%c0, %c0] : tensor<8x96xf32>, !tile.view<[8, 96], f32>
  tile.return
}

// Where tokens lie 16 bytes apart and the next eight columns 256, neighbours take a column
// of tokens; where only a run-time size tells, a row.
// CHECK-LABEL: tile.kernel @packed(
// CHECK:         tile.load %arg0{{.+}} -> tensor<64x128xbf16, #tile.transposed<#tile.blocked<vector = [8, 1], threads = [4, 16]>>>
// CHECK:         tile.load %arg1{{.+}} -> tensor<64x128xbf16, #tile.blocked<vector = [1, 8], threads = [4, 16]>>
// CHECK:         tile.load %arg2{{.+}} -> tensor<64x128xbf16, #tile.blocked<vector = [1, 8], threads = [4, 16]>>
!packed = !tile.view<[NB * 16, 128], bf16, [2048, 128], split [16, 8], [8, 1]>
!open = !tile.view<[NB * BS, 128], bf16, [128 * BS, 8 * BS], split [BS, 8], [8, 1]>
!plain = !tile.view<[NB * 16, 128], bf16>
!pages = !tile.view<[2, 4], i32>
!staged = !tile.shared<[64, 128], bf16, <phases = 8, rows = 1>, panel = 64>
tile.kernel @packed(%x: !packed, %y: !open, %z: !plain, %t: !pages, %NB: index, %BS: index) grid ["2"]
    attributes {dims = ["NB", "BS"], threads = 64 : i64, wave = 32 : i64, schedule = {VEC = 8 : i64}} {
  %c0 = arith.constant 0 : index
  %s = tile.program_id 0
  %b = tile.alloc : !staged
  %one = tile.load %x[%c0, %c0] along [0, 1] through %t[%s] pages "16" : !packed through !pages -> tensor<64x128xbf16>
  tile.write_shared %one to %b : tensor<64x128xbf16>, !staged
  %two = tile.load %y[%c0, %c0] along [0, 1] : !open -> tensor<64x128xbf16>
  tile.write_shared %two to %b : tensor<64x128xbf16>, !staged
  %three = tile.load %z[%c0, %c0] along [0, 1] : !plain -> tensor<64x128xbf16>
  tile.write_shared %three to %b : tensor<64x128xbf16>, !staged
  tile.return
}
