//===- Access.cpp - Every access is checked -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace lathe::sim;

namespace {

/// One access on its way through the checks.
struct Request {
  Machine::State &state;
  Thread &thread;
  const Site &site;
  uint64_t address, bytes;
  AccessKind kind;
  const AsyncAccess *async;
  bool storeFollows; ///< the next thing that the fiber does is the store
  SharedShadow::Memo *memo = nullptr;

  std::string what() const {
    const char *verb = kind == AccessKind::Read          ? "read"
                       : kind == AccessKind::Write       ? "write"
                       : kind == AccessKind::AtomicRead  ? "atomic read"
                       : kind == AccessKind::AtomicWrite ? "atomic write"
                                                         : "atomic update";
    return (llvm::Twine(verb) + " of " + llvm::Twine(bytes) + " bytes").str();
  }
  char *pointer() const { return reinterpret_cast<char *>(address); }
  const Knowledge &known() const {
    return async && async->known ? *async->known : thread.warp->knowledge;
  }
  LLVM_ATTRIBUTE_NOINLINE
  void fault(FaultKind kind, llvm::function_ref<std::string()> message) const {
    if (!state.faults.repeat(kind, site))
      state.faults.add(kind, &thread, site, message());
  }
  [[noreturn]] void outOfBounds(const llvm::Twine &where) const {
    state.machine.abort(FaultKind::OutOfBounds, &thread, site,
                        what() + " at " + where);
  }

