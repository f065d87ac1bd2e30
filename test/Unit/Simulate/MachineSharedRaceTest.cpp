//===- MachineSharedRaceTest.cpp - Order of accesses to shared memory -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineFixture.h"

using namespace lathe::sim;
using namespace lathe::sim::test;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

/// Each fault comes with the twin that lacks nothing.
class MachineSharedRaceTest : public MachineTest {
protected:
  MachineSharedRaceTest() {
    shape(1, 64);
    launch.dynamicShared = 4096;
    put = site("store");
    get = site("load");
    sync = site("barrier");
    lanes = site("syncwarp");
    bulk = site("bulk");
  }

  /// What an operation in flight knows.
  Knowledge issue(Thread &thread) {
    Knowledge known;
    thread.machine->release(*thread.warp, known);
    return known;
  }
  void unit(Thread &thread, Epoch epoch, const Knowledge &known,
            AccessKind kind, unsigned word, unsigned bytes,
            Proxy proxy = Proxy::Async) {
    AsyncAccess access{epoch, proxy, &known};
    thread.machine->access(thread, program.sites[bulk],
                           reinterpret_cast<uint64_t>(shared(thread, word)),
                           bytes, 4, kind, access);
  }
  uint32_t put, get, sync, lanes, bulk;
};

TEST_F(MachineSharedRaceTest, WriteThenReadNeedsABarrier) {
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      store(put, shared(thread, thread.index), thread.index);
      if (clean)
        barrier(thread, sync);
      else
        syncWarp(thread, lanes);
      load<uint32_t>(get, shared(thread, thread.index ^ 32));
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  Contains("shared-race: read of 4 bytes at shared+124 by "
                           "warp 1 not ordered after write by warp 0 at "
                           "'store'"));
  }
}

TEST_F(MachineSharedRaceTest, ReadThenWriteNeedsABarrier) {
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      if (thread.index == 0)
        store(put, shared(thread, 0), 1u);
      barrier(thread, sync);
      load<uint32_t>(get, shared(thread, 0));
      if (clean)
        barrier(thread, sync);
      // Warp 1 reads first: its last lane completed the barrier.
      if (thread.index == 0)
        store(bulk, shared(thread, 0), 2u);
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  Contains("shared-race: write of 4 bytes at shared+0 by "
                           "warp 0 not ordered after read by warp 1 at "
                           "'load'"));
  }
}

TEST_F(MachineSharedRaceTest, LanesOfAWarpNeedASync) {
  shape(1, 32);
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      store(put, shared(thread, thread.index), thread.index);
      if (clean)
        syncWarp(thread, lanes);
      load<uint32_t>(get, shared(thread, thread.index & ~1u));
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  ElementsAre("shared-race: read of 4 bytes at shared+0 by "
                              "lane 1 of warp 0 not ordered after write by "
                              "lane 0 of warp 0 at 'store'"));
  }
}

TEST_F(MachineSharedRaceTest, LanesOfAWaveAreOrdered) {
  program.isAmd = true;
  program.warpSize = 64;
  RunReport report = run([&](Thread &thread) {
    store(put, shared(thread, thread.index), thread.index);
    load<uint32_t>(get, shared(thread, thread.index & ~1u));
  });
  EXPECT_TRUE(report.ok());
}

TEST_F(MachineSharedRaceTest, NoReaderIsLost) {
  // Of nine warps that read, only one comes too late for the barrier.
  shape(1, 10 * 32);
  for (unsigned late = 1; late < 10; ++late) {
    RunReport report = run([&](Thread &thread) {
      if (thread.index == 0)
        store(put, shared(thread, 0), 1u);
      barrier(thread, sync);
      unsigned warp = thread.warp->index;
      static Knowledge known;
      if (thread.index == 0)
        known = Knowledge();
      barrier(thread, sync);
      if (warp > 0 && thread.lane == 0) {
        load<uint32_t>(get, shared(thread, 0));
        if (warp != late)
          thread.machine->release(*thread.warp, known);
      }
      if (thread.index == 0) {
        thread.yield(program.sites[sync]);
        thread.machine->acquire(*thread.warp, known);
        store(put, shared(thread, 0), 2u);
      }
    });
    EXPECT_THAT(faultsOf(report),
                ElementsAre(HasSubstr("not ordered after read by warp " +
                                      std::to_string(late))));
  }
}

TEST_F(MachineSharedRaceTest, EqualStoresAreNoRace) {
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      store(put, shared(thread, 0), clean ? 5u : thread.index);
    });
    EXPECT_EQ(report.ok(), clean);
  }
}

