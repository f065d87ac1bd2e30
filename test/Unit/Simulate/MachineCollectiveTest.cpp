//===- MachineCollectiveTest.cpp - Lanes, warps and warpgroups meet -------===//
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

class MachineCollectiveTest : public MachineTest {
protected:
  /// Sum of each lane's own value over the lanes of `mask`.
  uint32_t sum(Thread &thread, uint32_t id, uint64_t mask, uint32_t value) {
    uint32_t result = 0;
    Call call = callOf(thread, id, &result, &value);
    meetLanes(call, mask, addAll);
    return result;
  }
  static void addAll(LaneCalls &calls) {
    uint32_t total = 0;
    for (Call *call : calls.lane)
      if (call)
        total += *reinterpret_cast<const uint32_t *>(call->in);
    for (Call *call : calls.lane)
      if (call)
        *reinterpret_cast<uint32_t *>(call->out) = total;
  }
};

TEST_F(MachineCollectiveTest, MeetsEachWarpOnItsOwn) {
  shape(2, 96);
  uint32_t add = site("sum");
  RunReport report = run([&](Thread &thread) {
    for (unsigned round = 0; round < 3; ++round) {
      uint32_t first = thread.warp->index * 32;
      EXPECT_EQ(sum(thread, add, 0xFFFFFFFF, thread.index),
                32 * first + 31 * 16);
    }
  });
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.collectives, 2u * 3 * 3);
}

TEST_F(MachineCollectiveTest, MasksMeetSeparately) {
  shape(1, 32);
  uint32_t a = site("sum"), b = site("sum");
  // Two sites with one name are one collective; each half has its own mask.
  RunReport report = run([&](Thread &thread) {
    bool low = thread.lane < 16;
    uint32_t got =
        sum(thread, thread.lane % 2 ? a : b, low ? 0xFFFF : 0xFFFF0000, 1);
    EXPECT_EQ(got, 16u);
    EXPECT_EQ(sum(thread, a, 0xFFFFFFFF, 1), 32u);
  });
  EXPECT_TRUE(report.ok());
}

TEST_F(MachineCollectiveTest, DoesNotWaitForLanesThatEnded) {
  shape(1, 48);
  uint32_t add = site("sum");
  RunReport report = run([&](Thread &thread) {
    if (thread.index == 31 || thread.index == 2)
      return;
    EXPECT_EQ(sum(thread, add, 0xFFFFFFFF, 1), thread.index < 32 ? 30u : 16u);
  });
  EXPECT_TRUE(report.ok());
}

TEST_F(MachineCollectiveTest, NamesLanesAtDifferentInstructions) {
  shape(1, 32);
  uint32_t add = site("sum"), vote = site("vote");
  RunReport report = run([&](Thread &thread) {
    sum(thread, thread.lane == 9 ? vote : add, 0xFFFFFFFF, 1);
  });
  EXPECT_TRUE(report.aborted);
  EXPECT_THAT(faultsOf(report),
              ElementsAre("divergence: lane 9 of warp 0 at 'vote' for mask "
                          "0xffffffff and lanes 0x1ff at 'sum' for mask "
                          "0xffffffff wait for each other"));
}

TEST_F(MachineCollectiveTest, NamesAMaskWithoutTheCaller) {
  shape(1, 32);
  uint32_t add = site("sum");
  RunReport report = run([&](Thread &thread) { sum(thread, add, 0xFFFE, 1); });
  EXPECT_THAT(faultsOf(report),
              ElementsAre(HasSubstr("invalid-operand: lane 0 executes the "
                                    "instruction but its mask is 0xfffe")));
}

TEST_F(MachineCollectiveTest, AlignedOnesAreOneSite) {
  shape(1, 32);
  uint32_t a = site("mma"), b = site("mma");
  RunReport clean = run([&](Thread &thread) {
    Call call = callOf(thread, a);
    meetWarp(call, [](LaneCalls &) {});
  });
  EXPECT_TRUE(clean.ok());
  RunReport report = run([&](Thread &thread) {
    Call call = callOf(thread, thread.lane < 16 ? a : b);
    meetWarp(call, [](LaneCalls &) {});
  });
  EXPECT_THAT(faultsOf(report), ElementsAre(HasSubstr("divergence: lane 16")));
}

TEST_F(MachineCollectiveTest, AlignedOnesNeedEveryLane) {
  shape(1, 32);
  uint32_t mma = site("mma");
  for (unsigned leaver : {0u, 31u}) {
    RunReport report = run([&](Thread &thread) {
      if (thread.lane == leaver)
        return;
      Call call = callOf(thread, mma);
      meetWarp(call, [](LaneCalls &) {});
    });
    EXPECT_THAT(faultsOf(report), ElementsAre(HasSubstr("divergence: lane")));
  }
}

TEST_F(MachineCollectiveTest, WarpgroupsMeetAtOneSite) {
  shape(1, 256);
  uint32_t a = site("wgmma"), b = site("wgmma other");
  std::vector<size_t> sizes;
  RunReport clean = run([&](Thread &thread) {
    Call call = callOf(thread, thread.index < 128 ? a : b);
    meetWarpgroup(call, [&](llvm::ArrayRef<Call *> calls) {
      sizes.push_back(calls.size());
      for (unsigned i = 0; i < 128; ++i)
        EXPECT_EQ(calls[i]->thread.index % 128, i);
    });
  });
  EXPECT_TRUE(clean.ok());
  EXPECT_THAT(sizes, ElementsAre(128, 128));
  RunReport report = run([&](Thread &thread) {
    Call call = callOf(thread, thread.index < 96 ? a : b);
    meetWarpgroup(call, [](llvm::ArrayRef<Call *>) {});
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre("divergence: warp 3 is at 'wgmma other' while others "
                          "of its warpgroup wait at 'wgmma'"));
}

TEST_F(MachineCollectiveTest, HalfAWarpgroupIsNone) {
  shape(1, 192);
  uint32_t mma = site("wgmma");
  RunReport report = run([&](Thread &thread) {
    if (thread.index < 128)
      return;
    Call call = callOf(thread, mma);
    meetWarpgroup(call, [](llvm::ArrayRef<Call *>) {});
  });
  EXPECT_THAT(faultsOf(report),
              ElementsAre("divergence: warpgroup 1 has 64 threads, expected "
                          "128"));
}

TEST_F(MachineCollectiveTest, WavesMeetWithWhoIsThere) {
  program.isAmd = true;
  program.warpSize = 64;
  shape(1, 128);
  uint32_t branch = site("in branch"), after = site("after");
  std::vector<std::pair<uint32_t, uint64_t>> met;
  RunReport report = run([&](Thread &thread) {
    auto meetAt = [&](uint32_t id) {
      Call call = callOf(thread, id);
      meetActive(call, [&, id](LaneCalls &calls) {
        if (thread.warp->index == 0)
          met.push_back({id, calls.mask});
      });
    };
    if (thread.lane == 63)
      return;
    for (unsigned i = thread.lane; i < 62; i += 61)
      meetAt(branch);
    meetAt(after);
  });
  EXPECT_TRUE(report.ok());
  EXPECT_THAT(met, ElementsAre(std::pair(branch, ~uint64_t(0) >> 2),
                               std::pair(branch, uint64_t(1)),
                               std::pair(after, ~uint64_t(0) >> 1)));
}

} // namespace
