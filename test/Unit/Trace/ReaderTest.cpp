//===- ReaderTest.cpp - Traces cut, packed and damaged --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Enclosing.h"
#include "KinetoReader.h"
#include "Repair.h"

#include <gtest/gtest.h>

using namespace lathe;
using llvm::StringRef;

namespace {

/// Reads a text in pieces of `piece` bytes; false if it is no trace.
bool readText(StringRef text, TraceEvents &events, size_t piece = 1 << 20) {
  auto read = [&](char *to, size_t size) {
    StringRef part = text.take_front(std::min(size, piece));
    memcpy(to, part.data(), part.size());
    text = text.drop_front(part.size());
    return part.size();
  };
  if (llvm::Error error = readKineto(read, events)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  return true;
}

std::string opEvent(StringRef name, int start) {
  return (R"({"ph": "X", "cat": "cpu_op", "name": ")" + name +
          R"(", "pid": 1, "tid": "t 1", "ts": )" + llvm::Twine(start) +
          R"(.125, "dur": 5, "args": {"External id": 3, "Input Dims": [[2, 3], []],
          "Input type": ["float", ""]}})")
      .str();
}

TEST(KinetoReader, ReadsEveryForm) {
  std::string a = opEvent("a", 10), b = opEvent("b \\\" } ] \\\\", 20);
  for (std::string text :
       {"[" + a + "," + b + "]", "{\"traceEvents\": [" + a + ",\n" + b + "]}",
        "\xef\xbb\xbf {\"x\": {\"y\": [1, \"]\"]}, \"traceEvents\":[" + a +
            " ," + b + "], \"traceName\": \"n\"}"})
    for (size_t piece : {1, 7, 64, 100000}) {
      TraceEvents events;
      ASSERT_TRUE(readText(text, events, piece));
      ASSERT_EQ(events.ops.size(), 2u);
      EXPECT_EQ(events.ops[0].start, 10125);
      EXPECT_EQ(events.ops[0].end, 15125);
      EXPECT_EQ(events.ops[0].external, 3u);
      EXPECT_EQ(events.names[events.ops[1].name], "b \" } ] \\");
      EXPECT_EQ(events.arguments[events.ops[0].arguments],
                "{\"dims\":[[2, 3], []],\"types\":[\"float\", \"\"]}");
      EXPECT_TRUE(events.lines.empty());
    }
}

TEST(KinetoReader, ReadsWhatIsCompleteAtEveryCut) {
  std::string head = "{\"record_shapes\": 1, \"traceEvents\": [";
  std::string text = head;
  std::vector<size_t> ends;
  for (int i = 0; i != 4; ++i) {
    text += (i ? ", " : "") + opEvent("op", 10 * i);
    ends.push_back(text.size());
  }
  for (size_t size = 1; size <= text.size(); ++size) {
    TraceEvents events;
    ASSERT_TRUE(readText(StringRef(text).take_front(size), events));
    size_t complete = 0;
    for (size_t end : ends)
      complete += end <= size;
    EXPECT_EQ(events.ops.size(), complete) << size;
    ASSERT_FALSE(events.lines.empty());
    // What follows the last complete event is what was lost.
    if (complete == 2 && size > ends[1] + 2)
      EXPECT_EQ(events.lines[0].substr(0, events.lines[0].find(' ')),
                std::to_string(size - ends[1] - 2));
  }
}

TEST(KinetoReader, SkipsOneDamagedEvent) {
  for (StringRef bad :
       {R"({"ph": "X", "cat": "cpu_op", "name": "x)", R"({"ph" "X"})",
        R"({"ph": "X", "args": {"Input Dims": [[}})", "{\"ph\": \"\\", "17",
        "\"text\"", "[[[[", "}}]"}) {
    std::string text = "[" + opEvent("a", 1) + ", " + bad.str() + ", " +
                       opEvent("b", 20) + ", " + opEvent("c", 30) + "]";
    TraceEvents events;
    ASSERT_TRUE(readText(text, events));
    EXPECT_GE(events.ops.size(), 1u) << bad.str();
    EXPECT_FALSE(events.lines.empty()) << bad.str();
  }
}

