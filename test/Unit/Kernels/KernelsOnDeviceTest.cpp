//===- KernelsOnDeviceTest.cpp - A GPU's bits are the host's --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a GPU computes against the same code on the host. Without a GPU the fake
// driver takes its place, and only the way there and back is tested.
//
//===----------------------------------------------------------------------===//

#include "DeviceBuffer.h"

#include "Kernels/CompareKernels.h"
#include "Kernels/DrawKernels.h"
#include "lathe/Verify/CheckDraw.h"

#include "gtest/gtest.h"

using namespace lathe;
using namespace lathe::measure;

namespace {

constexpr DrawMode modes[] = {DrawMode::Realistic, DrawMode::Adversarial,
                              DrawMode::Edge};

DrawSource sourceOf(DrawKind kind, const std::string &dtype,
                    const std::vector<int64_t> &shape) {
  DrawSource source;
  source.kind = kind;
  source.element = *elementFormat(dtype);
  source.rank = uint32_t(shape.size());
  std::copy(shape.begin(), shape.end(), source.shape);
  source.scale = 0.37;
  source.offset = 0.11;
  source.low = -3;
  source.high = 5;
  source.bound = 1000;
  return source;
}

/// Draws an operand on the device and here.
void expectEqual(const DrawPlan &plan, size_t operand, const char *dtype) {
  constexpr uint64_t seed = 77;
  DeviceUnderTest &on = DeviceUnderTest::get(true);
  const DrawSource &source = plan.sources[operand];
  const DrawSource &partner = plan.sources[source.partner];
  std::vector<int64_t> gaps(source.rank, 0);
  gaps.back() = 5;
  DeviceBuffer buffer(on, dtype, {source.shape, source.shape + source.rank},
                      gaps);
  on.kernels->draw(plan, operand, seed, buffer.view, buffer.base(), on.stream);
  std::vector<uint64_t> found = buffer.bits();
  bool isScales = source.kind == DrawKind::Scales;
  size_t owner = isScales ? source.partner : operand;
  std::vector<double> groups;
  if (drawsInGroups(source)) {
    const DrawSource &grouped = plan.sources[owner];
    const DrawSource &scales = plan.sources[grouped.partner];
    for (uint64_t i = 0; i < drawGroups(grouped, scales); ++i)
      groups.push_back(drawGroup(grouped, scales, owner, seed, i));
  }
  uint64_t different = 0;
  for (uint64_t i = 0; i < found.size(); ++i) {
    double group = groups.empty() ? 0 : groups[drawGroupOf(source, partner, i)];
    double value =
        drawValue(source, partner, operand, plan.mode, seed, i, group);
    unsigned unused = 64 - source.element.bytes * 8;
    uint64_t bits = elementBits(source.element, value) << unused >> unused;
    if (bits != found[i] && different++ == 0)
      ADD_FAILURE() << dtype << " kind " << int(source.kind) << " mode "
                    << int(plan.mode) << " element " << i << ": found "
                    << std::hex << found[i] << ", expected " << bits;
  }
  EXPECT_EQ(different, 0u);
  EXPECT_EQ(buffer.changedPadding(), 0u);
}

} // namespace

TEST(KernelsOnDevice, Draws) {
  for (const char *dtype :
       {"f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64", "i8", "i32", "i64"})
    for (auto kind : {DrawKind::Normal, DrawKind::Uniform, DrawKind::Constant,
                      DrawKind::Falling, DrawKind::Integers, DrawKind::Skewed,
                      DrawKind::Permuted, DrawKind::Iota, DrawKind::Softmax})
      for (DrawMode mode : modes)
        for (std::vector<int64_t> shape :
             {std::vector<int64_t>{300, 129}, {2003}, {5, 7, 3, 11}}) {
          if (kind == DrawKind::Permuted && shape.back() > 1000)
            continue;
          DrawPlan plan;
          plan.mode = mode;
          plan.sources = {sourceOf(kind, dtype, shape)};
          expectEqual(plan, 0, dtype);
        }
}

TEST(KernelsOnDevice, QuantizedValuesAndTheirScales) {
  for (const char *dtype : {"f8E4M3FN", "f8E4M3FNUZ", "bf16"}) {
    DrawPlan plan;
    plan.sources = {sourceOf(DrawKind::Quantized, dtype, {3, 300, 260}),
                    sourceOf(DrawKind::Scales, "f32", {3, 3, 3})};
    plan.sources[0].partner = 1;
    ASSERT_EQ(linkDrawSource(plan.sources, 0), "");
    expectEqual(plan, 0, dtype);
    expectEqual(plan, 1, "f32");
  }
}

