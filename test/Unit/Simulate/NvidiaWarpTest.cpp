//===- NvidiaWarpTest.cpp - Lanes together, copies, atomics ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineFixture.h"

#include "Simulate/Nvidia/Atomics.h"
#include "Simulate/Nvidia/Barrier.h"
#include "Simulate/Nvidia/CpAsync.h"
#include "Simulate/Nvidia/Mbarrier.h"
#include "Simulate/Nvidia/Warp.h"

using namespace lathe::sim;
using namespace lathe::sim::test;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

class NvidiaWarpTest : public MachineTest {
protected:
  const Site &at(uint32_t id) { return program.sites[id]; }
  std::vector<std::string> faults(Body kernel) {
    return faultsOf(run(std::move(kernel)));
  }
};

TEST_F(NvidiaWarpTest, ExchangesValues) {
  shape(1, 64);
  uint32_t op = site("op");
  EXPECT_THAT(
      faults([&](Thread &t) {
        uint32_t own = t.index * 3;
        EXPECT_EQ(
            shuffle(t, at(op), ~0u, ShuffleMode::Butterfly, own, 5, 31).value,
            (t.index ^ 5) * 3);
        Shuffled up =
            shuffle(t, at(op), ~0u, ShuffleMode::Up, own, t.lane / 2, 0);
        EXPECT_EQ(up.value, (t.index - t.lane / 2) * 3);
        EXPECT_EQ(vote(t, at(op), ~0u, VoteMode::Ballot, t.lane % 3 == 0),
                  0x49249249u);
        EXPECT_EQ(vote(t, at(op), ~0u, VoteMode::Uniform, false), 1u);
        EXPECT_EQ(vote(t, at(op), ~0u, VoteMode::All, t.lane != 7), 0u);
        EXPECT_EQ(match(t, at(op), ~0u, false, t.lane / 4).lanes,
                  0xfu << t.lane / 4 * 4);
        EXPECT_FALSE(match(t, at(op), ~0u, true, t.lane).all);
        EXPECT_EQ(match(t, at(op), ~0u, true, 9).lanes, ~0u);
        EXPECT_EQ(redux(t, at(op), ~0u, {ReduxOp::Add}, t.lane), 496u);
        EXPECT_EQ(elect(t, at(op), ~0u).isLeader, t.lane == 0);
      }),
      IsEmpty());
  EXPECT_THAT(
      faults([&](Thread &t) {
        if (t.lane < 8)
          EXPECT_EQ(redux(t, at(op), 0xff, {ReduxOp::MaxUnsigned}, t.lane), 7u);
      }),
      IsEmpty());
}

TEST_F(NvidiaWarpTest, ReadingALaneThatIsNotThere) {
  shape(1, 48);
  uint32_t op = site("op");
  auto kernel = [&](uint32_t distance) {
    return faults([&, distance](Thread &t) {
      shuffle(t, at(op), ~0u, ShuffleMode::Butterfly, 1, distance, 31);
    });
  };
  EXPECT_THAT(kernel(8), IsEmpty());
  EXPECT_THAT(kernel(16), ElementsAre(HasSubstr("which takes no part")));
}

TEST_F(NvidiaWarpTest, TheMaskNamesTheCaller) {
  shape(1, 32);
  uint32_t op = site("op");
  EXPECT_THAT(faults([&](Thread &t) { lathe::sim::syncWarp(t, at(op), 0xff); }),
              ElementsAre(HasSubstr("leaves out lane 8")));
}

TEST_F(NvidiaWarpTest, SeesTheLanesOfItsBranch) {
  shape(1, 48);
  uint32_t few = site("few"), rest = site("rest");
  EXPECT_THAT(faults([&](Thread &t) {
                if (t.lane < 5)
                  EXPECT_EQ(activeLanes(t, at(few)), 0x1fu);
                else
                  EXPECT_EQ(activeLanes(t, at(rest)),
                            t.warp->index ? 0xffe0u : 0xffffffe0u);
              }),
              IsEmpty());
}

TEST_F(NvidiaWarpTest, OrdersLanes) {
  shape(1, 32);
  program.staticShared = 128;
  uint32_t op = site("op"), write = site("store"), read = site("load");
  auto kernel = [&](bool ordered) {
    return faults([&, ordered](Thread &t) {
      store<uint32_t>(write, shared(t, t.lane), t.lane);
      if (ordered)
        lathe::sim::syncWarp(t, at(op), ~0u);
      load<uint32_t>(read, shared(t, t.lane ^ 1));
    });
  };
  EXPECT_THAT(kernel(true), IsEmpty());
  EXPECT_THAT(kernel(false), testing::Not(IsEmpty()));
}

class NvidiaCopyTest : public NvidiaWarpTest {
protected:
  NvidiaCopyTest() {
    program.staticShared = 4096;
    for (unsigned i = 0; i < 256; ++i)
      source[i] = i;
    buffer("source", source, sizeof(source)).readOnly = true;
    copy = site("cp.async");
    wait = site("wait");
    read = site("load");
    shape(1, 32);
  }
  void issue(Thread &t, unsigned word, unsigned from, unsigned bytes = 4,
             unsigned sourceBytes = 4) {
    cpAsync(t, at(copy), reinterpret_cast<uint64_t>(shared(t, word)),
            reinterpret_cast<uint64_t>(source + from), bytes, sourceBytes);
  }
  alignas(16) uint32_t source[256];
  uint32_t copy, wait, read;
};

