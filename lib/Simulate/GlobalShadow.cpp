//===- GlobalShadow.cpp - Order of accesses to global memory --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalShadow.h"

#include <sys/mman.h>
#include <thread>

using namespace lathe::sim;

namespace {

// Of all shadows together. Beyond it, pages go unchecked and are counted.
constexpr uint64_t maxShadowBytes = uint64_t(2) << 30;
std::atomic<uint64_t> shadowBytes{0};

bool reserve(uint64_t bytes) {
  if (shadowBytes.fetch_add(bytes) + bytes <= maxShadowBytes)
    return true;
  shadowBytes -= bytes;
  return false;
}

class PageLock {
public:
  PageLock(std::atomic_flag &flag, bool wanted)
      : flag(wanted ? &flag : nullptr) {
    while (this->flag && this->flag->test_and_set(std::memory_order_acquire))
      std::this_thread::yield();
  }
  ~PageLock() {
    if (flag)
      flag->clear(std::memory_order_release);
  }

private:
  std::atomic_flag *flag;
};

bool isOrdered(const GlobalRecord &other, const GlobalAccess &access) {
  unsigned agent = other.agent & ~GlobalRecord::atomicFlag;
  if (other.cluster != access.record.cluster) {
    const ForeignKnowledge &foreign = access.known->foreign;
    return foreign &&
           foreign->at(uint64_t(other.cluster) << 16 | agent) >= other.clock;
  }
  return agent == (access.record.agent & ~GlobalRecord::atomicFlag) ||
         access.known->seen.at(agent) >= other.clock;
}

} // namespace

GlobalShadow::GlobalShadow(uint64_t begin, uint64_t bytes, bool locked)
    : skew(begin % 16), locked(locked) {
  numPages = (skew + bytes) / pageBytes + 1;
  void *map = ::mmap(nullptr, numPages * sizeof(*pages), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    missed = bytes;
    numPages = 0;
    return;
  }
  pages = static_cast<std::atomic<Page *> *>(map);
}

GlobalShadow::~GlobalShadow() {
  for (Page *page : made) {
    shadowBytes -= page->cells.size() * sizeof(Cell);
    delete page;
  }
  if (pages)
    ::munmap(pages, numPages * sizeof(*pages));
}

GlobalShadow::Page *GlobalShadow::pageOf(uint64_t index) {
  if (Page *page = pages[index].load(std::memory_order_acquire))
    return page;
  auto page = std::make_unique<Page>();
  uint64_t cells = pageBytes >> page->shift;
  if (reserve(cells * sizeof(Cell)))
    page->cells.resize(cells);
  Page *expected = nullptr;
  if (!pages[index].compare_exchange_strong(expected, page.get())) {
    shadowBytes -= page->cells.size() * sizeof(Cell);
    return expected;
  }
  if (page->cells.empty())
    missed += pageBytes;
  std::lock_guard lock(mutex);
  made.push_back(page.get());
  return page.release();
}

/// Cuts the page's pieces into four each.
bool GlobalShadow::refine(Page &page) {
  uint64_t count = page.cells.size();
  if (!reserve(count * 3 * sizeof(Cell))) {
    shadowBytes -= count * sizeof(Cell);
    page.cells.clear();
    missed += pageBytes;
    return false;
  }
  unsigned finer = 1u << (page.shift - 2);
  std::vector<Cell> cut(count * 4);
  for (uint64_t i = 0; i < cut.size(); ++i) {
    Cell &cell = cut[i] = page.cells[i / 4];
    for (GlobalRecord *record : {&cell.write, &cell.reads[0], &cell.reads[1]})
      record->mask = record->mask >> (i % 4 * finer) & ((1u << finer) - 1);
  }
  page.cells = std::move(cut);
  page.shift -= 2;
  return true;
}

/// False: the piece is shared and has to be cut first.
bool GlobalShadow::enter(Cell &cell, const GlobalAccess &access, uint16_t mask,
                         unsigned granule, uint64_t offset,
                         GlobalFinding &finding) {
  const GlobalRecord &mine = access.record;
  auto partial = [&](const GlobalRecord &old) {
    return old.mask & ~mask && granule > 1;
  };
  auto check = [&](const GlobalRecord &other, bool otherWrote) {
    if (finding.conflict || !(other.mask & mask) ||
        (mine.agent & other.agent & GlobalRecord::atomicFlag) ||
        isOrdered(other, access))
      return;
    finding = {true, offset, otherWrote, other};
  };
  auto put = [&](GlobalRecord &old) {
    uint16_t merged = old.mask && old.sameEvent(mine) ? old.mask | mask : mask;
    old = mine;
    old.mask = merged;
  };

  if (isWrite(access.kind)) {
    bool same = cell.write.sameEvent(mine);
    if (!same && partial(cell.write))
      return false;
    // Reads first: two stores of one value may be forgiven.
    for (GlobalRecord &other : cell.reads) {
      check(other, false);
      other.mask &= ~mask;
    }
    check(cell.write, true);
    put(cell.write);
    return true;
  }
  check(cell.write, true);
  for (GlobalRecord &old : cell.reads)
    if (old.mask && old.sameEvent(mine)) {
      put(old);
      return true;
    }
  for (GlobalRecord &old : cell.reads)
    if (!old.mask || (!(old.mask & ~mask) && isOrdered(old, access))) {
      put(old);
      return true;
    }
  // Two unordered readers are enough: a third hides behind them.
  if (partial(cell.reads[1]))
    return false;
  if (cell.reads[0].cluster == cell.reads[1].cluster)
    put(cell.reads[1]);
  return true;
}

