//===- AtrexFolder.h - The files of one Atrex-Bench operator ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_ATREXFOLDER_H
#define LATHE_LIB_INGEST_ATREXFOLDER_H

#include "lathe/Support/Expr.h"

#include "llvm/Support/JSON.h"

namespace lathe {

/// One entry of shapes.json, with what metadata.json records about it.
struct AtrexShape {
  std::string id;
  /// init_kwargs and input_kwargs together.
  std::map<std::string, llvm::json::Value, std::less<>> arguments;
  double duration = 0, count = 0, production = 0; ///< us; 0: not recorded
  std::string problem; ///< why it cannot be read, or empty
};

struct AtrexOperator {
  std::string name;
  double importance = 0;
  std::string phase; ///< as recorded, maybe empty
  std::map<std::string, std::string, std::less<>> dtypes; ///< by operand
  std::vector<AtrexShape> shapes;                         ///< by id
  std::vector<std::string> problems;                      ///< of shapes.json
  std::vector<std::string> notes;                         ///< of metadata.json
};

/// Operators in the order of their names; those that only the importance file
/// names have no shapes.
llvm::Expected<std::vector<AtrexOperator>>
readAtrexFolder(llvm::StringRef directory);

/// An integer or a list of integers; nothing for other values.
std::optional<ExprValue> atrexValue(const llvm::json::Value &value);

} // namespace lathe

#endif // LATHE_LIB_INGEST_ATREXFOLDER_H
