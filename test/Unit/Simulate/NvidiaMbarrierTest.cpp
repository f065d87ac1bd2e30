//===- NvidiaMbarrierTest.cpp - Phases, transactions and their misuse -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineFixture.h"

#include "Simulate/Nvidia/Barrier.h"
#include "Simulate/Nvidia/Mbarrier.h"

#include <set>

using namespace lathe::sim;
using namespace lathe::sim::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

class NvidiaMbarrierTest : public MachineTest {
protected:
  NvidiaMbarrierTest() {
    program.staticShared = 4096;
    init = site("mbarrier.init");
    arrive = site("mbarrier.arrive");
    wait = site("mbarrier.try_wait");
    bar = site("barrier");
    write = site("store");
    read = site("load");
  }
  const Site &at(uint32_t id) { return program.sites[id]; }
  uint64_t mbarrier(Thread &thread, unsigned index = 0) {
    return reinterpret_cast<uint64_t>(thread.block->arena) + 8 * index;
  }
  /// Thread 0 initializes `number` of them; a barrier follows.
  void initialize(Thread &thread, uint32_t count, unsigned number = 1) {
    if (thread.index == 0)
      for (unsigned i = 0; i < number; ++i)
        mbarrierInit(thread, at(init), mbarrier(thread, i), count);
    barrierSync(thread, at(bar), 0, std::nullopt, true);
  }
  std::vector<std::string> faults(Body kernel) {
    return faultsOf(run(std::move(kernel)));
  }
  uint32_t init, arrive, wait, bar, write, read;
};

TEST_F(NvidiaMbarrierTest, PhasesHandOverABuffer) {
  shape(1, 64);
  // Warp 0 writes and warp 1 reads, four times through one word.
  RunReport report = run([&](Thread &thread) {
    initialize(thread, 32, 2);
    uint64_t full = mbarrier(thread, 0), empty = mbarrier(thread, 1);
    uint32_t *slot = shared(thread, 64 + thread.lane);
    for (uint32_t round = 0; round < 4; ++round) {
      if (thread.warp->index == 0) {
        mbarrierWaitParity(thread, at(wait), empty, (round & 1) ^ 1);
        store<uint32_t>(write, slot, round * 100 + thread.lane);
        mbarrierArrive(thread, at(arrive), full);
      } else {
        mbarrierWaitParity(thread, at(wait), full, round & 1);
        EXPECT_EQ(load<uint32_t>(read, slot), round * 100 + thread.lane);
        mbarrierArrive(thread, at(arrive), empty);
      }
    }
  });
  EXPECT_THAT(faultsOf(report), IsEmpty());
}

TEST_F(NvidiaMbarrierTest, AForgottenWaitIsARace) {
  shape(1, 64);
  auto kernel = [&](bool waits) {
    return faults([&, waits](Thread &thread) {
      initialize(thread, 32, 2);
      uint32_t *slot = shared(thread, 64 + thread.lane);
      if (thread.warp->index == 1) {
        mbarrierWaitParity(thread, at(wait), mbarrier(thread), 0);
        EXPECT_LT(load<uint32_t>(read, slot), 2u);
        mbarrierArrive(thread, at(arrive), mbarrier(thread, 1));
        return;
      }
      store<uint32_t>(write, slot, 0);
      mbarrierArrive(thread, at(arrive), mbarrier(thread));
      if (waits)
        mbarrierWaitParity(thread, at(wait), mbarrier(thread, 1), 0);
      store<uint32_t>(write, slot, 1);
    });
  };
  EXPECT_THAT(kernel(true), IsEmpty());
  EXPECT_THAT(kernel(false), testing::Contains(HasSubstr("shared-race")));
}

