//===- VerifyImages.h - What ships against its modules ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_VERIFYIMAGES_H
#define LATHE_TOOLS_LATHE_VERIFYIMAGES_H

#include "lathe/Codegen/Toolkit.h"
#include "lathe/Package/Bundle.h"

namespace lathe::tool {

/// The module of the case's kernel, or null.
const BundleImage *findModule(const Bundle &bundle, llvm::StringRef entry,
                              const DispatchCase &row);

/// Whether the kernel's code came from outside, and not from its module: CUDA
/// C++ or PTX that somebody submitted.
bool isForeign(const Bundle &bundle, llvm::StringRef entry,
               const DispatchCase &row);

struct ImageCheck {
  std::map<std::string, std::string> kernels; ///< what is wrong, by symbol
  std::string image;     ///< what is wrong with the image as a whole
  std::string unchecked; ///< what could not be compared, and why
};

/// Compiles the modules of one entry and architecture again, links them as
/// `lathe compile` does, and compares PTX, objects, cubin and code object byte
/// for byte. Differences count only if LLVM has the version that the manifest
/// names; those of a cubin or code object, only if all tools are the same. Of
/// foreign kernels only the cubin is compared, with what ptxas makes of the
/// PTX.
ImageCheck checkImages(const Bundle &bundle, const DispatchTable &table,
                       llvm::StringRef arch, const Toolkit &toolkit);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_VERIFYIMAGES_H
