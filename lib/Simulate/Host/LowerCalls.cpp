//===- LowerCalls.cpp - Target instructions to calls of handlers ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lathe::host {

namespace {
/// Lays out the operands and results of one call, and moves them.
class SiteBuilder {
public:
  SiteBuilder(HostModule &host, CallInst &call, Site &site)
      : host(host), call(call), site(site), builder(&call) {}

  /// False if a type has no layout; the instruction is then unsupported.
  bool layOut();
  void emit(AllocaInst *out, AllocaInst *in);

  uint32_t outBytes = 0, inBytes = 0;

private:
  std::optional<Slot> describe(Type *type, uint32_t &end, bool isResult);
  SmallVector<std::optional<unsigned>> tiedResults() const;
  void store(Value *value, const Slot &slot, AllocaInst *area);
  Value *load(Type *type, const Slot &slot, AllocaInst *area);
  Type *widened(Type *integer, unsigned toBits = 0) {
    return IntegerType::get(*host.context,
                            toBits ? toBits
                                   : alignTo(integer->getIntegerBitWidth(), 8));
  }
  Value *at(AllocaInst *area, const Slot &slot) {
    return builder.CreateConstInBoundsGEP1_32(host.i8(), area, slot.offset);
  }

  HostModule &host;
  CallInst &call;
  Site &site;
  IRBuilder<> builder;
  SmallVector<Type *> resultTypes;
};
} // namespace

std::optional<Slot> SiteBuilder::describe(Type *type, uint32_t &end,
                                          bool isResult) {
  Slot slot;
  Type *element = type;
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    slot.isVector = true;
    slot.lanes = vector->getNumElements();
    element = vector->getElementType();
  }
  if (auto *pointer = dyn_cast<PointerType>(element)) {
    slot.kind = Slot::Pointer;
    slot.addressSpace = pointer->getAddressSpace();
    // A wider pointer (a buffer resource) is a handle of 64 bits on the host.
    slot.bits =
        slot.isVector
            ? 64
            : std::min(64u,
                       host.gpuLayout.getPointerSizeInBits(slot.addressSpace));
  } else if (element->isIntegerTy()) {
    slot.bits = element->getIntegerBitWidth();
  } else if (element->isHalfTy() || element->isBFloatTy() ||
             element->isFloatTy() || element->isDoubleTy()) {
    slot.kind = Slot::Float;
    slot.bits = element->getPrimitiveSizeInBits();
    slot.isBFloat = element->isBFloatTy();
  } else {
    return std::nullopt;
  }
  uint64_t bytes = uint64_t(slot.bytesPerLane()) * slot.lanes;
  if (!slot.isVector && slot.kind != Slot::Float && !isResult)
    bytes = std::max<uint64_t>(bytes, 8);
  // Accumulators lie dense: matrix instructions read them in place.
  bool isDense = !slot.isVector && (slot.kind == Slot::Float || isResult);
  slot.offset = alignTo(end, bytes > 8 ? 16
                             : isDense ? PowerOf2Ceil(bytes)
                                       : 8);
  uint64_t next = slot.offset + bytes;
  if (next > (1u << 16))
    return std::nullopt;
  end = next;
  return slot;
}

bool SiteBuilder::layOut() {
  if (auto *members = dyn_cast<StructType>(call.getType()))
    resultTypes.assign(members->element_begin(), members->element_end());
  else if (!call.getType()->isVoidTy())
    resultTypes.push_back(call.getType());
  for (Type *type : resultTypes) {
    std::optional<Slot> slot = describe(type, outBytes, true);
    if (!slot)
      return false;
    site.results.push_back(*slot);
  }
  SmallVector<std::optional<unsigned>> ties = tiedResults();
  for (const Use &use : call.args()) {
    Value *value = use.get();
    std::optional<unsigned> tied;
    if (!ties.empty())
      tied = ties[use.getOperandNo()];
    std::optional<Slot> slot;
    if (tied && value->getType() == resultTypes[*tied]) {
      slot = site.results[*tied];
      slot->inResult = true;
    } else {
      slot = describe(value->getType(), inBytes, false);
    }
    if (!slot)
      return false;
    slot->undefined = isa<UndefValue>(value);
    if (auto *constant = dyn_cast<ConstantInt>(value);
        constant && slot->bits <= 64) {
      slot->isConstant = true;
      slot->constant = constant->getZExtValue();
    }
    site.operands.push_back(*slot);
  }
  return true;
}

/// By argument of inline PTX, the result that it is tied to and can be stored
/// in: a float, as an integer would be widened there.
SmallVector<std::optional<unsigned>> SiteBuilder::tiedResults() const {
  SmallVector<std::optional<unsigned>> ties;
  auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly || host.program->isAmd)
    return ties;
  for (const InlineAsm::ConstraintInfo &info : assembly->ParseConstraints()) {
    if (info.Type != InlineAsm::isInput)
      continue;
    unsigned result;
    std::optional<unsigned> &tied = ties.emplace_back();
    if (!info.Codes.empty() &&
        !StringRef(info.Codes.front()).getAsInteger(10, result) &&
        result < resultTypes.size() && resultTypes[result]->isFloatTy())
      tied = result;
  }
  ties.resize(call.arg_size());
  return ties;
}

