//===- Rules.h - The rules of patterns/models.yaml ------------ -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_MODELCONFIG_RULES_H
#define LATHE_LIB_INGEST_MODELCONFIG_RULES_H

#include "lathe/Support/Expr.h"

#include "llvm/ADT/StringSet.h"

namespace lathe {

/// A size or flag of the model. Of a field's value: its integer, or `index` of
/// its list, or its length, or how many of its elements are among `count`, or
/// whether it is among `equals`, or whether it is there, or it times a symbol.
struct ModelSymbol {
  std::string name;
  std::vector<std::string> fields;
  std::optional<int64_t> index;
  std::vector<std::string> count, equals;
  std::string times;
  bool present = false, length = false;
  std::optional<Expr> value;
};

struct ModelRequirement {
  Expr expr;
  std::string message;
};

struct ModelArchitecture {
  std::vector<std::string> models, notes;
  std::map<std::string, int64_t> set;
};

using NamedExprs = std::vector<std::pair<std::string, Expr>>;

/// Work of the model: an operator, a matrix product, or neither (`missing`).
struct ModelItem {
  std::string name, op, missing, note;
  Expr when = Expr::constant(1), calls = Expr::constant(0);
  NamedExprs staticDims, request;
  std::optional<Expr> n, k, grouped;
  bool plain = false; ///< never quantised
  std::string module; ///< as modules_to_not_convert calls what it is in
  /// By option: one of its values, or an expression that gives the index.
  std::vector<std::pair<std::string, std::string>> options;
  /// By scalar: the config's fields.
  std::vector<std::pair<std::string, std::vector<std::string>>> scalars;
};

struct ModelRules {
  std::vector<ModelSymbol> symbols;
  std::vector<ModelRequirement> requirements;
  std::vector<ModelArchitecture> architectures;
  std::vector<ModelItem> gemmOperators, items;
  llvm::StringSet<> ignored;
};

/// Joins patterns/models.yaml of all folders that have one.
llvm::Expected<ModelRules>
loadModelRules(llvm::ArrayRef<std::string> templates);

} // namespace lathe

#endif // LATHE_LIB_INGEST_MODELCONFIG_RULES_H
