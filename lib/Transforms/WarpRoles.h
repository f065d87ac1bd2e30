//===- WarpRoles.h - A kernel's body, once for each role --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_TRANSFORMS_WARPROLES_H
#define LATHE_LIB_TRANSFORMS_WARPROLES_H

#include "OperandStages.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

namespace lathe::tile {

/// What operands of one or several stages go through, one stage after the
/// other.
struct Ring {
  /// Of each operand of a stage.
  llvm::SmallVector<mlir::Value> buffers;
  /// Slots that were filled, and slots that may be.
  mlir::Value full, empty;
  int64_t slots;
  /// Arrives when one team has cleared rows of a slot that all read.
  mlir::Value cleared;
  /// Which of the operands the cluster's blocks copy for each other.
  llvm::SmallVector<bool> multicast;

  bool crossesBlocks() const { return llvm::is_contained(multicast, true); }
};

/// A stage whose operands come through a ring.
struct RingStage {
  OperandStage stage;
  unsigned ring;
  /// Whether a turn's products may still run while the next turn's start.
  bool overlaps;
};

/// The stages of a kernel and the rings between its roles.
struct RingStages {
  llvm::SmallVector<RingStage, 0> stages;
  llvm::SmallVector<Ring, 0> rings;
  /// Where warpgroups of a role take turns, the number of the ring that has but
  /// a parity: `full` has an mbarrier for each, which the one before arrives
  /// at.
  std::optional<unsigned> turns;
  /// The loop whose turns teams of the multiplying role take one after the
  /// other, if there are several.
  mlir::scf::ForOp dealt;
  int64_t teams = 1;
};

/// The loop whose turns `teams` teams can take one after the other: the
/// innermost around all operands that do not stay for others, which it loads in
/// every turn. Null after an error.
mlir::scf::ForOp findDealtLoop(KernelOp kernel,
                               llvm::ArrayRef<RingStage> stages);

/// The products of a loop's body that one warpgroup starts in its turn, of
/// which the last takes what an earlier one made; none elsewhere.
llvm::SmallVector<DotOp> productsInTurn(mlir::Block *body);

/// Slot and parity of a ring's next turn, both i32.
struct RingPosition {
  mlir::Value slot, phase;
};

/// What one of `count` groups of warps, which take work items in turn, does of
/// the loop over all of them: every `count`-th item, beginning with `turn`.
struct ItemShare {
  mlir::scf::ForOp items;
  int64_t turn = 0, count = 1;
  /// One for each group: the group before is through the products of its item.
  /// A parity tells a phase from the next alone, so a group that skips what
  /// others take of a ring must not be ahead of them.
  mlir::Value order;

  bool isDealt() const { return count > 1; }
};

/// Builds one role's copy of a kernel's body; where the ring of each stage
/// stands goes through all loops and branches around it.
class RoleBuilder {
public:
  /// `outside` stays before the roles and is visible in them; `zero` is where
  /// slots and phases begin.
  RoleBuilder(const RingStages &staged,
              const llvm::SmallPtrSetImpl<mlir::Operation *> &outside,
              mlir::Value zero, ItemShare share = {});
  virtual ~RoleBuilder() = default;

  /// Builds what the role does of `body` at the end of `to`.
  mlir::LogicalResult run(mlir::Block &body, mlir::Block &to);

protected:
  /// One operation without stages inside.
  virtual mlir::LogicalResult visit(mlir::Operation *op) = 0;
  /// Before each operation, before a loop or branch with stages inside, behind
  /// each operation, and at both ends of a block.
  virtual void beginOp(mlir::Operation *op) {}
  virtual void beginRegion() {}
  virtual void beginBlock() {}
  virtual void leaveOp(mlir::Operation *op) {}
  virtual void endBlock() {}
  /// Whether values of this type go through this role's loops and branches.
  virtual bool carriesValues() const = 0;
  /// Fails, with a diagnostic at `user`, where the role cannot know `value`.
  virtual mlir::LogicalResult require(mlir::Operation *user,
                                      mlir::Value value) = 0;
  /// After a loop with turns that overlap, whose last iteration argument and
  /// result is the slot of the turn before.
  virtual void finishLoop(mlir::scf::ForOp loop, mlir::scf::ForOp rebuilt,
                          const RingStage &current) {}

