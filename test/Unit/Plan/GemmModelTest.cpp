//===- GemmModelTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/GemmModel.h"
#include "Fixture.h"

#include <cmath>

using namespace lathe;
using namespace lathe::test;

namespace {

class GemmModel : public ::testing::Test {
protected:
  GemmModel() : hw(hopper()) {
    hw.peakFlops["f8E4M3FN"] = 1979e12;
    hw.launchFloorUs = 3.2;
    hw.features = {"tma", "wgmma"};
  }

  /// Three warpgroups, of which two multiply, as in the timings below.
  GemmQuestion ask(int64_t size, int64_t tileM = 128, int64_t tileN = 256,
                   int64_t stages = 4) {
    GemmQuestion q;
    q.hardware = &hw;
    q.m = q.n = q.k = size;
    q.tileM = tileM;
    q.tileN = tileN;
    q.tileK = 64;
    q.warps = 8;
    q.producers = 4;
    q.stages = stages;
    q.raster = 16;
    q.persistent = q.warpgroups = q.storesByTma = true;
    q.copies = OperandCopies::Tma;
    return q;
  }

  double teraflops(const GemmQuestion &q) {
    return 2 * double(q.m) * q.n * q.k / predict(q).timeUs * 1e-6;
  }

  Hardware hw;
};

} // namespace

// TFLOP/s of a prototype on an H200, bf16 and fp8 e4m3, with warm L2.
TEST_F(GemmModel, AgreesWithTimings) {
  struct {
    int64_t size, tileM, tileN, stages;
    bool persistent, tmaStore, fp8;
    double measured;
  } rows[] = {{8192, 128, 256, 3, true, true, false, 820.3},
              {4096, 128, 256, 3, true, true, false, 799.9},
              {8192, 128, 256, 4, true, true, false, 813.4},
              {4096, 128, 256, 4, true, true, false, 800.8},
              {8192, 128, 256, 4, false, true, false, 804.8},
              {4096, 128, 256, 4, false, true, false, 781.9},
              {8192, 128, 256, 4, true, false, false, 767.1},
              {4096, 128, 256, 4, true, false, false, 724.9},
              {4096, 128, 256, 4, false, false, false, 711.4},
              {8192, 128, 128, 4, true, true, false, 745.7},
              {4096, 128, 128, 4, true, true, false, 745.7},
              {8192, 256, 128, 4, true, true, false, 785.7},
              {4096, 256, 128, 4, true, true, false, 772.9},
              {8192, 128, 256, 3, true, true, true, 1570.7},
              {4096, 128, 256, 3, true, true, true, 1504}};
  for (const auto &row : rows) {
    GemmQuestion q = ask(row.size, row.tileM, row.tileN, row.stages);
    q.persistent = row.persistent;
    q.storesByTma = row.tmaStore;
    if (row.fp8) {
      q.dtype = "f8E4M3FN";
      q.tileK = 128;
    }
    EXPECT_NEAR(teraflops(q) / row.measured, 1, 0.035)
        << row.size << " " << row.tileM << "x" << row.tileN << " " << row.stages
        << " stages" << (row.persistent ? " persistent" : "")
        << (row.tmaStore ? " tma" : "") << (row.fp8 ? " fp8" : "");
  }
}

TEST_F(GemmModel, EmptyProductsAreALaunch) {
  GemmQuestion q = ask(0);
  EXPECT_DOUBLE_EQ(predict(q).timeUs, hw.launchFloorUs);
  EXPECT_EQ(predict(q).regime, "launch");
  q = ask(4096);
  q.k = 0;
  EXPECT_GT(predict(q).timeUs, hw.launchFloorUs);
  EXPECT_LT(predict(q).timeUs, predict(ask(4096)).timeUs);
}

