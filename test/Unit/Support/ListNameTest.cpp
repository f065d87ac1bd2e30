//===- ListNameTest.cpp - Lists of sequences in names of sizes ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/ListName.h"

#include "gtest/gtest.h"

using namespace lathe;

TEST(ListName, NamesRunsAndReadsThemBack) {
  std::vector<std::pair<std::vector<int64_t>, std::string>> cases = {
      {{}, "0x0"},
      {{17}, "17x1"},
      {{0}, "0x1"},
      {std::vector<int64_t>(3000, 256), "256x3000"},
      {{17, 0, 64, 64, 3}, "17+0+64x2+3"},
  };
  for (const auto &[list, name] : cases) {
    EXPECT_EQ(listName(list), name);
    EXPECT_TRUE(isListName(name)) << name;
    EXPECT_EQ(listOfName(name), list);
  }
  EXPECT_FALSE(isListName("17"));
  EXPECT_FALSE(isListName("-1"));
}

TEST(ListName, ReadsRunsThatAreNotCanonical) {
  EXPECT_EQ(listOfName("5"), (std::vector<int64_t>{5}));
  EXPECT_EQ(listOfName("5x1+5x2"), (std::vector<int64_t>{5, 5, 5}));
  for (const char *wrong :
       {"", "x", "5x", "x3", "5+", "+5", "5x-1", "-5x2", "5 x 2", "5x2x3",
        "1x1048577", "1x1048576+1", "five"})
    EXPECT_FALSE(listOfName(wrong)) << wrong;
}

TEST(ListName, BoundsTheNamesOfIrregularLists) {
  std::vector<int64_t> list;
  for (int64_t i = 0; i < 5000; ++i)
    list.push_back(i * i % 997);
  std::string name = listName(list);
  EXPECT_LT(name.size(), 96u);
  EXPECT_TRUE(isListName(name));
  EXPECT_FALSE(listOfName(name)) << name;
  std::swap(list[1], list[2]);
  EXPECT_NE(listName(list), name);
}
