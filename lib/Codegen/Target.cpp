//===- Target.cpp - The architectures that Lathe compiles for -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lathe {

static TargetSpec nvidia(const char *arch, const char *ptx) {
  return {arch, "nvptx64-nvidia-cuda", arch, ptx, 32, Vendor::NVIDIA};
}

static TargetSpec amd(const char *arch) {
  return {arch, "amdgcn-amd-amdhsa", arch, "", 64, Vendor::AMD};
}

const std::vector<TargetSpec> &knownTargets() {
  // The lowest PTX version with every instruction used for the architecture,
  // so that an older driver can still translate the PTX.
  static const std::vector<TargetSpec> targets = {
      nvidia("sm_80", "+ptx80"), nvidia("sm_90a", "+ptx86"),
      nvidia("sm_100a", "+ptx88"), amd("gfx90a"), amd("gfx942")};
  return targets;
}

Expected<TargetSpec> lookupTarget(StringRef arch) {
  for (const TargetSpec &spec : knownTargets())
    if (spec.arch == arch)
      return spec;
  std::string known = join(
      map_range(knownTargets(), [](const TargetSpec &t) { return t.arch; }),
      ", ");
  return createStringError("unknown architecture '" + arch +
                           "', expected one of " + known);
}

} // namespace lathe
