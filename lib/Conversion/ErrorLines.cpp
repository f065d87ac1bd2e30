//===- ErrorLines.cpp - Errors of a context as text -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Conversion/ErrorLines.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

lathe::ErrorLines::ErrorLines(MLIRContext &context, llvm::StringRef label)
    : handler(&context, [this, label = label.str()](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return;
        llvm::raw_string_ostream os(text);
        os << (text.empty() ? "" : "\n");
        if (auto loc =
                diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
          os << loc.getFilename().getValue() << ":" << loc.getLine() << ":"
             << loc.getColumn() << ": ";
        os << label << diagnostic.str();
      }) {}
