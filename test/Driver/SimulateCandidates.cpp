//===- SimulateCandidates.cpp - A candidate file on the simulator ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lathe-test-simulate FILE TEMPLATES: does with a candidate file what
// lathe-device does with it, on the host: draws, launches, computes the
// reference's kernel and compares, at every size below a limit.
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Load.h"
#include "lathe/Package/PlanCandidates.h"
#include "lathe/Simulate/Simulator.h"
#include "lathe/Support/FloatFormat.h"
#include "lathe/Verify/Compare.h"
#include "lathe/Verify/DeviceReference.h"
#include "lathe/Verify/DrawValue.h"
#include "lathe/Verify/TestMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe;
using llvm::cantFail;
using llvm::errs;
using llvm::outs;

namespace {

/// Bytes of all operands; more takes the simulator too long.
constexpr uint64_t mostBytes = 256 << 10;
constexpr uint32_t referenceThreads = 128;

using Memory = std::vector<std::vector<char>>;

class Simulation {
public:
  Simulation(const measure::CandidateFile &file, llvm::StringRef templates)
      : file(file), plan(file.plan()),
        operators(cantFail(loadOperators({templates.str()}))) {}
  /// Launches that went wrong.
  unsigned run();

private:
  void loadReference(const measure::EntryPlan &entry);
  void runKernel(const measure::KernelPlan &kernel, sim::Kernel &code);
  std::string tryOne(const measure::KernelPlan &kernel, sim::Kernel &code,
                     const measure::LaunchPlan &launch,
                     const measure::DrawPlan &draw);
  Memory drawn(const measure::EntryPlan &entry,
               llvm::ArrayRef<OperandLayout> layouts,
               const measure::DrawPlan &draw);
  std::string compute(const measure::EntryPlan &entry,
                      llvm::ArrayRef<OperandLayout> layouts,
                      const measure::Problem &problem,
                      const measure::DrawPlan &draw, Memory &memory);

  const measure::CandidateFile &file;
  const measure::Candidates &plan;
  OperatorTable operators;
  std::map<uint32_t, std::unique_ptr<sim::Kernel>> references;
  unsigned launches = 0, failures = 0;
};

} // namespace

static uint64_t scalarBits(const std::string &dtype, double value) {
  auto format = parseFloatFormat(dtype);
  return format ? encodeFloat(*format, value) : uint64_t(int64_t(value));
}

static std::vector<OperandLayout> layoutsOf(const measure::EntryPlan &entry,
                                            const measure::Problem &problem) {
  std::vector<OperandLayout> layouts;
  for (auto [operand, view] : llvm::zip_equal(entry.operands, problem.views))
    layouts.push_back({view.shape, view.strides,
                       measure::elementFormat(operand.dtype)->bytes});
  return layouts;
}

static sim::Launch launchOf(const measure::EntryPlan &entry, Memory &memory) {
  sim::Launch launch;
  for (auto [operand, bytes] : llvm::zip_equal(entry.operands, memory)) {
    sim::Buffer &buffer = launch.buffers.emplace_back();
    buffer.name = operand.name;
    buffer.data = bytes.data();
    buffer.bytes = bytes.size();
    buffer.readOnly = buffer.initialized = !operand.isOutput;
  }
  return launch;
}

/// Why the launch went wrong, or empty.
static std::string simulate(sim::Kernel &kernel, const sim::Launch &launch) {
  auto report = kernel.run(launch, {});
  if (!report)
    return llvm::toString(report.takeError());
  return report->ok() ? "" : report->faults.front().message;
}

Memory Simulation::drawn(const measure::EntryPlan &entry,
                         llvm::ArrayRef<OperandLayout> layouts,
                         const measure::DrawPlan &draw) {
  uint64_t seed = 1000 + launches;
  Memory memory;
  for (auto [i, layout] : llvm::enumerate(layouts)) {
    std::vector<char> &bytes =
        memory.emplace_back(*layout.bytes(), char(poisonByte));
    bytes.reserve(1); // an address even of nothing
    const DrawSource &source = draw.sources[i];
    auto fill = [&, i = i](uint64_t first, uint64_t offset, int64_t length) {
      for (int64_t e = 0; e < length; ++e) {
        double value = drawValue(source, draw.sources[source.partner], i,
                                 draw.mode, seed, first + uint64_t(e), 0);
        storeElement(source.element, elementBits(source.element, value),
                     &bytes[offset + uint64_t(e) * source.element.bytes]);
      }
    };
    if (!entry.operands[i].isOutput)
      layout.forEachRow(fill);
  }
  return memory;
}

