//===- ReferenceCase.cpp - One run of an operator's reference -------------===//
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
using llvm::StringRef;

static constexpr size_t guardBytes = 256;
static constexpr char poison = char(0xCB);

static const OperatorSpec &findOperator(StringRef op) {
  static OperatorTable table =
      llvm::cantFail(loadOperators({LATHE_SOURCE_DIR "/templates"}));
  return table.find(op)->second;
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
  for (const OperandSpec &operand : spec.operands) {
    Tensor &tensor = tensors.emplace_back();
    tensor.spec = operand;
    tensor.dtype = resolveDType(entry, operand.dtype);
    tensor.bytes = dtypeBits(tensor.dtype) / 8;
    tensor.elements = 1;
    for (const Expr &extent : operand.shape) {
      tensor.shape.push_back(llvm::cantFail(extent.evaluate(bindings)));
      tensor.elements *= size_t(tensor.shape.back());
    }
    int64_t dense = 1;
    tensor.strides.resize(tensor.shape.size());
    for (size_t dim = tensor.shape.size(); dim-- != 0;) {
      tensor.strides[dim] =
          operand.strides.empty()
              ? dense
              : llvm::cantFail(operand.strides[dim].evaluate(bindings));
      dense *= tensor.shape[dim];
    }
    if (tensor.elements != 0)
      tensor.span = offsetOf(tensor, tensor.elements - 1) + 1;
    tensor.memory.assign(tensor.span * tensor.bytes + 2 * guardBytes, poison);
  }
}

const ReferenceCase::Tensor &ReferenceCase::find(StringRef name) const {
  for (const Tensor &tensor : tensors)
    if (tensor.spec.name == name)
      return tensor;
  llvm::report_fatal_error("no operand '" + name + "'");
}

size_t ReferenceCase::offsetOf(const Tensor &tensor, size_t index) const {
  size_t offset = 0;
  for (size_t dim = tensor.shape.size(); dim-- != 0;) {
    offset += index % size_t(tensor.shape[dim]) * size_t(tensor.strides[dim]);
    index /= size_t(tensor.shape[dim]);
  }
  return offset;
}

void ReferenceCase::set(StringRef name, const std::vector<double> &values) {
  Tensor &tensor = find(name);
  ASSERT_EQ(values.size(), tensor.elements) << name.str();
  auto format = parseFloatFormat(tensor.dtype);
  for (size_t i = 0; i != values.size(); ++i) {
    uint64_t element =
        format ? encodeFloat(*format, values[i]) : uint64_t(int64_t(values[i]));
    std::memcpy(&tensor.memory[guardBytes + offsetOf(tensor, i) * tensor.bytes],
                &element, tensor.bytes);
  }
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

size_t ReferenceCase::size(StringRef name) const { return find(name).elements; }

uint64_t ReferenceCase::bits(StringRef name, size_t index) const {
  const Tensor &tensor = find(name);
  uint64_t element = 0;
  std::memcpy(
      &element,
      &tensor.memory[guardBytes + offsetOf(tensor, index) * tensor.bytes],
      tensor.bytes);
  return element;
}

std::vector<double> ReferenceCase::get(StringRef name) const {
  const Tensor &tensor = find(name);
  auto format = parseFloatFormat(tensor.dtype);
  std::vector<double> values(tensor.elements);
  for (size_t i = 0; i != values.size(); ++i) {
    uint64_t element = bits(name, i);
    values[i] = format              ? decodeFloat(*format, element)
                : tensor.bytes == 4 ? double(int32_t(element))
                                    : double(int64_t(element));
  }
  return values;
}

const Reference &ReferenceCase::compiled() {
  static std::map<std::string, std::unique_ptr<Reference>> cache;
  std::string key = spec.name;
  for (auto &[variable, dtype] : entry.dtypes)
    key += " " + variable + ":" + dtype;
  std::unique_ptr<Reference> &slot = cache[key];
  if (!slot)
    slot = llvm::cantFail(Reference::compile(spec, entry.dtypes));
  return *slot;
}

unsigned ReferenceCase::sampledRank() { return compiled().sampledRank(); }

void ReferenceCase::run(llvm::ArrayRef<IndexRange> ranges) {
  std::vector<ReferenceOperand> operands;
  for (Tensor &tensor : tensors)
    operands.push_back(
        {tensor.memory.data() + guardBytes, tensor.shape, tensor.strides});
  std::vector<int64_t> dims, options;
  std::vector<double> scalars;
  for (const DimSpec &dim : spec.dims)
    if (dim.kind != DimKind::List)
      dims.push_back(bindings.find(dim.name)->second.elements.front());
  for (const OptionSpec &option : spec.options)
    options.push_back(bindings.find(option.name)->second.elements.front());
  for (const ScalarSpec &scalar : spec.scalars)
    scalars.push_back(entry.scalars.find(scalar.name)->second);

  std::vector<std::vector<char>> before;
  for (const Tensor &tensor : tensors)
    before.push_back(tensor.memory);
  llvm::Error error = compiled().run(operands, dims, options, scalars, ranges);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  for (size_t i = 0; i != tensors.size(); ++i) {
    const Tensor &tensor = tensors[i];
    // What an output may change is restored before both are compared.
    if (tensor.spec.isOutput)
      for (size_t e = 0; e != tensor.elements; ++e) {
        size_t at = guardBytes + offsetOf(tensor, e) * tensor.bytes;
        std::memcpy(&before[i][at], &tensor.memory[at], tensor.bytes);
      }
    EXPECT_EQ(before[i], tensor.memory)
        << "bytes of '" << tensor.spec.name << "' that must not change";
  }
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
