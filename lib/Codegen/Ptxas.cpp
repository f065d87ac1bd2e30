//===- Ptxas.cpp - From PTX to a cubin and its figures --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Process.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lathe {

namespace {
/// Reads what `ptxas -v` prints, line by line.
class PtxasLog {
public:
  Error read(StringRef text);
  Expected<std::map<std::string, ResourceUsage>> takeKernels();
  std::vector<std::string> warnings;

private:
  void readFigures(StringRef line, ResourceUsage &usage);

  std::map<std::string, ResourceUsage> entries, functions;
  std::string current; ///< function whose figures come next
};
} // namespace

// C7510 and its kin: ptxas repaired what it holds to be a hazard of
// asynchronous instructions, at a price in speed. Always our mistake.
static bool isHazard(StringRef line) {
  for (size_t at = line.find("C75"); at != StringRef::npos;
       at = line.find("C75", at + 1))
    if (line.size() >= at + 5 && isDigit(line[at + 3]) && isDigit(line[at + 4]))
      return true;
  return false;
}

// "0 bytes stack frame, 8 bytes spill stores", "Used 14 registers, ..."
void PtxasLog::readFigures(StringRef line, ResourceUsage &usage) {
  line.consume_front("ptxas info");
  line = line.ltrim(" :");
  for (StringRef item : split(line, ',')) {
    item = item.trim();
    item.consume_front("Used ");
    item.consume_front("used ");
    int64_t value;
    if (item.consumeInteger(10, value))
      continue;
    item = item.trim();
    if (item == "registers")
      usage.registers = value;
    else if (item == "barriers")
      usage.barriers = value;
    else if (item == "bytes smem")
      usage.sharedBytes = value;
    else if (item == "bytes stack frame")
      usage.stackBytes = value;
    else if (item == "bytes spill stores" || item == "bytes spill loads")
      usage.spillBytes += value;
  }
}

Error PtxasLog::read(StringRef text) {
  for (StringRef line : split(text, '\n')) {
    line = line.trim();
    if (isHazard(line))
      return createStringError("ptxas reports a hazard: " + line);
    if (line.contains("Compiling entry function '")) {
      current = line.split('\'').second.split('\'').first.str();
      entries.try_emplace(current);
    } else if (line.contains("Function properties for ")) {
      current = line.split("Function properties for ").second.trim().str();
      functions.try_emplace(current);
    } else if (line.contains("bytes stack frame")) {
      readFigures(line, functions[current]);
    } else if (line.contains("Used ") && line.contains("registers")) {
      readFigures(line, functions[current]);
    } else if (line.contains("warning")) {
      warnings.push_back(line.str());
    }
  }
  return Error::success();
}

Expected<std::map<std::string, ResourceUsage>> PtxasLog::takeKernels() {
  for (auto &[name, usage] : entries) {
    auto found = functions.find(name);
    if (found == functions.end() || found->second.registers == 0)
      return createStringError("ptxas gave no figures for kernel '" + name +
                               "'");
    usage = found->second;
  }
  if (entries.empty())
    return createStringError("ptxas compiled no kernel");
  return std::move(entries);
}

Expected<AssembledImage> assemblePtx(StringRef ptx, const TargetSpec &target,
                                     const Toolkit &toolkit) {
  Expected<TempDir> scratch = TempDir::create();
  if (!scratch)
    return scratch.takeError();
  std::string input = scratch->file("kernel.ptx");
  std::string output = scratch->file("kernel.cubin");
  if (Error error = writeFile(input, ptx))
    return std::move(error);
  std::string arch = "-arch=" + target.arch;
  Expected<ToolResult> run = runTool(
      toolkit.ptxas, {"-v", "-O3", arch, "-o", output, input}, *scratch);
  if (!run)
    return run.takeError();
  if (run->exitCode != 0)
    return createStringError("ptxas failed with exit code " +
                             Twine(run->exitCode) + ": " +
                             StringRef(run->output).trim());

  PtxasLog log;
  if (Error error = log.read(run->output))
    return std::move(error);
  AssembledImage result;
  if (auto kernels = log.takeKernels())
    result.kernels = std::move(*kernels);
  else
    return kernels.takeError();
  if (Expected<std::string> image = readFile(output))
    result.image = std::move(*image);
  else
    return image.takeError();
  if (result.image.empty())
    return createStringError("ptxas wrote an empty image");
  result.warnings = std::move(log.warnings);
  return result;
}

} // namespace lathe