TEST_F(NvidiaMbarrierTest, StatesNameTheirPhase) {
  shape(1, 32);
  std::set<uint32_t> missing; // each lane sees another count
  EXPECT_THAT(faults([&](Thread &thread) {
                initialize(thread, 32);
                uint64_t state =
                    mbarrierArrive(thread, at(arrive), mbarrier(thread));
                missing.insert(mbarrierPendingCount(state));
                mbarrierWaitState(thread, at(wait), mbarrier(thread), state);
                EXPECT_TRUE(mbarrierTestState(thread, at(wait),
                                              mbarrier(thread), state));
              }),
              IsEmpty());
  EXPECT_EQ(missing.size(), 32u);
  EXPECT_EQ(*missing.begin(), 1u);
}

TEST_F(NvidiaMbarrierTest, OldStatesAreAPhaseError) {
  shape(1, 1);
  EXPECT_THAT(faults([&](Thread &thread) {
                initialize(thread, 1);
                uint64_t first =
                    mbarrierArrive(thread, at(arrive), mbarrier(thread));
                mbarrierArrive(thread, at(arrive), mbarrier(thread));
                mbarrierTestState(thread, at(wait), mbarrier(thread), first);
              }),
              ElementsAre(AllOf(HasSubstr("barrier: state of phase 0"),
                                HasSubstr("in phase 2"))));
}

TEST_F(NvidiaMbarrierTest, OverArrival) {
  shape(1, 64);
  EXPECT_THAT(
      faults([&](Thread &thread) {
        initialize(thread, 33);
        Arrival two;
        two.count = 32;
        if (thread.lane == 0)
          mbarrierArrive(thread, at(arrive), mbarrier(thread), two);
      }),
      ElementsAre(AllOf(HasSubstr("over-arrival"), HasSubstr("shared+0x0"),
                        HasSubstr("32 arrive, phase 0 lacks 1 of 33"))));
}

TEST_F(NvidiaMbarrierTest, NothingInitialized) {
  shape(1, 32);
  EXPECT_THAT(faults([&](Thread &thread) {
                mbarrierArrive(thread, at(arrive), mbarrier(thread));
              }),
              testing::Contains(HasSubstr("no mbarrier was initialized at")));
}

TEST_F(NvidiaMbarrierTest, InitializationMustBeOrdered) {
  shape(1, 64);
  EXPECT_THAT(faults([&](Thread &thread) {
                if (thread.index == 0)
                  mbarrierInit(thread, at(init), mbarrier(thread), 64);
                mbarrierArrive(thread, at(arrive), mbarrier(thread));
              }),
              testing::Contains(HasSubstr("shared-race")));
}

TEST_F(NvidiaMbarrierTest, LiveOnesAreNotInitializedAgain) {
  shape(1, 1);
  EXPECT_THAT(faults([&](Thread &thread) {
                mbarrierInit(thread, at(init), mbarrier(thread), 1);
                mbarrierInvalidate(thread, at(init), mbarrier(thread));
                mbarrierInit(thread, at(init), mbarrier(thread), 1);
                mbarrierInit(thread, at(init), mbarrier(thread), 1);
              }),
              ElementsAre(HasSubstr("initialized again")));
}

TEST_F(NvidiaMbarrierTest, StoresOverOneAreNoticed) {
  shape(1, 1);
  EXPECT_THAT(faults([&](Thread &thread) {
                mbarrierInit(thread, at(init), mbarrier(thread), 1);
                store<uint32_t>(write, shared(thread, 1), 0);
                mbarrierArrive(thread, at(arrive), mbarrier(thread));
              }),
              ElementsAre(HasSubstr("was overwritten")));
}

TEST_F(NvidiaMbarrierTest, WrongParityIsADeadlock) {
  shape(1, 32);
  EXPECT_THAT(faults([&](Thread &thread) {
                initialize(thread, 32);
                mbarrierWaitParity(thread, at(wait), mbarrier(thread), 0);
                mbarrierArrive(thread, at(arrive), mbarrier(thread));
              }),
              ElementsAre(AllOf(HasSubstr("deadlock: 32 threads wait: 32 x "
                                          "mbarrier wait"),
                                HasSubstr("lacks 32 of 32 arrivals"))));
}

