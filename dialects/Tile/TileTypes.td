//===- TileTypes.td - Views and element placeholders --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TILE_TYPES_TD
#define LATHE_TILE_TYPES_TD

include "TileAttrs.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_DTypeType : Tile_Type<"DType", "dtype", [MemRefElementTypeInterface]> {
  let summary = "an element type that the instance binds";
  let description = [{
    Stands for one of the dtypes that the operator's dtype variable allows. Only
    loads, stores and `tile.convert` accept it: arithmetic happens in a type that
    the template names. References use it as the element type of memrefs.

    ```mlir
    !tile.dtype<DT>
    ```
  }];
  let parameters = (ins StringRefParameter<"variable">:$name);
  let assemblyFormat = "`<` custom<Symbol>($name) `>`";
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "a strided array in global memory";
  let description = [{
    Extents and strides (in elements) are expressions; without strides the array
    is dense and row-major. The last stride must be 1.

    A dimension may be `split`: of runs of so many elements, whose strides follow,
    while the stride is that between runs. Element `i` lies at
    `i floordiv split * stride + i mod split * run_stride`. So the tokens of a paged
    cache are one dimension, and so are columns that are packed by 16 bytes. A split
    of 1 is none. Of a split view some dimension must be contiguous: of (run) stride 1.

    ```mlir
    !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>
    !tile.view<[H], bf16>
    // x[block, head, column floordiv 8, token, column mod 8]
    !tile.view<[NB * BS, HKV, D], bf16, [HKV * D * BS, D * BS, 8 * BS], split [BS, 1, 8], [8, 0, 1]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::lathe::problem::ExprAttr">:$extents,
                        "::mlir::Type":$elementType,
                        ArrayRefParameter<"::lathe::problem::ExprAttr">:$strides,
                        ArrayRefParameter<"::lathe::problem::ExprAttr">:$splits,
                        ArrayRefParameter<"::lathe::problem::ExprAttr">:$runStrides);
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<::lathe::problem::ExprAttr>":$extents,
                     "::mlir::Type":$elementType,
                     "::llvm::ArrayRef<::lathe::problem::ExprAttr>":$strides), [{
      return $_get($_ctxt, extents, elementType, strides,
                   ::llvm::ArrayRef<::lathe::problem::ExprAttr>(),
                   ::llvm::ArrayRef<::lathe::problem::ExprAttr>());
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getExtents().size(); }
    /// Stride of `dim`, spelled out where the type leaves it dense.
    ::lathe::Expr getStride(int64_t dim) const;
    /// Whether `dim` has runs; what getSplits() and getRunStrides() say of it
    /// counts only then.
    bool isSplit(int64_t dim) const;
    /// Whether neighbours along `dim` are neighbours in memory, in each run.
    bool isContiguous(int64_t dim) const;
  }];
}

def Tile_SharedType : Tile_Type<"Shared", "shared"> {
  let summary = "a matrix in shared memory";
  let description = [{
    Rows of whole 16-byte chunks, one after the other, that all threads of the block
    see. `swizzle` says where in its row a chunk lies; `phases = 1` leaves it.
    With `panel`, the columns lie in panels of so many, one panel after the other,
    each with rows of its own: what a TMA box of at most 128 bytes a row writes.
    Panels take whole groups of eight rows. With `band = 8` such groups lie one after
    the other, each with all its panels: what one TMA box of any number of rows writes.

    ```mlir
    !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
    !tile.shared<[64, 256], bf16, <phases = 8, rows = 1>, panel = 64>
    !tile.shared<[64, 256], bf16, <phases = 8, rows = 1>, panel = 64, band = 8>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        "::lathe::tile::SwizzleAttr":$swizzle,
                        OptionalParameter<"int64_t">:$panel,
                        OptionalParameter<"int64_t">:$band);
  let assemblyFormat = [{
    `<` `[` $shape `]` `,` $elementType `,` $swizzle (`,` `panel` `=` $panel^)?
    (`,` `band` `=` $band^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getElementBytes() const;
    /// Columns of one panel: all of them where `panel` says nothing.
    int64_t getPanelColumns() const {
      return getPanel() != 0 ? getPanel() : getShape()[1];
    }
    int64_t getNumPanels() const { return getShape()[1] / getPanelColumns(); }
    /// Bytes of a row inside a panel.
    int64_t getRowBytes() const { return getPanelColumns() * getElementBytes(); }
    /// From one panel to the next: whole groups of eight rows, since swizzles
    /// go by address.
    int64_t getPanelBytes() const {
      return (getBand() != 0 ? getBand() : (getShape()[0] + 7) / 8 * 8) *
             getRowBytes();
    }
    /// From one row to the next, counted over whole bands.
    int64_t getRowStride() const {
      return getRowBytes() * (getBand() != 0 ? getNumPanels() : 1);
    }
    int64_t getBytes() const {
      return getBand() != 0 ? getShape()[0] * getRowStride()
                            : getNumPanels() * getPanelBytes();
    }
    /// Bytes of the elements alone.
    int64_t getContentBytes() const {
      return getShape()[0] * getShape()[1] * getElementBytes();
    }
    /// Whether `blocks` blocks can each bring some of the rows to all: equal
    /// parts, of whole groups of eight, since swizzles go by address.
    bool canMulticast(int64_t blocks) const {
      return getShape()[0] % (blocks * 8) == 0;
    }
    /// Bytes of the swizzle by TMA's and wgmma's names: 32, 64 or 128, or 0 for
    /// none; nothing where they have none like it.
    std::optional<int64_t> getSwizzleBytes() const;
    /// Panels of at most 128 bytes, swizzled so that eight successive rows
    /// spread over all banks: what TMA and matrix instructions can address.
    static ::lathe::tile::SharedType
    choose(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
           ::llvm::ArrayRef<int64_t> shape, ::mlir::Type elementType);
    /// The same in bands of eight rows, if it has such; else this.
    ::lathe::tile::SharedType inBands() const;
  }];
}

def Tile_RingType : Tile_Type<"Ring", "ring"> {
  let summary = "slots of shared memory that a pipeline fills in turn";
  let description = [{
    ```mlir
    !tile.ring<3, <[128, 64], bf16, <phases = 8, rows = 1>>>
    ```
  }];
  let parameters = (ins "int64_t":$slots, "::lathe::tile::SharedType":$buffer);
  let assemblyFormat = "`<` $slots `,` $buffer `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getBytes() const { return getSlots() * getBuffer().getBytes(); }
  }];
}

def Tile_MbarriersType : Tile_Type<"Mbarriers", "mbarriers"> {
  let summary = "mbarrier objects in shared memory, one per slot of a ring";
  let description = [{
    Each counts arrivals and bytes of the phase it is in; phases have parities 0, 1,
    0, ... (PTX ISA, "Parallel Synchronization and Communication Instructions:
    mbarrier").

    ```mlir
    !tile.mbarriers<3>
    ```
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Size and alignment of one.
    static constexpr int64_t kElementBytes = 8;
    int64_t getBytes() const { return getCount() * kElementBytes; }
  }];
}

#endif // LATHE_TILE_TYPES_TD