TEST(KernelsOnDevice, Comparisons) {
  DeviceUnderTest &on = DeviceUnderTest::get(true);
  constexpr int64_t rows = 1500, length = 700;
  for (const char *dtype : {"f8E4M3FN", "f16", "bf16", "f32", "f64", "i32"}) {
    ElementFormat element = *elementFormat(dtype);
    ElementTolerance tolerance;
    tolerance.nearZero = 0.001;
    tolerance.flips = 0.1;
    std::vector<uint64_t> a, b;
    for (uint64_t i = 0; i < uint64_t(rows * length); ++i) {
      double value = normalAt(1, 2, i) * 50;
      uint64_t kind = randomBits(3, 4, i) % 10007;
      double other = kind < 3 ? -value : kind < 3000 ? value * 1.004 : value;
      if (kind == 4)
        other = __builtin_nan("");
      a.push_back(elementBits(element, value));
      b.push_back(elementBits(element, other));
    }
    ComparisonSums sums;
    sums.epsilon = elementEpsilon(element);
    uint64_t first = ~uint64_t(0);
    double most = 0;
    for (int64_t row = 0; row < rows; ++row) {
      RowSquares squares;
      for (int64_t at = 0; at < length; at += RowSquares::segment) {
        RowSquares part;
        for (int64_t i = at; i < at + RowSquares::segment && i < length; ++i)
          if (double value = elementValue(element, a[row * length + i]);
              element.isFloat && isFiniteValue(value))
            part.add(value * value, 1);
        squares.add(part.sum, part.finite);
      }
      sums.referenceSquares += squares.sum;
      for (int64_t i = row * length; i < (row + 1) * length; ++i) {
        ElementMatch match;
        double steps = compareElement(sums, element, tolerance, squares.rms(),
                                      0, a[i], b[i], sums.errorSquares, match);
        most = std::max(most, steps);
        if (match == ElementMatch::No && first == ~uint64_t(0))
          first = uint64_t(i);
      }
    }
    DeviceBuffer expected(on, dtype, {rows, length}, {0, 4});
    DeviceBuffer found(on, dtype, {rows, length}, {0, 4});
    expected.setBits(a);
    found.setBits(b);
    DeviceComparison answer = on.kernels->compare(
        dtype, expected.view, tolerance, DrawMode::Realistic, expected.base(),
        found.base(), on.stream);
    EXPECT_EQ(answer.sums.elements, sums.elements) << dtype;
    EXPECT_EQ(answer.sums.mismatches, sums.mismatches) << dtype;
    EXPECT_EQ(answer.sums.flips, sums.flips) << dtype;
    EXPECT_EQ(answer.sums.beyondEvaluator, sums.beyondEvaluator) << dtype;
    EXPECT_NEAR(answer.sums.errorSquares, sums.errorSquares,
                sums.errorSquares * 1e-12)
        << dtype;
    ASSERT_TRUE(answer.first && answer.worst) << dtype;
    EXPECT_EQ(answer.first->index, first) << dtype;
    EXPECT_EQ(answer.worst->steps, most) << dtype;
    // The same order of summing, and the same bits, each time.
    DeviceComparison again = on.kernels->compare(
        dtype, expected.view, tolerance, DrawMode::Realistic, expected.base(),
        found.base(), on.stream);
    EXPECT_EQ(answer.sums.errorSquares, again.sums.errorSquares) << dtype;
    EXPECT_EQ(answer.worst->index, again.worst->index) << dtype;
  }
}

TEST(KernelsOnDevice, PoisonAndHashes) {
  DeviceUnderTest &on = DeviceUnderTest::get(true);
  DeviceBuffer buffer(on, "bf16", {4000, 37}, {0, 3}, 99);
  std::vector<char> bytes = buffer.bytesOfRange();
  uint64_t different = 0;
  for (uint64_t i = 0; i < bytes.size(); ++i)
    different += uint8_t(bytes[i]) != poisonByte(99, i);
  EXPECT_EQ(different, 0u);
  EXPECT_EQ(buffer.unwritten(), buffer.elements());
  uint64_t sum = 0;
  std::vector<uint64_t> bits = buffer.bits();
  for (uint64_t i = 0; i < bits.size(); ++i)
    sum += elementHash(bits[i], i);
  EXPECT_EQ(buffer.hash(), sum);
  for (uint64_t i = 0; i < bits.size(); ++i)
    if (i % 3)
      bits[i] ^= 0x4040;
  buffer.setBits(bits);
  EXPECT_EQ(buffer.unwritten(), (bits.size() + 2) / 3);
  EXPECT_EQ(buffer.changedPadding(), 0u);
  EXPECT_EQ(on.kernels->changedBytes(buffer.range, buffer.bytes, 99, on.stream),
            (bits.size() - (bits.size() + 2) / 3) * 2);
}
