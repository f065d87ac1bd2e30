//===- CheckAsyncRegisters.cpp - Registers of wgmma in flight -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward analysis over the blocks of each kernel. Results of products and
// the phis that carry them are tracked; a value is in flight until a wait
// covers the group of the product that made it.
//
//===----------------------------------------------------------------------===//

#include "CheckAsyncRegisters.h"

#include "AsyncProducts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;
using namespace lathe;

namespace {
/// A product or a phi that carries its result.
using Key = const Value *;
/// Those behind one value: a struct may be put together from several.
using Keys = SmallSetVector<Key, 2>;

struct State {
  /// Commits since the value's product was issued; 0: not committed.
  DenseMap<Key, unsigned> inFlight;
  /// Registers written since the last wgmma.fence.
  DenseSet<const Value *> written;
  bool unfenced = true; ///< there was no fence at all

  /// Both paths may have been taken. True if that says more.
  bool join(const State &other);
};

class Checker {
public:
  explicit Checker(const Function &function) : function(function) {}
  Error run();

private:
  void findProducts();
  const Value *throughPins(const Value *value) const;
  Keys keysOf(const Value *value) const;
  void collectKeys(const Value *value, Keys &keys) const;
  StringRef shapeOf(Key key) const;
  void step(const Instruction &instruction, State &state);
  void stepProduct(const AsyncProduct &product, State &state);
  void checkUse(const Instruction &user, const State &state);
  State alongEdge(const BasicBlock &from, const BasicBlock &to,
                  const State &state);
  void report(const Instruction &instruction, const Twine &what);

  const Function &function;
  Pins pins;
  MapVector<const CallBase *, AsyncProduct> products;
  DenseMap<const PHINode *, StringRef> carriers; ///< and their shape
  DenseSet<const Value *> operands; ///< registers that products read
  /// Phis that are registers of A, with their products.
  DenseMap<const PHINode *, SmallVector<const CallBase *, 1>> phisOfA;
  bool reports = false;
  std::set<std::string> breaches;
};
} // namespace

bool State::join(const State &other) {
  bool changed = other.unfenced && !unfenced;
  unfenced |= other.unfenced;
  for (auto [key, commits] : other.inFlight) {
    auto [it, isNew] = inFlight.try_emplace(key, commits);
    changed |= isNew || commits < it->second;
    it->second = std::min(it->second, commits);
  }
  for (const Value *value : other.written)
    changed |= written.insert(value).second;
  return changed;
}

void Checker::findProducts() {
  pins = findPins(function);
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (auto product = matchProduct(*call))
          products[call] = std::move(*product);
  // Phis of results, and phis of those, until there are no more.
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock &block : function)
      for (const PHINode &phi : block.phis()) {
        if (carriers.contains(&phi))
          continue;
        for (const Value *incoming : phi.incoming_values())
          if (Keys keys = keysOf(incoming); !keys.empty()) {
            carriers[&phi] = shapeOf(keys.front());
            changed = true;
            break;
          }
      }
  }
  for (auto &[call, product] : products) {
    for (const Value *value : product.accumulators)
      operands.insert(throughPins(value));
    for (const Value *value : product.a) {
      const Value *root = throughPins(value);
      operands.insert(root);
      if (auto *phi = dyn_cast<PHINode>(root))
        phisOfA[phi].push_back(call);
    }
  }
}

const Value *Checker::throughPins(const Value *value) const {
  while (const Value *pinned = pins.lookup(value))
    value = pinned;
  return value;
}

/// What is put into a struct and taken out again stays where it is.
static const Value *throughStructs(const Value *value) {
  auto *part = dyn_cast<ExtractValueInst>(value);
  if (!part)
    return value;
  const Value *whole = part->getAggregateOperand();
  while (auto *insert = dyn_cast<InsertValueInst>(whole)) {
    if (insert->getIndices() == part->getIndices())
      return throughStructs(insert->getInsertedValueOperand());
    whole = insert->getAggregateOperand();
  }
  return whole;
}

void Checker::collectKeys(const Value *value, Keys &keys) const {
  for (const Value *next; (next = throughStructs(throughPins(value))) != value;)
    value = next;
  while (auto *insert = dyn_cast<InsertValueInst>(value)) {
    collectKeys(insert->getInsertedValueOperand(), keys);
    value = insert->getAggregateOperand();
  }
  if (auto *call = dyn_cast<CallBase>(value)) {
    if (products.contains(call))
      keys.insert(call);
  } else if (auto *phi = dyn_cast<PHINode>(value)) {
    if (carriers.contains(phi))
      keys.insert(phi);
  }
}

Keys Checker::keysOf(const Value *value) const {
  Keys keys;
  collectKeys(value, keys);
  return keys;
}

StringRef Checker::shapeOf(Key key) const {
  if (auto *phi = dyn_cast<PHINode>(key))
    return carriers.lookup(phi);
  return products.find(cast<CallBase>(key))->second.shape;
}

static std::string describe(const Instruction &instruction) {
  std::string text;
  raw_string_ostream stream(text);
  if (auto *call = dyn_cast<CallBase>(&instruction);
      call && matchProduct(*call))
    stream << "wgmma.mma_async " << matchProduct(*call)->shape;
  else
    stream << "'" << StringRef(instruction.getOpcodeName()) << "'";
  if (const DebugLoc &where = instruction.getDebugLoc())
    stream << " at " << where->getFilename() << ":" << where.getLine() << ":"
           << where.getCol();
  return text;
}

void Checker::report(const Instruction &instruction, const Twine &what) {
  if (reports)
    breaches.insert(("kernel '" + function.getName() +
                     "': " + describe(instruction) + " " + what)
                        .str());
}

