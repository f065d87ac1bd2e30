//===- SubmitCommand.cpp - lathe submit -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleText.h"
#include "CandidatesStage.h"
#include "Commands.h"
#include "InstanceRecords.h"
#include "Shipment.h"
#include "SimulateCandidate.h"
#include "Submission.h"

#include "ParseDims.h"
#include "lathe/Conversion/Registry.h"
#include "lathe/Package/Package.h"
#include "lathe/Package/PlanCandidates.h"
#include "lathe/Plan/KernelName.h"
#include "lathe/Plan/ReadProblem.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <random>

using namespace lathe;
using namespace lathe::tool;
using llvm::errs;
using llvm::outs;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

struct SubmitOptions {
  std::string op, entry, source, launch, into, output, target = "h200";
  std::vector<std::string> dims, dtypes, choices, templates;
  PlanCandidatesOptions plan;
  int64_t spillAllowance = 0;
  bool useNvcc = false, unproven = false;
};

class Submit {
public:
  explicit Submit(const SubmitOptions &options) : options(options) {
    mlir::DialectRegistry registry;
    registerPipelineDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
  }
  void run();

private:
  void startFresh();
  void takeUp();
  OpSetEntry newEntry() const;
  void hotShapes(SubmissionQuestion &question) const;
  void remember(const SubmissionAnswer &answer);
  void write(SubmissionAnswer answer, uint64_t hiddenSeed);
  void report(const SubmissionAnswer &answer) const;

  const SubmitOptions &options;
  OperatorTable operators;
  const OperatorSpec *spec = nullptr;
  PlanInput input;
  const OpSetEntry *entry = nullptr;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> problem;
  std::optional<measure::CandidateFile> file; ///< that it is added to
};

} // namespace

[[noreturn]] static void fail(const llvm::Twine &text) {
  failWith(llvm::createStringError("error: " + text));
}

/// "DT=bf16" to ("DT", "bf16").
static std::pair<StringRef, StringRef> splitChoice(StringRef text,
                                                   StringRef flag) {
  auto [name, value] = text.split('=');
  if (name.empty() || value.empty())
    fail("found '" + text + "' in " + flag + ", expected NAME=VALUE");
  return {name, value};
}

OpSetEntry Submit::newEntry() const {
  OpSetEntry made = defaultEntry(*spec);
  made.name = spec->name;
  made.op = spec->name;
  for (StringRef text : options.dtypes) {
    auto [name, value] = splitChoice(text, "--dtype");
    auto known = llvm::find_if(spec->dtypes,
                               [&, n = name](auto &d) { return d.first == n; });
    if (known == spec->dtypes.end() ||
        !llvm::is_contained(known->second, value))
      fail("operator '" + spec->name + "' has no dtype " + text);
    made.dtypes[name.str()] = value.str();
  }
  for (StringRef text : options.choices) {
    auto [name, value] = splitChoice(text, "--option");
    auto known = llvm::find_if(spec->options,
                               [&, n = name](auto &o) { return o.name == n; });
    if (known == spec->options.end() ||
        !llvm::is_contained(known->values, value))
      fail("operator '" + spec->name + "' has no option " + text);
    made.options[name.str()] = value.str();
  }
  return made;
}

/// An op set of one entry, whose hot shapes are those of --dims, alike.
void Submit::startFresh() {
  if (options.dims.empty())
    fail("--dims are needed: the sizes that the kernel is for");
  Hardware hardware = valueOrFail(
      findHardware(options.target, templateFolders(options.templates)));
  if (hardware.vendor != "nvidia")
    fail("nothing measures on " + hardware.name + " (" + hardware.arch +
         "), expected an NVIDIA target");
  input.targets.push_back(hardware);
  input.operators.push_back(*spec);
  OpSetEntry made = newEntry();
  for (const std::string &text : options.dims) {
    llvm::SmallVector<StringRef> parts;
    StringRef(text).split(parts, ',');
    std::vector<std::string> pairs(parts.begin(), parts.end());
    HistogramPoint point;
    point.entry = made.name;
    point.phase = "prefill/decode";
    point.dims =
        valueOrFail(bindDims(*spec, made, valueOrFail(parseDims(pairs))));
    point.weight = 1.0 / double(options.dims.size());
    for (const DimSpec &dim : spec->dims)
      if (dim.kind == DimKind::Static) {
        std::vector<int64_t> &values = made.staticDims[dim.name];
        int64_t value = point.dims.find(dim.name)->second.elements.front();
        if (!llvm::is_contained(values, value))
          values.push_back(value);
      }
    input.histogram.points.push_back(std::move(point));
  }
  input.opset.name = input.histogram.name = "submitted";
  input.opset.source = input.histogram.source = "lathe submit";
  input.histogram.opset = input.opset.name;
  input.opset.entries.push_back(std::move(made));
  problem = valueOrFail(importProblem(context, input));
  if (llvm::Error error = evaluateRoofline(*problem))
    failWith(std::move(error));
  attachProvenance(
      *problem,
      json::Object{
          {"lathe", LATHE_VERSION},
          {"llvm", LLVM_VERSION_STRING},
          {"opset", json::Object{{"name", input.opset.name},
                                 {"source", input.opset.source}}},
          {"histogram", json::Object{{"name", input.histogram.name},
                                     {"source", input.histogram.source}}},
          {"targets", targetRecords(input.targets)}});
}

