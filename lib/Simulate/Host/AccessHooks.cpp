//===- AccessHooks.cpp - Every access to memory is announced --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "../Machine.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace lathe::host {

namespace {
class AccessHooks {
public:
  explicit AccessHooks(HostModule &host)
      : host(host), tracked(findTrackedLocals(host)) {}
  void run();

private:
  void simple(const WorkItem &item, Value *pointer, Type *type, Align align,
              uint32_t kind);
  void transfer(const WorkItem &item, AnyMemIntrinsic &copy);
  void emit(IRBuilder<> &builder, uint32_t site, Value *pointer, Value *bytes,
            Align align, uint32_t kind);
  void yieldAfter(const WorkItem &item);
  void fence(const WorkItem &item);
  void localsAlive();
  bool isPlainLocal(const Value *pointer) const {
    auto *local = dyn_cast<AllocaInst>(getUnderlyingObject(pointer));
    return local && !tracked.contains(local);
  }
  void refuseNarrowPointers(const Type *type);
  /// Shared memory is tracked in pieces that no access splits.
  void narrow(const Value *pointer, uint64_t bytes, Align align);

  HostModule &host;
  DenseSet<const AllocaInst *> tracked;
};
} // namespace

/// What every access to the local variable is: a whole number of bytes inside
/// of it. Then nothing needs to be checked while it runs.
static bool staysInside(const AllocaInst &local, const DataLayout &layout) {
  std::optional<TypeSize> size = local.getAllocationSize(layout);
  if (!size || size->isScalable())
    return false;
  auto inside = [&](const Value *pointer, Type *type) {
    APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    const Value *base = pointer->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    uint64_t bytes = layout.getTypeStoreSize(type);
    return base == &local && !offset.isNegative() &&
           offset.getZExtValue() <= size->getFixedValue() &&
           bytes <= size->getFixedValue() - offset.getZExtValue();
  };
  SmallVector<const Value *> work{&local};
  while (!work.empty()) {
    const Value *pointer = work.pop_back_val();
    for (const User *user : pointer->users()) {
      if (auto *load = dyn_cast<LoadInst>(user)) {
        if (!inside(pointer, load->getType()))
          return false;
      } else if (auto *store = dyn_cast<StoreInst>(user)) {
        if (store->getValueOperand() == pointer ||
            !inside(pointer, store->getValueOperand()->getType()))
          return false;
      } else if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst>(user)) {
        work.push_back(user);
      } else if (auto *intrinsic = dyn_cast<IntrinsicInst>(user)) {
        if (!intrinsic->isLifetimeStartOrEnd())
          return false;
      } else {
        return false;
      }
    }
  }
  return true;
}

DenseSet<const AllocaInst *> findTrackedLocals(HostModule &host) {
  DenseSet<const AllocaInst *> tracked;
  for (AllocaInst *local : host.locals) {
    if (!local->isStaticAlloca())
      host.unsupported.insert("variable of dynamic size in local memory");
    else if (!staysInside(*local, host.gpuLayout))
      tracked.insert(local);
  }
  return tracked;
}

// LDS and private pointers have 32 bits on AMD and 64 here, so that in memory
// they would overlap their neighbours.
void AccessHooks::refuseNarrowPointers(const Type *type) {
  if (auto *pointer = dyn_cast<PointerType>(type->getScalarType())) {
    unsigned bits =
        host.gpuLayout.getPointerSizeInBits(pointer->getAddressSpace());
    if (bits != 64)
      host.unsupported.insert("pointer of " + std::to_string(bits) +
                              " bits in memory");
  }
  for (const Type *member : type->subtypes())
    refuseNarrowPointers(member);
}

void AccessHooks::narrow(const Value *pointer, uint64_t bytes, Align align) {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space == 3 || space == 0)
    host.program->granule = std::min<uint64_t>(
        host.program->granule, commonAlignment(align, bytes).value());
}

