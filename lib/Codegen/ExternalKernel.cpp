//===- ExternalKernel.cpp - Kernels that people bring ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/ExternalKernel.h"

#include "Backend.h"
#include "CountInstructions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Bitcode/BitcodeReader.h"

using namespace llvm;

namespace lathe {

StringRef externalFormName(ExternalForm form) {
  return form == ExternalForm::Cuda ? "cuda" : "ptx";
}

/// The PTX version that LLVM writes for the target: "+ptx86" is 8.6.
static std::pair<unsigned, unsigned> versionOf(const TargetSpec &target) {
  StringRef digits = StringRef(target.features).split("+ptx").second;
  unsigned number = 0;
  digits.consumeInteger(10, number);
  return {number / 10, number % 10};
}

/// Text of an older version becomes one of the target's, so that it can say the
/// target as every other kernel of an image does.
static std::string raiseVersion(StringRef ptx, const TargetSpec &target) {
  auto wanted = versionOf(target);
  std::string out;
  bool found = false;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    StringRef text = line.ltrim();
    unsigned major = 0, minor = 0;
    if (!found && text.consume_front(".version") &&
        !(text = text.ltrim()).consumeInteger(10, major) &&
        text.consume_front(".") && !text.consumeInteger(10, minor)) {
      found = true;
      if (std::make_pair(major, minor) < wanted) {
        out += (".version " + Twine(wanted.first) + "." + Twine(wanted.second) +
                text + "\n")
                   .str();
        ptx = rest;
        continue;
      }
    }
    out += line;
    out += '\n';
    ptx = rest;
  }
  return out;
}

/// The kernel gets its name in the image, everything else one that no other
/// kernel's module has.
static std::string renameAll(StringRef ptx, const PtxModule &module,
                             const std::string &symbol,
                             const TargetSpec &target) {
  std::map<std::string, std::string> names;
  for (const std::string &name : module.symbols)
    names[name] = symbol + "$" + name;
  names[module.entries.front().name] = symbol;
  names[module.target] = target.arch;
  return raiseVersion(renamePtx(ptx, names), target);
}

/// The module of clang's front end, for the simulator.
static Expected<std::string> moduleOf(const ExternalRequest &request,
                                      const TargetSpec &target,
                                      const Toolkit &toolkit) {
  auto module = compileCuda(request.path, target, toolkit);
  if (!module)
    return module.takeError();
  LLVMContext context;
  auto parsed =
      parseBitcodeFile(MemoryBufferRef(module->bitcode, "kernel"), context);
  if (!parsed)
    return parsed.takeError();
  (*parsed)->getFunction(module->symbol)->setName(request.symbol);
  (*parsed)->setSourceFileName("lathe");
  return writeBitcode(**parsed);
}

