//===- NvidiaBarrierTest.cpp - Barriers of blocks and clusters ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineFixture.h"

#include "Simulate/Nvidia/Barrier.h"
#include "Simulate/Nvidia/Space.h"

using namespace lathe::sim;
using namespace lathe::sim::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

class NvidiaBarrierTest : public MachineTest {
protected:
  const Site &at(uint32_t id) { return program.sites[id]; }
  void sync(Thread &thread, uint32_t id, uint64_t barrier = 0,
            std::optional<uint64_t> threads = std::nullopt,
            bool aligned = true) {
    barrierSync(thread, at(id), barrier, threads, aligned);
  }
};

TEST_F(NvidiaBarrierTest, OrdersSharedMemory) {
  shape(1, 96);
  program.staticShared = 4 * 96;
  uint32_t bar = site("barrier"), write = site("store"), read = site("load");
  RunReport report = run([&](Thread &thread) {
    store<uint32_t>(write, shared(thread, thread.index), thread.index);
    sync(thread, bar);
    uint32_t other = 95 - thread.index;
    EXPECT_EQ(load<uint32_t>(read, shared(thread, other)), other);
  });
  EXPECT_THAT(faultsOf(report), IsEmpty());
  EXPECT_EQ(report.barriers, 1u);
}

TEST_F(NvidiaBarrierTest, NamedBarriersCountThreadsAndArrivals) {
  shape(1, 128);
  program.staticShared = 4;
  uint32_t arrive = site("arrive"), bar = site("barrier");
  uint32_t write = site("store"), read = site("load");
  // Warp 0 hands over to warps 1 to 3 without waiting itself.
  RunReport report = run([&](Thread &thread) {
    if (thread.warp->index == 0) {
      if (thread.lane == 0)
        store<uint32_t>(write, shared(thread, 0), 42);
      barrierArrive(thread, at(arrive), 3, 128, true);
      return;
    }
    sync(thread, bar, 3, 128);
    EXPECT_EQ(load<uint32_t>(read, shared(thread, 0)), 42u);
  });
  EXPECT_THAT(faultsOf(report), IsEmpty());
}

TEST_F(NvidiaBarrierTest, WithoutTheArrivalTheReadRaces) {
  shape(1, 128);
  program.staticShared = 4;
  uint32_t bar = site("barrier"), write = site("store"), read = site("load");
  RunReport report = run([&](Thread &thread) {
    if (thread.warp->index == 0) {
      if (thread.lane == 0)
        store<uint32_t>(write, shared(thread, 0), 42);
      return;
    }
    sync(thread, bar, 3, 96);
    load<uint32_t>(read, shared(thread, 0));
  });
  EXPECT_THAT(faultsOf(report), ElementsAre(HasSubstr("shared-race")));
}

TEST_F(NvidiaBarrierTest, ReducesPredicates) {
  shape(1, 64);
  uint32_t bar = site("barrier");
  RunReport report = run([&](Thread &thread) {
    auto reduce = [&](BarrierReduction reduction, bool predicate) {
      return barrierReduce(thread, at(bar), 1, std::nullopt, false, reduction,
                           predicate);
    };
    EXPECT_EQ(reduce(BarrierReduction::Count, thread.index < 5), 5u);
    EXPECT_EQ(reduce(BarrierReduction::And, thread.index < 5), 0u);
    EXPECT_EQ(reduce(BarrierReduction::And, true), 1u);
    EXPECT_EQ(reduce(BarrierReduction::Or, thread.index == 5), 1u);
    EXPECT_EQ(reduce(BarrierReduction::Or, false), 0u);
  });
  EXPECT_THAT(faultsOf(report), IsEmpty());
}

TEST_F(NvidiaBarrierTest, ThreadsThatEndedAreNotWaitedFor) {
  // The last warp is not full either.
  for (Interleaving order : {Interleaving::InOrder, Interleaving::Random}) {
    options.interleaving = order;
    shape(1, 80);
    uint32_t bar = site("barrier");
    RunReport report = run([&](Thread &thread) {
      if (thread.index % 7 == 0)
        return;
      sync(thread, bar);
    });
    EXPECT_THAT(faultsOf(report), IsEmpty());
    EXPECT_EQ(report.barriers, 1u);
  }
}

TEST_F(NvidiaBarrierTest, LanesAtTwoAlignedBarriersDiverge) {
  shape(1, 32);
  uint32_t first = site("first"), second = site("second");
  RunReport report = run(
      [&](Thread &thread) { sync(thread, thread.lane < 16 ? first : second); });
  EXPECT_THAT(faultsOf(report),
              ElementsAre(AllOf(HasSubstr("divergence: lane 16"),
                                HasSubstr("'first'"))));
}

