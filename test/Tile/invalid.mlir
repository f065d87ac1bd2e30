// RUN: lathe-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Types and layouts
//===----------------------------------------------------------------------===//

// expected-error@+1 {{view has no dimension, expected at least one}}
func.func private @view_rank(!tile.view<[], f32>)

// -----

// expected-error@+1 {{view of 'index', expected an integer, a float or !tile.dtype}}
func.func private @view_element(!tile.view<[T], index>)

// -----

// expected-error@+1 {{view has 1 strides, expected 2}}
func.func private @view_strides(!tile.view<[T, H], f32, [1]>)

// -----

// expected-error@+1 {{last stride of view is 'XS', expected 1}}
func.func private @view_last_stride(!tile.view<[T, H], f32, [1, XS]>)

// -----

// expected-error@+1 {{view has 1 splits and 2 strides of runs, expected 2 of each}}
func.func private @view_splits(!tile.view<[T, H], f32, [H, 8], split [8], [1, 1]>)

// -----

// expected-error@+1 {{view is split into runs of 0 elements, expected at least 1}}
func.func private @view_runs(!tile.view<[T, H], f32, [H, 8], split [1, 0], [0, 1]>)

// -----

// expected-error@+1 {{no dimension of view is contiguous, expected one with a stride, or a stride of runs, of 1}}
func.func private @view_apart(!tile.view<[T, H], f32, [H, 8], split [1, 8], [1, 2]>)

// -----

// expected-error@+1 {{expected a name, an integer or '('}}
func.func private @expr_primary(!tile.view<[T, *], f32>)

// -----

// expected-error@+1 {{column}}
func.func private @expr_name(!tile.view<[sqrt(T)], f32>)

// -----

// expected-error@+1 {{tile has rank 1, expected 2 from its extents}}
func.func private @extents_rank(tensor<?xf32, #tile.extents<[ROWS, H]>>)

// -----

// expected-error@+1 {{extent 'H' does not fit dimension '8'}}
func.func private @extents_static(tensor<8xf32, #tile.extents<[H]>>)

// -----

// expected-error@+1 {{extent '8' does not fit dimension '?'}}
func.func private @extents_dynamic(tensor<?xf32, #tile.extents<[8]>>)

// -----

// expected-error@+1 {{layout has 2 vector sizes and 1 thread counts, expected one of each per dimension}}
func.func private @blocked_ranks(tensor<4xf32, #tile.blocked<vector = [1, 2], threads = [32]>>)

// -----

// expected-error@+1 {{layout has size 0, expected at least 1}}
func.func private @blocked_size(tensor<4xf32, #tile.blocked<vector = [0], threads = [32]>>)

// -----

// expected-error@+1 {{tile has rank 2, expected 1 from its layout}}
func.func private @layout_rank(tensor<4x4xf32, #tile.blocked<vector = [1], threads = [32]>>)

// -----

// expected-error@+1 {{a tile with a layout must have constant extents}}
func.func private @layout_dynamic(tensor<?xf32, #tile.blocked<vector = [1], threads = [32]>>)

// -----

// expected-error@+1 {{slice of dimension 1, expected one below the parent's rank 1}}
func.func private @slice_dim(tensor<f32, #tile.slice<1, #tile.blocked<vector = [1], threads = [32]>>>)

// -----

// expected-error@+1 {{layout deals out more than 2147483647 elements a round}}
func.func private @blocked_overflow(tensor<4x4xf32, #tile.blocked<vector = [1, 1], threads = [4294967296, 4294967296]>>)

// -----

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

tile.kernel @load_offsets(%x: !tile.view<[T, 8], f32>) grid ["T"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has 1 offsets, expected 2 from its view}}
  %t = tile.load %x[%c0] : !tile.view<[T, 8], f32> -> tensor<1x8xf32>
  tile.return
}

// -----

tile.kernel @load_rank(%x: !tile.view<[T, 8], f32>) grid ["T"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has a tile of rank 1, expected 2}}
  %t = tile.load %x[%c0, %c0] : !tile.view<[T, 8], f32> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @load_element(%x: !tile.view<[8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has a tile of 'bf16', expected 'f32'}}
  %t = tile.load %x[%c0] : !tile.view<[8], f32> -> tensor<8xbf16>
  tile.return
}

// -----

tile.kernel @store_element(%x: !tile.view<[8], !tile.dtype<DT>>, %s: f32) grid ["1"] {
  %c0 = arith.constant 0 : index
  %t = tile.splat %s : f32 -> tensor<8xf32>
  // expected-error@+1 {{has a tile of 'f32', expected '!tile.dtype<DT>'}}
  tile.store %t to %x[%c0] : tensor<8xf32>, !tile.view<[8], !tile.dtype<DT>>
  tile.return
}

// -----

tile.kernel @in_bounds_rank(%x: !tile.view<[8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has a tile of rank 2, expected 1}}
  %t = tile.in_bounds %x[%c0] : !tile.view<[8], f32> -> tensor<1x8xi1>
  tile.return
}

// -----

tile.kernel @in_bounds_element(%x: !tile.view<[8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{must be tensor of 1-bit signless integer values}}
  %t = tile.in_bounds %x[%c0] : !tile.view<[8], f32> -> tensor<8xi8>
  tile.return
}

// -----

tile.kernel @axis(%x: !tile.view<[8], f32>) grid ["1"] {
  // expected-error@+1 {{attribute 'axis' failed to satisfy constraint}}
  %i = tile.program_id 3
  tile.return
}

// -----

tile.kernel @size(%x: !tile.view<[8], f32>) grid ["1"] {
  // expected-error@+1 {{column 4}}
  %i = tile.size "H +"
  tile.return
}
