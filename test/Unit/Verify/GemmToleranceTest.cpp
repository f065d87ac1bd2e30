//===- GemmToleranceTest.cpp - What products of matrices may be off -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels in miniature, which differ in how they add up: what the policies of
// linear and scaled_linear ask for passes on every draw, what saves on it fails
// on one.
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Verify/Compare.h"
#include "lathe/Verify/Inputs.h"
#include "lathe/Verify/Reference.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace lathe;

namespace {

using Names = std::map<std::string, std::string, std::less<>>;
/// The sum of products, each of which is exact.
using Adder = std::function<double(llvm::ArrayRef<double>)>;

double inOrder(llvm::ArrayRef<double> products) {
  float sum = 0;
  for (double product : products)
    sum += float(product);
  return double(sum);
}

/// A few partial sums, as threads or splits make them.
double inStrides(llvm::ArrayRef<double> products) {
  float parts[8] = {};
  for (size_t i = 0; i < products.size(); ++i)
    parts[i % 8] += float(products[i]);
  float sum = 0;
  for (float part : parts)
    sum += part;
  return double(sum);
}

double cutOff(double value, double quantum) {
  return std::trunc(value / quantum) * quantum;
}

/// One step of a matrix instruction: all addends are cut off `bits` below the
/// largest one's leading bit.
double matrixStep(double sum, llvm::ArrayRef<double> products, int bits) {
  double plain = sum, largest = std::abs(sum);
  for (double product : products) {
    plain += product;
    largest = std::max(largest, std::abs(product));
  }
  if (largest == 0 || !std::isfinite(plain) || !std::isfinite(largest))
    return double(float(plain));
  double quantum = std::ldexp(1.0, std::ilogb(largest) - bits);
  double result = cutOff(sum, quantum);
  for (double product : products)
    result += cutOff(product, quantum);
  if (result == 0)
    return 0;
  return cutOff(result, std::ldexp(1.0, std::ilogb(result) - 23));
}

/// Steps of `width` columns; f32 takes over every `promoted` of them.
Adder onMatrixUnits(size_t width, int bits, size_t promoted = SIZE_MAX) {
  return [=](llvm::ArrayRef<double> products) {
    float whole = 0;
    double sum = 0;
    size_t since = 0;
    while (!products.empty()) {
      size_t count = std::min(width, products.size());
      sum = matrixStep(sum, products.take_front(count), bits);
      products = products.drop_front(count);
      since += count;
      if (since < promoted && !products.empty())
        continue;
      whole += float(sum);
      sum = since = 0;
    }
    return double(whole);
  };
}

/// Rounds to `format` after each step of 16 columns.
Adder narrowly(FloatFormat format) {
  return [=](llvm::ArrayRef<double> products) {
    double sum = 0;
    for (size_t i = 0; i < products.size(); ++i) {
      sum += products[i];
      if (i % 16 == 15)
        sum = roundTo(format, sum);
    }
    return sum;
  };
}

double withoutTheLast(llvm::ArrayRef<double> products) {
  return inOrder(products.drop_back(1));
}

Adder roundedEarly(FloatFormat format) {
  return [=](llvm::ArrayRef<double> products) {
    return roundTo(format, inOrder(products));
  };
}

/// One operator with what its entry chooses, at one size.
class Policy {
public:
  Policy(const std::string &op, Names dtypes, Names options, int64_t K,
         int64_t M = 66, int64_t N = 65)
      : M(M), N(N), K(K), spec(llvm::cantFail(loadOperator(
                              LATHE_SOURCE_DIR "/templates/operators/" + op))),
        entry(defaultEntry(spec)) {
    for (auto &[name, value] : dtypes)
      entry.dtypes[name] = value;
    for (auto &[name, value] : options)
      entry.options[name] = value;
    // So many that drift counts.
    bindings =
        llvm::cantFail(bindAll(spec, entry, {{"M", M}, {"N", N}, {"K", K}}));
    reference = llvm::cantFail(Reference::compile(spec, entry.dtypes));
    draws = {{DrawMode::Realistic, 1, nullptr},
             {DrawMode::Adversarial, 2, nullptr},
             {DrawMode::Edge, 3, nullptr}};
    for (const CaseSpec &item : spec.cases)
      draws.push_back({DrawMode::Realistic, 4, &item});
  }

