//===- RecognizeTest.cpp - Calls become operators -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "llvm/ADT/SetVector.h"

#include <gtest/gtest.h>

using namespace lathe;
using llvm::StringRef;

namespace {

class Recognize : public testing::Test {
protected:
  void SetUp() override {
    llvm::Error error =
        patterns.load(LATHE_SOURCE_DIR "/templates/patterns/trace");
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }

  std::optional<RecognizedCall> call(StringRef name, StringRef arguments) {
    return recognize(patterns.ops, name, arguments);
  }

  PatternSet patterns;
};

constexpr const char *normCall =
    R"({"dims": [[2, 5, 64], [2, 5, 64], [64], []],
        "types": ["c10::Half", "c10::Half", "c10::Half", "Scalar"],
        "strides": [[320, 64, 1], [%0, %1, 1], [1], []],
        "values": ["", "", "", "9.9999999999999995e-06"]})";

std::string withStrides(int64_t outer, int64_t inner) {
  std::string text = normCall;
  text.replace(text.find("%0"), 2, std::to_string(outer));
  text.replace(text.find("%1"), 2, std::to_string(inner));
  return text;
}

TEST_F(Recognize, TakesDimsDTypesStridesAndScalars) {
  auto result = call("_C::rms_norm", withStrides(500, 100));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->problem, "");
  EXPECT_EQ(result->op, "rms_norm");
  EXPECT_EQ(result->dims.at("T"), ExprValue(10));
  EXPECT_EQ(result->dims.at("H"), ExprValue(64));
  EXPECT_EQ(result->dims.at("XS"), ExprValue(100));
  EXPECT_EQ(result->dtypes.at("DT"), "f16");
  EXPECT_DOUBLE_EQ(result->scalars.at("eps"), 1e-5);
}

/// A call by its dims and strides, all of one type but for those given.
std::string callOf(StringRef dims, StringRef strides, StringRef types,
                   StringRef values) {
  return (R"({"dims": [)" + dims + R"(], "strides": [)" + strides +
          R"(], "types": [)" + types + R"(], "values": [)" + values + "]}")
      .str();
}

TEST_F(Recognize, ProjectionsSayTheirBias) {
  constexpr StringRef types = R"("c10::BFloat16", "c10::BFloat16", "")";
  auto plain = call("aten::linear", callOf("[2, 4, 64], [96, 64], []",
                                           "[256, 64, 1], [64, 1], []", types,
                                           R"("", "", "")"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->problem, "");
  EXPECT_EQ(plain->op, "linear");
  EXPECT_EQ(plain->dims.at("M"), ExprValue(8));
  EXPECT_EQ(plain->dims.at("N"), ExprValue(96));
  EXPECT_EQ(plain->dims.at("K"), ExprValue(64));
  EXPECT_EQ(plain->dtypes.at("OT"), "bf16");
  EXPECT_EQ(plain->optionIndices.at("with_bias"), 0);
  auto biased = call("aten::linear",
                     callOf("[4, 64], [96, 64], [96]", "[80, 1], [64, 1], [1]",
                            types, R"("", "", "")"));
  ASSERT_TRUE(biased);
  EXPECT_EQ(biased->optionIndices.at("with_bias"), 1);
  EXPECT_EQ(biased->dims.at("XS"), ExprValue(80));
}

TEST_F(Recognize, LayoutsFollowFromStrides) {
  constexpr StringRef types = R"("c10::Half", "c10::Half")";
  auto product = [&](StringRef strides) {
    return call("aten::mm", callOf("[8, 64], [64, 96]", strides, types, ""));
  };
  auto turned = product("[64, 1], [1, 64]"),
       plain = product("[64, 1], [96, 1]");
  ASSERT_TRUE(turned && plain);
  EXPECT_EQ(turned->optionIndices.at("w_layout"), 0);
  EXPECT_EQ(turned->dims.at("WS"), ExprValue(64));
  EXPECT_EQ(plain->optionIndices.at("w_layout"), 1);
  EXPECT_EQ(plain->dims.at("WS"), ExprValue(96));
  auto both = product("[1, 8], [100, 1]");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->problem, "");
  EXPECT_EQ(both->optionIndices.at("x_layout"), 1);
  EXPECT_EQ(both->dims.at("XS"), ExprValue(8));
  EXPECT_EQ(both->dims.at("WS"), ExprValue(100));
  EXPECT_NE(product("[64, 1], [192, 2]")->problem, "");
  auto unknown = call("aten::mm", R"({"dims": [[8, 64], [64, 96]],
                      "types": ["c10::Half", "c10::Half"]})");
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(unknown->assumedStrides);
  EXPECT_EQ(unknown->optionIndices.count("w_layout"), 0u);
}

