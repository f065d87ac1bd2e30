//===- Manifest.h - The manifest --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PACKAGE_MANIFEST_H
#define LATHE_LIB_PACKAGE_MANIFEST_H

#include "lathe/Package/Bundle.h"

namespace lathe {

/// Raised when a reader of old manifests would misunderstand a new one.
constexpr int64_t manifestSchema = 1;

/// The bundle's own manifest with what follows from its images and tables.
llvm::json::Object completeManifest(const Bundle &bundle);

/// Fills resources, origin, verdict and predicted time of the cases in, by
/// kernel name; checks the images' hashes.
llvm::Error applyManifest(Bundle &bundle);

/// Figures of one kernel under the manifest's names.
llvm::json::Object resourcesToJson(const ResourceUsage &usage);

} // namespace lathe

#endif // LATHE_LIB_PACKAGE_MANIFEST_H
