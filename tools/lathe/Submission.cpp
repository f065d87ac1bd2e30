//===- Submission.cpp - An outside kernel and what the gates say ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Submission.h"

#include "Commands.h"
#include "KernelBuilder.h"
#include "KernelProver.h"

#include "lathe/Codegen/ExternalKernel.h"
#include "lathe/Codegen/WorkerPool.h"
#include "lathe/Conversion/Registry.h"
#include "lathe/Ingest/ReadTemplate.h"
#include "lathe/Package/Package.h"
#include "lathe/Plan/KernelName.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::tool;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr size_t maxSourceBytes = size_t(4) << 20;

static Expected<std::string> readText(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createFileError(path, buffer.getError());
  StringRef text = (*buffer)->getBuffer();
  if (text.size() > maxSourceBytes || text.contains('\0'))
    return llvm::createStringError(
        "error: " + path + " has " + llvm::Twine(text.size()) +
        " bytes, expected text of at most " + llvm::Twine(maxSourceBytes));
  return text.str();
}

Expected<SubmittedSource> tool::readSource(const std::string &path,
                                           const std::string &launchPath) {
  SubmittedSource source;
  source.path = path;
  StringRef extension = llvm::sys::path::extension(path);
  source.form = llvm::StringSwitch<std::string>(extension)
                    .Case(".cu", "cuda")
                    .Case(".ptx", "ptx")
                    .Case(".mlir", "tile")
                    .Default("");
  if (source.form.empty())
    return llvm::createStringError("error: found '" + path +
                                   "', expected CUDA C++ (.cu), PTX (.ptx) or "
                                   "tile IR (.mlir)");
  auto text = readText(path);
  if (!text)
    return text.takeError();
  source.text = std::move(*text);
  source.launchPath = launchPath.empty() ? path : launchPath;
  if (launchPath.empty()) {
    source.launchText = launchTextOf(source.text);
  } else {
    auto launch = readText(launchPath);
    if (!launch)
      return launch.takeError();
    source.launchText = std::move(*launch);
  }
  if (source.launchText.empty())
    return llvm::createStringError(
        "error: " + path +
        " does not say how it is launched, expected lines that start with "
        "'// lathe:', or --launch");
  return source;
}

namespace {

class Judge {
public:
  explicit Judge(const SubmissionQuestion &question) : q(question) {}
  Expected<SubmissionAnswer> run();

private:
  Error plan();
  void build();
  void buildTile(const Toolkit &toolkit);
  void checkStatic();
  void prove();
  void refuse(StringRef gate, StringRef why) {
    answer.refused = (gate + ": " + why).str();
  }
  bool isRefused() const { return !answer.refused.empty(); }
  PtxExpectation expectation() const;

  const SubmissionQuestion &q;
  LaunchDescription launch;
  std::vector<RankedShape> shapes; ///< those that the kernel takes
  SubmissionAnswer answer;
  std::string noModule; ///< why nothing can be simulated
};

} // namespace

Error Judge::plan() {
  bool isTile = q.source.form == "tile";
  auto loaded =
      loadLaunch(q.source.launchText, q.source.launchPath, *q.spec, isTile);
  if (!loaded)
    return loaded.takeError();
  launch = std::move(*loaded);
  ExternalQuestion question;
  question.spec = q.spec;
  question.entry = q.entry;
  question.hardware = q.hardware;
  question.launch = launch;
  question.name = externalName(
      q.source.path, sha256Hex(q.source.text + '\0' + q.source.launchText +
                               (q.useNvcc ? "nvcc" : "")));
  mlir::DialectRegistry registry;
  registerPipelineDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  if (isTile) {
    question.templateFile = q.source.path;
    question.context = &context;
  }
  for (auto [dims, weight] : llvm::zip_equal(q.instances, q.weights)) {
    auto facts = factsOf(*q.spec, *q.entry, dims);
    if (!facts)
      return facts.takeError();
    bool admitted = admits(launch.guards, facts->bindings);
    if (admitted && question.heaviest.empty())
      question.heaviest = facts->bindings;
    if (admitted)
      shapes.push_back({std::move(*facts), weight});
  }
  if (shapes.empty())
    return llvm::createStringError("error: the launch description of " +
                                   q.source.launchPath +
                                   " admits none of the given sizes");
  auto planned = planExternal(question);
  if (!planned)
    return llvm::createStringError("error: " + q.source.launchPath + ": " +
                                   llvm::toString(planned.takeError()));
  answer.kernel = std::move(*planned);
  return Error::success();
}

