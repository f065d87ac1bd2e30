//===- TemplateGrid.cpp - Work items of one candidate ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/TemplateGrid.h"

#include "Template.h"

using namespace lathe;

llvm::Expected<std::vector<Expr>>
lathe::gridOfTemplate(mlir::MLIRContext &context, const OperatorSpec &spec,
                      const Candidate &candidate) {
  TemplateLibrary library(context);
  llvm::Expected<TemplateInfo> info =
      library.read(spec.directory, candidate.templateName);
  if (!info)
    return info.takeError();
  Bindings bound;
  for (auto &[name, value] : candidate.schedule)
    bound[name] = ExprValue(value);
  for (auto &[name, value] : candidate.constants)
    bound[name] = ExprValue(value);
  std::vector<Expr> grid;
  for (const Expr &axis : info->grid)
    grid.push_back(axis.substitute(bound));
  return grid;
}
