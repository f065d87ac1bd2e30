//===- CheckNarrowStores.h - A store that ptxas converts --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_CHECKNARROWSTORES_H
#define LATHE_LIB_CODEGEN_CHECKNARROWSTORES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lathe {

/// Refuses PTX that stores fewer bits than a register holds, where the register
/// was written as a floating-point number. LLVM 22 writes the store of an
/// integer that it truncated from such a number that way; ptxas 13.0 converts
/// the number to an integer instead of cutting its bits (seen on an H200:
/// st.global.b32 of the result of add.rz.f64).
llvm::Error checkNarrowStores(llvm::StringRef ptx);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_CHECKNARROWSTORES_H