TEST_F(GemmModel, PartialWavesAndTilesCost) {
  GemmQuestion q = ask(4096);
  q.m = 128 * 33; // 33 x 16 tiles: four rounds of 132
  GemmAnswer whole = predict(q);
  EXPECT_DOUBLE_EQ(whole.waves, 4);
  EXPECT_DOUBLE_EQ(whole.tail, 1);
  EXPECT_DOUBLE_EQ(whole.useful, 1);
  q.m += 1;
  GemmAnswer more = predict(q);
  EXPECT_NEAR(more.tail, 16 / 132.0, 1e-9);
  EXPECT_GT(more.timeUs, whole.timeUs * 1.15);
  q.m = 128 * 34;
  EXPECT_NEAR(predict(q).timeUs, more.timeUs, more.timeUs * 0.02);
}

TEST_F(GemmModel, FewRowsPreferSmallTiles) {
  GemmQuestion small = ask(4096, 64, 64, 6), large = ask(4096);
  small.warps = 4;
  small.m = large.m = 16;
  EXPECT_LT(predict(small).timeUs, predict(large).timeUs);
  small.m = large.m = 4096;
  EXPECT_GT(predict(small).timeUs, predict(large).timeUs);
}

// m64n32k16 reads 64 + 32 rows of 32 bytes in the time of 16 clocks.
TEST_F(GemmModel, NarrowInstructionsStarve) {
  GemmQuestion q = ask(8192, 128, 32);
  GemmAnswer a = predict(q);
  EXPECT_GT(a.sharedUs, a.matrixUs);
  EXPECT_NE(a.regime, "tensor");
  EXPECT_EQ(predict(ask(8192)).regime, "tensor");
  EXPECT_LT(teraflops(q), teraflops(ask(8192)) / 2);
}

TEST_F(GemmModel, WeightsOfFewRowsAreBoundByMemory) {
  GemmQuestion q = ask(8192, 64, 128, 6);
  q.warps = 4;
  q.m = 16;
  GemmAnswer a = predict(q);
  EXPECT_EQ(a.regime, "memory");
  EXPECT_GT(a.timeUs, 8192.0 * 8192 * 2 / hw.achievedBandwidth * 1e6);
  EXPECT_LT(a.peakShare, 0.1);
}

TEST_F(GemmModel, OperandsBeyondTheCacheAreReadAgain) {
  GemmQuestion q = ask(16384);
  double grouped = predict(q).memoryBytes;
  q.raster = 1;
  EXPECT_GT(predict(q).memoryBytes, grouped);
  // All of both operands fits.
  EXPECT_DOUBLE_EQ(predict(ask(2048)).memoryBytes, 3 * 2048.0 * 2048 * 2);
}

TEST_F(GemmModel, SplittingHelpsFewTilesOfALongSum) {
  GemmQuestion q = ask(256, 64, 128);
  q.warps = 4;
  q.k = 16384;
  double whole = predict(q).timeUs;
  q.split = 8;
  EXPECT_LT(predict(q).timeUs, whole / 2);
  q = ask(8192);
  whole = predict(q).timeUs;
  q.split = 8;
  EXPECT_GT(predict(q).timeUs, whole);
}

TEST_F(GemmModel, DeeperRingsHideLatency) {
  auto time = [&](int64_t stages) {
    GemmQuestion q = ask(1024, 64, 64, stages);
    q.warps = 4;
    return predict(q).timeUs;
  };
  EXPECT_GT(time(1), time(2));
  EXPECT_GT(time(2), time(4));
}

TEST_F(GemmModel, CopiesThroughRegistersAreSlower) {
  GemmQuestion q = ask(4096, 128, 128);
  double byTma = predict(q).timeUs;
  q.copies = OperandCopies::Registers;
  q.warpgroups = q.storesByTma = q.persistent = false;
  q.producers = 0;
  q.stages = 2;
  q.vectorElements = 8;
  double wide = predict(q).timeUs;
  EXPECT_GT(wide, byTma * 1.3);
  q.vectorElements = 1;
  EXPECT_GT(predict(q).timeUs, wide);
}

