//===- ReportData.h - What the page shows -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PACKAGE_REPORTDATA_H
#define LATHE_LIB_PACKAGE_REPORTDATA_H

#include "lathe/Package/Bundle.h"

namespace lathe::report {

/// One piece of hardware that the bundle was planned for.
struct Target {
  std::string name, arch, source;
  std::map<std::string, double> peaks; ///< FLOP/s by dtype
  double bandwidth = 0;                ///< bytes/s, 0: not recorded
  double achievedBandwidth = 0;        ///< 0: not measured
  double launchFloorUs = 0;
};

/// One integer, a list, or only a list's figures.
struct Dim {
  std::vector<int64_t> values;
  bool isList = false;
  int64_t count = 0, min = 0, max = 0; ///< of a list that is summed up
  double sum = 0;
};

/// How one kind of case is called in manifests; the last one is the absence of
/// a case.
constexpr const char *kindNames[] = {"exact", "bucket", "generic", "unserved"};
constexpr size_t unservedKind = 3;

/// One instance on one target.
struct Bound {
  std::string targetName, regime, caseName, kernel;
  double rooflineUs = 0, attainableUs = 0;
  std::optional<double> modelUs;
  std::optional<double> measuredUs, measuredLowUs, measuredHighUs;

  // Found by name once everything is read.
  size_t target = 0;
  size_t kind = unservedKind;
  const DispatchCase *row = nullptr; ///< null: unserved
};

struct Instance {
  std::string entry, phase;
  std::map<std::string, Dim> dims;
  double weight = 0;
  std::map<std::string, double> flops; ///< by dtype
  double read = 0, write = 0;          ///< bytes
  std::vector<Bound> bounds;
  const DispatchTable *table = nullptr; ///< null: served nowhere

  double totalFlops() const;
  double totalBytes() const { return read + write; }
};

/// One entry on one architecture; shares are of the histogram's time.
struct CoverageRow {
  std::string entry, op, arch, reason;
  double share = 0;
  double parts[4] = {}; ///< by kind
  int64_t instances = 0, kernels = 0, bytes = 0;
};

/// A name with where it came from.
struct Source {
  std::string name, description, source, sha256;
};

/// Whose measurements chose the kernels.
struct Device {
  std::string name, driver;
};

/// The model beside what was measured, of one entry; regrets are relative.
struct Fit {
  std::string entry, arch;
  int64_t sizes = 0, kernels = 0;
  double correlation = 0, regret1 = 0, regret4 = 0;
  double worstRegret1 = 0, worstRegret4 = 0;
};

/// The manifest's part of the page. Points into the bundle.
struct Data {
  const Bundle *bundle = nullptr;
  std::string lathe, llvm, tools;
  std::optional<Source> opset, histogram;
  std::vector<Target> targets;
  std::vector<CoverageRow> coverage, totals;
  double unshaped = 0;
  std::optional<std::vector<Instance>> instances;
  Device device;
  std::vector<Fit> fits;
};

/// The error names the place in the manifest.
llvm::Expected<Data> readData(const Bundle &bundle);

} // namespace lathe::report

#endif // LATHE_LIB_PACKAGE_REPORTDATA_H
