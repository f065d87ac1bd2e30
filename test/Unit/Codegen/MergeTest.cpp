//===- MergeTest.cpp - Several kernels, and messages ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "lathe/Codegen/Message.h"

#include "gtest/gtest.h"

using namespace lathe;
using namespace lathe::test;
using llvm::StringRef;

namespace {

CodegenOptions withTools() {
  CodegenOptions options;
  options.toolkit = findToolkit();
  return options;
}

/// Three kernels, two of which have a shared global of the same name.
std::vector<Artifact> threeKernels(const TargetSpec &spec,
                                   const CodegenOptions &options) {
  std::vector<Artifact> result;
  for (std::string text :
       {kernelText(spec, "wide", wideBody()),
        kernelText(spec, "turn", sharedBody(spec), sharedGlobal()),
        kernelText(spec, "turn2", sharedBody(spec), sharedGlobal())}) {
    auto artifact = compileText(text, spec, options);
    EXPECT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    if (artifact)
      result.push_back(std::move(*artifact));
  }
  return result;
}

std::vector<const Artifact *> pointers(const std::vector<Artifact> &artifacts) {
  std::vector<const Artifact *> result;
  for (const Artifact &artifact : artifacts)
    result.push_back(&artifact);
  return result;
}

bool skip(const TargetSpec &spec) {
  return spec.isNVIDIA() && findToolkit().ptxas.empty();
}

TEST(Merge, KernelsKeepTheirResources) {
  for (const TargetSpec &spec : knownTargets()) {
    if (skip(spec))
      continue;
    std::vector<Artifact> single = threeKernels(spec, withTools());
    ASSERT_EQ(single.size(), 3u);
    auto merged = mergeArtifacts(pointers(single), spec, withTools());
    ASSERT_TRUE(bool(merged)) << llvm::toString(merged.takeError());
    ASSERT_EQ(merged->kernels.size(), 3u) << spec.arch;
    for (const Artifact &artifact : single) {
      const ResourceUsage &usage = merged->kernels.at(artifact.symbol);
      EXPECT_EQ(usage.registers, artifact.usage.registers);
      EXPECT_EQ(usage.sharedBytes, artifact.usage.sharedBytes);
      EXPECT_EQ(usage.maxThreads, 128);
    }
    auto again = mergeArtifacts(pointers(single), spec, withTools());
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(merged->image, again->image) << spec.arch;
  }
}

TEST(Merge, PtxAloneHasOneHeader) {
  TargetSpec spec = target("sm_90a");
  CodegenOptions options;
  options.toolkit.ptxasMissing = "nowhere";
  std::vector<Artifact> single = threeKernels(spec, options);
  auto merged = mergeArtifacts(pointers(single), spec, options);
  ASSERT_TRUE(bool(merged)) << llvm::toString(merged.takeError());
  EXPECT_EQ(StringRef(merged->text).count(".version"), 1u);
  EXPECT_EQ(StringRef(merged->text).count(".visible .entry"), 3u);
  EXPECT_TRUE(merged->image.empty());
  EXPECT_EQ(merged->warnings.size(), 1u);
}

TEST(Merge, TheNewestPtxVersionIsTheImages) {
  TargetSpec spec = target("sm_90a");
  CodegenOptions options;
  options.toolkit.ptxasMissing = "nowhere";
  std::vector<Artifact> single = threeKernels(spec, options);
  ASSERT_EQ(single.size(), 3u);
  auto change = [](std::string &text, StringRef directive, StringRef line) {
    size_t at = text.find(directive.str());
    ASSERT_NE(at, std::string::npos);
    text.replace(at, text.find('\n', at) - at, line.str());
  };
  change(single[0].text, ".version", ".version 7.8");
  change(single[1].text, ".version", ".version 10.1");
  auto merged = mergeArtifacts(pointers(single), spec, options);
  ASSERT_TRUE(bool(merged)) << llvm::toString(merged.takeError());
  EXPECT_EQ(StringRef(merged->text).count(".version"), 1u);
  EXPECT_TRUE(StringRef(merged->text).contains(".version 10.1\n"));

  change(single[2].text, ".target", ".target sm_80");
  merged = mergeArtifacts(pointers(single), spec, options);
  ASSERT_FALSE(bool(merged));
  EXPECT_EQ(llvm::toString(merged.takeError()),
            "kernel 'turn2' has another PTX target than 'wide'");
}

TEST(Merge, RefusesWhatDoesNotFit) {
  TargetSpec spec = target("gfx942");
  std::vector<Artifact> single = threeKernels(spec, withTools());
  ASSERT_EQ(single.size(), 3u);
  auto errorOf = [&](std::vector<const Artifact *> list,
                     const TargetSpec &target) {
    auto merged = mergeArtifacts(list, target, withTools());
    return merged ? std::string("no error")
                  : llvm::toString(merged.takeError());
  };
  EXPECT_EQ(errorOf({}, spec), "no artifacts to merge");
  EXPECT_EQ(errorOf({&single[0], &single[0]}, spec),
            "two kernels named 'wide'");
  EXPECT_EQ(errorOf({&single[0]}, target("gfx90a")),
            "kernel 'wide' is for gfx942, expected gfx90a");
  Artifact changed = single[1];
  changed.usage.registers += 8;
  EXPECT_TRUE(StringRef(errorOf({&single[0], &changed}, spec))
                  .starts_with("kernel 'turn' changed by merging: had "));
  Artifact bare = single[1];
  bare.object.clear();
  EXPECT_EQ(errorOf({&single[0], &bare}, spec),
            "kernel 'turn' comes without an object");
}

TEST(Message, ArtifactsSurviveTheirBytes) {
  Artifact artifact;
  artifact.symbol = "k";
  artifact.arch = "sm_80";
  artifact.image = std::string("\0\1\xff", 3);
  artifact.text = "text";
  artifact.bitcode = "BC";
  artifact.object = std::string("o\0", 2);
  artifact.usage.registers = 17;
  artifact.usage.barriers = 3;
  artifact.times.llvmMs = 1.5;
  artifact.warnings = {"a", "b"};
  std::string bytes = encodeMessage(artifactToMessage(artifact));
  auto message = decodeMessage(bytes);
  ASSERT_TRUE(bool(message)) << llvm::toString(message.takeError());
  auto back = artifactFromMessage(*message);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->image, artifact.image);
  EXPECT_EQ(back->text, "text");
  EXPECT_EQ(back->bitcode, "BC");
  EXPECT_EQ(back->object, artifact.object);
  EXPECT_EQ(back->usage.registers, 17);
  EXPECT_EQ(back->usage.barriers, 3);
  EXPECT_EQ(back->times.llvmMs, 1.5);
  EXPECT_EQ(back->warnings, artifact.warnings);
  EXPECT_EQ(encodeMessage(artifactToMessage(*back)), bytes);
}

TEST(Message, DamagedFramesAreErrors) {
  lathe::Message message;
  message.header["key"] = "value";
  message.blobs = {"abc", ""};
  const std::string good = encodeMessage(message);
  for (size_t length = 0; length < good.size(); ++length) {
    auto cut = decodeMessage(StringRef(good).take_front(length));
    EXPECT_FALSE(bool(cut)) << length;
    llvm::consumeError(cut.takeError());
  }
  // Any one byte: an error or a message, never a crash.
  for (size_t at = 0; at < good.size(); ++at)
    for (int value : {0, 1, 0x7f, 0xff}) {
      std::string bad = good;
      bad[at] = char(value);
      auto decoded = decodeMessage(bad);
      if (!decoded)
        llvm::consumeError(decoded.takeError());
    }
}

} // namespace
