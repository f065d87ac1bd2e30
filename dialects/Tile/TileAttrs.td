//===- TileAttrs.td - Layouts, extents, policies ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TILE_ATTRS_TD
#define LATHE_TILE_ATTRS_TD

include "TileDialect.td"
include "TileInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tile_ExtentsAttr
    : Tile_Attr<"Extents", "extents",
                [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "parametric extents of a tile";
  let description = [{
    The encoding of a tensor in a template. Each extent is an expression; where
    it is constant the tensor's dimension is that constant, elsewhere it is `?`.

    ```mlir
    tensor<?x?xf32, #tile.extents<[ROWS, D floordiv 2]>>
    tensor<1x?xf32, #tile.extents<[1, BLOCK]>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::lathe::problem::ExprAttr">:$extents);
  let assemblyFormat = "`<` custom<ExprList>($extents) `>`";
}

def Tile_BlockedAttr
    : Tile_Attr<"Blocked", "blocked",
                [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
                 DeclareAttrInterfaceMethods<Tile_LayoutInterface>]> {
  let summary = "elements dealt to threads in vectors, round robin";
  let description = [{
    Thread `t` of the block has coordinates `t = (c0 * threads[1] + c1) * ...`,
    the last dimension fastest. Along dimension `d` it holds elements

        (r * threads[d] + c_d) * vector[d] + v,   0 <= v < vector[d]

    for r = 0, 1, ... while the first of them is inside the extent rounded up.
    Nothing is a power of two: an extent that `threads[d] * vector[d]` does not
    divide leaves *inert* elements in the last round, which no load reads, no
    store writes and no reduction counts.

    ```mlir
    // 128 threads, four rows at once, 16 bytes of bf16 each
    tensor<4x1152xbf16, #tile.blocked<vector = [1, 8], threads = [4, 32]>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$vector,
                        ArrayRefParameter<"int64_t">:$threads);
  let assemblyFormat =
      "`<` `vector` `=` `[` $vector `]` `,` `threads` `=` `[` $threads `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Distance in threads between neighbours along `dim`.
    int64_t getThreadStride(int64_t dim) const;
    /// Of a tile of rank 2: neighbouring threads take neighbours in a row of
    /// `columns`, `vector` each, whole rows first.
    static ::lathe::tile::BlockedAttr byRows(::mlir::MLIRContext *context,
                                             int64_t columns, int64_t vector,
                                             int64_t numThreads);
  }];
}

def Tile_Fragment : I32EnumAttr<"Fragment", "what one matrix instruction makes", [
  I32EnumAttrCase<"M16N8", 0, "m16n8">,
  I32EnumAttrCase<"M16N16", 1, "m16n16">,
  I32EnumAttrCase<"M32N32", 2, "m32n32">
]> {
  let cppNamespace = "::lathe::tile";
  let genSpecializedAttr = 0;
}

