//===- Roofline.h - How fast a shape could be -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_ROOFLINE_H
#define LATHE_PLAN_ROOFLINE_H

#include "lathe/Ingest/Bind.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace lathe {

enum class Regime { Compute, Memory, Launch };
llvm::StringRef regimeName(Regime regime);

struct RooflineAnswer {
  double timeUs = 0;       ///< at the published peaks
  double attainableUs = 0; ///< at measured ceilings, not below a launch
  Regime regime = Regime::Memory;

  void print(llvm::raw_ostream &os) const;
};

/// Dense FLOP/s of `dtype`: its own peak, else that of the next wider type
/// that the target computes in; 0 for integers.
double peakFor(const Hardware &hardware, llvm::StringRef dtype);

/// Times of several dtypes add up, as in the published score. Regime launch:
/// even at the peaks, less time than an empty kernel takes.
RooflineAnswer rooflineOf(const Hardware &hardware, const CostValue &cost);

} // namespace lathe

#endif // LATHE_PLAN_ROOFLINE_H
