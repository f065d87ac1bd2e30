//===- Summary.cpp - What came of a run -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Summary.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <unistd.h>

using namespace lathe;
using namespace lathe::device;
using namespace lathe::measure;

void lathe::device::printSummary(const Candidates &plan,
                                 const std::vector<uint32_t> &kernels,
                                 const RunLog &log) {
  std::map<DeviceVerdict, std::vector<uint32_t>> byVerdict;
  size_t unknown = 0;
  for (uint32_t kernel : kernels)
    if (auto verdict = log.verdict(kernel))
      byVerdict[*verdict].push_back(kernel);
    else
      ++unknown;
  for (const auto &[verdict, of] : byVerdict)
    printf("%-12s %zu\n", verdictName(verdict), of.size());
  if (unknown != 0)
    printf("%-12s %zu\n", "not measured", unknown);
  PhaseSeconds seconds = log.seconds();
  printf("seconds     ");
  for (size_t phase = 0; phase != childPhases; ++phase)
    printf(" %s %.1f", phaseName(ChildPhase(phase)), seconds[phase]);
  printf("\n");
  if (SampledTotals sampled = log.sampled(); sampled.draws != 0)
    printf("%-12s %llu draws with large references: %llu of %llu elements "
           "compared\n",
           "sampled", (unsigned long long)sampled.draws,
           (unsigned long long)sampled.compared,
           (unsigned long long)sampled.elements);
  for (const auto &[verdict, of] : byVerdict)
    if (verdict != DeviceVerdict::Passed)
      for (uint32_t kernel : of)
        printf("%s %s: %s\n", verdictName(verdict),
               plan.kernels[kernel].name.c_str(), log.reason(kernel).c_str());
  for (size_t entry = 0; entry != plan.entries.size(); ++entry) {
    bool isTitled = false;
    for (uint32_t problem = 0; problem != plan.problems.size(); ++problem) {
      if (plan.problems[problem].entry != entry)
        continue;
      std::vector<KernelTime> times = log.times(problem);
      if (times.empty())
        continue;
      if (!isTitled)
        printf("\n%s\n", plan.entries[entry].name.c_str());
      isTitled = true;
      const KernelTime &best = times.front();
      printf("  %-36s %10.2f us  S %.3f  %s\n",
             records::dimsText(plan.problems[problem].dims).c_str(),
             best.timeUs, best.timeUs > 0 ? best.rooflineUs / best.timeUs : 0,
             plan.kernels[best.kernel].name.c_str());
    }
  }
  fflush(stdout); // before what is said on standard error
}

std::string lathe::device::findSanitizer(const std::string &wanted) {
  auto isProgram = [](const std::string &path) {
    return access(path.c_str(), X_OK) == 0;
  };
  if (!wanted.empty()) {
    if (!isProgram(wanted))
      throw std::runtime_error("'" + wanted + "' cannot be executed");
    return wanted;
  }
  std::vector<std::string> folders;
  auto addVariable = [&](const char *name, const char *below) {
    const char *value = getenv(name);
    std::string rest = value ? value : "";
    while (!rest.empty()) {
      size_t end = rest.find(':');
      folders.push_back(rest.substr(0, end) + below);
      rest = end == std::string::npos ? "" : rest.substr(end + 1);
    }
  };
  addVariable("PATH", "");
  addVariable("CUDA_HOME", "/bin");
  addVariable("CUDA_PATH", "/bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : folders)
    if (isProgram(folder + "/compute-sanitizer"))
      return folder + "/compute-sanitizer";
  return {};
}
