//===- KernelsCompareTest.cpp - Verdicts on the device are those of the host
//===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuffer.h"
#include "lathe/Verify/Compare.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lathe;
using namespace lathe::measure;

namespace {

/// Two outputs and what lib/Verify says of them, row by row.
struct Outputs {
  std::string dtype;
  std::vector<int64_t> shape, gaps;
  std::vector<double> expected, found, magnitudes;

  uint64_t rowLength() const { return shape.empty() ? 1 : shape.back(); }

  Comparison onHost(const ElementType &type, const ToleranceSpec &tolerance,
                    const std::vector<uint64_t> &a,
                    const std::vector<uint64_t> &b,
                    const std::vector<uint64_t> &c) const {
    Comparison comparison;
    uint64_t length = rowLength();
    std::vector<char> left(length * type.bytes), right(left.size()),
        scale(left.size());
    for (uint64_t row = 0; row < a.size() / length; ++row) {
      std::vector<int64_t> index(shape.size(), 0);
      uint64_t rest = row;
      for (size_t i = shape.size(); i-- > 1;) {
        index[i - 1] = int64_t(rest % uint64_t(shape[i - 1]));
        rest /= uint64_t(shape[i - 1]);
      }
      for (uint64_t i = 0; i < length; ++i) {
        type.store(a[row * length + i], left.data() + i * type.bytes);
        type.store(b[row * length + i], right.data() + i * type.bytes);
        if (!c.empty())
          type.store(c[row * length + i], scale.data() + i * type.bytes);
      }
      compareRow(comparison, type, tolerance, index, int64_t(length),
                 left.data(), right.data(), c.empty() ? nullptr : scale.data());
    }
    return comparison;
  }

  void expectEqual(const ToleranceSpec &tolerance) {
    DeviceUnderTest &on = DeviceUnderTest::get();
    ElementType type = llvm::cantFail(ElementType::parse(dtype));
    std::vector<uint64_t> a, b, c;
    for (size_t i = 0; i < expected.size(); ++i) {
      a.push_back(elementBits(type.plain(), expected[i]));
      b.push_back(elementBits(type.plain(), found[i]));
      if (!magnitudes.empty())
        c.push_back(elementBits(type.plain(), magnitudes[i]));
    }
    Comparison host = onHost(type, tolerance, a, b, c);
    std::string why;
    host.passes(tolerance, why);
    DeviceBuffer left(on, dtype, shape, gaps), right(on, dtype, shape, gaps),
        scale(on, dtype, shape, gaps);
    left.setBits(a);
    right.setBits(b);
    if (!c.empty())
      scale.setBits(c);
    DeviceComparison device = on.kernels->compare(
        dtype, left.view, elementTolerance(tolerance), DrawMode::Realistic,
        left.base(), right.base(), on.stream, {}, c.empty() ? 0 : scale.base());
    EXPECT_EQ(device.reason, why);
    EXPECT_EQ(device.failure == ToleranceFailure::None, why.empty());
    EXPECT_EQ(device.sums.elements, host.elements);
    EXPECT_EQ(device.sums.mismatches, host.mismatches);
    EXPECT_EQ(device.sums.flips, host.flips);
    EXPECT_EQ(device.sums.cancelled, host.cancelled);
    EXPECT_EQ(device.sums.beyondEvaluator, host.beyondEvaluator);
    EXPECT_EQ(device.sums.epsilon, host.epsilon);
    EXPECT_NEAR(device.sums.errorSquares, host.errorSquares,
                host.errorSquares * 1e-12);
    EXPECT_NEAR(device.sums.referenceSquares, host.referenceSquares,
                host.referenceSquares * 1e-12);
    ASSERT_EQ(device.first.has_value(), host.first.has_value());
    if (device.first)
      EXPECT_EQ(device.first->steps, host.first->ulp);
    ASSERT_EQ(device.worst.has_value(), host.worst.ulp > 0);
    if (device.worst) {
      EXPECT_EQ(device.worst->steps, host.worst.ulp);
      EXPECT_EQ(std::isnan(device.worst->found), std::isnan(host.worst.found));
      if (!std::isnan(device.worst->found))
        EXPECT_EQ(device.worst->found, host.worst.found);
    }
  }
};

/// Values with rounding differences, and some that are further off.
Outputs outputs(const std::string &dtype, std::vector<int64_t> shape,
                std::vector<int64_t> gaps, uint64_t seed) {
  Outputs result{dtype, shape, gaps, {}, {}};
  uint64_t count = 1;
  for (int64_t extent : shape)
    count *= uint64_t(extent);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = randomBits(seed, 0, i);
    double value = normalAt(seed, 1, i) * 100, other = value;
    if (bits % 4 == 0)
      other *= 1 + double(bits / 4 % 8) * 0x1p-9;
    if (bits % 1021 == 1)
      other = -value;
    if (bits % 1021 == 2)
      other = NAN;
    if (bits % 1021 == 3)
      value = other = INFINITY;
    if (bits % 1021 == 4)
      value = INFINITY;
    result.expected.push_back(value);
    result.found.push_back(other);
  }
  return result;
}

} // namespace

