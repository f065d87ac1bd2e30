//===- MachineSchedulerTest.cpp - Fibers take turns -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineFixture.h"

using namespace lathe::sim;
using namespace lathe::sim::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

class MachineSchedulerTest : public MachineTest {};

TEST_F(MachineSchedulerTest, RunsEveryThreadOfEveryBlock) {
  launch.grid = {3, 2, 2};
  launch.block = {5, 3, 2};
  std::set<std::array<uint32_t, 6>> seen;
  RunReport report = run([&](Thread &thread) {
    const Dim3 &b = thread.block->id, &t = thread.id;
    seen.insert({b.x, b.y, b.z, t.x, t.y, t.z});
    EXPECT_EQ(thread.index, t.x + 5 * (t.y + 3 * t.z));
    EXPECT_EQ(thread.lane, thread.index);
  });
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.blocksRun, 12u);
  EXPECT_EQ(seen.size(), 12u * 30);
}

TEST_F(MachineSchedulerTest, RunsSampledBlocksAlone) {
  shape(1000, 1);
  options.blocks = {0, 17, 999};
  std::vector<uint64_t> seen;
  run([&](Thread &thread) { seen.push_back(thread.block->linear); });
  EXPECT_THAT(seen, ElementsAre(0, 17, 999));
}

TEST_F(MachineSchedulerTest, RunsClustersAsAWhole) {
  launch.grid = {4, 4, 1};
  launch.cluster = {2, 2, 1};
  options.blocks = {6};
  std::vector<uint64_t> seen;
  run([&](Thread &thread) {
    seen.push_back(thread.block->linear);
    EXPECT_EQ(thread.block->cluster[thread.block->rank], thread.block);
    EXPECT_EQ(thread.block->arena, thread.block->cluster[0]->arena +
                                       thread.block->rank * arenaBytes);
  });
  EXPECT_THAT(seen, ElementsAre(2, 3, 6, 7));
}

TEST_F(MachineSchedulerTest, BarrierHoldsThreadsBack) {
  shape(2, 96);
  uint32_t sync = site("barrier");
  unsigned before = 0;
  RunReport report = run([&](Thread &thread) {
    ++before;
    barrier(thread, sync);
    EXPECT_EQ(before % 96, 0u);
    barrier(thread, sync);
  });
  EXPECT_TRUE(report.ok());
}

TEST_F(MachineSchedulerTest, SaysWhoWaitsWhereInADeadlock) {
  shape(1, 64);
  launch.dynamicShared = 128;
  uint32_t first = site("wait-a"), second = site("wait-b");
  RunReport report = run([&](Thread &thread) {
    auto arena = reinterpret_cast<uint64_t>(thread.block->arena);
    if (thread.index == 7)
      thread.wait(program.sites[first], "mbarrier wait", arena + 0x18);
    else if (thread.index)
      thread.wait(program.sites[second], "barrier 1");
  });
  EXPECT_TRUE(report.aborted);
  EXPECT_THAT(faultsOf(report),
              ElementsAre("deadlock: 63 threads wait: 62 x barrier 1, 1 x "
                          "mbarrier wait shared+0x18"));
}

TEST_F(MachineSchedulerTest, EndsEndlessThreads) {
  shape(1, 2);
  options.budget = 1 << 22;
  RunReport report = run([&](Thread &thread) {
    while (thread.index == 1)
      lathe_sim_count(100);
  });
  EXPECT_TRUE(report.aborted);
  EXPECT_THAT(faultsOf(report),
              ElementsAre("timeout: the launch did not end within 4194304 "
                          "instructions"));
  EXPECT_THAT(report.faults[0].thread, ElementsAre(1, 0, 0));
}

