//===- EntryTimes.cpp - Times of an entry's kernels at any size -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryTimes.h"

#include "lathe/Support/ListName.h"

#include <cmath>
#include <limits>

using namespace lathe;

bool lathe::isTie(const KernelTime &a, const KernelTime &b, double tolerance) {
  const KernelTime &fast = a.us <= b.us ? a : b;
  const KernelTime &slow = a.us <= b.us ? b : a;
  if (!std::isfinite(slow.us))
    return a.us == b.us;
  return slow.us <= fast.us * (1 + tolerance) || slow.lowUs <= fast.highUs;
}

const MeasuredKernel *MeasuredTimes::find(const std::string &entry,
                                          const std::string &kernel) const {
  auto found = kernels.find({entry, kernel});
  return found == kernels.end() ? nullptr : &found->second;
}

std::optional<SizeKey> lathe::sizeKey(const Bindings &bindings,
                                      const OperatorSpec &spec) {
  SizeKey key;
  for (const DimSpec &dim : spec.dims) {
    if (!dim.isGiven())
      continue;
    auto found = bindings.find(dim.name);
    if (found == bindings.end())
      return std::nullopt;
    const ExprValue &value = found->second;
    key[dim.name] = value.isList ? SizeValue::ofList(listName(value.elements))
                                 : SizeValue(value.elements.front());
  }
  return key;
}

static double logBytes(const ShapeFacts &facts) {
  return std::log(std::max(facts.bytesRead + facts.bytesWritten, 1.0));
}

EntryTimes::EntryTimes(const OperatorSpec &spec, const OpSetEntry &entry,
                       const Hardware &hardware, const MeasuredTimes *times,
                       llvm::ArrayRef<const PlannedKernel *> kernels)
    : spec(spec), entry(entry), hardware(hardware), times(times) {
  std::vector<double> logFactors;
  for (const PlannedKernel *kernel : kernels)
    if (const MeasuredKernel *found = measured(*kernel))
      addKernel(*kernel, *found, logFactors);
  if (logFactors.empty())
    return;
  auto middle = logFactors.begin() + logFactors.size() / 2;
  std::nth_element(logFactors.begin(), middle, logFactors.end());
  usualFactor = std::exp(*middle);
}

const MeasuredKernel *EntryTimes::measured(const PlannedKernel &kernel) const {
  return times ? times->find(entry.name, kernel.kernel) : nullptr;
}

EntryTimes::Statics EntryTimes::staticsOf(const Bindings &bindings) const {
  Statics statics;
  for (const DimSpec &dim : spec.dims)
    if (dim.kind == DimKind::Static)
      statics.push_back(bindings.find(dim.name)->second.elements.front());
  return statics;
}

llvm::Expected<ShapeFacts> EntryTimes::factsAt(const SizeKey &key) const {
  Bindings dims;
  for (const auto &[name, value] : key) {
    if (!value.isList()) {
      dims[name] = ExprValue(value.asNumber());
      continue;
    }
    auto list = listOfName(value.text());
    if (!list)
      return llvm::createStringError("nobody knows the list " + value.text());
    dims[name] = ExprValue(std::move(*list));
  }
  return factsOf(spec, entry, dims);
}

void EntryTimes::addKernel(const PlannedKernel &kernel,
                           const MeasuredKernel &measured,
                           std::vector<double> &logFactors) {
  for (const auto &[key, time] : measured.times) {
    auto [at, isNew] = facts.try_emplace(key);
    if (isNew) {
      auto made = factsAt(key);
      if (!made || sizeKey(made->bindings, spec) != key) {
        llvm::consumeError(made.takeError());
        facts.erase(at);
        continue;
      }
      at->second = std::move(*made);
    }
    double model = modelTime(kernel, spec, hardware, at->second);
    if (!std::isfinite(model) || model <= 0 || time.us <= 0)
      continue;
    if (kernel.role != KernelRole::Generic)
      slowest[key] = std::max(slowest[key], time.us);
    double logFactor = std::log(time.us / model);
    logFactors.push_back(logFactor);
    Curve &curve = curves[{kernel.kernel, staticsOf(at->second.bindings)}];
    Correction &point = curve[logBytes(at->second)];
    // Sizes of as many bytes are averaged.
    double weight = 1.0 / ++point.count;
    point.logFactor += (logFactor - point.logFactor) * weight;
    point.low += (time.lowUs / time.us - point.low) * weight;
    point.high += (time.highUs / time.us - point.high) * weight;
  }
}

KernelTime EntryTimes::at(const PlannedKernel &kernel,
                          const ShapeFacts &shape) const {
  double model = modelTime(kernel, spec, hardware, shape);
  if (!times || !std::isfinite(model))
    return model;
  std::optional<SizeKey> key = sizeKey(shape.bindings, spec);
  const MeasuredKernel *found = measured(kernel);
  if (found && key) {
    auto time = found->times.find(*key);
    if (time != found->times.end())
      return time->second;
    if (kernel.role != KernelRole::Generic && found->voids.count(*key))
      return std::numeric_limits<double>::infinity();
  }
  KernelTime time = estimate(kernel, shape, model);
  auto others = key ? slowest.find(*key) : slowest.end();
  if (kernel.role == KernelRole::Generic || !found || !found->passed ||
      others == slowest.end() || time.us >= others->second)
    return time;
  double floor = others->second;
  time.lowUs = std::min(floor, time.lowUs * floor / time.us);
  time.highUs = std::max(floor, time.highUs * floor / time.us);
  time.us = floor;
  return time;
}

KernelTime EntryTimes::estimate(const PlannedKernel &kernel,
                                const ShapeFacts &shape, double model) const {
  auto curve = curves.find({kernel.kernel, staticsOf(shape.bindings)});
  if (curve == curves.end())
    return model * usualFactor;

  double bytes = logBytes(shape);
  auto above = curve->second.lower_bound(bytes);
  auto below = above;
  if (above == curve->second.end() ||
      (above->first != bytes && above != curve->second.begin()))
    --below;
  if (above == curve->second.end())
    above = below;
  double share = above == below
                     ? 0
                     : (bytes - below->first) / (above->first - below->first);
  auto mix = [&](double Correction::*field) {
    double a = below->second.*field, b = above->second.*field;
    return a + (b - a) * share;
  };
  KernelTime time(model * std::exp(mix(&Correction::logFactor)));
  time.lowUs *= mix(&Correction::low);
  time.highUs *= mix(&Correction::high);
  time.source = KernelTime::Corrected;
  return time;
}
