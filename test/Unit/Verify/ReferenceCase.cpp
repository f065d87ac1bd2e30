//===- ReferenceCase.cpp - Runs of references for tests -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "lathe/Ingest/Load.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace lathe;
using namespace lathe::test;
using llvm::StringRef;

static constexpr size_t guardBytes = 256;
static constexpr char poison = char(0xCB);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Tensor::Tensor(std::string name, std::vector<int64_t> extents,
               std::vector<int64_t> pitches)
    : dtype(std::move(name)), shape(std::move(extents)),
      strides(std::move(pitches)), format(parseFloatFormat(dtype)),
      width(dtypeBits(dtype) / 8) {
  bool isDense = strides.empty();
  for (int64_t extent : llvm::reverse(shape)) {
    if (isDense)
      strides.insert(strides.begin(), count);
    count *= extent;
  }
  size_t bytes = count ? placeOf(count - 1) + width - guardBytes : 0;
  memory.assign(bytes + 2 * guardBytes, poison);
}

size_t Tensor::placeOf(int64_t i) const {
  size_t offset = 0;
  for (size_t dim = shape.size(); dim-- != 0;) {
    offset += size_t(i % shape[dim]) * size_t(strides[dim]);
    i /= shape[dim];
  }
  return guardBytes + offset * width;
}

uint64_t Tensor::bits(int64_t i) const {
  uint64_t element = 0;
  std::memcpy(&element, &memory[placeOf(i)], width);
  return element;
}

double Tensor::operator[](int64_t i) const {
  uint64_t element = bits(i);
  return format       ? decodeFloat(*format, element)
         : width == 4 ? double(int32_t(element))
                      : double(int64_t(element));
}

void Tensor::set(int64_t i, double value) {
  uint64_t element =
      format ? encodeFloat(*format, value) : uint64_t(int64_t(value));
  std::memcpy(&memory[placeOf(i)], &element, width);
}

int64_t Tensor::linear(Index index) const {
  EXPECT_EQ(index.size(), shape.size());
  int64_t result = 0;
  unsigned axis = 0;
  for (int64_t i : index)
    result = result * shape[axis++] + i;
  return result;
}

void Tensor::setAll(llvm::ArrayRef<double> values) {
  ASSERT_EQ(int64_t(values.size()), count);
  for (auto [i, value] : llvm::enumerate(values))
    set(i, value);
}

Tensor &&Tensor::fill(double value) && {
  for (int64_t i = 0; i < count; ++i)
    set(i, value);
  return std::move(*this);
}

Tensor &&Tensor::random(unsigned seed, double low, double high) && {
  std::mt19937 engine(seed);
  for (int64_t i = 0; i < count; ++i)
    set(i, low + (high - low) * (engine() / 4294967296.0));
  return std::move(*this);
}

void Tensor::copyElements(const Tensor &from) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(&memory[placeOf(i)], &from.memory[from.placeOf(i)], width);
}

ReferenceOperand Tensor::operand() {
  return {memory.data() + guardBytes, shape, strides};
}

void test::expectSame(const Tensor &found, const Tensor &expected) {
  ASSERT_EQ(found.count, expected.count);
  int64_t different = 0;
  for (int64_t i = 0; i < found.count; ++i) {
    bool same = found[i] == expected[i] ||
                (std::isnan(found[i]) && std::isnan(expected[i]));
    if (!same && ++different <= 3)
      ADD_FAILURE() << "element " << i << " is " << found[i] << ", expected "
                    << expected[i];
  }
  EXPECT_EQ(different, 0);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static const OperatorSpec &findOperator(StringRef op) {
  static OperatorTable table =
      llvm::cantFail(loadOperators({LATHE_SOURCE_DIR "/templates"}));
  return table.find(op)->second;
}

const Reference &test::referenceOf(StringRef op, const DTypes &dtypes) {
  static std::map<std::pair<std::string, Names>, std::unique_ptr<Reference>>
      compiled;
  auto &slot = compiled[{op.str(), dtypes}];
  if (!slot)
    slot = llvm::cantFail(Reference::compile(findOperator(op), dtypes));
  return *slot;
}

static void runChecked(const Reference &reference,
                       llvm::ArrayRef<Tensor *> tensors,
                       const Arguments &arguments,
                       llvm::function_ref<bool(size_t)> isOutput) {
  std::vector<Tensor> before;
  std::vector<ReferenceOperand> operands;
  for (Tensor *tensor : tensors) {
    before.push_back(*tensor);
    operands.push_back(tensor->operand());
  }
  llvm::Error error = reference.run(operands, arguments.dims, arguments.options,
                                    arguments.scalars, arguments.ranges);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    // What an output may change is set again before both are compared.
    if (isOutput(i))
      before[i].copyElements(*tensor);
    EXPECT_TRUE(before[i] == *tensor)
        << "operand " << i << " changed where it must not";
  }
}

