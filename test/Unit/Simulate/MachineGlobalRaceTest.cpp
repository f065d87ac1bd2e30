//===- MachineGlobalRaceTest.cpp - Order of accesses to global memory -----===//
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

/// Each fault comes with the twin that lacks nothing.
class MachineGlobalRaceTest : public MachineTest {
protected:
  MachineGlobalRaceTest() {
    shape(4, 64);
    words.assign(4096, 0);
    buffer("y", words.data(), words.size() * 4);
    put = site("store");
    get = site("load");
    sync = site("barrier");
    flag = site("atomic");
  }
  std::vector<uint32_t> words;
  uint32_t put, get, sync, flag;
};

TEST_F(MachineGlobalRaceTest, BlocksWriteTheirOwnBytes) {
  auto *bytes = reinterpret_cast<uint8_t *>(words.data());
  for (bool clean : {true, false}) {
    // Neighbours share words, and the page is cut down to bytes.
    RunReport report = run([&](Thread &thread) {
      uint64_t block = thread.block->linear;
      if (thread.index < 5)
        store(put, bytes + block * (clean ? 5 : 4) + thread.index,
              uint8_t(block));
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  ElementsAre("global-race: write of 1 bytes at 'y'+4 not "
                              "ordered after write by block 0 at 'store'"));
  }
}

TEST_F(MachineGlobalRaceTest, ReadersAndWritersOfOneWord) {
  for (bool writerFirst : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      if (thread.index == 0 && (thread.block->linear == 0) == writerFirst)
        store(put, words.data(), 1u);
      else
        load<uint32_t>(get, words.data());
    });
    EXPECT_THAT(faultsOf(report), testing::Contains(HasSubstr("global-race")));
  }
}

TEST_F(MachineGlobalRaceTest, EqualStoresAtomicsAndDeclaredRacesAreFine) {
  for (unsigned way = 0; way < 4; ++way) {
    launch.buffers[0].mayRace = way == 2;
    RunReport report = run([&](Thread &thread) {
      if (way == 0)
        store(put, words.data(), 9u);
      else if (way == 1)
        atomicAdd(flag, words.data(), 1u);
      else
        store(put, words.data(), thread.index);
    });
    EXPECT_EQ(report.ok(), way < 3) << way;
  }
}

TEST_F(MachineGlobalRaceTest, WarpsOfABlockNeedABarrier) {
  shape(1, 64);
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      store(put, &words[thread.index], 1u);
      if (clean)
        barrier(thread, sync);
      load<uint32_t>(get, &words[thread.index ^ 32]);
    });
    if (clean)
      EXPECT_THAT(faultsOf(report), IsEmpty());
    else
      EXPECT_THAT(faultsOf(report),
                  testing::Contains(HasSubstr("by warp 0 of the same block")));
  }
}

TEST_F(MachineGlobalRaceTest, TheLastBlockReadsWhatFencesPublished) {
  shape(6, 64);
  launch.dynamicShared = 16;
  // Ways: nothing missing; no fence; no atomic; a fence by each thread before
  // the barrier instead of one after it.
  for (unsigned way = 0; way < 4; ++way) {
    words.assign(4096, 0);
    uint32_t plain = 0;
    RunReport report = run([&](Thread &thread) {
      uint64_t block = thread.block->linear;
      store(put, &words[block * 64 + thread.index], uint32_t(block));
      if (way == 3)
        lathe_sim_fence(flag);
      barrier(thread, sync);
      if (thread.index == 0) {
        if (way == 0 || way == 2)
          lathe_sim_fence(flag);
        uint32_t ticket =
            way == 2 ? plain++ : atomicAdd(flag, &words[4000], 1u);
        store(put, shared(thread, 0), ticket);
      }
      barrier(thread, sync);
      if (load<uint32_t>(get, shared(thread, 0)) != 5)
        return;
      for (unsigned i = 0; i < 6; ++i)
        EXPECT_EQ(load<uint32_t>(get, &words[i * 64 + thread.index]), i);
    });
    EXPECT_EQ(report.ok(), way == 0 || way == 3) << way;
    if (!report.ok())
      EXPECT_THAT(faultsOf(report),
                  ElementsAre(HasSubstr("not ordered after write by block 0")));
  }
}

TEST_F(MachineGlobalRaceTest, FlagsBetweenBlocksOrder) {
  shape(2, 32);
  for (bool clean : {true, false}) {
    words.assign(4096, 0);
    RunReport report = run([&](Thread &thread) {
      if (thread.index)
        return;
      // The first block waits for the second.
      if (thread.block->linear == 0) {
        while (!atomicLoad(flag, &words[100]))
          lathe_sim_yield(flag);
        EXPECT_EQ(load<uint32_t>(get, &words[0]), 5u);
      } else {
        store(put, &words[0], 5u);
        atomicAdd(flag, &words[100], 1u, clean ? accessReleases : 0);
      }
    });
    EXPECT_EQ(report.ok(), clean);
  }
}

TEST_F(MachineGlobalRaceTest, OrderIsPassedOn) {
  // Block 0 to 1 to 2, by two flags.
  shape(3, 32);
  RunReport report = run([&](Thread &thread) {
    uint64_t block = thread.block->linear;
    if (thread.index)
      return;
    if (block == 0)
      store(put, &words[0], 5u);
    else
      while (!atomicLoad(flag, &words[100 + block]))
        lathe_sim_yield(flag);
    if (block == 2)
      load<uint32_t>(get, &words[0]);
    atomicAdd(flag, &words[101 + block], 1u, accessReleases);
  });
  EXPECT_THAT(faultsOf(report), IsEmpty());
}

TEST_F(MachineGlobalRaceTest, HostThreadsSeeEachOthersBlocks) {
  shape(64, 64);
  options.threads = 4;
  for (bool clean : {true, false}) {
    RunReport report = run([&](Thread &thread) {
      uint64_t at = thread.block->linear * 64 + thread.index;
      store(put, &words[clean ? at : at % 256], uint32_t(at));
    });
    EXPECT_EQ(report.ok(), clean);
  }
}

TEST_F(MachineGlobalRaceTest, OrderIsCheckedOnRequestOnly) {
  options.checkOrder = false;
  RunReport report =
      run([&](Thread &thread) { store(put, words.data(), thread.index); });
  EXPECT_TRUE(report.ok());
}

} // namespace
