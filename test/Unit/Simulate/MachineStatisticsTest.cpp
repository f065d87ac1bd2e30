//===- MachineStatisticsTest.cpp - Sectors and bank conflicts -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineFixture.h"

#include "llvm/Support/raw_ostream.h"

using namespace lathe::sim;
using namespace lathe::sim::test;
using ::testing::HasSubstr;

namespace {

class MachineStatisticsTest : public MachineTest {
protected:
  MachineStatisticsTest() {
    shape(1, 32);
    launch.dynamicShared = 65536;
    options.statistics = true;
    buffer("y", words, sizeof(words));
  }
  /// Conflicts of one request: `bytes` at `stride` words times the lane.
  uint64_t conflicts(unsigned stride, unsigned bytes) {
    uint32_t put = program.sites.empty() ? site("store") : 0;
    RunReport report = run([&](Thread &thread) {
      uint64_t address =
          reinterpret_cast<uint64_t>(shared(thread, thread.lane * stride));
      lathe_sim_access(put, address, bytes, bytes, unsigned(AccessKind::Write));
    });
    EXPECT_EQ(report.accesses.size(), 1u);
    EXPECT_EQ(report.accesses[0].requests, 1u);
    return report.accesses[0].conflicts;
  }
  alignas(32) uint32_t words[4096] = {};
};

TEST_F(MachineStatisticsTest, BanksServeOneWordEach) {
  EXPECT_EQ(conflicts(1, 4), 0u);
  EXPECT_EQ(conflicts(2, 4), 1u);
  EXPECT_EQ(conflicts(32, 4), 31u);
  EXPECT_EQ(conflicts(33, 4), 0u);
  EXPECT_EQ(conflicts(2, 8), 0u);
  EXPECT_EQ(conflicts(4, 16), 0u);
  // Each quarter of the warp finds all of its lanes in four banks.
  EXPECT_EQ(conflicts(32, 16), 4u * 7);
}

TEST_F(MachineStatisticsTest, EqualWordsAreReadOnce) {
  options.checkOrder = false;
  EXPECT_EQ(conflicts(0, 4), 0u);
  EXPECT_EQ(conflicts(0, 16), 0u);
}

TEST_F(MachineStatisticsTest, WavesAreServedInHalves) {
  program.isAmd = true;
  program.warpSize = 64;
  shape(1, 64);
  EXPECT_EQ(conflicts(1, 4), 0u);
  EXPECT_EQ(conflicts(2, 4), 2u);
}

TEST_F(MachineStatisticsTest, LanesThatEndedMakeRequestsSmaller) {
  uint32_t get = site("load");
  RunReport report = run([&](Thread &thread) {
    if (thread.lane >= 8)
      thread.exit();
    for (unsigned i = 0; i < 5; ++i)
      load<uint32_t>(get, &words[thread.lane]);
  });
  ASSERT_EQ(report.accesses.size(), 1u);
  EXPECT_EQ(report.accesses[0].requests, 5u);
  EXPECT_EQ(report.accesses[0].sectors, 5u);
}

TEST_F(MachineStatisticsTest, HandlersCountToo) {
  uint32_t get = site("ldmatrix");
  RunReport report = run([&](Thread &thread) {
    thread.machine->access(thread, program.sites[get],
                           reinterpret_cast<uint64_t>(&words[thread.lane * 8]),
                           16, 16, AccessKind::Read);
  });
  ASSERT_EQ(report.accesses.size(), 1u);
  EXPECT_EQ(report.accesses[0].requests, 1u);
  EXPECT_EQ(report.accesses[0].sectors, 32u);
  EXPECT_EQ(report.accesses[0].ideal, 16u);
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os);
  EXPECT_THAT(text, HasSubstr("global            1           32           16"));
}

TEST_F(MachineStatisticsTest, CountsSectorsAndBankConflicts) {
  uint32_t put = site("store"), get = site("load"), flag = site("strided");
  uint32_t wide = site("load v4");
  RunReport report = run([&](Thread &thread) {
    load<uint32_t>(get, &words[thread.index]);
    load<uint32_t>(flag, &words[thread.index * 32]);
    store(put, shared(thread, thread.index * 2), 1u);
    uint64_t address = reinterpret_cast<uint64_t>(shared(thread, 1024));
    lathe_sim_access(wide, address + thread.index * 16, 16, 16,
                     unsigned(AccessKind::Write));
    for (unsigned i = 0; i < 1000; ++i)
      load<uint32_t>(get, &words[thread.index + 32 * (i % 8)]);
  });
  ASSERT_EQ(report.accesses.size(), 4u);
  const AccessStatistic &store = report.accesses[0], &load = report.accesses[1],
                        &strided = report.accesses[2];
  EXPECT_EQ(store.conflicts, 1u);
  EXPECT_EQ(store.requests, 1u);
  EXPECT_EQ(load.requests, 1001u);
  EXPECT_EQ(load.sectors, 4004u);
  EXPECT_EQ(load.ideal, load.sectors);
  EXPECT_EQ(strided.sectors, 32u);
  EXPECT_EQ(strided.ideal, 4u);
  EXPECT_EQ(report.accesses[3].conflicts, 0u);
  EXPECT_EQ(report.accesses[3].requests, 1u);
}

} // namespace
