//===- InputsTest.cpp - Draws ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Inputs.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Verify/Element.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace lathe;

namespace {

/// An operator with one input of the given dtype, shape and distribution.
struct OneInput {
  OperatorSpec spec;
  OpSetEntry entry;
  Bindings bindings;

  OneInput(llvm::StringRef dtype, std::vector<int64_t> shape,
           llvm::StringRef kind) {
    OperandSpec operand;
    operand.name = "x";
    operand.dtype = dtype.str();
    for (int64_t extent : shape)
      operand.shape.push_back(Expr::constant(extent));
    operand.distribution.kind = kind.str();
    spec.operands.push_back(operand);
  }

  OperandSpec &operand() { return spec.operands.front(); }
  DistributionSpec &distribution() { return operand().distribution; }

  std::vector<uint64_t> bits(const Draw &draw, uint64_t first,
                             uint64_t count) const {
    auto generator = InputGenerator::create(spec, entry, bindings, draw);
    if (!generator) {
      ADD_FAILURE() << llvm::toString(generator.takeError());
      return {};
    }
    ElementType type =
        llvm::cantFail(ElementType::parse(spec.operands.front().dtype));
    std::vector<char> bytes(count * type.bytes);
    generator->fill(0, first, count, bytes.data());
    std::vector<uint64_t> result;
    for (uint64_t i = 0; i < count; ++i)
      result.push_back(type.load(bytes.data() + i * type.bytes));
    return result;
  }

  std::vector<double> values(const Draw &draw, uint64_t first,
                             uint64_t count) const {
    ElementType type =
        llvm::cantFail(ElementType::parse(spec.operands.front().dtype));
    std::vector<double> result;
    for (uint64_t element : bits(draw, first, count))
      result.push_back(type.value(element));
    return result;
  }
};

Draw drawOf(DrawMode mode, uint64_t seed) {
  Draw draw;
  draw.mode = mode;
  draw.seed = seed;
  return draw;
}

} // namespace

TEST(Inputs, FollowFromSeedAndIndexAlone) {
  OneInput input("bf16", {50, 40}, "normal");
  for (DrawMode mode :
       {DrawMode::Realistic, DrawMode::Adversarial, DrawMode::Edge}) {
    auto all = input.bits(drawOf(mode, 7), 0, 2000);
    auto part = input.bits(drawOf(mode, 7), 1234, 100);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 1234));
    EXPECT_NE(all, input.bits(drawOf(mode, 8), 0, 2000));
  }
}

TEST(Inputs, NormalsAreNormal) {
  OneInput input("f32", {100, 1000}, "normal");
  input.distribution().scale = 2;
  input.distribution().offset = 3;
  double sum = 0, squares = 0, fourth = 0;
  for (double value : input.values(drawOf(DrawMode::Realistic, 1), 0, 100000)) {
    double unit = (value - 3) / 2;
    sum += unit;
    squares += unit * unit;
    fourth += unit * unit * unit * unit;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.015);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
  EXPECT_NEAR(fourth / 1e5, 3, 0.15);
}

TEST(Inputs, EdgeDrawsHoldEverySpecialValue) {
  for (const char *dtype : {"bf16", "f16", "f32"}) {
    OneInput input(dtype, {18, 64}, "normal");
    ElementType type = llvm::cantFail(ElementType::parse(dtype));
    std::set<std::string> seen;
    for (uint64_t bits : input.bits(drawOf(DrawMode::Edge, 3), 0, 18 * 64)) {
      double value = type.value(bits);
      uint64_t sign = uint64_t(1) << (type.bytes * 8 - 1);
      if (std::isnan(value))
        seen.insert("nan");
      else if (std::isinf(value))
        seen.insert(value > 0 ? "inf" : "-inf");
      else if (value == 0)
        seen.insert(bits & sign ? "-0" : "0");
      else if (std::fabs(value) == largestFinite(*type.format))
        seen.insert("max");
      else if (type.ordinal(bits) == 1)
        seen.insert("denormal");
    }
    EXPECT_EQ(seen, (std::set<std::string>{"nan", "inf", "-inf", "-0", "0",
                                           "max", "denormal"}))
        << dtype;
    input.distribution().huge = false;
    size_t drawsWith = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      size_t largest = 0;
      for (double value :
           input.values(drawOf(DrawMode::Edge, seed), 0, 18 * 64))
        largest += value == 0x1p10;
      EXPECT_LT(largest, 18u) << dtype;
      drawsWith += largest > 0;
    }
    EXPECT_TRUE(drawsWith > 0 && drawsWith < 8) << dtype;
    input.distribution().finite = true;
    for (double value : input.values(drawOf(DrawMode::Edge, 3), 0, 18 * 64))
      EXPECT_LT(std::fabs(value), 10) << dtype;
  }
}

// What makes weights keeps its sign where terms are magnitudes.
TEST(Inputs, MagnitudesLeaveSignsThatCount) {
  for (bool keeps : {true, false}) {
    OneInput input("f32", {90, 64}, "normal");
    input.operand().keepsSign = keeps;
    Draw draw = drawOf(DrawMode::Realistic, 5);
    draw.magnitudes = true;
    std::vector<double> values = input.values(draw, 0, 90 * 64);
    EXPECT_EQ(llvm::any_of(values, [](double value) { return value < 0; }),
              keeps);
  }
}

