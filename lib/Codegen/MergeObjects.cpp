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
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lathe {

using Elf64Object = object::ELFObjectFile<object::ELF64LE>;
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
  object::SectionRef section;
  uint64_t offset;
  StringRef bytes;
};
} // namespace

static Expected<SymbolBytes> findSymbol(const Elf64Object &file,
                                        StringRef name) {
  for (const object::ELFSymbolRef symbol : file.symbols()) {
    Expected<StringRef> found = symbol.getName();
    if (!found)
      return found.takeError();
    if (*found != name)
      continue;
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    if (*section == file.section_end())
      break;
    Expected<StringRef> contents = (*section)->getContents();
    if (!contents)
      return contents.takeError();
    Expected<uint64_t> address = symbol.getAddress();
    if (!address)
      return address.takeError();
    const uint64_t offset = *address - (*section)->getAddress();
    if (offset > contents->size() || symbol.getSize() == 0 ||
        symbol.getSize() > contents->size() - offset)
      break;
    return SymbolBytes{**section, offset,
                       contents->substr(offset, symbol.getSize())};
  }
  return createStringError("no bytes of symbol '" + name + "'");
}

// The bytes, with zeros where the linker puts an address.
static std::string maskRelocated(const SymbolBytes &symbol,
                                 const Elf64Object &object, StringRef bytes) {
  std::string masked = bytes.str();
  for (const object::SectionRef section : object.sections()) {
    auto target = section.getRelocatedSection();
    if (!target) {
      consumeError(target.takeError());
      continue;
    }
    if (*target == object.section_end() || **target != symbol.section)
      continue;
    for (const object::RelocationRef &relocation : section.relocations()) {
      const uint64_t type = relocation.getType();
      const uint64_t width =
          type == ELF::R_AMDGPU_ABS64 || type == ELF::R_AMDGPU_REL64 ? 8 : 4;
      const uint64_t at = relocation.getOffset() - symbol.offset;
      for (uint64_t i = 0; i < width && at + i < masked.size(); ++i)
        masked[at + i] = '\0';
    }
  }
  return masked;
}

Error checkSameCode(const Artifact &artifact, StringRef image) {
  auto object =
      Elf64Object::create(MemoryBufferRef(artifact.object, artifact.symbol));
  if (!object)
    return object.takeError();
  auto merged = Elf64Object::create(MemoryBufferRef(image, "image"));
  if (!merged)
    return merged.takeError();
  for (const std::string &name : {artifact.symbol, artifact.symbol + ".kd"}) {
    Expected<SymbolBytes> alone = findSymbol(*object, name);
    if (!alone)
      return alone.takeError();
    Expected<SymbolBytes> linked = findSymbol(*merged, name);
    if (!linked)
      return linked.takeError();
    if (maskRelocated(*alone, *object, alone->bytes) !=
        maskRelocated(*alone, *object, linked->bytes))
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
