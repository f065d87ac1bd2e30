//===- DrawMathTest.cpp - Functions that libm would be asked for ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/DrawMath.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lathe;

TEST(DrawMath, LogarithmsAreExactToSomeBits) {
  for (int i = 1; i < 100000; ++i) {
    double x = i * 1e-5;
    EXPECT_NEAR(naturalLogarithm(x), std::log(x),
                std::fabs(std::log(x)) * 4e-12)
        << x;
  }
  EXPECT_EQ(naturalLogarithm(1), 0);
  EXPECT_EQ(naturalLogarithm(0.5), -0.69314718055994530942);
}

TEST(DrawMath, CosinesAreExactToSomeBits) {
  for (int i = 0; i < 100000; ++i) {
    double turns = i * 1e-5;
    long double exact = std::cos(6.283185307179586476925L * turns);
    EXPECT_NEAR(cosineOfTurns(turns), double(exact), 1.5e-11) << turns;
  }
  EXPECT_NEAR(cosineOfTurns(0), 1, 1e-11);
  EXPECT_EQ(cosineOfTurns(0.25), 0);
  EXPECT_NEAR(cosineOfTurns(0.5), -1, 1e-11);
}

TEST(DrawMath, ExponentialsAreExactToSomeBits) {
  for (int i = -60000; i < 60000; ++i) {
    double x = i * 1e-2;
    EXPECT_NEAR(exponential(x), std::exp(x), std::exp(x) * 6e-16) << x;
  }
  EXPECT_EQ(exponential(0), 1);
}

TEST(DrawMath, NormalsOfAGivenPlaceNeverChange) {
  // Seeds in records must mean the same inputs for ever.
  EXPECT_EQ(randomBits(1, 2, 3), 0x8568F7C4E53B5A35u);
  EXPECT_EQ(normalAt(1, 2, 3), 0x1.0a248ap-3);
  EXPECT_EQ(normalAt(4, 5, 6), 0x1.38beecp-1);
}
