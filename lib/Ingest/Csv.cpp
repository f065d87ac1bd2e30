//===- Csv.cpp - Reads CSV that others wrote ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Csv.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;
using llvm::StringRef;

/// Wider rows are not tables of shapes; their cells are dropped.
static constexpr size_t maxCells = 4096;

/// Reads one cell and its separator.
std::string CsvReader::readCell(CsvRow &row, bool &lastOfRow) {
  std::string cell;
  rest = rest.ltrim(" \t");
  if (rest.consume_front("\"")) {
    size_t opened = line;
    bool closed = false;
    while (!rest.empty() && !closed) {
      char c = rest.front();
      rest = rest.drop_front();
      line += c == '\n';
      if (c != '"')
        cell += c;
      else if (rest.consume_front("\""))
        cell += '"';
      else
        closed = true;
    }
    if (!closed)
      row.problem = "a quote that opens in line " + std::to_string(opened) +
                    " never closes";
    StringRef after =
        rest.take_until([](char c) { return c == ',' || c == '\n'; });
    if (!after.trim().empty() && row.problem.empty())
      row.problem = "text after a closing quote";
    rest = rest.drop_front(after.size());
  } else {
    StringRef plain =
        rest.take_until([](char c) { return c == ',' || c == '\n'; });
    rest = rest.drop_front(plain.size());
    cell = plain.trim().str();
  }
  lastOfRow = !rest.consume_front(",");
  return cell;
}

bool CsvReader::readRow(CsvRow &row) {
  row = CsvRow();
  // Empty lines separate nothing.
  while (true) {
    StringRef blank = rest.take_until([](char c) { return c == '\n'; });
    if (!blank.trim().empty())
      break;
    rest = rest.drop_front(blank.size());
    if (!rest.consume_front("\n"))
      return false;
    ++line;
  }
  row.line = line;
  bool lastOfRow = false;
  while (!lastOfRow) {
    std::string cell = readCell(row, lastOfRow);
    if (row.cells.size() < maxCells)
      row.cells.push_back(std::move(cell));
    else
      row.problem = "more than " + std::to_string(maxCells) + " cells";
  }
  if (rest.consume_front("\n"))
    ++line;
  return true;
}

llvm::Expected<CsvReader> CsvReader::open(StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  CsvReader reader(text);
  CsvRow row;
  if (!reader.readRow(row))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "expected a header, found an empty file");
  if (!row.problem.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "line " + std::to_string(row.line) + ": " +
                                       row.problem);
  reader.columns = std::move(row.cells);
  return reader;
}

std::optional<size_t> CsvReader::column(llvm::ArrayRef<StringRef> names) const {
  for (StringRef name : names)
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i] == name)
        return i;
  return std::nullopt;
}

bool CsvReader::next(CsvRow &row) {
  if (!readRow(row))
    return false;
  if (row.problem.empty() && row.cells.size() != columns.size())
    row.problem = "found " + std::to_string(row.cells.size()) +
                  " cells, expected " + std::to_string(columns.size()) +
                  " as in the header";
  return true;
}