GlobalFinding GlobalShadow::access(const GlobalAccess &access, uint64_t offset,
                                   uint64_t bytes) {
  GlobalFinding finding;
  uint64_t at = offset + skew, end = at + bytes;
  while (at < end && numPages) {
    Page *page = pageOf(at / pageBytes);
    uint64_t pageEnd = std::min(end, (at / pageBytes + 1) * pageBytes);
    PageLock lock(page->busy, locked);
    while (at < pageEnd && !page->cells.empty()) {
      unsigned granule = 1u << page->shift;
      unsigned first = at & (granule - 1);
      uint64_t count = std::min<uint64_t>(granule - first, pageEnd - at);
      uint16_t mask = ((1u << count) - 1) << first;
      Cell &cell = page->cells[at % pageBytes >> page->shift];
      if (enter(cell, access, mask, granule, at - skew, finding))
        at += count;
      else if (!refine(*page))
        break;
    }
    at = pageEnd;
  }
  return finding;
}

//===----------------------------------------------------------------------===//
// What blocks know of each other
//===----------------------------------------------------------------------===//

uint32_t ForeignClocks::at(uint64_t agent) const {
  auto it = std::lower_bound(
      entries.begin(), entries.end(), agent,
      [](const Entry &entry, uint64_t agent) { return entry.agent < agent; });
  return it != entries.end() && it->agent == agent ? it->clock : 0;
}

ForeignKnowledge lathe::sim::joined(const ForeignKnowledge &a,
                                    const ForeignKnowledge &b) {
  if (!a || !b || a == b)
    return a ? a : b;
  auto merged = std::make_shared<ForeignClocks>();
  merged->entries.reserve(std::max(a->entries.size(), b->entries.size()));
  auto i = a->entries.begin(), j = b->entries.begin();
  bool isA = true, isB = true; // the result equals
  while (i != a->entries.end() || j != b->entries.end()) {
    if (j == b->entries.end() ||
        (i != a->entries.end() && i->agent < j->agent)) {
      merged->entries.push_back(*i++);
      isB = false;
    } else if (i == a->entries.end() || j->agent < i->agent) {
      merged->entries.push_back(*j++);
      isA = false;
    } else {
      isA &= i->clock >= j->clock;
      isB &= j->clock >= i->clock;
      merged->entries.push_back({i->agent, std::max(i->clock, j->clock)});
      ++i, ++j;
    }
  }
  return isA ? a : isB ? b : merged;
}

bool LocationClocks::acquire(uint64_t address, uint32_t cluster,
                             Knowledge &into) {
  if (!used.load(std::memory_order_acquire))
    return false;
  ForeignKnowledge found;
  {
    std::lock_guard lock(mutex);
    found = known.lookup(address);
  }
  if (!found)
    return false;
  auto it = std::lower_bound(
      found->entries.begin(), found->entries.end(), uint64_t(cluster) << 16,
      [](const ForeignClocks::Entry &entry, uint64_t agent) {
        return entry.agent < agent;
      });
  for (; it != found->entries.end() && it->agent >> 16 == cluster; ++it)
    into.seen.raise(it->agent & 0xFFFF, it->clock);
  into.foreign = joined(into.foreign, found);
  return true;
}

void LocationClocks::release(uint64_t address, uint32_t cluster,
                             const VectorClock &clock,
                             const ForeignKnowledge &foreign) {
  auto mine = std::make_shared<ForeignClocks>();
  for (unsigned agent = 0, n = clock.size(); agent < n; ++agent)
    if (uint32_t at = clock.at(agent))
      mine->entries.push_back({uint64_t(cluster) << 16 | agent, at});
  if (mine->entries.empty() && !foreign)
    return;
  ForeignKnowledge published = joined(mine, foreign);
  std::lock_guard lock(mutex);
  ForeignKnowledge &at = known[address];
  at = joined(at, published);
  used.store(true, std::memory_order_release);
}