  char *shared(Block &block) const;
  char *local() const;
  char *global(Region &region) const;
  void visit(Block &block, uint32_t offset) const;
  void enterShared(Block &block, uint32_t offset) const;
  void enterGlobal(Region &region, uint64_t offset) const;
  template <typename Text>
  void race(FaultKind kind, bool sameStore, Text text) const;
  std::string sharedRaceText(const Block &block, const SharedRecord &record,
                             uint32_t offset, const SharedFinding &found) const;
  std::string globalRaceText(const Region &region, uint64_t offset,
                             const GlobalFinding &found) const;
  std::string siteText(uint32_t id) const {
    return shortText(state.shared.program.sites[id]);
  }
};

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

char *Request::shared(Block &block) const {
  uint32_t offset = address % arenaBytes;
  if (&block != thread.block &&
      block.state->owner != thread.block->state->owner)
    outOfBounds("shared memory of another cluster");
  if (&block != thread.block && state.shared.options.checkOrder)
    visit(block, offset);
  if (offset > block.sharedBytes || bytes > block.sharedBytes - offset)
    outOfBounds("shared+" + llvm::Twine(offset) + ", the block has " +
                llvm::Twine(block.sharedBytes) + " bytes");
  if (bytes && state.shared.options.checkOrder)
    enterShared(block, offset);
  return pointer();
}

/// Notes an access to another block's memory, for the end of that block.
void Request::visit(Block &block, uint32_t offset) const {
  if (llvm::all_of(block.warps, [](const Warp *warp) {
        return warp->exited == warp->full();
      }))
    fault(FaultKind::SharedRace, [&] {
      return what() + " at shared+" + llvm::utostr(offset) +
             " of cluster rank " + llvm::utostr(block.rank) +
             ", a block that has ended";
    });
  Epoch epoch = async ? async->epoch
                      : Epoch{thread.warp->agent, thread.warp->state->clock};
  auto &visits = block.state->visits;
  auto found = llvm::find_if(visits, [&](const Block::State::Visit &known) {
    return known.epoch.agent == epoch.agent;
  });
  Block::State::Visit last{epoch, &thread, site.id, offset};
  if (found == visits.end())
    visits.push_back(last);
  else if (found->epoch.clock <= epoch.clock)
    *found = last;
}

void Request::enterShared(Block &block, uint32_t offset) const {
  SharedAccess access;
  SharedRecord &record = access.record;
  const Warp &warp = *thread.warp;
  record.site = site.id;
  record.flags = isAtomic(kind) ? SharedRecord::Atomic : 0;
  access.kind = kind;
  access.known = &known();
  if (async) {
    access.isUnit = true;
    record.agent = async->epoch.agent;
    record.clock = async->epoch.clock;
    if (async->proxy == Proxy::Async)
      record.flags |= SharedRecord::AsyncProxy;
    if (async->lanesMet) {
      access.issuer = warp.agent;
      record.lane = thread.lane;
      record.syncs = *async->lanesMet;
    }
  } else {
    record.agent = warp.agent;
    record.clock = warp.state->clock;
    record.syncs = warp.state->syncs;
    record.lane = thread.lane;
    access.lanesOrdered = state.shared.program.isAmd;
  }
  access.waits = warp.state->waits;
  SharedShadow &shadow = block.state->shadow;
  if (shadow.repeats(record, isWrite(kind), offset, bytes))
    return;
  SharedFinding found = shadow.access(access, offset, bytes, memo);
  if (found.uninitialized)
    fault(FaultKind::UninitializedRead, [&] {
      return what() + " at shared+" + llvm::utostr(offset) +
             ": nothing was written to shared+" +
             llvm::utostr(std::max(offset, found.uninitializedOffset)) +
             " before";
    });
  if (found.conflict == SharedFinding::None)
    return;
  bool ofUnit = async || found.other.agent >= block.state->owner->warps.size();
  race(ofUnit || found.conflict == SharedFinding::Unfenced
           ? FaultKind::AsyncHazard
           : FaultKind::SharedRace,
       found.otherWrote && found.other.site == site.id,
       [self = *this, &block, record, offset, found] {
         return self.sharedRaceText(block, record, offset, found);
       });
}

std::string Request::sharedRaceText(const Block &block,
                                    const SharedRecord &record, uint32_t offset,
                                    const SharedFinding &found) const {
  const SharedRecord &other = found.other;
  bool sameWarp = other.agent == thread.warp->agent &&
                  (!async || (async->lanesMet &&
                              found.conflict == SharedFinding::Unordered));
  auto name = [&](const SharedRecord &of) {
    std::string text = block.state->owner->agentName(of.agent);
    if (!sameWarp || of.agent != other.agent)
      return text;
    return (of.lane == SharedRecord::manyLanes
                ? "several lanes"
                : "lane " + llvm::utostr(of.lane)) +
           " of " + text;
  };
  return what() + " at shared+" +
         llvm::utostr(std::max(offset, found.conflictOffset)) + " by " +
         name(record) +
         (found.conflict == SharedFinding::Unfenced
              ? " without fence.proxy.async after "
              : " not ordered after ") +
         (found.otherWrote ? "write by " : "read by ") + name(other) + " at '" +
         siteText(other.site) + "'";
}

/// Two unordered stores of the same instruction are no fault if they store the
/// same value, which shows after the store.
template <typename Text>
void Request::race(FaultKind kind, bool sameStore, Text text) const {
  Machine::State::PendingStore &pending = state.pending;
  if (!storeFollows || !sameStore || bytes > sizeof(pending.before)) {
    fault(kind, text);
    return;
  }
  pending.bytes = pointer();
  pending.size = bytes;
  std::memcpy(pending.before, pending.bytes, bytes);
  pending.kind = kind;
  pending.thread = &thread;
  pending.site = &site;
  pending.text = std::move(text);
}

//===----------------------------------------------------------------------===//
// Local and global memory
//===----------------------------------------------------------------------===//

char *Request::local() const {
  for (Local &local : thread.state->locals) {
    uint64_t offset = address - local.address;
    if (address < local.address || offset >= local.bytes)
      continue;
    if (bytes > local.bytes - offset)
      break;
    if (isRead(kind)) {
      for (uint64_t i = 0; i < bytes; ++i)
        if (!local.holdsValue[offset + i]) {
          fault(FaultKind::UninitializedRead, [&] {
            return what() + " at byte " + llvm::utostr(offset) +
                   " of a local variable: nothing was written to byte " +
                   llvm::utostr(offset + i) + " before";
          });
          break;
        }
    }
    if (isWrite(kind))
      std::fill_n(local.holdsValue.begin() + offset, bytes, true);
    return pointer();
  }
  outOfBounds("local memory, outside of every variable");
}

char *Request::global(Region &region) const {
  uint64_t offset = address - region.begin;
  if (isWrite(kind)) {
    if (region.readOnly)
      state.machine.abort(FaultKind::ReadOnlyWrite, &thread, site,
                          what() + " at '" + region.name + "'+" +
                              llvm::Twine(offset) + ", which is read-only");
  }
  if (isRead(kind) && region.holdsValue) {
    uint64_t first = region.holdsValue.firstClear(offset, bytes);
    if (first < bytes)
      fault(FaultKind::UninitializedRead, [&] {
        return what() + " at '" + region.name + "'+" + llvm::utostr(offset) +
               ": nothing was written to byte " + llvm::utostr(offset + first) +
               " before";
      });
  }
  if (isWrite(kind)) {
    if (region.holdsValue)
      region.holdsValue.set(offset, bytes);
    if (region.written)
      region.written.set(offset, bytes);
  }
  if (region.shadow && bytes)
    enterGlobal(region, offset);
  return pointer();
}

void Request::enterGlobal(Region &region, uint64_t offset) const {
  const Cluster &cluster = *thread.block->state->owner;
  GlobalAccess access;
  access.kind = kind;
  access.known = &known();
  access.record.cluster = cluster.number;
  access.record.site = site.id;
  access.record.agent = async ? async->epoch.agent : thread.warp->agent;
  access.record.clock = async ? async->epoch.clock : thread.warp->state->clock;
  if (isAtomic(kind))
    access.record.agent |= GlobalRecord::atomicFlag;
  GlobalFinding found = region.shadow->access(access, offset, bytes);
  if (!found.conflict)
    return;
  race(FaultKind::GlobalRace, found.otherWrote && found.other.site == site.id,
       [self = *this, &region, offset, found] {
         return self.globalRaceText(region, offset, found);
       });
}

std::string Request::globalRaceText(const Region &region, uint64_t offset,
                                    const GlobalFinding &found) const {
  const Cluster &cluster = *thread.block->state->owner;
  const GlobalRecord &other = found.other;
  bool manyBlocks = cluster.blocks.size() > 1;
  std::string who =
      (manyBlocks ? "cluster " : "block ") + llvm::utostr(other.cluster);
  if (other.cluster == cluster.number)
    who = cluster.agentName(other.agent & ~GlobalRecord::atomicFlag) +
          (manyBlocks ? " of the same cluster" : " of the same block");
  return what() + " at '" + region.name + "'+" +
         llvm::utostr(std::max(offset, found.offset)) + " not ordered after " +
         (found.otherWrote ? "write" : "read") + " by " + who + " at '" +
         siteText(other.site) + "'";
}

char *check(const Request &request, uint64_t align) {
  Machine::State &state = request.state;
  uint64_t address = request.address;
  if (align > 1 && address % align)
    request.fault(FaultKind::Misaligned, [&] {
      return request.what() + " at " + state.describe(address) +
             ", expected an address that is a multiple of " +
             llvm::utostr(align);
    });
  if (address >> 32 == 0) {
    if (Block *block = state.arenaOwner[address / arenaBytes])
      return request.shared(*block);
    const Stack &stack = request.thread.state->stack;
    uint64_t low = reinterpret_cast<uint64_t>(stack.low);
    if (address >= low && address < reinterpret_cast<uint64_t>(stack.high))
      return request.local();
  }
  Region *region = state.recent;
  if (!region || !region->holds(address, request.bytes))
    region = state.findRegion(address, request.bytes);
  if (region)
    return request.global(*region);
  request.outOfBounds(state.shared.memory.describe(address));
}

} // namespace

