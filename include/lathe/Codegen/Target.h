//===- Target.h - The architectures that Lathe compiles for -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_TARGET_H
#define LATHE_CODEGEN_TARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace lathe {

enum class Vendor { NVIDIA, AMD };

/// What the code generators of LLVM and the assemblers need to know of an
/// architecture. Sizes and speeds live in the hardware files.
struct TargetSpec {
  std::string arch;     ///< "sm_90a": as ptxas and the bundle spell it
  std::string triple;   ///< "nvptx64-nvidia-cuda"
  std::string cpu;      ///< LLVM's -mcpu
  std::string features; ///< LLVM's -mattr, PTX version included
  unsigned waveSize = 32;
  Vendor vendor = Vendor::NVIDIA;

  bool isNVIDIA() const { return vendor == Vendor::NVIDIA; }
  bool isAMD() const { return vendor == Vendor::AMD; }
};

/// The error of an unknown name lists the known ones.
llvm::Expected<TargetSpec> lookupTarget(llvm::StringRef arch);

/// Every architecture that `lookupTarget` accepts, NVIDIA first.
const std::vector<TargetSpec> &knownTargets();

} // namespace lathe

#endif // LATHE_CODEGEN_TARGET_H
