//===- ExplainCommand.cpp - lathe explain ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleText.h"
#include "Commands.h"
#include "ParseDims.h"
#include "lathe/Ingest/Figures.h"

#include "lathe/Package/Package.h"
#include "lathe/Runtime/lathe_runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lathe;
using namespace lathe::tool;
using llvm::outs;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

struct ExplainOptions {
  std::string bundle, op, arch;
  std::vector<std::string> dims;
  uint64_t alignment = 256;
  bool json = false;
};

/// The runtime's answer, beside the table in structs for its words.
struct Answer {
  const DispatchTable *table = nullptr;
  lathe_status status = LATHE_OK; ///< LATHE_LIMIT and the like: no launch
  lathe_explanation why = {};
  std::vector<lathe_rejection> rejections;
};

struct BundleCloser {
  void operator()(lathe_bundle *bundle) const { lathe_close(bundle); }
};

} // namespace

static llvm::Error runtimeError() {
  return llvm::createStringError("error: " + StringRef(lathe_last_error()));
}

namespace {

/// The values of a table's dims, from the pairs NAME=VALUE.
class DimReader {
public:
  explicit DimReader(const DispatchTable &table)
      : table(table), values(table.dims.size(), LATHE_DIM_DEFAULT) {
    for (const DispatchDim &dim : table.dims)
      names.push_back(dim.name);
  }

  /// Integers first: what a list says must agree with them.
  std::vector<int64_t> read(llvm::ArrayRef<std::string> texts) {
    std::vector<std::string> joined = joinLists(texts);
    for (bool isList : {false, true})
      for (StringRef text : joined) {
        auto [name, value] = text.split('=');
        if (namesList(name.trim()) != isList)
          continue;
        isList ? readList(name.trim(), value.trim())
               : readInteger(name.trim(), value.trim());
      }
    return std::move(values);
  }

private:
  /// Whether the table has the figures of a list that is called so.
  bool namesList(StringRef name) const {
    return llvm::all_of(allFigures, [&](Figure figure) {
      return llvm::is_contained(names, figureName(figure, name));
    });
  }
  int64_t &valueOf(StringRef name) {
    auto it = llvm::find(names, name.str());
    if (it == names.end())
      failWith(unknownName("dim of " + table.entry, name.str(), names));
    return values[size_t(it - names.begin())];
  }
  void readInteger(StringRef name, StringRef text);
  void readList(StringRef name, StringRef text);

  const DispatchTable &table;
  std::vector<std::string> names;
  std::vector<int64_t> values;
};

} // namespace

void DimReader::readInteger(StringRef name, StringRef text) {
  int64_t &value = valueOf(name);
  if (value != LATHE_DIM_DEFAULT)
    failWith(
        llvm::createStringError("error: dim '" + name + "' is given twice"));
  if (text.getAsInteger(10, value))
    failWith(llvm::createStringError("error: dim '" + name + "' is '" + text +
                                     "', expected an integer"));
}

void DimReader::readList(StringRef name, StringRef text) {
  auto list = parseDim(text);
  if (!list || !list->isList) {
    llvm::consumeError(list.takeError());
    failWith(llvm::createStringError("error: dim '" + name + "' is '" + text +
                                     "', expected a list such as 256x3000"));
  }
  DimSpec dim;
  dim.name = name.str();
  Bindings bindings = {{dim.name, *list}};
  for (const DimSpec &figure : figuresOf(dim)) {
    int64_t own = valueOrFail(figure.defaultValue->evaluate(bindings));
    int64_t &value = valueOf(figure.name);
    if (value != LATHE_DIM_DEFAULT && value != own)
      failWith(llvm::createStringError(
          "error: dim '" + figure.name + "' is " + llvm::Twine(value) +
          ", expected " + llvm::Twine(own) + " from '" + name + "'"));
    value = own;
  }
}

/// One value per dim; those that nobody gives are defaults.
static std::vector<int64_t> readDims(const ExplainOptions &options,
                                     const DispatchTable &table) {
  std::vector<int64_t> values = DimReader(table).read(options.dims);
  std::vector<std::string> needed, missing;
  for (auto [dim, value] : llvm::zip(table.dims, values)) {
    if (dim.defaultValue)
      continue;
    needed.push_back(dim.name + "=..");
    if (value == LATHE_DIM_DEFAULT)
      missing.push_back("'" + dim.name + "'");
  }
  if (!missing.empty())
    failWith(llvm::createStringError(
        "error: no value for " + llvm::join(missing, ", ") + " of " +
        table.entry + ", expected --dims " + llvm::join(needed, ",")));
  return values;
}

