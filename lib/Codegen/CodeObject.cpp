//===- CodeObject.cpp - From AMD object to a code object ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Process.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"

using namespace llvm;

namespace lathe {

using ElfFile = object::ELFFile<object::ELF64LE>;

// The descriptor of the NT_AMDGPU_METADATA note; a view into the image.
static Expected<StringRef> findMetadata(const ElfFile &elf) {
  auto segments = elf.program_headers();
  if (!segments)
    return segments.takeError();
  StringRef result;
  for (const auto &segment : *segments) {
    if (segment.p_type != ELF::PT_NOTE)
      continue;
    Error error = Error::success();
    for (const auto &note : elf.notes(segment, error))
      if (note.getName() == "AMDGPU" &&
          note.getType() == ELF::NT_AMDGPU_METADATA)
        result = note.getDescAsStringRef(segment.p_align);
    if (error)
      return std::move(error);
  }
  if (result.empty())
    return createStringError("no AMDGPU metadata note in the code object");
  return result;
}

static int64_t number(msgpack::MapDocNode kernel, StringRef key) {
  auto found = kernel.find(key);
  if (found == kernel.end())
    return 0;
  msgpack::DocNode &value = found->second;
  if (value.getKind() == msgpack::Type::UInt)
    return value.getUInt();
  return value.getKind() == msgpack::Type::Int ? value.getInt() : 0;
}

static ResourceUsage readUsage(msgpack::MapDocNode kernel) {
  ResourceUsage usage;
  usage.registers = number(kernel, ".vgpr_count");
  usage.scalarRegisters = number(kernel, ".sgpr_count");
  usage.accumulatorRegisters = number(kernel, ".agpr_count");
  // Spilled SGPRs go to lanes of a VGPR; only VGPRs reach memory.
  usage.spillBytes = 4 * number(kernel, ".vgpr_spill_count");
  usage.stackBytes = number(kernel, ".private_segment_fixed_size");
  usage.sharedBytes = number(kernel, ".group_segment_fixed_size");
  usage.maxThreads = number(kernel, ".max_flat_workgroup_size");
  return usage;
}

static Expected<std::map<std::string, ResourceUsage>>
readMetadata(StringRef image) {
  Expected<ElfFile> elf = ElfFile::create(image);
  if (!elf)
    return elf.takeError();
  Expected<StringRef> metadata = findMetadata(*elf);
  if (!metadata)
    return metadata.takeError();
  msgpack::Document document;
  if (!document.readFromBlob(*metadata, /*Multi=*/false) ||
      !document.getRoot().isMap())
    return createStringError("malformed AMDGPU metadata in the code object");
  msgpack::MapDocNode root = document.getRoot().getMap();
  std::map<std::string, ResourceUsage> kernels;
  auto list = root.find("amdhsa.kernels");
  if (list != root.end() && list->second.isArray())
    for (msgpack::DocNode &node : list->second.getArray()) {
      if (!node.isMap())
        continue;
      msgpack::MapDocNode kernel = node.getMap();
      auto name = kernel.find(".name");
      if (name != kernel.end() && name->second.isString())
        kernels[name->second.getString().str()] = readUsage(kernel);
    }
  if (kernels.empty())
    return createStringError("no kernel in the AMDGPU metadata");
  return kernels;
}

Expected<AssembledImage> linkCodeObject(StringRef object,
                                        const Toolkit &toolkit) {
  if (toolkit.lld.empty())
    return createStringError(
        "no ld.lld-22 found, expected it on PATH or named by LATHE_LLD");
  Expected<TempDir> scratch = TempDir::create();
  if (!scratch)
    return scratch.takeError();
  std::string input = scratch->file("kernel.o");
  std::string output = scratch->file("kernel.co");
  if (Error error = writeFile(input, object))
    return std::move(error);
  Expected<ToolResult> run = runTool(
      toolkit.lld,
      {"-flavor", "gnu", "-shared", "--no-undefined", "-o", output, input},
      *scratch);
  if (!run)
    return run.takeError();
  if (run->exitCode != 0)
    return createStringError("lld failed with exit code " +
                             Twine(run->exitCode) + ": " +
                             StringRef(run->output).trim());
  AssembledImage result;
  if (Expected<std::string> image = readFile(output))
    result.image = std::move(*image);
  else
    return image.takeError();
  if (auto kernels = readMetadata(result.image))
    result.kernels = std::move(*kernels);
  else
    return kernels.takeError();
  return result;
}

} // namespace lathe