TEST(KinetoReader, SurvivesAbsurdNesting) {
  std::string deep(3000000, '[');
  TraceEvents events;
  EXPECT_TRUE(readText("[" + deep, events));
  EXPECT_TRUE(readText("{\"x\":" + deep, events));
  EXPECT_TRUE(readText(R"([{"ph": "X", "cat": "cpu_op", "name": "n", "ts": 1,
      "dur": 1, "args": {"Input Dims": )" +
                           std::string(100000, '[') + std::string(100000, ']') +
                           "}}]",
                       events));
  EXPECT_TRUE(events.kernels.empty());
}

TEST(KinetoReader, RefusesWhatIsNoTrace) {
  for (StringRef text : {"", "  \n", "x", "\"text\"", "\x1f\x8b"}) {
    TraceEvents events;
    EXPECT_FALSE(readText(text, events)) << text.str();
  }
}

TEST(KinetoReader, ReadsTimesExactly) {
  EXPECT_EQ(parseMicroseconds("1700000000000000.123"), 1700000000000000123);
  EXPECT_EQ(parseMicroseconds("12"), 12000);
  EXPECT_EQ(parseMicroseconds("-0.5"), -500);
  EXPECT_EQ(parseMicroseconds("1.0004"), 1000);
  EXPECT_EQ(parseMicroseconds("1e3"), 1000000);
  EXPECT_EQ(parseMicroseconds("\"7.25\""), 7250);
  for (StringRef bad : {"", "x", "1.x", "1e99", "99999999999999999999", "nan"})
    EXPECT_FALSE(parseMicroseconds(bad)) << bad.str();
}

TEST(Repair, MakesJson) {
  auto repaired = [](StringRef text) {
    std::string result;
    repairJson(text, result, 4);
    EXPECT_EQ(StringRef(result).take_back(4), StringRef("\0\0\0\0", 4));
    return result.substr(0, result.size() - 4);
  };
  EXPECT_EQ(repaired("{\"a\": inf, \"b\": -Infinity, \"c\": [nan, NaN]}"),
            "{\"a\": null, \"b\": null, \"c\": [null, null]}");
  EXPECT_EQ(repaired("[true, null, 1e5, \"nan inf\"]"),
            "[true, null, 1e5, \"nan inf\"]");
  EXPECT_EQ(repaired("\"a\x01\xff\xc3\xa4\\q\""), "\"a ?\xc3\xa4??\"");
}

TEST(Repair, LeavesPersonalDataOut) {
  EXPECT_EQ(cleanName("void k<float>(int)"), "void k<float>(int)");
  EXPECT_EQ(cleanName("Region: 0/0"), "Region: 0/0");
  EXPECT_EQ(cleanName("a (/home/x/y.txt) b"), "a (*) b");
  EXPECT_EQ(cleanName("me@host step.py(12): f"), "* *(12): f");
  EXPECT_EQ(cleanName("C:\\Users\\me \n"), "* ?");
  EXPECT_EQ(cleanName(std::string(500, 'x')).size(), 120u);
}

TEST(Enclosing, FindsTheInnermost) {
  auto op = [](uint32_t thread, int64_t start, int64_t end) {
    TraceOp op;
    op.thread = thread;
    op.start = start;
    op.end = end;
    return op;
  };
  std::vector<TraceOp> ops = {op(0, 5, 8), op(0, 0, 10),  op(1, 0, 100),
                              op(0, 6, 7), op(0, 20, 30), op(0, 20, 30)};
  EXPECT_EQ(parents(ops, nestingOrder(ops)),
            (std::vector<uint32_t>{1, noIndex, noIndex, 0, noIndex, 4}));
  EXPECT_EQ(enclosing({{0, 6}, {0, 9}, {0, 15}, {1, 50}, {2, 1}}, ops),
            (std::vector<uint32_t>{3, 1, noIndex, 2, noIndex}));
}

} // namespace
