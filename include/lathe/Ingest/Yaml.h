//===- Yaml.h - YAML with positions, caps and diagnostics -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A document as a tree whose nodes know where they stand. Plain words are
// never taken for booleans (axes are called N and Y), numbers are decimal, and
// files that are too large, too deep or expand too far are refused.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_YAML_H
#define LATHE_INGEST_YAML_H

#include "lathe/Support/Expr.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <map>

namespace lathe::yaml {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  enum Kind { Null, Scalar, Sequence, Map } kind = Null;
  unsigned line = 1, column = 1;
  bool quoted = false;        ///< a scalar in quotes or a block scalar
  std::string text;           ///< of a scalar
  std::vector<NodePtr> items; ///< of a sequence
  std::vector<std::pair<NodePtr, NodePtr>> entries; ///< of a map, in order
  size_t expandedSize = 1; ///< nodes below and with it, aliases counted out
};

/// All that is wrong with one file, one line each:
/// `file:line:column: error: found and expected`.
class InputError : public llvm::ErrorInfo<InputError> {
public:
  static char ID;
  explicit InputError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  const std::string text;
};

/// Collects the errors of one file.
class Diagnostics {
public:
  explicit Diagnostics(llvm::StringRef file) : file(file.str()) {}

  void error(const Node &at, const llvm::Twine &message) {
    error(at.line, at.column, message);
  }
  void error(unsigned line, unsigned column, const llvm::Twine &message);
  bool hasErrors() const { return count != 0; }
  /// Success if nothing was reported, else an InputError.
  llvm::Error take() const;

private:
  std::string file, text;
  unsigned count = 0;
};

/// Reads the only document of `path`; null after an error.
NodePtr parseFile(llvm::StringRef path, Diagnostics &diagnostics);
NodePtr parseText(llvm::StringRef text, Diagnostics &diagnostics);

/// The known name closest to `name`, if it is close enough to be meant.
std::optional<std::string> nearest(llvm::StringRef name,
                                   llvm::ArrayRef<llvm::StringRef> known);
/// ", did you mean 'x'?" or "; expected one of a, b, c".
std::string suggestion(llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> known);

/// Typed access; each reports what was found and expected, and then gives
/// nothing. `what` names the field in the message.
class Reader {
public:
  explicit Reader(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  Diagnostics &diagnostics;

  /// Whether `node` is a map. Duplicate keys are reported, but readable (the
  /// first counts), so that other mistakes are found as well.
  bool map(const Node &node, llvm::StringRef what);
  /// Reports keys that are none of `known`.
  void keys(const Node &map, llvm::StringRef what,
            llvm::ArrayRef<llvm::StringRef> known);
  /// map() and keys() together.
  bool map(const Node &node, llvm::StringRef what,
           llvm::ArrayRef<llvm::StringRef> known);
  /// The value of `key`, or null; an explicit null counts as absent.
  const Node *find(const Node &map, llvm::StringRef key);
  /// As find(), but its absence is an error at the map.
  const Node *require(const Node &map, llvm::StringRef key,
                      llvm::StringRef what);
  bool sequence(const Node &node, llvm::StringRef what);
  /// Visits the items of the list under `key`; none if it is absent.
  void each(const Node &map, llvm::StringRef key,
            llvm::function_ref<void(const Node &)> visit);

  std::optional<std::string> string(const Node &node, llvm::StringRef what);
  /// The string under `key`; empty if it is absent.
  std::string stringAt(const Node &map, llvm::StringRef key);
  /// A name that expressions can use.
  std::optional<std::string> symbol(const Node &node, llvm::StringRef what);
  /// A word of letters, digits, `_`, `-` and `.`.
  std::optional<std::string> name(const Node &node, llvm::StringRef what);
  std::optional<std::string> oneOf(const Node &node, llvm::StringRef what,
                                   llvm::ArrayRef<llvm::StringRef> values);
  std::optional<int64_t> integer(const Node &node, llvm::StringRef what,
                                 int64_t min = INT64_MIN,
                                 int64_t max = INT64_MAX);
  /// A list; `256 x 3000` in it stands for 3000 times 256.
  std::optional<std::vector<int64_t>> integers(const Node &node,
                                               llvm::StringRef what);
  std::optional<double> number(const Node &node, llvm::StringRef what,
                               double min, double max);
  std::optional<double> number(const Node &node, llvm::StringRef what);
  /// An expression over `symbols`.
  std::optional<Expr> expression(const Node &node, llvm::StringRef what,
                                 llvm::ArrayRef<llvm::StringRef> symbols);
  /// A number with one of the units, which have the given factors.
  std::optional<double>
  quantity(const Node &node, llvm::StringRef what,
           llvm::ArrayRef<std::pair<llvm::StringRef, double>> units);

  /// `found a list` and the like, for messages.
  static std::string describe(const Node &node);

private:
  int64_t listElements = 0; ///< of all calls to integers()
};

} // namespace lathe::yaml

#endif // LATHE_INGEST_YAML_H
