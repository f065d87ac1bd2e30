//===- KernelProver.h - Verdicts from workers and the cache -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_KERNELPROVER_H
#define LATHE_TOOLS_LATHE_KERNELPROVER_H

#include "lathe/Codegen/ArtifactCache.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Verify/Gate.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lathe::tool {

struct ProverOptions {
  unsigned jobs = 1;
  std::string cacheDirectory; ///< empty: none
  uint64_t cacheBytes = uint64_t(4) << 30;
  std::string version; ///< of the tools; part of the cache's keys
  double secondsPerKernel = 120; ///< of processor time
};

struct ProverTotals {
  unsigned run = 0, cached = 0, refused = 0;
  uint64_t instructions = 0; ///< simulated now
  double seconds = 0;        ///< in workers, now
};

/// Runs the gate in worker processes. A worker that dies, hangs or takes too
/// much memory gives that kernel its verdict.
class KernelProver {
public:
  explicit KernelProver(ProverOptions options)
      : options(std::move(options)),
        cache(this->options.cacheDirectory, this->options.cacheBytes) {}

  /// Answer i belongs to question i; says how far it is on standard error. An
  /// error is an interruption.
  llvm::Expected<std::vector<GateAnswer>>
  prove(llvm::ArrayRef<GateQuestion> questions);

  const ProverTotals &totals() const { return sum; }

private:
  ProverOptions options;
  ArtifactCache cache;
  ProverTotals sum;
};

/// One question per kernel of the table, in order of first appearance, without
/// module and hidden seed. `instances` are dims, heaviest first.
std::vector<GateQuestion> gateQuestions(const DispatchTable &table,
                                        const OperatorSpec &spec,
                                        llvm::ArrayRef<Bindings> instances);

/// SHA-256 of operator.yaml and reference.mlir, for the manifest.
llvm::json::Object operatorRecord(const OperatorSpec &spec);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_KERNELPROVER_H
