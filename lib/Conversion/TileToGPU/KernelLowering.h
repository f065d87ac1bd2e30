//===- KernelLowering.h - One kernel, from tiles to threads -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CONVERSION_KERNELLOWERING_H
#define LATHE_LIB_CONVERSION_KERNELLOWERING_H

#include "Tile/Tile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace lathe {

/// Which elements of a tile one thread holds: per dimension, `count(d)` slots;
/// slot s is element `base(d) + roundOffset(d, s / vector) + s % vector`.
class Distribution {
public:
  explicit Distribution(mlir::RankedTensorType type);

  int64_t rank() const { return type.getRank(); }
  int64_t extent(int64_t dim) const { return type.getShape()[dim]; }
  int64_t vectorSize(int64_t dim) const;
  int64_t rounds(int64_t dim) const;
  int64_t count(int64_t dim) const { return rounds(dim) * vectorSize(dim); }
  /// First element of round `round`, relative to the thread's base.
  int64_t roundOffset(int64_t dim, int64_t round) const;
  /// Whether some thread holds nothing in round `round` along `dim`.
  bool mayBeInert(int64_t dim, int64_t round) const;
  /// The layout's dimension that tile dimension `dim` is dealt along.
  int64_t layoutDim(int64_t dim) const;
  tile::LayoutInterface layout() const { return dealt; }

  mlir::VectorType threadType(mlir::Type element) const;
  mlir::VectorType threadType() const {
    return threadType(type.getElementType());
  }

private:
  mlir::RankedTensorType type;
  tile::LayoutInterface dealt;
  int64_t sliced = -1;
};

/// Rewrites the body of one tile.kernel into a gpu.func.
class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, mlir::OpBuilder &builder)
      : kernel(kernel), builder(builder) {}

  /// Builds the gpu.module before the kernel; reports errors on its operations.
  mlir::LogicalResult run();

private:
  mlir::gpu::GPUFuncOp createFunction(mlir::gpu::GPUModuleOp module);
  mlir::LogicalResult checkViews();
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::Operation *op);
  mlir::LogicalResult lowerIf(mlir::Operation *op);
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  mlir::LogicalResult lowerConvert(tile::ConvertOp op);
  void lowerBroadcast(tile::BroadcastOp op);

  // LowerAccess.cpp
  struct Access;
  mlir::LogicalResult lowerLoad(tile::LoadOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  mlir::LogicalResult lowerInBounds(tile::InBoundsOp op);
  Access analyzeAccess(mlir::Location loc,
                       mlir::TypedValue<tile::ViewType> view,
                       mlir::ValueRange offsets, mlir::RankedTensorType type);
  bool isProvenInBounds(mlir::Value offset, int64_t extent, const Expr &bound);
  int64_t getDivisor(mlir::Value value);
  /// Elements to move at once in the last dimension.
  int64_t getAccessWidth(const Access &access,
                         mlir::TypedValue<tile::ViewType> view,
                         mlir::ValueRange offsets);
  mlir::Value rowPointer(mlir::Location loc, const Access &access,
                         mlir::ArrayRef<int64_t> slots);
  /// True where `slot` of `dim` is inside tile and view; null if always.
  mlir::Value guard(mlir::Location loc, const Access &access, int64_t dim,
                    int64_t round, int64_t element = 0);

  /// True where `slots`, one per leading dimension, are inside, and `also`
  /// holds if it is given; null if always.
  mlir::Value guardSlots(mlir::Location loc, const Access &access,
                         mlir::ArrayRef<int64_t> slots, mlir::Value also = {});

  // LowerReduce.cpp
  mlir::LogicalResult lowerReduce(tile::ReduceOp op);
  mlir::Value combine(mlir::Location loc, tile::ReduceKind kind, mlir::Value a,
                      mlir::Value b);
  mlir::Value neutral(mlir::Location loc, tile::ReduceKind kind,
                      mlir::Type type);
  mlir::Value reduceInThread(tile::ReduceOp op, const Distribution &from,
                             mlir::Value vector, mlir::ArrayRef<int64_t> slots);
  void reduceAcrossWarps(tile::ReduceOp op, const Distribution &from,
                         mlir::MutableArrayRef<mlir::Value> partials);

  // LowerDot.cpp
  void lowerAlloc(tile::AllocOp op);
  void lowerWriteShared(tile::WriteSharedOp op);
  mlir::LogicalResult lowerDot(tile::DotOp op);
  /// Address of byte `column` of row `row + moreRows`, `moreRows` being a
  /// multiple of 8, so that the swizzle is that of `row`.
  mlir::Value sharedPointer(mlir::Location loc, tile::SharedType type,
                            mlir::Value buffer, mlir::Value row,
                            int64_t moreRows, mlir::Value column);

  // LowerMma.cpp, LowerMfma.cpp: operands are in shared memory, `depth` is the
  // extent that is summed over.
  struct Fragments;
  mlir::LogicalResult lowerMma(tile::DotOp op, int64_t depth);
  mlir::LogicalResult lowerMfma(tile::DotOp op, int64_t depth);
  Fragments placeFragments(tile::DotOp op, bool isB);
  /// Fragment registers of `count` 8x8 matrices.
  llvm::SmallVector<mlir::Value> loadMatrices(mlir::Location loc,
                                              const Fragments &fragments,
                                              int64_t outer, int64_t step,
                                              int64_t count);

  // Shared
  mlir::Value index(mlir::Location loc, int64_t value);
  mlir::Value threadId(mlir::Location loc);
  /// One digit of this thread's index among `numThreads`, times its scale.
  mlir::Value threadDigit(mlir::Location loc, tile::ThreadDigit digit,
                          int64_t numThreads);
  /// Weighted sum of digits of this thread's index; computed once.
  mlir::Value threadSum(mlir::Location loc, tile::LayoutInterface layout,
                        int64_t dim);
  /// First element along tile dimension `dim` that this thread holds.
  mlir::Value threadBase(mlir::Location loc, const Distribution &distribution,
                         int64_t dim);
  /// Whether `materialize` can compute `expr` from the run-time dims.
  bool isComputable(const Expr &expr);
  mlir::Value materialize(mlir::Location loc, const Expr &expr);
  mlir::Type convertType(mlir::Type type);

  tile::KernelOp kernel;
  mlir::OpBuilder &builder;
  mlir::gpu::GPUFuncOp function;
  mlir::IRMapping mapping;
  /// Values computed once at the top of the kernel.
  llvm::DenseMap<std::pair<mlir::Attribute, int64_t>, mlir::Value> coords;
  mlir::Value tid;
};

/// Calls `body` with every index tuple below `sizes`, last fastest.
void forEachIndex(mlir::ArrayRef<int64_t> sizes,
                  llvm::function_ref<void(mlir::ArrayRef<int64_t>)> body);

} // namespace lathe

#endif // LATHE_LIB_CONVERSION_KERNELLOWERING_H
