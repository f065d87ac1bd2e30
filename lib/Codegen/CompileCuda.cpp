//===- CompileCuda.cpp - CUDA C++ of outside kernels ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Process.h"

#include "llvm/Support/Path.h"

using namespace llvm;

namespace lathe {

Expected<OptimizedModule> compileCuda(StringRef path, const TargetSpec &target,
                                      const Toolkit &toolkit) {
  if (!target.isNVIDIA())
    return createStringError(path + ": CUDA C++ is for NVIDIA, not for " +
                             target.arch);
  if (toolkit.clang.empty())
    return createStringError(path + ": no clang++ of LLVM " +
                             LLVM_VERSION_STRING +
                             " to read CUDA C++ with; LATHE_CLANG names one");
  if (toolkit.ptxas.empty())
    return createStringError(path +
                             ": no CUDA toolkit to read CUDA C++ with "
                             "(" +
                             toolkit.ptxasMissing + ")");
  Expected<TempDir> scratch = TempDir::create();
  if (!scratch)
    return scratch.takeError();
  std::string arch = "--cuda-gpu-arch=" + target.arch;
  std::string cuda = "--cuda-path=" + toolkitPrefix(toolkit);
  // Where the source lies is nobody's business but its author's.
  StringRef folder = sys::path::parent_path(path);
  std::string names = "-ffile-prefix-map=" + folder.str() + "/=";
  std::string output = scratch->file("kernel.bc");
  // Optimization is the backend's: the module is what a front end writes.
  StringRef arguments[] = {"-x",
                           "cuda",
                           "--cuda-device-only",
                           arch,
                           cuda,
                           "-std=c++17",
                           "-O3",
                           "-Xclang",
                           "-disable-llvm-passes",
                           "-Wno-unknown-cuda-version",
                           "-gline-tables-only",
                           "-fdebug-compilation-dir=.",
                           names,
                           "-emit-llvm",
                           "-c",
                           path,
                           "-o",
                           output};
  Expected<std::string> bitcode =
      runCompiler(toolkit.clang, arguments, output, *scratch);
  if (!bitcode)
    return bitcode.takeError();
  return optimizeBitcode(*bitcode, target);
}

} // namespace lathe
