//===- Patterns.h - The rules of patterns/shapes.yaml --------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_SHAPES_PATTERNS_H
#define LATHE_LIB_INGEST_SHAPES_PATTERNS_H

#include "../AtrexMapping.h"
#include "lathe/Ingest/Seen.h"

#include "llvm/Support/Regex.h"

namespace lathe {

/// Fields of a line, a row or a definition, by name.
using ShapeFields = std::map<std::string, std::string, std::less<>>;

struct LinePattern {
  std::string source, phase;
  bool isCall = false;
  std::shared_ptr<llvm::Regex> regex;
  std::vector<std::string> groups;
};

struct TablePattern {
  std::string source;
  std::vector<std::string> columns;
};

struct ShapeRule {
  std::vector<std::string> sources, show;
  std::vector<std::pair<std::string, std::shared_ptr<llvm::Regex>>> match;
  std::string op, missing;
  std::vector<std::pair<std::string, std::string>> dims, dtypes;
  /// By a field, with what its values are called here.
  std::vector<std::pair<std::string, AtrexOption>> options;
};

using Alternatives =
    std::vector<std::pair<std::string, std::vector<std::string>>>;

struct DefinitionRule {
  std::string op;
  std::shared_ptr<llvm::Regex> name, unless;
  Alternatives inputs, outputs, scalars;
};

struct ShapePatterns {
  std::map<std::string, std::string, std::less<>> dtypes; ///< theirs to ours
  std::vector<LinePattern> logs, steps, results;
  std::vector<TablePattern> tables;
  std::vector<ShapeRule> rules;
  std::vector<DefinitionRule> definitions;

  /// Hands the fields to the first rule that fits. `calls` is 0 if unknown.
  void apply(llvm::StringRef source, const ShapeFields &fields, double calls,
             const OperatorTable &operators, ShapeCollector &shapes) const;
};

/// Joins patterns/shapes.yaml of the folders; rules of later ones come first.
llvm::Expected<ShapePatterns>
loadShapePatterns(llvm::ArrayRef<std::string> templates);

/// The matches of the groups, and the `key:value` pairs in a group `rest`;
/// nothing if `line` does not match.
std::optional<ShapeFields> matchLine(const LinePattern &pattern,
                                     llvm::StringRef line);

} // namespace lathe

#endif // LATHE_LIB_INGEST_SHAPES_PATTERNS_H