static std::string rejectionText(const DispatchTable &table,
                                 const lathe_rejection &rejection) {
  if (rejection.reason == LATHE_REASON_ALIGNMENT)
    return llvm::formatv("bases are aligned to {0} bytes, needs {1}",
                         rejection.value, rejection.limit);
  const std::string &dim = table.dims[rejection.dim].name;
  bool fixed = llvm::any_of(table.cases[rejection.case_index].guards,
                            [&](const DimGuard &guard) {
                              return guard.dim == dim && guard.lo == guard.hi;
                            });
  const char *needs = rejection.reason == LATHE_REASON_MULTIPLE
                          ? "a multiple of "
                      : fixed                                  ? ""
                      : rejection.reason == LATHE_REASON_BELOW ? "at least "
                                                               : "at most ";
  return llvm::formatv("{0} is {1}, needs {2}{3}", dim, rejection.value, needs,
                       rejection.limit);
}

/// "T=17 H=2048 XS=2048 (default)"
static std::string requestText(const Answer &answer,
                               llvm::ArrayRef<int64_t> given) {
  std::string text;
  for (auto [i, dim] : llvm::enumerate(answer.table->dims)) {
    text +=
        (i ? " " : "") + dim.name + "=" + std::to_string(answer.why.dims[i]);
    if (given[i] == LATHE_DIM_DEFAULT)
      text += " (default)";
  }
  return text;
}

static void printAnswer(const ExplainOptions &options, const Answer &answer,
                        llvm::ArrayRef<int64_t> given) {
  const DispatchTable &table = *answer.table;
  outs() << table.entry << " on " << options.arch << " with "
         << requestText(answer, given) << ", bases aligned to "
         << options.alignment << " bytes\n";
  if (answer.why.case_index != UINT32_MAX) {
    const DispatchCase &row = table.cases[answer.why.case_index];
    const uint32_t *grid = answer.why.grid;
    outs() << "case " << answer.why.case_index << " (" << caseKindName(row.kind)
           << "): " << row.kernel << '\n'
           << "  because: " << guardsText(table, row) << '\n';
    if (answer.status)
      outs() << "  launch: refused, see the error\n";
    else if (grid[0] == 0)
      outs() << "  launch: none, there is nothing to do\n";
    else
      outs() << llvm::formatv("  launch: grid {0} x {1} x {2}, {3} threads, "
                              "{4} bytes of dynamic shared memory\n",
                              grid[0], grid[1], grid[2], row.blockThreads,
                              row.sharedBytes);
    for (const TensorMap &map : row.maps)
      outs() << "  tensor map: " << mapText(table, map) << '\n';
    outs() << "  symbol: " << row.symbol << '\n'
           << llvm::formatv("  resources: {0} registers, {1} bytes spilled, "
                            "{2} bytes of static shared memory\n",
                            row.usage.registers, row.usage.spillBytes,
                            row.usage.sharedBytes)
           << "  verdict: " << row.verdict << '\n'
           << "  chosen by: " << row.origin << '\n';
    if (row.measured)
      outs() << "  measured: " << measuredText(*row.measured) << " at "
             << row.measured->dims << '\n'
             << "  runner-up: " << runnerUpText(*row.measured) << '\n';
  }
  if (answer.rejections.empty()) {
    outs() << "it is the first case that is tried\n";
    return;
  }
  outs() << "tried before it\n";
  TextTable text({"case", "kind", "kernel", "not used because"});
  for (const lathe_rejection &rejection : answer.rejections) {
    const DispatchCase &row = table.cases[rejection.case_index];
    text.add({std::to_string(rejection.case_index),
              caseKindName(row.kind).str(), row.kernel,
              rejectionText(table, rejection)});
  }
  text.print(outs(), 2);
}

