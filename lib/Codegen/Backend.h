//===- Backend.h - Steps of code generation ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_BACKEND_H
#define LATHE_LIB_CODEGEN_BACKEND_H

#include "lathe/Codegen/Compile.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

#include <chrono>
#include <memory>

namespace lathe {

/// Adds the time from construction to `stop` (or destruction) to a figure.
class Stopwatch {
public:
  explicit Stopwatch(double &milliseconds) : total(milliseconds) {}
  ~Stopwatch() { stop(); }
  void stop() {
    if (running)
      total += std::chrono::duration<double, std::milli>(
                   std::chrono::steady_clock::now() - start)
                   .count();
    running = false;
  }

private:
  double &total;
  bool running = true;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// Makes the context collect diagnostics instead of ending the process.
class DiagnosticLog {
public:
  explicit DiagnosticLog(llvm::LLVMContext &context);
  /// The errors since the last call, joined; success if there were none.
  llvm::Error takeErrors();
  std::vector<std::string> takeWarnings();

private:
  std::shared_ptr<struct DiagnosticLines> lines;
};

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetSpec &target);

/// Sets triple and data layout, keeps nothing but the kernels and what they
/// use, gives shared globals names of their own, optimizes, and checks that no
/// call and no foreign symbol is left but `mayCall`. Returns the kernels'
/// names.
llvm::Expected<std::vector<std::string>>
optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
               DiagnosticLog &log,
               llvm::ArrayRef<llvm::StringRef> mayCall = {});

/// Runs the code generator; the module is used up.
llvm::Expected<std::string> emitModule(llvm::Module &module,
                                       llvm::TargetMachine &machine,
                                       llvm::CodeGenFileType kind,
                                       DiagnosticLog &log);

/// An image and what was read from it, by kernel.
struct AssembledImage {
  std::string image;
  std::map<std::string, ResourceUsage> kernels;
  std::vector<std::string> warnings;
};

/// Runs ptxas. `maxThreads` of the figures stays 0: PTX does not say it back.
llvm::Expected<AssembledImage> assemblePtx(llvm::StringRef ptx,
                                           const TargetSpec &target,
                                           const Toolkit &toolkit);

/// Links relocatable AMD objects, in order, and reads the image's metadata.
llvm::Expected<AssembledImage>
linkCodeObject(llvm::ArrayRef<std::string> objects, const Toolkit &toolkit);

/// The artifacts' objects, changed so that one link of them has one metadata
/// note with every kernel: loaders look at the first note only.
llvm::Expected<std::vector<std::string>>
joinMetadata(llvm::ArrayRef<const Artifact *> artifacts);

/// Refuses an AMD image whose code or descriptor of the kernel differs from the
/// artifact's object in more than the addresses that a linker fills in.
llvm::Error checkSameCode(const Artifact &artifact, llvm::StringRef image);

/// Refuses spills and local memory beyond the allowance.
llvm::Error checkAllowance(llvm::StringRef kernel, const ResourceUsage &usage,
                           int64_t allowance);

/// The warning of an artifact that has PTX only.
std::string noAssemblerWarning(const Toolkit &toolkit);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_BACKEND_H
