// RUN: lathe-opt %s --split-input-file --verify-diagnostics

tile.kernel @convert_shape(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> tensor<8xf32>
  // expected-error@+1 {{expected only the element type to differ}}
  %c = tile.convert %t : tensor<8xf32> -> tensor<4xbf16>
  tile.return
}

// -----

tile.kernel @convert_integer(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> tensor<8xf32>
  // expected-error@+1 {{converts between float element types only}}
  %c = tile.convert %t : tensor<8xf32> -> tensor<8xi32>
  tile.return
}

// -----

tile.kernel @splat(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  // expected-error@+1 {{splats 'f32' to a tile of 'bf16'}}
  %t = tile.splat %s : f32 -> tensor<8xbf16>
  tile.return
}

// -----

tile.kernel @broadcast_dim(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> tensor<8xf32>
  // expected-error@+1 {{names dimension 2 of a tile of rank 2}}
  %b = tile.broadcast %t along 2 : tensor<8xf32> -> tensor<2x8xf32>
  tile.return
}

// -----

tile.kernel @broadcast_extents(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> tensor<8xf32>
  // expected-error@+1 {{expected them to differ in dimension 1 only}}
  %b = tile.broadcast %t along 1 : tensor<8xf32> -> tensor<2x8xf32>
  tile.return
}

// -----

tile.kernel @reduce_rank(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> tensor<2x8xf32>
  // expected-error@+1 {{expected them to differ in dimension 1 only}}
  %r = tile.reduce <add> %t along 1 : tensor<2x8xf32> -> tensor<2x1xf32>
  tile.return
}

// -----

tile.kernel @reduce_symbols(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> tensor<?x8xf32, #tile.extents<[ROWS, 8]>>
  // expected-error@+1 {{expected them to differ in dimension 1 only}}
  %r = tile.reduce <add> %t along 1 : tensor<?x8xf32, #tile.extents<[ROWS, 8]>> -> tensor<?xf32, #tile.extents<[H]>>
  tile.return
}

// -----

tile.kernel @reduce_changes(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> tensor<2x8xf32>
  // expected-error@+1 {{changes element type 'f32' to 'f64'}}
  %r = tile.reduce <add> %t along 1 : tensor<2x8xf32> -> tensor<2xf64>
  tile.return
}

// -----

tile.kernel @reduce_dtype(%x: !tile.view<[2, 8], !tile.dtype<DT>>) grid ["1"] {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<[2, 8], !tile.dtype<DT>> -> tensor<2x8x!tile.dtype<DT>>
  // expected-error@+1 {{reduces integer or float elements only}}
  %r = tile.reduce <add> %t along 1 : tensor<2x8x!tile.dtype<DT>> -> tensor<2x!tile.dtype<DT>>
  tile.return
}

// -----

tile.kernel @reduce_kind(%x: !tile.view<[2, 8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> tensor<2x8xf32>
  // expected-error@+2 {{expected ::lathe::tile::ReduceKind to be one of: add, max, min}}
  // expected-error@+1 {{failed to parse}}
  %r = tile.reduce <mean> %t along 1 : tensor<2x8xf32> -> tensor<2xf32>
  tile.return
}

// -----

!parent = tensor<2x8xf32, #tile.blocked<vector = [1, 1], threads = [2, 16]>>
tile.kernel @reduce_layout(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> !parent
  // expected-error@+1 {{relates layouts that are not parent and slice of dimension 1}}
  %r = tile.reduce <add> %t along 1 : !parent -> tensor<2xf32>
  tile.return
}

// -----

!parent = tensor<2x8xf32, #tile.blocked<vector = [1, 1], threads = [2, 16]>>
!child = tensor<2xf32, #tile.slice<1, #tile.blocked<vector = [1, 1], threads = [4, 8]>>>
tile.kernel @broadcast_layout(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] {
  %t = tile.splat %s : f32 -> !child
  // expected-error@+1 {{relates layouts that are not parent and slice of dimension 1}}
  %r = tile.broadcast %t along 1 : !child -> !parent
  tile.return
}
