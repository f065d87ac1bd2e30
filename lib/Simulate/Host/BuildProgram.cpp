//===- BuildProgram.cpp - From bitcode to host code -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm-c/Target.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Debug.h"

#include <mutex>

using namespace llvm;

namespace lathe::host {

namespace {
class HostProgram : public Program {
public:
  std::unique_ptr<orc::LLJIT> jit;
};
} // namespace

Error rewriteModule(HostModule &host, StringRef bitcode, StringRef symbol) {
  if (Error error = readModule(host, bitcode, symbol))
    return error;
  if (Error error = lowerFatPointers(host))
    return error;
  lowerMaskedMemory(host);
  checkPointers(host);
  describeSites(host);
  lowerGlobals(host);
  lowerConversions(host);
  lowerCalls(host);
  addAccessHooks(host);
  addControlHooks(host);
  return finishModule(host);
}

static Error checkSupported(const HostModule &host) {
  if (host.unsupported.empty())
    return Error::success();
  return make_error<sim::UnsupportedError>(std::vector<std::string>(
      host.unsupported.begin(), host.unsupported.end()));
}

static Error verify(const Module &module) {
  std::string text;
  raw_string_ostream stream(text);
  if (verifyModule(module, &stream))
    return createStringError("invalid module after rewriting for the host: " +
                             StringRef(text).rtrim());
  return Error::success();
}

/// Code for this machine, without what rounds or flushes otherwise than GPUs
/// do: native bf16 conversions flush denormals, f16 arithmetic differs from
/// host to host.
static Expected<orc::JITTargetMachineBuilder> describeHost() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
  });
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  SubtargetFeatures kept;
  for (const std::string &feature : builder->getFeatures().getFeatures()) {
    StringRef name = StringRef(feature).drop_front();
    if (name != "avx512bf16" && name != "avx512fp16" &&
        !name.starts_with("avx10") && !name.starts_with("avxneconvert"))
      kept.AddFeature(name, feature.front() == '+');
  }
  if (builder->getTargetTriple().isX86())
    for (StringRef name : {"avx512bf16", "avx512fp16", "avxneconvert"})
      kept.AddFeature(name, false);
  builder->getFeatures() = kept;
  builder->setCodeGenOptLevel(CodeGenOptLevel::None);
  // A division by a contraction that nobody asked for would change results.
  builder->getOptions().AllowFPOpFusion = FPOpFusion::Strict;
  return builder;
}

static Error compile(HostModule &host, HostProgram &program) {
  auto target = describeHost();
  if (!target)
    return target.takeError();
  Triple triple = target->getTargetTriple();
  auto layout = target->getDefaultDataLayoutForTarget();
  if (!layout)
    return layout.takeError();
  setHostLayout(host, triple, *layout);
  if (Error error = checkSupported(host))
    return error;
  if (Error error = verify(*host.module))
    return error;

  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*target))
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return jit.takeError();
  // What LLVM calls for operations that this machine has no instruction for.
  std::set<std::string> missing;
  (*jit)->getExecutionSession().setErrorReporter([&missing](Error error) {
    handleAllErrors(
        std::move(error),
        [&](const orc::SymbolsNotFound &symbols) {
          for (const orc::SymbolStringPtr &name : symbols.getSymbols())
            missing.insert("operation that the host does in " + (*name).str());
        },
        [&](const ErrorInfoBase &other) { missing.insert(other.message()); });
  });
  orc::SymbolMap symbols;
  for (auto [name, address] : hostSymbols())
    symbols[(*jit)->mangleAndIntern(name)] = {
        orc::ExecutorAddr::fromPtr(address),
        JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  if (Error error = (*jit)->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(symbols))))
    return error;
  if (Error error = (*jit)->addIRModule(orc::ThreadSafeModule(
          std::move(host.module), std::move(host.context))))
    return error;
  auto entry = (*jit)->lookup(entryName);
  (*jit)->getExecutionSession().setErrorReporter(
      [](Error error) { consumeError(std::move(error)); });
  if (!entry && missing.empty())
    return entry.takeError();
  if (!entry) {
    consumeError(entry.takeError());
    host.unsupported = std::move(missing);
    return checkSupported(host);
  }
  program.entry = entry->toPtr<void (*)(void **)>();
  for (auto &[name, bytes] : host.constants) {
    auto address = (*jit)->lookup(name);
    if (!address)
      return address.takeError();
    program.variables.push_back({name, address->getValue(), bytes, true});
  }
  program.jit = std::move(*jit);
  return Error::success();
}

} // namespace lathe::host

Expected<std::unique_ptr<lathe::sim::Program>>
lathe::sim::buildProgram(StringRef bitcode, StringRef symbol) {
  using namespace lathe::host;
  auto program = std::make_unique<HostProgram>();
  HostModule host;
  host.program = program.get();
  if (Error error = rewriteModule(host, bitcode, symbol))
    return std::move(error);
  if (Error error = compile(host, *program))
    return std::move(error);
  return program;
}
