//===- External.cpp - Kernels that people bring, as candidates ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/External.h"

#include "Schedules.h"
#include "lathe/Plan/KernelName.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;

std::string lathe::externalName(StringRef path, StringRef sha256) {
  std::string name;
  for (char c : llvm::sys::path::stem(path)) {
    if (name.size() == 24)
      break;
    if (llvm::isAlpha(c) || (llvm::isDigit(c) && !name.empty()))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  return (name.empty() ? "kernel" : name) + "_" + sha256.take_front(8).str();
}

/// A kernel serves one size (all static and request dims are fixed), or more.
static KernelRole roleOf(const OperatorSpec &spec,
                         const LaunchDescription &launch) {
  bool isExact = llvm::all_of(spec.dims, [&](const DimSpec &dim) {
    return dim.kind == DimKind::Stride || !dim.isForKernels() ||
           launch.fixed.count(dim.name);
  });
  return isExact ? KernelRole::Exact : KernelRole::Bucket;
}

static int64_t widestElement(const OperatorSpec &spec,
                             const OpSetEntry &entry) {
  int64_t bytes = 1;
  for (const OperandSpec &operand : spec.operands)
    bytes = std::max<int64_t>(
        bytes, dtypeBits(resolveDType(entry, operand.dtype)) / 8);
  return bytes;
}

/// What the author says of nothing: elements of the largest input per thread.
static Expr liveOf(const PlannedKernel &kernel, const ShapeFacts &facts) {
  double blocks = 1;
  for (const Expr &axis : kernel.grid) {
    auto extent = axis.evaluate(facts.bindings);
    if (extent)
      blocks *= double(std::max<int64_t>(*extent, 1));
    else
      llvm::consumeError(extent.takeError());
  }
  double live = facts.elements / (blocks * double(kernel.threads));
  return Expr::constant(std::clamp<int64_t>(int64_t(live), 1, 64));
}

static Expected<PlannedKernel> planLaunch(const ExternalQuestion &q) {
  PlannedKernel kernel;
  const LaunchDescription &launch = q.launch;
  kernel.entry = q.entry->name;
  kernel.role = roleOf(*q.spec, launch);
  Candidate &candidate = kernel.candidate;
  candidate.op = q.spec->name;
  candidate.templateName = q.name;
  candidate.arch = q.hardware->arch;
  candidate.constants = launch.fixed;
  setChoices(candidate, *q.spec, *q.entry);
  for (const DimGuard &guard : launch.guards)
    if (guard.multiple > 1 && !launch.fixed.count(guard.dim))
      candidate.multiples[guard.dim] = guard.multiple;
  if (launch.sharedBytes)
    candidate.schedule["SHARED"] = launch.sharedBytes;
  candidate.alignment =
      launch.alignment ? launch.alignment : widestElement(*q.spec, *q.entry);
  kernel.threads = launch.threads;
  kernel.guards = launch.guards;
  kernel.grid = launch.grid;
  kernel.kernel = mintKernelName(candidate);
  return kernel;
}

static Expected<PlannedKernel> planTemplate(const ExternalQuestion &q) {
  StringRef path = q.templateFile;
  TemplateLibrary library(*q.context);
  Expected<TemplateInfo> info = library.read(llvm::sys::path::parent_path(path),
                                             llvm::sys::path::stem(path));
  if (!info)
    return info.takeError();
  // One schedule: what the space leaves open must be said.
  ScheduleQuestion question;
  for (const auto &[name, listed] : info->spaces.front()) {
    std::vector<int64_t> values = info->valuesOf(name);
    auto given = q.launch.schedule.find(name);
    if (given != q.launch.schedule.end())
      question.schedule[name] = given->second;
    else if (values.size() == 1)
      question.schedule[name] = values.front();
    else
      return llvm::createStringError("parameter " + name +
                                     " of the template "
                                     "has no value, expected one under "
                                     "'schedule'");
  }
  for (const auto &[name, value] : q.launch.schedule)
    if (!question.schedule.count(name))
      return llvm::createStringError("the template has no parameter " + name);
  info->name = q.name;
  question.spec = q.spec;
  question.entry = q.entry;
  question.hardware = q.hardware;
  question.info = &*info;
  question.role = roleOf(*q.spec, q.launch);
  question.fixed = q.launch.fixed;
  ScheduleAnswer answer = bindSchedule(question);
  if (!answer.reason.empty())
    return llvm::createStringError(answer.reason);
  for (const DimGuard &guard : q.launch.guards)
    if (!addGuard(answer.kernel.guards, guard))
      return llvm::createStringError("nothing is left of dim '" + guard.dim +
                                     "'");
  return std::move(answer.kernel);
}

Expected<PlannedKernel> lathe::planExternal(const ExternalQuestion &question) {
  bool isTemplate = !question.templateFile.empty();
  Expected<PlannedKernel> kernel =
      isTemplate ? planTemplate(question) : planLaunch(question);
  if (!kernel)
    return kernel.takeError();
  Bindings dims;
  for (const DimSpec &dim : question.spec->dims)
    dims[dim.name] = question.heaviest.find(dim.name)->second;
  auto facts = factsOf(*question.spec, *question.entry, dims);
  if (!facts)
    return facts.takeError();
  if (!isTemplate)
    kernel->live = liveOf(*kernel, *facts);
  auto model = askAbout(*kernel, *question.spec, *question.hardware, *facts);
  if (model)
    kernel->answer = predict(*model);
  return kernel;
}
