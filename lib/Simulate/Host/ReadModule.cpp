//===- ReadModule.cpp - Bitcode of a kernel, checked ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace llvm;

namespace lathe::host {

static bool isKernel(const Function &function) {
  return !function.isDeclaration() &&
         (function.getCallingConv() == CallingConv::PTX_Kernel ||
          function.getCallingConv() == CallingConv::AMDGPU_KERNEL);
}

static Expected<Function *> pickKernel(Module &module, StringRef symbol) {
  std::vector<std::string> names;
  Function *found = nullptr;
  for (Function &function : module)
    if (isKernel(function)) {
      names.push_back(function.getName().str());
      if (symbol.empty() || function.getName() == symbol)
        found = &function;
    }
  if (names.empty())
    return createStringError("found no kernel in the module, expected one");
  if (!found)
    return createStringError("found no kernel '" + symbol +
                             "' in the module, expected one of '" +
                             join(names, "', '") + "'");
  if (symbol.empty() && names.size() > 1)
    return createStringError("found " + Twine(names.size()) +
                             " kernels in the module, expected the name of "
                             "one of '" +
                             join(names, "', '") + "'");
  return found;
}

// "256,1,1", as NVPTX writes sizes; missing extents are 1.
static Expected<std::optional<std::array<uint32_t, 3>>>
sizesOf(const Function &kernel, StringRef attribute) {
  if (!kernel.hasFnAttribute(attribute))
    return std::nullopt;
  StringRef text = kernel.getFnAttribute(attribute).getValueAsString();
  std::array<uint32_t, 3> sizes = {1, 1, 1};
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  if (parts.size() > 3)
    return createStringError("attribute " + attribute + " is '" + text +
                             "', expected at most three extents");
  for (auto [part, size] : zip(parts, sizes))
    if (part.trim().getAsInteger(10, size) || size == 0)
      return createStringError("attribute " + attribute + " is '" + text +
                               "', expected positive extents");
  return sizes;
}

static Expected<std::optional<std::array<uint32_t, 3>>>
reqdWorkGroupSize(const Function &kernel) {
  MDNode *node = kernel.getMetadata("reqd_work_group_size");
  if (!node)
    return std::nullopt;
  std::array<uint32_t, 3> sizes = {1, 1, 1};
  if (node->getNumOperands() != 3)
    return createStringError("reqd_work_group_size has " +
                             Twine(node->getNumOperands()) +
                             " operands, expected three");
  for (auto [i, size] : enumerate(sizes)) {
    auto *extent = mdconst::dyn_extract<ConstantInt>(node->getOperand(i));
    if (!extent || extent->isZero() || !extent->getValue().isIntN(32))
      return createStringError(
          "reqd_work_group_size has operand " + Twine(i) +
          " that is no positive integer of 32 bits, expected one");
    size = extent->getZExtValue();
  }
  return sizes;
}

static Error readLimits(HostModule &host) {
  Function &kernel = *host.kernel;
  Program &program = *host.program;
  auto required = sizesOf(kernel, "nvvm.reqntid");
  if (!required)
    return required.takeError();
  program.requiredBlock = *required;
  auto cluster = sizesOf(kernel, "nvvm.cluster_dim");
  if (!cluster)
    return cluster.takeError();
  program.requiredCluster = *cluster;
  auto most = sizesOf(kernel, "nvvm.maxntid");
  if (!most)
    return most.takeError();
  if (*most)
    program.maxThreads = std::min<uint64_t>(
        1024, uint64_t((**most)[0]) * (**most)[1] * (**most)[2]);
  if (!program.isAmd)
    return Error::success();
  auto group = reqdWorkGroupSize(kernel);
  if (!group)
    return group.takeError();
  program.requiredBlock = *group;
  StringRef flat =
      kernel.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString();
  if (!flat.empty()) {
    uint64_t limit;
    if (flat.split(',').second.trim().getAsInteger(10, limit) || limit == 0)
      return createStringError("attribute amdgpu-flat-work-group-size is '" +
                               flat + "', expected 'least,most'");
    program.maxThreads = std::min<uint64_t>(1024, limit);
  }
  return Error::success();
}

// x86 would flush doubles as well, and only what runs in compiled code.
static void checkDenormals(HostModule &host, const Function &function) {
  for (StringRef attribute : {"denormal-fp-math", "denormal-fp-math-f32"}) {
    StringRef mode = function.getFnAttribute(attribute).getValueAsString();
    if (mode.contains("preserve-sign") || mode.contains("positive-zero"))
      host.unsupported.insert((attribute + "=" + mode).str());
  }
}

static void checkContents(HostModule &host) {
  Module &module = *host.module;
  if (!module.getModuleInlineAsm().empty())
    host.unsupported.insert("module-level inline assembly");
  for (const GlobalAlias &alias : module.aliases())
    host.unsupported.insert("alias " + alias.getName().str());
  for (const GlobalIFunc &ifunc : module.ifuncs())
    host.unsupported.insert("ifunc " + ifunc.getName().str());
  for (const GlobalVariable &global : module.globals())
    if (global.isThreadLocal())
      host.unsupported.insert("thread-local variable " +
                              global.getName().str());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    checkDenormals(host, function);
    if (function.isVarArg())
      host.unsupported.insert("variadic function " + function.getName().str());
    if (function.hasPersonalityFn() || function.hasPrefixData() ||
        function.hasPrologueData() || function.hasGC())
      host.unsupported.insert("exception handling or prefix data of " +
                              function.getName().str());
    for (Instruction &instruction : instructions(function))
      if (isa<IndirectBrInst, InvokeInst, CallBrInst, ResumeInst, VAArgInst>(
              instruction))
        host.unsupported.insert(instruction.getOpcodeName());
  }
}

Error readModule(HostModule &host, StringRef bitcode, StringRef symbol) {
  host.context = std::make_unique<LLVMContext>();
  auto module =
      parseBitcodeFile(MemoryBufferRef(bitcode, "kernel"), *host.context);
  if (!module)
    return module.takeError();
  host.module = std::move(*module);
  std::string text;
  raw_string_ostream stream(text);
  bool brokenDebugInfo = false;
  if (verifyModule(*host.module, &stream, &brokenDebugInfo))
    return createStringError("invalid LLVM module: " + StringRef(text).rtrim());
  if (brokenDebugInfo)
    StripDebugInfo(*host.module);

  const Triple &triple = host.module->getTargetTriple();
  if (!triple.isNVPTX() && !triple.isAMDGCN())
    return createStringError("found a module for '" + triple.str() +
                             "', expected nvptx64 or amdgcn");
  Expected<Function *> kernel = pickKernel(*host.module, symbol);
  if (!kernel)
    return kernel.takeError();
  host.kernel = *kernel;
  host.gpuLayout = host.module->getDataLayout();
  Program &program = *host.program;
  program.symbol = host.kernel->getName().str();
  program.isAmd = triple.isAMDGCN();
  program.arch =
      host.kernel->getFnAttribute("target-cpu").getValueAsString().str();
  program.warpSize = program.isAmd ? 64 : 32;
  if (program.isAmd && program.arch != "gfx90a" && program.arch != "gfx942")
    return createStringError("kernel '%s' is for %s, expected gfx90a or gfx942",
                             host.kernel->getName().str().c_str(),
                             program.arch.empty() ? "no target-cpu"
                                                  : program.arch.c_str());
  if (StringRef(
          host.kernel->getFnAttribute("target-features").getValueAsString())
          .contains("+wavefrontsize32"))
    host.unsupported.insert("waves of 32 lanes");
  checkContents(host);
  return readLimits(host);
}

} // namespace lathe::host
