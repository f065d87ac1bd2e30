//===- ParseTemplate.h - A template as one module ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header of its own: of those who share it one knows the tile dialect, the
// other need not.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_PARSETEMPLATE_H
#define LATHE_SUPPORT_PARSETEMPLATE_H

#include "lathe/Support/TemplateSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace lathe {

/// The kernel and its functions, each parsed as a file of its own, so that
/// aliases are its own and diagnostics have its lines. Null after an error.
inline mlir::OwningOpRef<mlir::ModuleOp>
parseTemplate(mlir::MLIRContext &context, const TemplateSource &source) {
  // A file alone calls what it does not have.
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  auto parse = [&](const TemplateText &text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text.text, config,
                                                   text.file);
  };
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(source.kernel);
  for (const TemplateText &text : source.functions) {
    mlir::OwningOpRef<mlir::ModuleOp> functions =
        module ? parse(text) : nullptr;
    if (!functions)
      return nullptr;
    for (mlir::Operation &op :
         llvm::make_early_inc_range(*functions->getBody()))
      op.moveBefore(module->getBody(), module->getBody()->end());
  }
  return module && succeeded(mlir::verify(*module)) ? std::move(module)
                                                    : nullptr;
}

} // namespace lathe

#endif // LATHE_SUPPORT_PARSETEMPLATE_H
