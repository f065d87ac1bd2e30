//===- TracedTimesTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TracedTimes.h"

#include <gtest/gtest.h>

using namespace lathe::measure;
using Record = KernelTracer::Record;

namespace {

TEST(TracedTimes, SpanTheKernelsBetweenMarks) {
  std::vector<Record> records = {
      {"draw", 0, 5, 7},     {"mark", 10, 11, 7},  {"a", 12, 20, 7},
      {"b", 21, 24, 7},      {"mark", 25, 26, 7},  {"draw", 30, 90, 7},
      {"mark", 100, 101, 7}, {"a", 102, 103.5, 7}, {"mark", 104, 105, 7},
  };
  TracedTimes times = readTrace(records, "mark", 2);
  EXPECT_EQ(times.missing, "");
  EXPECT_FALSE(times.otherStream);
  EXPECT_EQ(times.us, (std::vector<double>{12, 1.5}));
}

TEST(TracedTimes, OverlappingKernelsEndWithTheLast) {
  std::vector<Record> records = {{"mark", 0, 1, 7},
                                 {"long", 2, 30, 7},
                                 {"short", 3, 5, 7},
                                 {"mark", 31, 32, 7}};
  EXPECT_EQ(readTrace(records, "mark", 1).us, std::vector<double>{28});
}

TEST(TracedTimes, OtherStreamsAreSeen) {
  std::vector<Record> records = {{"mark", 0, 1, 7},
                                 {"a", 2, 4, 7},
                                 {"hidden", 3, 60, 9},
                                 {"mark", 5, 6, 7}};
  EXPECT_TRUE(readTrace(records, "mark", 1).otherStream);
}

TEST(TracedTimes, LostRecordsAreSaid) {
  std::vector<Record> records = {{"mark", 0, 1, 7}, {"a", 2, 4, 7}};
  TracedTimes times = readTrace(records, "mark", 1);
  EXPECT_TRUE(times.us.empty());
  EXPECT_EQ(times.missing, "1 marks were recorded, expected 2");
  records = {{"mark", 0, 1, 7}, {"mark", 2, 3, 7}};
  EXPECT_EQ(readTrace(records, "mark", 1).missing,
            "a launch recorded no kernel");
}

} // namespace
