//===- CsvTest.cpp - Tests of the CSV reader ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Csv.h"

#include "gtest/gtest.h"

using namespace lathe;

/// `line:cell|cell` or `line!problem` per row.
static std::string rows(llvm::StringRef text) {
  auto table = CsvReader::open(text);
  if (!table)
    return "error: " + llvm::toString(table.takeError());
  std::string result;
  CsvRow row;
  while (table->next(row)) {
    result += std::to_string(row.line) + (row.problem.empty() ? ":" : "!");
    for (size_t i = 0; row.problem.empty() && i < row.cells.size(); ++i)
      result += (i ? "|" : "") + row.cells[i];
    result += row.problem + "\n";
  }
  return result;
}

TEST(CsvTest, ReadsQuotesBlanksAndLineEnds) {
  EXPECT_EQ(rows("a,b\n1, 2 \r\n\n\"x,\"\"y\",\" z \"\n"),
            "2:1|2\n4:x,\"y| z \n");
  EXPECT_EQ(rows("\xef\xbb\xbf"
                 "a\n1"),
            "2:1\n");
  EXPECT_EQ(rows("a,b\n\"1\n2\",3\n4,5\n"), "2:1\n2|3\n4:4|5\n");
  EXPECT_EQ(rows("a,b\n,\n"), "2:|\n");
}

TEST(CsvTest, NeverShiftsCells) {
  EXPECT_EQ(rows("a,b\n1\n1,2,3\n4,5\n"),
            "2!found 1 cells, expected 2 as in the header\n"
            "3!found 3 cells, expected 2 as in the header\n4:4|5\n");
  EXPECT_EQ(rows("a,b\n\"1\"x,2\n3,4\n"),
            "2!text after a closing quote\n3:3|4\n");
  EXPECT_EQ(rows("a\n\"1\n2\n"),
            "2!a quote that opens in line 2 never closes\n");
}

TEST(CsvTest, FindsColumnsByAnyName) {
  auto table = CsvReader::open("Grid_Size, M\n");
  ASSERT_TRUE(bool(table));
  EXPECT_EQ(table->column({"m", "M"}), 1u);
  EXPECT_FALSE(table->column({"K"}));
}

TEST(CsvTest, RefusesFilesWithoutHeader) {
  EXPECT_EQ(rows(""), "error: expected a header, found an empty file");
  EXPECT_EQ(rows(" \r\n\n"), "error: expected a header, found an empty file");
  std::string wide(5000, ',');
  EXPECT_EQ(rows(wide), "error: line 1: more than 4096 cells");
}
