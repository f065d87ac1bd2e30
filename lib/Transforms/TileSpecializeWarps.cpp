//===- TileSpecializeWarps.cpp - Warps that copy, warps that multiply -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "ClusterUniformity.h"
#include "WarpRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

namespace lathe {
#define GEN_PASS_DEF_TILESPECIALIZEWARPS
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

static constexpr int64_t kWarp = 32, kGroupWarps = kWarpgroupThreads / kWarp;
static constexpr int64_t kMostThreads = 1024, kMostSlots = 64;
/// Products whose end `tile.await_dots` can leave open.
static constexpr size_t kMostRunning = 7;

/// Registers per thread of the copying warpgroup and of `groups` multiplying
/// ones; 0, 0 where the launch gives enough. It gives every thread as many as
/// divide the register file, and setmaxnreg may only deal those out anew.
static std::pair<int64_t, int64_t> shareRegisters(int64_t groups,
                                                  int64_t blocks,
                                                  int64_t widenedBytes,
                                                  bool goesThroughTables) {
  constexpr int64_t most = 255, step = 8;
  int64_t threads = kWarpgroupThreads * (groups + 1);
  int64_t launched = getLaunchRegisters(threads * blocks);
  if (launched >= most)
    return {0, 0};
  int64_t copying = groups <= 2 && blocks == 1 ? 40 : 32;
  // Places of pages are many at once.
  if (goesThroughTables)
    copying += step;
  // What a turn loads, and the next, beside what that takes.
  constexpr int64_t atWork = 48, registerBytes = 4;
  if (widenedBytes > 0)
    copying = llvm::alignTo(
        atWork + 2 * widenedBytes / (kWarpgroupThreads * registerBytes), step);
  int64_t all = launched * threads / kWarpgroupThreads;
  int64_t multiplying = (all - copying) / groups / step * step;
  return {(all - multiplying * groups) / step * step, multiplying};
}

/// What wgmma multiplies: PTX ISA, "Asynchronous Warpgroup Level Matrix
/// Instructions".
static LogicalResult checkProduct(DotOp dot, int64_t groups) {
  constexpr int64_t columnStep = 8, mostColumns = 256;
  constexpr int64_t depthBytes = 32;
  Type element = getOperandElement(dot.getA().getType());
  if (!isa<BFloat16Type, Float16Type, Float8E4M3FNType, Float8E5M2Type>(
          element))
    return dot.emitError() << "asynchronous product of " << element
                           << ", expected bf16, f16, f8E4M3FN or f8E5M2";
  RankedTensorType sum = dot.getAccumulator().getType();
  int64_t rows = sum.getShape()[0], columns = sum.getShape()[1];
  if (rows % (kWarpgroupRows * groups) != 0)
    return dot.emitError() << "asynchronous product of " << rows
                           << " rows, expected a multiple of "
                           << kWarpgroupRows * groups << " for " << groups
                           << " warpgroups";
  if (columns % columnStep != 0 || columns > mostColumns)
    return dot.emitError() << "asynchronous product of " << columns
                           << " columns, expected a multiple of " << columnStep
                           << " up to " << mostColumns;
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  int64_t bytes = dot.getStaticDepth() * elementBytes;
  if (bytes % depthBytes != 0)
    return dot.emitError() << "asynchronous product over " << bytes
                           << " bytes, expected a multiple of " << depthBytes;
  if (elementBytes == 1 && (dot.getTransposeA() || !dot.getTransposeB()))
    return dot.emitError() << "asynchronous product of " << element
                           << " with an operand along rows or columns, "
                              "expected both along the depth";
  return success();
}

/// What TMA writes and wgmma reads: rows of one of their swizzles.
static LogicalResult checkBuffer(OperandStage::Operand operand) {
  SharedType type = operand.type;
  if (type.getSwizzleBytes().value_or(0) != 0)
    return success();
  return operand.load->emitError()
         << "is copied to " << type << " with rows of " << type.getRowBytes()
         << " bytes, expected 32, 64 or 128, all chunks of which are swizzled";
}

/// Whether a turn's products may run into the next turn: all each does is to
/// add to what the same product of that turn takes up.
static bool mayOverlap(const OperandStage &stage) {
  auto loop = dyn_cast<scf::ForOp>(stage.block->getParentOp());
  if (!loop || stage.dots.size() > kMostRunning)
    return false;
  return llvm::all_of(stage.dots, [&](DotOp dot) {
    auto carried = dyn_cast<BlockArgument>(dot.getAccumulator());
    if (!carried || carried.getOwner() != stage.block ||
        carried == loop.getInductionVar() || !carried.hasOneUse() ||
        !dot.getResult().hasOneUse())
      return false;
    OpOperand *yielded = loop.getTiedLoopYieldedValue(carried);
    return yielded->get() == dot.getResult();
  });
}

namespace {

struct TileSpecializeWarps
    : lathe::impl::TileSpecializeWarpsBase<TileSpecializeWarps> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (kernel.hasProducers() && failed(specialize(kernel)))
        return signalPassFailure();
  }