/// The file's reference is this one's code, or the test is of something else.
void Simulation::loadReference(const measure::EntryPlan &entry) {
  std::unique_ptr<sim::Kernel> &loaded = references[entry.reference];
  if (loaded)
    return;
  const measure::ReferencePlan &reference = plan.references[entry.reference];
  std::map<std::string, std::string, std::less<>> dtypes(entry.dtypes.begin(),
                                                         entry.dtypes.end());
  DeviceReference made = cantFail(compileDeviceReference(
      operators.at(entry.op), dtypes, cantFail(lookupTarget(plan.target.arch)),
      findToolkit()));
  if (made.artifact.image != plan.images[reference.image].bytes) {
    errs() << "the reference of " << entry.op << " is another one\n";
    ++failures;
  }
  loaded = cantFail(sim::Kernel::load(made.artifact.bitcode, reference.symbol));
}

std::string Simulation::compute(const measure::EntryPlan &entry,
                                llvm::ArrayRef<OperandLayout> layouts,
                                const measure::Problem &problem,
                                const measure::DrawPlan &draw, Memory &memory) {
  const measure::ReferencePlan &reference = plan.references[entry.reference];
  std::vector<uint64_t> slots;
  for (auto [bytes, layout] : llvm::zip_equal(memory, layouts)) {
    auto address = reinterpret_cast<uint64_t>(bytes.data());
    slots.insert(slots.end(), {address, address, 0});
    slots.insert(slots.end(), layout.shape.begin(), layout.shape.end());
    slots.insert(slots.end(), layout.strides.begin(), layout.strides.end());
  }
  slots.insert(slots.end(), problem.referenceDims.begin(),
               problem.referenceDims.end());
  for (auto [dtype, value] :
       llvm::zip_equal(reference.scalarDTypes, draw.scalars))
    slots.push_back(scalarBits(dtype, value));
  slots.insert(slots.end(), problem.referenceOptions.begin(),
               problem.referenceOptions.end());
  uint64_t rows = 1;
  for (int64_t extent : problem.referenceRows) {
    slots.insert(slots.end(), {0, uint64_t(extent)});
    rows *= uint64_t(extent);
  }
  sim::Launch launch = launchOf(entry, memory);
  sim::Buffer &buffer = launch.buffers.emplace_back();
  buffer.name = "slots";
  buffer.data = reinterpret_cast<char *>(slots.data());
  buffer.bytes = slots.size() * sizeof(uint64_t);
  buffer.readOnly = true;
  launch.block = {referenceThreads, 1, 1};
  launch.grid = {uint32_t((rows + referenceThreads - 1) / referenceThreads), 1,
                 1};
  launch.arguments.resize(3);
  launch.arguments[0].kind = sim::Argument::Pointer;
  launch.arguments[0].buffer = unsigned(memory.size());
  launch.arguments[2].value = rows;
  return simulate(*references[entry.reference], launch);
}

static std::string compareOutput(const measure::OperandPlan &operand,
                                 const OperandLayout &layout, DrawMode mode,
                                 const std::vector<char> &expected,
                                 const std::vector<char> &found,
                                 const std::vector<char> *magnitudes) {
  const ElementTolerance &own = operand.tolerance;
  ToleranceSpec tolerance{own.ulp,      own.nearZero,    own.norm,
                          own.drift,    own.flips,       own.flipUlp,
                          own.absolute, own.cancellation};
  if (mode != DrawMode::Realistic)
    tolerance.drift = 0;
  Comparison comparison;
  ElementType type = cantFail(ElementType::parse(operand.dtype));
  layout.forEachRow([&](uint64_t first, uint64_t offset, int64_t length) {
    std::vector<int64_t> index(layout.shape.size());
    for (size_t d = index.size(); d-- > 0;) {
      index[d] = int64_t(first % uint64_t(layout.shape[d]));
      first /= uint64_t(layout.shape[d]);
    }
    compareRow(comparison, type, tolerance, index, length, &expected[offset],
               &found[offset], magnitudes ? &(*magnitudes)[offset] : nullptr);
  });
  std::string why;
  comparison.passes(tolerance, why);
  return why;
}

