//===- Csv.h - Reads CSV that others wrote -------------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_CSV_H
#define LATHE_INGEST_CSV_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace lathe {

/// One row; `problem` says why its cells must not be used, or is empty.
struct CsvRow {
  size_t line = 0; ///< where it starts
  std::vector<std::string> cells;
  std::string problem;
};

/// A table with a header, read row by row. Cells may be quoted as in RFC 4180,
/// lines end in LF or CRLF, blanks around a cell do not count. A row with more
/// or fewer cells than the header is a problem and never shifted.
class CsvReader {
public:
  /// Reads the header; `text` must outlive the reader.
  static llvm::Expected<CsvReader> open(llvm::StringRef text);

  const std::vector<std::string> &header() const { return columns; }
  /// The first of `names` that is a column.
  std::optional<size_t> column(llvm::ArrayRef<llvm::StringRef> names) const;
  /// False at the end. Empty lines are skipped.
  bool next(CsvRow &row);

private:
  explicit CsvReader(llvm::StringRef text) : rest(text) {}
  bool readRow(CsvRow &row);
  std::string readCell(CsvRow &row, bool &lastOfRow);

  llvm::StringRef rest;
  size_t line = 1;
  std::vector<std::string> columns;
};

} // namespace lathe

#endif // LATHE_INGEST_CSV_H
