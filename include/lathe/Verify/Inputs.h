//===- Inputs.h - Test inputs, drawn by index -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element is a function of seed, operand and index alone, so that any
// part of an operand can be made at any time.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_INPUTS_H
#define LATHE_VERIFY_INPUTS_H

#include "lathe/Ingest/Model.h"
#include "lathe/Verify/DrawMath.h"
#include "lathe/Verify/DrawSource.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>

namespace lathe {

llvm::StringRef drawModeName(DrawMode mode);

/// One choice of all inputs. Only operands with a normal or uniform
/// distribution follow the mode; indices, lengths and scales stay legal.
struct Draw {
  DrawMode mode = DrawMode::Realistic;
  uint64_t seed = 0;
  const CaseSpec *spec = nullptr; ///< a case of the operator, or null
  bool otherScalars = false;      ///< scalars that nobody asked for
  bool magnitudes = false;        ///< floats and scalars without their signs

  /// "edge", or the case's name.
  std::string name() const;
};

/// The scalars of a draw: a case's own, the entry's, or defaults; with
/// `otherScalars` the latter two by factors of 1/8 to 8, never 1.
std::map<std::string, double, std::less<>> drawScalars(const OperatorSpec &spec,
                                                       const OpSetEntry &entry,
                                                       const Draw &draw);

/// How all operands are drawn; outputs have a source that says nothing. For
/// whoever draws elsewhere: `lists` are what the sources' values point at.
struct DrawSources {
  std::vector<DrawSource> sources;
  std::vector<std::vector<int64_t>> lists; ///< by operand; empty but for a List
};

/// `bindings` come from bindAll. Errors: a dtype that cannot be drawn, a shape
/// or bound that has no value, rows that want more distinct values than there
/// are.
llvm::Expected<DrawSources> makeDrawSources(const OperatorSpec &spec,
                                            const OpSetEntry &entry,
                                            const Bindings &bindings,
                                            const Draw &draw);

class InputGenerator {
public:
  /// Errors are those of makeDrawSources.
  static llvm::Expected<InputGenerator> create(const OperatorSpec &spec,
                                               const OpSetEntry &entry,
                                               const Bindings &bindings,
                                               const Draw &draw);
  InputGenerator(InputGenerator &&) noexcept;
  ~InputGenerator();

  /// Writes elements [first, first + count) of an input, counted row-major as
  /// if it were dense. `operand` counts the operator's operands.
  void fill(size_t operand, uint64_t first, uint64_t count, char *out) const;

  /// Whether rows may be repeated: no element depends on where it stands.
  bool mayRepeat(size_t operand) const;

private:
  struct Impl;
  explicit InputGenerator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace lathe

#endif // LATHE_VERIFY_INPUTS_H
