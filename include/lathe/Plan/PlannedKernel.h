//===- PlannedKernel.h - A candidate and all that ranks it ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_PLANNEDKERNEL_H
#define LATHE_PLAN_PLANNEDKERNEL_H

#include "lathe/Ingest/Bind.h"
#include "lathe/Plan/Candidate.h"
#include "lathe/Plan/GemmHints.h"
#include "lathe/Plan/KernelModel.h"
#include "lathe/Support/TensorMap.h"

#include "mlir/IR/BuiltinOps.h"

namespace lathe {

namespace problem {
class CandidateOp;
} // namespace problem

enum class KernelRole {
  Generic, ///< takes every dim at run time
  Bucket,  ///< static dims fixed
  Exact    ///< request dims fixed too
};
llvm::StringRef roleName(KernelRole role);

/// A problem.candidate as a value.
struct PlannedKernel {
  std::string entry, kernel;
  KernelRole role = KernelRole::Bucket;
  Candidate candidate;
  int64_t threads = 0;
  /// All that must hold of the dims; at most one per dim, sorted by dim.
  std::vector<DimGuard> guards;
  std::vector<Expr> grid; ///< work items per axis, over dims
  Expr live = Expr::constant(1), passes = Expr::constant(1);
  /// Per thread, by the template's hint; 0 if it has none.
  int64_t expectedRegisters = 0;
  bool multiplies = false; ///< by matrix instructions
  /// Of that product, over dims; nothing where the template does not say.
  std::optional<GemmHints> gemm;
  KernelAnswer answer; ///< at the heaviest instance it serves
  /// Figures of the binary by the names of ResourceUsage, `code_bytes` and
  /// `dynamic_shared_bytes`; empty until it is compiled.
  std::map<std::string, int64_t, std::less<>> usage;
  /// Its last arguments; empty until it is compiled.
  std::vector<TensorMap> maps;
  std::string rejected; ///< why it could not be built, else empty

  int64_t parameter(llvm::StringRef name, int64_t otherwise) const {
    return candidate.parameter(name, otherwise);
  }
  int64_t figure(llvm::StringRef name) const;
  bool persistent() const { return candidate.persistent(); }
  /// Bytes of dynamic shared memory: what an outside kernel's author says, or
  /// what compilation said.
  int64_t dynamicShared() const {
    return parameter("SHARED", figure("dynamic_shared_bytes"));
  }
  int64_t sharedBytes() const {
    return figure("shared_bytes") + dynamicShared();
  }
};

/// What a hot shape counts at least: one that is listed without time still
/// gets its bucket, after all others.
inline constexpr double leastWeight = 1e-9;

/// One shape with all that does not depend on the schedule.
struct ShapeFacts {
  Bindings bindings; ///< from bindAll
  double bytesRead = 0, bytesWritten = 0, flops = 0;
  std::vector<std::pair<DTypeName, double>> flopsByType;
  double elements = 0;      ///< of the largest input
  int64_t elementBytes = 1; ///< widest operand
};
llvm::Expected<ShapeFacts> factsOf(const OperatorSpec &spec,
                                   const OpSetEntry &entry,
                                   const Bindings &dims);

/// Whether `bindings` satisfy every guard.
bool admits(llvm::ArrayRef<DimGuard> guards, const Bindings &bindings);

/// Narrows the guard on `guard.dim`, or adds it. False: nothing is left.
bool addGuard(std::vector<DimGuard> &guards, const DimGuard &guard);

/// Narrows `guards` to what tensor maps need beyond them, `known` (per dim, its
/// declared range) and `alignment` of every operand. A generic kernel takes
/// what is declared, so nothing may be needed. The error says what cannot be
/// had.
llvm::Error guardTensorMaps(llvm::ArrayRef<TensorMap> maps, KernelRole role,
                            int64_t alignment,
                            llvm::function_ref<DimGuard(llvm::StringRef)> known,
                            std::vector<DimGuard> &guards);

/// Most blocks along a grid axis that the vendor launches; HIP also counts
/// threads in 32 bits.
int64_t maxGrid(const Hardware &hardware, int64_t threads, size_t axis);

/// Nothing if the kernel may not run there: a guard fails, or the grid exceeds
/// what the vendor launches.
std::optional<KernelQuestion> askAbout(const PlannedKernel &kernel,
                                       const OperatorSpec &spec,
                                       const Hardware &hardware,
                                       const ShapeFacts &shape);

/// Model time in us; infinite if the kernel may not run or does not fit.
double modelTime(const PlannedKernel &kernel, const OperatorSpec &spec,
                 const Hardware &hardware, const ShapeFacts &shape);

PlannedKernel readCandidate(problem::CandidateOp op);
std::vector<PlannedKernel> readCandidates(mlir::ModuleOp module);

/// Appends the candidate to the module's workload.
void writeCandidate(mlir::ModuleOp module, const PlannedKernel &kernel);

} // namespace lathe

#endif // LATHE_PLAN_PLANNEDKERNEL_H
