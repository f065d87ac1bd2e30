//===- MergeObjectsTest.cpp - What ships is what was compiled -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "Codegen/Backend.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"

using namespace lathe;
using namespace lathe::test;
using llvm::StringRef;
using ElfObject = llvm::object::ELFObjectFile<llvm::object::ELF64LE>;

namespace {

CodegenOptions withTools() {
  CodegenOptions options;
  options.toolkit = findToolkit();
  return options;
}

/// y[t] = table[x[t] mod 64]: code that refers to data outside of it.
std::string tableBody() {
  return R"(
    %p = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %v = llvm.load %p : !llvm.ptr<1> -> i32
    %c63 = llvm.mlir.constant(63 : i32) : i32
    %i = llvm.and %v, %c63 : i32
    %b = llvm.mlir.addressof @table : !llvm.ptr<4>
    %s = llvm.getelementptr %b[%i] : (!llvm.ptr<4>, i32) -> !llvm.ptr<4>, i32
    %w = llvm.load %s : !llvm.ptr<4> -> i32
    %q = llvm.getelementptr %y[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %w, %q : i32, !llvm.ptr<1>)";
}

/// A table that each `seed` fills in its own way.
std::string tableGlobal(unsigned seed) {
  std::string text = "llvm.mlir.global internal constant @table(dense<[";
  for (unsigned i = 0; i < 64; ++i)
    text += (i ? ", " : "") + std::to_string(i * i * 977 % 1009 + seed);
  return text + "]> : tensor<64xi32>) {addr_space = 4 : i32} : "
                "!llvm.array<64 x i32>";
}

/// y[t] = number of blocks, from the implicit arguments.
std::string gridBody() {
  return R"(
    %a = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
    %w = llvm.load %a {alignment = 4 : i64} : !llvm.ptr<4> -> i32
    %q = llvm.getelementptr %y[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %w, %q : i32, !llvm.ptr<1>)";
}

std::vector<Artifact> manyKernels(const TargetSpec &spec, unsigned rounds) {
  std::vector<Artifact> result;
  auto add = [&](const std::string &text) {
    auto artifact = compileText(text, spec, withTools());
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    result.push_back(std::move(*artifact));
  };
  for (unsigned i = 0; i < rounds; ++i) {
    const std::string n = std::to_string(i);
    add(kernelText(spec, "wide" + n, wideBody(), "", 64 + 64 * (i % 4)));
    add(kernelText(spec, "turn" + n, sharedBody(spec),
                   "llvm.mlir.global internal @buffer() {addr_space = 3 : i32, "
                   "alignment = 16 : i64} : !llvm.array<" +
                       std::to_string(128 + 32 * i) + " x f32>"));
    add(kernelText(spec, "table" + n, tableBody(), tableGlobal(i)));
    add(kernelText(spec, "grid" + n, gridBody()));
  }
  return result;
}

std::vector<const Artifact *> pointers(const std::vector<Artifact> &artifacts) {
  std::vector<const Artifact *> result;
  for (const Artifact &artifact : artifacts)
    result.push_back(&artifact);
  return result;
}

struct Symbol {
  uint64_t address = 0;
  StringRef bytes;
};

/// Every defined symbol that a loader sees.
std::map<std::string, Symbol> symbolsOf(StringRef image) {
  std::map<std::string, Symbol> result;
  auto elf =
      llvm::cantFail(ElfObject::create(llvm::MemoryBufferRef(image, "image")));
  for (llvm::object::ELFSymbolRef symbol : elf.getDynamicSymbolIterators()) {
    auto section = llvm::cantFail(symbol.getSection());
    if (section == elf.section_end())
      continue;
    Symbol &out = result[llvm::cantFail(symbol.getName()).str()];
    out.address = llvm::cantFail(symbol.getAddress());
    out.bytes =
        llvm::cantFail(section->getContents())
            .substr(out.address - section->getAddress(), symbol.getSize());
  }
  return result;
}

/// Descriptors of the metadata notes in the segments that a loader reads.
std::vector<StringRef> notesOf(StringRef image) {
  std::vector<StringRef> result;
  auto elf = llvm::cantFail(
      llvm::object::ELFFile<llvm::object::ELF64LE>::create(image));
  for (const auto &segment : llvm::cantFail(elf.program_headers())) {
    if (segment.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : elf.notes(segment, error))
      if (note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
        result.push_back(note.getDescAsStringRef(segment.p_align));
    llvm::cantFail(std::move(error));
  }
  return result;
}

std::string print(llvm::msgpack::DocNode node) {
  std::string text;
  if (node.isMap()) {
    for (auto &[key, value] : node.getMap())
      text += print(key) + ": " + print(value) + "\n";
    return "{" + text + "}";
  }
  if (node.isArray()) {
    for (auto &value : node.getArray())
      text += print(value) + ",";
    return "[" + text + "]";
  }
  return node.toString();
}

/// The parts of an image's metadata, as text.
struct Metadata {
  std::string version, target;
  std::vector<std::string> kernels;
};

Metadata metadataOf(StringRef image) {
  std::vector<StringRef> notes = notesOf(image);
  EXPECT_EQ(notes.size(), 1u);
  llvm::msgpack::Document document;
  EXPECT_TRUE(document.readFromBlob(notes.front(), /*Multi=*/false));
  Metadata result;
  auto root = document.getRoot().getMap();
  result.version = print(root["amdhsa.version"]);
  result.target = print(root["amdhsa.target"]);
  for (auto &kernel : root["amdhsa.kernels"].getArray())
    result.kernels.push_back(print(kernel));
  return result;
}

class MergeObjects : public testing::TestWithParam<const char *> {
protected:
  TargetSpec spec = target(GetParam());
};

// 200 kernels: more than any entry of a bundle is likely to have.
TEST_P(MergeObjects, CodeIsThatOfTheSingleImages) {
  std::vector<Artifact> single = manyKernels(spec, 50);
  auto merged = mergeArtifacts(pointers(single), spec, withTools());
  ASSERT_TRUE(bool(merged)) << llvm::toString(merged.takeError());
  auto symbols = symbolsOf(merged->image);
  EXPECT_EQ(symbols.size(), 2 * single.size());
  for (const Artifact &artifact : single) {
    auto alone = symbolsOf(artifact.image);
    const std::string &name = artifact.symbol;
    ASSERT_TRUE(symbols.count(name) && symbols.count(name + ".kd")) << name;
    const Symbol &code = symbols[name], &kd = symbols[name + ".kd"];
    ASSERT_GT(code.bytes.size(), 16u);
    EXPECT_EQ(code.bytes.size(), alone[name].bytes.size()) << name;
    if (!StringRef(name).starts_with("table"))
      EXPECT_EQ(code.bytes, alone[name].bytes) << name;
    EXPECT_EQ(code.address % 256, 0u) << name;

    // llvm/Support/AMDHSAKernelDescriptor.h: LDS bytes first, entry at 16.
    ASSERT_EQ(kd.bytes.size(), 64u);
    EXPECT_EQ(kd.bytes.take_front(16),
              alone[name + ".kd"].bytes.take_front(16));
    EXPECT_EQ(kd.bytes.drop_front(24),
              alone[name + ".kd"].bytes.drop_front(24));
    EXPECT_EQ(llvm::support::endian::read32le(kd.bytes.data()),
              artifact.usage.sharedBytes)
        << name;
    EXPECT_EQ(kd.address +
                  llvm::support::endian::read64le(kd.bytes.data() + 16),
              code.address)
        << name;
  }
}

TEST_P(MergeObjects, OneNoteListsEveryKernel) {
  std::vector<Artifact> single = manyKernels(spec, 5);
  auto merged = mergeArtifacts(pointers(single), spec, withTools());
  ASSERT_TRUE(bool(merged)) << llvm::toString(merged.takeError());
  Metadata all = metadataOf(merged->image);
  EXPECT_EQ(all.version, "[1,2,]"); // code object version 5
  ASSERT_EQ(all.kernels.size(), single.size());
  for (auto [artifact, kernel] : llvm::zip(single, all.kernels)) {
    Metadata alone = metadataOf(artifact.image);
    EXPECT_EQ(alone.version, all.version);
    EXPECT_EQ(alone.target, all.target);
    EXPECT_EQ(alone.kernels.front(), kernel) << artifact.symbol;
    EXPECT_EQ(StringRef(kernel).contains("hidden_block_count_x"),
              StringRef(artifact.symbol).starts_with("grid"))
        << kernel;
  }
  EXPECT_EQ(merged->kernels.at("turn4").sharedBytes, 4 * (128 + 32 * 4));
}

TEST_P(MergeObjects, OneKernelGivesItsOwnImage) {
  std::vector<Artifact> single = manyKernels(spec, 1);
  for (const Artifact &artifact : single) {
    auto merged = mergeArtifacts({&artifact}, spec, withTools());
    ASSERT_TRUE(bool(merged)) << llvm::toString(merged.takeError());
    EXPECT_EQ(merged->image, artifact.image) << artifact.symbol;
  }
}

TEST_P(MergeObjects, OtherCodeIsSeen) {
  std::vector<Artifact> single = manyKernels(spec, 1);
  auto merged = mergeArtifacts(pointers(single), spec, withTools());
  ASSERT_TRUE(bool(merged)) << llvm::toString(merged.takeError());
  for (const Artifact &artifact : single)
    for (const std::string &name : {artifact.symbol, artifact.symbol + ".kd"}) {
      std::string changed = merged->image;
      size_t at = StringRef(changed).find(symbolsOf(changed)[name].bytes);
      ASSERT_NE(at, std::string::npos);
      changed[at] ^= 1;
      EXPECT_EQ(llvm::toString(checkSameCode(artifact, changed)),
                "'" + name + "' has other bytes in the merged image");
    }
}

TEST_P(MergeObjects, DamagedObjectsAreErrors) {
  std::vector<Artifact> single = manyKernels(spec, 1);
  const Artifact &first = single.front();
  EXPECT_EQ(llvm::cantFail(kernelOfObject(first.object)), first.symbol);
  // Any one byte: a name, another name or an error, never a crash.
  for (size_t at = 0; at < first.object.size(); ++at)
    for (int value : {0x00, 0x7f, 0x81, 0xff}) {
      std::string bad = first.object;
      bad[at] = char(value);
      auto name = kernelOfObject(bad);
      if (!name)
        llvm::consumeError(name.takeError());
    }
  for (size_t length = 0; length < first.object.size(); length += 7) {
    Artifact cut = single[1];
    cut.object.resize(std::min(length, cut.object.size() - 1));
    auto merged = mergeArtifacts({&first, &cut}, spec, CodegenOptions());
    ASSERT_FALSE(bool(merged));
    EXPECT_TRUE(
        StringRef(llvm::toString(merged.takeError())).contains("turn0"));
  }
}

INSTANTIATE_TEST_SUITE_P(Amd, MergeObjects, testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return info.param; });

} // namespace
