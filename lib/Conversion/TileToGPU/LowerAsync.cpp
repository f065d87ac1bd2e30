//===- LowerAsync.cpp - Copies, mbarriers, stores by the copy engine ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// What a prefetch brings at least.
static constexpr int64_t kLineBytes = 128;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Value KernelLowering::mbarrierAt(Location loc, Value mbarriers, Value slot) {
  return slotAddress(loc, mapping.lookup(mbarriers), mapping.lookup(slot),
                     MbarriersType::kElementBytes);
}

/// The intrinsic of a copy in `direction`, of boxes of the view's rank.
std::string KernelLowering::copyName(StringRef direction, const Piece &piece,
                                     SharedType buffer) {
  // Of bands, rows and columns are two dimensions each.
  int64_t rank =
      piece.view.getType().getRank() + (buffer.getBand() != 0 ? 2 : 0);
  return ("llvm.nvvm.cp.async.bulk.tensor." + direction + ".tile." +
          Twine(rank) + "d")
      .str();
}

LogicalResult KernelLowering::lowerCopyAsync(CopyAsyncOp op) {
  if (!op.getMbarriers())
    return lowerCopyByThreads(op);
  Location loc = op.getLoc();
  SharedType type = op.getBuffer().getType();
  int64_t rows = copiedRows(op);
  Piece piece = pieceOf(op);
  Value map = tensorMapArgument(piece, type, rows);
  Value buffer = mapping.lookup(op.getBuffer());
  bool multicast = op.getMulticast();
  byOneThread(loc, [&] {
    Value signal = mbarrierAt(loc, op.getMbarriers(), op.getSlot());
    auto cluster = LLVM::LLVMPointerType::get(builder.getContext(), 7);
    Value no = word(loc, 0, 1), firstRow;
    if (multicast) {
      Value rank = toWord(loc, clusterRank(loc));
      firstRow = arith::MulIOp::create(builder, loc, rank, word(loc, rows));
      buffer = slotAddress(loc, buffer, rank, rows * type.getRowStride());
    }
    int64_t everyBlock = multicast ? (int64_t(1) << clusterSize()) - 1 : 0;
    std::string name = copyName("g2s", piece, type);
    forEachBox(
        loc, piece, type, rows, firstRow, [&](int64_t bytes, ValueRange at) {
          Value to = LLVM::AddrSpaceCastOp::create(
              builder, loc, cluster,
              displace(builder, loc, buffer, builder.getI8Type(), bytes));
          SmallVector<Value> operands{to, signal, map};
          llvm::append_range(operands, at);
          // No cache hint, no pair of blocks.
          operands.append({word(loc, everyBlock, 16), word(loc, 0, 64),
                           word(loc, multicast, 1), no, word(loc, 0)});
          intrinsic(loc, name, operands);
        });
  });
  return success();
}

void KernelLowering::lowerPrefetch(PrefetchOp op) {
  Location loc = op.getLoc();
  auto type = cast<SharedType>(op.getBuffer());
  int64_t rows = type.getShape()[0];
  Piece piece = pieceOf(op);
  Value map = tensorMapArgument(piece, type, rows);
  byOneThread(loc, [&] {
    std::string name = copyName("prefetch", piece, type);
    forEachBox(loc, piece, type, rows, {}, [&](int64_t, ValueRange at) {
      SmallVector<Value> operands{map};
      llvm::append_range(operands, at);
      operands.append({word(loc, 0, 64), word(loc, 0, 1)});
      intrinsic(loc, name, operands);
    });
  });
}

