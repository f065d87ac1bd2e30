//===- ErrorLines.h - Errors of a context as text ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CONVERSION_ERRORLINES_H
#define LATHE_CONVERSION_ERRORLINES_H

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace lathe {

/// Collects the errors that a context emits while this lives, one per line:
/// "file:line:column: <label>message". What is no error is dropped.
class ErrorLines {
public:
  explicit ErrorLines(mlir::MLIRContext &context, llvm::StringRef label = "");

  const std::string &str() const { return text; }
  bool empty() const { return text.empty(); }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace lathe

#endif // LATHE_CONVERSION_ERRORLINES_H
