//===- TilePlanShared.cpp - Places in shared memory -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "Tile/Tile.h"

#include "llvm/Support/MathExtras.h"

namespace lathe {
#define GEN_PASS_DEF_TILEPLANSHARED
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

namespace {

/// Something that needs a place.
struct Piece {
  Operation *op;
  int64_t bytes, alignment;
  /// Where its users are: below operations of this block, from `first` to
  /// `last`; of a ring, those that multiply. Null: it may be in use at any
  /// time.
  Block *scope = nullptr;
  Operation *first = nullptr, *last = nullptr;
  int64_t offset = 0;

  int64_t end() const { return offset + bytes; }
};

struct TilePlanShared : lathe::impl::TilePlanSharedBase<TilePlanShared> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      plan(kernel);
  }

  static void plan(KernelOp kernel) {
    SmallVector<Piece> pieces;
    kernel.walk([&](AllocOp alloc) { pieces.push_back(describe(alloc)); });
    kernel.walk([&](InitMbarriersOp init) {
      pieces.push_back({init, init.getResult().getType().getBytes(),
                        MbarriersType::kElementBytes});
    });
    if (pieces.empty())
      return;
    int64_t total = 0;
    for (auto [index, piece] : llvm::enumerate(pieces)) {
      place(piece, ArrayRef(pieces).take_front(index));
      total = std::max(total, piece.end());
      if (auto alloc = dyn_cast<AllocOp>(piece.op))
        alloc.setOffset(piece.offset);
      else
        cast<InitMbarriersOp>(piece.op).setOffset(piece.offset);
    }
    kernel.setSharedBytes(total);
  }

  static Piece describe(AllocOp alloc) {
    Piece piece{alloc, alloc.getBytes(), kSharedAlignment};
    if (isa<RingType>(alloc.getResult().getType())) {
      describeRing(piece);
      return piece;
    }
    for (Operation *user : alloc->getUsers())
      if (!extend(piece, user)) {
        piece.scope = nullptr;
        break;
      }
    return piece;
  }

  /// The operation among those of a role's or kernel's body that `op` is in.
  static Operation *topOf(Operation *op) {
    while (!isa<KernelOp, RolesOp>(op->getParentOp()))
      op = op->getParentOp();
    return op;
  }

  /// A ring between two roles is in use until the one that multiplies has
  /// awaited its last product: tile-specialize-warps has it see every copy.
  static void describeRing(Piece &piece) {
    Operation *first = nullptr, *last = nullptr;
    bool awaited = true; // each product in its turn
    for (Operation *slot : piece.op->getUsers()) {
      bool multiplied = false;
      for (Operation *user : slot->getUsers()) {
        auto dot = dyn_cast<DotOp>(user);
        multiplied |= dot && dot.getAsync();
        awaited &= !dot || findAwait(dot);
        if (!isa<CopyAsyncOp>(user) && !(dot && dot.getAsync()))
          return;
      }
      if (!multiplied)
        continue;
      Operation *top = topOf(slot);
      if (!isa<RolesOp>(top->getParentOp()) ||
          (first && first->getBlock() != top->getBlock()))
        return;
      first = !first || top->isBeforeInBlock(first) ? top : first;
      last = !last || last->isBeforeInBlock(top) ? top : last;
    }
    if (last && !awaited)
      last = findAwait(last);
    if (!last)
      return;
    piece.scope = last->getBlock();
    piece.first = first;
    piece.last = last;
  }

  /// What awaits all products from `op` on, behind it in its block, if
  /// anything.
  static Operation *findAwait(Operation *op) {
    for (; op; op = op->getNextNode())
      if (auto await = dyn_cast<AwaitDotsOp>(op);
          await && await.getPending() == 0)
        return await;
    return nullptr;
  }

  /// Widens a piece's range by a user. False where the range says too little:
  /// what is asynchronous ends later, what passes the buffer on hides users.
  static bool extend(Piece &piece, Operation *user) {
    auto dot = dyn_cast<DotOp>(user);
    if (dot ? dot.getAsync()
            : !isa<WriteSharedOp, StoreAsyncOp, ClusterReduceOp>(user))
      return false;
    Operation *top = topOf(user);
    if (piece.scope && piece.scope != top->getBlock())
      return false;
    piece.scope = top->getBlock();
    if (!piece.first || top->isBeforeInBlock(piece.first))
      piece.first = top;
    if (!piece.last || piece.last->isBeforeInBlock(top))
      piece.last = top;
    return true;
  }

  /// Whether threads meet after the last use of `a` and before any of `b`. What
  /// is asynchronous or other blocks read ends later than its users, and a ring
  /// begins earlier.
  static bool endsBefore(const Piece &a, const Piece &b) {
    bool isCluster = a.op->getParentOfType<KernelOp>().getCluster() > 1;
    auto endsLater = [&](Operation *user) {
      return isa<StoreAsyncOp>(user) ||
             (isCluster && isa<ClusterReduceOp>(user));
    };
    auto alloc = dyn_cast<AllocOp>(b.op);
    if (llvm::any_of(a.op->getUsers(), endsLater) ||
        (alloc && isa<RingType>(alloc.getResult().getType())))
      return false;
    if (!a.scope || a.scope != b.scope || !a.last->isBeforeInBlock(b.first))
      return false;
    return llvm::all_of(b.op->getUsers(), [&](Operation *user) {
      for (Operation *op = user; op != a.last;) {
        if (isa<BarrierOp>(op))
          return true;
        Operation *previous = op->getPrevNode();
        op = previous ? previous : op->getParentOp();
      }
      return false;
    });
  }

  /// The first gap between those pieces that are in use at the same time.
  static void place(Piece &piece, ArrayRef<Piece> placed) {
    SmallVector<const Piece *> others;
    for (const Piece &other : placed)
      if (!endsBefore(other, piece) && !endsBefore(piece, other))
        others.push_back(&other);
    llvm::sort(others, [](const Piece *a, const Piece *b) {
      return a->offset < b->offset;
    });
    for (const Piece *other : others) {
      if (piece.offset + piece.bytes <= other->offset)
        break;
      piece.offset = std::max(
          piece.offset,
          static_cast<int64_t>(llvm::alignTo(other->end(), piece.alignment)));
    }
  }
};

} // namespace