static void printJson(const ExplainOptions &options, const Answer &answer) {
  const DispatchTable &table = *answer.table;
  json::Object dims;
  for (auto [i, dim] : llvm::enumerate(table.dims))
    dims[dim.name] = answer.why.dims[i];
  json::Array rejected;
  for (const lathe_rejection &rejection : answer.rejections)
    rejected.push_back(
        json::Object{{"case", int64_t(rejection.case_index)},
                     {"kernel", table.cases[rejection.case_index].kernel},
                     {"reason", rejectionText(table, rejection)}});
  json::Object out{{"operator", table.entry},
                   {"arch", options.arch},
                   {"dims", std::move(dims)},
                   {"alignment", int64_t(options.alignment)},
                   {"rejected", std::move(rejected)}};
  if (answer.why.case_index != UINT32_MAX) {
    const DispatchCase &row = table.cases[answer.why.case_index];
    out["case"] = int64_t(answer.why.case_index);
    out["kind"] = caseKindName(row.kind);
    out["kernel"] = row.kernel;
    out["symbol"] = row.symbol;
    out["because"] = guardsText(table, row);
    out["verdict"] = row.verdict;
    out["origin"] = row.origin;
    if (row.measured) {
      out["measured"] = json::Object{{"dims", row.measured->dims},
                                     {"us", row.measured->us},
                                     {"low_us", row.measured->lowUs},
                                     {"high_us", row.measured->highUs}};
      if (!row.measured->runnerUp.empty())
        out["runner_up"] = json::Object{{"kernel", row.measured->runnerUp},
                                        {"ratio", row.measured->ratio},
                                        {"low", row.measured->ratioLow},
                                        {"high", row.measured->ratioHigh}};
    }
    out["grid"] =
        json::Array{int64_t(answer.why.grid[0]), int64_t(answer.why.grid[1]),
                    int64_t(answer.why.grid[2])};
    out["threads"] = row.blockThreads;
    out["shared_bytes"] = row.sharedBytes;
    out["tensor_maps"] = tensorMapsToJSON(row.maps);
  }
  outs() << llvm::formatv("{0:2}\n", json::Value(std::move(out)));
}

static const DispatchTable &findTable(const Bundle &bundle,
                                      const std::string &name) {
  std::vector<std::string> names;
  for (const DispatchTable &table : bundle.tables) {
    if (table.entry == name)
      return table;
    names.push_back(table.entry);
  }
  failWith(unknownName("operator", name, names));
}

static void explain(const ExplainOptions &options) {
  if (options.alignment == 0 || (options.alignment & (options.alignment - 1)))
    failWith(llvm::createStringError("error: alignment " +
                                     llvm::Twine(options.alignment) +
                                     ", expected a power of two"));
  Bundle bundle = valueOrFail(readBundle(options.bundle));
  Answer answer;
  answer.table = &findTable(bundle, options.op);
  std::vector<int64_t> dims = readDims(options, *answer.table);

  lathe_bundle *raw;
  if (lathe_open_file(options.bundle.c_str(), &raw))
    failWith(runtimeError());
  std::unique_ptr<lathe_bundle, BundleCloser> opened(raw);
  const lathe_table *table = lathe_find_table(raw, options.op.c_str());
  uint32_t arch;
  if (lathe_find_arch(table, options.arch.c_str(), &arch)) {
    std::vector<std::string> known;
    for (uint32_t i = 0; const char *name = lathe_arch_name(table, i); ++i)
      known.push_back(name);
    failWith(unknownName("architecture", options.arch, known));
  }
  answer.why.struct_size = sizeof answer.why;
  answer.rejections.resize(answer.table->cases.size());
  lathe_status status = answer.status =
      lathe_explain(table, arch, dims.data(), uint32_t(dims.size()),
                    options.alignment, &answer.why, answer.rejections.data(),
                    uint32_t(answer.rejections.size()));
  if (status == LATHE_OUT_OF_RANGE || status == LATHE_INVALID_ARGUMENT)
    failWith(runtimeError());
  answer.rejections.resize(answer.why.num_rejections);
  if (options.json)
    printJson(options, answer);
  else
    printAnswer(options, answer, dims);
  outs().flush();
  if (status)
    failWith(runtimeError());
}

void tool::addExplainCommand(CLI::App &app) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App *command = app.add_subcommand(
      "explain",
      "Say which kernel serves a request, and why no earlier case does");
  command->footer(
      "The answer is the runtime's own. Dims with a default (row pitches) may "
      "be left out.\n"
      "Example: lathe explain model.bundle --op rms_norm --dims T=17,H=2048 "
      "--arch sm_90a");
  command->add_option("bundle", options->bundle, "The bundle")->required();
  command
      ->add_option("--op", options->op, "Operator, by its name in the op set")
      ->required();
  command
      ->add_option(
          "--dims", options->dims,
          "NAME=VALUE, separated by commas; of a list L either L=256x3000, "
          "or what kernels know: len_L, sum_L and max_L")
      ->delimiter(',')
      ->required();
  command
      ->add_option("--arch", options->arch,
                   "Architecture of the kernels: sm_90a, gfx942, ...")
      ->required();
  command
      ->add_option("--alignment", options->alignment,
                   "Largest power of two that divides every operand's address")
      ->capture_default_str();
  command->add_flag("--json", options->json, "As one JSON object");
  command->callback([options] { explain(*options); });
}