// Eight warps that share K, and a block for 16 x 64 of few rows of output.
TEST_F(GemmModel, SumsOfPartsComeTogether) {
  GemmQuestion q = ask(4096, 16, 64, 1);
  q.m = 16;
  q.tileK = 512;
  q.producers = 0;
  q.persistent = q.warpgroups = q.storesByTma = false;
  q.copies = OperandCopies::None;
  q.parts = 8;
  GemmAnswer a = predict(q);
  EXPECT_TRUE(a.fits);
  EXPECT_EQ(a.sharedBytes, 8 * 16 * 64 * 4);
  EXPECT_EQ(a.sharedUs, 0);
  double few = a.timeUs;
  int64_t registers = a.registers;
  q.parts = 32;
  EXPECT_GT(predict(q).timeUs, few);
  EXPECT_GT(predict(q).registers, registers);
  q.parts = 8;
  // The same tiles, of weights twice as large.
  q.k *= 2;
  EXPECT_GT(predict(q).timeUs, few * 1.3);
  q.k /= 2;
  // A turn ahead hides latency, and takes registers.
  q.stages = 2;
  EXPECT_LT(predict(q).latencyUs, a.latencyUs);
  EXPECT_GT(predict(q).registers, registers);
  std::string text;
  llvm::raw_string_ostream os(text);
  q.print(os);
  EXPECT_NE(text.find("stages=2 copies=none"), std::string::npos) << text;
  EXPECT_NE(text.find(" parts=8 "), std::string::npos) << text;
}

// What is stored lies where the ring was, unless the producer is ahead.
TEST_F(GemmModel, OneTileLeavesTheRingToTheStore) {
  GemmQuestion q = ask(4096, 128, 128, 4);
  q.persistent = false;
  EXPECT_EQ(predict(q).sharedBytes, 4 * 256 * 64 * 2);
  q.tileK = 16;
  q.stages = 1;
  EXPECT_EQ(predict(q).sharedBytes, 128 * 128 * 2);
}

// Fewer of the ring's slots are lost to a tile that leaves by parts.
TEST_F(GemmModel, StagingByPartsTakesLessMemory) {
  GemmQuestion q = ask(4096, 128, 256, 3);
  int64_t ring = 3 * (128 + 256) * 64 * 2;
  EXPECT_EQ(predict(q).sharedBytes, ring + 128 * 256 * 2);
  q.staging = 1;
  EXPECT_EQ(predict(q).sharedBytes, ring + 128 * 64 * 2);
  q.staging = 2;
  EXPECT_EQ(predict(q).sharedBytes, ring + 2 * 128 * 64 * 2);
  q.tileN = 176;
  q.stages = 2;
  EXPECT_EQ(predict(q).sharedBytes, 2 * (128 + 176) * 128 + 128 * 176 * 2);
  q.pingpong = true;
  EXPECT_EQ(predict(q).sharedBytes, 2 * (128 + 176) * 128 + 2 * 128 * 176 * 2);
}

// Groups that take turns hide what a tile costs beside its products, which
// matters where those are short; each holds a whole tile's sums.
TEST_F(GemmModel, PingpongHidesTheEpilogue) {
  GemmQuestion q = ask(8192, 128, 128, 4);
  q.k = 512;
  q.epilogueBytes = 2;
  double together = predict(q).timeUs;
  int64_t registers = predict(q).registers;
  q.pingpong = true;
  EXPECT_LT(predict(q).timeUs, together);
  EXPECT_GT(predict(q).registers, registers);
  std::string text;
  llvm::raw_string_ostream os(text);
  q.print(os);
  EXPECT_NE(text.find(" persistent pingpong "), std::string::npos) << text;
}

// Tiles come in whole clusters, and those start later.
TEST_F(GemmModel, ClustersPadAndStartLate) {
  GemmQuestion q = ask(128 * 5, 128, 256, 4);
  double tiles = predict(q).tiles, alone = predict(q).timeUs;
  q.clusterM = 2;
  EXPECT_EQ(predict(q).tiles, tiles / 5 * 6);
  EXPECT_GT(predict(q).timeUs, alone);
  q.clusterM = 1;
  q.clusterN = 4;
  EXPECT_EQ(predict(q).tiles, tiles / 3 * 4);
}