TEST_F(Recognize, AddmmAddsABiasOrAResidual) {
  auto sum = [&](StringRef first, StringRef beta) {
    return call("aten::addmm",
                callOf((first + ", [8, 64], [64, 96]").str(),
                       first.contains(',') ? "[96, 1], [64, 1], [1, 64]"
                                           : "[1], [64, 1], [1, 64]",
                       R"("c10::Half", "c10::Half", "c10::Half")",
                       (R"("", "", "", ")" + beta + R"(", "1")").str()));
  };
  EXPECT_EQ(sum("[96]", "1")->optionIndices.at("with_bias"), 1);
  EXPECT_EQ(sum("[96]", "1")->optionIndices.at("with_residual"), 0);
  EXPECT_EQ(sum("[8, 96]", "1")->optionIndices.at("with_residual"), 1);
  EXPECT_NE(sum("[96]", "0.5")->problem, "");
}

TEST_F(Recognize, ScaledProductsSayTheirScales) {
  constexpr StringRef types =
      R"("c10::BFloat16", "c10::Float8_e4m3fn", "c10::Float8_e4m3fn",
         "float", "float", "")";
  auto scaled =
      call("_C::cutlass_scaled_mm",
           callOf("[8, 96], [8, 64], [64, 96], [8, 1], [1], []",
                  "[96, 1], [64, 1], [1, 64], [1, 1], [1], []", types, ""));
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->problem, "");
  EXPECT_EQ(scaled->op, "scaled_linear");
  EXPECT_EQ(scaled->dtypes.at("XT"), "f8E4M3FN");
  EXPECT_EQ(scaled->dtypes.at("OT"), "bf16");
  EXPECT_EQ(scaled->optionIndices.at("x_scaling"), 1);
  EXPECT_EQ(scaled->optionIndices.at("w_scaling"), 0);
  EXPECT_EQ(scaled->optionIndices.at("accumulate"), 1);
  auto typed = [&](StringRef code) {
    return call(
        "aten::_scaled_mm",
        callOf("[8, 64], [64, 96], [], [], [], [], [], []",
               "[64, 1], [1, 64], [], [], [], [], [], []",
               R"("c10::Float8_e5m2", "c10::Float8_e4m3fn")",
               (R"("", "", "", "", "", "", ")" + code + R"(", "True")").str()));
  };
  EXPECT_EQ(typed("15")->dtypes.at("OT"), "bf16");
  EXPECT_EQ(typed("5")->dtypes.at("OT"), "f16");
  EXPECT_EQ(typed("6")->dtypes.at("OT"), "f32");
  EXPECT_EQ(typed("6")->dtypes.at("XT"), "f8E5M2");
  EXPECT_NE(typed("24")->problem, "");
}

TEST_F(Recognize, RefusesRowsWithoutOnePitch) {
  EXPECT_NE(call("_C::rms_norm", withStrides(512, 100))->problem, "");
  EXPECT_NE(call("_C::rms_norm", withStrides(160, 32))->problem, "");
  EXPECT_EQ(call("_C::rms_norm", withStrides(500, 100))->problem, "");
}

TEST_F(Recognize, SaysWhatIsMissing) {
  EXPECT_FALSE(call("aten::no_such_thing", ""));
  EXPECT_EQ(call("_C::rms_norm", "")->problem, "no shape was recorded");
  EXPECT_EQ(call("_C::rms_norm", "{]")->problem, "its arguments are damaged");
  EXPECT_EQ(call("_C::rms_norm", "{\"dims\":" + std::string(5000, '[') + "}")
                ->problem,
            "its arguments are damaged");
  EXPECT_NE(call("_C::rms_norm", R"({"dims": [[], [], [4]]})")->problem, "");
  EXPECT_NE(call("_C::rms_norm", R"({"dims": [[4, 4], [4, 4], [4]],
      "types": ["QInt8", "QInt8", ""]})")
                ->problem,
            "");
  EXPECT_NE(call("vllm::unified_attention", R"({"dims": []})")->problem, "");
}

TEST_F(Recognize, AssumesOnlyWhatIsAllowed) {
  const char *arguments = R"({"dims": [[8, 64], [], [64], []]})";
  EXPECT_NE(call("aten::rms_norm", arguments)->problem, "");
  auto result = recognize(patterns.ops, "aten::rms_norm", arguments, "bf16");
  EXPECT_EQ(result->problem, "");
  EXPECT_TRUE(result->assumedStrides);
  EXPECT_TRUE(result->assumedDTypes);
  EXPECT_EQ(result->dtypes.at("DT"), "bf16");
  EXPECT_FALSE(result->dims.count("XS"));
}