  /// The schedule's warps and slots, if they can be.
  static LogicalResult checkSchedule(KernelOp kernel) {
    if (!kernel.isStatic())
      return kernel.emitError("kernel is not specialized");
    auto value = [&](StringRef name) {
      return kernel.getScheduleValue(name).value_or(0);
    };
    int64_t producers = value("PRODUCERS"), warps = value("WARPS");
    int64_t slots = value("STAGES");
    if (*kernel.getWave() != kWarp)
      return kernel.emitError()
             << "warps of " << *kernel.getWave()
             << " threads cannot take roles, expected " << kWarp;
    if (producers != kGroupWarps)
      return kernel.emitError() << "schedule has PRODUCERS = " << producers
                                << ", expected 0 or " << kGroupWarps;
    if (warps < 1 || warps % kGroupWarps != 0 ||
        warps > kMostThreads / kWarp - producers)
      return kernel.emitError()
             << "schedule has WARPS = " << warps << ", expected a multiple of "
             << kGroupWarps << " up to " << kMostThreads / kWarp - producers;
    constexpr int64_t fewestRegisters = 40;
    int64_t blocks = kernel.getScheduleValue("BLOCKS").value_or(1);
    if (blocks < 1 || blocks > kMostThreads ||
        getLaunchRegisters((producers + warps) * kWarp * blocks) <
            fewestRegisters)
      return kernel.emitError()
             << "schedule has BLOCKS = " << blocks
             << ", expected at least 1, and " << fewestRegisters
             << " registers for each thread of them all";
    if (static_cast<int64_t>(*kernel.getThreads()) !=
        (producers + warps) * kWarp)
      return kernel.emitError()
             << "kernel has " << *kernel.getThreads() << " threads, expected "
             << (producers + warps) * kWarp << " for WARPS and PRODUCERS";
    if (int64_t turns = value("PINGPONG"); turns != 0 && turns != 1)
      return kernel.emitError()
             << "schedule has PINGPONG = " << turns << ", expected 0 or 1";
    if (value("PINGPONG") == 1 &&
        (warps % (2 * kGroupWarps) != 0 || value("PERSISTENT") != 1))
      return kernel.emitError()
             << "schedule has PINGPONG = 1, WARPS = " << warps
             << " and PERSISTENT = " << value("PERSISTENT")
             << ", expected a multiple of " << 2 * kGroupWarps << " and 1";
    int64_t teams = kernel.getScheduleValue("TEAMS").value_or(1);
    if (teams < 1 || teams > warps / kGroupWarps ||
        warps % (teams * kGroupWarps) != 0)
      return kernel.emitError()
             << "schedule has TEAMS = " << teams << " and WARPS = " << warps
             << ", expected teams of whole warpgroups";
    if (teams > 1 && (value("PINGPONG") != 0 || value("TURNS") != 0))
      return kernel.emitError("schedule has TEAMS, expected no PINGPONG and no "
                              "TURNS beside it");
    if (kernel.getCluster() > kMaxCluster)
      return kernel.emitError()
             << "schedule has CLUSTER = " << kernel.getCluster()
             << ", expected 1 to " << kMaxCluster;
    // Teams wait for each other's copies as well as for their own.
    int64_t fewest = teams > 1 ? 1 : 2;
    if (slots < fewest || slots > kMostSlots / teams)
      return kernel.emitError()
             << "schedule has STAGES = " << slots << ", expected " << fewest
             << " to " << kMostSlots / teams;
    return success();
  }

