//===- Config.h - The fields of a config.json ----------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_MODELCONFIG_CONFIG_H
#define LATHE_LIB_INGEST_MODELCONFIG_CONFIG_H

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace lathe {

/// Objects are flattened: `rope_scaling.factor`. The text model's fields stand
/// at the top; a null counts as absent. Remembers what was looked at.
class Config {
public:
  static llvm::Expected<Config> read(llvm::StringRef file);

  const llvm::json::Value *find(llvm::StringRef field) const;
  std::string text(llvm::StringRef field) const;
  /// Fields that nobody asked for, objects by their outermost name.
  std::vector<std::string> unread(const llvm::StringSet<> &ignored) const;

private:
  void add(const llvm::json::Object &object, const std::string &prefix);

  std::map<std::string, llvm::json::Value, std::less<>> fields;
  mutable llvm::StringSet<> looked;
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_MODELCONFIG_CONFIG_H
