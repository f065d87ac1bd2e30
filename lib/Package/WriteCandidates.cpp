//===- WriteCandidates.cpp - Candidate files ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Members.h"

#include "lathe/Codegen/Message.h"
#include "lathe/Package/Package.h"
#include "lathe/Package/PlanCandidates.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;
using namespace llvm::object;
using llvm::Expected;
using llvm::StringRef;

static std::string textMember(StringRef role, std::string text) {
  Member member;
  member.role = role;
  std::string triple = ("lathe-" + role).str();
  member.triple = triple;
  member.arch = "any";
  member.image = std::move(text);
  return writeMember(member);
}

/// Without what other members hold: the cubin and the module.
static std::string packArtifacts(const CandidateContents &contents) {
  Message message;
  llvm::json::Array names;
  for (const auto &[name, artifact] : contents.artifacts) {
    Artifact slim = artifact;
    slim.image.clear();
    slim.bitcode.clear();
    names.push_back(name);
    message.blobs.push_back(encodeMessage(artifactToMessage(slim)));
  }
  message.header["kernels"] = std::move(names);
  return encodeMessage(message);
}

Expected<std::string>
lathe::serializeCandidates(const CandidateContents &contents) {
  const measure::Candidates &plan = *contents.plan;
  std::string json = measure::writePlan(plan);
  try {
    measure::readPlan(json);
  } catch (const std::exception &error) {
    return llvm::createStringError(llvm::Twine("error: no candidate file: ") +
                                   error.what());
  }
  std::vector<std::string> members{textMember("candidates", std::move(json))};
  for (const measure::Image &image : plan.images) {
    Member member;
    member.role = "image";
    member.triple = "nvptx64-nvidia-cuda";
    member.arch = plan.target.arch;
    member.kind = image.isPtx ? IMG_PTX : IMG_Cubin;
    member.producer = OFK_Cuda;
    member.image = image.bytes;
    members.push_back(writeMember(member));
  }
  for (const auto &[name, artifact] : contents.artifacts) {
    if (artifact.bitcode.empty())
      continue;
    Member member;
    member.role = "module";
    member.triple = "lathe-module";
    member.arch = artifact.arch;
    member.symbol = name;
    member.kind = IMG_Bitcode;
    member.image = artifact.bitcode;
    members.push_back(writeMember(member));
  }
  members.push_back(textMember("problem", contents.problem));
  members.push_back(textMember("artifacts", packArtifacts(contents)));
  return joinMembers(members);
}

llvm::Error lathe::writeCandidates(const CandidateContents &contents,
                                   StringRef path) {
  auto bytes = serializeCandidates(contents);
  if (!bytes)
    return bytes.takeError();
  return writeFileAtomically(path, *bytes);
}

bool lathe::isCandidateFile(StringRef bytes) {
  llvm::SmallVector<OffloadFile> members;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes);
  if (auto error = extractOffloadBinaries(buffer->getMemBufferRef(), members))
    llvm::consumeError(std::move(error));
  return llvm::any_of(members, [](const OffloadFile &file) {
    return file.getBinary()->getString("lathe.member") == "candidates";
  });
}

Expected<std::map<std::string, Artifact>>
lathe::candidateArtifacts(const measure::CandidateFile &file) {
  std::map<std::string, Artifact> artifacts;
  auto packed = decodeMessage(file.member("artifacts"));
  if (!packed)
    return packed.takeError();
  const llvm::json::Array *names = packed->header.getArray("kernels");
  if (!names || names->size() != packed->blobs.size())
    return llvm::createStringError(
        "the artifacts of the candidate file have no names");
  for (auto [name, blob] : llvm::zip_equal(*names, packed->blobs)) {
    auto message = decodeMessage(blob);
    if (!message)
      return message.takeError();
    auto artifact = artifactFromMessage(*message);
    if (!artifact)
      return artifact.takeError();
    std::string key = name.getAsString().value_or("").str();
    artifact->bitcode = file.member("module", key);
    artifacts[key] = std::move(*artifact);
  }
  const measure::Candidates &plan = file.plan();
  for (const measure::KernelPlan &kernel : plan.kernels) {
    auto found = artifacts.find(kernel.name);
    if (found == artifacts.end() || !kernel.refused.empty() ||
        plan.images[kernel.image].isPtx)
      continue;
    found->second.image = plan.images[kernel.image].bytes;
  }
  return artifacts;
}
