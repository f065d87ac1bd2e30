//===- EntryTimes.h - Times of an entry's kernels at any size ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RANK_ENTRYTIMES_H
#define LATHE_LIB_RANK_ENTRYTIMES_H

#include "lathe/Plan/PlannedKernel.h"
#include "lathe/Rank/MeasuredTimes.h"

namespace lathe {

/// Measured where there is a measurement, else the model: corrected by its
/// error at measured sizes nearby, or by its usual error for the entry.
class EntryTimes {
public:
  EntryTimes(const OperatorSpec &spec, const OpSetEntry &entry,
             const Hardware &hardware, const MeasuredTimes *times,
             llvm::ArrayRef<const PlannedKernel *> kernels);

  /// Infinite if the kernel may not run there, or no honest time could be
  /// taken of one that another kernel can stand in for. Where others were
  /// measured, one that was right elsewhere is no faster than any of them: it
  /// was not thought worth the time.
  KernelTime at(const PlannedKernel &kernel, const ShapeFacts &facts) const;

  /// Of measured sizes, those that could be evaluated.
  const std::map<SizeKey, ShapeFacts> &sizes() const { return facts; }
  const MeasuredKernel *measured(const PlannedKernel &kernel) const;

private:
  /// What the model gets wrong at one size.
  struct Correction {
    double logFactor = 0, low = 1,
           high = 1;    ///< low, high: relative to the time
    unsigned count = 0; ///< of sizes with as many bytes
  };
  /// By the logarithm of the bytes moved.
  using Curve = std::map<double, Correction>;
  using Statics = std::vector<int64_t>;

  KernelTime estimate(const PlannedKernel &kernel, const ShapeFacts &shape,
                      double model) const;
  Statics staticsOf(const Bindings &bindings) const;
  /// Of a measured size; an error if the operator's dims have changed since, or
  /// if it has a list whose name does not say the values.
  llvm::Expected<ShapeFacts> factsAt(const SizeKey &key) const;
  void addKernel(const PlannedKernel &kernel, const MeasuredKernel &measured,
                 std::vector<double> &logFactors);

  const OperatorSpec &spec;
  const OpSetEntry &entry;
  const Hardware &hardware;
  const MeasuredTimes *times;
  std::map<SizeKey, ShapeFacts> facts;
  std::map<SizeKey, double> slowest; ///< measured of other than generic kernels
  std::map<std::pair<std::string, Statics>, Curve> curves;
  double usualFactor = 1;
};

} // namespace lathe

#endif // LATHE_LIB_RANK_ENTRYTIMES_H