def Tile_MmaAttr
    : Tile_Attr<"Mma", "mma",
                [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
                 DeclareAttrInterfaceMethods<Tile_LayoutInterface>]> {
  let summary = "accumulators of matrix instructions";
  let description = [{
    A tile of rank 2 in fragments, which warps take round robin: warp `w` has
    coordinates `(w / warps[1], w % warps[1])` and holds fragment `(i, j)` where
    `i mod warps[0]` and `j mod warps[1]` are its coordinates.

    `m16n8` is what `mma.sync` of shape m16n8 leaves in its accumulators (PTX ISA,
    "Matrix Fragments for mma.m16n8k16"): element `e` of lane `l` is at row
    `l / 4 + 8 * (e / 2)`, column `2 * (l % 4) + e % 2`. The accumulators of a
    warpgroup's `wgmma` m64nNk16 are the same with `warps = [4, 1]`.

    `m16n16` and `m32n32` are what `v_mfma` of these shapes leaves in waves of 64 (AMD
    CDNA3 ISA, "Dense Matrix Multiplication") when it forms the transposed product, b
    first, so that a lane holds four neighbours of a row. Element `e` of lane `l`:

    | fragment | row | column |
    |---|---|---|
    | `m16n16` | `l % 16` | `4 * (l / 16) + e` |
    | `m32n32` | `l % 32` | `8 * (e / 4) + 4 * (l / 32) + e % 4` |

    ```mlir
    // four warps, each with 32 rows and 64 columns
    tensor<64x128xf32, #tile.mma<m16n8, warps = [2, 2]>>
    ```
    The tile's extents are multiples of fragment times warps.

    With `parts = n` there are n such groups of warps, one after the other. Each has
    a sum of its own for every element, over its part of K; `tile.cluster_reduce`
    adds them up.
  }];
  let parameters = (ins EnumParameter<Tile_Fragment>:$fragment,
                        ArrayRefParameter<"int64_t">:$warps,
                        DefaultValuedParameter<"int64_t", "1">:$parts);
  let builders = [AttrBuilder<(ins "::lathe::tile::Fragment":$fragment,
                                   "::llvm::ArrayRef<int64_t>":$warps), [{
    return $_get($_ctxt, fragment, warps, 1);
  }]>];
  let assemblyFormat =
      "`<` $fragment `,` `warps` `=` `[` $warps `]` (`,` `parts` `=` $parts^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Lanes of the wave that holds a fragment.
    int64_t getWave() const;
    /// Which part of K a thread adds up.
    ::lathe::tile::ThreadDigit getPartDigit() const;
    /// Rows (0) or columns (1) of one fragment.
    int64_t getFragmentSize(int64_t dim) const;
    /// Rows or columns that all warps take in one turn.
    int64_t getTurnSize(int64_t dim) const {
      return getFragmentSize(dim) * getWarps()[dim];
    }
  }];
}

def Tile_OperandAttr
    : Tile_Attr<"Operand", "operand",
                [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
                 DeclareAttrInterfaceMethods<Tile_LayoutInterface>]> {
  let summary = "an operand in the registers of the warps that multiply it";
  let description = [{
    Of a product whose sums lie as `parent`, in fragments `m16n8`, a tile of rank 2
    with K in rows: `a` where `dim` is 0, `b` transposed where it is 1. A warp has the
    rows of its sums, lane `l` those that are `l / 4` modulo 8. Of each run of
    `4 * vector` elements of K, lane `l` has `vector` neighbours from
    `l % 4 * vector` on; runs go round the parts.

    That is another order of K than the instruction's ("Matrix Fragments for
    mma.m16n8k16"), but one for both operands, and sums may be in any order. So what
    a lane multiplies it can read 16 bytes at a time.

    ```mlir
    // eight warps, each with 32 of 256 elements of K
    tensor<16x256xbf16, #tile.operand<0, <m16n8, warps = [1, 1], parts = 8>, vector = 8>>
    ```
  }];
  let parameters = (ins "int64_t":$dim, "::lathe::tile::MmaAttr":$parent,
                        "int64_t":$vector);
  let assemblyFormat = "`<` $dim `,` $parent `,` `vector` `=` $vector `>`";
  let genVerifyDecl = 1;
}

def Tile_TransposedAttr
    : Tile_Attr<"Transposed", "transposed",
                [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
                 DeclareAttrInterfaceMethods<Tile_LayoutInterface>]> {
  let summary = "a layout of rank 2 with its dimensions exchanged";
  let description = [{
    Element (i, j) is where the parent has (j, i).

    ```mlir
    tensor<16x128xf32, #tile.transposed<#tile.mma<m16n8, warps = [8, 1]>>>
    ```
  }];
  let parameters = (ins "::lathe::tile::LayoutInterface":$parent);
  let assemblyFormat = "`<` $parent `>`";
  let genVerifyDecl = 1;
}

