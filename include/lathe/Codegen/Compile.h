//===- Compile.h - From LLVM dialect to a loadable image --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_COMPILE_H
#define LATHE_CODEGEN_COMPILE_H

#include "lathe/Codegen/Artifact.h"
#include "lathe/Codegen/Target.h"
#include "lathe/Codegen/Toolkit.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <map>

namespace llvm {
class Module;
} // namespace llvm
namespace mlir {
class DialectRegistry;
class Operation;
} // namespace mlir

namespace lathe {

struct CodegenOptions {
  Toolkit toolkit;
  /// Bytes of spill traffic, and of local memory, that a thread may have.
  int64_t spillAllowance = 0;
  /// Keep GCN assembly too; PTX is always kept (merging starts from it).
  bool keepText = false;
};

/// What must be registered with the context before `compileModule`.
void registerCodegenTranslations(mlir::DialectRegistry &registry);

/// Compiles the one kernel of a `gpu.module` (or of a module that holds one)
/// in the LLVM, NVVM and ROCDL dialects. Everything else in it must inline
/// into the kernel; shared globals are renamed to `<kernel>$<name>`.
/// LLVM aborts the process on some unsupported intrinsics: run this where that
/// is survivable (WorkerPool.h).
llvm::Expected<Artifact> compileModule(mlir::Operation *module,
                                       const TargetSpec &target,
                                       const CodegenOptions &options);

/// The module as bitcode that keeps the order of uses.
std::string writeBitcode(const llvm::Module &module);

/// One kernel as the backend receives it: what `compileModule` reaches before
/// any code is generated.
struct OptimizedModule {
  std::string symbol;
  std::string bitcode;
  std::vector<TensorMap> maps; ///< as in Artifact
  int64_t sharedBytes = 0;     ///< as in Artifact
};
llvm::Expected<OptimizedModule> optimizeToBitcode(mlir::Operation *module,
                                                  const TargetSpec &target);

/// The same from LLVM bitcode as a front end writes it.
llvm::Expected<OptimizedModule> optimizeBitcode(llvm::StringRef bitcode,
                                                const TargetSpec &target);

/// The same from CUDA C++, read by clang's front end with the headers of a CUDA
/// toolkit. An error carries clang's diagnostics.
llvm::Expected<OptimizedModule> compileCuda(llvm::StringRef path,
                                            const TargetSpec &target,
                                            const Toolkit &toolkit);

/// The same from MLIR text at any stage after specialization (tile, gpu, nvvm
/// or rocdl); passes that already ran find nothing to do. An error carries
/// every diagnostic with its place in the text, which is called `name`.
llvm::Expected<OptimizedModule> lowerToBitcode(llvm::StringRef text,
                                               llvm::StringRef name,
                                               const TargetSpec &target);

/// The kernel of a plain module that was written for the host's libm, as
/// bitcode: math functions come from the toolkit's libdevice, nothing is
/// contracted or reassociated, and spills do not matter. It may call malloc and
/// free, which the device has. Errors: a function that needs libdevice and
/// there is none, one that nobody has.
llvm::Expected<Artifact> compilePlain(llvm::StringRef bitcode,
                                      const TargetSpec &target,
                                      const Toolkit &toolkit);

/// What the backend makes of `Artifact::bitcode`: `text` on NVIDIA, `object` on
/// AMD. The same tools give the same bytes as when it was compiled.
llvm::Expected<Artifact> emitBitcode(llvm::StringRef bitcode,
                                     const TargetSpec &target);

/// Several kernels of one architecture in one image.
struct MergedImage {
  std::string image; ///< empty where no ptxas was found
  std::string text;  ///< PTX of all kernels; empty on AMD
  std::map<std::string, ResourceUsage> kernels; ///< by symbol
  StageTimes times;
  std::vector<std::string> warnings;
};

/// Puts the kernels into one image in the given order: NVIDIA from the PTX, AMD
/// from the objects, whose code stays as it is. Each must keep exactly the
/// resources that it had alone: what was measured is what ships.
llvm::Expected<MergedImage>
mergeArtifacts(llvm::ArrayRef<const Artifact *> artifacts,
               const TargetSpec &target, const CodegenOptions &options);

/// Name of the one kernel in a relocatable AMD object (`Artifact::object`).
llvm::Expected<std::string> kernelOfObject(llvm::StringRef object);

} // namespace lathe

#endif // LATHE_CODEGEN_COMPILE_H
