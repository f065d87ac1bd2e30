//===- Toolkit.cpp - Find external tools and their versions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/Toolkit.h"

#include "Process.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"

#include <cstdlib>

using namespace llvm;

namespace lathe {

static std::string ifExecutable(const Twine &path) {
  return sys::fs::can_execute(path) ? path.str() : std::string();
}

static std::string onPath(StringRef name) {
  ErrorOr<std::string> found = sys::findProgramByName(name);
  return found ? *found : std::string();
}

static void findPtxas(Toolkit &toolkit) {
  if (const char *prefix = std::getenv("LATHE_CUDA")) {
    toolkit.ptxas = ifExecutable(Twine(prefix) + "/bin/ptxas");
    toolkit.ptxasMissing = "LATHE_CUDA='" + std::string(prefix) + "'";
  } else {
    if (const char *path = std::getenv("CUDA_PATH"))
      toolkit.ptxas = ifExecutable(Twine(path) + "/bin/ptxas");
    if (toolkit.ptxas.empty())
      toolkit.ptxas = ifExecutable("/usr/local/cuda/bin/ptxas");
    if (toolkit.ptxas.empty())
      toolkit.ptxas = onPath("ptxas");
    toolkit.ptxasMissing = "CUDA_PATH, /usr/local/cuda, PATH";
  }
  if (!toolkit.ptxas.empty())
    toolkit.ptxasMissing.clear();
}

std::string toolkitPrefix(const Toolkit &toolkit) {
  return sys::path::parent_path(sys::path::parent_path(toolkit.ptxas)).str();
}

// Of the toolkit that ptxas is of: their PTX versions go together.
static void findCudaCompilers(Toolkit &toolkit) {
  if (toolkit.ptxas.empty())
    return;
  std::string prefix = toolkitPrefix(toolkit);
  toolkit.nvcc = ifExecutable(prefix + "/bin/nvcc");
  std::string libdevice = prefix + "/nvvm/libdevice/libdevice.10.bc";
  if (sys::fs::exists(libdevice))
    toolkit.libdevice = libdevice;
  for (const char *folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
    std::string path = prefix + "/" + folder + "/libnvrtc.so";
    if (toolkit.nvrtc.empty() && sys::fs::exists(path))
      toolkit.nvrtc = path;
  }
}

static void findLld(Toolkit &toolkit) {
  const std::string major = std::to_string(LLVM_VERSION_MAJOR);
  if (const char *path = std::getenv("LATHE_LLD")) {
    toolkit.lld = ifExecutable(path);
    return;
  }
  toolkit.lld = onPath("ld.lld-" + major);
  if (toolkit.lld.empty())
    toolkit.lld = ifExecutable("/usr/lib/llvm-" + major + "/bin/ld.lld");
}

static void findClang(Toolkit &toolkit) {
  const std::string major = std::to_string(LLVM_VERSION_MAJOR);
  if (const char *path = std::getenv("LATHE_CLANG")) {
    toolkit.clang = ifExecutable(path);
    return;
  }
  toolkit.clang = onPath("clang++-" + major);
  if (toolkit.clang.empty())
    toolkit.clang = ifExecutable("/usr/lib/llvm-" + major + "/bin/clang++");
}

Toolkit findToolkit() {
  Toolkit toolkit;
  findPtxas(toolkit);
  findCudaCompilers(toolkit);
  findLld(toolkit);
  findClang(toolkit);
  return toolkit;
}

// The line of `program --version` that has the given word, or the last one.
static Expected<std::string> versionOf(StringRef program, StringRef word,
                                       const TempDir &scratch) {
  if (program.empty())
    return "none";
  Expected<ToolResult> run = runTool(program, {"--version"}, scratch);
  if (!run)
    return run.takeError();
  StringRef result;
  for (StringRef line : split(run->output, '\n')) {
    line = line.trim();
    if (!line.empty())
      result = line;
    if (line.contains(word))
      break;
  }
  return result.str();
}

Expected<std::string> toolFingerprint(const Toolkit &toolkit) {
  Expected<TempDir> scratch = TempDir::create();
  if (!scratch)
    return scratch.takeError();
  Expected<std::string> ptxas = versionOf(toolkit.ptxas, "Build ", *scratch);
  if (!ptxas)
    return ptxas.takeError();
  Expected<std::string> lld = versionOf(toolkit.lld, "LLD ", *scratch);
  if (!lld)
    return lld.takeError();
  Expected<std::string> self = readFile("/proc/self/exe");
  if (!self)
    return self.takeError();
  auto hash = SHA256::hash(arrayRefFromStringRef(*self));
  return "llvm " LLVM_VERSION_STRING "; ptxas " + *ptxas + "; lld " + *lld +
         "; lathe " + toHex(hash, /*LowerCase=*/true).substr(0, 32);
}

} // namespace lathe
