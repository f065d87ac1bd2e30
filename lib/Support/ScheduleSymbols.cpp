//===- ScheduleSymbols.cpp - Names with a meaning in schedules ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/ScheduleSymbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace lathe;
using llvm::StringRef;

bool lathe::isHardwareFeature(StringRef name) {
  return llvm::any_of(hardwareFeatures, [&](const HardwareFeature &feature) {
    return feature.name == name;
  });
}

void lathe::bindHardwareSymbols(Bindings &bindings, int64_t wave,
                                int64_t sharedBytes,
                                llvm::ArrayRef<std::string> features) {
  bindings["WAVE"] = ExprValue(wave);
  bindings["SMEM"] = ExprValue(sharedBytes);
  for (const HardwareFeature &feature : hardwareFeatures)
    bindings[feature.symbol.str()] =
        ExprValue(int64_t(llvm::is_contained(features, feature.name)));
}

std::optional<int64_t>
lathe::blockThreads(llvm::function_ref<int64_t(StringRef, int64_t)> parameter,
                    int64_t wave) {
  int64_t warps, threads;
  if (llvm::AddOverflow(parameter("WARPS", 4), parameter("PRODUCERS", 0),
                        warps) ||
      llvm::MulOverflow(warps, wave, threads))
    return std::nullopt;
  return threads;
}
