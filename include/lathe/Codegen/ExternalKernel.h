//===- ExternalKernel.h - Kernels that people bring -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_EXTERNALKERNEL_H
#define LATHE_CODEGEN_EXTERNALKERNEL_H

#include "lathe/Codegen/Compile.h"
#include "lathe/Codegen/InspectPtx.h"
#include "lathe/Codegen/Message.h"

namespace lathe {

/// What NVIDIA's front end makes of CUDA C++.
struct CudaPtx {
  std::string ptx;
  std::string compiler; ///< "NVRTC 13.0", "nvcc 13.0.88"
};

/// Why no CUDA C++ can be compiled here; empty if it can.
std::string missingCudaCompiler(const Toolkit &toolkit, bool useNvcc);

/// Compiles in this process with NVRTC, or runs nvcc. Errors: the compiler's
/// diagnostics; host functions; a compiler that is not there.
llvm::Expected<CudaPtx> compileCudaToPtx(llvm::StringRef path,
                                         llvm::StringRef text,
                                         const TargetSpec &target,
                                         const Toolkit &toolkit, bool useNvcc);

enum class ExternalForm { Cuda, Ptx };
llvm::StringRef externalFormName(ExternalForm form); ///< "cuda", "ptx"

struct ExternalRequest {
  ExternalForm form = ExternalForm::Cuda;
  std::string path, text; ///< the source and where it lies
  std::string arch;
  std::string symbol; ///< what the kernel is called in the image
  PtxExpectation expected;
  bool useNvcc = false;
};

/// A kernel that passed the first gates, as far as they need no device.
struct ExternalKernel {
  Artifact artifact;    ///< bitcode is empty where there is none
  std::string compiler; ///< what the PTX came from
  /// Why there is no LLVM module to simulate, else empty.
  std::string noModule;
  uint64_t stateBytes = 0; ///< of PtxModule
};

/// Compiles, checks and assembles. An error is the reason of a refusal.
llvm::Expected<ExternalKernel> buildExternal(const ExternalRequest &request,
                                             const Toolkit &toolkit);

/// For workers: compilers are other people's code.
Message externalMessage(const ExternalRequest &request);
Message answerExternalMessage(const Message &message, const Toolkit &toolkit);
llvm::Expected<ExternalKernel> externalAnswer(const Message &message);

} // namespace lathe

#endif // LATHE_CODEGEN_EXTERNALKERNEL_H
