//===- ReferenceCasesTest.cpp - References on drawn inputs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every case and every mode of every operator: inputs can be drawn, the
// reference stays inside of its operands, writes all outputs alike from any
// memory, and a sample agrees with the whole.
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Verify/Element.h"
#include "lathe/Verify/Inputs.h"
#include "lathe/Verify/Reference.h"

#include "gtest/gtest.h"

using namespace lathe;

namespace {

/// Small sizes by name; another dim without a default is 5.
int64_t smallSize(llvm::StringRef dim) {
  static const std::map<std::string, int64_t, std::less<>> sizes = {
      {"D", 16},  {"DK", 8}, {"DV", 6}, {"E", 12},  {"G", 16}, {"GK", 16},
      {"GN", 16}, {"H", 32}, {"HK", 2}, {"HKV", 2}, {"HQ", 4}, {"HV", 4},
      {"I", 24},  {"K", 40}, {"N", 20}, {"R", 8},   {"C", 16}, {"TOPK", 3}};
  auto it = sizes.find(dim);
  return it == sizes.end() ? 5 : it->second;
}

struct Memory {
  std::vector<char> bytes;
  ReferenceOperand operand;
  uint64_t count = 1;
};

class Trial {
public:
  Trial(const OperatorSpec &spec, const OpSetEntry &entry, const Draw &draw)
      : spec(spec), entry(entry) {
    Bindings dims = draw.spec ? draw.spec->dims : Bindings();
    for (const DimSpec &dim : spec.dims)
      if (!dims.count(dim.name) && !dim.defaultValue)
        dims[dim.name] = dim.kind == DimKind::List
                             ? ExprValue(std::vector<int64_t>{3, 17, 3})
                             : ExprValue(smallSize(dim.name));
    bindings = llvm::cantFail(bindAll(spec, entry, dims));
    auto made = InputGenerator::create(spec, entry, bindings, draw);
    if (!made) {
      ADD_FAILURE() << llvm::toString(made.takeError());
      return;
    }
    for (auto [i, operand] : llvm::enumerate(spec.operands)) {
      auto type = llvm::cantFail(
          ElementType::parse(resolveDType(entry, operand.dtype)));
      Memory &memory = operands.emplace_back();
      for (const Expr &extent : operand.shape)
        memory.operand.shape.push_back(
            llvm::cantFail(extent.evaluate(bindings)));
      for (int64_t extent : llvm::reverse(memory.operand.shape)) {
        memory.operand.strides.insert(memory.operand.strides.begin(),
                                      int64_t(memory.count));
        memory.count *= extent;
      }
      memory.bytes.resize(memory.count * type.bytes + 1);
      if (!operand.isOutput)
        made->fill(i, 0, memory.count, memory.bytes.data());
    }
  }

  /// The outputs' bytes, one after another, if they held `poison` before.
  std::string run(const Reference &reference, char poison,
                  std::vector<IndexRange> ranges = {}) {
    std::vector<ReferenceOperand> arguments;
    for (auto [memory, operand] : llvm::zip_equal(operands, spec.operands)) {
      if (operand.isOutput)
        std::fill(memory.bytes.begin(), memory.bytes.end(), poison);
      arguments.push_back(memory.operand);
      arguments.back().data = memory.bytes.data();
    }
    std::vector<int64_t> dims, options;
    std::vector<double> scalars;
    for (const DimSpec &dim : spec.dims)
      if (dim.isForReference())
        dims.push_back(bindings.at(dim.name).elements.front());
    for (const OptionSpec &option : spec.options)
      options.push_back(bindings.at(option.name).elements.front());
    for (const ScalarSpec &scalar : spec.scalars)
      scalars.push_back(entry.scalars.at(scalar.name));
    llvm::Error error =
        reference.run(arguments, dims, options, scalars, ranges);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    std::string result;
    for (auto [memory, operand] : llvm::zip_equal(operands, spec.operands))
      if (operand.isOutput)
        result.append(memory.bytes.begin(), memory.bytes.end() - 1);
    return result;
  }

  bool isEmpty() const {
    return llvm::any_of(operands, [](auto &memory) { return !memory.count; });
  }

private:
  const OperatorSpec &spec;
  const OpSetEntry &entry;
  Bindings bindings;
  std::vector<Memory> operands;
};

class ReferenceCases : public testing::TestWithParam<std::string> {};

std::vector<std::string> namesOfOperators() {
  std::vector<std::string> names;
  auto table =
      llvm::cantFail(loadOperators({LATHE_SOURCE_DIR "/templates/operators"}));
  for (auto &[name, spec] : table)
    if (spec.hasReference)
      names.push_back(name);
  return names;
}

} // namespace

TEST_P(ReferenceCases, CanBeDrawnAndComputed) {
  auto spec = llvm::cantFail(
      loadOperator(LATHE_SOURCE_DIR "/templates/operators/" + GetParam()));
  OpSetEntry entry = defaultEntry(spec);
  auto reference = llvm::cantFail(Reference::compile(spec, entry.dtypes));
  std::vector<Draw> draws = {{DrawMode::Realistic, 1, nullptr},
                             {DrawMode::Adversarial, 2, nullptr},
                             {DrawMode::Edge, 3, nullptr}};
  for (const CaseSpec &item : spec.cases)
    draws.push_back({DrawMode::Realistic, 4, &item});
  for (const Draw &draw : draws) {
    SCOPED_TRACE(draw.name());
    Trial trial(spec, entry, draw);
    if (HasFailure())
      return;
    std::string zeros = trial.run(*reference, 0);
    EXPECT_TRUE(zeros == trial.run(*reference, char(0xA5)))
        << "an output depends on what its memory held";
    if (!reference->sampledRank() || trial.isEmpty())
      continue;
    // One leading index alone writes what it wrote before, and no more.
    std::string sample = trial.run(*reference, char(0xA5), {{0, 1}});
    std::string nothing = trial.run(*reference, char(0xA5), {{0, 0}});
    EXPECT_EQ(nothing, std::string(nothing.size(), char(0xA5)));
    size_t written = 0;
    for (size_t i = 0; i < sample.size(); ++i) {
      written += sample[i] != nothing[i];
      EXPECT_TRUE(sample[i] == nothing[i] || sample[i] == zeros[i]) << i;
    }
    EXPECT_GT(written, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, ReferenceCases,
                         testing::ValuesIn(namesOfOperators()),
                         [](const auto &info) { return info.param; });
