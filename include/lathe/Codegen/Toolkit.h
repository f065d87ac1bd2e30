//===- Toolkit.h - External assemblers and linkers --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_TOOLKIT_H
#define LATHE_CODEGEN_TOOLKIT_H

#include "llvm/Support/Error.h"

#include <string>

namespace lathe {

/// External programs of the last step. An empty path means: not there.
struct Toolkit {
  std::string ptxas;
  std::string lld;   ///< ld.lld of the LLVM release that Lathe is built with
  std::string clang; ///< clang++ of the same release: the front end of CUDA C++
  std::string nvcc;  ///< beside ptxas
  std::string nvrtc; ///< libnvrtc of the same toolkit
  std::string libdevice;    ///< math functions as bitcode, of the same toolkit
  std::string ptxasMissing; ///< where ptxas was looked for, if not found
};

/// ptxas: $LATHE_CUDA alone if it is set; else $CUDA_PATH, /usr/local/cuda,
/// PATH. lld: $LATHE_LLD alone if it is set; else ld.lld-22 on PATH, then
/// LLVM's own prefix.
Toolkit findToolkit();

/// The folder that ptxas's bin/ is in: a CUDA toolkit's. Empty without ptxas.
std::string toolkitPrefix(const Toolkit &toolkit);

/// One line that names the version of everything that shapes the bytes of an
/// artifact: LLVM, ptxas, lld and this executable itself (a hash).
llvm::Expected<std::string> toolFingerprint(const Toolkit &toolkit);

} // namespace lathe

#endif // LATHE_CODEGEN_TOOLKIT_H
