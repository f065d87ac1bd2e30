//===- Compile.cpp - One kernel from LLVM dialect to an image -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/Compile.h"

#include "Backend.h"
#include "CheckNarrowStores.h"
#include "CountInstructions.h"
#include "LaunchNeeds.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace lathe {

void registerCodegenTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::registerROCDLDialectTranslation(registry);
}

static Expected<mlir::Operation *> findGpuModule(mlir::Operation *op) {
  auto outer = dyn_cast<mlir::ModuleOp>(op);
  if (!outer)
    return op;
  SmallVector<mlir::Operation *> found;
  for (auto inner : outer.getOps<mlir::gpu::GPUModuleOp>())
    found.push_back(inner);
  if (found.size() > 1)
    return createStringError("found " + Twine(found.size()) +
                             " gpu modules, expected one");
  return found.empty() ? op : found.front();
}

static Expected<std::unique_ptr<Module>> translate(mlir::Operation *op,
                                                   LLVMContext &context) {
  Expected<mlir::Operation *> gpuModule = findGpuModule(op);
  if (!gpuModule)
    return gpuModule.takeError();
  std::string text;
  mlir::ScopedDiagnosticHandler handler(
      op->getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          text += (text.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  std::unique_ptr<Module> module =
      mlir::translateModuleToLLVMIR(*gpuModule, context, "lathe");
  if (!module)
    return createStringError("translation to LLVM IR failed: " + text);
  // Part of the bitcode, and so of what is cached: nothing of the input's.
  module->setSourceFileName("lathe");
  return module;
}

// NVIDIA only; the AMD figure is read from the metadata.
static int64_t maxThreads(const Module &module, StringRef kernel) {
  StringRef text = module.getFunction(kernel)
                       ->getFnAttribute("nvvm.maxntid")
                       .getValueAsString();
  if (text.empty())
    return 0;
  int64_t product = 1;
  while (!text.empty()) {
    auto [first, rest] = text.split(',');
    int64_t extent;
    if (first.trim().getAsInteger(10, extent) || extent <= 0 ||
        extent > 1 << 20)
      return 0;
    product *= extent;
    text = rest;
  }
  return product;
}

static Error compileNvidia(Module &module, TargetMachine &machine,
                           const TargetSpec &target,
                           const CodegenOptions &options, DiagnosticLog &log,
                           Artifact &artifact) {
  const int64_t threads = maxThreads(module, artifact.symbol);
  {
    Stopwatch watch(artifact.times.llvmMs);
    Expected<std::string> ptx =
        emitModule(module, machine, CodeGenFileType::AssemblyFile, log);
    if (!ptx)
      return ptx.takeError();
    if (Error error = checkNarrowStores(*ptx))
      return error;
    artifact.text = std::move(*ptx);
  }
  artifact.usage.maxThreads = threads;
  if (options.toolkit.ptxas.empty()) {
    artifact.warnings.push_back(noAssemblerWarning(options.toolkit));
    return Error::success();
  }
  Stopwatch watch(artifact.times.assembleMs);
  Expected<AssembledImage> assembled =
      assemblePtx(artifact.text, target, options.toolkit);
  if (!assembled)
    return assembled.takeError();
  artifact.image = std::move(assembled->image);
  artifact.usage = assembled->kernels[artifact.symbol];
  artifact.usage.maxThreads = threads;
  append_range(artifact.warnings, assembled->warnings);
  return Error::success();
}

static Error compileAmd(Module &module, TargetMachine &machine,
                        const CodegenOptions &options, DiagnosticLog &log,
                        Artifact &artifact) {
  Stopwatch watch(artifact.times.llvmMs);
  if (options.keepText) {
    std::unique_ptr<Module> copy = CloneModule(module);
    Expected<std::string> text =
        emitModule(*copy, machine, CodeGenFileType::AssemblyFile, log);
    if (!text)
      return text.takeError();
    artifact.text = std::move(*text);
  }
  Expected<std::string> object =
      emitModule(module, machine, CodeGenFileType::ObjectFile, log);
  if (!object)
    return object.takeError();
  watch.stop();
  Stopwatch linkWatch(artifact.times.assembleMs);
  artifact.object = std::move(*object);
  Expected<AssembledImage> linked =
      linkCodeObject(artifact.object, options.toolkit);
  if (!linked)
    return linked.takeError();
  artifact.image = std::move(linked->image);
  artifact.usage = linked->kernels[artifact.symbol];
  return Error::success();
}

/// Returns the kernel's name.
static Expected<std::string> optimize(Module &module, TargetMachine &machine,
                                      DiagnosticLog &log) {
  auto kernels = optimizeModule(module, machine, log);
  if (!kernels)
    return kernels.takeError();
  if (kernels->size() != 1)
    return createStringError("found " + Twine(kernels->size()) +
                             " kernels in the module, expected one");
  return kernels->front();
}

static Expected<OptimizedModule> optimizeForTarget(Module &module,
                                                   const TargetSpec &target,
                                                   DiagnosticLog &log) {
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  auto symbol = optimize(module, **machine, log);
  if (!symbol)
    return symbol.takeError();
  return OptimizedModule{*symbol, writeBitcode(module), {}, 0};
}

Expected<OptimizedModule> optimizeToBitcode(mlir::Operation *op,
                                            const TargetSpec &target) {
  Expected<LaunchNeeds> needs = launchNeedsOf(op);
  if (!needs)
    return needs.takeError();
  LLVMContext context;
  DiagnosticLog log(context);
  Expected<std::unique_ptr<Module>> module = translate(op, context);
  if (!module)
    return module.takeError();
  auto optimized = optimizeForTarget(**module, target, log);
  if (!optimized)
    return optimized.takeError();
  optimized->maps = std::move(needs->maps);
  optimized->sharedBytes = needs->sharedBytes;
  return optimized;
}

Expected<OptimizedModule> optimizeBitcode(StringRef bitcode,
                                          const TargetSpec &target) {
  LLVMContext context;
  DiagnosticLog log(context);
  auto module = parseBitcodeFile(MemoryBufferRef(bitcode, "kernel"), context);
  if (!module)
    return module.takeError();
  return optimizeForTarget(**module, target, log);
}

Expected<Artifact> compileModule(mlir::Operation *op, const TargetSpec &target,
                                 const CodegenOptions &options) {
  Expected<LaunchNeeds> needs = launchNeedsOf(op);
  if (!needs)
    return needs.takeError();
  Artifact artifact;
  artifact.arch = target.arch;
  artifact.maps = std::move(needs->maps);
  artifact.sharedBytes = needs->sharedBytes;
  LLVMContext context;
  DiagnosticLog log(context);
  Stopwatch watch(artifact.times.llvmMs);
  Expected<std::unique_ptr<Module>> module = translate(op, context);
  if (!module)
    return module.takeError();
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  auto symbol = optimize(**module, **machine, log);
  if (!symbol)
    return symbol.takeError();
  artifact.symbol = *symbol;
  artifact.bitcode = writeBitcode(**module);
  watch.stop();

  if (Error error =
          target.isNVIDIA()
              ? compileNvidia(**module, **machine, target, options, log,
                              artifact)
              : compileAmd(**module, **machine, options, log, artifact))
    return std::move(error);
  for (std::string &warning : log.takeWarnings())
    artifact.warnings.push_back(std::move(warning));
  if (Error error = countInstructions(artifact, target))
    return std::move(error);
  if (Error error = checkAllowance(artifact.symbol, artifact.usage,
                                   options.spillAllowance))
    return std::move(error);
  return artifact;
}

} // namespace lathe
