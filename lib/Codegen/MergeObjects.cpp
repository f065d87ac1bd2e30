//===- MergeObjects.cpp - AMD objects made fit for one link ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AmdMetadata.h"
#include "Backend.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lathe {

using ElfFile = object::ELFFile<object::ELF64LE>;
using SectionHeader = object::ELF64LE::Shdr;

// Kernels add up; version, target and anything else must be the same.
static int mergeNode(msgpack::DocNode *into, msgpack::DocNode from,
                     msgpack::DocNode key) {
  if (into->getKind() != from.getKind())
    return -1;
  if (into->isMap())
    return 0;
  if (into->isArray())
    return key.isString() && key.getString() == "amdhsa.kernels"
               ? int(into->getArray().size())
               : 0;
  return *into == from ? 0 : -1;
}

static std::string writeNote(StringRef descriptor) {
  constexpr StringLiteral name("AMDGPU");
  std::string note(12, '\0');
  support::endian::write32le(note.data(), name.size() + 1);
  support::endian::write32le(note.data() + 4, descriptor.size());
  support::endian::write32le(note.data() + 8, ELF::NT_AMDGPU_METADATA);
  note += name;
  note.resize(alignTo(note.size() + 1, 4));
  note += descriptor;
  note.resize(alignTo(note.size(), 4));
  return note;
}

Expected<std::vector<std::string>>
joinMetadata(ArrayRef<const Artifact *> artifacts) {
  msgpack::Document document;
  std::vector<std::string> objects;
  size_t firstHeader = 0; // offset of the first object's note section header
  for (const Artifact *artifact : artifacts) {
    auto fail = [&](const Twine &why) {
      return createStringError("the object of kernel '" + artifact->symbol +
                               "' cannot be linked: " + why);
    };
    Expected<MetadataNote> note = findMetadata(artifact->object);
    if (!note)
      return fail(toString(note.takeError()));
    if (!document.readFromBlob(note->descriptor, /*Multi=*/false, mergeNode))
      return fail("malformed AMDGPU metadata, or of another target");
    const size_t header =
        reinterpret_cast<const char *>(note->section) - artifact->object.data();
    std::string &object = objects.emplace_back(artifact->object);
    if (objects.size() == 1)
      firstHeader = header;
    else // lld leaves such sections out
      support::endian::write64le(object.data() + header +
                                     offsetof(SectionHeader, sh_flags),
                                 note->section->sh_flags | ELF::SHF_EXCLUDE);
  }
  std::string descriptor;
  document.writeToBlob(descriptor);
  std::string &first = objects.front();
  first.resize(alignTo(first.size(), 4));
  const uint64_t offset = first.size();
  const std::string note = writeNote(descriptor);
  first += note;
  char *header = first.data() + firstHeader;
  support::endian::write64le(header + offsetof(SectionHeader, sh_offset),
                             offset);
  support::endian::write64le(header + offsetof(SectionHeader, sh_size),
                             note.size());
  return objects;
}

namespace {
/// What a symbol names: its bytes, and where they lie in their section.
struct SymbolBytes {
  uint32_t section;
  uint64_t offset;
  StringRef bytes;
};
} // namespace

// Works on ELFFile: ELFObjectFile ends the process on some damaged objects.
static Expected<SymbolBytes> readSymbol(const ElfFile &elf,
                                        const ElfFile::Elf_Sym &symbol) {
  auto section = elf.getSection(symbol.st_shndx);
  if (!section)
    return section.takeError();
  auto contents = elf.getSectionContents(**section);
  if (!contents)
    return contents.takeError();
  const uint64_t offset = symbol.st_value - (*section)->sh_addr;
  if (symbol.st_size == 0 || offset > contents->size() ||
      symbol.st_size > contents->size() - offset)
    return createStringError("a symbol lies outside of its section");
  return SymbolBytes{symbol.st_shndx, offset,
                     toStringRef(*contents).substr(offset, symbol.st_size)};
}

static Expected<SymbolBytes> findSymbol(const ElfFile &elf, StringRef name) {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const SectionHeader &section : *sections) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    Expected<StringRef> names = elf.getStringTableForSymtab(section);
    if (!names)
      return names.takeError();
    auto symbols = elf.symbols(&section);
    if (!symbols)
      return symbols.takeError();
    for (const auto &symbol : *symbols) {
      Expected<StringRef> found = symbol.getName(*names);
      if (!found)
        return found.takeError();
      if (*found == name)
        return readSymbol(elf, symbol);
    }
  }
  return createStringError("no symbol '" + name + "'");
}

Expected<std::string> codeOfObject(StringRef bytes, StringRef kernel) {
  Expected<ElfFile> elf = ElfFile::create(bytes);
  if (!elf)
    return elf.takeError();
  Expected<SymbolBytes> symbol = findSymbol(*elf, kernel);
  if (!symbol)
    return symbol.takeError();
  return symbol->bytes.str();
}

// Puts zeros where the linker fills in an address.
static Error maskRelocated(const SymbolBytes &symbol, const ElfFile &object,
                           std::string &bytes) {
  auto sections = object.sections();
  if (!sections)
    return sections.takeError();
  for (const SectionHeader &section : *sections) {
    if (section.sh_type != ELF::SHT_RELA || section.sh_info != symbol.section)
      continue;
    auto relocations = object.relas(section);
    if (!relocations)
      return relocations.takeError();
    for (const auto &relocation : *relocations) {
      const uint32_t type = relocation.getType(/*isMips64EL=*/false);
      const uint64_t width =
          type == ELF::R_AMDGPU_ABS64 || type == ELF::R_AMDGPU_REL64 ? 8 : 4;
      const uint64_t at = relocation.r_offset - symbol.offset;
      for (uint64_t i = 0; i < width; ++i)
        if (at + i < bytes.size())
          bytes[at + i] = '\0';
    }
  }
  return Error::success();
}

Error checkSameCode(const Artifact &artifact, StringRef image) {
  Expected<ElfFile> object = ElfFile::create(artifact.object);
  if (!object)
    return object.takeError();
  Expected<ElfFile> merged = ElfFile::create(image);
  if (!merged)
    return merged.takeError();
  for (const std::string &name : {artifact.symbol, artifact.symbol + ".kd"}) {
    Expected<SymbolBytes> alone = findSymbol(*object, name);
    if (!alone)
      return alone.takeError();
    Expected<SymbolBytes> linked = findSymbol(*merged, name);
    if (!linked)
      return linked.takeError();
    std::string before = alone->bytes.str(), after = linked->bytes.str();
    for (std::string *bytes : {&before, &after})
      if (Error error = maskRelocated(*alone, *object, *bytes))
        return error;
    if (before != after)
      return createStringError("'" + name +
                               "' has other bytes in the merged image");
  }
  return Error::success();
}

Expected<std::string> kernelOfObject(StringRef object) {
  Expected<MetadataNote> note = findMetadata(object);
  if (!note)
    return note.takeError();
  auto kernels = readMetadata(note->descriptor);
  if (!kernels)
    return kernels.takeError();
  if (kernels->size() != 1)
    return createStringError("found " + Twine(kernels->size()) +
                             " kernels in an object, expected one");
  return kernels->begin()->first;
}

} // namespace lathe
