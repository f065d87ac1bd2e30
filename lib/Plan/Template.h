//===- Template.h - What the planner knows of a template --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PLAN_TEMPLATE_H
#define LATHE_LIB_PLAN_TEMPLATE_H

#include "lathe/Plan/GemmHints.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lathe {

/// The attributes of one `tile.kernel`, read by name.
struct TemplateInfo {
  std::string name;
  /// Schedule parameters by name, with the values each may take.
  using Space = std::vector<std::pair<std::string, std::vector<int64_t>>>;
  std::vector<Space> spaces; ///< of the same parameters, at least one
  std::vector<Expr> where, grid;
  std::vector<std::string> runtime; ///< sorted
  Expr live = Expr::constant(1), passes = Expr::constant(1);
  /// Registers per thread, where the author knows better than `live` tells.
  std::optional<Expr> registers;

  /// Has a `tile.dot`, so that most of its FLOPs are matrix instructions'.
  bool multiplies = false;
  /// Of that product; nothing where the author does not say.
  std::optional<GemmHints> gemm;

  bool takesAtRunTime(llvm::StringRef dim) const;
  /// Number of schedules; saturates.
  uint64_t spaceSize() const;
  /// The values that a parameter may take in some space, in their order.
  std::vector<int64_t> valuesOf(llvm::StringRef parameter) const;
  /// Calls `visit` with every schedule once, last parameter fastest.
  void forEachSchedule(llvm::function_ref<void(
                           const std::map<std::string, int64_t, std::less<>> &)>
                           visit) const;
};

/// Parses template files in a context of its own, each once. It knows the
/// dialects that are registered in `context`.
class TemplateLibrary {
public:
  explicit TemplateLibrary(mlir::MLIRContext &context);

  /// `directory`/`name`.mlir must hold one kernel.
  llvm::Expected<TemplateInfo> read(llvm::StringRef directory,
                                    llvm::StringRef name);

private:
  mlir::MLIRContext local;
};

} // namespace lathe

#endif // LATHE_LIB_PLAN_TEMPLATE_H
