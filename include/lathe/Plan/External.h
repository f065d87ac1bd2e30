//===- External.h - Kernels that people bring, as candidates ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_EXTERNAL_H
#define LATHE_PLAN_EXTERNAL_H

#include "lathe/Plan/PlannedKernel.h"

namespace lathe {

/// What the author of a kernel says of it: in a YAML file of its own, or in
/// lines of the source that start with "// lathe:" and hold the same YAML.
struct LaunchDescription {
  std::string kernel; ///< entry point; empty: the only one
  /// Blocks per axis, one to three, over dims. Empty: a template's own.
  std::vector<Expr> grid;
  int64_t threads = 0;     ///< per block; 0: a template's own
  int64_t sharedBytes = 0; ///< dynamic
  /// Dims compiled in. All others are arguments.
  std::map<std::string, int64_t, std::less<>> fixed;
  /// What must hold of the dims, `fixed` among them; sorted by dim.
  std::vector<DimGuard> guards;
  int64_t alignment = 0; ///< of every operand's base; 0: that of an element
  std::map<std::string, int64_t, std::less<>> schedule; ///< of a template
};

/// The YAML in a source's "// lathe:" lines, at the lines where they stand, so
/// that messages name places in the source. Empty if there are none.
std::string launchTextOf(llvm::StringRef source);

/// Reads a description of a kernel of `spec`. `text` is YAML; `name` stands in
/// messages. A template has grid and block of its own, and a schedule instead.
/// Errors: InputError.
llvm::Expected<LaunchDescription> loadLaunch(llvm::StringRef text,
                                             llvm::StringRef name,
                                             const OperatorSpec &spec,
                                             bool isTemplate);

struct ExternalQuestion {
  const OperatorSpec *spec = nullptr;
  const OpSetEntry *entry = nullptr;
  const Hardware *hardware = nullptr;
  LaunchDescription launch;
  /// Stands where kernel names have the template's; see externalName.
  std::string name;
  Bindings heaviest; ///< from bindAll; where the model is asked
  /// Of a template: its file and the context that has its dialects.
  std::string templateFile;
  mlir::MLIRContext *context = nullptr;
};

/// At most 24 letters, digits and underscores of a file's name, and eight
/// digits of a hash of all that makes the kernel: legal in kernel names.
std::string externalName(llvm::StringRef path, llvm::StringRef sha256);

/// The kernel as a candidate of the entry. Errors: what the operator, the
/// architecture or kernel names do not allow.
llvm::Expected<PlannedKernel> planExternal(const ExternalQuestion &question);

} // namespace lathe

#endif // LATHE_PLAN_EXTERNAL_H
