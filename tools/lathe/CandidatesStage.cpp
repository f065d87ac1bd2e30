//===- CandidatesStage.cpp - From built kernels to a file -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidatesStage.h"

#include "Problem/ProblemOps.h"
#include "lathe/Package/Package.h"
#include "lathe/Plan/PlannedKernel.h"
#include "lathe/Plan/ReadProblem.h"
#include "lathe/Rank/KernelCase.h"
#include "lathe/Verify/Gate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace lathe;
using namespace lathe::tool;
using llvm::Error;
using llvm::errs;
using llvm::Expected;
using llvm::outs;

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

static ReferenceRequest requestOf(const OperatorSpec &spec,
                                  const OpSetEntry &entry,
                                  const Hardware &target) {
  ReferenceRequest request;
  request.spec = &spec;
  request.arch = target.arch;
  for (const auto &dtype : spec.dtypes)
    request.dtypes[dtype.first] = resolveDType(entry, dtype.first);
  return request;
}

Expected<std::unique_ptr<CandidatePlanner>>
tool::makePlanner(const PlanInput &input, const Hardware &target,
                  const PlanCandidatesOptions &options, KernelBuilder &builder,
                  const std::set<std::string> &entries) {
  using Key =
      std::pair<std::string, std::map<std::string, std::string, std::less<>>>;
  std::map<Key, size_t> known;
  std::vector<ReferenceRequest> requests;
  for (const OpSetEntry &entry : input.opset.entries) {
    const OperatorSpec &spec = operatorOf(input, entry);
    if (!entries.count(entry.name) || !spec.hasReference)
      continue;
    ReferenceRequest request = requestOf(spec, entry, target);
    if (known.try_emplace({spec.name, request.dtypes}, requests.size()).second)
      requests.push_back(std::move(request));
  }
  auto images = builder.references(requests);
  if (!images)
    return images.takeError();
  auto planner = std::make_unique<CandidatePlanner>(input, target, options);
  planner->setTools(LATHE_VERSION, sha256Hex(builder.fingerprint()));
  planner->setReferences([known, images = std::move(*images), target](
                             const OperatorSpec &spec, const OpSetEntry &entry)
                             -> Expected<ReferenceImage> {
    auto found = known.find({spec.name, requestOf(spec, entry, target).dtypes});
    if (found == known.end())
      return llvm::createStringError("no reference of '" + spec.name +
                                     "' was compiled");
    return images[found->second];
  });
  return planner;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static CaseKind caseKind(KernelRole role) {
  switch (role) {
  case KernelRole::Generic:
    return CaseKind::Generic;
  case KernelRole::Bucket:
    return CaseKind::Bucket;
  case KernelRole::Exact:
    return CaseKind::Exact;
  }
  llvm_unreachable("covered switch");
}

static std::string scheduleText(const Candidate &candidate) {
  return llvm::join(llvm::map_range(candidate.schedule,
                                    [](const auto &item) {
                                      return item.first + "=" +
                                             std::to_string(item.second);
                                    }),
                    ",");
}

static KernelSource sourceOf(const PlannedKernel &kernel,
                             const OperatorSpec &spec, const OpSetEntry &entry,
                             const Hardware &target,
                             llvm::ArrayRef<RankedShape> shapes,
                             const Artifact &artifact) {
  KernelSource source;
  source.name = kernel.kernel;
  source.symbol = artifact.symbol;
  source.entry = kernel.entry;
  source.constants = kernel.candidate.constants;
  source.image = artifact.image;
  source.text = artifact.text;
  source.usage = artifact.usage;
  source.templateName = kernel.candidate.templateName;
  source.schedule = scheduleText(kernel.candidate);
  source.role = roleName(kernel.role).str();
  source.hiddenSeed = hiddenSeedOf(artifact.bitcode, spec);
  source.cases = {caseOf(kernel, caseKind(kernel.role), spec, target, shapes)};
  source.modelUs = [&](const Bindings &bindings) {
    Bindings dims;
    for (const DimSpec &dim : spec.dims)
      dims[dim.name] = bindings.find(dim.name)->second;
    auto facts = factsOf(spec, entry, dims);
    if (!facts) {
      llvm::consumeError(facts.takeError());
      return std::numeric_limits<double>::infinity();
    }
    return modelTime(kernel, spec, target, *facts);
  };
  return source;
}

static Expected<const Hardware *> onlyTarget(const PlanInput &input) {
  auto targets = planningTargets(input);
  if (!targets)
    return targets.takeError();
  if (targets->size() != 1 || input.targets.size() != 1)
    return llvm::createStringError(
        "error: --candidates is for one target, found %zu",
        input.targets.size());
  const Hardware *target = targets->front();
  if (target->vendor != "nvidia")
    return llvm::createStringError("error: --candidates: nothing measures on " +
                                   target->name + " (" + target->arch +
                                   "), expected an NVIDIA target");
  return target;
}

void tool::printLeftOut(const CandidatePlanner &planner) {
  // One reason is often that of many kernels.
  std::map<llvm::StringRef, std::pair<llvm::StringRef, size_t>> byReason;
  for (llvm::StringRef line : planner.leftOut()) {
    auto [place, reason] = line.split(": ");
    auto &[first, count] = byReason[reason];
    if (count++ == 0)
      first = place;
  }
  for (const auto &[reason, places] : byReason) {
    errs() << "left out: " << places.first;
    if (places.second > 1)
      errs() << " and " << places.second - 1 << " more";
    errs() << ": " << reason << "\n";
  }
}

static void printPlan(const CandidatePlanner &planner,
                      const CandidatesOptions &options) {
  tool::printLeftOut(planner);
  const measure::Candidates &plan = planner.plan();
  size_t timed = 0, checks = 0;
  for (const measure::KernelPlan &kernel : plan.kernels)
    for (const measure::LaunchPlan &launch : kernel.launches)
      ++(plan.problems[launch.problem].timed ? timed : checks);
  uint64_t bytes = 0;
  llvm::sys::fs::file_size(options.file, bytes);
  outs() << "wrote " << options.file << " (" << bytes
         << " bytes): " << plan.kernels.size() << " kernels, "
         << plan.problems.size() << " problems; " << timed
         << " kernels and sizes to time, " << checks << " to check\n";
  outs().flush(); // before what other programs say
}

Error tool::writeCandidateFile(
    mlir::ModuleOp problem, const PlanInput &input,
    const std::map<std::string, BuiltKernel> &kernels, KernelBuilder &builder,
    const CandidatesOptions &options) {
  auto target = onlyTarget(input);
  if (!target)
    return target.takeError();
  auto shapes = rankedShapes(input);
  if (!shapes)
    return shapes.takeError();
  std::vector<PlannedKernel> planned = readCandidates(problem);
  std::set<std::string> entries;
  for (const PlannedKernel &kernel : planned)
    if (kernel.rejected.empty())
      entries.insert(kernel.entry);
  auto planner = makePlanner(input, **target, options.plan, builder, entries);
  if (!planner)
    return planner.takeError();
  CandidateContents contents;
  for (const PlannedKernel &kernel : planned) {
    if (!kernel.rejected.empty())
      continue;
    const OpSetEntry &entry = *findEntry(input.opset, kernel.entry);
    const Artifact &artifact = *kernels.find(kernel.kernel)->second.artifact;
    auto plan = (*planner)->planKernel(
        sourceOf(kernel, operatorOf(input, entry), entry, **target,
                 (*shapes)[entry.name], artifact));
    if (!plan)
      return plan.takeError();
    contents.artifacts[kernel.kernel] = artifact;
  }
  // What is not in the file can neither be measured nor ranked.
  mlir::OwningOpRef<mlir::ModuleOp> ranked = problem.clone();
  for (const DroppedKernel &dropped : (*planner)->chooseTimed()) {
    ranked->walk([&](problem::CandidateOp op) {
      if (op.getEntry() == dropped.entry && op.getKernel() == dropped.kernel)
        op.setRejected(dropped.reason);
    });
    if (llvm::none_of((*planner)->plan().kernels, [&](const auto &kernel) {
          return kernel.name == dropped.kernel;
        }))
      contents.artifacts.erase(dropped.kernel);
  }
  if (contents.artifacts.empty())
    return llvm::createStringError(
        "error: no candidate file: no kernel could be built");
  llvm::raw_string_ostream(contents.problem) << *ranked << "\n";
  contents.plan = &(*planner)->plan();
  if (Error error = writeCandidates(contents, options.file))
    return error;
  printPlan(**planner, options);
  return Error::success();
}
