//===- InspectCommand.cpp - lathe inspect ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleText.h"
#include "Commands.h"
#include "InspectCandidates.h"

#include "lathe/Package/Package.h"
#include "lathe/Package/PlanCandidates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lathe;
using namespace lathe::tool;
using llvm::outs;
using llvm::StringRef;
namespace json = llvm::json;

namespace {
struct InspectOptions {
  std::string bundle, op;
  bool json = false, manifest = false;
};
} // namespace

/// What launches load, one per line; the rest summed up.
static void printImages(const Bundle &bundle) {
  TextTable text({"operator", "arch", "kind", "bytes", "sha256"});
  for (const BundleImage &image : bundle.images)
    if (image.isLoaded())
      text.add({image.entry, image.arch, imageKindName(image.kind).str(),
                std::to_string(image.bytes.size()),
                sha256Hex(image.bytes).substr(0, 16)});
  using Key = std::tuple<std::string, std::string, BundleImage::Kind>;
  std::map<Key, std::pair<size_t, size_t>> sums;
  for (const BundleImage &image : bundle.images)
    if (!image.isLoaded()) {
      auto &[count, bytes] = sums[{image.entry, image.arch, image.kind}];
      ++count;
      bytes += image.bytes.size();
    }
  for (auto &[key, sum] : sums) {
    auto &[entry, arch, kind] = key;
    text.add({entry, arch,
              std::to_string(sum.first) + " " + imageKindName(kind).str() + "s",
              std::to_string(sum.second),
              kind == BundleImage::Object ? "for exports" : "for verify"});
  }
  outs() << "images\n";
  text.print(outs(), 2);
}

/// Matrix instructions among all of the inner loop; of the kernel where they
/// are in no loop.
static std::string matrixShare(const ResourceUsage &usage) {
  if (usage.matrixInstructions == 0)
    return "none";
  if (usage.loopInstructions == 0)
    return std::to_string(usage.matrixInstructions);
  return llvm::formatv("{0} of {1} ({2:P0})", usage.loopMatrixInstructions,
                       usage.loopInstructions,
                       double(usage.loopMatrixInstructions) /
                           usage.loopInstructions)
      .str();
}

static void printKernels(llvm::ArrayRef<const DispatchTable *> tables) {
  TextTable text({"operator", "arch", "kernel", "threads", "registers", "agprs",
                  "spill", "shared", "matrix", "origin", "verdict",
                  "model us"});
  for (const DispatchTable *table : tables) {
    llvm::StringMap<bool> seen;
    for (const DispatchCase &row : table->cases) {
      if (!seen.try_emplace(row.kernel, true).second)
        continue;
      const ResourceUsage &usage = row.usage;
      text.add({table->entry, row.arch, row.kernel,
                std::to_string(row.blockThreads),
                std::to_string(usage.registers),
                std::to_string(usage.accumulatorRegisters),
                std::to_string(usage.spillBytes),
                std::to_string(usage.sharedBytes + row.sharedBytes),
                matrixShare(usage), row.origin, row.verdict,
                llvm::formatv("{0:f2}", row.modelUs).str()});
    }
  }
  outs() << "kernels\n";
  text.print(outs(), 2);
}

static std::string
pairsText(llvm::ArrayRef<std::pair<std::string, std::string>> pairs) {
  std::string text;
  for (auto &[name, value] : pairs)
    text += " " + name + "=" + value;
  return text;
}

static void printTable(const DispatchTable &table) {
  outs() << "dispatch table " << table.entry << " (operator " << table.op << ")"
         << pairsText(table.options) << pairsText(table.dtypes) << '\n';
  for (const DispatchDim &dim : table.dims) {
    outs() << "  dim " << dim.name << " in [" << dim.min << ", " << dim.max
           << "]";
    if (dim.defaultValue)
      outs() << ", default " << dim.defaultValue->str();
    outs() << '\n';
  }
  for (const DispatchOperand &operand : table.operands)
    outs() << (operand.isOutput ? "  output " : "  input ") << operand.name
           << ": " << operand.dtype << '\n';
  for (const DispatchScalar &scalar : table.scalars)
    outs() << "  scalar " << scalar.name << ": " << scalar.dtype << ", default "
           << llvm::format("%g", scalar.defaultValue) << '\n';
  TextTable text({"case", "arch", "kind", "when", "grid", "kernel"});
  for (auto [i, row] : llvm::enumerate(table.cases)) {
    std::string grid = row.gridX.str();
    if (row.gridY.asConstant() != 1 || row.gridZ.asConstant() != 1)
      grid += " x " + row.gridY.str() + " x " + row.gridZ.str();
    text.add({std::to_string(i), row.arch, caseKindName(row.kind).str(),
              guardsText(table, row), grid, row.kernel});
  }
  text.print(outs(), 2);
}

