//===- Evidence.h - What stands behind a verdict ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_EVIDENCE_H
#define LATHE_LIB_MEASURE_EVIDENCE_H

#include "CheckKernel.h"

namespace lathe::measure {

struct TimeEvidence {
  unsigned sets = 0, redraws = 0, checks = 0;
  bool isScreened = false; ///< few samples: the rival is far ahead
  bool isRetried = false;  ///< the first samples were void
  SampledShare sampled;    ///< of both subjects
  std::vector<std::string> missing;
  TimingAnswer answer;
};

/// JSON objects. "sampled": {"draws", "compared", "elements"} where references
/// were large: so many elements of all outputs of these draws were compared.
std::string timeEvidence(const TimeEvidence &evidence);
std::string checkEvidence(const CheckReport &report);

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_EVIDENCE_H