// Of a mean that weighs such rows nothing but rounding is left.
TEST(Inputs, AdversarialRowsThatCancelCanBeLeftOut) {
  for (bool cancels : {true, false}) {
    OneInput input("f32", {90, 64}, "normal");
    input.distribution().cancels = cancels;
    unsigned zeros = 0, negative = 0;
    std::vector<double> values =
        input.values(drawOf(DrawMode::Adversarial, 5), 0, 90 * 64);
    for (size_t row = 0; row < values.size(); row += 64) {
      llvm::ArrayRef<double> own(values.data() + row, 64);
      if (!llvm::all_equal(own))
        continue;
      zeros += own.front() == 0;
      negative += own.front() < 0;
    }
    EXPECT_EQ(zeros > 0, cancels);
    EXPECT_EQ(negative > 0, cancels);
  }
}

// Whether a product that f32 does not hold is rounded before it is added is up
// to the kernel, as is the order: with an infinity beside it, all would differ.
TEST(Inputs, SumsOfEdgeProductsAreTheSameInAnyOrder) {
  constexpr int64_t M = 61, N = 37, K = 131;
  OperatorSpec linear = llvm::cantFail(
      loadOperator(LATHE_SOURCE_DIR "/templates/operators/linear"));
  auto values = [](const InputGenerator &inputs, size_t operand, int64_t count,
                   int64_t inner, bool isTurned) {
    std::vector<uint16_t> bits(static_cast<size_t>(count));
    inputs.fill(operand, 0, uint64_t(count),
                reinterpret_cast<char *>(bits.data()));
    std::vector<float> result(bits.size());
    for (int64_t i = 0; i < count; ++i) {
      int64_t to = isTurned ? i % inner * K + i / inner : i;
      result[size_t(to)] =
          float(decodeFloat(FloatFormat::BF16, bits[size_t(i)]));
    }
    return result;
  };
  auto kindOf = [](float sum) {
    return std::isfinite(sum) ? 0 : std::isnan(sum) ? 1 : sum > 0 ? 2 : 3;
  };
  for (bool xTurned : {false, true})
    for (bool wTurned : {false, true}) {
      OpSetEntry entry = defaultEntry(linear);
      entry.options["x_layout"] = xTurned ? "km" : "mk";
      entry.options["w_layout"] = wTurned ? "kn" : "nk";
      Bindings bindings = llvm::cantFail(
          bindAll(linear, entry, {{"M", M}, {"N", N}, {"K", K}}));
      for (uint64_t seed = 0; seed < 16; ++seed) {
        InputGenerator inputs = llvm::cantFail(InputGenerator::create(
            linear, entry, bindings, drawOf(DrawMode::Edge, seed)));
        auto x = values(inputs, 0, M * K, M, xTurned),
             w = values(inputs, 1, N * K, N, wTurned);
        size_t differ = 0;
        for (int64_t m = 0; m < M; ++m)
          for (int64_t n = 0; n < N; ++n) {
            const float *row = &x[size_t(m * K)], *column = &w[size_t(n * K)];
            float rounded = 0, fused = 0, backwards = 0;
            for (int64_t k = 0; k < K; ++k) {
              int64_t last = K - 1 - k;
              rounded += row[k] * column[k];
              fused = float(double(row[k]) * column[k] + double(fused));
              backwards =
                  float(double(row[last]) * column[last] + double(backwards));
            }
            differ += kindOf(fused) != kindOf(rounded) ||
                      kindOf(backwards) != kindOf(rounded);
          }
        EXPECT_EQ(differ, 0u) << xTurned << wTurned << " seed " << seed;
      }
    }
}

TEST(Inputs, AdversarialRowsCancelAndTie) {
  OneInput input("f32", {9, 128}, "normal");
  bool cancels = false, constant = false, outlier = false, zero = false;
  for (int row = 0; row < 9; ++row) {
    auto values =
        input.values(drawOf(DrawMode::Adversarial, 5), row * 128, 128);
    double sum = 0, largest = 0, least = INFINITY;
    for (double value : values) {
      sum += value;
      largest = std::max(largest, std::fabs(value));
      least = std::min(least, std::fabs(value));
    }
    std::set<double> different(values.begin(), values.end());
    cancels |= sum == 0 && different.size() > 64;
    constant |= different.size() == 1 && largest > 0;
    zero |= largest == 0;
    outlier |= largest == 1024 && least < 1;
  }
  EXPECT_TRUE(cancels && constant && outlier && zero);
}

TEST(Inputs, UniformKeepsItsRangeInEveryMode) {
  OneInput input("f32", {1000}, "uniform");
  input.distribution().low = -1;
  input.distribution().high = 0;
  for (DrawMode mode :
       {DrawMode::Realistic, DrawMode::Adversarial, DrawMode::Edge})
    for (double value : input.values(drawOf(mode, 1), 0, 1000)) {
      EXPECT_GE(value, -1);
      EXPECT_LE(value, 0);
    }
}

