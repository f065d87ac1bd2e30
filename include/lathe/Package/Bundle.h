//===- Bundle.h - What ships ------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PACKAGE_BUNDLE_H
#define LATHE_PACKAGE_BUNDLE_H

#include "Dispatch/DispatchTable.h"

#include "llvm/Support/JSON.h"

namespace lathe {

/// One binary for one architecture, holding kernels of one op set entry.
/// Object is relocatable and holds one AMD kernel: exports link it, nothing
/// loads it.
struct BundleImage {
  enum Kind { Cubin, Ptx, CodeObject, Object } kind = Cubin;
  std::string entry;
  std::string arch; ///< for Ptx: the lowest architecture that may run it
  std::string bytes;
};

struct Bundle {
  std::vector<DispatchTable> tables;
  std::vector<BundleImage> images;
  llvm::json::Object manifest; ///< versions, inputs' hashes, coverage, verdicts
};

} // namespace lathe

#endif // LATHE_PACKAGE_BUNDLE_H
