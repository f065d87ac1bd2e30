//===- ScheduleSymbols.h - Names with a meaning in schedules ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner and the pass that binds a template must agree on what a schedule
// means; this is where both look it up.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_SCHEDULESYMBOLS_H
#define LATHE_SUPPORT_SCHEDULESYMBOLS_H

#include "lathe/Support/Expr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lathe {

/// A unit that only some architectures have.
struct HardwareFeature {
  llvm::StringLiteral name;   ///< as hardware files list it
  llvm::StringLiteral symbol; ///< 0 or 1 in a template's `where`
};
inline constexpr HardwareFeature hardwareFeatures[] = {
    {"tma", "TMA"},     // copies of boxes by tensor map
    {"wgmma", "WGMMA"}, // matrix instructions of a group of four warps
    {"fp8", "FP8"},     // matrix instructions of 8-bit floats
    // 16-bit matrix instructions take denormals for zero
    {"flushes", "FLUSHES"}};

bool isHardwareFeature(llvm::StringRef name);

/// Binds WAVE (threads of a warp or wave), SMEM (bytes of shared memory that a
/// block may use) and the symbol of every feature.
void bindHardwareSymbols(Bindings &bindings, int64_t wave, int64_t sharedBytes,
                         llvm::ArrayRef<std::string> features);

/// Threads per block: (WARPS + PRODUCERS) * wave, with 4 and 0 for those that
/// the schedule has not. `parameter` answers with what it is given last where
/// there is none. Nothing: the product overflows.
std::optional<int64_t> blockThreads(
    llvm::function_ref<int64_t(llvm::StringRef name, int64_t otherwise)>
        parameter,
    int64_t wave);

} // namespace lathe

#endif // LATHE_SUPPORT_SCHEDULESYMBOLS_H
