//===- ModelFit.cpp - The model beside what was measured ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/ModelFit.h"
#include "EntryTimes.h"
#include "Selection.h"
#include "lathe/Measure/Statistics.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace lathe;

FitAnswer lathe::fitOf(llvm::ArrayRef<FitSample> samples) {
  FitAnswer answer;
  if (samples.empty())
    return answer;
  std::vector<FitSample> order(samples.begin(), samples.end());
  llvm::sort(order, [](const FitSample &a, const FitSample &b) {
    return std::make_pair(a.modelUs, -a.measuredUs) <
           std::make_pair(b.modelUs, -b.measuredUs);
  });
  std::vector<double> model, measured;
  for (const FitSample &sample : order) {
    model.push_back(sample.modelUs);
    measured.push_back(sample.measuredUs);
  }
  answer.correlation = measure::rankCorrelation(model, measured);
  double best = *llvm::min_element(measured);
  auto regret = [&](size_t first) {
    first = std::min(first, measured.size());
    return *std::min_element(measured.begin(), measured.begin() + first) /
               best -
           1;
  };
  answer.regret1 = regret(1);
  answer.regret4 = regret(4);
  return answer;
}

std::optional<ModelFit> lathe::modelFitOf(const EntryChoice &choice) {
  ModelFit fit;
  std::set<const PlannedKernel *> kernels;
  std::vector<double> correlations;
  std::vector<const PlannedKernel *> all = choice.special;
  all.push_back(choice.generic);
  for (const auto &[key, facts] : choice.times->sizes()) {
    std::vector<FitSample> samples;
    std::vector<const PlannedKernel *> here;
    for (const PlannedKernel *kernel : all) {
      const MeasuredKernel *found = choice.times->measured(*kernel);
      if (!found)
        continue;
      auto time = found->times.find(key);
      double model = modelTime(*kernel, *choice.spec, *choice.hardware, facts);
      if (time == found->times.end() || !std::isfinite(model))
        continue;
      samples.push_back({model, time->second.us});
      here.push_back(kernel);
    }
    if (samples.size() < leastFitKernels)
      continue;
    kernels.insert(here.begin(), here.end());
    FitAnswer answer = fitOf(samples);
    ++fit.sizes;
    correlations.push_back(answer.correlation);
    fit.regret1 += answer.regret1;
    fit.regret4 += answer.regret4;
    fit.worstRegret1 = std::max(fit.worstRegret1, answer.regret1);
    fit.worstRegret4 = std::max(fit.worstRegret4, answer.regret4);
  }
  if (!fit.sizes)
    return std::nullopt;
  fit.entry = choice.entry->name;
  fit.op = choice.entry->op;
  fit.arch = choice.hardware->arch;
  fit.kernels = kernels.size();
  fit.correlation = measure::summarize(correlations).median;
  fit.regret1 /= fit.sizes;
  fit.regret4 /= fit.sizes;
  return fit;
}

void lathe::printModelFits(llvm::raw_ostream &os,
                           llvm::ArrayRef<ModelFit> fits) {
  if (fits.empty())
    return;
  size_t width = 5;
  for (const ModelFit &fit : fits)
    width = std::max(width, fit.entry.size());
  os << "the model beside the device: order of kernels (1 is the same), and "
        "how "
        "much slower its first choice\nand the best of its first four are than "
        "the best measured (mean, worst)\n"
     << llvm::left_justify("entry", width)
     << " arch      sizes kernels  order     first choice     first four\n";
  for (const ModelFit &fit : fits)
    os << llvm::left_justify(fit.entry, width) << " "
       << llvm::left_justify(fit.arch, 8)
       << llvm::format("%7u%8u%7.2f%8.1f %%%6.1f %%%7.1f %%%5.1f %%\n",
                       fit.sizes, fit.kernels, fit.correlation,
                       fit.regret1 * 100, fit.worstRegret1 * 100,
                       fit.regret4 * 100, fit.worstRegret4 * 100);
}

llvm::json::Value lathe::modelFitsToJson(llvm::ArrayRef<ModelFit> fits) {
  llvm::json::Array records;
  for (const ModelFit &fit : fits)
    records.push_back(llvm::json::Object{{"entry", fit.entry},
                                         {"operator", fit.op},
                                         {"arch", fit.arch},
                                         {"sizes", fit.sizes},
                                         {"kernels", fit.kernels},
                                         {"correlation", fit.correlation},
                                         {"regret1", fit.regret1},
                                         {"regret4", fit.regret4},
                                         {"worst_regret1", fit.worstRegret1},
                                         {"worst_regret4", fit.worstRegret4}});
  return records;
}
