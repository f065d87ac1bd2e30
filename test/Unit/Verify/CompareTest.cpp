//===- CompareTest.cpp - Outputs against the reference --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Compare.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lathe;

namespace {

Comparison compare(llvm::StringRef dtype, const ToleranceSpec &tolerance,
                   std::vector<double> expected, std::vector<double> found,
                   std::vector<double> magnitudes = {}) {
  ElementType type = llvm::cantFail(ElementType::parse(dtype));
  std::vector<char> a(expected.size() * type.bytes), b(a.size()), c(a.size());
  auto encode = [&](double value, char *at) {
    type.store(type.format ? encodeFloat(*type.format, value)
                           : uint64_t(int64_t(value)),
               at);
  };
  for (size_t i = 0; i < expected.size(); ++i) {
    encode(expected[i], a.data() + i * type.bytes);
    encode(found[i], b.data() + i * type.bytes);
    if (!magnitudes.empty())
      encode(magnitudes[i], c.data() + i * type.bytes);
  }
  Comparison comparison;
  compareRow(comparison, type, tolerance, {3, 0}, int64_t(expected.size()),
             a.data(), b.data(), magnitudes.empty() ? nullptr : c.data());
  return comparison;
}

ToleranceSpec tolerance(double ulp, double nearZero = 0) {
  ToleranceSpec tolerance;
  tolerance.ulp = ulp;
  tolerance.nearZero = nearZero;
  return tolerance;
}

} // namespace

