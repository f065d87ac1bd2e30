//===- Summary.h - What came of a run ------------------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_DEVICE_SUMMARY_H
#define LATHE_TOOLS_LATHE_DEVICE_SUMMARY_H

#include "RunLog.h"

namespace lathe::device {

/// Verdicts, and the fastest kernel at each size, on standard output.
void printSummary(const measure::Candidates &plan,
                  const std::vector<uint32_t> &kernels, const RunLog &log);

/// `wanted` if it can be executed; without one, compute-sanitizer from PATH or
/// a CUDA installation; empty if there is none. Throws for a `wanted` that
/// cannot be executed.
std::string findSanitizer(const std::string &wanted);

} // namespace lathe::device

#endif // LATHE_TOOLS_LATHE_DEVICE_SUMMARY_H