TEST_F(MachineSchedulerTest, SaysWhoPolledWhenTheBudgetIsGone) {
  shape(1, 3);
  options.budget = 1 << 22;
  uint32_t poll = site("atomic load of a flag"), wait = site("wait");
  RunReport report = run([&](Thread &thread) {
    if (thread.index == 2)
      thread.wait(program.sites[wait], "barrier 0");
    for (;;) {
      lathe_sim_count(100);
      lathe_sim_yield(poll);
    }
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre("timeout: the launch did not end within 4194304 "
                          "instructions; 2 threads wait: 1 x barrier 0, 1 x "
                          "poll at 'atomic load of a flag'"));
}

TEST_F(MachineSchedulerTest, TrapsEndTheLaunch) {
  shape(4, 1);
  uint32_t trap = site("call void @llvm.trap()");
  RunReport report = run([&](Thread &thread) {
    if (thread.block->id.x == 2)
      lathe_sim_trap(trap);
  });
  EXPECT_TRUE(report.aborted);
  EXPECT_EQ(report.blocksRun, 3u);
  EXPECT_THAT(faultsOf(report), ElementsAre("trap: the kernel reached 'call "
                                            "void @llvm.trap()'"));
}

TEST_F(MachineSchedulerTest, RandomOrderDependsOnTheSeedAlone) {
  shape(3, 40);
  options.interleaving = Interleaving::Random;
  uint32_t sync = site("barrier");
  auto orderOf = [&](uint64_t seed) {
    options.seed = seed;
    std::vector<uint64_t> order;
    EXPECT_TRUE(run([&](Thread &thread) {
                  order.push_back(thread.block->linear * 40 + thread.index);
                  barrier(thread, sync);
                  order.push_back(thread.block->linear * 40 + thread.index);
                }).ok());
    return order;
  };
  EXPECT_EQ(orderOf(1), orderOf(1));
  EXPECT_NE(orderOf(1), orderOf(2));
}

TEST_F(MachineSchedulerTest, RandomOrderShowsOrderBugs) {
  shape(1, 64);
  options.interleaving = Interleaving::Random;
  options.checkOrder = false;
  std::set<unsigned> results;
  for (options.seed = 0; options.seed < 8; ++options.seed) {
    unsigned last = 0;
    run([&](Thread &thread) { last = thread.index; });
    results.insert(last);
  }
  EXPECT_GT(results.size(), 1u);
}

TEST_F(MachineSchedulerTest, BlocksThatPollLetOthersIn) {
  shape(4, 32);
  uint32_t flag = 0;
  uint32_t poll = site("load atomic");
  // Each block waits for the next one's flag, the last for nobody.
  RunReport report = run([&](Thread &thread) {
    uint64_t block = thread.block->linear;
    while (block < 3 && !(flag >> (block + 1) & 1))
      thread.yield(program.sites[poll]);
    flag |= 1u << block;
  });
  EXPECT_TRUE(report.ok()) << faultsOf(report).front();
}

TEST_F(MachineSchedulerTest, BlocksThatSleepLetOthersIn) {
  shape(2, 1);
  Thread *sleeper = nullptr;
  uint32_t wait = site("wait");
  RunReport report = run([&](Thread &thread) {
    if (thread.block->linear == 0) {
      sleeper = &thread;
      thread.wait(program.sites[wait], "flag");
    } else {
      thread.machine->wake(*sleeper);
    }
  });
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.blocksRun, 2u);
}

TEST_F(MachineSchedulerTest, HostThreadsShareTheGrid) {
  shape(64, 64);
  options.threads = 4;
  std::vector<uint32_t> out(64 * 64);
  buffer("out", out.data(), out.size() * 4);
  uint32_t put = site("store"), sync = site("barrier");
  RunReport report = run([&](Thread &thread) {
    barrier(thread, sync);
    uint64_t at = thread.block->linear * 64 + thread.index;
    store(put, &out[at], uint32_t(at + 1));
    lathe_sim_count(3);
  });
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.blocksRun, 64u);
  EXPECT_EQ(report.instructions, 64u * 64 * 3);
  for (unsigned i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i + 1);
}

