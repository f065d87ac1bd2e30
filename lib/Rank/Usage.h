//===- Usage.h - ResourceUsage's figures by name ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RANK_USAGE_H
#define LATHE_LIB_RANK_USAGE_H

#include "lathe/Support/ResourceUsage.h"

namespace lathe {

struct UsageField {
  const char *name;
  int64_t ResourceUsage::*field;
};

/// One list for both directions of problem.candidate's `usage`.
inline constexpr UsageField usageFields[] = {
    {"registers", &ResourceUsage::registers},
    {"scalarRegisters", &ResourceUsage::scalarRegisters},
    {"accumulatorRegisters", &ResourceUsage::accumulatorRegisters},
    {"spillBytes", &ResourceUsage::spillBytes},
    {"stackBytes", &ResourceUsage::stackBytes},
    {"sharedBytes", &ResourceUsage::sharedBytes},
    {"maxThreads", &ResourceUsage::maxThreads},
    {"barriers", &ResourceUsage::barriers}};

} // namespace lathe

#endif // LATHE_LIB_RANK_USAGE_H