  static LogicalResult checkStage(const OperandStage &stage, int64_t groups) {
    if (stage.misfit)
      return stage.misfit->emitError(stage.problem);
    for (DotOp dot : stage.dots)
      if (failed(checkProduct(dot, groups)))
        return failure();
    for (const OperandStage::Operand &operand : stage.operands)
      if (failed(checkBuffer(operand)))
        return failure();
    // Both roles must come to the turns of all stages in one order.
    for (Operation *op = stage.writes.front(); op != stage.writes.back();
         op = op->getNextNode())
      if (op->walk([](DotOp dot) {
              return WalkResult::interrupt();
            }).wasInterrupted() &&
          !isa<DotOp>(op))
        return op->emitError("multiplies between the operands of a turn, "
                             "expected that before or after");
    return success();
  }

  LogicalResult specialize(KernelOp kernel) {
    if (failed(checkSchedule(kernel)))
      return failure();
    int64_t warps = *kernel.getScheduleValue("WARPS");
    int64_t consumers = kernel.getScheduleValue("PINGPONG") == 1 ? 2 : 1;
    RingStages staged;
    staged.teams = kernel.getScheduleValue("TEAMS").value_or(1);
    // Warpgroups that multiply one work item.
    int64_t groups = warps / kGroupWarps / consumers / staged.teams;
    for (OperandStage &stage : findOperandStages(kernel)) {
      if (failed(checkStage(stage, groups)))
        return failure();
      addStage(kernel, staged, std::move(stage));
    }
    ArrayRef<RingStage> stages = staged.stages;
    // Products that go on take turns with no others.
    for (RingStage &stage : staged.stages)
      stage.overlaps = mayOverlap(stage.stage) &&
                       llvm::count_if(stages, [&](const RingStage &other) {
                         return other.stage.block == stage.stage.block;
                       }) == 1;
    bool takesTurns = kernel.getScheduleValue("TURNS") == 1 && groups > 1;
    if (takesTurns && llvm::none_of(stages, [](const RingStage &stage) {
          return !productsInTurn(stage.stage.block).empty();
        }))
      return kernel.emitError("schedule has TURNS = 1, expected a loop with a "
                              "product that takes what another made");
    if (takesTurns) {
      staged.turns = staged.rings.size();
      staged.rings.push_back({{}, {}, {}, groups, {}, {}});
    }
    if (staged.teams > 1 && !(staged.dealt = findDealtLoop(kernel, stages)))
      return failure();
    int64_t widenedBytes = 0;
    for (const RingStage &stage : stages)
      if (stage.stage.isWidened())
        for (const OperandStage::Operand &operand : stage.stage.operands)
          widenedBytes += getLoadedBytes(operand);
    bool crosses = llvm::any_of(
        staged.rings, [](const Ring &ring) { return ring.crossesBlocks(); });
    if (stages.empty())
      return kernel.emitError("schedule has PRODUCERS, but the kernel has no "
                              "product whose operands they could copy");
    Block &body = kernel.getBody().front();
    scf::ForOp items;
    if (consumers > 1 && !(items = findItems(kernel, stages)))
      return failure();
    llvm::SmallPtrSet<Operation *, 16> outside = findOutside(body);
    SmallVector<Operation *> inside;
    for (Operation &op : body.without_terminator())
      if (!outside.contains(&op))
        inside.push_back(&op);

    Operation *last = body.getTerminator()->getPrevNode();
    OpBuilder builder = OpBuilder::atBlockTerminator(&body);
    Location loc = kernel.getLoc();
    for (const RingStage &stage : stages) {
      Ring &ring = staged.rings[stage.ring];
      if (!ring.full)
        makeRing(kernel, builder, ring, stage.stage, groups, staged.teams);
    }
    if (staged.turns)
      staged.rings[*staged.turns].full = InitMbarriersOp::create(
          builder, loc, MbarriersType::get(kernel.getContext(), groups),
          /*arrivals=*/1);
    Value order;
    if (consumers > 1)
      order = InitMbarriersOp::create(
          builder, loc, MbarriersType::get(kernel.getContext(), consumers),
          groups);
    if (crosses)
      ClusterBarrierOp::create(builder, loc);
    else
      BarrierOp::create(builder, loc);
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    auto [copying, multiplying] = shareRegisters(
        warps / kGroupWarps, kernel.getBlocks(), widenedBytes,
        llvm::any_of(stages, [](const RingStage &stage) {
          return llvm::any_of(stage.stage.operands,
                              [](OperandStage::Operand operand) {
                                return bool(operand.load.getTable());
                              });
        }));
    SmallVector<int64_t> roleWarps{kGroupWarps}, registers{copying};
    SmallVector<int64_t> threads{widenedBytes > 0 ? kWarpgroupThreads : 1};
    roleWarps.append(consumers, warps / consumers);
    threads.append(consumers, warps / consumers / staged.teams * kWarp);
    registers.append(consumers, multiplying);
    DenseI64ArrayAttr teams;
    if (staged.teams > 1) {
      SmallVector<int64_t> counts(consumers + 1, staged.teams);
      counts.front() = 1;
      teams = builder.getDenseI64ArrayAttr(counts);
    }
    auto roles =
        RolesOp::create(builder, loc, builder.getDenseI64ArrayAttr(roleWarps),
                        builder.getDenseI64ArrayAttr(threads),
                        builder.getDenseI64ArrayAttr(registers), teams,
                        /*bodiesCount=*/consumers + 1);
    for (Region &role : roles.getBodies())
      role.emplaceBlock();
    // No block leaves while others may tell it what they have read.
    if (crosses)
      ClusterBarrierOp::create(builder, loc);
    for (Operation &op : llvm::make_range(std::next(last->getIterator()),
                                          body.getTerminator()->getIterator()))
      outside.insert(&op);
    if (failed(buildProducer(staged, outside, zero, body,
                             roles.getBodies()[0].front())))
      return failure();
    for (int64_t turn = 0; turn < consumers; ++turn)
      if (failed(buildConsumer(staged, outside, zero,
                               {items, turn, consumers, order}, body,
                               roles.getBodies()[turn + 1].front())))
        return failure();
    // Most of what the producer knows it has no use for.
    IRRewriter rewriter(builder);
    (void)runRegionDCE(rewriter, roles.getBodies()[0]);

    SmallVector<Operation *> buffers;
    for (const RingStage &stage : stages)
      for (WriteSharedOp write : stage.stage.writes)
        buffers.push_back(write.getBuffer().getDefiningOp());
    for (Operation *op : llvm::reverse(inside))
      op->erase();
    for (Operation *buffer : buffers)
      buffer->erase();
    return success();
  }

