//===- Roofline.cpp - How fast a shape could be ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/Roofline.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe;
using llvm::StringRef;

StringRef lathe::regimeName(Regime regime) {
  switch (regime) {
  case Regime::Compute:
    return "compute";
  case Regime::Memory:
    return "memory";
  case Regime::Launch:
    return "launch";
  }
  llvm_unreachable("covered switch");
}

void RooflineAnswer::print(llvm::raw_ostream &os) const {
  os << llvm::format("T=%.4gus attainable=%.4gus ", timeUs, attainableUs)
     << regimeName(regime);
}

double lathe::peakFor(const Hardware &hardware, StringRef dtype) {
  auto peak = [&](StringRef name) {
    auto found = hardware.peakFlops.find(name);
    return found == hardware.peakFlops.end() ? 0.0 : found->second;
  };
  if (double own = peak(dtype))
    return own;
  // All fp8 encodings run on the same units; none: bf16 holds them exactly.
  if (dtype.starts_with("f8"))
    for (StringRef name : {"f8E4M3FN", "f8E4M3FNUZ"})
      if (double same = peak(name))
        return same;
  if (dtype.starts_with("i") || dtype.starts_with("u"))
    return 0;
  if (dtype != "f32" && dtype != "f64")
    for (StringRef name : {"bf16", "f16"})
      if (double half = peak(name))
        return half;
  return dtype == "f64" ? 0 : peak("f32");
}

RooflineAnswer lathe::rooflineOf(const Hardware &hardware,
                                 const CostValue &cost) {
  double compute = 0;
  for (const auto &[dtype, count] : cost.flops)
    if (double peak = peakFor(hardware, dtype))
      compute += count / peak * 1e6;
  double bytes = static_cast<double>(cost.readBytes) +
                 static_cast<double>(cost.writeBytes);
  double memory = bytes / hardware.bandwidth * 1e6;
  double achieved = hardware.achievedBandwidth > 0 ? hardware.achievedBandwidth
                                                   : hardware.bandwidth;
  RooflineAnswer answer;
  answer.timeUs = std::max(compute, memory);
  answer.attainableUs =
      std::max({compute, bytes / achieved * 1e6, hardware.launchFloorUs});
  answer.regime = answer.timeUs < hardware.launchFloorUs ? Regime::Launch
                  : compute > memory                     ? Regime::Compute
                                                         : Regime::Memory;
  return answer;
}
