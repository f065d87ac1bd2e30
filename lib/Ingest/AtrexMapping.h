//===- AtrexMapping.h - How Atrex-Bench arguments become dims ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_ATREXMAPPING_H
#define LATHE_LIB_INGEST_ATREXMAPPING_H

#include "lathe/Support/Expr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lathe {

/// One value of `atrex.dims` (see AtrexMapping in Model.h).
class AtrexDim {
public:
  static llvm::Expected<AtrexDim> parse(llvm::StringRef text);

  /// The value under a key of the entry, or nothing if it has none.
  using Lookup =
      llvm::function_ref<std::optional<ExprValue>(llvm::StringRef key)>;
  /// Nothing if a key that is needed is missing.
  llvm::Expected<std::optional<ExprValue>> evaluate(Lookup lookup) const;

private:
  /// `key[first]`, or the product of `key[first:last]`.
  struct Access {
    std::string symbol, key;
    int64_t first = 0, last = 0;
    bool isProduct = false;
  };
  static llvm::Expected<Access> parseAccess(llvm::StringRef text);

  std::vector<Access> accesses;
  Expr value;
  std::optional<Expr> times; ///< of repeat(value, times)
};

/// One value of `atrex.options`: a key, and what its values are called here:
/// `activation` or `norm_before_gate(true=before, false=after)`.
struct AtrexOption {
  std::string key;
  std::map<std::string, std::string, std::less<>> names;

  static llvm::Expected<AtrexOption> parse(llvm::StringRef text);
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_ATREXMAPPING_H
