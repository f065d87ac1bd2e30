//===- ImportTraceCommand.cpp - lathe import trace ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "ImportFiles.h"

#include "lathe/Ingest/Trace.h"
#include "lathe/Ingest/Write.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::tool;

namespace {
struct TraceOptions {
  TraceImportOptions import;
  std::vector<std::string> templates;
  std::string ops, newOps, output, name = "trace";
  bool report = false, strict = false;
};
} // namespace

/// The user's patterns, then those of the templates, the last folder's first.
static void addPatternFolders(TraceOptions &options,
                              llvm::ArrayRef<std::string> folders) {
  for (const std::string &folder : llvm::reverse(folders)) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, "patterns", "trace");
    if (llvm::sys::fs::is_directory(path))
      options.import.patterns.push_back(std::string(path));
  }
}

static void printRows(llvm::raw_ostream &os, llvm::ArrayRef<TraceRow> rows,
                      double total, const char *prefix) {
  for (const TraceRow &row : rows) {
    os << prefix
       << llvm::format("%12.1f us %6.2f%% %9.0f calls", row.timeUs,
                       total > 0 ? 100 * row.timeUs / total : 0.0, row.calls);
    if (row.points)
      os << llvm::format(" %5u shapes", row.points);
    os << "  " << row.name << '\n';
  }
}

/// All that the points do not say. It stands in the file as comments.
static void printRest(llvm::raw_ostream &os, const TraceImport &import,
                      const char *prefix) {
  for (const std::string &line : import.lines)
    os << prefix << line << '\n';
  if (import.unshaped.empty())
    return;
  os << prefix << "time without a shape:\n";
  printRows(os, import.unshaped, import.timeUs, prefix);
}

static void importTraceCommand(TraceOptions &options) {
  std::vector<std::string> folders = templateFolders(options.templates);
  OperatorTable operators = valueOrFail(loadOperators(folders));
  addPatternFolders(options, folders);
  std::optional<OpSet> opset;
  if (!options.ops.empty())
    opset = valueOrFail(loadOpSet(options.ops, operators));
  TraceImport import = valueOrFail(
      importTrace(options.import, operators, opset ? &*opset : nullptr));
  for (const std::string &line : import.lines)
    llvm::errs() << "note: " << line << '\n';
  if (options.strict && !(import.lines.empty() && import.unshaped.empty())) {
    printRest(llvm::errs(), import, "");
    llvm::errs() << "error: not everything has a shape, and --strict was "
                    "given\n";
    throw CommandFailed{};
  }

  import.histogram.name = options.name;
  import.histogram.source =
      llvm::formatv("{0} profiler traces", options.import.files.size());
  import.histogram.description =
      "Shapes of profiler traces. Weight: share of the time on the device.";
  if (!opset) {
    import.opset.name = options.name;
    import.opset.source = import.histogram.source;
    import.opset.description = "Operators of profiler traces";
    writeImported(options.newOps, [&](llvm::raw_ostream &os) {
      writeOpSet(os, import.opset, operators);
    });
  }
  import.histogram.opset = import.opset.name;
  writeImported(options.output, [&](llvm::raw_ostream &os) {
    writeHistogram(os, import.histogram, import.opset, operators);
    printRest(os, import, "# ");
  });

  llvm::raw_ostream &os = options.output == "-" ? llvm::errs() : llvm::outs();
  if (options.report) {
    printRows(os, import.shaped, import.timeUs, "");
    if (!import.unshaped.empty())
      os << "time without a shape:\n";
    printRows(os, import.unshaped, import.timeUs, "");
  }
  os << llvm::format("%zu shapes of %zu operators; %.2f%% of %.1f us on the "
                     "device without a shape\n",
                     import.histogram.points.size(), import.shaped.size(),
                     100 * import.histogram.unshapedWeight, import.timeUs);
}

void tool::addImportTraceCommand(CLI::App &import) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App *command = import.add_subcommand(
      "trace", "Import profiler traces into a histogram of shapes");
  command->footer(
      "Reads traces of the PyTorch profiler (JSON, also gzip), Nsight Systems "
      "(sqlite) and\nrocprofv3 (CSV, JSON, rocpd). For serving engines that "
      "replay graphs, give the traces of\nthe captures as well, or the folder "
      "with its capture_traces and execution_details.json.\nWhich calls "
      "are operators is data: templates/patterns/trace/README.md.\nTime "
      "without a "
      "shape is listed and is the histogram's unshaped_weight.\nExample: lathe "
      "import trace run.pt.trace.json.gz --new-ops ops.yaml -o shapes.yaml "
      "--report");
  command
      ->add_option("files", options->import.files, "Traces, or folders of them")
      ->required()
      ->check(CLI::ExistingPath);
  command
      ->add_option("-o,--output", options->output, "Histogram to write (YAML)")
      ->required();
  CLI::Option_group *opsets = command->add_option_group("op set");
  opsets
      ->add_option("--ops", options->ops,
                   "Op set to keep to; calls of anything else are reported")
      ->check(CLI::ExistingFile);
  opsets->add_option("--new-ops", options->newOps,
                     "Op set to write, made of what the traces call");
  opsets->require_option(1);
  command
      ->add_option("--patterns", options->import.patterns,
                   "File or folder of patterns; comes before the built-in ones")
      ->check(CLI::ExistingPath);
  command
      ->add_option("--phase", options->import.phase,
                   "Phase of calls in no known step")
      ->check(CLI::IsMember({"prefill", "decode", "prefill/decode"}));
  command
      ->add_option("--assume-dtype", options->import.assumedDType,
                   "Dtype of calls whose dtypes were not recorded")
      ->check(CLI::IsMember({"bf16", "f16", "f32"}));
  command
      ->add_option("--rank", options->import.rank,
                   "Take the traces of this rank only; left out, ranks are "
                   "summed")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--name", options->name, "Name of what is written")
      ->capture_default_str();
  command->add_flag("--report", options->report,
                    "Print the time of each operator, and of the rest");
  command->add_flag("--strict", options->strict,
                    "Fail if anything was assumed or has no shape");
  addTemplatesOption(*command, options->templates);
  command->callback([options] { importTraceCommand(*options); });
}
