//===- CodeObject.cpp - From AMD object to a code object ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AmdMetadata.h"
#include "Backend.h"
#include "Process.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"

using namespace llvm;

namespace lathe {

using ElfFile = object::ELFFile<object::ELF64LE>;

// msgpack::Document ends the process on keys that are maps and on extensions;
// metadata has neither, and is a few levels deep.
static bool isPlain(StringRef descriptor) {
  constexpr size_t maxDepth = 16;
  struct Level {
    bool isMap;
    uint64_t left; // keys and values
  };
  SmallVector<Level, maxDepth> levels;
  msgpack::Reader reader(descriptor);
  do {
    msgpack::Object object;
    Expected<bool> more = reader.read(object);
    if (!more) {
      consumeError(more.takeError());
      return false;
    }
    if (!*more)
      return false;
    bool isKey = false;
    if (!levels.empty()) {
      Level &level = levels.back();
      isKey = level.isMap && level.left % 2 == 0;
      --level.left;
    }
    if (isKey && object.Kind != msgpack::Type::String)
      return false;
    const bool isMap = object.Kind == msgpack::Type::Map;
    if (isMap || object.Kind == msgpack::Type::Array) {
      if (levels.size() == maxDepth)
        return false;
      levels.push_back({isMap, object.Length * (isMap ? uint64_t(2) : 1)});
    } else if (object.Kind == msgpack::Type::Extension ||
               object.Kind == msgpack::Type::Empty) {
      return false;
    }
    while (!levels.empty() && levels.back().left == 0)
      levels.pop_back();
  } while (!levels.empty());
  return true;
}

Expected<MetadataNote> findMetadata(StringRef bytes) {
  Expected<ElfFile> elf = ElfFile::create(bytes);
  if (!elf)
    return elf.takeError();
  auto sections = elf->sections();
  if (!sections)
    return sections.takeError();
  std::optional<MetadataNote> result;
  unsigned notes = 0; // in the sections that hold metadata
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    unsigned count = 0;
    bool hasMetadata = false;
    Error error = Error::success();
    for (const auto &note : elf->notes(section, error)) {
      ++count;
      if (note.getName() != "AMDGPU" ||
          note.getType() != ELF::NT_AMDGPU_METADATA)
        continue;
      hasMetadata = true;
      result = {&section, note.getDescAsStringRef(
                              std::max<size_t>(section.sh_addralign, 4))};
    }
    if (error)
      return std::move(error);
    if (hasMetadata)
      notes += count;
  }
  if (!result)
    return createStringError("no AMDGPU metadata note in the ELF file");
  if (notes != 1)
    return createStringError("found " + Twine(notes) +
                             " notes where the AMDGPU metadata is, "
                             "expected one");
  if (!isPlain(result->descriptor))
    return createStringError("malformed AMDGPU metadata");
  return *result;
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

Expected<std::map<std::string, ResourceUsage>>
readMetadata(StringRef descriptor) {
  msgpack::Document document;
  if (!document.readFromBlob(descriptor, /*Multi=*/false) ||
      !document.getRoot().isMap())
    return createStringError("malformed AMDGPU metadata");
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

Expected<AssembledImage> linkCodeObject(ArrayRef<std::string> objects,
                                        const Toolkit &toolkit) {
  if (toolkit.lld.empty())
    return createStringError(
        "no ld.lld-22 found, expected it on PATH or named by LATHE_LLD");
  Expected<TempDir> scratch = TempDir::create();
  if (!scratch)
    return scratch.takeError();
  std::string output = scratch->file("kernel.co");
  std::vector<std::string> inputs;
  for (const std::string &object : objects) {
    inputs.push_back(scratch->file(utostr(inputs.size()) + ".o"));
    if (Error error = writeFile(inputs.back(), object))
      return std::move(error);
  }
  SmallVector<StringRef, 16> arguments{"-flavor",        "gnu", "-shared",
                                       "--no-undefined", "-o",  output};
  append_range(arguments, inputs);
  Expected<ToolResult> run = runTool(toolkit.lld, arguments, *scratch);
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
  Expected<MetadataNote> note = findMetadata(result.image);
  if (!note)
    return note.takeError();
  if (auto kernels = readMetadata(note->descriptor))
    result.kernels = std::move(*kernels);
  else
    return kernels.takeError();
  return result;
}

} // namespace lathe