PtxExpectation Judge::expectation() const {
  PtxExpectation expected;
  expected.kernel = launch.kernel;
  expected.threads = answer.kernel.threads;
  for (const OperandSpec &operand : q.spec->operands)
    expected.parameters.push_back({operand.name, 8});
  for (const DimSpec &dim : q.spec->dims)
    if (!launch.fixed.count(dim.name))
      expected.parameters.push_back({dim.name, 8});
  for (const ScalarSpec &scalar : q.spec->scalars)
    expected.parameters.push_back(
        {scalar.name, dtypeBits(resolveDType(*q.entry, scalar.dtype)) / 8});
  return expected;
}

/// A template is built as every other one.
void Judge::buildTile(const Toolkit &toolkit) {
  BuilderOptions options;
  options.spillAllowance = q.spillAllowance;
  auto builder = KernelBuilder::create(options);
  if (!builder)
    return refuse("compile", llvm::toString(builder.takeError()));
  BuildRequest request;
  request.candidate = answer.kernel.candidate;
  request.symbol = kernelSymbol(answer.kernel.kernel);
  for (const DimSpec &dim : q.spec->dims)
    request.dims.push_back(dim.name);
  request.sharedMemory = q.hardware->sharedPerBlock;
  request.features = q.hardware->features;
  request.source.kernel = {q.source.path, q.source.text};
  if (llvm::Error error = addFunctions(
          request.source, llvm::sys::path::parent_path(q.source.path)))
    return refuse("compile", llvm::toString(std::move(error)));
  auto built = builder->build(request, [](size_t, const BuildTotals &) {});
  if (!built)
    return refuse("compile", llvm::toString(built.takeError()));
  BuiltKernel &kernel = built->front();
  if (!kernel.artifact)
    return refuse("compile", kernel.error);
  answer.artifact = std::move(*kernel.artifact);
}

void Judge::build() {
  Toolkit toolkit = findToolkit();
  if (q.source.form == "tile")
    return buildTile(toolkit);
  ExternalRequest request;
  request.form =
      q.source.form == "ptx" ? ExternalForm::Ptx : ExternalForm::Cuda;
  request.path = q.source.path;
  request.text = q.source.text;
  request.arch = q.hardware->arch;
  request.symbol = kernelSymbol(answer.kernel.kernel);
  request.expected = expectation();
  request.useNvcc = q.useNvcc;
  WorkerOptions workers;
  workers.arguments = {workerCommand};
  WorkerPool pool(workers);
  auto results = pool.run({externalMessage(request)});
  if (!results)
    return refuse("compile", llvm::toString(results.takeError()));
  JobResult &result = results->front();
  if (!result.ok())
    return refuse("compile", "the compiler " + result.reason);
  auto built = externalAnswer(result.response);
  if (!built)
    return refuse("compile", llvm::toString(built.takeError()));
  answer.artifact = std::move(built->artifact);
  noModule = built->noModule;
  if (!built->compiler.empty())
    answer.evidence["compiler"] = built->compiler;
  if (built->stateBytes)
    answer.evidence["state_bytes"] = int64_t(built->stateBytes);
}

