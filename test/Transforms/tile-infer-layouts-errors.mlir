// RUN: lathe-opt %s --tile-infer-layouts --split-input-file --verify-diagnostics

// expected-error@+1 {{kernel is not specialized}}
tile.kernel @template(%x: !tile.view<[T], f32>) grid ["T"] {
  tile.return
}

// -----

tile.kernel @meet(%x: !tile.view<[64], f32>, %s: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 32 : i64} {
  %a = tile.splat %s : f32 -> tensor<64x4xf32>
  %b = tile.splat %s : f32 -> tensor<1x64xf32>
  %ra = tile.reduce <add> %a along 1 : tensor<64x4xf32> -> tensor<64xf32>
  // expected-error@+1 {{meet in one value}}
  %rb = tile.reduce <add> %b along 0 : tensor<1x64xf32> -> tensor<64xf32>
  %sum = arith.addf %ra, %rb : tensor<64xf32>
  tile.return
}

// -----

tile.kernel @slice_of_slice(%x: !tile.view<[64], f32>, %s: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 32 : i64} {
  %a = tile.splat %s : f32 -> tensor<4x64xf32>
  %r = tile.reduce <add> %a along 0 : tensor<4x64xf32> -> tensor<64xf32>
  // expected-error@+1 {{needs a slice of a tile that is itself a slice}}
  %t = tile.reduce <add> %r along 0 : tensor<64xf32> -> tensor<f32>
  tile.return
}

// -----

tile.kernel @rank_0(%x: !tile.view<[64], f32>, %s: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 32 : i64} {
  // expected-error@+1 {{tile 'tensor<f32>' of rank 0 has no layout}}
  %a = tile.splat %s : f32 -> tensor<f32>
  tile.return
}

// -----

tile.kernel @empty(%x: !tile.view<[64], f32>, %s: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 32 : i64} {
  // expected-error@+1 {{tile 'tensor<0x4xf32>' has no constant, positive extents}}
  %a = tile.splat %s : f32 -> tensor<0x4xf32>
  tile.return
}

// -----

tile.kernel @dynamic(%x: !tile.view<[64], f32>, %s: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 32 : i64} {
  // expected-error@+1 {{tile 'tensor<?xf32>' has no constant, positive extents}}
  %a = tile.splat %s : f32 -> tensor<?xf32>
  tile.return
}

// -----

tile.kernel @open(%x: !tile.view<[64], f32>, %s: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 32 : i64} {
  // expected-error@+1 {{has an encoding that is no layout}}
  %a = tile.splat %s : f32 -> tensor<?xf32, #tile.extents<[H]>>
  tile.return
}

// -----

tile.kernel @wave_16(%x: !tile.view<[64], f32>, %s: bf16, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 16 : i64} {
  %a = tile.splat %s : bf16 -> tensor<16x16xbf16>
  %c = tile.splat %z : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{no fragments for waves of 16 threads, expected 32 or 64}}
  %r = tile.dot %a, %a, %c : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @too_many_warps(%x: !tile.view<[64], f32>, %s: bf16, %z: f32) grid ["1"]
    attributes {threads = 96 : i64, wave = 32 : i64} {
  %a = tile.splat %s : bf16 -> tensor<16x16xbf16>
  %c = tile.splat %z : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{sums cannot be shared out in fragments of 16x8 to 3 warps}}
  %r = tile.dot %a, %a, %c : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @too_many_waves(%x: !tile.view<[64], f32>, %s: bf16, %z: f32) grid ["1"]
    attributes {threads = 128 : i64, wave = 64 : i64} {
  %a = tile.splat %s : bf16 -> tensor<16x16xbf16>
  %c = tile.splat %z : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{sums cannot be shared out in fragments of 16x16 to 2 warps}}
  %r = tile.dot %a, %a, %c : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @two_roles(%s: f32) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64} {
  // expected-error@+1 {{tile is dealt to roles of 256 and of 128 threads, expected one role}}
  %a = tile.splat %s : f32 -> tensor<32x64xf32>
  tile.roles warps [4, 8] threads [128, 256] registers [0, 0] {
    %b = arith.negf %a : tensor<32x64xf32>
  }, {
    %c = arith.negf %a : tensor<32x64xf32>
  }
  tile.return
}

// -----

!rows = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @async_rows(%s: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %a = tile.alloc : !rows
  %zero = tile.splat %s : f32 -> tensor<64x64xf32>
  // expected-error@+1 {{of an asynchronous product by 256 threads in waves of 32, expected 64 rows for each 128 threads in waves of 32, and a multiple of 8 columns}}
  %sum = tile.dot %a, %a transposed, %zero async : !rows, !rows, tensor<64x64xf32>
  tile.return
}

// -----

!q = !tile.shared<[48, 64], bf16, <phases = 8, rows = 1>>
!v = !tile.shared<[48, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @rows() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  %q = tile.alloc : !q
  %v = tile.alloc : !v
  %zero = arith.constant dense<0.0> : tensor<48x48xf32>
  %none = arith.constant dense<0.0> : tensor<48x64xf32>
  // expected-error@+1 {{sums cannot be shared out in fragments of 16x8 to 4 warps, each with whole rows of products that take each other's: 'tensor<48x48xf32>' 'tensor<48x64xf32>'}}
  %s = tile.dot %q, %q transposed, %zero : !q, !q, tensor<48x48xf32>
  %p = tile.convert %s : tensor<48x48xf32> -> tensor<48x48xbf16>
  %o = tile.dot %p, %v, %none : tensor<48x48xbf16>, !v, tensor<48x64xf32>
  tile.return
}
