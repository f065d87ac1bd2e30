//===- SimulateModule.cpp - Kernels as lathe simulate takes them ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulateModule.h"

#include "lathe/Codegen/Compile.h"
#include "lathe/Plan/KernelName.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSummaryIndex.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lathe::tool {

/// The architecture in a kernel's name, or nothing.
static std::string archOf(StringRef symbol) {
  Expected<Candidate> candidate = parseKernelName(kernelNameOfSymbol(symbol));
  if (candidate)
    return candidate->arch;
  consumeError(candidate.takeError());
  return "";
}

static Expected<TargetSpec> targetFor(StringRef arch, StringRef path) {
  if (arch.empty())
    return createStringError(path + ": no kernel name says the architecture, "
                                    "expected --arch");
  return lookupTarget(arch);
}

/// Text is not upgraded: LLVM would end the process if it is broken.
static Expected<std::unique_ptr<Module>> parseLlvm(StringRef path,
                                                   LLVMContext &context) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createFileError(path, buffer.getError());
  auto *bytes =
      reinterpret_cast<const unsigned char *>((*buffer)->getBufferStart());
  if (isBitcode(bytes, bytes + (*buffer)->getBufferSize())) {
    auto module = parseBitcodeFile((*buffer)->getMemBufferRef(), context);
    if (!module)
      return createFileError(path, module.takeError());
    return module;
  }
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyFileWithIndexNoUpgradeDebugInfo(
          path, diagnostic, context, nullptr,
          [](StringRef, StringRef) { return std::nullopt; })
          .Mod;
  std::string text;
  raw_string_ostream stream(text);
  if (module && verifyModule(*module, &stream))
    return createStringError("invalid LLVM module: " + StringRef(text).rtrim());
  if (module)
    return module;
  diagnostic.print(nullptr, stream, /*ShowColors=*/false);
  return createStringError(StringRef(text).rtrim());
}

static Expected<KernelModule> readLlvm(StringRef path, StringRef arch,
                                       bool optimize) {
  LLVMContext context;
  auto parsed = parseLlvm(path, context);
  if (!parsed)
    return parsed.takeError();
  std::unique_ptr<Module> module = std::move(*parsed);
  std::string named = arch.str();
  for (Function &function : *module) {
    if (named.empty())
      named = function.getFnAttribute("target-cpu").getValueAsString().str();
    if (named.empty())
      named = archOf(function.getName());
  }
  for (Function &function : *module)
    if (!named.empty() && !function.isDeclaration() &&
        !function.hasFnAttribute("target-cpu"))
      function.addFnAttr("target-cpu", named);
  KernelModule out;
  out.bitcode = writeBitcode(*module);
  if (!optimize)
    return out;
  Expected<TargetSpec> target = targetFor(named, path);
  if (!target)
    return target.takeError();
  auto optimized = optimizeBitcode(out.bitcode, *target);
  if (!optimized)
    return optimized.takeError();
  return KernelModule{std::move(optimized->bitcode), optimized->symbol, {}, 0};
}

/// The first kernel name in the text of a module.
static std::string archInText(StringRef text) {
  while (!text.empty()) {
    text = text.drop_until([](char c) { return c == '@'; })
               .drop_front(text.contains('@'));
    StringRef name = text.take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
    std::string arch = archOf(name);
    if (!arch.empty())
      return arch;
  }
  return "";
}

static Expected<KernelModule> readMlir(StringRef path, StringRef arch) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return createFileError(path, buffer.getError());
  StringRef text = (*buffer)->getBuffer();
  Expected<TargetSpec> target =
      targetFor(arch.empty() ? archInText(text) : arch.str(), path);
  if (!target)
    return target.takeError();
  auto module = lowerToBitcode(text, path, *target);
  if (!module)
    return module.takeError();
  return KernelModule{std::move(module->bitcode), module->symbol,
                      std::move(module->maps), module->sharedBytes};
}

static Expected<KernelModule> readCuda(StringRef path, StringRef arch) {
  Expected<TargetSpec> target = targetFor(arch, path);
  if (!target)
    return target.takeError();
  auto module = compileCuda(path, *target, findToolkit());
  if (!module)
    return module.takeError();
  return KernelModule{std::move(module->bitcode), module->symbol, {}, 0};
}

Expected<KernelModule> readKernelModule(StringRef path, StringRef arch,
                                        bool optimize) {
  StringRef extension = sys::path::extension(path);
  if (extension == ".mlir")
    return readMlir(path, arch);
  if (extension == ".cu")
    return readCuda(path, arch);
  if (extension == ".ptx" || extension == ".cubin")
    return createStringError(
        path + ": UNSUPPORTED: there is no LLVM module of this kernel, so it "
               "cannot be simulated; it has to pass on a device, under "
               "compute-sanitizer");
  return readLlvm(path, arch, optimize);
}

} // namespace lathe::tool
