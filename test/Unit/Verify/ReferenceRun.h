//===- ReferenceRun.h - Tensors and references for tests --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_VERIFY_REFERENCERUN_H
#define LATHE_TEST_UNIT_VERIFY_REFERENCERUN_H

#include "lathe/Ingest/Load.h"
#include "lathe/Support/FloatFormat.h"
#include "lathe/Verify/Reference.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace lathe::test {

using DTypes = std::map<std::string, std::string, std::less<>>;
using Index = std::initializer_list<int64_t>;

/// A dense tensor that holds the bits of its dtype: a float or i32.
class Tensor {
public:
  Tensor(std::string dtype, std::vector<int64_t> shape)
      : dtype(std::move(dtype)), shape(std::move(shape)),
        format(parseFloatFormat(this->dtype)),
        width(format ? floatStorageBits(*format) / 8 : 4) {
    count = 1;
    for (int64_t extent : this->shape)
      count *= extent;
    // Never empty, so that a pointer to it is one.
    bytes.resize(count * width + 1);
  }

  /// By linear index.
  double operator[](int64_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * width], width);
    return format ? decodeFloat(*format, bits) : double(int32_t(bits));
  }
  /// Rounds to the dtype.
  void set(int64_t i, double value) {
    uint64_t bits =
        format ? encodeFloat(*format, value) : uint32_t(int32_t(value));
    std::memcpy(&bytes[i * width], &bits, width);
  }

  int64_t linear(Index index) const {
    EXPECT_EQ(index.size(), shape.size());
    int64_t result = 0;
    unsigned axis = 0;
    for (int64_t i : index)
      result = result * shape[axis++] + i;
    return result;
  }
  double at(Index index) const { return (*this)[linear(index)]; }
  void set(Index index, double value) { set(linear(index), value); }

  Tensor &&fill(double value) && {
    for (int64_t i = 0; i < count; ++i)
      set(i, value);
    return std::move(*this);
  }
  Tensor &&values(std::initializer_list<double> list) && {
    EXPECT_EQ(int64_t(list.size()), count);
    for (auto [i, value] : llvm::enumerate(list))
      set(i, value);
    return std::move(*this);
  }
  /// Uniform in [low, high).
  Tensor &&random(unsigned seed, double low = -1, double high = 1) && {
    std::mt19937 engine(seed);
    for (int64_t i = 0; i < count; ++i)
      set(i, low + (high - low) * (engine() / 4294967296.0));
    return std::move(*this);
  }

  ReferenceOperand operand() {
    ReferenceOperand result;
    result.data = bytes.data();
    result.shape = shape;
    int64_t stride = 1;
    for (int64_t extent : llvm::reverse(shape)) {
      result.strides.insert(result.strides.begin(), stride);
      stride *= extent;
    }
    return result;
  }

  /// `value` as this dtype holds it.
  double round(double value) const { return roundTo(*format, value); }

  bool operator==(const Tensor &other) const { return bytes == other.bytes; }

  std::string dtype;
  std::vector<int64_t> shape;
  int64_t count;

private:
  std::optional<FloatFormat> format;
  unsigned width;
  std::vector<char> bytes;
};

/// Same values; NaN is NaN.
inline void expectSame(const Tensor &found, const Tensor &expected) {
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

struct Arguments {
  std::vector<int64_t> dims, options;
  std::vector<double> scalars;
  std::vector<IndexRange> ranges;
};

/// Compiled once for each operator and dtypes.
inline const Reference &referenceOf(const std::string &op,
                                    const DTypes &dtypes) {
  static std::map<std::pair<std::string, DTypes>, std::unique_ptr<Reference>>
      compiled;
  auto &slot = compiled[{op, dtypes}];
  if (!slot) {
    auto spec = llvm::cantFail(
        loadOperator(LATHE_SOURCE_DIR "/templates/operators/" + op));
    slot = llvm::cantFail(Reference::compile(spec, dtypes));
  }
  return *slot;
}

/// Operands in the operator's order; outputs are written in place.
inline void run(const std::string &op, const DTypes &dtypes,
                std::vector<Tensor> inputs,
                std::initializer_list<std::reference_wrapper<Tensor>> out,
                const Arguments &arguments) {
  std::vector<Tensor> before = inputs;
  std::vector<ReferenceOperand> operands;
  for (Tensor &tensor : inputs)
    operands.push_back(tensor.operand());
  for (Tensor &tensor : out)
    operands.push_back(tensor.operand());
  llvm::Error error = referenceOf(op, dtypes)
                          .run(operands, arguments.dims, arguments.options,
                               arguments.scalars, arguments.ranges);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_TRUE(inputs == before) << "the reference wrote to an input";
}

/// What is not written keeps this value, which no reference computes here.
inline Tensor unwritten(const Tensor &like) {
  return Tensor(like.dtype, like.shape).fill(96);
}

} // namespace lathe::test

#endif // LATHE_TEST_UNIT_VERIFY_REFERENCERUN_H