  static int64_t getLoadedBytes(const OperandStage::Operand &operand) {
    LoadOp load = operand.load;
    RankedTensorType type = load.getResult().getType();
    return type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }

  /// The loop over work items that two groups of consumers can take in turn:
  /// how often each stage comes must not depend on the item.
  static scf::ForOp findItems(KernelOp kernel, ArrayRef<RingStage> stages) {
    scf::ForOp items;
    for (const RingStage &ring : stages) {
      auto steps = dyn_cast<scf::ForOp>(ring.stage.block->getParentOp());
      auto loop =
          dyn_cast<scf::ForOp>(ring.stage.block->getParentOp()->getParentOp());
      auto isOutside = [&](Value value) {
        return loop.isDefinedOutsideOfLoop(value);
      };
      bool same = steps && loop && isa<KernelOp>(loop->getParentOp()) &&
                  loop.getNumResults() == 0 && (!items || items == loop) &&
                  isOutside(steps.getLowerBound()) &&
                  isOutside(steps.getUpperBound()) &&
                  isOutside(steps.getStep());
      if (!same) {
        ring.stage.dots.front()->emitError(
            "consumers cannot take turns: expected products in a loop over "
            "work items, in as many steps for each");
        return {};
      }
      items = loop;
    }
    // What is beside the items' loop is done by both groups.
    for (Operation &op : *items->getBlock())
      if (&op != items && !isMemoryEffectFree(&op) &&
          !isa<AllocOp, LoadOp, LoadGroupsOp, ReturnOp>(op)) {
        op.emitError("consumers cannot take turns: expected it in the loop "
                     "over work items");
        return {};
      }
    return items;
  }