  /// Draws of other seeds, too.
  void redraw(uint64_t seed) {
    for (Draw &draw : draws)
      draw.seed = seed++;
  }
  void expectPasses(const Adder &add) {
    for (const Draw &draw : draws) {
      std::string why = failure(draw, add);
      EXPECT_EQ(why, "") << draw.name();
    }
  }
  void expectFails(const Adder &add) {
    EXPECT_TRUE(llvm::any_of(
        draws, [&](const Draw &draw) { return !failure(draw, add).empty(); }));
  }

private:
  struct Memory {
    ElementType type;
    std::vector<int64_t> shape;
    std::vector<char> bytes;

    const char *row(int64_t m, int64_t N) const {
      return bytes.data() + m * N * type.bytes;
    }
    int64_t count() const { return int64_t(bytes.size()) / type.bytes; }
    double at(int64_t i) const {
      ElementFormat plain = type.plain();
      return elementValue(plain,
                          loadElement(plain, bytes.data() + i * type.bytes));
    }
  };

  /// Why the kernel does not pass this draw, or nothing.
  std::string failure(const Draw &draw, const Adder &add) {
    fill(draw);
    compute(add);
    return compare(draw);
  }

  void fill(const Draw &draw) { memory = drawn(draw); }

  std::map<std::string, Memory, std::less<>> drawn(const Draw &draw) const {
    std::map<std::string, Memory, std::less<>> memory;
    auto generator =
        llvm::cantFail(InputGenerator::create(spec, entry, bindings, draw));
    std::vector<ReferenceOperand> operands;
    for (auto [i, operand] : llvm::enumerate(spec.operands)) {
      Memory &own = memory[operand.name];
      own.type = llvm::cantFail(
          ElementType::parse(resolveDType(entry, operand.dtype)));
      int64_t count = 1;
      for (const Expr &extent : operand.shape) {
        own.shape.push_back(llvm::cantFail(extent.evaluate(bindings)));
        count *= own.shape.back();
      }
      own.bytes.resize(size_t(count) * own.type.bytes);
      if (!operand.isOutput)
        generator.fill(i, 0, uint64_t(count), own.bytes.data());
      std::vector<int64_t> strides = {1};
      if (own.shape.size() == 2)
        strides.insert(strides.begin(), own.shape[1]);
      operands.push_back({own.bytes.data(), own.shape, strides});
    }
    std::vector<int64_t> dims, options;
    for (const DimSpec &dim : spec.dims)
      dims.push_back(bindings.at(dim.name).elements.front());
    for (const OptionSpec &option : spec.options)
      options.push_back(bindings.at(option.name).elements.front());
    llvm::Error error = reference->run(operands, dims, options, {});
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    return memory;
  }

  double optional(llvm::StringRef name, int64_t i, double otherwise) const {
    auto own = memory.find(name);
    if (own == memory.end() || !own->second.count())
      return otherwise;
    return own->second.at(own->second.count() == 1 ? 0 : i);
  }

  /// Rows of the operand as numbers.
  std::vector<double> numbers(llvm::StringRef name) const {
    const Memory &own = memory.find(name)->second;
    std::vector<double> values(size_t(own.count()));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = own.at(int64_t(i));
    return values;
  }

