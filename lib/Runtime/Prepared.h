//===- Prepared.h - A bundle on a device ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_PREPARED_H
#define LATHE_LIB_RUNTIME_PREPARED_H

#include "Bundle.h"
#include "Driver.h"

namespace lathe::runtime {

struct PreparedTable {
  const lathe_table *source = nullptr;
  uint32_t arch = 0, isPtx = 0;
  uint32_t firstCase = 0;
  Module module = nullptr;
  std::vector<Function> functions; ///< per case of the architecture
};

} // namespace lathe::runtime

/// Never changes after lathe_prepare.
struct lathe_prepared {
  ~lathe_prepared();

  const lathe_bundle *bundle = nullptr;
  lathe::runtime::Driver *driver = nullptr;
  lathe_device device = {};
  int ordinal = 0;
  void *context = nullptr;
  bool retained = false; ///< `context` is valid
  bool owned = false;    ///< and must be released
  /// Tables that the device can run, in the bundle's order.
  std::vector<lathe::runtime::PreparedTable> tables;

  const lathe::runtime::PreparedTable *find(const lathe_table *table) const {
    for (const lathe::runtime::PreparedTable &candidate : tables)
      if (candidate.source == table)
        return &candidate;
    return nullptr;
  }
};

#endif // LATHE_LIB_RUNTIME_PREPARED_H