Expected<ExternalKernel> buildExternal(const ExternalRequest &request,
                                       const Toolkit &toolkit) {
  Expected<TargetSpec> target = lookupTarget(request.arch);
  if (!target)
    return target.takeError();
  ExternalKernel out;
  std::string ptx = request.text;
  if (request.form == ExternalForm::Cuda) {
    Expected<CudaPtx> compiled = compileCudaToPtx(
        request.path, request.text, *target, toolkit, request.useNvcc);
    if (!compiled)
      return compiled.takeError();
    ptx = std::move(compiled->ptx);
    out.compiler = std::move(compiled->compiler);
  } else if (!target->isNVIDIA()) {
    return createStringError("PTX is for NVIDIA, not for " + target->arch);
  }
  Expected<PtxModule> module = inspectPtx(ptx);
  if (!module)
    return module.takeError();
  if (Error error = checkPtx(*module, request.expected))
    return std::move(error);
  out.stateBytes = module->stateBytes;

  Artifact &artifact = out.artifact;
  artifact.symbol = request.symbol;
  artifact.arch = target->arch;
  artifact.text = renameAll(ptx, *module, request.symbol, *target);
  if (toolkit.ptxas.empty()) {
    artifact.warnings.push_back(noAssemblerWarning(toolkit));
  } else {
    Expected<AssembledImage> assembled =
        assemblePtx(artifact.text, *target, toolkit);
    if (!assembled)
      return assembled.takeError();
    artifact.image = std::move(assembled->image);
    artifact.usage = assembled->kernels[artifact.symbol];
    artifact.warnings = std::move(assembled->warnings);
  }
  artifact.usage.maxThreads = module->entries.front().maxThreads;
  if (Error error = countInstructions(artifact, *target))
    return std::move(error);

  if (request.form == ExternalForm::Ptx) {
    out.noModule = "there is no LLVM module of PTX";
  } else if (auto bitcode = moduleOf(request, *target, toolkit)) {
    artifact.bitcode = std::move(*bitcode);
  } else {
    out.noModule = "clang cannot compile it: " + toString(bitcode.takeError());
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace json = llvm::json;

Message externalMessage(const ExternalRequest &request) {
  json::Array parameters;
  for (const KernelParameter &parameter : request.expected.parameters)
    parameters.push_back(json::Object{{"name", parameter.name},
                                      {"bytes", int64_t(parameter.bytes)}});
  Message message;
  message.header = json::Object{{"job", "external"},
                                {"form", externalFormName(request.form)},
                                {"path", request.path},
                                {"arch", request.arch},
                                {"symbol", request.symbol},
                                {"kernel", request.expected.kernel},
                                {"parameters", std::move(parameters)},
                                {"threads", request.expected.threads},
                                {"nvcc", request.useNvcc}};
  message.blobs.push_back(request.text);
  return message;
}

Message answerExternalMessage(const Message &message, const Toolkit &toolkit) {
  const json::Object &header = message.header;
  auto text = [&](StringRef key) {
    return header.getString(key).value_or("").str();
  };
  ExternalRequest request;
  request.form = text("form") == "ptx" ? ExternalForm::Ptx : ExternalForm::Cuda;
  request.path = text("path");
  request.text = message.blobs.empty() ? "" : message.blobs.front();
  request.arch = text("arch");
  request.symbol = text("symbol");
  request.expected.kernel = text("kernel");
  request.expected.threads = header.getInteger("threads").value_or(0);
  request.useNvcc = header.getBoolean("nvcc").value_or(false);
  if (const json::Array *parameters = header.getArray("parameters"))
    for (const json::Value &value : *parameters)
      if (const json::Object *object = value.getAsObject())
        request.expected.parameters.push_back(
            {object->getString("name").value_or("").str(),
             uint64_t(object->getInteger("bytes").value_or(0))});
  Expected<ExternalKernel> kernel = buildExternal(request, toolkit);
  Message answer;
  if (!kernel) {
    answer.header = json::Object{{"error", toString(kernel.takeError())}};
    return answer;
  }
  answer.header = json::Object{{"compiler", kernel->compiler},
                               {"noModule", kernel->noModule},
                               {"stateBytes", int64_t(kernel->stateBytes)}};
  answer.blobs.push_back(encodeMessage(artifactToMessage(kernel->artifact)));
  return answer;
}

Expected<ExternalKernel> externalAnswer(const Message &message) {
  if (auto error = message.header.getString("error"))
    return createStringError(*error);
  if (message.blobs.size() != 1)
    return createStringError("an answer of " + Twine(message.blobs.size()) +
                             " parts, expected one");
  Expected<Message> inner = decodeMessage(message.blobs.front());
  if (!inner)
    return inner.takeError();
  Expected<Artifact> artifact = artifactFromMessage(*inner);
  if (!artifact)
    return artifact.takeError();
  ExternalKernel kernel;
  kernel.artifact = std::move(*artifact);
  kernel.compiler = message.header.getString("compiler").value_or("").str();
  kernel.noModule = message.header.getString("noModule").value_or("").str();
  kernel.stateBytes =
      uint64_t(message.header.getInteger("stateBytes").value_or(0));
  return kernel;
}

} // namespace lathe
