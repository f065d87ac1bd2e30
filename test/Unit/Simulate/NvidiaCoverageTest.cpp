//===- NvidiaCoverageTest.cpp - What NVVM has and what is simulated -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulate/Instruction.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/Regex.h"

#include <gtest/gtest.h>

using namespace lathe::sim;

namespace {

// Unsupported, by reason.
constexpr llvm::StringLiteral unsupported[] = {
    // No architecture before sm_100 has them.
    "^tcgen05\\.", "^clusterlaunchcontrol\\.", "^st\\.bulk",
    "(e2m1|e2m3|e3m2|ue8m0)x[24]", "to\\.(e4m3|e5m2)x4\\.rs",
    "^ff2b?f16x2\\.rs", "^mma\\..*kind\\.", "^mma\\.block",
    "^stmatrix\\..*m16n8", "b8x16\\.", "^ldmatrix\\..*m16n16",
    "\\.(gather4|scatter4)\\.", "bytemask$",
    "^cp\\.async\\.bulk\\.tensor\\..*(im2col\\.w|\\.cta_group)",
    // No architecture since sm_70 has them.
    "^vote\\.(all|any|uni|ballot)$", "^shfl\\.(up|down|bfly|idx)\\.",
    // PTX has no such instruction.
    "^lg2\\.approx\\.d$", "^compiler\\.(error|warn)$",
    // Sparse, sub-byte and Volta's matrices, whole-fragment loads, im2col.
    "^mma\\.sp", "^mma\\..*\\.b1$", "^mma\\..*\\.[su]4", "^mma\\.m8n8k4\\.",
    "^wmma\\.", "im2col",
    // A launch does not define them.
    "sreg\\.(envreg|pm)", "aggr_smem_size",
    "^(tex|tld4|suld|sust|suq|txq|istypep|texsurf)\\.",
    // Tensor maps are arguments; the pipeline folds reflect; a discard makes
    // values undefined.
    "^tensormap\\.replace", "^reflect$", "^discard\\."};

bool isKnownGap(llvm::StringRef name) {
  for (llvm::StringRef pattern : unsupported)
    if (llvm::Regex(pattern).match(name))
      return true;
  return false;
}

TEST(NvidiaCoverage, EveryIntrinsicIsSimulatedOrNamed) {
  const InstructionSet &set = InstructionSet::get();
  unsigned simulated = 0;
  for (unsigned id = 1; id < llvm::Intrinsic::num_intrinsics; ++id) {
    llvm::StringRef name = llvm::Intrinsic::getBaseName(id);
    if (!name.starts_with("llvm.nvvm."))
      continue;
    if (set.find(name))
      ++simulated;
    else
      EXPECT_TRUE(isKnownGap(name.drop_front(10))) << name.str();
  }
  EXPECT_GT(simulated, 700u);
}

} // namespace
