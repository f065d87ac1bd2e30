//===- RefuseFigures.h - Nobody says what follows from lists ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_REFUSEFIGURES_H
#define LATHE_LIB_INGEST_REFUSEFIGURES_H

#include "lathe/Ingest/Figures.h"
#include "lathe/Ingest/Yaml.h"

namespace lathe {

/// Checks that `node` is a map whose keys are among `known`, and names of
/// figures, each of which is reported for what it is. Whether it is a map
/// without figures.
inline bool mapWithoutFigures(yaml::Reader &reader, const yaml::Node &node,
                              llvm::StringRef what,
                              std::vector<llvm::StringRef> known,
                              const OperatorSpec &spec) {
  for (const DimSpec &dim : spec.dims)
    if (dim.kind == DimKind::Figure)
      known.push_back(dim.name);
  if (!reader.map(node, what, known))
    return false;
  bool ok = true;
  for (auto &[key, value] : node.entries) {
    const DimSpec *dim = findDim(spec, key->text);
    if (!dim || dim->isGiven())
      continue;
    reader.diagnostics.error(*key, what + ": '" + dim->name +
                                       "' follows from a list, expected the "
                                       "list alone");
    ok = false;
  }
  return ok;
}

/// The dims that are said of a shape.
inline std::vector<llvm::StringRef> givenDims(const OperatorSpec &spec) {
  std::vector<llvm::StringRef> names;
  for (const DimSpec &dim : spec.dims)
    if (dim.isGiven())
      names.push_back(dim.name);
  return names;
}

} // namespace lathe

#endif // LATHE_LIB_INGEST_REFUSEFIGURES_H