TEST_F(MachineSharedRaceTest, AtomicsMeet) {
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      if (thread.index == 0)
        store(put, shared(thread, 0), 0u);
      barrier(thread, sync);
      if (clean || thread.index != 40)
        atomicAdd(bulk, shared(thread, 0), 1u);
      else
        store(put, shared(thread, 0), 1u);
    });
    EXPECT_EQ(report.ok(), clean);
  }
}

TEST_F(MachineSharedRaceTest, NarrowAccessesNeedNarrowGranules) {
  program.granule = 1;
  RunReport report = run([&](Thread &thread) {
    store(put, shared<uint8_t>(thread, thread.index), uint8_t(1));
    load<uint8_t>(get, shared<uint8_t>(thread, thread.index));
  });
  EXPECT_TRUE(report.ok());
}

TEST_F(MachineSharedRaceTest, WideAndNarrowAccessesMeet) {
  // Sixteen bytes at once and their words, in every order of the two.
  for (unsigned way = 0; way < 8; ++way) {
    bool wideFirst = way & 1, wideSecond = way & 2, clean = way & 4;
    auto wide = [&](Thread &thread, uint32_t id, AccessKind kind) {
      lathe_sim_access(id, reinterpret_cast<uint64_t>(shared(thread, 4)), 16,
                       16, unsigned(kind));
    };
    RunReport report = run([&](Thread &thread) {
      if (thread.index == 0) {
        wide(thread, put, AccessKind::Write);
        load<uint32_t>(get, shared(thread, 5));
      }
      barrier(thread, sync);
      if (thread.index == 0) {
        if (wideFirst)
          wide(thread, get, AccessKind::Read);
        else
          load<uint32_t>(get, shared(thread, 6));
      }
      if (clean)
        barrier(thread, sync);
      else
        syncWarp(thread, lanes);
      if (thread.index == 32) {
        if (wideSecond)
          wide(thread, bulk, AccessKind::Write);
        else
          store(bulk, shared(thread, 6), 1u);
      }
    });
    EXPECT_EQ(report.ok(), clean) << way;
  }
}

TEST_F(MachineSharedRaceTest, ReadersOfALineAreKeptWhenItIsSplit) {
  shape(1, 8 * 32);
  RunReport report = run([&](Thread &thread) {
    auto line = reinterpret_cast<uint64_t>(shared(thread, 0));
    if (thread.index == 0)
      lathe_sim_access(put, line, 16, 16, unsigned(AccessKind::Write));
    barrier(thread, sync);
    if (thread.lane == 0 && thread.warp->index < 6)
      lathe_sim_access(get, line, 16, 16, unsigned(AccessKind::Read));
    syncWarp(thread, lanes);
    if (thread.index == 6 * 32)
      load<uint32_t>(get, shared(thread, 1));
    if (thread.index == 7 * 32 - 1)
      store(bulk, shared(thread, 3), 1u);
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre(HasSubstr("write of 4 bytes at shared+12 by warp 6 "
                                    "not ordered after read by warp 0")));
}

TEST_F(MachineSharedRaceTest, ClustersShareTheirMemory) {
  shape(2, 32);
  launch.cluster = {2, 1, 1};
  RunReport report = run([&](Thread &thread) {
    Block &other = *thread.block->cluster[1 - thread.block->rank];
    if (thread.index == 0)
      store(put, other.arena, 1u);
    if (thread.index == 1)
      store(put, other.arena, 2u);
    if (thread.index == 0 && thread.block->rank == 1)
      load<uint32_t>(get, thread.block->arena);
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre(HasSubstr("shared-race: write"),
                          HasSubstr("read of 4 bytes at shared+0 by warp 0 of "
                                    "block rank 1 not ordered after write by "
                                    "warp 0 of block rank 0")));
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

TEST_F(MachineSharedRaceTest, UnitsReadWhatAFencePassedOn) {
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      Machine &machine = *thread.machine;
      store(put, shared(thread, thread.index), thread.index);
      if (clean)
        machine.fenceProxy(*thread.warp);
      barrier(thread, sync);
      if (thread.index)
        return;
      Epoch epoch =
          machine.tick(*thread.block,
                       machine.agentOf(*thread.block, AsyncUnit::TmaStore, 0));
      unit(thread, epoch, issue(thread), AccessKind::Read, 0, 256);
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  ElementsAre("async-hazard: read of 256 bytes at shared+0 by "
                              "TMA store of warp 0 without fence.proxy.async "
                              "after write by warp 0 at 'store'"));
  }
}

TEST_F(MachineSharedRaceTest, BuffersOfUnitsAreBusyUntilTheWait) {
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      Machine &machine = *thread.machine;
      if (thread.index)
        return;
      store(put, shared(thread, 0), 1u);
      machine.fenceProxy(*thread.warp);
      Epoch epoch = machine.tick(
          *thread.block, machine.agentOf(*thread.block, AsyncUnit::Wgmma, 0));
      unit(thread, epoch, issue(thread), AccessKind::Read, 0, 4);
      if (clean)
        machine.finished(*thread.warp, epoch);
      store(put, shared(thread, 0), 2u);
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  ElementsAre("async-hazard: write of 4 bytes at shared+0 by "
                              "warp 0 not ordered after read by wgmma of "
                              "warpgroup 0 at 'bulk'"));
  }
}