static Align alignOf(const Slot &slot) {
  return commonAlignment(Align(8), slot.offset);
}

void SiteBuilder::store(Value *value, const Slot &slot, AllocaInst *area) {
  if (slot.undefined)
    return;
  Type *type = value->getType();
  if (slot.kind == Slot::Pointer && !slot.isVector)
    value = builder.CreatePtrToInt(value, host.i64());
  else if (slot.kind == Slot::Integer && !slot.isVector)
    value =
        builder.CreateZExt(value, slot.bits < 64 ? host.i64() : widened(type));
  else if (slot.kind == Slot::Integer && slot.bits % 8)
    value = builder.CreateZExt(
        value,
        FixedVectorType::get(widened(type->getScalarType()), slot.lanes));
  builder.CreateAlignedStore(value, at(area, slot), alignOf(slot));
}

Value *SiteBuilder::load(Type *type, const Slot &slot, AllocaInst *area) {
  Value *address = at(area, slot);
  Type *element = type->getScalarType();
  if (slot.kind == Slot::Pointer && !slot.isVector) {
    Value *bits = builder.CreateAlignedLoad(builder.getIntNTy(slot.bits),
                                            address, alignOf(slot));
    return builder.CreateIntToPtr(builder.CreateZExt(bits, host.i64()), type);
  }
  if (slot.kind != Slot::Integer || slot.bits % 8 == 0)
    return builder.CreateAlignedLoad(type, address, alignOf(slot));
  Type *stored = widened(element);
  if (slot.isVector)
    stored = FixedVectorType::get(stored, slot.lanes);
  return builder.CreateTrunc(
      builder.CreateAlignedLoad(stored, address, alignOf(slot)), type);
}

void SiteBuilder::emit(AllocaInst *out, AllocaInst *in) {
  for (auto [use, slot] : zip_equal(call.args(), site.operands))
    store(use.get(), slot, slot.inResult ? out : in);
  builder.CreateCall(host.runtime("lathe_sim_call", builder.getVoidTy(),
                                  {host.i32(), host.ptr(), host.ptr()}),
                     {builder.getInt32(site.id), out, in});
  if (resultTypes.empty()) {
    call.eraseFromParent();
    return;
  }
  SmallVector<Value *> results;
  for (auto [type, slot] : zip_equal(resultTypes, site.results))
    results.push_back(load(type, slot, out));
  if (!call.getType()->isStructTy()) {
    call.replaceAllUsesWith(results.front());
    call.eraseFromParent();
    return;
  }
  // Members are nearly always taken apart again: an aggregate of hundreds is
  // built only for the other users.
  for (User *user : make_early_inc_range(call.users()))
    if (auto *extract = dyn_cast<ExtractValueInst>(user);
        extract && extract->getNumIndices() == 1) {
      extract->replaceAllUsesWith(results[extract->getIndices().front()]);
      extract->eraseFromParent();
    }
  if (!call.use_empty()) {
    Value *whole = PoisonValue::get(call.getType());
    for (auto [i, result] : enumerate(results))
      whole = builder.CreateInsertValue(whole, result, i);
    call.replaceAllUsesWith(whole);
  }
  call.eraseFromParent();
}

/// An empty assembly is a pin: its results are the operands tied to them.
/// False if a result has none.
static bool replacePin(CallInst &call, const InlineAsm &assembly) {
  SmallVector<Value *> results;
  unsigned operand = 0;
  unsigned outputs = 0;
  SmallVector<Value *> tied;
  for (const InlineAsm::ConstraintInfo &info : assembly.ParseConstraints()) {
    if (info.Type == InlineAsm::isOutput) {
      if (info.isIndirect)
        return false;
      tied.resize(++outputs);
    } else if (info.Type == InlineAsm::isInput) {
      Value *value = call.getArgOperand(operand++);
      if (info.hasMatchingInput() || info.Codes.empty())
        continue;
      unsigned output;
      if (!StringRef(info.Codes.front()).getAsInteger(10, output) &&
          output < tied.size())
        tied[output] = value;
    }
  }
  if (is_contained(tied, nullptr))
    return false;
  if (!call.getType()->isStructTy()) {
    if (!tied.empty())
      call.replaceAllUsesWith(tied.front());
    call.eraseFromParent();
    return true;
  }
  IRBuilder<> builder(&call);
  for (User *user : make_early_inc_range(call.users()))
    if (auto *extract = dyn_cast<ExtractValueInst>(user);
        extract && extract->getNumIndices() == 1) {
      extract->replaceAllUsesWith(tied[extract->getIndices().front()]);
      extract->eraseFromParent();
    }
  if (!call.use_empty()) {
    Value *whole = PoisonValue::get(call.getType());
    for (auto [i, value] : enumerate(tied))
      whole = builder.CreateInsertValue(whole, value, i);
    call.replaceAllUsesWith(whole);
  }
  call.eraseFromParent();
  return true;
}

