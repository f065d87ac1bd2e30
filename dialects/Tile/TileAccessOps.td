//===- TileAccessOps.td - Tiles and views --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of TileOps.td, which includes it.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TILE_ACCESS_OPS_TD
#define LATHE_TILE_ACCESS_OPS_TD

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a tile of a view, into registers";
  let description = [{
    Element `e` is the view's element at `offsets + e`, or zero outside the
    view's extents. Access width follows from the layout and from what is known
    of strides and offsets, never beyond it.

    `along` names the view's dimensions that those of the tile run along, in any order:
    rows of a head, say, or columns of which each is one row of the view. With `until`
    rows of the tile from that place of the view on are zero as well: where a sequence
    ends amidst others.

    With `through` the view's first dimension is in pages of `pages` rows, which a table
    of i32 maps: row `t` is row `t mod pages` of page `table[row, t floordiv pages]`.
    Rows behind the table's end are zero. `until` then counts rows of the pages, which
    the tile may have as columns; pages are read whole.

    **Preconditions.** One offset per dimension of the view; the tile has the
    view's element type, and its rank or that of `along`, whose last is contiguous;
    pages are of dimension 0, which the tile runs along; `until` is not negative.

    ```mlir
    %t = tile.load %x[%row, %c0] evict_first
       : !tile.view<[T, H], bf16> -> tensor<4x1152xbf16>
    %k = tile.load %cache[%j, %head, %c0] along [0, 2] until %keys through %table[%s] pages "BS"
       : !tile.view<[NB * BS, HKV, D], bf16> through !tile.view<[S, MB], i32> -> tensor<128x128xbf16>
    // Values of 64 tokens, whose place in a page is the fastest dimension.
    %v = tile.load %cache[%j, %head, %c0] along [2, 0] until %keys through %table[%s] pages "BS"
       : !tile.view<[NB * BS, HKV, D], bf16, [HKV * D * BS, D * BS, BS], split [BS, 1, 1], [1, 0, 0]>
       through !tile.view<[S, MB], i32> -> tensor<128x64xbf16>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets,
      Optional<Index>:$until, Optional<Tile_ViewType>:$table, Variadic<Index>:$row,
      OptionalAttr<Problem_ExprAttr>:$page, OptionalAttr<DenseI64ArrayAttr>:$along,
      DefaultValuedAttr<Tile_CachePolicyAttr, "::lathe::tile::CachePolicy::Normal">:$cache);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`along` $along^)? (`until` $until^)?
    (`through` $table^ `[` $row `]` `pages` custom<ExprText>($page))?
    custom<Cache>($cache) attr-dict
    `:` qualified(type($view)) (`through` qualified(type($table))^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "the index of each element along one dimension";
  let description = [{
    ```mlir
    %column = tile.iota along 1 : tensor<128x64xi32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs TensorOf<[I32]>:$result);
  let assemblyFormat = "`along` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_LoadElementOp : Tile_Op<"load_element", [Pure]> {
  let summary = "one element of a view, for all threads";
  let description = [{
    The view's element at the offsets, or zero outside its extents: where a sequence
    begins, which block of a cache holds it. No store of the kernel may change the
    view, so that roles and loops may load it anew wherever they need it.

    **Preconditions.** One offset per dimension of the view; the result is of its
    element type, of at least 16 bits if that is a float.

    ```mlir
    %begin = tile.load_element %cu_seqlens[%s] : !tile.view<[len_LQ + 1], i32> -> i32
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets);
  let results = (outs Tile_ScalarType:$result);
  let assemblyFormat = "$view `[` $offsets `]` attr-dict `:` qualified(type($view)) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LoadGroupsOp : Tile_Op<"load_groups", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a line of a view, each element for a group of neighbours";
  let description = [{
    Element `e` of the tile is the view's element at `(offset + e) floordiv group`
    along dimension `along`, where `offset` is the offset there, and at the offsets
    along the others; or zero outside the view. So the scales of blocks meet what
    they scale.

    **Preconditions.** One offset per dimension of the view, none negative; a tile of
    rank 1 of the view's element type; a group of at least 1.

    ```mlir
    %s = tile.load_groups %scales[%col, %block] along 0 groups "GN"
       : !tile.view<[N ceildiv GN, B], f32> -> tensor<256xf32>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$dim, Problem_ExprAttr:$group);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` `along` $dim `groups` custom<ExprText>($group) attr-dict
    `:` qualified(type($view)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a tile from registers into a view";
  let description = [{
    Elements outside the view's extents are dropped, with `until` also rows from
    that place of the view on. `along` is that of `tile.load`.

    ```mlir
    tile.store %t to %y[%row, %c0] evict_first
        : tensor<4x1152xbf16>, !tile.view<[T, H], bf16>
    tile.store %o to %out[%row, %head, %c0] along [0, 2] until %end
        : tensor<128x72xbf16>, !tile.view<[T, NH, 72], bf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ViewType:$view,
      Variadic<Index>:$offsets, Optional<Index>:$until,
      OptionalAttr<DenseI64ArrayAttr>:$along,
      DefaultValuedAttr<Tile_CachePolicyAttr, "::lathe::tile::CachePolicy::Normal">:$cache);
  let assemblyFormat = [{
    $value `to` $view `[` $offsets `]` (`along` $along^)? (`until` $until^)?
    custom<Cache>($cache) attr-dict
    `:` type($value) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
}

def Tile_InBoundsOp : Tile_Op<"in_bounds", [Pure]> {
  let summary = "which elements of a tile lie inside a view";
  let description = [{
    True exactly where `tile.load` at the same offsets reads memory.

    ```mlir
    %m = tile.in_bounds %x[%row, %c] : !tile.view<[T, H], bf16> -> tensor<1x512xi1>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets);
  let results = (outs TensorOf<[I1]>:$result);
  let assemblyFormat = "$view `[` $offsets `]` attr-dict `:` qualified(type($view)) `->` type($result)";
  let hasVerifier = 1;
}

#endif // LATHE_TILE_ACCESS_OPS_TD
