//===- NvidiaArithmeticTest.cpp - Rounding, conversions, bits -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulate/Nvidia/Arithmetic.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace lathe;
using namespace lathe::sim;
using llvm::APFloat;
using llvm::bit_cast;

namespace {

llvm::RoundingMode modeOf(Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return llvm::RoundingMode::NearestTiesToEven;
  case Rounding::TowardZero:
    return llvm::RoundingMode::TowardZero;
  case Rounding::Down:
    return llvm::RoundingMode::TowardNegative;
  case Rounding::Up:
    return llvm::RoundingMode::TowardPositive;
  }
  return llvm::RoundingMode::NearestTiesToEven;
}

const Rounding allRoundings[] = {Rounding::NearestEven, Rounding::TowardZero,
                                 Rounding::Down, Rounding::Up};

/// Any bits, and values close to each other.
float anyFloat(std::mt19937 &random) {
  uint32_t bits = random();
  if (random() % 2)
    bits = (bits & 0x807fffff) | (120 + bits % 16) << 23;
  return bit_cast<float>(bits);
}

void expectSame(float found, const APFloat &expected) {
  if (expected.isNaN()) {
    EXPECT_EQ(bit_cast<uint32_t>(found), 0x7fffffffu);
    return;
  }
  EXPECT_EQ(bit_cast<uint32_t>(found),
            uint32_t(expected.bitcastToAPInt().getZExtValue()));
}

TEST(NvidiaArithmetic, RoundsOnceInEachDirection) {
  std::mt19937 random(7);
  for (unsigned i = 0; i < 20000; ++i) {
    float a = anyFloat(random), b = anyFloat(random), c = anyFloat(random);
    Rounding rounding = allRoundings[i % 4];
    APFloat sum(a), product(a), quotient(a), fused(a);
    sum.add(APFloat(b), modeOf(rounding));
    product.multiply(APFloat(b), modeOf(rounding));
    quotient.divide(APFloat(b), modeOf(rounding));
    fused.fusedMultiplyAdd(APFloat(b), APFloat(c), modeOf(rounding));
    expectSame(addRounded(a, b, rounding), sum);
    expectSame(mulRounded(a, b, rounding), product);
    expectSame(divRounded(a, b, rounding), quotient);
    expectSame(fmaRounded(a, b, c, rounding), fused);
  }
}

TEST(NvidiaArithmetic, RootsEncloseTheirSquare) {
  std::mt19937 random(8);
  for (unsigned i = 0; i < 5000; ++i) {
    float a = std::fabs(anyFloat(random));
    if (!std::isfinite(a))
      continue;
    double down = sqrtRounded(a, Rounding::Down);
    double up = sqrtRounded(a, Rounding::Up);
    EXPECT_LE(down * down, a);
    EXPECT_GE(up * up, a);
    EXPECT_LE(up, std::nextafter(float(down), INFINITY));
    EXPECT_EQ(sqrtRounded(a, Rounding::TowardZero), float(down));
  }
}

/// Of a format: exact by APFloat, rounded once.
uint16_t fmaExactly(const llvm::fltSemantics &semantics, uint16_t a, uint16_t b,
                    uint16_t c) {
  APFloat x(semantics, llvm::APInt(16, a)), y(semantics, llvm::APInt(16, b)),
      z(semantics, llvm::APInt(16, c));
  x.fusedMultiplyAdd(y, z, llvm::RoundingMode::NearestTiesToEven);
  return x.isNaN() ? 0x7fff : uint16_t(x.bitcastToAPInt().getZExtValue());
}

TEST(NvidiaArithmetic, FusesHalvesWithOneRounding) {
  std::mt19937 random(9);
  for (unsigned i = 0; i < 100000; ++i) {
    uint16_t a = random(), b = random(), c = random();
    EXPECT_EQ(fmaSmall(FloatFormat::F16, a, b, c),
              fmaExactly(APFloat::IEEEhalf(), a, b, c))
        << a << " " << b << " " << c;
    EXPECT_EQ(fmaSmall(FloatFormat::BF16, a, b, c),
              fmaExactly(APFloat::BFloat(), a, b, c))
        << a << " " << b << " " << c;
  }
  // 1.5 * 1.359375 is a tie; 2^-100 breaks it, which a double cannot hold.
  EXPECT_EQ(fmaSmall(FloatFormat::BF16, 0x3fc0, 0x3fae, 0), 0x4002);
  EXPECT_EQ(fmaSmall(FloatFormat::BF16, 0x3fc0, 0x3fae, 0x0d80), 0x4003);
  EXPECT_EQ(fmaSmall(FloatFormat::BF16, 0x3fc0, 0x3fae, 0x8d80), 0x4002);
}

TEST(NvidiaArithmetic, OrdersZerosAndNaN) {
  float nan = NAN;
  EXPECT_TRUE(std::signbit(minMax({}, 0.0, -0.0)));
  EXPECT_FALSE(std::signbit(minMax({true}, -0.0, 0.0)));
  EXPECT_EQ(minMax({}, nan, 3), 3);
  EXPECT_EQ(minMax({true}, 3, nan), 3);
  EXPECT_TRUE(std::isnan(minMax({false, true}, nan, 3)));
  // min.xorsign.abs: the smaller magnitude with the product's sign.
  EXPECT_EQ(minMax({false, false, true}, -2, 3), -2);
  EXPECT_EQ(minMax({true, false, true}, -2, -3), 3);
}

