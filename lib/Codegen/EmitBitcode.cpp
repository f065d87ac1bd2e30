//===- EmitBitcode.cpp - The backend's part once more ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

Expected<lathe::Artifact> lathe::emitBitcode(StringRef bitcode,
                                             const TargetSpec &target) {
  Artifact artifact;
  artifact.arch = target.arch;
  LLVMContext context;
  DiagnosticLog log(context);
  auto module = parseBitcodeFile(MemoryBufferRef(bitcode, "module"), context);
  if (!module)
    return createStringError("cannot read the module: " +
                             toString(module.takeError()));
  if (verifyModule(**module))
    return createStringError("the module is not valid");
  if ((*module)->getTargetTriple().str() != target.triple)
    return createStringError("the module is for " +
                             (*module)->getTargetTriple().str() +
                             ", expected " + target.triple);
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  auto bytes = emitModule(**module, **machine,
                          target.isNVIDIA() ? CodeGenFileType::AssemblyFile
                                            : CodeGenFileType::ObjectFile,
                          log);
  if (!bytes)
    return bytes.takeError();
  (target.isNVIDIA() ? artifact.text : artifact.object) = std::move(*bytes);
  return artifact;
}
