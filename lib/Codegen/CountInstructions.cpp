//===- CountInstructions.cpp - What a kernel's code consists of -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountInstructions.h"

#include "AmdMetadata.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace llvm;

namespace lathe {

namespace {
struct Code {
  /// Whether it multiplies matrices, by instruction, in order.
  std::vector<bool> isMatrix;
  /// Branches: from which instruction to which.
  std::vector<std::pair<size_t, size_t>> branches;
};
} // namespace

/// The inner loop is the shortest way back over a matrix instruction.
static void summarize(const Code &code, ResourceUsage &usage) {
  std::vector<int64_t> before{0}; // matrix instructions, by position
  for (bool isMatrix : code.isMatrix)
    before.push_back(before.back() + isMatrix);
  usage.matrixInstructions = before.back();
  usage.loopInstructions = usage.loopMatrixInstructions = 0;
  for (auto [from, to] : code.branches) {
    if (to > from)
      continue;
    int64_t length = from + 1 - to, matrix = before[from + 1] - before[to];
    if (matrix == 0 ||
        (usage.loopInstructions != 0 && length >= usage.loopInstructions))
      continue;
    usage.loopInstructions = length;
    usage.loopMatrixInstructions = matrix;
  }
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

/// Of one kernel. Statements end with a semicolon, labels with a colon (PTX
/// ISA, "Syntax"); several may share a line, as inline assembly writes them.
static Code readPtx(StringRef ptx) {
  Code code;
  StringMap<size_t> labels;
  std::vector<std::pair<size_t, StringRef>> jumps;
  while (!ptx.empty()) {
    StringRef line;
    std::tie(line, ptx) = ptx.split('\n');
    line = line.split("//").first;
    while (!line.empty()) {
      size_t end = line.find_first_of(";:{}");
      StringRef text = line.take_front(end).trim();
      char mark = end == StringRef::npos ? '\0' : line[end];
      line = end == StringRef::npos ? "" : line.drop_front(end + 1);
      // "a::b" is one word of an opcode, "{a, b}" a list of registers.
      if (mark == ':' && line.starts_with(":"))
        text = "";
      if (mark == ':' && !text.empty() && !text.contains(' '))
        labels[text] = code.isMatrix.size();
      if (text.consume_front("@"))
        text = text.drop_until([](char c) { return isSpace(c); }).ltrim();
      if (mark == ':' || text.empty() || !isAlpha(text.front()))
        continue;
      StringRef opcode = text.take_until([](char c) { return isSpace(c); });
      if (opcode == "bra" || opcode == "bra.uni")
        jumps.emplace_back(code.isMatrix.size(),
                           text.drop_front(opcode.size()).trim());
      code.isMatrix.push_back(opcode.starts_with("mma.") ||
                              opcode.starts_with("wgmma.mma_async"));
    }
  }
  for (auto [from, label] : jumps)
    if (auto found = labels.find(label); found != labels.end())
      code.branches.emplace_back(from, found->second);
  return code;
}

//===----------------------------------------------------------------------===//
// AMD
//===----------------------------------------------------------------------===//

static Expected<Code> readAmd(StringRef bytes, const TargetSpec &target) {
  static std::once_flag once;
  std::call_once(once, [] { LLVMInitializeAMDGPUDisassembler(); });
  Triple triple(target.triple);
  std::string message;
  const Target *backend = TargetRegistry::lookupTarget(triple, message);
  if (!backend)
    return createStringError(message);
  std::unique_ptr<MCRegisterInfo> registers(backend->createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> assembly(
      backend->createMCAsmInfo(*registers, triple, MCTargetOptions()));
  std::unique_ptr<MCSubtargetInfo> chip(
      backend->createMCSubtargetInfo(triple, target.cpu, target.features));
  std::unique_ptr<MCInstrInfo> names(backend->createMCInstrInfo());
  std::unique_ptr<MCInstrAnalysis> analysis(
      backend->createMCInstrAnalysis(names.get()));
  MCContext context(triple, assembly.get(), registers.get(), chip.get());
  std::unique_ptr<MCDisassembler> disassembler(
      backend->createMCDisassembler(*chip, context));
  if (!disassembler || !analysis)
    return createStringError("LLVM cannot disassemble " + target.arch);

  Code code;
  std::map<uint64_t, size_t> positions; // of instructions, by address
  std::vector<std::pair<size_t, uint64_t>> jumps;
  ArrayRef<uint8_t> rest = arrayRefFromStringRef(bytes);
  for (uint64_t at = 0; !rest.empty();) {
    MCInst instruction;
    uint64_t size = 0, to = 0;
    if (disassembler->getInstruction(instruction, size, rest, at, nulls()) !=
            MCDisassembler::Success ||
        size == 0)
      return createStringError("no instruction of " + target.arch +
                               " at byte " + Twine(at) + " of the kernel");
    positions[at] = code.isMatrix.size();
    StringRef name = names->getName(instruction.getOpcode());
    if (analysis->evaluateBranch(instruction, at, size, to))
      jumps.emplace_back(code.isMatrix.size(), to);
    code.isMatrix.push_back(name.starts_with("V_MFMA") ||
                            name.starts_with("V_SMFMAC"));
    at += size;
    rest = rest.drop_front(size);
  }
  for (auto [from, to] : jumps)
    if (auto found = positions.find(to); found != positions.end())
      code.branches.emplace_back(from, found->second);
  return code;
}

Error countInstructions(Artifact &artifact, const TargetSpec &target) {
  if (target.isNVIDIA()) {
    summarize(readPtx(artifact.text), artifact.usage);
    return Error::success();
  }
  Expected<std::string> bytes = codeOfObject(artifact.object, artifact.symbol);
  if (!bytes)
    return bytes.takeError();
  Expected<Code> code = readAmd(*bytes, target);
  if (!code)
    return code.takeError();
  summarize(*code, artifact.usage);
  return Error::success();
}

Error checkMatrixInstructions(const Artifact &artifact) {
  if (artifact.usage.matrixInstructions > 0)
    return Error::success();
  bool isAmd = StringRef(artifact.arch).starts_with("gfx");
  return createStringError("kernel '" + artifact.symbol +
                           "' multiplies matrices without a matrix "
                           "instruction, expected " +
                           (isAmd ? "v_mfma" : "mma or wgmma"));
}

} // namespace lathe