TEST(Inputs, IndicesStayLegalInEveryMode) {
  OneInput input("i32", {30, 8}, "permuted");
  input.distribution().bound = Expr::constant(11);
  for (DrawMode mode : {DrawMode::Realistic, DrawMode::Edge})
    for (int row = 0; row < 30; ++row) {
      auto values = input.values(drawOf(mode, 9), row * 8, 8);
      EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), 8u);
      for (double value : values) {
        EXPECT_GE(value, 0);
        EXPECT_LT(value, 11);
      }
    }
  OneInput slots("i64", {500}, "integers");
  slots.distribution().low = -3;
  slots.distribution().bound = Expr::constant(4);
  auto drawn = slots.values(drawOf(DrawMode::Realistic, 2), 0, 500);
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()),
            (std::set<double>{-3, -2, -1, 0, 1, 2, 3}));
}

TEST(Inputs, ListsBecomeLengthsAndOffsets) {
  OneInput input("i32", {4}, "offsets");
  input.distribution().of = "L";
  input.bindings["L"] = ExprValue(std::vector<int64_t>{5, 0, 7});
  Draw draw = drawOf(DrawMode::Edge, 1);
  EXPECT_EQ(input.values(draw, 0, 4), (std::vector<double>{0, 5, 5, 12}));
  input.distribution().kind = "lengths";
  input.spec.operands.front().shape = {Expr::constant(3)};
  EXPECT_EQ(input.values(draw, 0, 3), (std::vector<double>{5, 0, 7}));
  input.spec.operands.front().shape = {Expr::constant(4)};
  auto made =
      InputGenerator::create(input.spec, input.entry, input.bindings, draw);
  ASSERT_FALSE(bool(made));
  EXPECT_EQ(llvm::toString(made.takeError()),
            "input 'x': expected 3 elements, its shape has 4");
}

TEST(Inputs, QuantizedValuesFillTheirScale) {
  OneInput input("f8E4M3FN", {6, 300}, "quantized");
  input.distribution().of = "s";
  OperandSpec scales = input.spec.operands.front();
  scales.name = "s";
  scales.dtype = "f32";
  scales.shape = {Expr::constant(6), Expr::constant(3)};
  scales.distribution.kind = "scales";
  scales.distribution.of = "x";
  input.spec.operands.push_back(scales);
  Draw draw = drawOf(DrawMode::Realistic, 4);
  auto generator =
      InputGenerator::create(input.spec, input.entry, input.bindings, draw);
  ASSERT_TRUE(bool(generator)) << llvm::toString(generator.takeError());
  std::vector<float> factors(18);
  generator->fill(1, 0, 18, reinterpret_cast<char *>(factors.data()));
  auto values = input.values(draw, 0, 1800);
  for (int row = 0; row < 6; ++row)
    for (int block = 0; block < 3; ++block) {
      double largest = 0;
      for (int i = block * 100; i < block * 100 + 100; ++i)
        largest = std::max(largest, std::fabs(values[row * 300 + i]));
      EXPECT_EQ(largest, 448);
      // The largest of a hundred normals.
      EXPECT_NEAR(factors[row * 3 + block] * 448, 2.6, 1.4);
    }
}

TEST(Inputs, WhatCannotBeDrawnIsNamed) {
  OneInput input("f8E8M0FNU", {4}, "normal");
  auto made = InputGenerator::create(input.spec, input.entry, {}, Draw());
  ASSERT_FALSE(bool(made));
  EXPECT_EQ(llvm::toString(made.takeError()),
            "input 'x': no codec for elements of type 'f8E8M0FNU'");
  OneInput ids("i32", {2, 9}, "permuted");
  ids.distribution().bound = Expr::constant(8);
  made = InputGenerator::create(ids.spec, ids.entry, {}, Draw());
  ASSERT_FALSE(bool(made));
  EXPECT_EQ(llvm::toString(made.takeError()),
            "input 'x': expected a bound of at least 9, found 8");
}

TEST(Inputs, ScalarsVary) {
  OperatorSpec spec = llvm::cantFail(
      loadOperator(LATHE_SOURCE_DIR "/templates/operators/rms_norm"));
  OpSetEntry entry = defaultEntry(spec);
  Draw draw = drawOf(DrawMode::Realistic, 1);
  EXPECT_EQ(drawScalars(spec, entry, draw).at("eps"), 1e-6);
  entry.scalars["eps"] = 1e-5;
  EXPECT_EQ(drawScalars(spec, entry, draw).at("eps"), 1e-5);
  draw.otherScalars = true;
  std::set<double> seen;
  for (draw.seed = 0; draw.seed < 100; ++draw.seed)
    seen.insert(drawScalars(spec, entry, draw).at("eps") / 1e-5);
  EXPECT_EQ(seen, (std::set<double>{0.125, 0.25, 0.5, 2, 4, 8}));
  CaseSpec own;
  own.scalars["eps"] = 3;
  draw.spec = &own;
  EXPECT_EQ(drawScalars(spec, entry, draw).at("eps"), 3);
}