  float activated(float x) const {
    auto chosen = bindings.find("activation");
    int64_t which = chosen == bindings.end() ? 0 : chosen->second.elements[0];
    switch (which) {
    case 1:
      return std::isnan(x) || x > 0 ? x : 0;
    case 2:
      return x / (1 + std::exp(-x));
    case 3:
      return 0.5f * x * (1 + std::erf(x * 0.70710678f));
    case 4:
      return 0.5f * x *
             (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
    case 5:
      return 1 / (1 + std::exp(-x));
    default:
      return x;
    }
  }

  void compute(const Adder &add) {
    std::vector<double> x = numbers("x"), w = numbers("w"), products(K);
    const Memory &out = memory.find("out")->second;
    found.assign(out.bytes.size(), 0);
    for (int64_t m = 0; m < M; ++m)
      for (int64_t n = 0; n < N; ++n) {
        for (int64_t k = 0; k < K; ++k)
          products[k] = double(float(x[m * K + k] * w[n * K + k]));
        auto y = float(add(products));
        y *=
            float(optional("x_scale", m, 1)) * float(optional("w_scale", n, 1));
        y += float(optional("bias", n, 0));
        y = activated(y) + float(optional("residual", m * N + n, 0));
        ElementFormat plain = out.type.plain();
        storeElement(plain, elementBits(plain, double(y)),
                     found.data() + (m * N + n) * plain.bytes);
      }
  }

  std::string compare(const Draw &draw) {
    ToleranceSpec tolerance = toleranceOf(spec, entry, "out");
    if (draw.mode != DrawMode::Realistic)
      tolerance.drift = 0;
    const Memory &out = memory.find("out")->second;
    Draw plain = draw;
    plain.magnitudes = true;
    Memory magnitudes = drawn(plain)["out"];
    Comparison comparison;
    for (int64_t m = 0; m < M; ++m)
      compareRow(comparison, out.type, tolerance, {m, 0}, N, out.row(m, N),
                 found.data() + m * N * out.type.bytes, magnitudes.row(m, N));
    std::string why;
    return comparison.passes(tolerance, why) ? "" : why;
  }

  int64_t M, N, K;
  OperatorSpec spec;
  OpSetEntry entry;
  Bindings bindings;
  std::unique_ptr<Reference> reference;
  std::vector<Draw> draws;
  std::map<std::string, Memory, std::less<>> memory;
  std::vector<char> found;
};

// The second is what no known unit falls below.
const Adder f32OnMatrixUnits = onMatrixUnits(16, 24);
const Adder f32OnNarrowMatrixUnits = onMatrixUnits(8, 23);
const Adder f8OnMatrixUnits = onMatrixUnits(32, 13, 128);
const Adder f8WithoutPromotion = onMatrixUnits(32, 13);

TEST(GemmTolerance, ShortRowsAreNotRefusedByLuck) {
  for (int64_t N : {1, 8})
    for (std::string result : {"bf16", "f16", "f32"}) {
      SCOPED_TRACE(result + " " + std::to_string(N));
      Policy policy(
          "linear", {{"DT", result == "f16" ? "f16" : "bf16"}, {"OT", result}},
          {{"activation", N == 1 ? "gelu_tanh" : "none"}}, 515, 256, N);
      for (uint64_t seed : {11, 21}) {
        policy.redraw(seed);
        policy.expectPasses(f32OnNarrowMatrixUnits);
      }
      policy.expectFails(withoutTheLast);
      if (result != "bf16")
        policy.expectFails(roundedEarly(FloatFormat::BF16));
    }
  Policy native("scaled_linear", {{"OT", "f32"}}, {{"accumulate", "native"}},
                2080, 128, 8);
  for (uint64_t seed : {41, 31, 21, 11}) {
    native.redraw(seed);
    native.expectPasses(f8OnMatrixUnits);
  }
  native.expectFails(f8WithoutPromotion);
  native.expectFails(withoutTheLast);
}

TEST(GemmTolerance, LinearAdmitsSumsInF32) {
  for (std::string result : {"bf16", "f16", "f32"})
    for (int64_t K : {1, 96, 515}) {
      SCOPED_TRACE(result + " " + std::to_string(K));
      Policy policy("linear",
                    {{"DT", result == "f16" ? "f16" : "bf16"}, {"OT", result}},
                    {}, K);
      policy.expectPasses(inOrder);
      policy.expectPasses(inStrides);
      policy.expectPasses(f32OnMatrixUnits);
      policy.expectPasses(f32OnNarrowMatrixUnits);
    }
}

TEST(GemmTolerance, LinearAdmitsLongSumsOnMatrixUnits) {
  for (std::string result : {"f16", "f32"}) {
    SCOPED_TRACE(result);
    Policy policy("linear", {{"OT", result}}, {}, 2048);
    policy.expectPasses(f32OnNarrowMatrixUnits);
    policy.expectFails(withoutTheLast);
  }
}

TEST(GemmTolerance, LinearAdmitsActivationsInF32) {
  for (std::string activation :
       {"relu", "silu", "gelu", "gelu_tanh", "sigmoid"})
    for (std::string result : {"bf16", "f32"}) {
      SCOPED_TRACE(activation + " " + result);
      Policy policy("linear", {{"OT", result}},
                    {{"activation", activation},
                     {"with_bias", "yes"},
                     {"with_residual", "yes"}},
                    257);
      policy.expectPasses(f32OnMatrixUnits);
      policy.expectFails(withoutTheLast);
      policy.expectFails(roundedEarly(FloatFormat::BF16));
    }
}

TEST(GemmTolerance, LinearRefusesWhatSavesOnSums) {
  for (std::string result : {"bf16", "f16", "f32"})
    for (int64_t K : {96, 515}) {
      SCOPED_TRACE(result + " " + std::to_string(K));
      Policy policy("linear",
                    {{"DT", result == "f16" ? "f16" : "bf16"}, {"OT", result}},
                    {{"with_bias", "yes"}}, K);
      policy.expectFails(narrowly(FloatFormat::BF16));
      policy.expectFails(withoutTheLast);
      policy.expectFails(roundedEarly(FloatFormat::BF16));
      if (result != "bf16")
        policy.expectFails(narrowly(FloatFormat::F16));
      if (result == "f32")
        policy.expectFails(roundedEarly(FloatFormat::F16));
    }
}

TEST(GemmTolerance, ScaledLinearTellsItsPoliciesApart) {
  for (std::string x : {"f8E4M3FN", "f8E5M2"})
    for (int64_t K : {512, 1056}) {
      SCOPED_TRACE(x + " " + std::to_string(K));
      Names dtypes = {{"XT", x}, {"OT", "f32"}};
      Names options = {{"x_scaling", "token"}, {"w_scaling", "channel"}};
      Policy exact("scaled_linear", dtypes, options, K);
      exact.expectPasses(f32OnMatrixUnits);
      exact.expectPasses(inOrder);
      exact.expectFails(f8OnMatrixUnits);
      options["accumulate"] = "native";
      Policy native("scaled_linear", dtypes, options, K);
      native.expectPasses(f32OnMatrixUnits);
      native.expectPasses(f8OnMatrixUnits);
      native.expectFails(f8WithoutPromotion);
      native.expectFails(withoutTheLast);
      native.expectFails(roundedEarly(FloatFormat::BF16));
    }
}

TEST(GemmTolerance, ScaledLinearRoundsToSixteenBitsOnce) {
  for (std::string result : {"bf16", "f16"})
    for (std::string accumulate : {"exact", "native"}) {
      SCOPED_TRACE(result + " " + accumulate);
      Policy policy("scaled_linear", {{"OT", result}},
                    {{"with_bias", "yes"}, {"accumulate", accumulate}}, 515);
      policy.expectPasses(f32OnMatrixUnits);
      if (accumulate == "native")
        policy.expectPasses(f8OnMatrixUnits);
      policy.expectFails(narrowly(FloatFormat::BF16));
      policy.expectFails(withoutTheLast);
      policy.expectFails(roundedEarly(FloatFormat::BF16));
    }
}

} // namespace
