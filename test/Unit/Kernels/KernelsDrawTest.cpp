//===- KernelsDrawTest.cpp - Draws on the device are those of the host ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuffer.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Verify/Element.h"
#include "lathe/Verify/Inputs.h"

#include "gtest/gtest.h"

using namespace lathe;
using namespace lathe::measure;

namespace {

struct Case {
  std::string dtype, kind;
  std::vector<int64_t> shape;
};

/// An operator with one input, or two that share scales.
struct Inputs {
  OperatorSpec spec;
  OpSetEntry entry;
  Bindings bindings;

  OperandSpec &add(const char *name, const Case &what) {
    OperandSpec operand;
    operand.name = name;
    operand.dtype = what.dtype;
    for (int64_t extent : what.shape)
      operand.shape.push_back(Expr::constant(extent));
    operand.distribution.kind = what.kind;
    spec.operands.push_back(operand);
    return spec.operands.back();
  }

  /// All operands, by both ways.
  void expectEqual(DrawMode mode, uint64_t seed) {
    Draw draw;
    draw.mode = mode;
    draw.seed = seed;
    auto generator = InputGenerator::create(spec, entry, bindings, draw);
    ASSERT_TRUE(bool(generator)) << llvm::toString(generator.takeError());
    auto sources = makeDrawSources(spec, entry, bindings, draw);
    ASSERT_TRUE(bool(sources)) << llvm::toString(sources.takeError());
    DrawPlan plan;
    plan.mode = mode;
    plan.sources = sources->sources;
    plan.lists = sources->lists;
    DeviceUnderTest &on = DeviceUnderTest::get();
    for (size_t i = 0; i < spec.operands.size(); ++i) {
      const DrawSource &source = plan.sources[i];
      std::vector<int64_t> shape(source.shape, source.shape + source.rank);
      std::vector<int64_t> gaps(shape.size(), 0);
      if (!gaps.empty())
        gaps.back() = 3;
      DeviceBuffer buffer(on, spec.operands[i].dtype, shape, gaps);
      on.kernels->draw(plan, i, seed, buffer.view, buffer.base(), on.stream);
      ElementType type =
          llvm::cantFail(ElementType::parse(spec.operands[i].dtype));
      std::vector<char> dense(buffer.elements() * type.bytes);
      generator->fill(i, 0, buffer.elements(), dense.data());
      std::vector<uint64_t> expected;
      for (uint64_t e = 0; e < buffer.elements(); ++e)
        expected.push_back(type.load(dense.data() + e * type.bytes));
      EXPECT_EQ(buffer.bits(), expected)
          << spec.operands[i].dtype << " " << spec.operands[i].distribution.kind
          << " " << drawModeName(mode).str();
      EXPECT_EQ(buffer.changedPadding(), 0u);
    }
  }
};

constexpr DrawMode modes[] = {DrawMode::Realistic, DrawMode::Adversarial,
                              DrawMode::Edge};

} // namespace

TEST(KernelsDraw, NormalsOfEveryFormatInEveryMode) {
  for (const char *dtype :
       {"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f16", "bf16", "f32",
        "f64", "i8", "i16", "i32", "i64"})
    for (DrawMode mode : modes)
      for (std::vector<int64_t> shape :
           {std::vector<int64_t>{20, 33}, {700}, {2, 9, 5, 7}}) {
        Inputs inputs;
        DistributionSpec &d =
            inputs.add("x", {dtype, "normal", shape}).distribution;
        d.scale = 0.7;
        d.offset = 1.5;
        inputs.expectEqual(mode, 11);
        d.finite = true;
        inputs.expectEqual(mode, 12);
        d.finite = d.huge = false;
        inputs.expectEqual(mode, 13);
      }
}

