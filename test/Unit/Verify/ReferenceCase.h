//===- ReferenceCase.h - One run of an operator's reference -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_VERIFY_REFERENCECASE_H
#define LATHE_TEST_UNIT_VERIFY_REFERENCECASE_H

#include "lathe/Ingest/Bind.h"
#include "lathe/Support/FloatFormat.h"
#include "lathe/Verify/Reference.h"

namespace lathe {

using Names = std::map<std::string, std::string, std::less<>>;

/// The operands of one call, as doubles in logical row-major order. Memory is
/// poisoned, pitched as the dims say, and lies between two guards.
class ReferenceCase {
public:
  /// Dims without a default must be given; lists too.
  ReferenceCase(llvm::StringRef op, Bindings dims, Names dtypes = {},
                Names options = {},
                std::map<std::string, double, std::less<>> scalars = {});

  /// Values are rounded to the operand's dtype.
  void set(llvm::StringRef name, const std::vector<double> &values);
  /// offset + scale * N(0, 1).
  void normal(llvm::StringRef name, double scale = 1, double offset = 0,
              unsigned seed = 1);
  /// Integers in [low, high).
  void integers(llvm::StringRef name, int64_t low, int64_t high,
                unsigned seed = 1);

  size_t size(llvm::StringRef name) const;
  std::vector<double> get(llvm::StringRef name) const;
  /// Element `index`, of few bytes, as it lies in memory.
  uint64_t bits(llvm::StringRef name, size_t index) const;

  /// Runs the reference, and fails the test if that is an error, a guard or the
  /// padding of an operand changed, or an input did.
  void run(llvm::ArrayRef<IndexRange> ranges = {});
  unsigned sampledRank();

private:
  struct Tensor {
    OperandSpec spec;
    std::string dtype;
    std::vector<int64_t> shape, strides;
    size_t elements = 0, bytes = 0; ///< of an element
    std::vector<char> memory;       ///< with guards
    size_t span = 0;                ///< elements that memory has room for
  };
  const Tensor &find(llvm::StringRef name) const;
  Tensor &find(llvm::StringRef name) {
    return const_cast<Tensor &>(std::as_const(*this).find(name));
  }
  size_t offsetOf(const Tensor &tensor, size_t index) const;
  const Reference &compiled();

  const OperatorSpec &spec;
  OpSetEntry entry;
  Bindings bindings;
  std::vector<Tensor> tensors;
};

/// Of one value in steps of `format` between neighbours, for messages and
/// bounds.
double stepsApart(FloatFormat format, double a, double b);

} // namespace lathe

#endif // LATHE_TEST_UNIT_VERIFY_REFERENCECASE_H