def Tile_SliceAttr
    : Tile_Attr<"Slice", "slice",
                [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "a parent layout without one dimension";
  let description = [{
    The layout of a reduction's result and of a broadcast's operand: every thread
    along the missing dimension of the parent holds the same elements.

    ```mlir
    tensor<4xf32, #tile.slice<1, #tile.blocked<vector = [1, 8], threads = [4, 32]>>>
    ```
  }];
  let parameters = (ins "int64_t":$dim, "::lathe::tile::LayoutInterface":$parent);
  let assemblyFormat = "`<` $dim `,` $parent `>`";
  let genVerifyDecl = 1;
}

def Tile_SwizzleAttr : Tile_Attr<"Swizzle", "swizzle"> {
  let summary = "how chunks of 16 bytes move inside rows of shared memory";
  let description = [{
    Chunk `c` of row `r` is stored at chunk `c ^ (r / rows % phases)` of that row.
    Where `rows * phases` is 8, eight lanes that read one chunk each of eight
    successive rows touch all 32 banks once. `phases = 8, rows = 1` over rows of 128
    bytes is what TMA calls 128-byte swizzle, `4, 2` over 64 and `2, 4` over 32
    bytes its narrower ones.

    ```mlir
    !tile.shared<[64, 64], bf16, #tile.swizzle<phases = 8, rows = 1>>
    ```
  }];
  let parameters = (ins "int64_t":$phases, "int64_t":$rows);
  let assemblyFormat =
      "`<` `phases` `=` $phases `,` `rows` `=` $rows `>`";
  let genVerifyDecl = 1;
}

def Tile_TensorMapAttr : Tile_Attr<"TensorMap", "tensor_map"> {
  let summary = "a kernel parameter that describes a view to the copy engine";
  let description = [{
    What cuTensorMapEncodeTiled takes (CUDA driver API, "Tensor Map Object
    Management"), innermost dimension first: the operand whose memory it is, element
    type, `extents` in elements, `strides` of all but the innermost in bytes, the
    `box` of one copy in elements, and the bytes of the `swizzle` (0, 32, 64, 128).
    Functions that `convert-tile-to-gpu` makes list theirs in `tile.tensor_maps`, in
    the order of their last parameters.

    ```mlir
    #tile.tensor_map<operand = 0, bf16, extents = [K, M], strides = [XS * 2],
                     box = [64, 128], swizzle = 128>
    ```
  }];
  let parameters = (ins "int64_t":$operand, "::mlir::Type":$elementType,
                        ArrayRefParameter<"::lathe::problem::ExprAttr">:$extents,
                        ArrayRefParameter<"::lathe::problem::ExprAttr">:$strides,
                        ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` `operand` `=` $operand `,` $elementType `,`
    `extents` `=` custom<ExprList>($extents) `,`
    `strides` `=` custom<ExprList>($strides) `,`
    `box` `=` `[` $box `]` `,` `swizzle` `=` $swizzle `>`
  }];
  let genVerifyDecl = 1;
}

def Tile_ReduceKind : I32EnumAttr<"ReduceKind", "how a reduction combines", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">
]> {
  let cppNamespace = "::lathe::tile";
  let genSpecializedAttr = 0;
}

def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_CachePolicy : I32EnumAttr<"CachePolicy", "what caches should keep", [
  I32EnumAttrCase<"Normal", 0, "normal">,
  I32EnumAttrCase<"EvictFirst", 1, "evict_first">
]> {
  let cppNamespace = "::lathe::tile";
  let genSpecializedAttr = 0;
}

def Tile_CachePolicyAttr
    : EnumAttr<Tile_Dialect, Tile_CachePolicy, "cache_policy"> {
  let summary = "what caches should keep";
  let description = [{
    `evict_first` marks data that is touched once: stores become `st.global.cs` on
    NVIDIA (loads stay plain, see `lower-nontemporal`, but for operands that warps load as
    they multiply: those pass by L1), CDNA gets the non-temporal bit on both.
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif // LATHE_TILE_ATTRS_TD