TEST(KernelsCompare, AgreesOnEveryFormatAndTolerance) {
  for (const char *dtype : {"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ",
                            "f16", "bf16", "f32", "f64", "i8", "i32", "i64"})
    for (double ulp : {0.0, 1.0, 1e9})
      for (double nearZero : {0.0, 0.01}) {
        ToleranceSpec tolerance;
        tolerance.ulp = ulp;
        tolerance.nearZero = nearZero;
        tolerance.flips = ulp == 1 ? 0.01 : 0;
        tolerance.norm = ulp > 1 ? 1e-3 : 0;
        outputs(dtype, {37, 41}, {0, 5}, 51).expectEqual(tolerance);
      }
}

TEST(KernelsCompare, AgreesOnEveryShape) {
  ToleranceSpec tolerance;
  tolerance.drift = 0.1;
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{},
                                            {1},
                                            {5000},
                                            {3000, 1},
                                            {2, 1000},
                                            {3, 4, 5, 257},
                                            {1, 1, 70}})
    outputs("bf16", shape, {}, 52).expectEqual(tolerance);
  outputs("f16", {4, 5, 300}, {7, 0, 2}, 53).expectEqual(tolerance);
}

TEST(KernelsCompare, AgreesOnWhatCancels) {
  ToleranceSpec tolerance;
  tolerance.norm = 0.01;
  tolerance.cancellation = 0x1p-8;
  for (const char *dtype : {"f16", "bf16", "f32"})
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{300, 1}, {7, 1}, {20, 15}, {20, 33}}) {
      Outputs some = outputs(dtype, shape, {3, 5}, 54);
      for (size_t i = 0; i < some.expected.size(); ++i)
        some.magnitudes.push_back(i % 5 ? 1000 : i % 3 ? INFINITY : NAN);
      some.expectEqual(tolerance);
    }
}

TEST(KernelsCompare, SmallRoundingIsNoMismatchButDrift) {
  Outputs rounded{"bf16", {50, 100}, {}, {}, {}};
  rounded.expected.assign(5000, 1);
  rounded.found.assign(5000, 1);
  ToleranceSpec tolerance;
  tolerance.drift = 0.1;
  rounded.expectEqual(tolerance); // nothing to say
  for (size_t i = 0; i < 5000; i += 3)
    rounded.found[i] = 1.0078125;
  rounded.expectEqual(tolerance);

  DeviceUnderTest &on = DeviceUnderTest::get();
  DeviceBuffer a(on, "bf16", {5000}), b(on, "bf16", {5000});
  a.setBits(std::vector<uint64_t>(5000, 0x3F80));
  b.setBits(std::vector<uint64_t>(5000, 0x3F81));
  auto failure = [&](DrawMode mode) {
    return on.kernels
        ->compare("bf16", a.view, elementTolerance(tolerance), mode, a.base(),
                  b.base(), on.stream)
        .failure;
  };
  EXPECT_EQ(failure(DrawMode::Realistic), ToleranceFailure::Drift);
  EXPECT_EQ(failure(DrawMode::Edge), ToleranceFailure::None);
}

