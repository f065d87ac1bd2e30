//===- TileDialect.td - How one block computes --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TILE_DIALECT_TD
#define LATHE_TILE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "how one block computes";
  let description = [{
    A kernel is written for one block as a program over *register tiles*: ranked
    tensors, so that `arith`, `math` and `scf` apply to them unchanged. The
    dialect adds only what upstream lacks: kernels with a schedule space, views
    of global memory, loads and stores masked at a view's bounds, reductions,
    broadcasts and explicit rounding points.

    **Two levels, one dialect.** In a *template*, extents are expressions over
    named parameters: a tile's type is `tensor<?x?xf32, #tile.extents<[ROWS, H]>>`
    and element types may be `!tile.dtype<DT>`. `tile-specialize` binds every
    parameter; what is left is a *static* module, whose tensors have constant
    extents and whose only symbols are the request's dimensions, passed to the
    kernel at run time. `tile-infer-layouts` then gives each tensor a layout as its
    encoding, and `convert-tile-to-gpu` distributes it over threads.

    **Out of bounds.** A tile may hang over the edge of a view. Elements outside
    read as zero and are not written. A reduction sees them as zero too: where
    that is not neutral, `tile.in_bounds` gives the mask.

    **Names.** A name in capitals is a parameter. Which names are dimensions and
    which belong to the schedule is not said by the name: a kernel's `space` lists
    the schedule, `runtime` the dimensions it accepts at run time, and everything
    else must be bound by the instance.
  }];
  let cppNamespace = "::lathe::tile";
  let dependentDialects = ["::lathe::problem::ProblemDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttrs();
  }];
}

#endif // LATHE_TILE_DIALECT_TD