/// The op set and shapes of the file, whose kernels it shall compete with.
void Submit::takeUp() {
  if (!options.dims.empty() || !options.dtypes.empty() ||
      !options.choices.empty())
    fail("--into takes dims, dtypes and options from the file, expected none "
         "of --dims, --dtype and --option");
  try {
    file = measure::CandidateFile::open(options.into);
  } catch (const std::exception &error) {
    fail(error.what());
  }
  problem = mlir::parseSourceString<mlir::ModuleOp>(
      file->member("problem"), mlir::ParserConfig(&context), options.into);
  if (!problem)
    fail(options.into + " holds no problem that can be read");
  input = valueOrFail(readProblem(*problem));
  for (OperatorSpec &known : input.operators)
    if (auto loaded = operators.find(known.name); loaded != operators.end())
      known = loaded->second; // with the distributions of its inputs
}

/// Heaviest first; the histogram's order among equals.
void Submit::hotShapes(SubmissionQuestion &question) const {
  std::vector<const HistogramPoint *> points;
  for (const HistogramPoint &point : input.histogram.points)
    if (point.entry == entry->name)
      points.push_back(&point);
  llvm::stable_sort(points, [](const auto *a, const auto *b) {
    return a->weight > b->weight;
  });
  for (const HistogramPoint *point : points) {
    question.instances.push_back(point->dims);
    question.weights.push_back(point->weight);
  }
}

/// What a bundle's manifest will say of it.
void Submit::remember(const SubmissionAnswer &answer) {
  json::Object provenance = valueOrFail(provenanceOf(*problem));
  json::Object record = answer.evidence;
  record["kernel"] = answer.kernel.kernel;
  record["entry"] = entry->name;
  record["origin"] = "external";
  if (!answer.refused.empty())
    record["refused"] = answer.refused;
  json::Array list;
  if (json::Array *known = provenance.getArray("external"))
    list = std::move(*known);
  list.push_back(std::move(record));
  provenance["external"] = std::move(list);
  attachProvenance(*problem, std::move(provenance));
}

