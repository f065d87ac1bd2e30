//===- OpenedBundle.h - A bundle in the runtime's hands ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_RUNTIME_OPENEDBUNDLE_H
#define LATHE_TEST_UNIT_RUNTIME_OPENEDBUNDLE_H

#include "SyntheticTables.h"

#include "lathe/Package/Package.h"
#include "lathe/Runtime/lathe_runtime.h"

namespace lathe::test {

/// Serializes and opens; aborts if either fails.
struct Opened {
  explicit Opened(const Bundle &source) {
    std::string bytes = llvm::cantFail(serializeBundle(source));
    if (lathe_open_memory(bytes.data(), bytes.size(), 0, &bundle))
      llvm::report_fatal_error(lathe_last_error());
  }
  ~Opened() { lathe_close(bundle); }
  Opened(const Opened &) = delete;

  const lathe_table *table(const std::string &entry) const {
    return lathe_find_table(bundle, entry.c_str());
  }

  lathe_bundle *bundle = nullptr;
};

} // namespace lathe::test

#endif // LATHE_TEST_UNIT_RUNTIME_OPENEDBUNDLE_H
