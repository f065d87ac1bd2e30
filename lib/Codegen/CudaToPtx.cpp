//===- CudaToPtx.cpp - CUDA C++ through NVIDIA's own compilers ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/ExternalKernel.h"

#include "Process.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace llvm;

namespace lathe {

namespace {
/// The part of NVRTC that is needed, by its public C interface.
struct Nvrtc {
  using Program = void *;
  int (*version)(int *major, int *minor) = nullptr;
  const char *(*errorString)(int code) = nullptr;
  int (*create)(Program *program, const char *text, const char *name,
                int headers, const char *const *headerTexts,
                const char *const *headerNames) = nullptr;
  int (*destroy)(Program *program) = nullptr;
  int (*compile)(Program program, int count,
                 const char *const *options) = nullptr;
  int (*logSize)(Program program, size_t *size) = nullptr;
  int (*log)(Program program, char *text) = nullptr;
  int (*ptxSize)(Program program, size_t *size) = nullptr;
  int (*ptx)(Program program, char *text) = nullptr;

  static Expected<Nvrtc> open(const std::string &path);
};
} // namespace

Expected<Nvrtc> Nvrtc::open(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return createStringError(Twine("cannot load NVRTC: ") + dlerror());
  Nvrtc out;
  auto bind = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(library, name));
    return function != nullptr;
  };
  if (bind(out.version, "nvrtcVersion") &&
      bind(out.errorString, "nvrtcGetErrorString") &&
      bind(out.create, "nvrtcCreateProgram") &&
      bind(out.destroy, "nvrtcDestroyProgram") &&
      bind(out.compile, "nvrtcCompileProgram") &&
      bind(out.logSize, "nvrtcGetProgramLogSize") &&
      bind(out.log, "nvrtcGetProgramLog") &&
      bind(out.ptxSize, "nvrtcGetPTXSize") && bind(out.ptx, "nvrtcGetPTX"))
    return out;
  return createStringError("'" + path + "' lacks functions of NVRTC");
}

/// A sized text that two functions give; without the final zero.
template <typename Size, typename Get>
static std::string textOf(Size size, Get get, void *program) {
  size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes == 0)
    return "";
  std::string text(bytes, '\0');
  if (get(program, text.data()) != 0)
    return "";
  return text.c_str();
}

// "sm_90a" is "compute_90a" where PTX is asked for.
static std::string virtualArch(const TargetSpec &target) {
  StringRef arch = target.arch;
  arch.consume_front("sm_");
  return "compute_" + arch.str();
}

static Expected<CudaPtx> compileNvrtc(StringRef path, StringRef text,
                                      const TargetSpec &target,
                                      const Toolkit &toolkit) {
  Expected<Nvrtc> nvrtc = Nvrtc::open(toolkit.nvrtc);
  if (!nvrtc)
    return nvrtc.takeError();
  Nvrtc::Program program = nullptr;
  std::string source = text.str(), name = sys::path::filename(path).str();
  if (int code = nvrtc->create(&program, source.c_str(), name.c_str(), 0,
                               nullptr, nullptr))
    return createStringError(Twine("NVRTC: ") + nvrtc->errorString(code));
  llvm::scope_exit destroy([&] { nvrtc->destroy(&program); });
  std::string arch = "--gpu-architecture=" + virtualArch(target);
  std::string include = "-I" + toolkitPrefix(toolkit) + "/include";
  const char *options[] = {arch.c_str(), "--std=c++17", include.c_str()};
  int code = nvrtc->compile(program, std::size(options), options);
  std::string log = textOf(nvrtc->logSize, nvrtc->log, program);
  if (code)
    return createStringError(StringRef(log).trim().empty()
                                 ? nvrtc->errorString(code)
                                 : StringRef(log).trim());
  CudaPtx out;
  out.ptx = textOf(nvrtc->ptxSize, nvrtc->ptx, program);
  int major = 0, minor = 0;
  nvrtc->version(&major, &minor);
  out.compiler = "NVRTC " + utostr(major) + "." + utostr(minor);
  return out;
}