TEST(KernelsCompare, RowsInSeveralBatches) {
  // More rows than scratch memory is for at once.
  constexpr int64_t rows = (1 << 20) + 100;
  DeviceUnderTest &on = DeviceUnderTest::get();
  DeviceBuffer a(on, "i8", {rows, 1}), b(on, "i8", {rows, 1});
  std::vector<uint64_t> bits(rows, 3);
  a.setBits(bits);
  bits[17] = 4;
  bits[rows - 5] = 9;
  b.setBits(bits);
  DeviceComparison answer = on.kernels->compare(
      "i8", a.view, {}, DrawMode::Realistic, a.base(), b.base(), on.stream);
  EXPECT_EQ(answer.reason, "2 of 1048676 elements, first [17, 0]: found 4, "
                           "expected 3 (1 ulp)");
  EXPECT_EQ(answer.worst->index, uint64_t(rows - 5));
  EXPECT_EQ(answer.sums.errorSquares, 37);
  EXPECT_EQ(answer.sums.beyondEvaluator, 2u);
}

TEST(KernelsCompare, NothingIsRight) {
  DeviceUnderTest &on = DeviceUnderTest::get();
  DeviceBuffer a(on, "f32", {0, 4});
  DeviceComparison answer = on.kernels->compare(
      "f32", a.view, {}, DrawMode::Realistic, a.base(), a.base(), on.stream);
  EXPECT_EQ(answer.sums.elements, 0u);
  EXPECT_EQ(answer.failure, ToleranceFailure::None);
  EXPECT_THROW(on.kernels->compare("f4E2M1FN", a.view, {}, DrawMode::Edge,
                                   a.base(), a.base(), on.stream),
               std::runtime_error);
}

TEST(KernelsCompare, PartsOfALargerView) {
  constexpr uint64_t rows = 40, columns = 30, pitch = 35;
  constexpr uint64_t span = 1 * pitch + columns; // of two rows
  const Indices begins = {{0}, {7}, {38}, {8}};
  DeviceUnderTest &on = DeviceUnderTest::get();
  DeviceBuffer found(on, "f32", {rows, columns}, {0, pitch - columns});
  DeviceBuffer expected(on, "f32", {int64_t(begins.size() * span)});
  ElementType type = llvm::cantFail(ElementType::parse("f32"));
  auto bitsOf = [&](double value) { return elementBits(type.plain(), value); };
  std::vector<uint64_t> whole, parts;
  for (uint64_t i = 0; i < rows * columns; ++i)
    whole.push_back(bitsOf(double(i)));
  for (const auto &begin : begins)
    for (uint64_t i = 0; i < span; ++i)
      parts.push_back(
          i % pitch < columns
              ? whole[(uint64_t(begin[0]) + i / pitch) * columns + i % pitch]
              : 0);
  auto compare = [&] {
    found.setBits(whole);
    expected.setBits(parts);
    View view = found.view;
    view.shape[0] = 2;
    return on.kernels->compare("f32", view, {}, DrawMode::Realistic,
                               expected.base(), found.base(), on.stream,
                               begins);
  };
  EXPECT_EQ(compare().reason, "");
  EXPECT_EQ(compare().sums.elements, 4 * 2 * columns);
  whole[20 * columns] = 0; // in no part
  EXPECT_EQ(compare().reason, "");
  whole[39 * columns + 4] = bitsOf(3);
  whole[8 * columns + 1] = bitsOf(2); // in two
  DeviceComparison answer = compare();
  EXPECT_EQ(answer.sums.mismatches, 3u);
  EXPECT_NE(answer.reason.find("3 of 240 elements, first [8, 1]: found 2, "
                               "expected 241"),
            std::string::npos)
      << answer.reason;
  EXPECT_EQ(answer.worst->found, 3);
  whole[8 * columns + 1] = bitsOf(241);
  answer = compare();
  EXPECT_NE(answer.reason.find("first [39, 4]: found 3, expected 1174"),
            std::string::npos)
      << answer.reason;
}
