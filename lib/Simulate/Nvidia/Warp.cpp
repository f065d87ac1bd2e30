//===- Warp.cpp - Instructions that lanes execute together ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warp.h"

#include "Arithmetic.h"

#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace lathe::sim {

namespace {

enum class Meeting { Shuffle, Vote, Match, Redux, Elect, Sync, Active };

/// What one lane brings to a meeting and takes away.
struct Exchange {
  Meeting meeting;
  unsigned variant = 0;
  uint64_t value = 0;
  uint32_t b = 0, c = 0;
  uint32_t result = 0;
  bool flag = false;
};

Exchange &exchangeOf(LaneCalls &calls, unsigned lane) {
  return *reinterpret_cast<Exchange *>(calls.lane[lane]->out);
}

/// The lanes of the mask that the warp has.
uint32_t checkedMask(Thread &thread, const Site &site, uint32_t mask) {
  uint32_t lanes = mask & uint32_t(thread.warp->full());
  if (!(lanes >> thread.lane & 1))
    thread.machine->abort(
        FaultKind::InvalidOperand, &thread, site,
        formatv("member mask {0:x8} leaves out lane {1}, which executes it",
                mask, thread.lane)
            .str());
  return lanes;
}

/// Lanes of one meeting must want the same of it.
void checkSame(Thread &thread, const Site &site, LaneCalls &calls) {
  Exchange &first = exchangeOf(calls, countr_zero(calls.mask));
  for (uint64_t rest = calls.mask; rest; rest &= rest - 1) {
    Exchange &other = exchangeOf(calls, countr_zero(rest));
    if (other.meeting != first.meeting || other.variant != first.variant)
      thread.machine->abort(FaultKind::Divergence, &thread, site,
                            "lane " + Twine(countr_zero(rest)) +
                                " meets the others with another instruction");
  }
}

template <typename Body>
void exchange(Thread &thread, const Site &site, uint32_t mask, Exchange &mine,
              Body body) {
  Call call{thread, site, reinterpret_cast<char *>(&mine),
            reinterpret_cast<const char *>(&mine)};
  meetLanes(call, mask, [&](LaneCalls &calls) {
    checkSame(thread, site, calls);
    body(calls);
  });
}

template <typename Function>
void forLanes(LaneCalls &calls, Function function) {
  for (uint64_t rest = calls.mask; rest; rest &= rest - 1) {
    unsigned lane = countr_zero(rest);
    function(lane, exchangeOf(calls, lane));
  }
}

} // namespace

ShuffleSource shuffleSource(ShuffleMode mode, unsigned lane, uint32_t b,
                            uint32_t c) {
  unsigned distance = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  int maxLane = (lane & segment) | (clamp & ~segment);
  int source = 0;
  bool valid = false;
  switch (mode) {
  case ShuffleMode::Up:
    source = int(lane) - int(distance);
    valid = source >= maxLane;
    break;
  case ShuffleMode::Down:
    source = lane + distance;
    valid = source <= maxLane;
    break;
  case ShuffleMode::Butterfly:
    source = lane ^ distance;
    valid = source <= maxLane;
    break;
  case ShuffleMode::Index:
    source = (lane & segment) | (distance & ~segment);
    valid = source <= maxLane;
    break;
  }
  return {valid ? unsigned(source) : lane, valid};
}

Shuffled shuffle(Thread &thread, const Site &site, uint32_t mask,
                 ShuffleMode mode, uint32_t value, uint32_t b, uint32_t c) {
  mask = checkedMask(thread, site, mask);
  Exchange mine{Meeting::Shuffle, unsigned(mode), value, b, c};
  exchange(thread, site, mask, mine, [&](LaneCalls &calls) {
    forLanes(calls, [&](unsigned lane, Exchange &each) {
      ShuffleSource source = shuffleSource(mode, lane, each.b, each.c);
      each.flag = source.valid;
      if (calls.mask >> source.lane & 1) {
        each.result = uint32_t(exchangeOf(calls, source.lane).value);
        return;
      }
      thread.machine->fault(FaultKind::UninitializedRead,
                            &calls.lane[lane]->thread, site,
                            formatv("lane {0} reads lane {1}, which takes no "
                                    "part (lanes {2:x8} do)",
                                    lane, source.lane, uint32_t(calls.mask))
                                .str());
      each.result = ~0u;
    });
  });
  return {mine.result, mine.flag};
}

