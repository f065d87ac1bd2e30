//===- ParseDims.h - Sizes as command lines say them ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_PARSEDIMS_H
#define LATHE_TOOLS_LATHE_PARSEDIMS_H

#include "lathe/Support/Expr.h"

namespace lathe::tool {

/// What a comma within brackets has split, put together again.
std::vector<std::string> joinLists(llvm::ArrayRef<std::string> texts);

/// A number, or a list: "256x3000", "17+64x2" or "[17, 64 x 2]".
llvm::Expected<ExprValue> parseDim(llvm::StringRef text);

/// "T=4", "LQ=256x3000" and so on. Errors: anything else.
llvm::Expected<Bindings> parseDims(llvm::ArrayRef<std::string> texts);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_PARSEDIMS_H