  /// Around all that the items' loop multiplies in a turn, where `share` deals
  /// items; `parity` is of this group's mbarrier.
  virtual void beginProducts(mlir::Location loc, mlir::Value parity) {}
  virtual void endProducts(mlir::Location loc) {}

  /// Moves a stage's ring on by one slot.
  void advance(const RingStage &current);
  RingPosition &positionOf(const RingStage &current) {
    return positions[current.ring];
  }
  /// The parity that ends this warpgroup's wait for its turn.
  mlir::Value &turnParity() { return positions[*turns].phase; }
  const Ring &ringOf(const RingStage &current) const {
    return rings[current.ring];
  }
  mlir::Value constant(mlir::Location loc, int64_t value);
  /// The stage that `write` is of, null for another operation.
  const RingStage *stageOf(mlir::Operation *write) const {
    return stageOfWrite.lookup(write);
  }
  bool hasStages(mlir::Block *block) const;

  llvm::ArrayRef<RingStage> stages;
  llvm::ArrayRef<Ring> rings;
  std::optional<unsigned> turns;
  mlir::scf::ForOp dealt;
  int64_t teams;
  /// Where a role's values are made that all of it has.
  mlir::OpBuilder atRoleBegin();
  /// This team's number, an i32; null where one role is one team.
  mlir::Value ownTeam();
  const llvm::SmallPtrSetImpl<mlir::Operation *> &outside;
  ItemShare share;
  mlir::OpBuilder builder;
  mlir::IRMapping mapping;

private:
  using Indices = llvm::SmallVector<unsigned, 1>;
  /// Notes that a ring is used in the loops and branches around `block`, which
  /// are rebuilt.
  void note(mlir::Block *block, std::optional<unsigned> ring);
  mlir::LogicalResult rebuild(mlir::Block &block);
  mlir::LogicalResult rebuildFor(mlir::scf::ForOp loop, const Indices &inside);
  /// The turns of a loop that are this team's.
  mlir::LogicalResult rebuildDealt(mlir::scf::ForOp loop,
                                   const Indices &inside);
  mlir::LogicalResult rebuildIf(mlir::scf::IfOp branch, const Indices &inside);
  /// The stage whose products run into the next turn of a loop's body.
  const RingStage *overlappingIn(mlir::Block *block) const;
  /// Turns that a stage's loop takes, as whole rounds of the ring (their
  /// parity) and what is left.
  RingPosition turnsOf(mlir::Location loc, const RingStage &stage);
  /// Moves a ring on by what other groups take of it.
  void skip(mlir::Location loc, unsigned index, RingPosition turns);
  /// The first and the last loop of products in an item, which are in order.
  mlir::Operation *firstProducts() const {
    return stages.front().stage.block->getParentOp();
  }
  mlir::Operation *lastProducts() const {
    return stages.back().stage.block->getParentOp();
  }
  void skipOthers(mlir::Location loc, const Indices &inside,
                  llvm::ArrayRef<RingPosition> turns, int64_t items);
  void append(llvm::SmallVectorImpl<mlir::Value> &values,
              const Indices &inside) const;
  void restore(mlir::ValueRange values, const Indices &inside);

  mlir::Value zero;
  llvm::SmallVector<RingPosition> positions;
  mlir::Value parity; ///< of `share.order` in the items' loop
  mlir::Value team;
  llvm::DenseMap<mlir::Operation *, Indices> ringsInside;
  llvm::DenseMap<mlir::Operation *, const RingStage *> stageOfWrite;
};

/// Copies of all stages' operands into their rings, by one thread. Fails, with
/// a diagnostic, where that needs more than scalars.
mlir::LogicalResult
buildProducer(const RingStages &staged,
              const llvm::SmallPtrSetImpl<mlir::Operation *> &outside,
              mlir::Value zero, mlir::Block &body, mlir::Block &to);

/// Everything else, with products of what the rings hold, for a share of the
/// work items.
mlir::LogicalResult
buildConsumer(const RingStages &staged,
              const llvm::SmallPtrSetImpl<mlir::Operation *> &outside,
              mlir::Value zero, ItemShare share, mlir::Block &body,
              mlir::Block &to);

} // namespace lathe::tile

#endif // LATHE_LIB_TRANSFORMS_WARPROLES_H
