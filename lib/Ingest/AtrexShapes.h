//===- AtrexShapes.h - Maps benchmark entries to dims -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_ATREXSHAPES_H
#define LATHE_LIB_INGEST_ATREXSHAPES_H

#include "AtrexFolder.h"
#include "lathe/Ingest/Model.h"

#include "llvm/ADT/StringSet.h"

namespace lathe {

/// A shape as this operator's dims and choices.
struct Mapped {
  OpSetEntry entry;
  Bindings dims;
};

/// Maps the shapes of one operator by the rules of its operator.yaml.
class AtrexShapeMapper {
public:
  AtrexShapeMapper(const OperatorSpec &spec, const AtrexOperator &op)
      : spec(spec), op(op) {}

  llvm::Expected<Mapped> map(const AtrexShape &shape);
  /// Arguments that no mapping looked at.
  std::vector<std::string> unusedArguments() const;

private:
  const llvm::json::Value *argument(const AtrexShape &shape,
                                    llvm::StringRef key);
  llvm::Error mapChoices(const AtrexShape &shape, OpSetEntry &entry);
  llvm::Error mapDType(const AtrexShape &shape, llvm::StringRef variable,
                       llvm::ArrayRef<DTypeName> legal, OpSetEntry &entry);

  const OperatorSpec &spec;
  const AtrexOperator &op;
  llvm::StringSet<> used;
  size_t listElements = 0;
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_ATREXSHAPES_H
