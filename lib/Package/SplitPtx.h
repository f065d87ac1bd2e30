//===- SplitPtx.h - PTX modules into kernels --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PACKAGE_SPLITPTX_H
#define LATHE_LIB_PACKAGE_SPLITPTX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace lathe {

/// Each kernel of a PTX module as a module of its own: the same directives, the
/// globals that it names, and itself. By symbol.
llvm::Expected<std::map<std::string, std::string>>
splitPtxKernels(llvm::StringRef ptx);

} // namespace lathe

#endif // LATHE_LIB_PACKAGE_SPLITPTX_H