void Submit::write(SubmissionAnswer answer, uint64_t hiddenSeed) {
  const PlannedKernel &kernel = answer.kernel;
  for (const PlannedKernel &known : readCandidates(*problem))
    if (known.kernel == kernel.kernel)
      fail("kernel '" + kernel.kernel + "' is in " + options.into + " already");
  writeCandidate(*problem, kernel);
  const Artifact &artifact = answer.artifact;
  if (!answer.refused.empty()) {
    if (llvm::Error error =
            rejectCandidate(*problem, kernel.kernel, answer.refused))
      failWith(std::move(error));
  } else if (llvm::Error error = attachUsage(
                 *problem, kernel.kernel, artifact.usage,
                 int64_t(artifact.image.empty() ? artifact.text.size()
                                                : artifact.image.size()))) {
    failWith(std::move(error));
  } else {
    // Nothing is refused that the judge let pass.
    valueOrFail(attachLaunch(*problem, kernel.kernel, artifact.maps,
                             artifact.sharedBytes));
  }
  remember(answer);

  BuilderOptions builderOptions;
  builderOptions.cacheDirectory = ArtifactCache::defaultDirectory();
  KernelBuilder builder =
      valueOrFail(KernelBuilder::create(std::move(builderOptions)));
  const Hardware &target = input.targets.front();
  auto made = valueOrFail(
      makePlanner(input, target, options.plan, builder, {entry->name}));
  CandidatePlanner &planner = *made;
  CandidateContents contents;
  if (file) {
    if (llvm::Error error = planner.resume(file->plan()))
      failWith(std::move(error));
    contents.artifacts = valueOrFail(candidateArtifacts(*file));
  }
  KernelSource source;
  source.name = kernel.kernel;
  source.symbol = kernelSymbol(kernel.kernel);
  source.entry = entry->name;
  source.cases = {answer.row};
  source.constants = kernel.candidate.constants;
  source.image = artifact.image;
  source.text = artifact.text;
  source.usage = artifact.usage;
  source.role = roleName(kernel.role).str();
  source.origin = "external";
  source.form = answer.evidence.getString("form").value_or("").str();
  source.proof = answer.proof;
  source.refused = answer.refused;
  source.hiddenSeed = hiddenSeed;
  source.modelUs = [&](const Bindings &bindings) {
    Bindings dims;
    for (const DimSpec &dim : spec->dims)
      dims[dim.name] = bindings.find(dim.name)->second;
    auto facts = factsOf(*spec, *entry, dims);
    if (facts)
      return modelTime(kernel, *spec, target, *facts);
    llvm::consumeError(facts.takeError());
    return std::numeric_limits<double>::infinity();
  };
  measure::KernelPlan planned = valueOrFail(planner.planKernel(source));
  if (answer.refused.empty())
    contents.artifacts[kernel.kernel] = artifact;
  std::string text;
  llvm::raw_string_ostream(text) << *problem << "\n";
  contents.problem = std::move(text);
  contents.plan = &planner.plan();
  if (llvm::Error error = writeCandidates(contents, options.output))
    failWith(std::move(error));
  for (const std::string &line : planner.leftOut())
    errs() << "left out: " << line << "\n";
  size_t timed = llvm::count_if(planned.launches, [&](const auto &launch) {
    return planner.plan().problems[launch.problem].timed;
  });
  outs() << "wrote " << options.output << ": " << planner.plan().kernels.size()
         << " kernels; this one at " << timed << " timed sizes and "
         << planned.launches.size() - timed << " checks\n";
}

void Submit::report(const SubmissionAnswer &answer) const {
  const json::Object &evidence = answer.evidence;
  errs() << answer.kernel.kernel << "\n  "
         << evidence.getString("form").value_or("");
  if (auto compiler = evidence.getString("compiler"))
    errs() << " by " << *compiler;
  const ResourceUsage &usage = answer.artifact.usage;
  if (usage.registers)
    errs() << ", " << usage.registers << " registers, " << usage.spillBytes
           << " bytes spilled, " << answer.kernel.sharedBytes()
           << " of shared memory";
  errs() << "\n";
  if (auto state = evidence.getInteger("state_bytes"))
    errs() << "  keeps " << *state << " bytes from launch to launch\n";
  if (auto reason = evidence.getString("not_simulated"))
    errs() << "  not simulated, so it has to pass under compute-sanitizer: "
           << *reason << "\n";
  else if (answer.proof == "none")
    errs() << "  unproven: --unproven left the simulator out\n";
  if (const json::Object *simulator = evidence.getObject("simulator");
      simulator && answer.refused.empty())
    errs() << "  PASSED on the simulator: "
           << simulator->getInteger("draws").value_or(0) << " draws, "
           << simulator->getInteger("launches").value_or(0) << " launches\n";
}

