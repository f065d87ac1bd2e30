//===- InspectCandidates.h - lathe inspect of candidate files ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_INSPECTCANDIDATES_H
#define LATHE_TOOLS_LATHE_INSPECTCANDIDATES_H

#include "llvm/ADT/StringRef.h"

namespace lathe::tool {

/// Prints kernels, problems and images; with `op`, only of this entry. `json`:
/// the plan. Failures throw CommandFailed after they were printed.
void inspectCandidates(llvm::StringRef path, llvm::StringRef op, bool json);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_INSPECTCANDIDATES_H