TEST_F(NvidiaBarrierTest, UnalignedBarriersTakeLanesOneByOne) {
  shape(1, 32);
  uint32_t first = site("first"), second = site("second");
  RunReport report = run([&](Thread &thread) {
    sync(thread, thread.lane < 16 ? first : second, 0, std::nullopt, false);
  });
  EXPECT_THAT(faultsOf(report), IsEmpty());
}

TEST_F(NvidiaBarrierTest, AMissingWarpIsADeadlock) {
  shape(1, 96);
  uint32_t bar = site("barrier"), other = site("other");
  RunReport report = run([&](Thread &thread) {
    if (thread.warp->index == 2)
      sync(thread, other, 5, 64);
    else
      sync(thread, bar, 2, 96);
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre(AllOf(HasSubstr("deadlock: 96 threads wait"),
                                HasSubstr("64 x barrier 2"),
                                HasSubstr("32 x barrier 5"))));
}

TEST_F(NvidiaBarrierTest, ChecksOperands) {
  shape(1, 64);
  uint32_t bar = site("barrier");
  EXPECT_THAT(faultsOf(run([&](Thread &t) { sync(t, bar, 16); })),
              ElementsAre(HasSubstr("barrier is 16, expected 0 to 15")));
  EXPECT_THAT(faultsOf(run([&](Thread &t) { sync(t, bar, 1, 40); })),
              ElementsAre(HasSubstr("is for 40 threads, expected a multiple "
                                    "of 32 up to the block's 64")));
  EXPECT_THAT(
      faultsOf(run([&](Thread &t) {
        if (t.lane < 16)
          sync(t, bar, 1, 32, false);
        else
          sync(t, bar, 1, 64, false);
      })),
      ElementsAre(HasSubstr("is joined for 64 threads, but was opened for")));
}

TEST_F(NvidiaBarrierTest, ClustersMeetAndPassKnowledge) {
  shape(2, 32);
  launch.cluster = {2, 1, 1};
  program.staticShared = 4;
  uint32_t arrive = site("arrive"), wait = site("wait");
  uint32_t write = site("store"), read = site("load"), map = site("mapa");
  auto kernel = [&](bool relaxed, bool fenced) {
    return run([&, relaxed, fenced](Thread &thread) {
      if (thread.lane == 0)
        store<uint32_t>(write, shared(thread, 0), thread.block->rank + 7);
      if (fenced)
        fence(thread, FenceScope::Cluster);
      clusterArrive(thread, at(arrive), relaxed, false);
      clusterWait(thread, at(wait), false);
      uint32_t other = 1 - thread.block->rank;
      uint64_t address =
          mapAddress(thread, at(map),
                     reinterpret_cast<uint64_t>(shared(thread, 0)), other);
      EXPECT_EQ(blockRank(thread, at(map), address), other);
      EXPECT_EQ(load<uint32_t>(read, reinterpret_cast<uint32_t *>(address)),
                other + 7);
      clusterArrive(thread, at(arrive), false, false);
      clusterWait(thread, at(wait), false);
    });
  };
  EXPECT_THAT(faultsOf(kernel(false, false)), IsEmpty());
  EXPECT_THAT(faultsOf(kernel(true, true)), IsEmpty());
  EXPECT_THAT(faultsOf(kernel(true, false)),
              ElementsAre(HasSubstr("shared-race")));
}

TEST_F(NvidiaBarrierTest, ClusterBarriersAlternate) {
  shape(1, 32);
  uint32_t arrive = site("arrive"), wait = site("wait");
  EXPECT_THAT(faultsOf(run([&](Thread &t) {
                clusterArrive(t, at(arrive), false, false);
                clusterArrive(t, at(arrive), false, false);
              })),
              ElementsAre(HasSubstr("twice without waiting")));
  EXPECT_THAT(
      faultsOf(run([&](Thread &t) { clusterWait(t, at(wait), false); })),
      ElementsAre(HasSubstr("without having arrived")));
}

TEST_F(NvidiaBarrierTest, RegistersAreSharedOut) {
  shape(1, 384);
  uint32_t change = site("setmaxnreg");
  auto kernel = [&](uint64_t producer, uint64_t consumer) {
    return run([&, producer, consumer](Thread &thread) {
      setMaxRegisters(thread, at(change),
                      thread.warp->index < 4 ? producer : consumer);
    });
  };
  // 384 threads get 168 each: 64512 in all.
  EXPECT_THAT(faultsOf(kernel(40, 232)), IsEmpty());
  EXPECT_THAT(faultsOf(kernel(24, 240)), IsEmpty());
  EXPECT_THAT(faultsOf(kernel(32, 240)),
              ElementsAre(HasSubstr("registers of setmaxnreg")));
  EXPECT_THAT(faultsOf(kernel(44, 232)),
              ElementsAre(HasSubstr("register count is 44")));
}

} // namespace