void Submit::run() {
  operators = valueOrFail(loadOperators(templateFolders(options.templates)));
  auto found = operators.find(options.op);
  if (found == operators.end()) {
    std::vector<std::string> names;
    for (const auto &item : operators)
      names.push_back(item.first);
    failWith(unknownName("operator", options.op, names));
  }
  spec = &found->second;
  if (options.into.empty())
    startFresh();
  else
    takeUp();
  for (const OpSetEntry &candidate : input.opset.entries) {
    if (candidate.op != spec->name ||
        (!options.entry.empty() && candidate.name != options.entry))
      continue;
    if (entry)
      fail("two entries of the op set are of operator '" + spec->name + "', '" +
           entry->name + "' and '" + candidate.name + "'; expected --entry");
    entry = &candidate;
  }
  if (!entry)
    fail("no entry of the op set is of operator '" + spec->name + "'" +
         (options.entry.empty() ? "" : " and called '" + options.entry + "'"));

  SubmissionQuestion question;
  question.source = valueOrFail(readSource(options.source, options.launch));
  question.spec = spec;
  question.entry = entry;
  question.hardware = &input.targets.front();
  question.spillAllowance = options.spillAllowance;
  question.useNvcc = options.useNvcc;
  question.unproven = options.unproven;
  // Drawn when the kernel is fixed, so that nobody could know it.
  std::random_device entropy;
  question.hiddenSeed = uint64_t(entropy()) << 32 | entropy();
  hotShapes(question);
  SubmissionAnswer answer = valueOrFail(judgeSubmission(question));
  report(answer);
  // Files and records keep the first line; compilers say more.
  std::string refused = answer.refused;
  answer.refused = StringRef(refused).split('\n').first.rtrim().str();
  write(std::move(answer), question.hiddenSeed);
  if (!refused.empty())
    fail("refused: " + refused);
}

void tool::addSubmitCommand(CLI::App &app) {
  auto options = std::make_shared<SubmitOptions>();
  CLI::App *command = app.add_subcommand(
      "submit", "Make a kernel of your own a candidate: CUDA C++, PTX or a "
                "template in tile IR.\nIt passes the gates that every kernel "
                "passes, and is measured beside the others.");
  command->footer(
      R"(How the kernel is launched stands in lines of the source that start with
"// lathe:", or in a file of --launch, as YAML:
  kernel: name            the entry point, to be sure; a source has one
  grid: T ceildiv 4       blocks, over dims; or a list of up to three
  block: 128              threads
  shared: H * 4           dynamic shared memory in bytes, over fixed dims
  fixed: {H: 2048}        dims that are compiled in; all others are arguments
  ranges: {T: [1, 4096]}  what else must hold of dims
  multiples: {XS: 8}
  alignment: 16           of every operand, in bytes; default: one element
  schedule: {ROWS: 2}     of a template, which says grid and block itself
The kernel takes the operands' addresses (inputs, then outputs), the dims that
are not fixed (int64), and the scalars, each in the operator's order.

Exits with 1 if it is refused; the file then says why, so that whoever measures
it records the refusal.
Example: lathe submit --op rms_norm --source k.cu --dims T=64,H=2048 -o k.cand)");
  command->add_option("--op", options->op, "The operator it computes")
      ->required();
  command->add_option("--source", options->source, "k.cu, k.ptx or k.mlir")
      ->required()
      ->check(CLI::ExistingFile);
  command
      ->add_option("--launch", options->launch,
                   "How it is launched (YAML), if the source does not say")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--dims", options->dims,
                   "A size that it is for: T=64,H=2048; any number of times")
      ->allow_extra_args(false);
  command->add_option("--dtype", options->dtypes, "DT=bf16; default: the first")
      ->delimiter(',');
  command
      ->add_option("--option", options->choices,
                   "Of the operator, NAME=VALUE; default: its own")
      ->delimiter(',');
  auto *target = command->add_option("--target", options->target,
                                     "Hardware or architecture");
  target->capture_default_str();
  command
      ->add_option("--into", options->into,
                   "Add it to this candidate file, beside the kernels there")
      ->check(CLI::ExistingFile)
      ->excludes(target);
  command->add_option("--entry", options->entry,
                      "Of the file's op set, where several have the operator");
  command
      ->add_option("-o,--output", options->output,
                   "The candidate file to write")
      ->required();
  command
      ->add_option("--templates", options->templates,
                   "Folders with operators or hardware of your own")
      ->check(CLI::ExistingDirectory);
  command
      ->add_option("--between", options->plan.between,
                   "Sizes between the given ones that are timed too")
      ->capture_default_str();
  command
      ->add_option("--spill-allowance", options->spillAllowance,
                   "Bytes that a thread may spill before it is refused")
      ->capture_default_str();
  command->add_flag("--nvcc", options->useNvcc,
                    "Compile CUDA C++ with nvcc instead of NVRTC");
  command->add_flag("--unproven", options->unproven,
                    "Leave the simulator out: for experiments");
  command->callback([options] { Submit(*options).run(); });
}
