//===- MakeCandidates.cpp - Candidate files for the fake driver -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lathe-test-candidates FILE OUT: writes kernels of the fake driver's language
// (Fake/README.md) as candidates of one entry, y = x + 1. FILE has a line each:
//
//   arch sm_90a                 what the file is for (the default)
//   problem 8x32 [check]        rows x columns, timed unless it only checks
//   flops F                     of the last problem: its reference's work
//   alias                       y may be x
//   cancellation F              of y's tolerance, in the last entry
//   entry NAME                  of the following problems and kernels (add_one)
//   kernel NAME [fake options]  its module holds this line alone; with maps=1
//   it
//                               takes x as a tensor map as well
//   proof sanitizer             of the last kernel
//   refused REASON              of the last kernel
//   model US                    of the last kernel
//   padded                      rows of the following problems lie 8 elements
//                               apart
//   reference [fake options]    instead of do=reference
//
//===----------------------------------------------------------------------===//

#include "lathe/Package/PlanCandidates.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <set>

using namespace lathe;
using llvm::StringRef;

namespace {

/// What H200s write per second.
constexpr double bandwidth = 4.8e12;

struct Maker {
  measure::Candidates plan;
  std::deque<std::string> images;
  bool mayAlias = false;
  int64_t padding = 0;
  std::string reference = "do=reference";

  uint32_t addImage(std::string text) {
    text += '\0'; // goes to the driver as PTX does
    images.push_back(std::move(text));
    measure::Image &image = plan.images.emplace_back();
    image.isPtx = true;
    image.bytes = images.back();
    image.sha256 = llvm::toHex(
        llvm::SHA256::hash(llvm::arrayRefFromStringRef(images.back())),
        /*LowerCase=*/true);
    return uint32_t(plan.images.size() - 1);
  }

  void addEntry(StringRef name) {
    if (plan.references.empty()) {
      measure::ReferencePlan &own = plan.references.emplace_back();
      own.op = "add_one";
      own.symbol = "add_one_ref";
      own.rowRank = 1;
      own.image = addImage("fake-module\nkernel add_one_ref " + reference +
                           " time_us=20\n");
    }
    measure::EntryPlan &entry = plan.entries.emplace_back();
    entry.name = name;
    entry.op = "add_one";
    entry.dtypes = {{"T", "f32"}};
    entry.operands.resize(2);
    entry.operands[0].name = "x";
    entry.operands[1].name = "y";
    entry.operands[0].dtype = entry.operands[1].dtype = "f32";
    entry.operands[1].isOutput = true;
    entry.operands[1].mayAlias = mayAlias ? 0 : -1;
    entry.importance = 1;
  }

  bool addProblem(StringRef line) {
    auto [size, kind] = line.split(' ');
    int64_t rows, columns;
    auto [left, right] = size.split('x');
    if (left.getAsInteger(10, rows) || right.getAsInteger(10, columns) ||
        !(kind.empty() || kind == "check"))
      return false;
    if (plan.entries.empty())
      addEntry("add_one");
    measure::Problem &problem = plan.problems.emplace_back();
    problem.entry = uint32_t(plan.entries.size() - 1);
    problem.dims = {{"R", rows}, {"C", columns}};
    problem.why = kind.empty() ? "hot" : "ragged";
    measure::View view{{rows, columns}, {columns + padding, 1}};
    problem.views = {view, view};
    problem.referenceDims = {rows, columns};
    problem.referenceRows = {rows};
    for (auto [name, mode] : {std::pair("realistic", DrawMode::Realistic),
                              std::pair("edge", DrawMode::Edge)}) {
      measure::DrawPlan &draw = problem.draws.emplace_back();
      draw.name = name;
      draw.mode = mode;
      draw.sources.resize(2);
      draw.lists.resize(2);
    }
    problem.timed = kind.empty();
    problem.weight = problem.count = problem.timed;
    problem.bytes = double(rows) * double(columns) * 8;
    problem.rooflineUs = problem.bytes / bandwidth * 1e6;
    return true;
  }