TEST_F(Recognize, PicksThePatternWhoseConditionHolds) {
  // One name, two argument orders.
  auto outFirst = call("aiter::rms_norm", R"({"dims": [[3, 8], [3, 8], [8], []],
      "types": ["float", "float", "float", ""]})");
  auto outLess = call("aiter::rms_norm", R"({"dims": [[3, 8], [8], []],
      "types": ["float", "float", ""]})");
  EXPECT_EQ(outFirst->problem, "");
  EXPECT_EQ(outLess->problem, "");
  EXPECT_EQ(outFirst->dims.at("T"), outLess->dims.at("T"));
}

TEST_F(Recognize, KnowsFlashInferByRegistrationAndByWrapper) {
  auto direct = call("flashinfer::rmsnorm", R"({
      "dims": [[10, 64], [10, 64], [64], [], []],
      "types": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", ""],
      "strides": [[64, 1], [80, 1], [1], [], []],
      "values": ["", "", "", "1e-06", "True"]})");
  ASSERT_TRUE(direct);
  EXPECT_EQ(direct->problem, "");
  EXPECT_EQ(direct->dims.at("T"), ExprValue(10));
  EXPECT_EQ(direct->dims.at("XS"), ExprValue(80));
  auto wrapped = call("rms_norm::flashinfer", R"({
      "dims": [[10, 64], [64], []],
      "types": ["c10::BFloat16", "c10::BFloat16", "Scalar"],
      "strides": [[80, 1], [1], []], "values": ["", "", "1e-06"]})");
  ASSERT_TRUE(wrapped);
  EXPECT_EQ(wrapped->dims, direct->dims);
  EXPECT_DOUBLE_EQ(wrapped->scalars.at("eps"), 1e-6);
  EXPECT_NE(call("flashinfer::gemma_rmsnorm", "{}")->problem, "");
}

TEST_F(Recognize, KnowsWhatTheProfilerOfSGLangWraps) {
  for (StringRef name : {"sglang_profiler::fp8_utils_gemm_a8w8_blockscale_7",
                         "sglang_profiler::gemm_a8w8_blockscale",
                         "sglang_profiler::fused_moe_triton_kernels_invoke_"
                         "fused_moe_kernel_4"}) {
    auto wrapped = call(name, R"({"dims": [[8, 128], [64, 128]]})");
    ASSERT_TRUE(wrapped) << name.str();
    EXPECT_NE(wrapped->problem, "") << name.str();
  }
  EXPECT_FALSE(call("sglang_profiler::something_else_2", "{}"));
}

TEST_F(Recognize, RefusesTransformerEngineWeightsThatCountFromOne) {
  auto norm = [&](std::string centered) {
    return call("tex_ts::layernorm_fwd_inf_ts",
                R"({"dims": [[10, 64], [64], [64], [], [], []],
      "types": ["float", "float", "float", "Scalar", "Scalar", "Scalar"],
      "strides": [[64, 1], [1], [1], [], [], []],
      "values": ["", "", "", "1e-05", "0", ")" +
                    centered + "\"]}");
  };
  auto plain = norm("False");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->problem, "");
  EXPECT_EQ(plain->op, "layer_norm");
  EXPECT_EQ(plain->dims.at("H"), ExprValue(64));
  EXPECT_NE(norm("True")->problem, "");
}

TEST(Patterns, KnowTheOperatorsTheyName) {
  auto operators = loadOperators({LATHE_SOURCE_DIR "/templates"});
  ASSERT_TRUE(bool(operators));
  PatternSet patterns;
  ASSERT_FALSE(
      bool(patterns.load(LATHE_SOURCE_DIR "/templates/patterns/trace")));
  for (const Pattern &pattern : patterns.ops) {
    auto spec = operators->find(pattern.op);
    if (spec == operators->end())
      continue;
    auto hasDim = [&](StringRef name) {
      for (const DimSpec &dim : spec->second.dims)
        if (dim.name == name)
          return true;
      return false;
    };
    for (auto &[dim, mapping] : pattern.dims)
      EXPECT_TRUE(hasDim(dim)) << pattern.op << ' ' << dim;
    for (auto &[dim, position] : pattern.strides)
      EXPECT_TRUE(hasDim(dim)) << pattern.op << ' ' << dim;
    // Whoever gives a shape gives all that has no default.
    for (const DimSpec &dim : spec->second.dims) {
      bool given = dim.defaultValue || !pattern.unshaped.empty();
      for (auto &[name, mapping] : pattern.dims)
        given |= name == dim.name;
      EXPECT_TRUE(given) << pattern.op << ' ' << dim.name;
    }
  }
}

TEST(Patterns, NameKnownTorchTypes) {
  EXPECT_EQ(dtypeOfTorch("c10::BFloat16"), "bf16");
  EXPECT_EQ(dtypeOfTorch("c10::Float8_e4m3fnuz"), "f8E4M3FNUZ");
  EXPECT_EQ(dtypeOfTorch("Scalar"), "");
}

} // namespace
