//===- AskedHash.h - What a verdict was asked for ------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_DEVICE_ASKEDHASH_H
#define LATHE_TOOLS_LATHE_DEVICE_ASKEDHASH_H

#include "lathe/Measure/Candidates.h"

namespace lathe::device {

/// Of everything in the plan that a kernel's verdict depends on beside its
/// image: launches, problems, draws, tolerances, the reference.
std::string askedHash(const measure::Candidates &plan, uint32_t kernel);

} // namespace lathe::device

#endif // LATHE_TOOLS_LATHE_DEVICE_ASKEDHASH_H
