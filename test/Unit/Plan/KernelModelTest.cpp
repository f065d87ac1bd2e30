//===- KernelModelTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/KernelModel.h"
#include "Fixture.h"

using namespace lathe;
using namespace lathe::test;

namespace {

class KernelModel : public ::testing::Test {
protected:
  Hardware hw = hopper();

  /// `rows` rows of 4096 bf16, one block of 256 threads each.
  KernelQuestion ask(int64_t rows) {
    KernelQuestion q;
    q.hardware = &hw;
    q.bytesRead = q.bytesWritten = rows * 4096.0 * 2;
    q.workItems = rows;
    q.threads = 256;
    q.liveElements = 16;
    q.vectorElements = 8;
    q.elementBytes = 2;
    q.usefulElements = rows * 4096.0;
    return q;
  }
};

} // namespace

TEST_F(KernelModel, NoWorkIsALaunch) {
  EXPECT_DOUBLE_EQ(predict(ask(0)).timeUs, hw.launchFloorUs);
}

TEST_F(KernelModel, LargeGridsApproachTheBandwidth) {
  KernelQuestion q = ask(65536);
  double ideal = (q.bytesRead + q.bytesWritten) / hw.achievedBandwidth * 1e6;
  KernelAnswer a = predict(q);
  EXPECT_EQ(a.regime, "memory");
  EXPECT_GT(a.timeUs, ideal);
  EXPECT_LT(a.timeUs, ideal * 1.3);
  EXPECT_EQ(a.blocksPerSm, 6);
  EXPECT_EQ(a.limiter, "registers");
  EXPECT_DOUBLE_EQ(a.laneUse, 1);
}

TEST_F(KernelModel, SmallGridsDoNotDrawTheFullBandwidth) {
  EXPECT_LT(predict(ask(8)).bandwidthFraction, 0.1);
  EXPECT_GT(predict(ask(65536)).bandwidthFraction, 0.7);
  EXPECT_LT(predict(ask(1)).timeUs, 2 * hw.launchFloorUs);
}

TEST_F(KernelModel, TimeGrowsWithWork) {
  double last = 0;
  for (int64_t rows = 1; rows < 1 << 20; rows *= 2) {
    double time = predict(ask(rows)).timeUs;
    EXPECT_GE(time, last) << rows;
    last = time;
  }
}

TEST_F(KernelModel, NarrowAccessIsSlower) {
  KernelQuestion narrow = ask(65536);
  narrow.vectorElements = 1;
  EXPECT_GT(predict(narrow).timeUs, predict(ask(65536)).timeUs);
}

TEST_F(KernelModel, SecondReadsCost) {
  KernelQuestion twice = ask(65536);
  twice.passes = 2;
  EXPECT_GT(predict(twice).timeUs, predict(ask(65536)).timeUs * 1.05);
}

TEST_F(KernelModel, TestsOfPartialBlocksCost) {
  KernelQuestion q = ask(64);
  double whole = predict(q).timeUs;
  q.partialBlocks = true;
  EXPECT_GT(predict(q).timeUs, whole);
}

TEST_F(KernelModel, IdleLanesCost) {
  KernelQuestion idle = ask(4096);
  idle.threads = 1024;
  KernelAnswer a = predict(idle);
  EXPECT_DOUBLE_EQ(a.laneUse, 0.25);
  EXPECT_GT(a.timeUs, predict(ask(4096)).timeUs);
}

TEST_F(KernelModel, RegistersLimitOccupancy) {
  KernelQuestion q = ask(65536);
  q.compiled = CompiledFigures{128, 0, 0};
  KernelAnswer a = predict(q);
  EXPECT_EQ(a.limiter, "registers");
  EXPECT_EQ(a.blocksPerSm, 2);
  q.compiled->registers = 256;
  EXPECT_FALSE(predict(q).fits);
}

TEST_F(KernelModel, SharedMemoryLimitsOccupancy) {
  KernelQuestion q = ask(65536);
  q.compiled = CompiledFigures{32, 0, 100 << 10};
  EXPECT_EQ(predict(q).blocksPerSm, 2);
  EXPECT_EQ(predict(q).limiter, "shared memory");
  q.compiled->sharedBytes = 300 << 10;
  EXPECT_FALSE(predict(q).fits);
}

TEST_F(KernelModel, SpillsCost) {
  KernelQuestion q = ask(65536);
  q.compiled = CompiledFigures{32, 0, 0};
  double clean = predict(q).timeUs;
  q.compiled->spillBytes = 64;
  EXPECT_GT(predict(q).timeUs, clean);
}

TEST_F(KernelModel, TheLastWaveIsPartial) {
  KernelQuestion q = ask(132 * 6 + 1);
  KernelAnswer a = predict(q);
  EXPECT_NEAR(a.waves, 1.0013, 1e-3);
  EXPECT_LT(a.tail, 0.01);
  EXPECT_GT(a.timeUs, predict(ask(132 * 6)).timeUs);
}

TEST_F(KernelModel, TooManyThreadsDoNotFit) {
  KernelQuestion q = ask(8);
  q.threads = 2048;
  KernelAnswer a = predict(q);
  EXPECT_FALSE(a.fits);
  EXPECT_EQ(a.limiter, "threads");
}

TEST_F(KernelModel, PrintsQuestionAndAnswer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ask(64).print(os);
  os << " -> ";
  predict(ask(64)).print(os);
  EXPECT_NE(text.find("work=64 threads=256 live=16 vec=8x2B"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("blocks/sm=6 by registers"), std::string::npos) << text;
}
