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

    ```mlir
    !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>
    !tile.view<[H], bf16>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::lathe::problem::ExprAttr">:$extents,
                        "::mlir::Type":$elementType,
                        ArrayRefParameter<"::lathe::problem::ExprAttr">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getExtents().size(); }
    /// Stride of `dim`, spelled out where the type leaves it dense.
    ::lathe::Expr getStride(int64_t dim) const;
  }];
}

def Tile_SharedType : Tile_Type<"Shared", "shared"> {
  let summary = "a matrix in shared memory";
  let description = [{
    Rows of whole 16-byte chunks, one after the other, that all threads of the block
    see. `swizzle` says where in its row a chunk lies; `phases = 1` leaves it.

    ```mlir
    !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        "::lathe::tile::SwizzleAttr":$swizzle);
  let assemblyFormat = "`<` `[` $shape `]` `,` $elementType `,` $swizzle `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getElementBytes() const;
    int64_t getRowBytes() const;
    int64_t getBytes() const { return getShape()[0] * getRowBytes(); }
    /// The swizzle that spreads eight successive rows over all banks.
    static ::lathe::tile::SwizzleAttr
    chooseSwizzle(::mlir::MLIRContext *context, int64_t rowBytes);
  }];
}

#endif // LATHE_TILE_TYPES_TD