  void addKernel(StringRef line) {
    if (plan.entries.empty())
      addEntry("add_one");
    measure::KernelPlan &kernel = plan.kernels.emplace_back();
    kernel.name = kernel.symbol = line.split(' ').first;
    kernel.entry = uint32_t(plan.entries.size() - 1);
    kernel.image = addImage("fake-module\nkernel " + line.str() + "\n");
    kernel.templateName = "toy";
    kernel.role = "bucket";
    kernel.origin = "template";
    kernel.block[0] = 128;
    if (line.contains(" maps=1"))
      mapped.insert(kernel.name);
  }

  /// Every kernel runs at every problem of its entry.
  void addLaunches() {
    for (measure::KernelPlan &kernel : plan.kernels)
      for (auto [number, problem] : llvm::enumerate(plan.problems)) {
        if (problem.entry != kernel.entry || !kernel.refused.empty())
          continue;
        measure::LaunchPlan &launch = kernel.launches.emplace_back();
        launch.problem = uint32_t(number);
        using measure::Argument;
        auto stride = uint64_t(problem.views[0].strides[0]);
        launch.arguments = {
            {Argument::Operand, 0},
            {Argument::Operand, 1},
            {Argument::I64, uint64_t(problem.dims["R"].asNumber())},
            {Argument::I64, uint64_t(problem.dims["C"].asNumber())},
            {Argument::I64, stride},
            {Argument::I64, stride}};
        if (mapped.count(kernel.name))
          launch.maps = {{0,
                          "f32",
                          {uint64_t(problem.dims["C"].asNumber()),
                           uint64_t(problem.dims["R"].asNumber())},
                          {stride * sizeof(float)},
                          {8, 8},
                          32}};
        launch.alignment = 16;
        launch.modelUs = modelUs[kernel.name];
      }
  }

  bool addLine(StringRef line) {
    auto [word, rest] = line.split(' ');
    rest = rest.trim();
    if (word == "problem")
      return addProblem(rest);
    if (word == "kernel")
      addKernel(rest);
    else if (word == "entry")
      addEntry(rest);
    else if (word == "arch")
      plan.target.arch = rest;
    else if (word == "flops" && !plan.problems.empty())
      return !rest.getAsDouble(plan.problems.back().flops);
    else if (word == "cancellation" && !plan.entries.empty())
      return !rest.getAsDouble(
          plan.entries.back().operands[1].tolerance.cancellation);
    else if (word == "alias")
      mayAlias = true;
    else if (word == "padded")
      padding = 8;
    else if (word == "reference")
      reference = rest;
    else if (word == "proof" && !plan.kernels.empty())
      plan.kernels.back().proof = rest;
    else if (word == "refused" && !plan.kernels.empty())
      plan.kernels.back().refused = rest;
    else if (word == "model" && !plan.kernels.empty())
      return !rest.getAsDouble(modelUs[plan.kernels.back().name]);
    else
      return false;
    return true;
  }

  std::map<std::string, double> modelUs;
  std::set<std::string> mapped; ///< kernels
};

} // namespace

int main(int argc, char **argv) {
  auto fail = [](const llvm::Twine &message) {
    llvm::errs() << "error: " << message << "\n";
    return 1;
  };
  if (argc != 3)
    return fail("expected FILE OUT");
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(argv[1]);
  if (!text)
    return fail(text.getError().message());
  Maker maker;
  maker.plan.lathe = "test";
  maker.plan.tools = "fake";
  maker.plan.target.name = "fake";
  maker.plan.target.arch = "sm_90a";
  maker.plan.target.bandwidth = bandwidth;
  llvm::SmallVector<StringRef> lines;
  (*text)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (!line.empty() && !line.starts_with("#") && !maker.addLine(line))
      return fail("cannot read '" + line + "'");
  }
  maker.addLaunches();
  CandidateContents contents;
  contents.plan = &maker.plan;
  if (llvm::Error error = writeCandidates(contents, argv[2]))
    return fail(llvm::toString(std::move(error)));
  return 0;
}