/// Registers, spills and shared memory, as the binary says them.
void Judge::checkStatic() {
  PlannedKernel &kernel = answer.kernel;
  for (const ResourceField &field : resourceFields)
    kernel.usage[field.name] = answer.artifact.usage.*field.field;
  const Artifact &artifact = answer.artifact;
  kernel.usage["code_bytes"] = int64_t(
      artifact.image.empty() ? artifact.text.size() : artifact.image.size());
  if (artifact.sharedBytes)
    kernel.usage["dynamic_shared_bytes"] = artifact.sharedBytes;
  kernel.maps = artifact.maps;
  auto declared = [&](StringRef name) {
    for (const DimSpec &dim : q.spec->dims)
      if (dim.name == name)
        return DimGuard{dim.name, dim.min, dim.max, 1};
    return DimGuard{name.str(), 0, INT64_MAX, 1};
  };
  if (Error error =
          guardTensorMaps(kernel.maps, kernel.role, kernel.candidate.alignment,
                          declared, kernel.guards))
    return refuse("static", llvm::toString(std::move(error)));
  int64_t shared = kernel.sharedBytes();
  if (shared > q.hardware->sharedPerBlock)
    return refuse("static", "needs " + std::to_string(shared) +
                                " bytes of shared memory of " +
                                std::to_string(q.hardware->sharedPerBlock));
  if (artifact.image.empty()) {
    answer.evidence["unknown"] = "no ptxas: registers, spills and occupancy";
    kernel.usage.clear();
    return;
  }
  const ResourceUsage &usage = artifact.usage;
  if (std::max(usage.spillBytes, usage.stackBytes) > q.spillAllowance)
    return refuse("static", "spills " + std::to_string(usage.spillBytes) +
                                " bytes and has " +
                                std::to_string(usage.stackBytes) +
                                " of local memory per thread, at most " +
                                std::to_string(q.spillAllowance) + " allowed");
  std::string figures = std::to_string(kernel.threads) + " threads of " +
                        std::to_string(kernel.figure("registers")) +
                        " registers and " + std::to_string(shared) +
                        " bytes of shared memory";
  auto model = askAbout(kernel, *q.spec, *q.hardware, shapes.front().facts);
  if (!model)
    return refuse("static", "its grid cannot be launched");
  kernel.answer = predict(*model);
  if (!kernel.answer.fits || kernel.answer.blocksPerSm < 1)
    return refuse("static", "no block fits a multiprocessor: " + figures +
                                " (" + kernel.answer.limiter.str() + ")");
  answer.evidence["blocks_per_multiprocessor"] = kernel.answer.blocksPerSm;
}

/// On the simulator, with a module; else compute-sanitizer has to do.
void Judge::prove() {
  if (q.unproven) {
    answer.proof = "none";
    return;
  }
  if (!noModule.empty()) {
    answer.proof = "sanitizer";
    answer.evidence["not_simulated"] = noModule;
    return;
  }
  answer.proof = "simulator";
  if (q.source.form == "cuda")
    answer.evidence["module"] =
        "the simulated module is clang's, the image comes from " +
        answer.evidence.getString("compiler").value_or("").str();
  GateQuestion question;
  question.kernel = answer.kernel.kernel;
  question.bitcode = answer.artifact.bitcode;
  question.spec = *q.spec;
  question.entry = *q.entry;
  question.cases = {answer.row};
  for (const RankedShape &shape : shapes) {
    Bindings &dims = question.instances.emplace_back();
    for (const DimSpec &dim : q.spec->dims)
      dims[dim.name] = shape.facts.bindings.find(dim.name)->second;
  }
  question.hiddenSeed = q.hiddenSeed;
  KernelProver prover(ProverOptions{});
  auto answers = prover.prove(question);
  if (!answers)
    return refuse("simulator", llvm::toString(answers.takeError()));
  GateAnswer &gate = answers->front();
  if (gate.verdict == Verdict::Unsupported) {
    answer.proof = "sanitizer";
    answer.evidence["not_simulated"] = gate.reason;
    return;
  }
  answer.evidence["simulator"] = std::move(gate.evidence);
  if (gate.verdict != Verdict::Passed)
    refuse("simulator", (verdictName(gate.verdict) + ": " + gate.reason).str());
}

Expected<SubmissionAnswer> Judge::run() {
  // No fault of the kernel.
  if (q.source.form == "cuda")
    if (std::string missing = missingCudaCompiler(findToolkit(), q.useNvcc);
        !missing.empty())
      return llvm::createStringError("error: " + missing);
  if (Error error = plan())
    return std::move(error);
  answer.evidence["form"] = q.source.form;
  answer.evidence["source_sha256"] = sha256Hex(q.source.text);
  build();
  if (!isRefused())
    checkStatic();
  CaseKind kind = answer.kernel.role == KernelRole::Exact ? CaseKind::Exact
                                                          : CaseKind::Bucket;
  answer.row = caseOf(answer.kernel, kind, *q.spec, *q.hardware, shapes);
  if (!isRefused() && !guardGrid(answer.row, *q.spec, *q.hardware))
    refuse("static", "its grid may grow beyond what can be launched; expected "
                     "'ranges' of the dims that it counts");
  if (!isRefused())
    prove();
  if (answer.proof.empty())
    answer.proof = noModule.empty() ? "simulator" : "sanitizer";
  answer.evidence["proof"] = answer.proof;
  return std::move(answer);
}

Expected<SubmissionAnswer>
tool::judgeSubmission(const SubmissionQuestion &question) {
  return Judge(question).run();
}
