//===- CompilePlain.cpp - References for GPUs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "NarrowFloats.h"
#include "Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace lathe {

/// What the device has of itself.
constexpr StringRef heapFunctions[] = {"malloc", "free"};

/// Functions of libm that are exact, so that an instruction is the same.
static Intrinsic::ID exactIntrinsic(StringRef name) {
  name.consume_back("f");
  return StringSwitch<Intrinsic::ID>(name)
      .Case("sqrt", Intrinsic::sqrt)
      .Case("fabs", Intrinsic::fabs)
      .Case("floor", Intrinsic::floor)
      .Case("ceil", Intrinsic::ceil)
      .Case("trunc", Intrinsic::trunc)
      .Case("rint", Intrinsic::rint)
      .Case("fma", Intrinsic::fma)
      .Case("copysign", Intrinsic::copysign)
      .Default(Intrinsic::not_intrinsic);
}

static Error linkDeviceMath(Module &module, const std::string &libdevice,
                            const TargetMachine &machine) {
  std::vector<Function *> wanted;
  for (Function &function : module) {
    if (!function.isDeclaration() || function.isIntrinsic() ||
        is_contained(heapFunctions, function.getName()))
      continue;
    if (Intrinsic::ID id = exactIntrinsic(function.getName())) {
      function.replaceAllUsesWith(Intrinsic::getOrInsertDeclaration(
          &module, id, function.getReturnType()));
      continue;
    }
    if (!function.use_empty())
      wanted.push_back(&function);
  }
  if (wanted.empty())
    return Error::success();
  if (libdevice.empty())
    return createStringError("no libdevice beside ptxas for '" +
                             wanted.front()->getName() + "'");
  Expected<std::string> bytes = readFile(libdevice);
  if (!bytes)
    return bytes.takeError();
  auto library = parseBitcodeFile(MemoryBufferRef(*bytes, "libdevice"),
                                  module.getContext());
  if (!library)
    return createStringError(libdevice + ": " + toString(library.takeError()));
  for (Function *function : wanted) {
    std::string name = ("__nv_" + function->getName()).str();
    Function *known = (*library)->getFunction(name);
    if (!known || known->getFunctionType() != function->getFunctionType())
      return createStringError("no function '" + function->getName() +
                               "' on the device");
    function->setName(name);
  }
  (*library)->setTargetTriple(machine.getTargetTriple());
  (*library)->setDataLayout(machine.createDataLayout());
  if (Linker::linkModules(module, std::move(*library),
                          Linker::Flags::LinkOnlyNeeded))
    return createStringError(libdevice + ": cannot be linked");
  return Error::success();
}

Expected<Artifact> compilePlain(StringRef bitcode, const TargetSpec &target,
                                const Toolkit &toolkit) {
  if (!target.isNVIDIA())
    return createStringError("no math functions for " + target.arch);
  Artifact artifact;
  artifact.arch = target.arch;
  LLVMContext context;
  DiagnosticLog log(context);
  auto module = parseBitcodeFile(MemoryBufferRef(bitcode, "plain"), context);
  if (!module)
    return module.takeError();
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  (*module)->setTargetTriple((*machine)->getTargetTriple());
  (*module)->setDataLayout((*machine)->createDataLayout());
  defineNarrowFloats(**module);
  if (Error error = linkDeviceMath(**module, toolkit.libdevice, **machine))
    return std::move(error);
  auto kernels = optimizeModule(**module, **machine, log, heapFunctions);
  if (!kernels)
    return kernels.takeError();
  artifact.symbol = kernels->front();
  artifact.bitcode = writeBitcode(**module);
  auto ptx =
      emitModule(**module, **machine, CodeGenFileType::AssemblyFile, log);
  if (!ptx)
    return ptx.takeError();
  artifact.text = std::move(*ptx);
  if (toolkit.ptxas.empty()) {
    artifact.warnings.push_back(noAssemblerWarning(toolkit));
    return artifact;
  }
  auto assembled = assemblePtx(artifact.text, target, toolkit);
  if (!assembled)
    return assembled.takeError();
  artifact.image = std::move(assembled->image);
  artifact.usage = assembled->kernels[artifact.symbol];
  return artifact;
}

} // namespace lathe