static bool isTargetIntrinsic(const Function &function) {
  return function.getName().starts_with("llvm.nvvm.") ||
         function.getName().starts_with("llvm.amdgcn.") ||
         function.getName().starts_with("llvm.r600.");
}

/// Takes care of calls that need no handler; returns the name under which to
/// look for one otherwise, or nothing.
static std::optional<std::string> handlerName(HostModule &host,
                                              const WorkItem &item) {
  auto *call = cast<CallInst>(item.instruction);
  if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand())) {
    if (!StringRef(assembly->getAsmString()).trim().empty())
      return host.program->isAmd ? "asm.amdgcn" : "asm";
    if (!replacePin(*call, *assembly))
      host.unsupported.insert(
          "empty inline assembly with a result that no operand is tied to");
    return std::nullopt;
  }
  Function *callee = call->getCalledFunction();
  if (!callee) {
    host.unsupported.insert("indirect call");
    return std::nullopt;
  }
  if (!callee->isIntrinsic()) {
    if (callee->isDeclaration())
      host.unsupported.insert("call of external function " +
                              callee->getName().str());
    return std::nullopt;
  }
  Intrinsic::ID id = callee->getIntrinsicID();
  if (id == Intrinsic::trap || id == Intrinsic::debugtrap ||
      id == Intrinsic::ubsantrap) {
    host.traps.push_back(item);
    return std::nullopt;
  }
  if (isTargetIntrinsic(*callee))
    return Intrinsic::getBaseName(id).str();
  if (isa<AnyMemIntrinsic>(call)) {
    if (isa<AnyMemTransferInst, AnyMemSetInst>(call) && !call->isAtomic())
      host.accesses.push_back(item);
    else
      host.unsupported.insert(Intrinsic::getBaseName(id).str());
    return std::nullopt;
  }
  if (isHostIntrinsic(id))
    lowerHostIntrinsic(host, *cast<IntrinsicInst>(call));
  else
    host.unsupported.insert(Intrinsic::getBaseName(id).str());
  return std::nullopt;
}

static void addUnsupported(HostModule &host, const Site &site, Error error) {
  handleAllErrors(
      std::move(error),
      [&](const sim::UnsupportedError &names) {
        host.unsupported.insert(names.instructions.begin(),
                                names.instructions.end());
      },
      [&](const ErrorInfoBase &other) {
        host.unsupported.insert(site.name + ": " + other.message());
      });
}

void lowerCalls(HostModule &host) {
  Program &program = *host.program;
  const sim::InstructionSet &set = sim::InstructionSet::get();
  program.instructions.assign(program.sites.size(), nullptr);
  struct Areas {
    AllocaInst *out = nullptr, *in = nullptr;
    uint64_t outBytes = 0, inBytes = 0;
  };
  DenseMap<Function *, Areas> areas;
  auto makeArea = [&](Function &function) {
    auto *area =
        new AllocaInst(ArrayType::get(host.i8(), 0), 0, nullptr, Align(64), "");
    area->insertBefore(function.getEntryBlock(),
                       function.getEntryBlock().begin());
    return area;
  };
  for (const WorkItem &item : std::vector<WorkItem>(host.calls)) {
    Site &site = program.sites[item.site];
    std::optional<std::string> name = handlerName(host, item);
    if (!name)
      continue;
    auto *call = cast<CallInst>(item.instruction);
    site.name = *name;
    if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand())) {
      site.assembly = assembly->getAsmString();
      site.constraints = assembly->getConstraintString();
    }
    SiteBuilder builder(host, *call, site);
    const sim::Instruction *instruction = set.find(site.name);
    if (!instruction || !builder.layOut()) {
      host.unsupported.insert(!site.assembly.empty()
                                  ? "inline assembly '" + site.assembly + "'"
                                  : site.name);
      continue;
    }
    if (instruction->prepare) {
      auto prepared = instruction->prepare(site);
      if (!prepared) {
        addUnsupported(host, site, prepared.takeError());
        continue;
      }
      site.prepared = std::move(*prepared);
    }
    program.instructions[item.site] = instruction;
    Areas &area = areas[call->getFunction()];
    if (!area.out) {
      area.out = makeArea(*call->getFunction());
      area.in = makeArea(*call->getFunction());
    }
    area.outBytes = std::max<uint64_t>(area.outBytes, builder.outBytes);
    area.inBytes = std::max<uint64_t>(area.inBytes, builder.inBytes);
    builder.emit(area.out, area.in);
  }
  for (auto &[function, area] : areas) {
    area.out->setAllocatedType(ArrayType::get(host.i8(), area.outBytes));
    area.in->setAllocatedType(ArrayType::get(host.i8(), area.inBytes));
  }
  host.calls.clear();
}

} // namespace lathe::host