  /// Which operands all blocks of the cluster load from one place in one turn,
  /// so that each can bring a part to all.
  static SmallVector<bool> findMulticasts(KernelOp kernel,
                                          const OperandStage &stage) {
    int64_t blocks = kernel.getCluster();
    ClusterUniformity uniformity;
    bool inStep = blocks > 1 && uniformity.runsInStep(stage.block);
    return llvm::map_to_vector(
        stage.operands, [&](OperandStage::Operand operand) {
          LoadOp load = operand.load;
          return inStep && !stage.isWidened() &&
                 operand.type.canMulticast(blocks) &&
                 llvm::all_of(load.getOffsets(), [&](Value offset) {
                   return uniformity.isUniform(offset);
                 });
        });
  }

  /// Buffers and scalars of the kernel's body that depend on nothing else.
  static llvm::SmallPtrSet<Operation *, 16> findOutside(Block &body) {
    llvm::SmallPtrSet<Operation *, 16> outside;
    for (Operation &op : body.without_terminator()) {
      auto stays = [&](Value value) {
        Operation *def = value.getDefiningOp();
        return !def || outside.contains(def);
      };
      if (isa<AllocOp>(op) ||
          (isScalarCode(&op) && allOperandsFromAbove(&op, stays)))
        outside.insert(&op);
    }
    return outside;
  }

  /// Gives a stage its ring: that of a stage before whose operands come from
  /// the same views alike, or one of its own, as where consumers skip what
  /// others take of each loop. Operands that stay while inner loops load others
  /// have one slot.
  static void addStage(KernelOp kernel, RingStages &staged,
                       OperandStage stage) {
    SmallVector<bool> multicast = findMulticasts(kernel, stage);
    bool shares = kernel.getScheduleValue("PINGPONG") != 1;
    auto isAlike = [&](const RingStage &other) {
      return shares && multicast == staged.rings[other.ring].multicast &&
             !stage.isHeld() && !other.stage.isHeld() && !stage.isWidened() &&
             stage.block != other.stage.block &&
             llvm::equal(stage.operands, other.stage.operands,
                         [](OperandStage::Operand a, OperandStage::Operand b) {
                           return a.load.getView() == b.load.getView() &&
                                  a.type == b.type && !b.widening;
                         });
    };
    auto known = llvm::find_if(staged.stages, isAlike);
    unsigned ring =
        known != staged.stages.end() ? known->ring : staged.rings.size();
    if (ring == staged.rings.size()) {
      int64_t slots = stage.staysForOthers()
                          ? 1
                          : *kernel.getScheduleValue("STAGES") * staged.teams;
      staged.rings.push_back({{}, {}, {}, slots, {}, std::move(multicast)});
    }
    staged.stages.push_back({std::move(stage), ring, /*overlaps=*/false});
  }

  static void makeRing(KernelOp kernel, OpBuilder &builder, Ring &ring,
                       const OperandStage &stage, int64_t groups,
                       int64_t teams) {
    Location loc = stage.getLoc();
    MLIRContext *context = builder.getContext();
    for (const OperandStage::Operand &operand : stage.operands)
      ring.buffers.push_back(AllocOp::create(
          builder, loc, RingType::get(context, ring.slots, operand.type),
          IntegerAttr()));
    auto type = MbarriersType::get(context, ring.slots);
    ring.full = InitMbarriersOp::create(builder, loc, type, /*arrivals=*/1,
                                        IntegerAttr());
    bool isOfAll = teams > 1 && stage.staysForOthers();
    if (isOfAll && stage.isCleared())
      ring.cleared =
          InitMbarriersOp::create(builder, loc, type, groups, IntegerAttr());
    int64_t readers = isOfAll ? groups * teams : groups;
    if (ring.crossesBlocks())
      readers *= kernel.getCluster();
    ring.empty =
        InitMbarriersOp::create(builder, loc, type, readers, IntegerAttr());
  }
};

} // namespace
