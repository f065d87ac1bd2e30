//===- KernelBuilder.h - Kernels from workers and the cache -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_KERNELBUILDER_H
#define LATHE_TOOLS_LATHE_KERNELBUILDER_H

#include "lathe/Codegen/ArtifactCache.h"
#include "lathe/Codegen/BuildCandidate.h"
#include "lathe/Codegen/Toolkit.h"
#include "lathe/Package/PlanCandidates.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lathe::tool {

struct BuilderOptions {
  unsigned jobs = 1;
  std::string cacheDirectory;
  uint64_t cacheBytes = uint64_t(4) << 30;
  int64_t spillAllowance = 0;
  std::string dumpDirectory; ///< one folder per kernel below it; empty: none
  BuildStage stopAfter = BuildStage::Binary;
};

/// A kernel, or why there is none.
struct BuiltKernel {
  std::optional<Artifact> artifact;
  std::string error;
  bool fromCache = false;
};

/// Kernels of one op set entry for one architecture, in one image.
struct ImageRequest {
  std::string entry, arch;
  std::vector<const Artifact *> kernels;
};

/// The reference of an operator, with dtypes bound, for one architecture.
struct ReferenceRequest {
  const OperatorSpec *spec = nullptr;
  std::map<std::string, std::string, std::less<>> dtypes;
  std::string arch;
};

struct BuildTotals {
  StageTimes times; ///< over kernels that were really built
  unsigned built = 0, cached = 0, failed = 0;
};

/// Runs jobs in worker processes and remembers results in the cache. A fatal
/// error in a worker is one kernel's error.
class KernelBuilder {
public:
  static llvm::Expected<KernelBuilder> create(BuilderOptions options);

  /// Result i belongs to request i. `progress` is told after every kernel.
  llvm::Expected<std::vector<BuiltKernel>>
  build(llvm::ArrayRef<BuildRequest> requests,
        llvm::function_ref<void(size_t done, const BuildTotals &)> progress);

  llvm::Expected<std::vector<MergedImage>>
  merge(llvm::ArrayRef<ImageRequest> requests);

  /// reference.mlir as kernels; result i belongs to request i, and says why
  /// there is none.
  llvm::Expected<std::vector<ReferenceImage>>
  references(llvm::ArrayRef<ReferenceRequest> requests);

  const BuildTotals &totals() const { return sum; }
  const Toolkit &toolkit() const { return tools; }
  const std::string &fingerprint() const { return version; }

private:
  KernelBuilder(BuilderOptions options, Toolkit tools, std::string version)
      : options(std::move(options)), tools(std::move(tools)),
        version(std::move(version)),
        cache(this->options.cacheDirectory, this->options.cacheBytes) {}
  bool recall(const BuildRequest &request, llvm::StringRef key,
              BuiltKernel &kernel);

  BuilderOptions options;
  Toolkit tools;
  std::string version;
  ArtifactCache cache;
  BuildTotals sum;
};

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_KERNELBUILDER_H