TEST_F(NvidiaCopyTest, GroupsLandInOrder) {
  for (AsyncTiming timing :
       {AsyncTiming::Immediate, AsyncTiming::Late, AsyncTiming::Random}) {
    options.asyncTiming = timing;
    EXPECT_THAT(faults([&](Thread &t) {
                  issue(t, t.lane, t.lane);
                  cpAsyncCommit(t, at(copy));
                  issue(t, 32 + t.lane, 32 + t.lane);
                  cpAsyncCommit(t, at(copy));
                  cpAsyncWait(t, at(wait), 1);
                  EXPECT_EQ(load<uint32_t>(read, shared(t, t.lane)), t.lane);
                  cpAsyncWait(t, at(wait), 0);
                  EXPECT_EQ(load<uint32_t>(read, shared(t, 32 + t.lane)),
                            32 + t.lane);
                }),
                IsEmpty());
  }
}

TEST_F(NvidiaCopyTest, ReadingTooEarlyIsAFault) {
  EXPECT_THAT(faults([&](Thread &t) {
                issue(t, t.lane, t.lane);
                cpAsyncCommit(t, at(copy));
                issue(t, 32 + t.lane, 32 + t.lane);
                cpAsyncCommit(t, at(copy));
                cpAsyncWait(t, at(wait), 1);
                load<uint32_t>(read, shared(t, 32 + t.lane));
              }),
              testing::Not(IsEmpty()));
}

TEST_F(NvidiaCopyTest, TheRestIsZero) {
  EXPECT_THAT(faults([&](Thread &t) {
                if (t.lane)
                  return;
                issue(t, 0, 4, 16, 8);
                issue(t, 4, 8, 16, 0);
                cpAsyncWait(t, at(wait), std::nullopt);
                for (unsigned i = 0; i < 8; ++i)
                  EXPECT_EQ(load<uint32_t>(read, shared(t, i)),
                            i < 2 ? 4 + i : 0);
              }),
              IsEmpty());
}

TEST_F(NvidiaCopyTest, ArrivesWhenTheCopiesAreOver) {
  uint32_t init = site("init"), bar = site("bar"), test = site("try_wait");
  for (bool noIncrement : {false, true})
    for (AsyncTiming timing : {AsyncTiming::Immediate, AsyncTiming::Late}) {
      options.asyncTiming = timing;
      shape(1, 64);
      EXPECT_THAT(faults([&](Thread &t) {
                    uint64_t mbarrier =
                        reinterpret_cast<uint64_t>(shared(t, 512));
                    if (t.index == 0)
                      mbarrierInit(t, at(init), mbarrier, noIncrement ? 32 : 1);
                    barrierSync(t, at(bar), 0, std::nullopt, true);
                    if (t.warp->index == 0) {
                      issue(t, t.lane, t.lane);
                      cpAsyncArrive(t, at(copy), mbarrier, noIncrement);
                      if (!noIncrement && t.lane == 31)
                        mbarrierArrive(t, at(copy), mbarrier);
                      return;
                    }
                    mbarrierWaitParity(t, at(test), mbarrier, 0);
                    EXPECT_EQ(load<uint32_t>(read, shared(t, t.lane)), t.lane);
                  }),
                  IsEmpty());
    }
}

TEST_F(NvidiaCopyTest, ChecksOperands) {
  EXPECT_THAT(faults([&](Thread &t) { issue(t, 0, 0, 4, 8); }),
              ElementsAre(HasSubstr("reads 8 bytes, expected at most 4")));
  EXPECT_THAT(faults([&](Thread &t) { issue(t, 0, 1, 16, 16); }),
              ElementsAre(HasSubstr("not aligned to its 16 bytes")));
  EXPECT_THAT(faults([&](Thread &t) { issue(t, 1, 0, 16, 16); }),
              ElementsAre(HasSubstr("misaligned")));
  EXPECT_THAT(faults([&](Thread &t) { issue(t, 0, 256); }),
              ElementsAre(HasSubstr("out-of-bounds")));
}

TEST_F(NvidiaWarpTest, AtomicsAddUpOverBlocks) {
  shape(4, 64);
  uint32_t op = site("atom");
  alignas(8) uint32_t counters[2] = {0, 0};
  buffer("counters", counters, sizeof(counters));
  uint64_t base = reinterpret_cast<uint64_t>(counters);
  EXPECT_THAT(
      faults([&](Thread &t) {
        atomicAccess(t, at(op), base, AtomicOp::Add, AtomicType::U32, 1);
        uint64_t old = 0, seen;
        // A maximum by compare-and-swap.
        do {
          seen = old;
          if (seen >= t.index)
            break;
          old = atomicAccess(t, at(op), base + 4, AtomicOp::CompareExchange,
                             AtomicType::B32, t.index, seen);
        } while (old != seen);
      }),
      IsEmpty());
  EXPECT_EQ(counters[0], 256u);
  EXPECT_EQ(counters[1], 63u);
}

} // namespace