TEST(KernelsDraw, EveryOtherKindInEveryMode) {
  for (const char *kind : {"uniform", "zeros", "constant", "falling", "softmax",
                           "integers", "skewed", "permuted", "iota"})
    for (const char *dtype : {"f32", "bf16", "i32", "i64"})
      for (DrawMode mode : modes)
        for (std::vector<int64_t> shape :
             {std::vector<int64_t>{30, 8}, {3, 5, 4}, {9}}) {
          Inputs inputs;
          DistributionSpec &d =
              inputs.add("x", {dtype, kind, shape}).distribution;
          d.low = -3;
          d.high = 5;
          d.bound = Expr::constant(17);
          inputs.expectEqual(mode, 21);
        }
}

TEST(KernelsDraw, ListsAndScalarsAndNothing) {
  Inputs inputs;
  inputs.add("offsets", {"i32", "offsets", {4}}).distribution.of = "L";
  inputs.add("lengths", {"i64", "lengths", {3}}).distribution.of = "L";
  inputs.add("scalar", {"f32", "normal", {}});
  inputs.add("empty", {"f32", "softmax", {0, 7}});
  inputs.add("emptyRows", {"bf16", "permuted", {7, 0}});
  inputs.bindings["L"] = ExprValue(std::vector<int64_t>{5, 0, 7});
  for (DrawMode mode : modes)
    inputs.expectEqual(mode, 31);
}

TEST(KernelsDraw, QuantizedValuesAndTheirScales) {
  // Blocks in one and two dimensions; the last are cut off, or lie outside.
  const std::vector<int64_t> shapes[][2] = {{{6, 300}, {6, 3}},
                                            {{70, 130}, {3, 2}},
                                            {{3, 40, 50}, {3, 2, 4}},
                                            {{5, 10}, {5, 6}}};
  for (const char *dtype : {"f8E4M3FN", "f8E5M2FNUZ", "bf16"})
    for (const auto &[shape, scales] : shapes) {
      Inputs inputs;
      inputs.add("x", {dtype, "quantized", shape}).distribution.of = "s";
      inputs.add("s", {"f32", "scales", scales}).distribution.of = "x";
      inputs.expectEqual(DrawMode::Realistic, 41);
      inputs.expectEqual(DrawMode::Edge, 42);
    }
}

TEST(KernelsDraw, WhatCannotBeDrawnIsRefused) {
  DeviceUnderTest &on = DeviceUnderTest::get();
  DrawPlan plan;
  plan.sources.resize(1);
  DrawSource &source = plan.sources.front();
  source.rank = 2;
  source.shape[0] = 2;
  source.shape[1] = 9;
  source.element = *elementFormat("i32");
  DeviceBuffer buffer(on, "i32", {2, 9});
  auto why = [&](const View &view) -> std::string {
    try {
      on.kernels->draw(plan, 0, 1, view, buffer.base(), on.stream);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why(buffer.view), "");
  EXPECT_EQ(why({{2, 8}, {8, 1}}),
            "operand 0: expected a view of the shape that is drawn");
  EXPECT_EQ(why({{2, 9}, {8, 1}}),
            "expected a view whose elements do not overlap");
  EXPECT_EQ(why({{2, 9}, {int64_t(1) << 50, 1}}),
            "expected a view of at most 2^48 bytes");
  EXPECT_EQ(why({{2, 9}, {9, -1}}),
            "expected no negative extent or stride in a view");
  source.kind = DrawKind::Permuted;
  source.low = 0;
  source.bound = 8;
  EXPECT_EQ(why(buffer.view),
            "operand 0: expected a bound of at least 9, found 8");
  source.kind = DrawKind::List;
  EXPECT_EQ(why(buffer.view), "operand 0: expected a list of 18 elements");
  source.kind = DrawKind::Quantized;
  EXPECT_EQ(why(buffer.view), "operand 0: only floats can be quantized");
  source.element = *elementFormat("f32");
  EXPECT_EQ(why(buffer.view),
            "operand 0: its partner does not name it in turn");
  source.partner = 7;
  EXPECT_EQ(why(buffer.view), "operand 0: its partner is no operand");
  source.rank = 9;
  EXPECT_EQ(why(buffer.view),
            "operand 0: expected at most 8 dimensions, found 9");
}