TEST(Compare, CountsStepsOfTheDType) {
  // Neighbours of 1 in bf16 are 1 / 128 above and 1 / 256 below.
  Comparison one =
      compare("bf16", tolerance(1), {1, 1, 1}, {1.0078125, 0.99609375, 1});
  EXPECT_EQ(one.mismatches, 0u);
  EXPECT_EQ(one.worst.ulp, 1);
  Comparison two = compare("bf16", tolerance(1), {1, 1}, {1, 1.015625});
  EXPECT_EQ(two.mismatches, 1u);
  EXPECT_EQ(two.worst.ulp, 2);
  ASSERT_TRUE(two.first.has_value());
  EXPECT_EQ(two.first->index, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(two.first->expected, 1);
  std::string why;
  EXPECT_FALSE(two.passes(tolerance(1), why));
  EXPECT_EQ(why, "1 of 2 elements, first [3, 1]: found 1.015625, expected "
                 "1 (2 ulp)");
}

TEST(Compare, DenormalsOfF32AreExactOnlyWhereAllIs) {
  std::vector<double> expected = {0x1p-140, -0x1p-149}, found = {0x1p-130, 0};
  EXPECT_EQ(compare("f32", tolerance(1), expected, found).mismatches, 0u);
  EXPECT_EQ(compare("f32", tolerance(0), expected, found).mismatches, 2u);
  EXPECT_EQ(compare("f32", tolerance(1), {0x1p-120}, {0}).mismatches, 1u);
  EXPECT_EQ(compare("bf16", tolerance(1), {0x1p-130}, {0}).mismatches, 1u);
}

TEST(Compare, SpecialValues) {
  double nan = NAN, inf = INFINITY;
  EXPECT_EQ(
      compare("f16", tolerance(1), {nan, inf, -inf, 0}, {nan, inf, -inf, -0.0})
          .mismatches,
      0u);
  EXPECT_EQ(compare("f16", tolerance(1), {nan, 1}, {1, nan}).mismatches, 2u);
  EXPECT_EQ(compare("f16", tolerance(1), {inf}, {-inf}).mismatches, 1u);
  // The largest value and infinity are one rounding apart.
  EXPECT_EQ(compare("f16", tolerance(1), {inf}, {65504}).mismatches, 0u);
  EXPECT_EQ(compare("f16", tolerance(0), {inf}, {65504}).mismatches, 1u);
  EXPECT_EQ(compare("f16", tolerance(1, 1), {inf}, {1}).mismatches, 1u);
}

TEST(Compare, NearZeroIsRelativeToTheRow) {
  // The row's RMS is 1.
  std::vector<double> expected = {1, 1, 1, 1e-9};
  std::vector<double> found = {1, 1, 1, 1e-7};
  EXPECT_EQ(compare("f32", tolerance(1), expected, found).mismatches, 1u);
  EXPECT_EQ(compare("f32", tolerance(1, 0x1p-20), expected, found).mismatches,
            0u);
  found.back() = 1e-5;
  EXPECT_EQ(compare("f32", tolerance(1, 0x1p-20), expected, found).mismatches,
            1u);
}

TEST(Compare, NormBoundsTheWholeOutput) {
  ToleranceSpec loose = tolerance(1e6);
  Comparison comparison = compare("f32", loose, {3, 4}, {3.03, 4.04});
  EXPECT_NEAR(comparison.norm(), 0.01, 1e-6);
  std::string why;
  EXPECT_TRUE(comparison.passes(loose, why));
  loose.norm = 0.005;
  EXPECT_FALSE(comparison.passes(loose, why));
  EXPECT_NE(why.find("the error's norm is 9.99"), std::string::npos) << why;
}

TEST(Compare, DriftIsSeenInManyElementsOnly) {
  ToleranceSpec drift = tolerance(1);
  drift.drift = 0.1;
  std::string why;
  for (size_t count : {100, 5000}) {
    // A third of the elements are one step off, as by a factor of 1.002.
    std::vector<double> expected(count, 1), found(count, 1);
    for (size_t i = 0; i < count; i += 3)
      found[i] = 1.0078125;
    Comparison comparison = compare("bf16", drift, expected, found);
    EXPECT_EQ(comparison.mismatches, 0u);
    EXPECT_EQ(comparison.passes(drift, why), count < 4096);
    // One element in a thousand is no drift.
    found.assign(count, 1);
    for (size_t i = 0; i < count; i += 1000)
      found[i] = 1.0078125;
    EXPECT_TRUE(compare("bf16", drift, expected, found).passes(drift, why));
  }
}

TEST(Compare, FlipsAreCounted) {
  ToleranceSpec exact = tolerance(0);
  exact.flips = 0.01;
  std::string why;
  Comparison one = compare("f8E4M3FN", exact, {1, 2, 3, 4}, {1.125, 2, 3, 4});
  EXPECT_EQ(one.flips, 1u);
  // 0.04 are expected of four, and 0.6 more may come by chance.
  EXPECT_FALSE(one.passes(exact, why));
  EXPECT_EQ(why, "1 of 4 elements are off by a flip, at most 0 may be");
  // 19.5 of many, and 13 more.
  std::vector<double> expected(1950, 1), found = expected;
  for (unsigned count : {32, 33}) {
    std::fill(found.begin(), found.begin() + count, 1.125);
    Comparison many = compare("f8E4M3FN", exact, expected, found);
    EXPECT_EQ(many.flips, count);
    EXPECT_EQ(many.passes(exact, why), count == 32) << why;
  }
  EXPECT_EQ(why, "33 of 1950 elements are off by a flip, at most 32 may be");
  exact.flips = 0.3;
  Comparison far = compare("f8E4M3FN", exact, {1, 2}, {1.25, 2});
  EXPECT_EQ(far.mismatches, 1u);
  // Of a gate, whose logit was rounded to the next value.
  exact.flipUlp = 2;
  far = compare("f8E4M3FN", exact, {1, 2, 3, 4}, {1.25, 2, 3, 4});
  EXPECT_EQ(far.flips, 1u);
  EXPECT_TRUE(far.passes(exact, why)) << why;
  EXPECT_EQ(compare("f8E4M3FN", exact, {1, 2}, {1.375, 2}).mismatches, 1u);
}

TEST(Compare, NextToNothingMayBeNothing) {
  // All of a row is tiny, so that its RMS excuses nothing.
  ToleranceSpec spec = tolerance(1);
  EXPECT_EQ(compare("bf16", spec, {1e-9, 2e-9}, {0, 2e-9}).mismatches, 1u);
  spec.absolute = 1e-8;
  EXPECT_EQ(compare("bf16", spec, {1e-9, 2e-9}, {0, 2e-9}).mismatches, 0u);
  EXPECT_EQ(compare("bf16", spec, {3e-8, 2e-9}, {0, 2e-9}).mismatches, 1u);
}

TEST(Compare, StepsOfDenormalsAreNoNorm) {
  ToleranceSpec spec = tolerance(1);
  spec.norm = 0x1p-8;
  std::string why;
  std::vector<double> expected(100, 0x1p-132), found(100, 0x1.8p-132);
  EXPECT_FALSE(compare("bf16", spec, expected, found).passes(spec, why));
  spec.absolute = 1e-6;
  EXPECT_TRUE(compare("bf16", spec, expected, found).passes(spec, why)) << why;
  // Nor is more than that excused.
  expected.assign(100, 0x1p-10), found.assign(100, 0x1.02p-10);
  EXPECT_FALSE(compare("bf16", spec, expected, found).passes(spec, why));
}

TEST(Compare, TermsThatCancelLeaveTheirRounding) {
  ToleranceSpec spec = tolerance(1, 0x1p-12);
  spec.norm = 0x1p-12;
  spec.cancellation = 0x1p-16;
  std::string why;
  // A row of its own has nothing but itself to be near zero of.
  Comparison blind = compare("f32", spec, {1e-4}, {2e-4});
  EXPECT_EQ(blind.mismatches, 1u);
  Comparison right = compare("f32", spec, {1e-4}, {2e-4}, {10});
  EXPECT_EQ(right.mismatches, 0u);
  EXPECT_EQ(right.cancelled, 1u);
  EXPECT_TRUE(right.passes(spec, why)) << why;
  EXPECT_EQ(compare("f32", spec, {1e-4}, {2e-4}, {1}).mismatches, 1u);
  // What overflows is the largest value at least.
  EXPECT_EQ(compare("f16", spec, {1}, {1.5}, {INFINITY}).mismatches, 0u);
  EXPECT_EQ(compare("f16", spec, {1}, {2.5}, {INFINITY}).mismatches, 1u);
  EXPECT_EQ(compare("f32", spec, {1e-4}, {2e-4}, {NAN}).mismatches, 1u);
  EXPECT_EQ(compare("f32", spec, {1e-4}, {NAN}, {10}).mismatches, 1u);
  EXPECT_EQ(compare("f32", spec, {1e-4}, {INFINITY}, {10}).mismatches, 1u);
  EXPECT_EQ(compare("f32", spec, {INFINITY}, {1}, {10}).mismatches, 1u);
  // Long rows have an RMS that says how large the terms are, mostly.
  for (unsigned length : {15, 16})
    for (unsigned off : {1, 2}) {
      std::vector<double> some(length, 1e-4), others(length, 1e-4);
      std::fill_n(others.begin() + 3, off, 2e-4);
      Comparison row =
          compare("f32", spec, some, others, std::vector<double>(length, 10));
      EXPECT_EQ(row.cancelled, off);
      EXPECT_EQ(row.passes(spec, why), length == 15 || off == 1) << why;
    }
  EXPECT_EQ(why, "2 of 16 elements are no closer than terms that cancel leave "
                 "them, at most 1 may be");
  // All of a larger output is still held to its norm.
  Comparison many =
      compare("f32", spec, std::vector<double>(64, 1e-4),
              std::vector<double>(64, 1.1e-4), std::vector<double>(64, 10));
  many.rowLength = 1;
  EXPECT_EQ(many.mismatches, 0u);
  EXPECT_FALSE(many.passes(spec, why));
  EXPECT_NE(why.find("norm"), std::string::npos) << why;
}

TEST(Compare, IntegersAreExact) {
  EXPECT_EQ(compare("i32", tolerance(5, 1), {7, -1}, {7, -1}).mismatches, 0u);
  EXPECT_EQ(compare("i32", tolerance(5, 1), {7}, {8}).mismatches, 1u);
}

TEST(Compare, TheEvaluatorsRuleIsAnother) {
  // 0.01 + 0.05 * |found|: far looser, but NaN never passes.
  Comparison comparison =
      compare("f32", tolerance(1), {1, 0, NAN}, {1.05, 0.009, NAN});
  EXPECT_EQ(comparison.mismatches, 2u);
  EXPECT_EQ(comparison.beyondEvaluator, 1u);
}
