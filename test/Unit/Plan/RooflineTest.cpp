//===- RooflineTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/Roofline.h"
#include "Fixture.h"

using namespace lathe;
using namespace lathe::test;

static CostValue cost(int64_t flops, int64_t bytes) {
  CostValue value;
  value.flops = {{"bf16", flops}};
  value.readBytes = bytes;
  return value;
}

TEST(Roofline, NamesTheRegime) {
  Hardware hw = hopper();
  RooflineAnswer memory = rooflineOf(hw, cost(0, 48'000'000));
  EXPECT_DOUBLE_EQ(memory.timeUs, 10);
  EXPECT_EQ(memory.regime, Regime::Memory);
  EXPECT_NEAR(memory.attainableUs, 48e6 / 4.28e12 * 1e6, 1e-9);
  RooflineAnswer compute = rooflineOf(hw, cost(9'890'000'000, 4'800'000));
  EXPECT_DOUBLE_EQ(compute.timeUs, 10);
  EXPECT_EQ(compute.regime, Regime::Compute);
  RooflineAnswer launch = rooflineOf(hw, cost(1, 4800));
  EXPECT_EQ(launch.regime, Regime::Launch);
  EXPECT_DOUBLE_EQ(launch.attainableUs, hw.launchFloorUs);
}

TEST(Roofline, AddsTheTimesOfDTypes) {
  CostValue value = cost(9'890'000'000, 0);
  value.flops.emplace_back("f32", 670'000'000);
  EXPECT_DOUBLE_EQ(rooflineOf(hopper(), value).timeUs, 20);
}

TEST(Roofline, FallsBackToTheNextWiderType) {
  Hardware hw = hopper();
  EXPECT_DOUBLE_EQ(peakFor(hw, "f8E4M3FN"), 989e12);
  EXPECT_DOUBLE_EQ(peakFor(hw, "f16"), 989e12);
  EXPECT_DOUBLE_EQ(peakFor(hw, "i32"), 0);
  hw.peakFlops["f8E4M3FN"] = 1979e12;
  EXPECT_DOUBLE_EQ(peakFor(hw, "f8E4M3FNUZ"), 1979e12);
}

TEST(Roofline, PrintsItself) {
  std::string text;
  llvm::raw_string_ostream os(text);
  rooflineOf(hopper(), cost(0, 48'000'000)).print(os);
  EXPECT_EQ(text, "T=10us attainable=11.21us memory");
}