/// NVRTC refuses host functions; nvcc leaves them out of the PTX without a
/// word. What is on the host's side beside what CUDA needs is the author's.
static Error checkNoHostCode(StringRef path, const Toolkit &toolkit,
                             const TempDir &scratch) {
  if (toolkit.clang.empty())
    return createStringError("no clang++ to look for host functions with");
  std::string cuda = "--cuda-path=" + toolkitPrefix(toolkit);
  std::string output = scratch.file("host.bc");
  StringRef arguments[] = {"-x",
                           "cuda",
                           "--cuda-host-only",
                           cuda,
                           "-std=c++17",
                           "-O0",
                           "-Wno-unknown-cuda-version",
                           "-fkeep-static-consts",
                           "-emit-llvm",
                           "-c",
                           path,
                           "-o",
                           output};
  Expected<std::string> bitcode =
      runCompiler(toolkit.clang, arguments, output, scratch);
  if (!bitcode)
    return bitcode.takeError();
  LLVMContext context;
  auto module = parseBitcodeFile(MemoryBufferRef(*bitcode, path), context);
  if (!module)
    return module.takeError();
  for (const Function &function : **module)
    if (!function.isDeclaration() && !function.hasLinkOnceLinkage() &&
        !function.getName().starts_with("__cuda_") &&
        !function.getName().contains("__device_stub__") &&
        !function.hasFnAttribute("cuda-kernel"))
      return createStringError("found the host function '" +
                               function.getName() + "', expected device code");
  return Error::success();
}

static Expected<CudaPtx> compileNvcc(StringRef path, const TargetSpec &target,
                                     const Toolkit &toolkit) {
  Expected<TempDir> scratch = TempDir::create();
  if (!scratch)
    return scratch.takeError();
  if (Error error = checkNoHostCode(path, toolkit, *scratch))
    return std::move(error);
  std::string arch = "-arch=" + virtualArch(target);
  std::string output = scratch->file("kernel.ptx");
  Expected<ToolResult> run = runTool(
      toolkit.nvcc,
      {"-x", "cu", "-ptx", arch, "-std=c++17", "-O3", path, "-o", output},
      *scratch);
  if (!run)
    return run.takeError();
  if (run->exitCode != 0)
    return createStringError("nvcc failed with exit code " +
                             Twine(run->exitCode) + ": " +
                             StringRef(run->output).trim());
  Expected<std::string> ptx = readFile(output);
  if (!ptx)
    return ptx.takeError();
  CudaPtx out;
  out.ptx = std::move(*ptx);
  Expected<ToolResult> version = runTool(toolkit.nvcc, {"--version"}, *scratch);
  if (!version)
    return version.takeError();
  // "Cuda compilation tools, release 13.0, V13.0.88"
  StringRef number = StringRef(version->output).split(", V").second;
  out.compiler =
      "nvcc " + number.take_until([](char c) { return isSpace(c); }).str();
  return out;
}

std::string missingCudaCompiler(const Toolkit &toolkit, bool useNvcc) {
  if (toolkit.ptxas.empty())
    return "no CUDA toolkit to compile with (" + toolkit.ptxasMissing + ")";
  if (useNvcc && toolkit.nvcc.empty())
    return "no nvcc in " + toolkitPrefix(toolkit) + "/bin";
  if (!useNvcc && toolkit.nvrtc.empty())
    return "no libnvrtc.so in " + toolkitPrefix(toolkit) +
           ", expected it in lib64, lib or targets/x86_64-linux/lib";
  return "";
}

Expected<CudaPtx> compileCudaToPtx(StringRef path, StringRef text,
                                   const TargetSpec &target,
                                   const Toolkit &toolkit, bool useNvcc) {
  if (!target.isNVIDIA())
    return createStringError("CUDA C++ is for NVIDIA, not for " + target.arch);
  std::string missing = missingCudaCompiler(toolkit, useNvcc);
  if (!missing.empty())
    return createStringError(missing);
  return useNvcc ? compileNvcc(path, target, toolkit)
                 : compileNvrtc(path, text, target, toolkit);
}

} // namespace lathe