TEST_F(NvidiaMbarrierTest, BytesCompleteAPhase) {
  shape(1, 32);
  auto kernel = [&](uint32_t expected, uint32_t landed) {
    return faults([&, expected, landed](Thread &thread) {
      initialize(thread, 1);
      if (thread.index == 0) {
        Arrival arrival;
        arrival.expectTx = expected;
        mbarrierArrive(thread, at(arrive), mbarrier(thread), arrival);
        mbarrierCompleteTx(thread, at(arrive), mbarrier(thread), landed);
      }
      mbarrierWaitParity(thread, at(wait), mbarrier(thread), 0);
    });
  };
  EXPECT_THAT(kernel(4096, 4096), IsEmpty());
  EXPECT_THAT(kernel(4096, 2048),
              testing::Contains(AllOf(HasSubstr("transaction-mismatch"),
                                      HasSubstr("2048 bytes"))));
  EXPECT_THAT(kernel(4096, 8192),
              testing::Contains(AllOf(HasSubstr("transaction-mismatch"),
                                      HasSubstr("4096 bytes more"))));
}

TEST_F(NvidiaMbarrierTest, DroppedThreadsAreNotExpectedAgain) {
  shape(1, 64);
  EXPECT_THAT(faults([&](Thread &thread) {
                initialize(thread, 64);
                Arrival arrival;
                arrival.drop = thread.warp->index == 1;
                mbarrierArrive(thread, at(arrive), mbarrier(thread), arrival);
                if (arrival.drop)
                  return;
                mbarrierWaitParity(thread, at(wait), mbarrier(thread), 0);
                mbarrierArrive(thread, at(arrive), mbarrier(thread));
                mbarrierWaitParity(thread, at(wait), mbarrier(thread), 1);
              }),
              IsEmpty());
}

TEST_F(NvidiaMbarrierTest, NoCompleteMustNotComplete) {
  shape(1, 1);
  EXPECT_THAT(faults([&](Thread &thread) {
                mbarrierInit(thread, at(init), mbarrier(thread), 2);
                Arrival one;
                one.noComplete = true;
                mbarrierArrive(thread, at(arrive), mbarrier(thread), one);
                mbarrierArrive(thread, at(arrive), mbarrier(thread), one);
              }),
              ElementsAre(HasSubstr("a .noComplete arrival completes")));
}

TEST_F(NvidiaMbarrierTest, PollingLetsOthersArrive) {
  shape(1, 64);
  EXPECT_THAT(faults([&](Thread &thread) {
                initialize(thread, 32);
                if (thread.warp->index == 1) {
                  mbarrierArrive(thread, at(arrive), mbarrier(thread));
                  return;
                }
                while (
                    !mbarrierTestParity(thread, at(wait), mbarrier(thread), 0))
                  ;
              }),
              IsEmpty());
}

TEST_F(NvidiaMbarrierTest, ChecksOperands) {
  shape(1, 1);
  uint64_t global[1];
  buffer("global", global, sizeof(global));
  EXPECT_THAT(faults([&](Thread &thread) {
                mbarrierInit(thread, at(init), mbarrier(thread), 0);
              }),
              ElementsAre(HasSubstr("arrival count is 0")));
  EXPECT_THAT(faults([&](Thread &thread) {
                mbarrierInit(thread, at(init),
                             reinterpret_cast<uint64_t>(global), 1);
              }),
              ElementsAre(HasSubstr("an mbarrier lies in shared memory")));
  EXPECT_THAT(faults([&](Thread &thread) {
                mbarrierInit(thread, at(init), mbarrier(thread) + 4, 1);
              }),
              ElementsAre(HasSubstr("misaligned")));
  EXPECT_THAT(faults([&](Thread &thread) {
                mbarrierInit(thread, at(init), mbarrier(thread), 1);
                mbarrierWaitParity(thread, at(wait), mbarrier(thread), 3);
              }),
              ElementsAre(HasSubstr("phase parity is 3, expected 0 or 1")));
}

} // namespace