static void printJson(const InspectOptions &options, const Bundle &bundle,
                      llvm::ArrayRef<const DispatchTable *> tables,
                      uint64_t bytes) {
  json::Array tablesJson;
  for (const DispatchTable *table : tables)
    tablesJson.push_back(tableToJson(*table));
  json::Object out{{"file", options.bundle},
                   {"bytes", int64_t(bytes)},
                   {"tables", std::move(tablesJson)},
                   {"manifest", json::Object(bundle.manifest)}};
  outs() << llvm::formatv("{0:2}\n", json::Value(std::move(out)));
}

static bool isCandidates(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  return buffer && isCandidateFile((*buffer)->getBuffer());
}

static void inspect(const InspectOptions &options) {
  if (isCandidates(options.bundle)) {
    if (options.manifest)
      failWith(llvm::createStringError(
          "error: " + options.bundle +
          " is a candidate file, which has no manifest; expected a bundle"));
    return inspectCandidates(options.bundle, options.op, options.json);
  }
  Bundle bundle = valueOrFail(readBundle(options.bundle));
  std::vector<const DispatchTable *> tables;
  std::vector<std::string> names;
  for (const DispatchTable &table : bundle.tables) {
    names.push_back(table.entry);
    if (options.op.empty() || options.op == table.entry)
      tables.push_back(&table);
  }
  if (tables.empty() && !options.op.empty())
    failWith(unknownName("operator", options.op, names));
  uint64_t bytes = 0;
  llvm::sys::fs::file_size(options.bundle, bytes);

  if (options.json)
    return printJson(options, bundle, tables, bytes);
  if (options.manifest) {
    outs() << llvm::formatv("{0:2}\n",
                            json::Value(json::Object(bundle.manifest)));
    return;
  }
  StringRef verdict = bundle.manifest.getString("verdict").value_or("unproven");
  outs() << options.bundle << ": " << bundle.tables.size() << " operators, "
         << bundle.images.size() << " images, " << bytes << " bytes, "
         << verdict << '\n';
  if (verdict == "unproven")
    outs() << "kernels are unproven: no correctness gate has passed them\n";
  else
    outs() << "every kernel has passed the correctness gate\n";
  if (const json::Array *archs = bundle.manifest.getArray("ptx_only"))
    for (const json::Value &arch : *archs)
      outs() << arch.getAsString().value_or("")
             << " has PTX and no cubin: the driver compiles it when it is "
                "loaded\n";
  printImages(bundle);
  printKernels(tables);
  for (const DispatchTable *table : tables)
    printTable(*table);
}

void tool::addInspectCommand(CLI::App &app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App *command = app.add_subcommand(
      "inspect", "Print what a bundle holds: images per operator and "
                 "architecture, kernels with their resources, dispatch "
                 "tables.\nOf a candidate file: kernels, the sizes that they "
                 "are measured at, images");
  command->footer("Every hash is checked first, exactly as the runtime does.\n"
                  "Example: lathe inspect model.bundle --op rms_norm");
  command
      ->add_option("bundle", options->bundle, "The bundle, or candidate file")
      ->required();
  command->add_option("--op", options->op,
                      "Only this operator (a name of the op set)");
  auto *json = command->add_flag("--json", options->json,
                                 "Everything as one JSON object");
  command
      ->add_flag("--manifest", options->manifest,
                 "Only the manifest (JSON): versions, hashes, coverage")
      ->excludes(json);
  command->callback([options] { inspect(*options); });
}
