//===- LoadHardware.cpp - Reads hardware descriptions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Load.h"
#include "lathe/Ingest/Yaml.h"
#include "lathe/Support/ScheduleSymbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::yaml;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

using Unit = std::pair<StringRef, double>;
static const Unit flopUnits[] = {
    {"TFLOP/s", 1e12}, {"GFLOP/s", 1e9}, {"PFLOP/s", 1e15}};
static const Unit bandwidthUnits[] = {{"TB/s", 1e12}, {"GB/s", 1e9}};
static const Unit byteUnits[] = {
    {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GB", 1e9}, {"B", 1.0}};
static const Unit timeUnits[] = {{"us", 1.0}, {"ns", 1e-3}, {"ms", 1e3}};
static const Unit clockUnits[] = {{"GHz", 1e9}, {"MHz", 1e6}};

static void loadFeatures(Reader &reader, const Node &root, Hardware &hardware) {
  llvm::SmallVector<StringRef> known;
  for (const HardwareFeature &feature : hardwareFeatures)
    known.push_back(feature.name);
  reader.each(root, "features", [&](const Node &node) {
    auto feature = reader.oneOf(node, "features", known);
    if (!feature)
      return;
    if (llvm::is_contained(hardware.features, *feature))
      reader.diagnostics.error(node,
                               "features: '" + *feature + "' is listed twice");
    else
      hardware.features.push_back(*feature);
  });
  llvm::sort(hardware.features);
}

static void loadFields(Reader &reader, const Node &root, Hardware &hardware) {
  auto flag = [&](StringRef key) {
    const Node *node = reader.find(root, key);
    return node && reader.oneOf(*node, key, {"true", "false"}) == "true";
  };
  hardware.compilable = flag("compilable");
  hardware.defaultForArch = flag("default_for_arch");
  // Others serve rooflines alone, for which peaks and bandwidth are enough.
  bool inDetail = hardware.compilable;
  auto quantity = [&](StringRef key, double &value, llvm::ArrayRef<Unit> units,
                      bool required) {
    const Node *node = required ? reader.require(root, key, "hardware")
                                : reader.find(root, key);
    if (node)
      value = reader.quantity(*node, key, units).value_or(0);
  };
  auto bytes = [&](StringRef key, int64_t &value, bool required) {
    double amount = 0;
    quantity(key, amount, byteUnits, required);
    value = amount < 1e15 ? int64_t(amount) : 0;
  };
  auto count = [&](StringRef key, int64_t &value) {
    const Node *node = inDetail ? reader.require(root, key, "hardware")
                                : reader.find(root, key);
    if (node)
      value = reader.integer(*node, key, 1, 1 << 24).value_or(0);
  };
  quantity("bandwidth", hardware.bandwidth, bandwidthUnits, true);
  hardware.achievedBandwidth = hardware.bandwidth;
  quantity("achieved_bandwidth", hardware.achievedBandwidth, bandwidthUnits,
           false);
  quantity("launch_floor", hardware.launchFloorUs, timeUnits, false);
  quantity("clock", hardware.clockHz, clockUnits, inDetail);
  count("multiprocessors", hardware.multiprocessors);
  count("warp_size", hardware.warpSize);
  bytes("memory", hardware.memoryBytes, false);
  bytes("l2", hardware.l2Bytes, inDetail);
  bytes("shared_per_multiprocessor", hardware.sharedPerSm, inDetail);
  bytes("shared_per_block", hardware.sharedPerBlock, inDetail);
  count("registers_per_multiprocessor", hardware.registersPerSm);
  count("max_registers_per_thread", hardware.maxRegistersPerThread);
  count("threads_per_multiprocessor", hardware.threadsPerSm);
  count("blocks_per_multiprocessor", hardware.blocksPerSm);
  count("max_threads_per_block", hardware.maxThreadsPerBlock);
  auto real = [&](StringRef key, double &value, double max) {
    if (const Node *node = reader.find(root, key))
      value = reader.number(*node, key, 1e-3, max).value_or(value);
  };
  real("matrix_share", hardware.matrixShare, 1);
  real("matrix_share_8bit", hardware.matrixShare8, 1);
  real("shared_bytes_per_clock", hardware.sharedBytesPerClock, 1 << 16);
  loadFeatures(reader, root, hardware);
  const Node *peaks = reader.require(root, "peak", "hardware");
  if (!peaks || !reader.map(*peaks, "peak"))
    return;
  for (auto &[key, value] : peaks->entries) {
    if (!dtypeBits(key->text))
      reader.diagnostics.error(*key, "peak: expected a dtype such as bf16 or "
                                     "f8E4M3FN, found " +
                                         Reader::describe(*key));
    if (auto flops = reader.quantity(*value, "peak." + key->text, flopUnits))
      hardware.peakFlops[key->text] = *flops;
  }
}

Expected<Hardware> lathe::loadHardware(StringRef file) {
  Diagnostics diagnostics(file);
  Reader reader(diagnostics);
  Hardware hardware;
  NodePtr root = parseFile(file, diagnostics);
  if (root && reader.map(*root, "hardware",
                         {"hardware",
                          "vendor",
                          "arch",
                          "source",
                          "peak",
                          "bandwidth",
                          "achieved_bandwidth",
                          "launch_floor",
                          "clock",
                          "multiprocessors",
                          "warp_size",
                          "memory",
                          "l2",
                          "shared_per_multiprocessor",
                          "shared_per_block",
                          "registers_per_multiprocessor",
                          "max_registers_per_thread",
                          "threads_per_multiprocessor",
                          "blocks_per_multiprocessor",
                          "max_threads_per_block",
                          "features",
                          "matrix_share",
                          "matrix_share_8bit",
                          "shared_bytes_per_clock",
                          "compilable",
                          "default_for_arch"})) {
    if (const Node *node = reader.require(*root, "hardware", "hardware"))
      hardware.name = reader.name(*node, "hardware").value_or("");
    if (const Node *node = reader.require(*root, "vendor", "hardware"))
      hardware.vendor =
          reader.oneOf(*node, "vendor", {"nvidia", "amd", "other"})
              .value_or("");
    if (const Node *node = reader.require(*root, "arch", "hardware"))
      hardware.arch = reader.name(*node, "arch").value_or("");
    if (const Node *node = reader.require(*root, "source", "hardware"))
      hardware.source = reader.string(*node, "source").value_or("");
    loadFields(reader, *root, hardware);
  }
  if (diagnostics.hasErrors())
    return diagnostics.take();
  return hardware;
}

Expected<Hardware>
lathe::findHardware(StringRef target, llvm::ArrayRef<std::string> directories) {
  if (target.ends_with(".yaml") || target.contains('/'))
    return loadHardware(target);
  // The first of each name wins, so look into later folders first.
  std::map<std::string, std::string> files;
  for (const std::string &directory : llvm::reverse(directories)) {
    llvm::SmallString<256> folder(directory);
    path::append(folder, "hardware");
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error))
      if (path::extension(it->path()) == ".yaml")
        files.try_emplace(path::stem(it->path()).str(), it->path());
  }
  if (auto it = files.find(target.str()); it != files.end())
    return loadHardware(it->second);
  std::optional<Hardware> found;
  std::vector<StringRef> known;
  std::vector<std::string> archs;
  for (auto &[name, file] : files) {
    auto hardware = loadHardware(file);
    if (!hardware)
      return hardware;
    known.push_back(name);
    archs.push_back(hardware->arch);
    if (hardware->arch == target && (!found || hardware->defaultForArch))
      found = std::move(*hardware);
  }
  if (found)
    return *found;
  known.insert(known.end(), archs.begin(), archs.end());
  llvm::sort(known);
  known.erase(llvm::unique(known), known.end());
  return llvm::make_error<InputError>("error: unknown target '" + target.str() +
                                      "'" + suggestion(target, known));
}
