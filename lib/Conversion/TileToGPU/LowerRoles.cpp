//===- LowerRoles.cpp - Warps that do different things --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// Of the 16 barriers of a block: roles have the first, warpgroups the last.
static constexpr int64_t kFirstGroupBarrier = 8;

void KernelLowering::byOneThread(Location loc, llvm::function_ref<void()> body,
                                 bool ofWarpgroup) {
  if (role.numThreads == 1)
    return body();
  Value thread = threadId(loc);
  if (ofWarpgroup)
    thread = arith::RemUIOp::create(builder, loc, thread,
                                    index(loc, kWarpgroupThreads));
  Value first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      thread, index(loc, 0));
  scf::IfOp::create(builder, loc, first, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(builder, loc);
  });
}

void KernelLowering::lowerBarrier(Location loc, bool ofWarpgroup) {
  if (ofWarpgroup && role.numThreads > kWarpgroupThreads) {
    Value number = arith::AddIOp::create(builder, loc, role.blockWarpgroup,
                                         word(loc, kFirstGroupBarrier));
    intrinsic(loc, "llvm.nvvm.barrier.cta.sync.aligned.count",
              {number, word(loc, kWarpgroupThreads)});
    return;
  }
  if (role.barrier == 0) {
    gpu::BarrierOp::create(builder, loc);
    return;
  }
  if (role.numThreads == 1)
    return;
  Value number = word(loc, role.barrier);
  if (role.team)
    number = arith::AddIOp::create(builder, loc, role.team, number);
  intrinsic(loc, "llvm.nvvm.barrier.cta.sync.aligned.count",
            {number, word(loc, role.numThreads)});
}

/// Numbers threads and warpgroups of a role that begins with thread `first`.
void KernelLowering::numberThreads(Location loc, int64_t first, int64_t teams,
                                   Value tid, Value group) {
  role.tid = first == 0
                 ? tid
                 : arith::SubIOp::create(builder, loc, tid, index(loc, first))
                       .getResult();
  role.blockWarpgroup = group;
  role.warpgroup = arith::SubIOp::create(builder, loc, group,
                                         word(loc, first / kWarpgroupThreads));
  if (teams == 1)
    return;
  Value groups = word(loc, role.numThreads / kWarpgroupThreads);
  role.team = arith::DivUIOp::create(builder, loc, role.warpgroup, groups);
  role.warpgroup = arith::RemUIOp::create(builder, loc, role.warpgroup, groups);
  role.tid = arith::RemUIOp::create(builder, loc, role.tid,
                                    index(loc, role.numThreads));
}

Value KernelLowering::uniformInWarp(Location loc, Value value) {
  return intrinsic(loc, "llvm.nvvm.shfl.sync.idx.i32",
                   {word(loc, -1), value, word(loc, 0), word(loc, 31)},
                   builder.getI32Type());
}

LogicalResult KernelLowering::lowerRoles(RolesOp op) {
  Location loc = op.getLoc();
  int64_t allTeams = 0;
  for (size_t number = 0; number < op.getBodies().size(); ++number)
    allTeams += op.getNumTeams(number);
  if (allTeams >= kFirstGroupBarrier)
    return op.emitError() << allTeams << " roles and teams, expected less than "
                          << kFirstGroupBarrier;
  Value group = arith::DivUIOp::create(builder, loc, toWord(loc, threadId(loc)),
                                       word(loc, kWarpgroupThreads));
  group = uniformInWarp(loc, group);
  function->setAttr("nvvm.minctasm",
                    builder.getI32IntegerAttr(kernel.getBlocks()));
  int64_t given = getLaunchRegisters(*kernel.getThreads() * kernel.getBlocks());
  Value tid = threadId(loc);
  Role outer = std::move(role);

  OpBuilder::InsertionGuard guard(builder);
  int64_t first = 0, barrier = 1;
  auto lowered = success();
  size_t last = op.getBodies().size() - 1;
  for (auto [number, body] : llvm::enumerate(op.getBodies())) {
    int64_t threads = op.getWarps()[number] * 32;
    int64_t registers = op.getRegisters()[number];
    scf::IfOp branch;
    if (number != last) {
      Value mine = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, group,
          word(loc, (first + threads) / kWarpgroupThreads));
      branch = scf::IfOp::create(builder, loc, mine, /*withElseRegion=*/true);
      builder.setInsertionPointToStart(&branch.getThenRegion().front());
    }
    if (registers != 0)
      intrinsic(loc,
                registers < given ? "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"
                                  : "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32",
                {word(loc, registers)});
    role = Role();
    role.numThreads = op.getThreads()[number];
    role.barrier = barrier;
    barrier += op.getNumTeams(number);
    numberThreads(loc, first, op.getNumTeams(number), tid, group);
    if (role.numThreads == 1 && threads > 1) {
      Value leads = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, role.tid, index(loc, 0));
      auto alone = scf::IfOp::create(builder, loc, leads);
      builder.setInsertionPointToStart(&alone.getThenRegion().front());
    }
    role.entry = builder.getInsertionBlock();
    if (failed(lowerBlock(body.front())))
      lowered = failure();
    if (branch)
      builder.setInsertionPointToStart(&branch.getElseRegion().front());
    first += threads;
  }
  role = std::move(outer);
  return lowered;
}

void KernelLowering::lowerRaster(RasterOp op) {
  Location loc = op.getLoc();
  Value item = mapping.lookup(op.getItem());
  Value rows = materialize(loc, op.getRows().getExpr());
  Value columns = materialize(loc, op.getColumns().getExpr());
  Value group = materialize(loc, op.getGroup().getExpr());
  auto make = [&](auto operation, Value a, Value b) -> Value {
    return decltype(operation)::create(builder, loc, a, b);
  };
  // The last band has what rows are left.
  Value perBand = make(arith::MulIOp(), group, columns);
  Value band = make(arith::DivUIOp(), item, perBand);
  Value inBand = make(arith::RemUIOp(), item, perBand);
  Value firstRow = make(arith::MulIOp(), band, group);
  Value height =
      make(arith::MinUIOp(), group, make(arith::SubIOp(), rows, firstRow));
  mapping.map(op.getRow(), make(arith::AddIOp(), firstRow,
                                make(arith::RemUIOp(), inBand, height)));
  mapping.map(op.getColumn(), make(arith::DivUIOp(), inBand, height));
}
