//===- CsvFuzzer.cpp - Reads anything as a CSV table ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Csv.h"

#include <cstdlib>

using namespace lathe;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  auto table = CsvReader::open(text);
  if (!table) {
    llvm::consumeError(table.takeError());
    return 0;
  }
  CsvRow row;
  size_t line = 0, bytes = 0;
  while (table->next(row)) {
    // Rows advance, and those without a problem fit the header.
    if (row.line <= line)
      std::abort();
    line = row.line;
    if (row.problem.empty() && row.cells.size() != table->header().size())
      std::abort();
    for (const std::string &cell : row.cells)
      bytes += cell.size();
  }
  if (bytes > size)
    std::abort();
  return 0;
}
