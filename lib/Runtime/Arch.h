//===- Arch.h - Architecture names ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_ARCH_H
#define LATHE_LIB_RUNTIME_ARCH_H

#include "Table.h"

namespace lathe::runtime {

/// sm_90a: major 9, minor 0, suffix 'a'; suffix 0 if there is none.
struct SmName {
  uint32_t major = 0, minor = 0;
  char suffix = 0;
};
bool parseSmName(std::string_view name, SmName &out);

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_ARCH_H
