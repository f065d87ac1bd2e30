//===- ReferenceCase.h - Runs of references for tests -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_VERIFY_REFERENCECASE_H
#define LATHE_TEST_UNIT_VERIFY_REFERENCECASE_H

#include "lathe/Ingest/Bind.h"
#include "lathe/Support/FloatFormat.h"
#include "lathe/Verify/Reference.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <optional>

namespace lathe {

using Names = std::map<std::string, std::string, std::less<>>;

namespace test {

using DTypes = Names;
using Index = std::initializer_list<int64_t>;

/// Elements of a dtype, by logical row-major index, as doubles. Memory is
/// poisoned and lies between two guards.
class Tensor {
public:
  /// Dense where there are no strides.
  Tensor(std::string dtype, std::vector<int64_t> shape,
         std::vector<int64_t> strides = {});

  double operator[](int64_t i) const;
  /// Rounds to the dtype.
  void set(int64_t i, double value);
  /// An element, of at most 8 bytes, as it lies in memory.
  uint64_t bits(int64_t i) const;

  int64_t linear(Index index) const;
  double at(Index index) const { return (*this)[linear(index)]; }
  void set(Index index, double value) { set(linear(index), value); }
  void setAll(llvm::ArrayRef<double> values);

  Tensor &&fill(double value) &&;
  Tensor &&values(llvm::ArrayRef<double> list) && {
    setAll(list);
    return std::move(*this);
  }
  /// Uniform in [low, high).
  Tensor &&random(unsigned seed, double low = -1, double high = 1) &&;

  /// Of the same dtype and shape.
  void copyElements(const Tensor &from);
  ReferenceOperand operand();
  /// `value` as this dtype holds it.
  double round(double value) const { return roundTo(*format, value); }
  /// Padding and guards count too.
  bool operator==(const Tensor &other) const { return memory == other.memory; }

  std::string dtype;
  std::vector<int64_t> shape, strides;
  int64_t count = 1;

private:
  size_t placeOf(int64_t i) const;

  std::optional<FloatFormat> format;
  unsigned width; ///< bytes of an element
  std::vector<char> memory;
};

/// Same values; NaN is NaN.
void expectSame(const Tensor &found, const Tensor &expected);

struct Arguments {
  std::vector<int64_t> dims, options;
  std::vector<double> scalars;
  std::vector<IndexRange> ranges;
};

/// Compiled once for each operator and dtypes.
const Reference &referenceOf(llvm::StringRef op, const DTypes &dtypes);

/// Operands in the operator's order; outputs are written in place. The test
/// fails if that is an error, or if anything else changed.
void run(const std::string &op, const DTypes &dtypes,
         std::vector<Tensor> inputs,
         std::initializer_list<std::reference_wrapper<Tensor>> out,
         const Arguments &arguments);

/// What is not written keeps this value, which no reference computes here.
inline Tensor unwritten(const Tensor &like) {
  return Tensor(like.dtype, like.shape).fill(96);
}

} // namespace test

/// The operands of one call, pitched as the dims say.
class ReferenceCase {
public:
  /// Dims without a default must be given; lists too.
  ReferenceCase(llvm::StringRef op, Bindings dims, Names dtypes = {},
                Names options = {},
                std::map<std::string, double, std::less<>> scalars = {});

  /// Values are rounded to the operand's dtype.
  void set(llvm::StringRef name, llvm::ArrayRef<double> values) {
    find(name).setAll(values);
  }
  /// offset + scale * N(0, 1).
  void normal(llvm::StringRef name, double scale = 1, double offset = 0,
              unsigned seed = 1);
  /// Integers in [low, high).
  void integers(llvm::StringRef name, int64_t low, int64_t high,
                unsigned seed = 1);

  size_t size(llvm::StringRef name) { return find(name).count; }
  std::vector<double> get(llvm::StringRef name);
  uint64_t bits(llvm::StringRef name, size_t index) {
    return find(name).bits(index);
  }

  /// As test::run.
  void run(llvm::ArrayRef<IndexRange> ranges = {});
  unsigned sampledRank();

private:
  test::Tensor &find(llvm::StringRef name);

  const OperatorSpec &spec;
  OpSetEntry entry;
  Bindings bindings;
  std::vector<test::Tensor> tensors; ///< as the operator's operands
};

/// Of one value in steps of `format` between neighbours, for messages and
/// bounds.
double stepsApart(FloatFormat format, double a, double b);

} // namespace lathe

#endif // LATHE_TEST_UNIT_VERIFY_REFERENCECASE_H