/// Each thread asks for one line; the last one for that of the last element.
LogicalResult KernelLowering::lowerPrefetchElements(PrefetchElementsOp op) {
  Location loc = op.getLoc();
  ViewType view = op.getView().getType();
  std::optional<int64_t> count = op.getCount().getExpr().asConstant();
  if (!count)
    return op.emitError() << "asks for '" << op.getCount().getExpr().str()
                          << "' elements, expected a constant";
  if (*kernel.getWave() != 32)
    return success();
  int64_t perLine =
      kLineBytes * 8 / view.getElementType().getIntOrFloatBitWidth();
  int64_t lines = llvm::divideCeil(*count - 1, perLine) + 1;
  Value tid = threadId(loc);
  Value more = arith::MinUIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, tid, index(loc, perLine)),
      index(loc, *count - 1));
  SmallVector<Value> place;
  Value inside =
      isBelow(loc, tid, index(loc, lines),
              placeInside(loc, view, op.getOffsets().drop_back(), place));
  place.push_back(arith::AddIOp::create(
      builder, loc, more, mapping.lookup(op.getOffsets().back())));
  inside =
      isBelow(loc, place.back(),
              materialize(loc, view.getExtents().back().getExpr()), inside);
  scf::IfOp::create(builder, loc, inside, [&](OpBuilder &, Location) {
    Value offset = offsetInView(loc, view, place);
    intrinsic(loc, "llvm.nvvm.prefetch.global.L1",
              {elementPointer(loc, view.getElementType(),
                              mapping.lookup(op.getView()), offset)});
    scf::YieldOp::create(builder, loc);
  });
  return success();
}

