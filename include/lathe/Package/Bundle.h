//===- Bundle.h - What ships ------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PACKAGE_BUNDLE_H
#define LATHE_PACKAGE_BUNDLE_H

#include "Dispatch/DispatchTable.h"

#include "llvm/Support/JSON.h"

#include <map>

namespace lathe {

/// One binary for one architecture, holding kernels of one op set entry.
/// Object is relocatable and holds one AMD kernel: exports link it. Module is
/// LLVM bitcode of one kernel as the backend received it: the gate runs it.
/// Nothing loads either.
struct BundleImage {
  enum Kind { Cubin, Ptx, CodeObject, Object, Module } kind = Cubin;
  std::string entry;
  std::string arch; ///< for Ptx: the lowest architecture that may run it
  std::string bytes;
  std::string symbol = {}; ///< of a Module: its kernel

  bool isLoaded() const { return kind != Object && kind != Module; }
};

struct Bundle {
  std::vector<DispatchTable> tables;
  std::vector<BundleImage> images;
  /// What the gate found, by "entry/kernel name".
  std::map<std::string, llvm::json::Object> evidence;
  llvm::json::Object manifest; ///< versions, inputs' hashes, coverage, verdicts
};

} // namespace lathe

#endif // LATHE_PACKAGE_BUNDLE_H