TEST_F(GemmModel, EpilogueAndLaneWorkCost) {
  GemmQuestion q = ask(4096);
  double plain = predict(q).timeUs;
  q.epilogueBytes = 2;
  EXPECT_GT(predict(q).timeUs, plain + 4 * 1.5);
  q = ask(4096);
  q.laneOps = 128 * 256;
  EXPECT_GT(predict(q).timeUs, plain);
  q = ask(4096);
  q.mmaCost = 2;
  EXPECT_GT(predict(q).timeUs, plain * 1.5);
}

TEST_F(GemmModel, ResourcesLimitBlocks) {
  GemmQuestion q = ask(4096, 128, 128, 4);
  EXPECT_EQ(predict(q).sharedBytes, 4 * 256 * 64 * 2 + 128 * 128 * 2);
  EXPECT_EQ(predict(q).blocksPerSm, 1);
  EXPECT_EQ(predict(q).limiter, "registers");
  q.stages = 8;
  EXPECT_FALSE(predict(q).fits);
  EXPECT_EQ(predict(q).limiter, "shared memory");
  q.compiled = CompiledFigures{64, 0, 100 << 10};
  EXPECT_EQ(predict(q).blocksPerSm, 2);
  double clean = predict(q).timeUs;
  q.compiled->spillBytes = 256;
  EXPECT_GT(predict(q).timeUs, clean);
  q.compiled->registers = 176;
  EXPECT_FALSE(predict(q).fits);
}

// An H200 took 80 us for 16 rows of 8192 x 8192 by tiles of 136 rows, and 47 us
// for 129: what lies outside is made up more slowly than copied.
TEST_F(GemmModel, RowsOutsideTakeLonger) {
  GemmQuestion q = ask(8192, 64, 136, 8);
  q.warps = 4;
  q.persistent = false;
  q.n = 129;
  double full = predict(q).timeUs;
  q.n = 16;
  EXPECT_GT(predict(q).timeUs, full * 1.2);
}

TEST_F(GemmModel, TimeGrowsWithRows) {
  double last = 0;
  for (int64_t m = 128; m <= 1 << 20; m *= 2) {
    GemmQuestion q = ask(2048);
    q.m = m;
    double time = predict(q).timeUs;
    EXPECT_GE(time, last) << m;
    EXPECT_TRUE(std::isfinite(time)) << m;
    last = time;
  }
}

TEST_F(GemmModel, AnswersWhateverIsAsked) {
  GemmQuestion q = ask(1);
  q.m = q.n = q.k = q.tileM = q.tileN = q.tileK = INT64_MAX;
  q.stages = q.split = q.vectorElements = q.raster = INT64_MAX;
  EXPECT_FALSE(predict(q).fits);
  q.copies = OperandCopies::None;
  q.parts = INT64_MAX;
  EXPECT_FALSE(predict(q).fits);
  q = ask(INT64_MAX, 1, 1, 1);
  q.copies = OperandCopies::Registers;
  q.stages = -5;
  q.compiled = CompiledFigures{INT64_MAX, INT64_MAX, 0};
  EXPECT_FALSE(predict(q).fits);
  q.compiled = CompiledFigures{32, 0, 0};
  EXPECT_GT(predict(q).timeUs, 1e20);
}

TEST_F(GemmModel, PrintsQuestionAndAnswer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ask(4096).print(os);
  os << " -> ";
  predict(ask(4096)).print(os);
  EXPECT_NE(text.find("product on h200: 4096x4096x4096 bf16 "
                      "tiles=128x256x64 split=1 warps=8+4 stages=4 copies=tma"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("blocks/sm=1 by registers registers=168"),
            std::string::npos)
      << text;
}
