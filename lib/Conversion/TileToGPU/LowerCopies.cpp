//===- LowerCopies.cpp - Global to shared memory by all threads -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// cp.async of whole chunks, dealt along rows; what is outside becomes zero.
LogicalResult KernelLowering::lowerCopyByThreads(CopyAsyncOp op) {
  Location loc = op.getLoc();
  SharedType shared = op.getBuffer().getType();
  constexpr int64_t chunkBytes = 16, leastBytes = 4;
  int64_t elementBytes = shared.getElementBytes();
  int64_t columns = shared.getShape()[1];
  int64_t vector = std::gcd(columns, chunkBytes / elementBytes);
  auto layout = BlockedAttr::byRows(builder.getContext(), columns, vector,
                                    role.numThreads);
  auto type =
      RankedTensorType::get(shared.getShape(), shared.getElementType(), layout);
  Piece piece = pieceOf(op);
  Access access = analyzeAccess(loc, piece, type);
  const Distribution &distribution = access.distribution;
  // A copy across the view's edge is as wide, but reads less.
  Access anyEdge = access;
  anyEdge.proven.back() = true;
  int64_t width = getAccessWidth(anyEdge, piece);
  int64_t bytes = width * elementBytes;
  if (bytes < leastBytes)
    return op.emitError() << "cp.async of " << bytes
                          << " bytes at once, expected 4, 8 or 16";
  Value buffer = mapping.lookup(op.getBuffer());
  std::string name = std::string("llvm.nvvm.cp.async.") +
                     (bytes == chunkBytes ? "cg" : "ca") + ".shared.global." +
                     std::to_string(bytes) + ".s";
  SmallVector<RowPiece> parts = splitRow(distribution, width);
  SmallVector<Value> places = placesInRow(loc, access, parts);
  for (int64_t slot = 0; slot < distribution.count(0); ++slot) {
    Value rowBase = rowPointer(loc, access, {slot});
    // Threads that hold nothing of this round have no place to write to.
    Value rowHolds;
    Value row = slotPosition(loc, distribution, 0, slot, rowHolds);
    for (auto [part, place] : llvm::zip_equal(parts, places)) {
      Value holds = rowHolds;
      Value column = slotPosition(loc, distribution, 1, part.slot, holds);
      auto copy = [&, &part = part, place = place] {
        Value inside =
            guardSlots(loc, access, {slot},
                       guard(loc, access, 1, part.round, part.element));
        Value size = word(loc, bytes);
        if (!access.proven.back()) {
          Value position = arith::AddIOp::create(builder, loc, column,
                                                 access.offsets.back());
          Value left = arith::SubIOp::create(builder, loc, access.bounds.back(),
                                             position);
          left = arith::MinSIOp::create(builder, loc, left, index(loc, width));
          size = arith::IndexCastOp::create(
              builder, loc, builder.getI32Type(),
              arith::MulIOp::create(builder, loc, left,
                                    index(loc, elementBytes)));
        }
        if (inside)
          size =
              arith::SelectOp::create(builder, loc, inside, size, word(loc, 0));
        Value to =
            sharedPointer(loc, shared, buffer, row, /*moreRows=*/0,
                          arith::MulIOp::create(builder, loc, column,
                                                index(loc, elementBytes)));
        Value from = partPointer(loc, access, rowBase, part, place);
        intrinsic(loc, name, {to, from, size});
      };
      if (!holds) {
        copy();
        continue;
      }
      scf::IfOp::create(builder, loc, holds, [&](OpBuilder &, Location) {
        copy();
        scf::YieldOp::create(builder, loc);
      });
    }
  }
  return success();
}
