//===- Rank.h - Which kernels ship, and for what ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RANK_RANK_H
#define LATHE_RANK_RANK_H

#include "Dispatch/DispatchTable.h"
#include "lathe/Plan/Plan.h"
#include "lathe/Rank/MeasuredTimes.h"
#include "lathe/Rank/ModelFit.h"

#include "llvm/Support/JSON.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace lathe {

/// Records on every `problem.candidate` named `kernel` what its binary says.
llvm::Error attachUsage(mlir::ModuleOp module, llvm::StringRef kernel,
                        const ResourceUsage &usage, int64_t codeBytes);

/// Records what its launches need beside: tensor maps, which narrow its guards,
/// and bytes of dynamic shared memory. The answer is why it may not be
/// launched, with which it is then out of the running; empty: it may.
llvm::Expected<std::string> attachLaunch(mlir::ModuleOp module,
                                         llvm::StringRef kernel,
                                         llvm::ArrayRef<TensorMap> maps,
                                         int64_t sharedBytes);

/// Takes a kernel that could not be built out of the running, with the reason.
llvm::Error rejectCandidate(mlir::ModuleOp module, llvm::StringRef kernel,
                            llvm::StringRef reason);

/// Of each entry's generic kernels on an architecture, the first that is in the
/// running stays; the others were to stand in for it.
void keepOneGeneric(mlir::ModuleOp module);

struct SelectOptions {
  /// Per architecture, over all entries; 0 means no limit. Generic kernels are
  /// always kept.
  unsigned maxKernels = 0;
  uint64_t maxBytes = 0;
  /// A kernel holds a bucket while it is at most this much slower than the
  /// best chosen one (0.01 = 1 %), or not measurably slower.
  double tolerance = 0.01;
  /// Kernels that the correctness gate refused, by entry and kernel, and why.
  std::map<std::pair<std::string, std::string>, std::string> refused;
  /// Of the only architecture; null: by the model alone.
  const MeasuredTimes *times = nullptr;
};

/// What one entry got on one architecture. Shares are of the histogram's time.
struct CoverageRow {
  std::string entry, op, arch;
  unsigned instances = 0;
  double share = 0, exact = 0, bucket = 0, generic = 0, unserved = 0;
  unsigned kernels = 0, exactCases = 0, buckets = 0;
  uint64_t bytes = 0;
  std::string reason; ///< why it is not served, else empty
};

struct Coverage {
  std::vector<CoverageRow> rows; ///< entries in order, per arch
  double unshaped = 0;           ///< time for which no shape was recorded

  void print(llvm::raw_ostream &os) const;
  llvm::json::Value toJSON() const;
};

struct Selection {
  std::vector<DispatchTable> tables; ///< one per served entry, in order
  Coverage coverage;
  std::vector<PrunedKernel> rejected; ///< built but not shipped, and why
  std::vector<ModelFit> modelFits;    ///< where enough was measured
};

/// Chooses kernels under the budget and cuts the request dims into buckets. An
/// entry whose generic kernel was refused is not served on that architecture;
/// one whose generic kernel could not be built is an error.
llvm::Expected<Selection> selectKernels(mlir::ModuleOp module,
                                        const SelectOptions &options);

} // namespace lathe

#endif // LATHE_RANK_RANK_H