TEST_F(MachineSharedRaceTest, WaitingForALaterLoadCoversNoEarlierOne) {
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      Machine &machine = *thread.machine;
      if (thread.index)
        return;
      Epoch epochs[2];
      for (unsigned i = 0; i < 2; ++i) {
        epochs[i] =
            machine.tick(*thread.block,
                         machine.agentOf(*thread.block, AsyncUnit::TmaLoad, 0));
        unit(thread, epochs[i], issue(thread), AccessKind::Write, i, 4);
      }
      machine.finished(*thread.warp, epochs[1]);
      if (clean)
        machine.finished(*thread.warp, epochs[0]);
      load<uint32_t>(get, shared(thread, 0));
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  ElementsAre("async-hazard: read of 4 bytes at shared+0 by "
                              "warp 0 not ordered after write by TMA load at "
                              "'bulk'"));
  }
}

// The warp's clock alone orders what its other lanes did before the issue.
TEST_F(MachineSharedRaceTest, LanesMeetBeforeOneOfThemOverwrites) {
  shape(1, 32);
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      Machine &machine = *thread.machine;
      store(put, shared(thread, thread.index), 1u);
      load<uint32_t>(get, shared(thread, thread.index));
      if (clean)
        syncWarp(thread, lanes);
      if (thread.index % 2 == 0)
        return;
      Epoch epoch = machine.numbered(
          *thread.block, machine.agentOf(*thread.block, AsyncUnit::CpAsync, 0),
          1);
      Knowledge known = issue(thread);
      AsyncAccess access{epoch, Proxy::Generic, &known,
                         machine.lanesMet(thread)};
      machine.access(
          thread, program.sites[bulk],
          reinterpret_cast<uint64_t>(shared(thread, thread.index & ~1u)), 4, 4,
          AccessKind::Write, access);
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  ElementsAre("async-hazard: write of 4 bytes at shared+0 by "
                              "cp.async of warp 0 not ordered after read by "
                              "lane 0 of warp 0 at 'load'"));
  }
}

TEST_F(MachineSharedRaceTest, LanesMeetAfterOneOfThemWaited) {
  shape(1, 32);
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      Machine &machine = *thread.machine;
      Epoch epoch = machine.numbered(
          *thread.block, machine.agentOf(*thread.block, AsyncUnit::CpAsync, 0),
          1);
      Knowledge known = issue(thread);
      AsyncAccess access{epoch, Proxy::Generic, &known,
                         machine.lanesMet(thread)};
      machine.access(thread, program.sites[bulk],
                     reinterpret_cast<uint64_t>(shared(thread, thread.index)),
                     4, 4, AccessKind::Write, access);
      machine.finished(thread, epoch);
      if (clean)
        syncWarp(thread, lanes);
      load<uint32_t>(get, shared(thread, thread.index & ~1u));
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  ElementsAre("async-hazard: read of 4 bytes at shared+0 by "
                              "warp 0 not ordered after write by cp.async of "
                              "warp 0 at 'bulk'"));
  }
}

TEST_F(MachineSharedRaceTest, CopiesOfTheGenericProxyNeedTheFenceToo) {
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      Machine &machine = *thread.machine;
      Block &block = *thread.block;
      if (thread.index)
        return;
      Epoch copy =
          machine.tick(block, machine.agentOf(block, AsyncUnit::CpAsync, 0));
      unit(thread, copy, issue(thread), AccessKind::Write, 0, 16,
           Proxy::Generic);
      machine.finished(*thread.warp, copy);
      if (clean)
        machine.fenceProxy(*thread.warp);
      Epoch mma =
          machine.tick(block, machine.agentOf(block, AsyncUnit::Wgmma, 0));
      unit(thread, mma, issue(thread), AccessKind::Read, 0, 16);
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  ElementsAre(HasSubstr("without fence.proxy.async after "
                                        "write by cp.async of warp 0")));
  }
}

} // namespace
