//===- KernelName.h - The only place that spells kernel names ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   name     := op "." template "." arch ("." field)*
//   field    := "c_" ident "_" number     dim or option fixed at compile time
//             | "t_" ident "_" word       dtype variable
//             | "s_" ident "_" number     schedule parameter
//             | "m_" ident "_" number     known divisor of a run-time dim
//             | "a_" number               alignment of every base in bytes
//   op, template, arch, ident := letter (letter | digit | "_" (letter |
//   digit))* word     := letter (letter | digit)* number   := "0" | [1-9][0-9]*
//   at most 2^63 - 1
//
// Fields stand in the order c, t, s, m, a, and by name within one kind, each
// once; "a" is always there. A value has no "_", so the last one splits it off.
// No part has "__" or an outer "_": '.' and "__" can stand for each other.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_KERNELNAME_H
#define LATHE_PLAN_KERNELNAME_H

#include "lathe/Plan/Candidate.h"

namespace lathe {

/// Whether `text` may be an operator, template, dim or parameter of a kernel
/// name ("ident" above).
bool isKernelNamePart(llvm::StringRef text);

/// The entry point's symbol for a kernel name, and back.
std::string kernelSymbol(llvm::StringRef name);
std::string kernelNameOfSymbol(llvm::StringRef symbol);

} // namespace lathe

#endif // LATHE_PLAN_KERNELNAME_H
