//===- Package.h - Writing, reading and checking bundles --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PACKAGE_PACKAGE_H
#define LATHE_PACKAGE_PACKAGE_H

#include "lathe/Package/Bundle.h"

#include "llvm/ADT/ArrayRef.h"

namespace lathe {

/// The binary form of a table (include/lathe/Runtime/lathe_table.h). Cases are
/// grouped by architecture in the order of first appearance.
llvm::Expected<std::string> encodeTable(const DispatchTable &table);

/// The whole file; a pure function of the bundle. Completes the manifest with
/// the schema version, and per image and kernel its hash, resources, schedule
/// and verdict.
llvm::Expected<std::string> serializeBundle(const Bundle &bundle);

/// Writes through a temporary file beside `path`, which is renamed last.
llvm::Error writeBundle(const Bundle &bundle, llvm::StringRef path);

/// Parses and checks a bundle exactly as the runtime does, then recovers what
/// only the manifest holds (resources, origin, verdict).
llvm::Expected<Bundle> parseBundle(llvm::StringRef bytes);
llvm::Expected<Bundle> readBundle(llvm::StringRef path);

/// Every table must have a case and an image for each of `archs`; the error
/// names every hole.
llvm::Error requireArchs(const Bundle &bundle,
                         llvm::ArrayRef<std::string> archs);

/// Writes `bytes` to a temporary file beside `path`, then renames it.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef bytes);

/// "cubin", "ptx", "code object", "object" or "module".
llvm::StringRef imageKindName(BundleImage::Kind kind);

/// Lower-case hexadecimal SHA-256.
std::string sha256Hex(llvm::StringRef bytes);

/// The candidate of `candidates` with the smallest edit distance to `name`, or
/// empty if none is near.
std::string nearestName(llvm::StringRef name,
                        llvm::ArrayRef<std::string> candidates);

} // namespace lathe

#endif // LATHE_PACKAGE_PACKAGE_H
