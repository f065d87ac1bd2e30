//===- Merge.cpp - Many kernels in one image ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lathe {

static Error checkInputs(ArrayRef<const Artifact *> artifacts,
                         const TargetSpec &target) {
  if (artifacts.empty())
    return createStringError("no artifacts to merge");
  StringSet<> symbols;
  for (const Artifact *artifact : artifacts) {
    if (artifact->arch != target.arch)
      return createStringError("kernel '" + artifact->symbol + "' is for " +
                               artifact->arch + ", expected " + target.arch);
    if (!symbols.insert(artifact->symbol).second)
      return createStringError("two kernels named '" + artifact->symbol + "'");
  }
  return Error::success();
}

namespace {
/// Lines before the first declaration: comments and the three directives.
struct PtxParts {
  std::pair<unsigned, unsigned> version; ///< 9.0 is {9, 0}
  std::string target;                    ///< ".target" and ".address_size"
  StringRef body;
};
} // namespace

static PtxParts splitPtx(StringRef ptx) {
  PtxParts parts;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    StringRef text = line.trim();
    if (text.consume_front(".version")) {
      auto [major, minor] = text.trim().split('.');
      if (major.getAsInteger(10, parts.version.first) ||
          minor.getAsInteger(10, parts.version.second))
        parts.version = {};
    } else if (text.starts_with(".target") ||
               text.starts_with(".address_size")) {
      parts.target += (text + "\n").str();
    } else if (!text.empty() && !text.starts_with("//")) {
      break;
    }
    ptx = rest;
  }
  parts.body = ptx.rtrim();
  return parts;
}

// Globals carry their kernel's name (see `compileModule`), so nothing clashes.
// Text of an older PTX version is text of a newer one.
static Expected<std::string> joinPtx(ArrayRef<const Artifact *> artifacts) {
  std::pair<unsigned, unsigned> version;
  std::string target, body;
  for (const Artifact *artifact : artifacts) {
    PtxParts parts = splitPtx(artifact->text);
    if (!parts.version.first || parts.body.empty())
      return createStringError("kernel '" + artifact->symbol +
                               "' comes without PTX");
    if (!target.empty() && target != parts.target)
      return createStringError("kernel '" + artifact->symbol +
                               "' has another PTX target than '" +
                               artifacts.front()->symbol + "'");
    version = std::max(version, parts.version);
    target = std::move(parts.target);
    body += "\n";
    body += parts.body;
    body += "\n";
  }
  return (".version " + Twine(version.first) + "." + Twine(version.second) +
          "\n" + target + body)
      .str();
}

// Generating code again, for all kernels at once, may give other code than was
// measured; linking the objects cannot.
static Expected<AssembledImage>
linkObjects(ArrayRef<const Artifact *> artifacts, const Toolkit &toolkit) {
  for (const Artifact *artifact : artifacts)
    if (artifact->object.empty())
      return createStringError("kernel '" + artifact->symbol +
                               "' comes without an object");
  Expected<std::vector<std::string>> objects = joinMetadata(artifacts);
  if (!objects)
    return objects.takeError();
  Expected<AssembledImage> linked = linkCodeObject(*objects, toolkit);
  if (!linked)
    return linked.takeError();
  for (const Artifact *artifact : artifacts)
    if (Error error = checkSameCode(*artifact, linked->image))
      return createStringError(
          "kernel '" + artifact->symbol +
          "' changed by merging: " + toString(std::move(error)));
  return linked;
}

static std::string print(const ResourceUsage &usage) {
  std::string text;
  raw_string_ostream(text) << usage.registers << " registers, "
                           << usage.scalarRegisters << " scalar, "
                           << usage.accumulatorRegisters << " accumulator, "
                           << usage.spillBytes << " spill, " << usage.stackBytes
                           << " stack, " << usage.sharedBytes << " shared, "
                           << usage.barriers << " barriers";
  return text;
}

// `maxThreads` is an input of the compilation, numbers of instructions belong
// to the code that `checkSameCode` compares: both are taken over.
static Error checkUsage(ArrayRef<const Artifact *> artifacts,
                        std::map<std::string, ResourceUsage> &kernels) {
  for (const Artifact *artifact : artifacts) {
    auto found = kernels.find(artifact->symbol);
    if (found == kernels.end())
      return createStringError("kernel '" + artifact->symbol +
                               "' is missing in the merged image");
    ResourceUsage own = artifact->usage;
    // Beside dynamic shared memory of another kernel, which is aligned for
    // swizzles, ptxas rounds static shared memory of all up.
    constexpr int64_t swizzleAlignment = 1024;
    if (own.sharedBytes > 0 &&
        found->second.sharedBytes ==
            static_cast<int64_t>(alignTo(own.sharedBytes, swizzleAlignment)))
      own.sharedBytes = found->second.sharedBytes;
    std::string alone = print(own), merged = print(found->second);
    if (alone != merged)
      return createStringError("kernel '" + artifact->symbol +
                               "' changed by merging: had " + alone + "; has " +
                               merged);
    for (auto field :
         {&ResourceUsage::maxThreads, &ResourceUsage::matrixInstructions,
          &ResourceUsage::loopInstructions,
          &ResourceUsage::loopMatrixInstructions})
      found->second.*field = artifact->usage.*field;
  }
  if (kernels.size() != artifacts.size())
    return createStringError("the merged image has " + Twine(kernels.size()) +
                             " kernels, expected " + Twine(artifacts.size()));
  return Error::success();
}

Expected<MergedImage> mergeArtifacts(ArrayRef<const Artifact *> artifacts,
                                     const TargetSpec &target,
                                     const CodegenOptions &options) {
  if (Error error = checkInputs(artifacts, target))
    return std::move(error);
  MergedImage result;
  if (target.isNVIDIA()) {
    Expected<std::string> ptx = joinPtx(artifacts);
    if (!ptx)
      return ptx.takeError();
    result.text = std::move(*ptx);
    if (options.toolkit.ptxas.empty()) {
      for (const Artifact *artifact : artifacts)
        result.kernels[artifact->symbol] = artifact->usage;
      result.warnings.push_back(noAssemblerWarning(options.toolkit));
      return result;
    }
  }
  Expected<AssembledImage> assembled = [&]() -> Expected<AssembledImage> {
    Stopwatch watch(result.times.assembleMs);
    if (target.isAMD())
      return linkObjects(artifacts, options.toolkit);
    return assemblePtx(result.text, target, options.toolkit);
  }();
  if (!assembled)
    return assembled.takeError();
  if (Error error = checkUsage(artifacts, assembled->kernels))
    return std::move(error);
  result.image = std::move(assembled->image);
  result.kernels = std::move(assembled->kernels);
  result.warnings = std::move(assembled->warnings);
  return result;
}

} // namespace lathe
