//===- Tile.h - The tile dialect --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DIALECTS_TILE_H
#define LATHE_DIALECTS_TILE_H

#include "Problem/Problem.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lathe::tile {

/// Part of a thread's index: `thread / divisor % modulus * scale`.
struct ThreadDigit {
  int64_t divisor, modulus, scale;
};

} // namespace lathe::tile

#include "Tile/TileDialect.h.inc"
#include "Tile/TileEnums.h.inc"
#include "Tile/TileInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Tile/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "Tile/TileOps.h.inc"

namespace lathe::tile {

/// Extents of a tile: its #tile.extents in a template, else its static shape.
llvm::SmallVector<Expr> getTileExtents(mlir::RankedTensorType type);

/// A tile type of these extents: constants become static dimensions; the
/// encoding is there only if some extent is not constant.
mlir::RankedTensorType getTileType(mlir::MLIRContext *context,
                                   llvm::ArrayRef<Expr> extents,
                                   mlir::Type elementType);

/// The role that `op` is in; null if in none.
mlir::Region *getRole(mlir::Operation *op);

/// Threads that run `op`: of its role, or of the whole block. The kernel is
/// static.
int64_t getNumThreads(mlir::Operation *op);

/// Views that some store of the kernel may change, aliases included.
llvm::SmallPtrSet<mlir::Value, 4> findWrittenViews(KernelOp kernel);

/// Reports another number of offsets than the view has dimensions.
mlir::LogicalResult verifyOffsets(mlir::Operation *op, ViewType view,
                                  size_t offsets);

/// Reports dimensions of a view that a tile cannot run along.
mlir::LogicalResult verifyAlong(mlir::Operation *op, ViewType view,
                                std::optional<llvm::ArrayRef<int64_t>> along);

/// Reports a table that cannot map pages of rows.
mlir::LogicalResult verifyPages(mlir::Operation *op,
                                mlir::TypedValue<ViewType> table, size_t places,
                                std::optional<problem::ExprAttr> page,
                                std::optional<llvm::ArrayRef<int64_t>> along);

/// Element type of a tile or of shared memory that a product takes.
mlir::Type getOperandElement(mlir::Type type);

/// Whether f16 holds every value of this 8-bit float, and one instruction
/// widens two of them.
bool widensExactly(mlir::Type element);

/// The fragments that a layout has, however often turned; null where none.
MmaAttr getFragments(mlir::Attribute layout);

/// Groups of threads that have sums of their own in tiles of this layout.
int64_t getParts(mlir::Attribute layout);

/// Reports who takes a tile with parts for the sum of them, and parts that do
/// not add up to their tile.
mlir::LogicalResult checkParts(KernelOp kernel);

/// Bytes that swizzled buffers are aligned to: what ldmatrix, wgmma and TMA
/// want at most (PTX ISA, "Shared Memory Matrix Layout").
inline constexpr int64_t kSharedAlignment = 1024;

/// Threads of a warpgroup, and rows of the sums that each has of an
/// asynchronous product (PTX ISA, "Asynchronous Warpgroup Level Matrix
/// Instructions").
inline constexpr int64_t kWarpgroupThreads = 128, kWarpgroupRows = 64;

/// Blocks that every device with clusters can place together (CUDA Programming
/// Guide, "Thread Block Clusters").
inline constexpr int64_t kMaxCluster = 8;

/// Registers that a launch on NVIDIA gives each of `threads`, all that are to
/// be on a multiprocessor at once.
inline constexpr int64_t getLaunchRegisters(int64_t threads) {
  constexpr int64_t registerFile = 65536, step = 8;
  return registerFile / threads / step * step;
}

/// Attributes of functions that convert-tile-to-gpu makes: tensor maps, and
/// bytes of dynamic shared memory.
inline llvm::StringRef getTensorMapsName() { return "tile.tensor_maps"; }
inline llvm::StringRef getSharedBytesName() { return "tile.shared_bytes"; }

} // namespace lathe::tile

#endif // LATHE_DIALECTS_TILE_H