TEST(NvidiaArithmetic, ClampsIntegers) {
  auto nearest = Rounding::NearestEven;
  EXPECT_EQ(toInteger(2.5, nearest, 32, true, false), 2u);
  EXPECT_EQ(toInteger(-2.5, Rounding::Down, 32, true, false), 0xfffffffdu);
  EXPECT_EQ(toInteger(3e9, nearest, 32, true, false), 0x7fffffffu);
  EXPECT_EQ(toInteger(-3e9, nearest, 32, true, false), 0x80000000u);
  EXPECT_EQ(toInteger(5e9, nearest, 32, false, false), 0xffffffffu);
  EXPECT_EQ(toInteger(-1, nearest, 32, false, false), 0u);
  EXPECT_EQ(toInteger(NAN, nearest, 32, true, false), 0u);
  EXPECT_EQ(toInteger(NAN, nearest, 32, true, true), 0x80000000u);
  EXPECT_EQ(toInteger(1e30, nearest, 64, true, true), 0x7fffffffffffffffu);
  EXPECT_EQ(toInteger(1e30, nearest, 64, false, true), ~uint64_t(0));
  EXPECT_EQ(integerToFloat(16777217, true, Rounding::Up), 16777218.0f);
  EXPECT_EQ(integerToFloat(16777217, true, Rounding::Down), 16777216.0f);
  EXPECT_EQ(integerToFloat(uint64_t(-1), true, nearest), -1.0f);
  EXPECT_EQ(integerToDouble(~uint64_t(0), false, Rounding::Up), 0x1p64);
}

TEST(NvidiaArithmetic, NarrowsWithReluAndSaturation) {
  Narrowing plain, relu{FloatRounding::NearestEven, true, false};
  Narrowing saturating{FloatRounding::NearestEven, false, true};
  EXPECT_EQ(narrow(FloatFormat::F16, 70000, plain), 0x7c00u);
  EXPECT_EQ(narrow(FloatFormat::F16, 70000, saturating), 0x7bffu);
  EXPECT_EQ(narrow(FloatFormat::BF16, -1, relu), 0u);
  EXPECT_EQ(narrow(FloatFormat::BF16, -0.0, relu), 0u);
  EXPECT_EQ(narrow(FloatFormat::BF16, NAN, relu), 0x7fffu);
  EXPECT_EQ(narrow(FloatFormat::F8E4M3FN, 1e9, saturating), 0x7eu);
  EXPECT_EQ(narrow(FloatFormat::F8E5M2, -1e9, saturating), 0xfbu);
  EXPECT_EQ(narrow(FloatFormat::TF32, 1.0f + 0x1p-11f,
                   {FloatRounding::NearestAway, false, false}),
            0x3f802000u);
}

using Exact = long double (*)(long double);

void expectWithin(llvm::StringRef name, float (*function)(float, bool),
                  Exact exact) {
  for (const ApproximationBound &bound : approximationBounds()) {
    if (bound.instruction != name)
      continue;
    std::mt19937 random(3);
    for (unsigned i = 0; i < 2000; ++i) {
      float x = bit_cast<float>(uint32_t(random() & 0x7fffffff));
      if (!(std::fabs(x) >= bound.low && std::fabs(x) <= bound.high) ||
          std::fabs(x) < 0x1p-126f)
        continue;
      long double expected = exact(x);
      if (std::fabs(expected) > 0x1p127L || std::fabs(expected) < 0x1p-126L)
        continue;
      long double error = std::fabs(function(x, false) - expected);
      EXPECT_LE(error, bound.relative * std::fabs(expected) + bound.absolute)
          << name.str() << " " << x;
    }
  }
}

TEST(NvidiaArithmetic, ApproximatesWithinTheStatedBounds) {
  expectWithin("ex2.approx.f32", ex2Approx,
               [](long double x) { return std::exp2(x); });
  expectWithin("lg2.approx.f32", lg2Approx,
               [](long double x) { return std::log2(x); });
  expectWithin("rcp.approx.f32", rcpApprox,
               [](long double x) { return 1 / x; });
  expectWithin("rsqrt.approx.f32", rsqrtApprox,
               [](long double x) { return 1 / std::sqrt(x); });
  expectWithin("sqrt.approx.f32", sqrtApprox,
               [](long double x) { return std::sqrt(x); });
  expectWithin("sin.approx.f32", sinApprox,
               [](long double x) { return std::sin(x); });
}

TEST(NvidiaArithmetic, ApproximatesSpecialValues) {
  EXPECT_EQ(ex2Approx(-INFINITY, true), 0.0f);
  EXPECT_EQ(ex2Approx(-127, true), 0.0f);
  EXPECT_EQ(ex2Approx(-127, false), 0x1p-127f);
  EXPECT_EQ(rcpApprox(-0.0f, true), -INFINITY);
  EXPECT_EQ(rcpApprox(0x1p-130f, true), INFINITY);
  EXPECT_EQ(rsqrtApprox(0.0f, true), INFINITY);
  EXPECT_TRUE(std::isnan(lg2Approx(-1, false)));
  EXPECT_EQ(tanhApprox(INFINITY), 1.0f);
  EXPECT_EQ(divApprox(1, 0x1p127f, false), 0.0f);
  EXPECT_EQ(divFull(0x1p100f, 0x1p127f, false), 0x1p-27f);
  EXPECT_TRUE(std::isnan(divApprox(INFINITY, 0x1p127f, false)));
}

} // namespace