void KernelLowering::lowerStoreAsync(StoreAsyncOp op) {
  Location loc = op.getLoc();
  SharedType type = op.getBuffer().getType();
  int64_t rows = storedRows(op);
  Piece piece = pieceOf(op);
  Value map = tensorMapArgument(piece, type, rows);
  Value buffer = mapping.lookup(op.getBuffer());
  bool ofWarpgroup = op.getWarpgroup();
  std::string name = copyName("s2g", piece, type);
  auto store = [&](Value from, Value firstRow) {
    forEachBox(
        loc, piece, type, rows, firstRow, [&](int64_t bytes, ValueRange at) {
          SmallVector<Value> operands{
              displace(builder, loc, from, builder.getI8Type(), bytes), map};
          llvm::append_range(operands, at);
          operands.append({word(loc, 0, 64), word(loc, 0, 1)});
          intrinsic(loc, name, operands);
        });
  };
  auto body = [&] {
    if (!ofWarpgroup)
      store(buffer, {});
    int64_t turn = role.numThreads / kWarpgroupThreads * rows;
    for (int64_t row = 0; ofWarpgroup && row < type.getShape()[0];
         row += turn) {
      Value own = arith::AddIOp::create(
          builder, loc,
          arith::MulIOp::create(builder, loc, role.warpgroup, word(loc, rows)),
          word(loc, row));
      store(slotAddress(loc, buffer, own, type.getRowStride()), own);
    }
    intrinsic(loc, "llvm.nvvm.cp.async.bulk.commit.group", {});
  };
  byOneThread(loc, body, ofWarpgroup);
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

Value KernelLowering::sharedAddress(Location loc, Value pointer) {
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
}

Value KernelLowering::inlinePtx(Location loc, StringRef text,
                                StringRef constraints, ValueRange operands,
                                Type result, bool isPure) {
  auto assembly = LLVM::InlineAsmOp::create(
      builder, loc, result ? TypeRange(result) : TypeRange(), operands, text,
      constraints, /*has_side_effects=*/!isPure, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  return result ? assembly.getResult(0) : Value();
}

LogicalResult KernelLowering::lowerInitMbarriers(InitMbarriersOp op) {
  if (failed(lowerPlace(op, op.getOffset())))
    return failure();
  Location loc = op.getLoc();
  Value base = mapping.lookup(op.getResult());
  byOneThread(loc, [&] {
    for (int64_t i = 0; i < op.getResult().getType().getCount(); ++i)
      intrinsic(loc, "llvm.nvvm.mbarrier.init.shared",
                {displace(builder, loc, base, builder.getI8Type(),
                          i * MbarriersType::kElementBytes),
                 word(loc, op.getArrivals())});
    intrinsic(loc, "llvm.nvvm.fence.mbarrier_init.release.cluster", {});
  });
  return success();
}

void KernelLowering::lowerMbarrierWait(MbarrierWaitOp op) {
  Location loc = op.getLoc();
  constexpr int64_t patience = 10000000; // ns, then it asks again
  inlinePtx(
      loc,
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1, $2;\n"
      "@done bra.uni over;\n"
      "bra.uni again;\n"
      "over:\n"
      "}",
      "r,r,r,~{memory}",
      {sharedAddress(loc, mbarrierAt(loc, op.getMbarriers(), op.getSlot())),
       mapping.lookup(op.getParity()), word(loc, patience)});
}

/// Predicated, not in a branch: a branch makes the assembler give up uniform
/// registers for the loop around it.
void KernelLowering::lowerMbarrierArrive(MbarrierArriveOp op) {
  Location loc = op.getLoc();
  Value inGroup = arith::RemUIOp::create(
      builder, loc, toWord(loc, threadId(loc)), word(loc, kWarpgroupThreads));
  int64_t blocks = op.getCluster() ? clusterSize() : 1;
  Value leads = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                      inGroup, word(loc, blocks));
  if (op.getCondition())
    leads = both(loc, leads, mapping.lookup(op.getCondition()));
  Value wide =
      arith::ExtUIOp::create(builder, loc, builder.getI32Type(), leads);
  Value own =
      sharedAddress(loc, mbarrierAt(loc, op.getMbarriers(), op.getSlot()));
  if (blocks > 1) {
    inlinePtx(loc,
              "{\n"
              ".reg .pred leads;\n"
              ".reg .b32 there;\n"
              "setp.ne.b32 leads, $1, 0;\n"
              "@leads mapa.shared::cluster.u32 there, $0, $2;\n"
              "@leads mbarrier.arrive.shared::cluster.b64 _, "
              "[there];\n"
              "}",
              "r,r,r,~{memory}", {own, wide, inGroup});
    return;
  }
  inlinePtx(loc,
            "{\n"
            ".reg .pred leads;\n"
            "setp.ne.b32 leads, $1, 0;\n"
            "@leads mbarrier.arrive.shared::cta.b64 _, [$0];\n"
            "}",
            "r,r,~{memory}", {own, wide});
}

LogicalResult KernelLowering::lowerAsync(Operation *op) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<CopyAsyncOp>([&](auto copy) { return lowerCopyAsync(copy); })
      .Case<PrefetchOp>([&](auto prefetch) {
        lowerPrefetch(prefetch);
        return success();
      })
      .Case<PrefetchElementsOp>(
          [&](auto prefetch) { return lowerPrefetchElements(prefetch); })
      .Case<CommitCopiesOp>([&](auto) {
        intrinsic(loc, "llvm.nvvm.cp.async.commit.group", {});
        return success();
      })
      .Case<AwaitCopiesOp>([&](AwaitCopiesOp await) {
        intrinsic(loc, "llvm.nvvm.cp.async.wait.group",
                  {word(loc, await.getPending())});
        return success();
      })
      .Case<InitMbarriersOp>(
          [&](auto init) { return lowerInitMbarriers(init); })
      .Case<MbarrierExpectOp>([&](MbarrierExpectOp expect) {
        byOneThread(loc, [&] {
          intrinsic(loc,
                    "llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta",
                    {mbarrierAt(loc, expect.getMbarriers(), expect.getSlot()),
                     word(loc, expect.getBytes())},
                    builder.getI64Type());
        });
        return success();
      })
      .Case<MbarrierArriveOp>([&](auto arrive) {
        lowerMbarrierArrive(arrive);
        return success();
      })
      .Case<MbarrierWaitOp>([&](auto wait) {
        lowerMbarrierWait(wait);
        return success();
      })
      .Case<AwaitDotsOp>([&](auto await) {
        lowerAwaitDots(await);
        return success();
      })
      .Case<FenceAsyncOp>([&](auto) {
        intrinsic(loc, "llvm.nvvm.fence.proxy.async.shared_cta", {});
        return success();
      })
      .Case<StoreAsyncOp>([&](auto store) {
        lowerStoreAsync(store);
        return success();
      })
      .Case<AwaitStoresOp>([&](AwaitStoresOp await) {
        byOneThread(
            loc,
            [&] {
              intrinsic(loc, "llvm.nvvm.cp.async.bulk.wait.group.read",
                        {word(loc, await.getPending())});
            },
            await.getWarpgroup());
        return success();
      });
}
