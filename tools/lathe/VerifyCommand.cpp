//===- VerifyCommand.cpp - lathe verify -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleText.h"
#include "Commands.h"
#include "KernelProver.h"
#include "VerifyImages.h"

#include "lathe/Package/Package.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <random>
#include <thread>

using namespace lathe;
using namespace lathe::tool;
using llvm::errs;
using llvm::outs;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

struct VerifyOptions {
  std::string bundle, op, kernel, seed;
  std::vector<std::string> templates;
  unsigned jobs = 1;
  bool json = false;
};

/// A kernel of the bundle, what ships of it, and what was found.
struct CheckedKernel {
  GateQuestion question;
  std::string entry, arch;
  std::string problem;   ///< what ships is not what the module gives
  std::string unchecked; ///< why that could not be compared
  bool isSimulated = true;
  GateAnswer answer;

  bool passed() const {
    return problem.empty() && answer.verdict == Verdict::Passed;
  }
};

} // namespace

/// Dims of the manifest's hot shapes, heaviest first. Long lists are summed up
/// there and cannot be tried again.
static std::vector<Bindings> instancesOf(const json::Object &manifest,
                                         StringRef entry) {
  // By falling weight, then in the manifest's order.
  std::map<std::pair<double, size_t>, Bindings> sorted;
  const json::Array *instances = manifest.getArray("instances");
  for (const json::Value &value : instances ? *instances : json::Array()) {
    const json::Object *record = value.getAsObject();
    const json::Object *dims = record ? record->getObject("dims") : nullptr;
    if (!dims || record->getString("entry") != entry)
      continue;
    Bindings bindings;
    bool whole = true;
    for (const auto &[name, dim] : *dims) {
      if (auto size = dim.getAsInteger()) {
        bindings[name.str()] = ExprValue(*size);
        continue;
      }
      const json::Array *list = dim.getAsArray();
      whole &= list != nullptr;
      std::vector<int64_t> elements;
      for (const json::Value &element : list ? *list : json::Array())
        elements.push_back(element.getAsInteger().value_or(0));
      bindings[name.str()] = ExprValue(std::move(elements));
    }
    if (whole)
      sorted[{-record->getNumber("weight").value_or(0), sorted.size()}] =
          std::move(bindings);
  }
  std::vector<Bindings> result;
  for (auto &[order, bindings] : sorted)
    result.push_back(std::move(bindings));
  return result;
}

static uint64_t drawSeed() {
  std::random_device device;
  return uint64_t(device()) << 32 | device();
}

/// Says so if the bundle was proven against another operator than this one.
static void compareOperator(const Bundle &bundle, const OperatorSpec &spec) {
  const json::Object *operators = bundle.manifest.getObject("operators");
  const json::Object *made =
      operators ? operators->getObject(spec.name) : nullptr;
  if (made && *made != operatorRecord(spec))
    errs() << "warning: operator '" << spec.name
           << "' is not the one that the bundle was compiled with\n";
}

static std::vector<CheckedKernel> collect(const VerifyOptions &options,
                                          const Bundle &bundle,
                                          const OperatorTable &operators,
                                          uint64_t seed) {
  std::vector<CheckedKernel> kernels;
  std::vector<std::string> entries, names;
  Toolkit toolkit = findToolkit();
  for (const DispatchTable &table : bundle.tables) {
    entries.push_back(table.entry);
    if (!options.op.empty() && options.op != table.entry)
      continue;
    auto spec = operators.find(table.op);
    if (spec == operators.end())
      failWith(llvm::createStringError("error: no operator '" + table.op +
                                       "' in the template folders"));
    compareOperator(bundle, spec->second);
    std::map<std::string, ImageCheck> checks; ///< by architecture
    for (GateQuestion &question : gateQuestions(
             table, spec->second, instancesOf(bundle.manifest, table.entry))) {
      names.push_back(question.kernel);
      if (!options.kernel.empty() && options.kernel != question.kernel)
        continue;
      CheckedKernel &kernel = kernels.emplace_back();
      const DispatchCase &row = question.cases.front();
      kernel.entry = table.entry;
      kernel.arch = row.arch;
      kernel.question = std::move(question);
      const BundleImage *module =
          findModule(bundle, table.entry, kernel.question.cases.front());
      bool foreign = isForeign(bundle, table.entry, row);
      if (!module && !foreign)
        failWith(llvm::createStringError(
            "error: the bundle has no module of kernel '" +
            kernel.question.kernel + "'; it was made without one"));
      kernel.isSimulated = module != nullptr;
      if (module)
        kernel.question.bitcode = module->bytes;
      else
        kernel.answer.reason =
            "there is no module of it to simulate; its proof "
            "was compute-sanitizer on a device";
      kernel.question.hiddenSeed = seed;
      auto proof =
          bundle.evidence.find(table.entry + "/" + kernel.question.kernel);
      if (proof != bundle.evidence.end())
        if (const json::Array *own = proof->second.getArray("admits"))
          kernel.question.own = valueOrFail(guardsFromJSON(*own));
      auto [known, isNew] = checks.try_emplace(kernel.arch);
      if (isNew)
        known->second = checkImages(bundle, table, kernel.arch, toolkit);
      const ImageCheck &check = known->second;
      auto own = check.kernels.find(kernel.question.cases.front().symbol);
      kernel.problem = own != check.kernels.end() ? own->second : check.image;
      kernel.unchecked = check.unchecked;
      if (foreign && module)
        kernel.unchecked = "its code does not come from the module";
    }
  }
  if (kernels.empty() && !options.op.empty() &&
      !llvm::is_contained(entries, options.op))
    failWith(unknownName("operator", options.op, entries));
  if (kernels.empty() && !options.kernel.empty())
    failWith(unknownName("kernel", options.kernel, names));
  return kernels;
}