void Machine::State::decidePending() {
  const char *bytes = pending.bytes;
  pending.bytes = nullptr;
  if (std::memcmp(bytes, pending.before, pending.size) != 0)
    faults.add(pending.kind, pending.thread, *pending.site, pending.text());
}

bool Machine::State::countAccess(const Thread &thread, const Site &site,
                                 uint64_t address, uint64_t bytes) {
  bool isShared = machine.isShared(address);
  bool isLocal = !isShared && address >> 32 == 0;
  return !isLocal && bytes &&
         statistics.visit(*thread.warp, thread.lane, site, isShared, address,
                          bytes);
}

Region *Machine::State::findRegion(uint64_t address, uint64_t bytes) {
  if (Region *region = shared.memory.find(address, bytes))
    return recent = region;
  for (auto &[name, constant] : constants)
    if (constant.first.holds(address, bytes))
      return &constant.first;
  return nullptr;
}

uint64_t Machine::constant(llvm::StringRef name, const void *data,
                           uint64_t bytes) {
  auto [it, isNew] = state->constants.try_emplace(name.str());
  Region &region = it->second.first;
  if (isNew) {
    it->second.second = std::make_unique<char[]>(bytes);
    std::memcpy(it->second.second.get(), data, bytes);
    region.name = name.str();
    region.begin = reinterpret_cast<uint64_t>(it->second.second.get());
    region.end = region.begin + bytes;
    region.readOnly = true;
  }
  return region.begin;
}