void AccessHooks::emit(IRBuilder<> &builder, uint32_t site, Value *pointer,
                       Value *bytes, Align align, uint32_t kind) {
  Value *address = builder.CreatePtrToInt(pointer, host.i64());
  builder.CreateCall(
      host.runtime(
          "lathe_sim_access", builder.getVoidTy(),
          {host.i32(), host.i64(), host.i32(), host.i32(), host.i32()}),
      {builder.getInt32(site), address, bytes,
       builder.getInt32(std::min<uint64_t>(align.value(), 1u << 16)),
       builder.getInt32(kind)});
}

void AccessHooks::simple(const WorkItem &item, Value *pointer, Type *type,
                         Align align, uint32_t kind) {
  refuseNarrowPointers(type);
  TypeSize size = host.gpuLayout.getTypeStoreSize(type);
  if (size.isScalable()) {
    host.unsupported.insert("scalable vector in memory");
    return;
  }
  if (isPlainLocal(pointer) || size.getFixedValue() == 0)
    return;
  uint64_t bytes = size.getFixedValue();
  host.program->sites[item.site].accessBytes = bytes;
  narrow(pointer, bytes, align);
  IRBuilder<> builder(item.instruction);
  emit(builder, item.site, pointer, builder.getInt32(bytes), align, kind);
  // A misaligned access is reported, and must not fault on the host.
  if (auto *load = dyn_cast<LoadInst>(item.instruction);
      load && !load->isAtomic())
    load->setAlignment(Align(1));
  if (auto *store = dyn_cast<StoreInst>(item.instruction);
      store && !store->isAtomic())
    store->setAlignment(Align(1));
}

void AccessHooks::transfer(const WorkItem &item, AnyMemIntrinsic &copy) {
  auto *transfer = dyn_cast<AnyMemTransferInst>(&copy);
  bool destination = !isPlainLocal(copy.getRawDest());
  bool source = transfer && !isPlainLocal(transfer->getRawSource());
  if (!destination && !source)
    return;
  Value *length = copy.getLength();
  auto *constant = dyn_cast<ConstantInt>(length);
  if (constant && constant->isZero())
    return;
  IRBuilder<> builder(&copy);
  if (!constant) {
    Value *some =
        builder.CreateICmpNE(length, ConstantInt::get(length->getType(), 0));
    builder.SetInsertPoint(
        SplitBlockAndInsertIfThen(some, &copy, /*Unreachable=*/false));
  }
  // No memory of a launch is as large as what does not fit into 32 bits.
  Value *bytes = builder.CreateZExtOrTrunc(length, host.i64());
  bytes = builder.CreateBinaryIntrinsic(Intrinsic::umin, bytes,
                                        builder.getInt64(UINT32_MAX));
  bytes = builder.CreateTrunc(bytes, host.i32());
  uint64_t piece = constant ? constant->getZExtValue() : 1;
  if (destination) {
    Align align = copy.getDestAlign().valueOrOne();
    narrow(copy.getRawDest(), piece, align);
    emit(builder, item.site, copy.getRawDest(), bytes, align,
         uint32_t(sim::AccessKind::Write));
    copy.setDestAlignment(Align(1));
  }
  if (source) {
    Align align = transfer->getSourceAlign().valueOrOne();
    narrow(transfer->getRawSource(), piece, align);
    emit(builder, item.site, transfer->getRawSource(), bytes, align,
         uint32_t(sim::AccessKind::Read));
    transfer->setSourceAlignment(Align(1));
  }
}

// A thread that polls must let others run.
void AccessHooks::yieldAfter(const WorkItem &item) {
  if (!host.inLoop.contains(item.instruction->getParent()))
    return;
  IRBuilder<> builder(item.instruction->getNextNode());
  builder.CreateCall(
      host.runtime("lathe_sim_yield", builder.getVoidTy(), {host.i32()}),
      {builder.getInt32(item.site)});
}

static uint32_t orderBits(AtomicOrdering ordering) {
  return (isAcquireOrStronger(ordering) ? sim::accessAcquires : 0) |
         (isReleaseOrStronger(ordering) ? sim::accessReleases : 0);
}

