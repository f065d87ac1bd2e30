//===- LoadTest.cpp - Tests of the shipped inputs and of binding ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Load.h"
#include "lathe/Ingest/Atrex.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Write.h"

#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

using namespace lathe;

static const std::string templates = LATHE_SOURCE_DIR "/templates";

static const OperatorTable &operators() {
  static OperatorTable table = llvm::cantFail(loadOperators({templates}));
  return table;
}

static std::string bindError(const OpSetEntry &entry, const Bindings &dims) {
  auto bound = bindAll(operators().at(entry.op), entry, dims);
  if (!bound)
    return llvm::toString(bound.takeError());
  return "bound";
}

TEST(Load, RowWiseSignatures) {
  // Kernels and callers rely on these names and this order.
  std::map<std::string, std::string> expected = {
      {"rms_norm", "T H XS | x weight > out | eps"},
      {"fused_add_rms_norm",
       "T H XS RS | x residual weight > out residual_out | eps"},
      {"gated_rms_norm", "T H XS ZS | x z weight > out | eps"},
      {"layer_norm", "T H XS | x weight bias > out | eps"},
      {"l2_norm", "T H XS | x > out | eps"},
      {"silu_and_mul", "T D XS | x > out |"}};
  for (auto &[name, signature] : expected) {
    const OperatorSpec &spec = operators().at(name);
    std::string text;
    for (const DimSpec &dim : spec.dims)
      text += dim.name + ' ';
    text += '|';
    bool outputs = false;
    for (const OperandSpec &operand : spec.operands) {
      if (operand.isOutput && !outputs)
        text += " >";
      outputs = operand.isOutput;
      text += ' ' + operand.name;
    }
    text += " |";
    for (const ScalarSpec &scalar : spec.scalars)
      text += ' ' + scalar.name;
    EXPECT_EQ(text, signature) << name;
    EXPECT_EQ(spec.dtypes.front().second,
              std::vector<DTypeName>({"bf16", "f16", "f32"}));
  }
  EXPECT_EQ(operators().at("fused_add_rms_norm").operands.back().mayAlias,
            "residual");
}

TEST(Load, TargetsByNameAndArchitecture) {
  for (auto &[target, name] :
       std::map<std::string, std::string>{{"h200", "h200"},
                                          {"h100", "h100"},
                                          {"h20", "h20"},
                                          {"sm_80", "a100"},
                                          {"sm_90a", "h200"},
                                          {"sm_100a", "b200"},
                                          {"gfx942", "mi300x"},
                                          {"gfx90a", "mi250x"},
                                          {"xpu-a", "xpu-a"}}) {
    auto hardware = findHardware(target, {templates});
    ASSERT_TRUE(bool(hardware)) << llvm::toString(hardware.takeError());
    EXPECT_EQ(hardware->name, name) << target;
    EXPECT_EQ(hardware->compilable, name != "xpu-a");
    EXPECT_FALSE(hardware->source.empty());
  }
}

TEST(Load, Features) {
  auto features = [](llvm::StringRef name) {
    return llvm::cantFail(findHardware(name, {templates})).features;
  };
  EXPECT_EQ(features("h200"),
            (std::vector<std::string>{"fp8", "tma", "wgmma"}));
  EXPECT_EQ(features("b200"), (std::vector<std::string>{"fp8", "tma"}));
  EXPECT_TRUE(features("a100").empty());
}

TEST(Load, PublishedRooflineTimes) {
  // One shape per bound, from the published roofline files.
  struct {
    const char *op;
    Bindings dims;
    double h20Us, xpuUs;
  } rows[] = {
      {"rms_norm", {{"T", 2500}, {"H", 1024}}, 2.560512, 1.9324618867924527}};
  for (auto &row : rows) {
    const OperatorSpec &spec = operators().at(row.op);
    OpSetEntry entry = defaultEntry(spec);
    auto bindings = llvm::cantFail(bindAll(spec, entry, row.dims));
    auto cost = llvm::cantFail(evaluateCost(spec, entry, bindings));
    auto h20 = llvm::cantFail(findHardware("h20", {templates}));
    auto xpu = llvm::cantFail(findHardware("xpu-a", {templates}));
    EXPECT_NEAR(llvm::cantFail(rooflineUs(cost, h20)), row.h20Us, 1e-9);
    EXPECT_NEAR(llvm::cantFail(rooflineUs(cost, xpu)), row.xpuUs, 1e-9);
  }
  CostValue fp8{{{"f8E4M3FN", 1}}, 0, 0};
  auto a100 = llvm::cantFail(findHardware("a100", {templates}));
  EXPECT_EQ(llvm::toString(rooflineUs(fp8, a100).takeError()),
            "a100 has no peak for f8E4M3FN");
}

TEST(Load, DefaultsOfDimsMayDependOnChoices) {
  const OperatorSpec &linear = operators().at("linear");
  OpSetEntry entry = defaultEntry(linear);
  Bindings dims = {{"M", 5}, {"N", 7}, {"K", 11}};
  Bindings bound = llvm::cantFail(bindDims(linear, entry, dims));
  EXPECT_EQ(bound.at("XS"), ExprValue(11));
  EXPECT_EQ(bound.at("WS"), ExprValue(11));
  EXPECT_EQ(bound.count("x_layout"), 0u);
  entry.options["x_layout"] = "km";
  entry.options["w_layout"] = "kn";
  bound = llvm::cantFail(bindDims(linear, entry, dims));
  EXPECT_EQ(bound.at("XS"), ExprValue(5));
  EXPECT_EQ(bound.at("WS"), ExprValue(7));
  dims["XS"] = 4;
  EXPECT_EQ(llvm::toString(bindDims(linear, entry, dims).takeError()),
            "stride 'XS' is 4, expected at least 5, the extent it spans");
}

