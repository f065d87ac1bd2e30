//===- Bundle.h - An opened bundle ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_BUNDLE_H
#define LATHE_LIB_RUNTIME_BUNDLE_H

#include "OffloadReader.h"
#include "Table.h"

#include <memory>
#include <string>

struct lathe_bundle {
  std::unique_ptr<uint64_t[]> storage; ///< empty if the bytes are borrowed
  std::string_view bytes;
  std::string manifest; ///< a copy, for its terminating zero
  std::vector<std::unique_ptr<lathe_table>> tables;
};

namespace lathe::runtime {

/// Checks and parses `bundle.bytes`; may throw std::bad_alloc.
lathe_status parseBundle(lathe_bundle &bundle);

/// The name in the bundle's tables that differs least from `name`; null if
/// none is near.
const char *nearestEntry(const lathe_bundle &bundle, std::string_view name);

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_BUNDLE_H