// Within a block, barriers and shuffles order memory; a fence of that scope
// adds nothing that the machine tracks.
void AccessHooks::fence(const WorkItem &item) {
  auto *fence = cast<FenceInst>(item.instruction);
  SmallVector<StringRef> names;
  host.context->getSyncScopeNames(names);
  StringRef scope = names[fence->getSyncScopeID()];
  bool isNarrow = scope.starts_with("singlethread") ||
                  scope.starts_with("wavefront") ||
                  scope.starts_with("workgroup") || scope == "block";
  if (!isNarrow) {
    IRBuilder<> builder(fence);
    builder.CreateCall(
        host.runtime("lathe_sim_fence", builder.getVoidTy(), {host.i32()}),
        {builder.getInt32(item.site)});
  }
  fence->eraseFromParent();
}

void AccessHooks::localsAlive() {
  auto alive = [&](IRBuilder<> &builder, AllocaInst &local) {
    uint64_t bytes = local.getAllocationSize(host.gpuLayout)->getFixedValue();
    builder.CreateCall(
        host.runtime("lathe_sim_local", builder.getVoidTy(),
                     {host.i64(), host.i64()}),
        {builder.CreatePtrToInt(&local, host.i64()), builder.getInt64(bytes)});
  };
  for (AllocaInst *local : host.locals) {
    SmallVector<IntrinsicInst *> lifetimes;
    for (User *user : local->users())
      if (auto *intrinsic = dyn_cast<IntrinsicInst>(user);
          intrinsic && intrinsic->isLifetimeStartOrEnd())
        lifetimes.push_back(intrinsic);
    bool isTracked = tracked.contains(local);
    if (isTracked && lifetimes.empty()) {
      IRBuilder<> builder(local->getNextNode());
      alive(builder, *local);
    }
    for (IntrinsicInst *lifetime : lifetimes) {
      if (isTracked &&
          lifetime->getIntrinsicID() == Intrinsic::lifetime_start) {
        IRBuilder<> builder(lifetime);
        alive(builder, *local);
      }
      lifetime->eraseFromParent();
    }
  }
}

void AccessHooks::run() {
  constexpr auto read = uint32_t(sim::AccessKind::Read),
                 write = uint32_t(sim::AccessKind::Write),
                 atomic = uint32_t(sim::AccessKind::Atomic),
                 atomicRead = uint32_t(sim::AccessKind::AtomicRead),
                 atomicWrite = uint32_t(sim::AccessKind::AtomicWrite);
  localsAlive();
  for (const WorkItem &item : host.accesses) {
    Instruction *instruction = item.instruction;
    if (auto *load = dyn_cast<LoadInst>(instruction)) {
      bool isOrdered = load->isAtomic() || load->isVolatile();
      simple(item, load->getPointerOperand(), load->getType(), load->getAlign(),
             isOrdered ? atomicRead | orderBits(load->getOrdering()) : read);
      if (isOrdered)
        yieldAfter(item);
    } else if (auto *store = dyn_cast<StoreInst>(instruction)) {
      bool isOrdered = store->isAtomic() || store->isVolatile();
      simple(item, store->getPointerOperand(),
             store->getValueOperand()->getType(), store->getAlign(),
             isOrdered ? atomicWrite | orderBits(store->getOrdering()) : write);
      if (isOrdered)
        yieldAfter(item);
    } else if (auto *update = dyn_cast<AtomicRMWInst>(instruction)) {
      simple(item, update->getPointerOperand(), update->getType(),
             update->getAlign(), atomic | orderBits(update->getOrdering()));
      yieldAfter(item);
    } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(instruction)) {
      simple(item, exchange->getPointerOperand(),
             exchange->getCompareOperand()->getType(), exchange->getAlign(),
             atomic | orderBits(exchange->getSuccessOrdering()));
      yieldAfter(item);
    } else {
      transfer(item, *cast<AnyMemIntrinsic>(instruction));
    }
  }
  for (const WorkItem &item : host.fences)
    fence(item);
}

void addAccessHooks(HostModule &host) { AccessHooks(host).run(); }

} // namespace lathe::host
