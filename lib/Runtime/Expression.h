//===- Expression.h - Postfix programs over dims ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_EXPRESSION_H
#define LATHE_LIB_RUNTIME_EXPRESSION_H

#include "lathe/Runtime/lathe_table.h"

#include <cstddef>

namespace lathe::runtime {

/// Whether the program leaves exactly one value, stays within the stack, and
/// reads only dims below `numDims`. Returns null, or what is wrong.
const char *checkProgram(const lathe_table_instr *code, size_t length,
                         uint32_t numDims);

/// Runs a checked program. False on overflow or division by zero.
bool evaluateProgram(const lathe_table_instr *code, size_t length,
                     const int64_t *dims, int64_t &result);

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_EXPRESSION_H