uint32_t vote(Thread &thread, const Site &site, uint32_t mask, VoteMode mode,
              bool predicate) {
  mask = checkedMask(thread, site, mask);
  Exchange mine{Meeting::Vote, unsigned(mode), predicate};
  exchange(thread, site, mask, mine, [&](LaneCalls &calls) {
    uint32_t ballot = 0, lanes = uint32_t(calls.mask);
    forLanes(calls, [&](unsigned lane, Exchange &each) {
      ballot |= uint32_t(each.value) << lane;
    });
    uint32_t result = ballot;
    if (mode == VoteMode::All)
      result = ballot == lanes;
    else if (mode == VoteMode::Any)
      result = ballot != 0;
    else if (mode == VoteMode::Uniform)
      result = ballot == lanes || ballot == 0;
    forLanes(calls, [&](unsigned, Exchange &each) { each.result = result; });
  });
  return mine.result;
}

Matched match(Thread &thread, const Site &site, uint32_t mask, bool all,
              uint64_t value) {
  mask = checkedMask(thread, site, mask);
  Exchange mine{Meeting::Match, all, value};
  exchange(thread, site, mask, mine, [&](LaneCalls &calls) {
    forLanes(calls, [&](unsigned, Exchange &each) {
      uint32_t same = 0;
      forLanes(calls, [&](unsigned lane, Exchange &other) {
        same |= uint32_t(other.value == each.value) << lane;
      });
      each.flag = same == uint32_t(calls.mask);
      each.result = all && !each.flag ? 0 : same;
    });
  });
  return {mine.result, mine.flag};
}

uint32_t reduxStep(ReduxKind kind, uint32_t a, uint32_t b) {
  switch (kind.op) {
  case ReduxOp::Add:
    return a + b;
  case ReduxOp::And:
    return a & b;
  case ReduxOp::Or:
    return a | b;
  case ReduxOp::Xor:
    return a ^ b;
  case ReduxOp::MinSigned:
    return int32_t(a) < int32_t(b) ? a : b;
  case ReduxOp::MaxSigned:
    return int32_t(a) > int32_t(b) ? a : b;
  case ReduxOp::MinUnsigned:
    return std::min(a, b);
  case ReduxOp::MaxUnsigned:
    return std::max(a, b);
  case ReduxOp::MinFloat:
  case ReduxOp::MaxFloat:
    break;
  }
  MinMax order;
  order.max = kind.op == ReduxOp::MaxFloat;
  order.propagateNaN = kind.propagateNaN;
  float result = float(minMax(order, bit_cast<float>(a), bit_cast<float>(b)));
  return result != result ? 0x7fffffffu : bit_cast<uint32_t>(result);
}

uint32_t redux(Thread &thread, const Site &site, uint32_t mask, ReduxKind kind,
               uint32_t value) {
  mask = checkedMask(thread, site, mask);
  if (kind.absolute)
    value &= 0x7fffffffu;
  unsigned variant =
      unsigned(kind.op) << 2 | kind.absolute << 1 | unsigned(kind.propagateNaN);
  Exchange mine{Meeting::Redux, variant, value};
  exchange(thread, site, mask, mine, [&](LaneCalls &calls) {
    uint64_t rest = calls.mask;
    uint32_t total = uint32_t(exchangeOf(calls, countr_zero(rest)).value);
    for (rest &= rest - 1; rest; rest &= rest - 1)
      total = reduxStep(kind, total,
                        uint32_t(exchangeOf(calls, countr_zero(rest)).value));
    forLanes(calls, [&](unsigned, Exchange &each) { each.result = total; });
  });
  return mine.result;
}

unsigned electedLane(uint64_t seed, uint32_t mask) {
  uint64_t hash = (seed + 0x9e3779b97f4a7c15ull) ^ mask;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9ull;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebull;
  hash ^= hash >> 31;
  for (unsigned skip = hash % unsigned(popcount(mask)); skip; --skip)
    mask &= mask - 1;
  return countr_zero(mask);
}

Elected elect(Thread &thread, const Site &site, uint32_t mask) {
  mask = checkedMask(thread, site, mask);
  const RunOptions &options = thread.machine->options();
  unsigned leader = options.interleaving == Interleaving::Random
                        ? electedLane(options.seed, mask)
                        : unsigned(countr_zero(mask));
  Exchange mine{Meeting::Elect};
  exchange(thread, site, mask, mine, [](LaneCalls &) {});
  return {leader, leader == thread.lane};
}

void syncWarp(Thread &thread, const Site &site, uint32_t mask) {
  mask = checkedMask(thread, site, mask);
  Exchange mine{Meeting::Sync};
  exchange(thread, site, mask, mine, [](LaneCalls &) {});
}

uint32_t activeLanes(Thread &thread, const Site &site) {
  Exchange mine{Meeting::Active};
  Call call{thread, site, reinterpret_cast<char *>(&mine),
            reinterpret_cast<const char *>(&mine)};
  meetActive(call, [](LaneCalls &calls) {
    forLanes(calls, [&](unsigned, Exchange &each) {
      each.result = uint32_t(calls.mask);
    });
  });
  return mine.result;
}

} // namespace lathe::sim
