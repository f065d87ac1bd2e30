//===- Error.h - Status and the last error's text ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_ERROR_H
#define LATHE_LIB_RUNTIME_ERROR_H

#include "lathe/Runtime/lathe_runtime.h"

namespace lathe::runtime {

/// Keeps the formatted text for lathe_last_error and returns `status`. Uses a
/// buffer of the thread; never allocates.
lathe_status fail(lathe_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_ERROR_H
