//===- AskedHash.cpp - What a verdict was asked for -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AskedHash.h"

#include "../../lib/Runtime/Sha256.h"

using namespace lathe::device;
using namespace lathe::measure;

/// The plan of the kernel alone, as the file would say it. References are known
/// by their images.
std::string lathe::device::askedHash(const Candidates &plan, uint32_t kernel) {
  Candidates own;
  own.target = plan.target;
  own.kernels = {plan.kernels[kernel]};
  KernelPlan &only = own.kernels.front();
  own.entries = {plan.entries[only.entry]};
  own.references = {plan.references[own.entries.front().reference]};
  own.images = {plan.images[only.image]};
  if (own.references.front().missing.empty())
    own.images.push_back(plan.images[own.references.front().image]);
  only.entry = only.image = 0;
  own.entries.front().reference = 0;
  own.references.front().image = uint32_t(own.images.size() - 1);
  for (LaunchPlan &launch : only.launches) {
    own.problems.push_back(plan.problems[launch.problem]);
    own.problems.back().entry = 0;
    launch.modelUs = 0; // a better model says nothing of the kernel
    launch.problem = uint32_t(own.problems.size() - 1);
  }
  std::string text = writePlan(own);
  uint8_t digest[32];
  runtime::sha256(text.data(), text.size(), digest);
  std::string hash;
  for (unsigned i = 0; i != 8; ++i) {
    hash += "0123456789abcdef"[digest[i] >> 4];
    hash += "0123456789abcdef"[digest[i] & 15];
  }
  return hash;
}