void Checker::stepProduct(const AsyncProduct &product, State &state) {
  const CallBase &call = *product.call;
  if (state.unfenced)
    report(call, "has no wgmma.fence before it");
  for (const Value *value : product.accumulators)
    for (Key key : keysOf(value))
      if (state.inFlight.contains(key) && shapeOf(key) != product.shape)
        report(call,
               "accumulates on the result of a wgmma of shape " + shapeOf(key) +
                   " in flight, expected a wgmma.wait_group between them");
  auto isInFlight = [&](Key key) { return state.inFlight.contains(key); };
  for (const Value *value : product.a)
    if (llvm::any_of(keysOf(value), isInFlight))
      report(call, "reads A from the result of a wgmma in flight, expected a "
                   "wgmma.wait_group between them");
  auto checkWritten = [&](ArrayRef<const Value *> values, const char *role) {
    for (const Value *value : values)
      if (state.written.contains(throughPins(value))) {
        report(call, Twine("reads ") + role +
                         " from a register written after the last "
                         "wgmma.fence, expected a fence between them");
        return;
      }
  };
  checkWritten(product.accumulators, "its accumulator");
  checkWritten(product.a, "A");
  state.inFlight[&call] = 0;
}

// Whatever reads a result, other than products, phis and pins.
void Checker::checkUse(const Instruction &user, const State &state) {
  if (isa<PHINode, ExtractValueInst, InsertValueInst>(user) ||
      pins.contains(&user))
    return;
  if (auto *call = dyn_cast<CallBase>(&user))
    if (call->isInlineAsm() &&
        cast<InlineAsm>(call->getCalledOperand())->getAsmString().empty())
      return;
  auto isInFlight = [&](Key key) { return state.inFlight.contains(key); };
  for (const Value *operand : user.operands())
    if (llvm::any_of(keysOf(operand), isInFlight)) {
      report(user, "uses the result of a wgmma in flight, expected a "
                   "wgmma.wait_group that covers it before");
      return;
    }
}

void Checker::step(const Instruction &instruction, State &state) {
  if (auto *call = dyn_cast<CallBase>(&instruction)) {
    auto found = products.find(call);
    if (found != products.end()) {
      stepProduct(found->second, state);
      return;
    }
  }
  checkUse(instruction, state);
  GroupEffect effect = groupEffect(instruction);
  if (effect.fence) {
    state.unfenced = false;
    state.written.clear();
  }
  if (effect.commit)
    for (auto &entry : state.inFlight)
      entry.second = std::min(entry.second + 1, 64u);
  if (effect.wait) {
    SmallVector<Key> done;
    for (auto [key, commits] : state.inFlight)
      if (commits > *effect.wait)
        done.push_back(key);
    for (Key key : done)
      state.inFlight.erase(key);
  }
  if (!isa<PHINode>(instruction) && operands.contains(&instruction) &&
      keysOf(&instruction).empty())
    state.written.insert(&instruction);
}

State Checker::alongEdge(const BasicBlock &from, const BasicBlock &to,
                         const State &state) {
  State next = state;
  for (const PHINode &phi : to.phis()) {
    const Value *incoming = phi.getIncomingValueForBlock(&from);
    if (carriers.contains(&phi)) {
      next.inFlight.erase(&phi);
      // The last product of those that the struct is of.
      for (Key key : keysOf(incoming))
        if (auto found = state.inFlight.find(key);
            found != state.inFlight.end()) {
          auto [it, isNew] = next.inFlight.try_emplace(&phi, found->second);
          it->second = std::min(it->second, found->second);
        }
    }
    if (operands.contains(&phi)) {
      next.written.erase(&phi);
      if (state.written.contains(throughPins(incoming)))
        next.written.insert(&phi);
    }
    auto readers = phisOfA.find(&phi);
    if (readers != phisOfA.end() && incoming != &phi)
      for (const CallBase *reader : readers->second)
        if (state.inFlight.contains(reader))
          report(*reader, "is in flight when the loop rewrites its registers "
                          "of A, expected a wgmma.wait_group before");
  }
  return next;
}

Error Checker::run() {
  findProducts();
  if (products.empty())
    return Error::success();
  ReversePostOrderTraversal<const Function *> order(&function);
  // A phi's operand written in a block is forwarded along edges: it has to be
  // tracked as well.
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock *block : order)
      for (const PHINode &phi : block->phis())
        if (operands.contains(&phi))
          for (const Value *incoming : phi.incoming_values())
            changed |= operands.insert(throughPins(incoming)).second;
  }
  DenseMap<const BasicBlock *, State> entries;
  entries[&function.getEntryBlock()];
  auto pass = [&] {
    bool changed = false;
    for (const BasicBlock *block : order) {
      State state = entries[block];
      for (const Instruction &instruction : *block)
        step(instruction, state);
      for (const BasicBlock *next : successors(block)) {
        State along = alongEdge(*block, *next, state);
        auto [it, isNew] = entries.try_emplace(next, along);
        changed |= isNew || it->second.join(along);
      }
    }
    return changed;
  };
  while (pass()) {
  }
  reports = true;
  pass();
  if (breaches.empty())
    return Error::success();
  return createStringError(join(breaches, "; "));
}

Error lathe::checkAsyncRegisters(const Module &module) {
  Error all = Error::success();
  for (const Function &function : module)
    if (!function.isDeclaration())
      all = joinErrors(std::move(all), Checker(function).run());
  return all;
}

void lathe::markConvergentAssembly(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || !call->isInlineAsm())
          continue;
        StringRef text =
            cast<InlineAsm>(call->getCalledOperand())->getAsmString();
        for (StringRef part :
             {".sync", ".aligned", "bar.", "barrier.", "try_wait",
              "mbarrier.arrive", "activemask", "cp.async.bulk"})
          if (text.contains(part))
            call->setConvergent();
      }
}
