//===- Backend.cpp - Optimize and emit with LLVM --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "CheckAsyncRegisters.h"
#include "FuseContractions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

using namespace llvm;

namespace lathe {

struct DiagnosticLines {
  std::vector<std::string> errors, warnings;
};

namespace {
struct CollectingHandler : DiagnosticHandler {
  explicit CollectingHandler(std::shared_ptr<DiagnosticLines> lines)
      : lines(std::move(lines)) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    std::string text;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == DS_Error)
      lines->errors.push_back(text);
    else if (info.getSeverity() == DS_Warning)
      lines->warnings.push_back(text);
    return true;
  }

  std::shared_ptr<DiagnosticLines> lines;
};
} // namespace

DiagnosticLog::DiagnosticLog(LLVMContext &context)
    : lines(std::make_shared<DiagnosticLines>()) {
  context.setDiagnosticHandler(std::make_unique<CollectingHandler>(lines));
}

Error DiagnosticLog::takeErrors() {
  if (lines->errors.empty())
    return Error::success();
  std::string text = join(lines->errors, "; ");
  lines->errors.clear();
  return createStringError(text);
}

std::vector<std::string> DiagnosticLog::takeWarnings() {
  return std::exchange(lines->warnings, {});
}

Expected<std::unique_ptr<TargetMachine>>
createTargetMachine(const TargetSpec &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser(); // inline assembly
  });
  Triple triple(target.triple);
  std::string message;
  const Target *backend = TargetRegistry::lookupTarget(triple, message);
  if (!backend)
    return createStringError(message);
  std::unique_ptr<TargetMachine> machine(backend->createTargetMachine(
      triple, target.cpu, target.features, TargetOptions(), Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("LLVM cannot generate code for " + target.arch);
  return machine;
}

static bool isKernel(const Function &function) {
  CallingConv::ID convention = function.getCallingConv();
  return !function.isDeclaration() &&
         (convention == CallingConv::PTX_Kernel ||
          convention == CallingConv::AMDGPU_KERNEL);
}

static Error verify(const Module &module, const char *when) {
  std::string text;
  raw_string_ostream stream(text);
  if (verifyModule(module, &stream))
    return createStringError(Twine("invalid LLVM module ") + when + ": " +
                             StringRef(text).rtrim());
  return Error::success();
}

// Dynamic shared memory: an external array of no elements that the launch
// gives its size. Every other declaration would need something to link with.
static bool isDynamicShared(const GlobalVariable &global) {
  auto *array = dyn_cast<ArrayType>(global.getValueType());
  return global.isDeclaration() && global.getAddressSpace() == 3 && array &&
         array->getNumElements() == 0;
}

static Error checkSelfContained(const Module &module,
                                ArrayRef<StringRef> mayCall) {
  std::vector<std::string> missing, calls;
  for (const Function &function : module) {
    if (function.isIntrinsic() || isKernel(function) ||
        (function.isDeclaration() && is_contained(mayCall, function.getName())))
      continue;
    (function.isDeclaration() ? missing : calls)
        .push_back(function.getName().str());
  }
  for (const GlobalVariable &global : module.globals())
    if (global.isDeclaration() && !isDynamicShared(global))
      missing.push_back(global.getName().str());
  if (!missing.empty()) {
    llvm::sort(missing);
    return createStringError("unresolved external symbol '" +
                             join(missing, "', '") +
                             "', expected a module that needs nothing else");
  }
  if (!calls.empty())
    return createStringError("function '" + join(calls, "', '") +
                             "' is not inlined into the kernel");
  return Error::success();
}

// Everything but kernels becomes private to the module, under a name that no
// other module of the merged image can have.
static void isolate(Module &module, StringRef prefix) {
  for (Function &function : module)
    if (!function.isDeclaration() && !isKernel(function)) {
      function.removeFnAttr(Attribute::NoInline);
      function.removeFnAttr(Attribute::OptimizeNone);
      function.addFnAttr(Attribute::AlwaysInline);
    }
  // What front ends list as used on the host's side.
  for (const char *list : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *global = module.getNamedGlobal(list))
      global->eraseFromParent();
  internalizeModule(module, [](const GlobalValue &value) {
    auto *function = dyn_cast<Function>(&value);
    return function && isKernel(*function);
  });
  unsigned unnamed = 0;
  for (GlobalVariable &global : module.globals()) {
    if (global.isDeclaration() && !isDynamicShared(global))
      continue;
    std::string name = global.hasName() ? global.getName().str()
                                        : "unnamed" + utostr(unnamed++);
    for (char &c : name)
      if (!isAlnum(c) && c != '_')
        c = '_';
    global.setName(prefix + "$" + name);
  }
}

Expected<std::vector<std::string>> optimizeModule(Module &module,
                                                  TargetMachine &machine,
                                                  DiagnosticLog &log,
                                                  ArrayRef<StringRef> mayCall) {
  std::vector<std::string> kernels;
  for (Function &function : module)
    if (isKernel(function))
      kernels.push_back(function.getName().str());
  if (kernels.empty())
    return createStringError("no kernel in the module, expected one");

  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (machine.getTargetTriple().isAMDGCN()) {
    module.setModuleFlag(Module::Error, "amdhsa_code_object_version", 500);
    // The triple does not tell chips apart; whoever gets the module must.
    for (Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr("target-cpu", machine.getTargetCPU());
  }
  // So that the module says by itself what it is for.
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute("target-cpu"))
      function.addFnAttr("target-cpu", machine.getTargetCPU());
  isolate(module, kernels.front());
  if (Error error = verify(module, "before optimization"))
    return std::move(error);

  bool isNvidia = machine.getTargetTriple().isNVPTX();
  if (isNvidia)
    markConvergentAssembly(module);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
  fuseContractions(module);

  if (Error error = log.takeErrors())
    return std::move(error);
  if (Error error = verify(module, "after optimization"))
    return std::move(error);
  if (Error error = checkSelfContained(module, mayCall))
    return std::move(error);
  if (isNvidia)
    if (Error error = checkAsyncRegisters(module))
      return std::move(error);
  return kernels;
}

Expected<std::string> emitModule(Module &module, TargetMachine &machine,
                                 CodeGenFileType kind, DiagnosticLog &log) {
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind))
    return createStringError("LLVM cannot emit this kind of file for " +
                             machine.getTargetCPU());
  passes.run(module);
  if (Error error = log.takeErrors())
    return std::move(error);
  return bytes.str().str();
}

std::string writeBitcode(const Module &module) {
  std::string bytes;
  raw_string_ostream stream(bytes);
  // The backend depends on the order of uses: the same module again gives the
  // same code again.
  WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/true);
  return bytes;
}

Error checkAllowance(StringRef kernel, const ResourceUsage &usage,
                     int64_t allowance) {
  if (usage.spillBytes > allowance)
    return createStringError("kernel '" + kernel + "' spills " +
                             Twine(usage.spillBytes) + " bytes, at most " +
                             Twine(allowance) + " allowed");
  if (usage.stackBytes > allowance)
    return createStringError("kernel '" + kernel + "' has " +
                             Twine(usage.stackBytes) +
                             " bytes of local memory per thread, at most " +
                             Twine(allowance) + " allowed");
  return Error::success();
}

std::string noAssemblerWarning(const Toolkit &toolkit) {
  return "no ptxas in " + toolkit.ptxasMissing +
         ": the artifact is PTX only, its resources are unknown";
}

} // namespace lathe