TEST(Load, BindFillsDefaults) {
  OpSetEntry entry = defaultEntry(operators().at("rms_norm"));
  entry.staticDims["H"] = {128};
  auto bound =
      llvm::cantFail(bindAll(operators().at("rms_norm"), entry, {{"T", 3}}));
  EXPECT_EQ(bound,
            (Bindings{{"T", 3}, {"H", 128}, {"XS", 128}, {"DT_bytes", 2}}));
  OpSetEntry gated = defaultEntry(operators().at("gated_rms_norm"));
  gated.options["norm_before_gate"] = "after";
  gated.dtypes["DT"] = "f32";
  bound = llvm::cantFail(bindAll(operators().at("gated_rms_norm"), gated,
                                 {{"T", 3}, {"H", 64}, {"ZS", 80}}));
  EXPECT_EQ(bound.at("norm_before_gate"), ExprValue(1));
  EXPECT_EQ(bound.at("activation"), ExprValue(0));
  EXPECT_EQ(bound.at("DT_bytes"), ExprValue(4));
  EXPECT_EQ(bound.at("ZS"), ExprValue(80));
}

TEST(Load, BindRefuses) {
  OpSetEntry entry = defaultEntry(operators().at("rms_norm"));
  EXPECT_EQ(bindError(entry, {{"T", 3}}), "missing dim 'H'");
  EXPECT_EQ(bindError(entry, {{"T", 3}, {"H", 0}}),
            "dim 'H' is 0, expected 1 to 1048576");
  EXPECT_EQ(bindError(entry, {{"T", 3}, {"H", 8}, {"XT", 1}}),
            "unknown dim 'XT', did you mean 'XS'?");
  EXPECT_EQ(bindError(entry, {{"T", 3}, {"H", 8}, {"XS", 7}}),
            "stride 'XS' is 7, expected at least 8, the extent it spans");
  EXPECT_EQ(bindError(entry, {{"T", std::vector<int64_t>{3}}, {"H", 8}}),
            "dim 'T': expected an integer, found a list");
  entry.staticDims["H"] = {128, 256};
  EXPECT_EQ(bindError(entry, {{"T", 3}}),
            "missing dim 'H', for which 'rms_norm' has several values");
  EXPECT_EQ(bindError(entry, {{"T", 3}, {"H", 512}}),
            "dim 'H' is 512, which 'rms_norm' does not list");
  entry.dtypes["DT"] = "i8";
  EXPECT_EQ(bindError(entry, {{"T", 3}, {"H", 128}}),
            "dtype variable 'DT' cannot be 'i8'");
}

TEST(Load, CostsThatOverflowAreErrors) {
  const OperatorSpec &spec = operators().at("block_scaled_mm");
  OpSetEntry entry = defaultEntry(spec);
  auto bindings = llvm::cantFail(bindAll(
      spec, entry, {{"M", int64_t(1) << 40}, {"N", 1 << 20}, {"K", 1 << 20}}));
  EXPECT_EQ(llvm::toString(evaluateCost(spec, entry, bindings).takeError()),
            "block_scaled_mm: flops: overflow of 64 bits");
}

TEST(Load, ShippedExamplesRoundTrip) {
  for (std::string name : {"atrex", "models", "qwen3.5-35b-a3b"}) {
    std::string folder = LATHE_SOURCE_DIR "/examples/" + name;
    auto opset = loadOpSet(folder + "/opset.yaml", operators());
    ASSERT_TRUE(bool(opset)) << llvm::toString(opset.takeError());
    auto histogram =
        loadHistogram(folder + "/histogram.yaml", *opset, operators());
    ASSERT_TRUE(bool(histogram)) << llvm::toString(histogram.takeError());
    double total = histogram->unshapedWeight;
    for (const HistogramPoint &point : histogram->points)
      total += point.weight;
    EXPECT_NEAR(total, 1, 1e-4) << name;

    llvm::SmallString<128> directory;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("lathe", directory));
    std::string opsFile = (directory + "/opset.yaml").str();
    std::string shapesFile = (directory + "/histogram.yaml").str();
    std::error_code error;
    {
      llvm::raw_fd_ostream ops(opsFile, error), shapes(shapesFile, error);
      writeOpSet(ops, *opset, operators());
      writeHistogram(shapes, *histogram, *opset, operators());
    }
    auto opsAgain = loadOpSet(opsFile, operators());
    ASSERT_TRUE(bool(opsAgain)) << llvm::toString(opsAgain.takeError());
    auto again = loadHistogram(shapesFile, *opsAgain, operators());
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    ASSERT_EQ(again->points.size(), histogram->points.size());
    for (size_t i = 0; i < again->points.size(); ++i) {
      EXPECT_EQ(again->points[i].dims, histogram->points[i].dims);
      EXPECT_EQ(again->points[i].weight, histogram->points[i].weight);
      EXPECT_EQ(again->points[i].count, histogram->points[i].count);
    }
    EXPECT_EQ(again->description, histogram->description);
    llvm::sys::fs::remove_directories(directory);
  }
}

TEST(Load, NumbersReadBack) {
  for (double value : {0.0, 1.0, 0.1, 1e-6, 0.08838834764831845, 1e20, 123456.0,
                       1.0 / 3.0, -2.5})
    EXPECT_EQ(strtod(numberText(value).c_str(), nullptr), value);
  EXPECT_EQ(numberText(10000), "10000");
  EXPECT_EQ(numberText(1.0 / 3.0, 3), "0.333");
}
