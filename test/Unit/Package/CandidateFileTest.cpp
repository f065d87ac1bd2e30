//===- CandidateFileTest.cpp - Candidate files ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToyCandidates.h"
#include "lathe/Package/PlanCandidates.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace lathe;
using testing::HasSubstr;

namespace {
class CandidateFileTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> folder;
    ASSERT_FALSE(
        llvm::sys::fs::createUniqueDirectory("lathe-candidates", folder));
    directory = folder.str().str();
    plan = test::toyCandidates();
    contents.plan = &plan;
    contents.problem = "module {}";
    Artifact artifact;
    artifact.symbol = plan.kernels[0].symbol;
    artifact.arch = "sm_90a";
    artifact.image = "code";
    artifact.text = "// ptx";
    artifact.bitcode = "BC";
    artifact.usage.registers = 32;
    contents.artifacts[plan.kernels[0].name] = artifact;
    bytes = llvm::cantFail(serializeCandidates(contents));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  std::string write(const std::string &text) {
    std::string path = directory + "/toy.cand";
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << text;
    return path;
  }
  std::string messageOf(const std::string &text) {
    try {
      measure::CandidateFile::open(write(text));
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "";
  }

  std::string directory, bytes;
  measure::Candidates plan;
  CandidateContents contents;
};
} // namespace

TEST_F(CandidateFileTest, GivesBackWhatWasWritten) {
  auto file = measure::CandidateFile::open(write(bytes));
  EXPECT_EQ(measure::writePlan(file.plan()), measure::writePlan(plan));
  EXPECT_EQ(file.plan().images[0].bytes, "code");
  EXPECT_EQ(file.plan().images[1].bytes, std::string_view("ptx\0", 4));
  EXPECT_EQ(file.hash(), sha256Hex(bytes));
  EXPECT_EQ(file.member("problem"), "module {}");
  EXPECT_EQ(file.member("module", plan.kernels[0].name), "BC");
  EXPECT_EQ(file.member("module", "other"), "");
  auto artifacts = llvm::cantFail(candidateArtifacts(file));
  ASSERT_EQ(artifacts.size(), 1u);
  const Artifact &artifact = artifacts.begin()->second;
  EXPECT_EQ(artifact.image, "code");
  EXPECT_EQ(artifact.text, "// ptx");
  EXPECT_EQ(artifact.bitcode, "BC");
  EXPECT_EQ(artifact.usage.registers, 32);
}

TEST_F(CandidateFileTest, IsTheSameForTheSameContents) {
  EXPECT_EQ(llvm::cantFail(serializeCandidates(contents)), bytes);
}

TEST_F(CandidateFileTest, MovesWithItsBytes) {
  auto file = std::make_unique<measure::CandidateFile>(
      measure::CandidateFile::open(write(bytes)));
  measure::CandidateFile moved = std::move(*file);
  file.reset();
  EXPECT_EQ(moved.plan().images[0].bytes, "code");
}

TEST_F(CandidateFileTest, RefusesDamage) {
  EXPECT_THAT(messageOf(""), HasSubstr("toy.cand: the file has only 0 bytes"));
  EXPECT_THAT(messageOf("hello, this is no offload binary at all......"),
              HasSubstr("no offload binary"));
  for (size_t length = 0; length < bytes.size(); length += 61)
    EXPECT_NE(messageOf(bytes.substr(0, length)), "") << length;
  for (size_t at = 0; at < bytes.size(); at += 13) {
    std::string other = bytes;
    other[at] = char(other[at] ^ 0x10);
    EXPECT_NE(messageOf(other), "") << at;
  }
  EXPECT_NE(messageOf(bytes + "x"), "");
  EXPECT_THROW(measure::CandidateFile::open(directory + "/none"),
               std::runtime_error);
}

TEST_F(CandidateFileTest, IsNotWrittenFromAPlanThatNobodyMayRead) {
  plan.kernels[0].block[0] = 0;
  auto refused = serializeCandidates(contents);
  ASSERT_FALSE(static_cast<bool>(refused));
  EXPECT_THAT(llvm::toString(refused.takeError()),
              HasSubstr("plan.kernels[0].block: found 0 threads"));
}

TEST_F(CandidateFileTest, NeedsEveryImage) {
  plan.images[0].bytes = "other";
  EXPECT_THAT(messageOf(llvm::cantFail(serializeCandidates(contents))),
              HasSubstr("no image has the hash " + plan.images[0].sha256));
}