std::string Simulation::tryOne(const measure::KernelPlan &kernel,
                               sim::Kernel &code,
                               const measure::LaunchPlan &launch,
                               const measure::DrawPlan &draw) {
  const measure::Problem &problem = plan.problems[launch.problem];
  const measure::EntryPlan &entry = plan.entries[kernel.entry];
  std::vector<OperandLayout> layouts = layoutsOf(entry, problem);
  Memory found = drawn(entry, layouts, draw), expected = found;
  sim::Launch asked = launchOf(entry, found);
  std::copy_n(launch.grid, 3, asked.grid.begin());
  std::copy_n(kernel.block, 3, asked.block.begin());
  asked.dynamicShared = kernel.sharedBytes;
  for (const measure::Argument &argument : launch.arguments) {
    sim::Argument &out = asked.arguments.emplace_back();
    out.value = argument.value;
    if (argument.kind == measure::Argument::Operand) {
      out.kind = sim::Argument::Pointer;
      out.buffer = unsigned(argument.value);
    } else if (argument.kind == measure::Argument::Scalar) {
      out.value = scalarBits(argument.dtype, draw.scalars[argument.value]);
    }
  }
  for (const measure::MapPlan &map : launch.maps) {
    sim::Argument &out = asked.arguments.emplace_back();
    out.kind = sim::Argument::Map;
    out.map.buffer = map.operand;
    out.map.dtype = map.dtype;
    out.map.dims = map.extents;
    out.map.strides = map.strides;
    out.map.box = map.box;
    out.map.swizzleBytes = map.swizzle;
  }
  ++launches;
  std::string why = simulate(code, asked);
  if (why.empty())
    why = compute(entry, layouts, problem, draw, expected);
  for (auto [i, operand] : llvm::enumerate(entry.operands)) {
    if (!why.empty() || !operand.isOutput)
      continue;
    auto compare = [&, &operand = operand, i = i](const Memory *magnitudes) {
      return compareOutput(operand, layouts[i], draw.mode, expected[i],
                           found[i], magnitudes ? &(*magnitudes)[i] : nullptr);
    };
    why = compare(nullptr);
    if (why.empty() || operand.tolerance.cancellation == 0)
      continue;
    measure::DrawPlan plain = draw.magnitudes();
    Memory magnitudes = drawn(entry, layouts, plain);
    why = compute(entry, layouts, problem, plain, magnitudes);
    if (why.empty())
      why = compare(&magnitudes);
  }
  return why;
}

void Simulation::runKernel(const measure::KernelPlan &kernel,
                           sim::Kernel &code) {
  loadReference(plan.entries[kernel.entry]);
  for (const measure::LaunchPlan &launch : kernel.launches) {
    const measure::Problem &problem = plan.problems[launch.problem];
    uint64_t bytes = 0;
    for (const OperandLayout &layout :
         layoutsOf(plan.entries[kernel.entry], problem))
      bytes += *layout.bytes();
    if (bytes > mostBytes)
      continue;
    for (const measure::DrawPlan &draw : problem.draws) {
      std::string why = tryOne(kernel, code, launch, draw);
      if (why.empty())
        continue;
      ++failures;
      errs() << kernel.name << ", " << problem.why << ", " << draw.name << ": "
             << why << "\n";
    }
  }
}

unsigned Simulation::run() {
  auto artifacts = cantFail(candidateArtifacts(file));
  for (const measure::KernelPlan &kernel : plan.kernels) {
    auto code = cantFail(
        sim::Kernel::load(artifacts.at(kernel.name).bitcode, kernel.symbol));
    runKernel(kernel, *code);
  }
  outs() << launches << " launches of " << plan.kernels.size() << " kernels, "
         << failures << " wrong\n";
  return failures;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    errs() << "usage: lathe-test-simulate FILE TEMPLATES\n";
    return 2;
  }
  auto file = measure::CandidateFile::open(argv[1]);
  return Simulation(file, argv[2]).run() ? 1 : 0;
}