static void printText(llvm::ArrayRef<CheckedKernel> kernels) {
  TextTable text({"operator", "arch", "kernel", "verdict", "launches",
                  "worst ulp", "beyond the evaluator's rule"});
  for (const CheckedKernel &kernel : kernels) {
    double ulp = 0;
    int64_t beyond = 0, elements = 0;
    if (const json::Object *errors = kernel.answer.evidence.getObject("errors"))
      for (const auto &item : *errors)
        if (const json::Object *error = item.second.getAsObject()) {
          ulp = std::max(ulp, error->getNumber("worst_ulp").value_or(0));
          beyond += error->getInteger("evaluator_beyond").value_or(0);
          elements += error->getInteger("evaluator_elements").value_or(0);
        }
    text.add({kernel.entry, kernel.arch, kernel.question.kernel,
              verdictName(kernel.answer.verdict).str(),
              std::to_string(
                  kernel.answer.evidence.getInteger("launches").value_or(0)),
              llvm::formatv("{0:f0}", ulp).str(),
              std::to_string(beyond) + " of " + std::to_string(elements)});
  }
  text.print(outs(), 0);
  for (const CheckedKernel &kernel : kernels) {
    if (!kernel.answer.reason.empty())
      outs() << kernel.question.kernel << ": "
             << verdictName(kernel.answer.verdict) << ": "
             << kernel.answer.reason << "\n";
    if (!kernel.problem.empty())
      outs() << kernel.question.kernel << ": " << kernel.problem << "\n";
    if (!kernel.unchecked.empty())
      outs() << kernel.question.kernel
             << ": not compared with what ships: " << kernel.unchecked << "\n";
  }
}

static void printJson(const VerifyOptions &options, uint64_t seed,
                      llvm::ArrayRef<CheckedKernel> kernels) {
  json::Array records;
  for (const CheckedKernel &kernel : kernels) {
    json::Object record{{"entry", kernel.entry},
                        {"arch", kernel.arch},
                        {"kernel", kernel.question.kernel},
                        {"verdict", verdictName(kernel.answer.verdict)},
                        {"evidence", json::Object(kernel.answer.evidence)},
                        {"seconds", kernel.answer.seconds}};
    if (!kernel.answer.reason.empty())
      record["reason"] = kernel.answer.reason;
    if (!kernel.problem.empty())
      record["problem"] = kernel.problem;
    if (!kernel.unchecked.empty())
      record["unchecked"] = kernel.unchecked;
    records.push_back(std::move(record));
  }
  outs() << llvm::formatv(
      "{0:2}\n", json::Value(json::Object{{"bundle", options.bundle},
                                          {"seed", std::to_string(seed)},
                                          {"kernels", std::move(records)}}));
}

static void verify(const VerifyOptions &options) {
  uint64_t seed = drawSeed();
  if (!options.seed.empty() && StringRef(options.seed).getAsInteger(10, seed))
    failWith(llvm::createStringError(
        "error: --seed: expected a number of 64 bits, found '" + options.seed +
        "'"));
  Bundle bundle = valueOrFail(readBundle(options.bundle));
  OperatorTable operators =
      valueOrFail(loadOperators(templateFolders(options.templates)));
  std::vector<CheckedKernel> kernels =
      collect(options, bundle, operators, seed);
  errs() << "hidden draws with --seed " << seed << "\n";

  // Fresh draws have no answer in any cache.
  ProverOptions proverOptions;
  proverOptions.jobs = options.jobs;
  KernelProver prover(proverOptions);
  std::vector<GateQuestion> questions;
  for (const CheckedKernel &kernel : kernels)
    if (kernel.isSimulated)
      questions.push_back(kernel.question);
  std::vector<GateAnswer> answers = valueOrFail(prover.prove(questions));
  auto answer = answers.begin();
  for (CheckedKernel &kernel : kernels)
    if (kernel.isSimulated)
      kernel.answer = std::move(*answer++);

  if (options.json)
    printJson(options, seed, kernels);
  else
    printText(kernels);
  auto passed = llvm::count_if(
      kernels, [](const CheckedKernel &kernel) { return kernel.passed(); });
  if (!options.json)
    outs() << passed << " of " << kernels.size() << " kernels passed\n";
  if (passed != static_cast<int64_t>(kernels.size()))
    throw CommandFailed{};
}

void tool::addVerifyCommand(CLI::App &app) {
  auto options = std::make_shared<VerifyOptions>();
  options->jobs = std::max(1u, std::thread::hardware_concurrency());
  CLI::App *command = app.add_subcommand(
      "verify", "Check the kernels of a bundle again, on the simulator, with "
                "fresh hidden inputs,\nand compare their code with what the "
                "modules in the bundle compile to");
  command->footer("Exits with 1 unless every kernel passes.\n"
                  "Example: lathe verify model.bundle --op rms_norm");
  command->add_option("bundle", options->bundle, "The bundle")->required();
  command->add_option("--op", options->op,
                      "Only this operator (a name of the op set)");
  command->add_option("--kernel", options->kernel, "Only this kernel");
  command->add_option("--seed", options->seed,
                      "Repeat the hidden draws of an earlier run");
  command
      ->add_option("--templates", options->templates,
                   "Folders with operators of your own, as when compiling")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--json", options->json, "Verdicts and evidence as JSON");
  command->add_option("-j,--jobs", options->jobs, "Worker processes")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->callback([options] { verify(*options); });
}