TEST_F(MachineSchedulerTest, FaultsOfHostThreadsComeInBlockOrder) {
  shape(64, 1);
  options.threads = 4;
  uint32_t first = site("a"), second = site("b");
  RunReport report = run([&](Thread &thread) {
    uint64_t block = thread.block->linear;
    if (block >= 10)
      thread.machine->fault(FaultKind::InvalidOperand, &thread,
                            program.sites[block % 2 ? first : second],
                            "in block " + llvm::Twine(block));
  });
  EXPECT_THAT(faultsOf(report), ElementsAre("invalid-operand: in block 10",
                                            "invalid-operand: in block 11"));
  EXPECT_EQ(report.faults[0].count, 27u);
  EXPECT_FALSE(report.aborted);
}

TEST_F(MachineSchedulerTest, AbortHidesWhatLiesBehindIt) {
  shape(64, 1);
  options.threads = 4;
  uint32_t fault = site("a"), trap = site("trap");
  RunReport report = run([&](Thread &thread) {
    uint64_t block = thread.block->linear;
    if (block == 5)
      lathe_sim_trap(trap);
    if (block > 5)
      thread.machine->fault(FaultKind::InvalidOperand, &thread,
                            program.sites[fault], "behind");
  });
  EXPECT_TRUE(report.aborted);
  EXPECT_THAT(faultsOf(report), ElementsAre("trap: the kernel reached 'trap'"));
}

TEST_F(MachineSchedulerTest, CopiesLandByPolicy) {
  shape(1, 1);
  uint32_t copy = site("copy"), wait = site("wait");
  for (AsyncTiming timing : {AsyncTiming::Immediate, AsyncTiming::Late}) {
    options.asyncTiming = timing;
    bool landed = false;
    RunReport report = run([&](Thread &thread) {
      landed = false;
      thread.machine->defer({&thread, &program.sites[copy], [&] {
                               landed = true;
                               thread.machine->wake(thread);
                             }});
      EXPECT_EQ(landed, timing == AsyncTiming::Immediate);
      if (!landed)
        thread.wait(program.sites[wait], "copy");
      EXPECT_TRUE(landed);
    });
    EXPECT_TRUE(report.ok());
  }
}

TEST_F(MachineSchedulerTest, CopiesLandBeforeTheClusterEnds) {
  shape(3, 1);
  options.asyncTiming = AsyncTiming::Late;
  uint32_t copy = site("copy");
  unsigned landed = 0;
  run([&](Thread &thread) {
    thread.machine->defer({&thread, &program.sites[copy], [&] { ++landed; }});
  });
  EXPECT_EQ(landed, 3u);
}

__attribute__((noinline)) unsigned recurse(unsigned depth) {
  volatile char frame[1024];
  for (volatile char &byte : frame)
    byte = depth;
  return depth == 0 ? 0 : recurse(depth - 1) + frame[depth % 1024];
}

TEST_F(MachineSchedulerTest, NamesAStackOverflow) {
  shape(1, 1);
  EXPECT_EXIT(run([&](Thread &) { recurse(1000); }),
              ::testing::ExitedWithCode(1),
              "stack overflow in a simulated thread");
}

TEST_F(MachineSchedulerTest, StateOfInstructionsEndsWithItsOwner) {
  shape(5, 64);
  static int alive, made;
  alive = made = 0;
  struct Counted {
    Counted() { ++alive, ++made; }
    ~Counted() { --alive; }
  };
  run([&](Thread &thread) {
    blockState<Counted>(*thread.block);
    warpState<Counted>(*thread.warp);
  });
  EXPECT_EQ(made, 5 * 3);
  EXPECT_EQ(alive, 0);
}

TEST_F(MachineSchedulerTest, TellsWhenThreadsEnd) {
  shape(2, 33);
  std::vector<unsigned> ended;
  run([&](Thread &thread) {
    if (thread.index == 0)
      thread.machine->onExit(*thread.block, [&](Thread &other) {
        EXPECT_TRUE(other.warp->exited >> other.lane & 1);
        ended.push_back(other.index);
      });
    if (thread.index == 20)
      thread.exit();
  });
  EXPECT_EQ(ended.size(), 66u);
}

} // namespace
