//===- OperandStages.h - What loops load to multiply ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_TRANSFORMS_OPERANDSTAGES_H
#define LATHE_LIB_TRANSFORMS_OPERANDSTAGES_H

#include "Tile/Tile.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <string>

namespace lathe::tile {

/// Whether `op`, regions included, only computes numbers from numbers, and from
/// elements of views that the kernel does not change.
bool isScalarCode(mlir::Operation *op);

/// Whether a product takes its first operand from the sums of another one,
/// which already are where it wants them.
bool takesProduct(DotOp dot);

/// The slot behind `slot` of a ring of `slots`, both i32, and whether it is the
/// first again.
std::pair<mlir::Value, mlir::Value> nextSlot(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::Value slot, int64_t slots);

/// Calls `visit` with what `op` and its regions use from outside of it, until
/// one returns false; returns whether none did.
bool allOperandsFromAbove(mlir::Operation *op,
                          llvm::function_ref<bool(mlir::Value)> visit);

/// Loads of one block that `tile-stage-operands` put into buffers, and the
/// products that need them together: all of the block that share an operand,
/// and those of inner loops. A turn of a loop, or a straight line.
struct OperandStage {
  /// A load, what widens its elements on the way, if anything, and the type of
  /// the buffers that hold it.
  struct Operand {
    LoadOp load;
    ConvertOp widening;
    SharedType type;
    /// What is written.
    mlir::Value getValue() const {
      LoadOp narrow = load;
      ConvertOp wide = widening;
      return wide ? mlir::Value(wide.getResult())
                  : mlir::Value(narrow.getResult());
    }
  };
  mlir::Block *block = nullptr;
  /// Each load once, also where several products have it in a buffer each.
  llvm::SmallVector<Operand> operands;
  llvm::SmallVector<WriteSharedOp> writes;
  llvm::SmallVector<DotOp> dots;
  /// What no asynchronous copy can do, if anything, and where.
  mlir::Operation *misfit = nullptr;
  std::string problem;

  /// Whether operands have to go through registers.
  bool isWidened() const {
    return llvm::any_of(operands, [](const Operand &operand) {
      return operand.widening != nullptr;
    });
  }
  /// Whether rows behind the end of a load have to be cleared.
  bool isCleared() const {
    return llvm::any_of(operands, [](const Operand &operand) {
      return LoadOp(operand.load).getUntil() != nullptr;
    });
  }
  mlir::Location getLoc() const {
    return mlir::Value(DotOp(dots.front()).getResult()).getLoc();
  }
  /// Which of `operands` lies in `buffer`.
  unsigned operandIn(mlir::Value buffer) const;
  bool holds(mlir::Value buffer) const;
  /// The operation of `block` behind which nothing reads the operands.
  mlir::Operation *lastUser() const;
  /// Whether inner loops read the operands again and again.
  bool isHeld() const { return lastUser()->getNumRegions() != 0; }
  /// Whether those loops load operands of their own.
  bool staysForOthers() const;
};

/// Whether operands are loaded in `op`.
bool loadsOperands(mlir::Operation *op);

/// The stages of a kernel, in the order of their first writes.
llvm::SmallVector<OperandStage> findOperandStages(KernelOp kernel);

} // namespace lathe::tile

#endif // LATHE_LIB_TRANSFORMS_OPERANDSTAGES_H
