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
#include <numeric>

using namespace lathe;

FitAnswer lathe::fitOf(llvm::ArrayRef<FitSample> samples) {
  FitAnswer answer;
  if (samples.empty())
    return answer;
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_tuple(samples[a].modelUs, -samples[a].measuredUs, a) <
           std::make_tuple(samples[b].modelUs, -samples[b].measuredUs, b);
  });
  std::vector<double> model, measured;
  for (size_t i : order) {
    model.push_back(samples[i].modelUs);
    measured.push_back(samples[i].measuredUs);
  }
  answer.correlation = measure::rankCorrelation(model, measured);
  auto fastest = llvm::min_element(measured);
  answer.bestRank = fastest - measured.begin() + 1;
  answer.best = order[answer.bestRank - 1];
  auto regret = [&](size_t first) {
    first = std::min(first, measured.size());
    return *std::min_element(measured.begin(), measured.begin() + first) /
               *fastest -
           1;
  };
  answer.regret1 = regret(1);
  answer.regret4 = regret(4);
  answer.regret8 = regret(8);
  return answer;
}

/// Nothing if too few kernels were measured there.
static std::optional<SizeFit>
sizeFitOf(const EntryChoice &choice, const SizeKey &key,
          const ShapeFacts &facts, std::set<const PlannedKernel *> &kernels) {
  std::vector<FitSample> samples;
  std::vector<const PlannedKernel *> here = choice.special;
  here.push_back(choice.generic);
  llvm::erase_if(here, [&](const PlannedKernel *kernel) {
    const MeasuredKernel *found = choice.times->measured(*kernel);
    if (!found)
      return true;
    auto time = found->times.find(key);
    double model = modelTime(*kernel, *choice.spec, *choice.hardware, facts);
    if (time == found->times.end() || !std::isfinite(model))
      return true;
    samples.push_back({model, time->second.us});
    return false;
  });
  if (samples.size() < leastFitKernels)
    return std::nullopt;
  kernels.insert(here.begin(), here.end());
  SizeFit fit;
  fit.answer = fitOf(samples);
  for (const DimSpec &dim : choice.spec->dims)
    if (auto value = key.find(dim.name);
        value != key.end() && dim.kind != DimKind::Stride)
      fit.dims.emplace_back(dim.name, value->second);
  fit.kernels = here.size();
  fit.best = here[fit.answer.best]->kernel;
  fit.bestUs = samples[fit.answer.best].measuredUs;
  fit.bestModelUs = samples[fit.answer.best].modelUs;
  return fit;
}

std::optional<ModelFit> lathe::modelFitOf(const EntryChoice &choice) {
  ModelFit fit;
  std::set<const PlannedKernel *> kernels;
  std::vector<double> correlations;
  for (const auto &[key, facts] : choice.times->sizes()) {
    auto size = sizeFitOf(choice, key, facts, kernels);
    if (!size)
      continue;
    const FitAnswer &answer = size->answer;
    ++fit.sizes;
    correlations.push_back(answer.correlation);
    fit.regret1 += answer.regret1;
    fit.regret4 += answer.regret4;
    fit.regret8 += answer.regret8;
    fit.worstRegret1 = std::max(fit.worstRegret1, answer.regret1);
    fit.worstRegret4 = std::max(fit.worstRegret4, answer.regret4);
    fit.worstRegret8 = std::max(fit.worstRegret8, answer.regret8);
    fit.bySize.push_back(std::move(*size));
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
  fit.regret8 /= fit.sizes;
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

void lathe::printRegret(llvm::raw_ostream &os, llvm::ArrayRef<ModelFit> fits) {
  unsigned sizes = 0, good = 0;
  for (const ModelFit &fit : fits) {
    os << "the model at the measured sizes of " << fit.entry << " on "
       << fit.arch
       << ": the best measured kernel, its place in\nthe model's order, and "
          "what the best of the model's first 1, 4 and 8 lose to it\n"
          "  best us model us  rank  of  first    four   eight  size, kernel\n";
    for (const SizeFit &size : fit.bySize) {
      const FitAnswer &answer = size.answer;
      os << llvm::format(
          "%9.2f%9.2f%6u%4u%6.1f %%%6.1f %%%6.1f %% ", size.bestUs,
          size.bestModelUs, unsigned(answer.bestRank), unsigned(size.kernels),
          answer.regret1 * 100, answer.regret4 * 100, answer.regret8 * 100);
      for (const auto &[dim, value] : size.dims)
        os << " " << dim << "=" << value.text();
      os << ", " << size.best << "\n";
      ++sizes;
      good += answer.regret8 <= goodRegret;
    }
  }
  os << llvm::format("the model's first eight hold the best within %.0f %% at "
                     "%u of %u sizes\n",
                     goodRegret * 100, good, sizes);
}

static llvm::json::Value sizeFitsToJson(llvm::ArrayRef<SizeFit> fits) {
  llvm::json::Array records;
  for (const SizeFit &fit : fits) {
    llvm::json::Object dims;
    for (const auto &[dim, value] : fit.dims)
      dims[dim] = value.isList() ? llvm::json::Value(value.text())
                                 : llvm::json::Value(value.asNumber());
    records.push_back(
        llvm::json::Object{{"dims", std::move(dims)},
                           {"kernels", int64_t(fit.kernels)},
                           {"best", fit.best},
                           {"best_us", fit.bestUs},
                           {"best_model_us", fit.bestModelUs},
                           {"best_rank", int64_t(fit.answer.bestRank)},
                           {"regret1", fit.answer.regret1},
                           {"regret4", fit.answer.regret4},
                           {"regret8", fit.answer.regret8}});
  }
  return records;
}

llvm::json::Value lathe::modelFitsToJson(llvm::ArrayRef<ModelFit> fits) {
  llvm::json::Array records;
  for (const ModelFit &fit : fits)
    records.push_back(
        llvm::json::Object{{"entry", fit.entry},
                           {"operator", fit.op},
                           {"arch", fit.arch},
                           {"sizes", fit.sizes},
                           {"kernels", fit.kernels},
                           {"correlation", fit.correlation},
                           {"regret1", fit.regret1},
                           {"regret4", fit.regret4},
                           {"regret8", fit.regret8},
                           {"worst_regret1", fit.worstRegret1},
                           {"worst_regret4", fit.worstRegret4},
                           {"worst_regret8", fit.worstRegret8},
                           {"by_size", sizeFitsToJson(fit.bySize)}});
  return records;
}