std::string Machine::State::describe(uint64_t address) {
  if (address >> 32 == 0 && arenaOwner[address / arenaBytes]) {
    const Block &block = *arenaOwner[address / arenaBytes];
    std::string text =
        "shared+0x" + llvm::utohexstr(address % arenaBytes, /*LowerCase=*/true);
    if (block.cluster.size() > 1)
      text += " of block rank " + llvm::utostr(block.rank);
    return text;
  }
  if (shared.memory.find(address, 1))
    return shared.memory.describe(address);
  return "0x" + llvm::utohexstr(address, /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// The machine's side
//===----------------------------------------------------------------------===//

char *Machine::access(Thread &thread, const Site &site, uint64_t address,
                      uint64_t bytes, uint64_t align, AccessKind kind) {
  state->settlePending();
  char *data = check({*state, thread, site, address, bytes, kind, nullptr,
                      /*storeFollows=*/false},
                     align);
  if (isAtomic(kind))
    acquireAt(thread, address);
  if (isAtomic(kind) && isWrite(kind))
    state->releaseFenced(thread, address);
  if (state->shared.options.statistics)
    state->countAccess(thread, site, address, bytes);
  return data;
}

char *Machine::access(Thread &issuer, const Site &site, uint64_t address,
                      uint64_t bytes, uint64_t align, AccessKind kind,
                      const AsyncAccess &async) {
  state->settlePending();
  return check({*state, issuer, site, address, bytes, kind, &async,
                /*storeFollows=*/false},
               align);
}

void Machine::access(Thread &issuer, const Site &site,
                     llvm::ArrayRef<Piece> pieces, uint64_t align,
                     AccessKind kind, const AsyncAccess &async) {
  state->settlePending();
  SharedShadow::Memo memo;
  for (const Piece &piece : pieces)
    check({*state, issuer, site, piece.address, piece.bytes, kind, &async,
           /*storeFollows=*/false, &memo},
          align);
}

char *Machine::resolve(const Thread &thread, uint64_t address, uint64_t bytes) {
  if (address >> 32 == 0) {
    if (Block *block = state->arenaOwner[address / arenaBytes]) {
      uint64_t offset = address % arenaBytes;
      bool fits = block->state->owner == thread.block->state->owner &&
                  offset <= block->sharedBytes &&
                  bytes <= block->sharedBytes - offset;
      return fits ? reinterpret_cast<char *>(address) : nullptr;
    }
    uint64_t low = reinterpret_cast<uint64_t>(thread.state->stack.low);
    uint64_t high = reinterpret_cast<uint64_t>(thread.state->stack.high);
    if (address >= low && address < high && bytes <= high - address)
      return reinterpret_cast<char *>(address);
  }
  return state->findRegion(address, bytes) ? reinterpret_cast<char *>(address)
                                           : nullptr;
}

Block *Machine::blockOf(uint64_t address) {
  return address >> 32 ? nullptr : state->arenaOwner[address / arenaBytes];
}

/// The common case, without the frame that messages need: a plain access of the
/// block's own memory that was seen before.
static bool isSettled(const Machine::State &state, const Thread &thread,
                      uint64_t address, uint64_t bytes, uint32_t align,
                      uint32_t kind) {
  const Block &block = *thread.block;
  uint64_t offset = address - reinterpret_cast<uint64_t>(block.arena);
  const RunOptions &options = state.shared.options;
  if (kind > uint32_t(AccessKind::Write) || offset >= block.sharedBytes ||
      bytes > block.sharedBytes - offset || bytes == 0 ||
      (address & (align - 1)) || options.statistics)
    return false;
  if (!options.checkOrder)
    return true;
  const Warp &warp = *thread.warp;
  SharedRecord record;
  record.clock = warp.state->clock;
  record.syncs = warp.state->syncs;
  record.agent = warp.agent;
  record.lane = thread.lane;
  return block.state->shadow.repeats(
      record, kind == uint32_t(AccessKind::Write), offset, bytes);
}

void lathe::sim::lathe_sim_access(uint32_t siteId, uint64_t address,
                                  uint32_t bytes, uint32_t align,
                                  uint32_t kindBits) {
  Machine::State &state = *running;
  state.settlePending();
  Thread &thread = *state.running;
  if (isSettled(state, thread, address, bytes, align, kindBits))
    return;
  const Site &site = state.shared.program.sites[siteId];
  AccessKind kind = AccessKind(kindBits & 0xFF);
  check({state, thread, site, address, bytes, kind, nullptr,
         /*storeFollows=*/kind == AccessKind::Write},
        align);
  if (isAtomic(kind)) {
    state.machine.acquireAt(thread, address);
    if (isWrite(kind)) {
      if (kindBits & accessReleases)
        state.machine.releaseAt(thread, address);
      else
        state.releaseFenced(thread, address);
    }
  }
  // Not a poll: others are behind, not asked for anything.
  if (state.shared.options.statistics &&
      state.countAccess(thread, site, address, bytes) && !state.ready.empty()) {
    state.ready.push(&thread);
    state.schedule(thread);
  }
}