void test::run(const std::string &op, const DTypes &dtypes,
               std::vector<Tensor> inputs,
               std::initializer_list<std::reference_wrapper<Tensor>> out,
               const Arguments &arguments) {
  std::vector<Tensor *> tensors;
  for (Tensor &tensor : inputs)
    tensors.push_back(&tensor);
  for (Tensor &tensor : out)
    tensors.push_back(&tensor);
  runChecked(referenceOf(op, dtypes), tensors, arguments,
             [&](size_t i) { return i >= inputs.size(); });
}

ReferenceCase::ReferenceCase(StringRef op, Bindings dims, Names dtypes,
                             Names options,
                             std::map<std::string, double, std::less<>> scalars)
    : spec(findOperator(op)), entry(defaultEntry(spec)) {
  for (auto &[name, value] : dtypes)
    entry.dtypes[name] = value;
  for (auto &[name, value] : options)
    entry.options[name] = value;
  for (auto &[name, value] : scalars)
    entry.scalars[name] = value;
  bindings = llvm::cantFail(bindAll(spec, entry, dims));
  auto evaluate = [&](const std::vector<Expr> &exprs) {
    std::vector<int64_t> result;
    for (const Expr &expr : exprs)
      result.push_back(llvm::cantFail(expr.evaluate(bindings)));
    return result;
  };
  for (const OperandSpec &operand : spec.operands)
    tensors.emplace_back(resolveDType(entry, operand.dtype),
                         evaluate(operand.shape), evaluate(operand.strides));
}

Tensor &ReferenceCase::find(StringRef name) {
  for (auto [operand, tensor] : llvm::zip_equal(spec.operands, tensors))
    if (operand.name == name)
      return tensor;
  llvm::report_fatal_error("no operand '" + name + "'");
}

void ReferenceCase::normal(StringRef name, double scale, double offset,
                           unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> distribution;
  std::vector<double> values(size(name));
  for (double &value : values)
    value = offset + scale * distribution(random);
  set(name, values);
}

void ReferenceCase::integers(StringRef name, int64_t low, int64_t high,
                             unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int64_t> distribution(low, high - 1);
  std::vector<double> values(size(name));
  for (double &value : values)
    value = double(distribution(random));
  set(name, values);
}

std::vector<double> ReferenceCase::get(StringRef name) {
  const Tensor &tensor = find(name);
  std::vector<double> values(tensor.count);
  for (auto [i, value] : llvm::enumerate(values))
    value = tensor[i];
  return values;
}

unsigned ReferenceCase::sampledRank() {
  return referenceOf(spec.name, entry.dtypes).sampledRank();
}

void ReferenceCase::run(llvm::ArrayRef<IndexRange> ranges) {
  Arguments arguments;
  arguments.ranges = ranges.vec();
  for (const DimSpec &dim : spec.dims)
    if (dim.isForReference())
      arguments.dims.push_back(
          bindings.find(dim.name)->second.elements.front());
  for (const OptionSpec &option : spec.options)
    arguments.options.push_back(
        bindings.find(option.name)->second.elements.front());
  for (const ScalarSpec &scalar : spec.scalars)
    arguments.scalars.push_back(entry.scalars.find(scalar.name)->second);
  std::vector<Tensor *> pointers;
  for (Tensor &tensor : tensors)
    pointers.push_back(&tensor);
  runChecked(referenceOf(spec.name, entry.dtypes), pointers, arguments,
             [&](size_t i) { return spec.operands[i].isOutput; });
}

double lathe::stepsApart(FloatFormat format, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : HUGE_VAL;
  auto order = [&](double value) {
    double magnitude = double(encodeFloat(format, std::abs(value)));
    return value < 0 ? -magnitude : magnitude;
  };
  return std::abs(order(a) - order(b));
}
