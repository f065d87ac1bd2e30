//===- ProblemOps.td - Operations of the problem dialect ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PROBLEM_OPS_TD
#define LATHE_PROBLEM_OPS_TD

include "ProblemAttrs.td"

#endif // LATHE_PROBLEM_OPS_TD
