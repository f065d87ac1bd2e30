//===- YamlTest.cpp - Tests of positioned YAML ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Yaml.h"

#include "gtest/gtest.h"

using namespace lathe;
using namespace lathe::yaml;

namespace {
/// Parses `text` and lets `use` read it; the errors are in `errors`.
struct Parsed {
  Diagnostics diagnostics{"f.yaml"};
  Reader reader{diagnostics};
  NodePtr root;

  explicit Parsed(llvm::StringRef text) : root(parseText(text, diagnostics)) {}

  const Node &at(llvm::StringRef key) {
    const Node *node = reader.find(*root, key);
    return node ? *node : *root;
  }
  std::string errors() { return llvm::toString(diagnostics.take()); }
};
} // namespace

static std::string parseErrors(llvm::StringRef text) {
  return Parsed(text).errors();
}

TEST(Yaml, PlainWordsStayText) {
  Parsed p("{N: on, Y: off, a: yes, b: no, c: y, d: n, e: true}");
  for (llvm::StringRef key : {"N", "Y", "a", "b", "c", "d", "e"})
    EXPECT_TRUE(p.reader.symbol(p.at(key), key)) << key.str();
  EXPECT_EQ(p.at("N").text, "on");
  EXPECT_EQ(p.errors(), "");
}

TEST(Yaml, FloatsNeedNoDot) {
  for (auto &[text, value] : std::map<std::string, double>{{"1e-6", 1e-6},
                                                           {"1.0e-6", 1e-6},
                                                           {"1E+3", 1000},
                                                           {"5", 5},
                                                           {"-0.5", -0.5},
                                                           {"0", 0},
                                                           {"2.", 2}}) {
    Parsed p("a: " + text);
    EXPECT_EQ(p.reader.number(p.at("a"), "a"), value) << text;
    EXPECT_EQ(p.errors(), "");
  }
}

TEST(Yaml, NumbersAreNeverGuessed) {
  for (std::string text : {"010", "1_000", "0x10", "1:30", "0o17", "'5'", "1e",
                           "1.5.2", "five", "[5]", "{b: 5}", ".5", "+5", ".inf",
                           ".nan", "1e999", "0b11", "1,000"}) {
    Parsed p("a: " + text);
    EXPECT_FALSE(p.reader.number(p.at("a"), "a")) << text;
    EXPECT_FALSE(p.reader.integer(p.at("a"), "a")) << text;
    EXPECT_NE(p.errors(), "") << text;
  }
  Parsed p("a: 010");
  p.reader.integer(p.at("a"), "dims.a");
  EXPECT_EQ(p.errors(), "f.yaml:1:4: error: dims.a: expected a decimal "
                        "integer, found '010'");
  for (std::string text : {"1e3", "1.0", "9223372036854775808"}) {
    Parsed p("a: " + text);
    EXPECT_FALSE(p.reader.integer(p.at("a"), "a")) << text;
  }
}

TEST(Yaml, Ranges) {
  Parsed p("{a: 5, b: -1, c: 1.5}");
  EXPECT_EQ(p.reader.integer(p.at("a"), "a", 0, 5), 5);
  EXPECT_FALSE(p.reader.integer(p.at("b"), "b", 0, 9));
  EXPECT_FALSE(p.reader.integer(p.at("b"), "b", 0));
  EXPECT_FALSE(p.reader.number(p.at("c"), "c", 0, 1));
  EXPECT_EQ(p.errors(),
            "f.yaml:1:11: error: b: expected an integer between 0 and 9, found "
            "-1\n"
            "f.yaml:1:11: error: b: expected an integer at least 0, found -1\n"
            "f.yaml:1:18: error: c: expected a number between 0 and 1, found "
            "1.5");
}

TEST(Yaml, DuplicateKeysNameBothLines) {
  Parsed p("a: 1\nb: 2\na: 3\n");
  EXPECT_TRUE(p.reader.map(*p.root, "thing"));
  EXPECT_EQ(p.at("a").text, "1");
  EXPECT_EQ(p.errors(), "f.yaml:3:1: error: thing: duplicate key 'a', first "
                        "given in line 1");
}

TEST(Yaml, UnknownKeysNameTheNearest) {
  Parsed p("summry: 1\n");
  EXPECT_TRUE(p.reader.map(*p.root, "thing", {"summary", "source"}));
  EXPECT_EQ(p.errors(), "f.yaml:1:1: error: thing: unknown key 'summry', did "
                        "you mean 'summary'?");
  Parsed q("zzzzzz: 1\n");
  q.reader.map(*q.root, "thing", {"summary", "source"});
  EXPECT_EQ(q.errors(), "f.yaml:1:1: error: thing: unknown key 'zzzzzz'; "
                        "expected one of summary, source");
}

TEST(Yaml, Nearest) {
  EXPECT_EQ(nearest("sm_90", {"sm_80", "sm_90a"}), "sm_90a");
  EXPECT_EQ(nearest("h", {"H", "T"}), "H");
  EXPECT_EQ(nearest("x", {"H", "T"}), std::nullopt);
  EXPECT_EQ(nearest("importence", {"importance", "import"}), "importance");
}

TEST(Yaml, ListsOfIntegers) {
  Parsed p("{a: [1, 2 x 3, 4], b: [1 x y], c: [x], d: 5, e: []}");
  EXPECT_EQ(p.reader.integers(p.at("a"), "a"),
            std::vector<int64_t>({1, 2, 2, 2, 4}));
  EXPECT_EQ(p.reader.integers(p.at("e"), "e"), std::vector<int64_t>());
  for (llvm::StringRef key : {"b", "c", "d"})
    EXPECT_FALSE(p.reader.integers(p.at(key), key));
  Parsed q("a: [1 x 1000000, 1 x 1000000]");
  EXPECT_FALSE(q.reader.integers(q.at("a"), "a"));
  EXPECT_EQ(q.errors(), "f.yaml:1:18: error: a: more than 1048576 elements");
}

TEST(Yaml, ExpressionsNameTheColumn) {
  Parsed p("cost: T * (H + 1\nread: T * Hh\nwrite: 'T +'\n");
  p.reader.expression(p.at("cost"), "cost", {"T", "H"});
  p.reader.expression(p.at("read"), "read", {"T", "H"});
  p.reader.expression(p.at("write"), "write", {"T", "H"});
  EXPECT_EQ(p.errors(),
            "f.yaml:1:17: error: cost: expected ')', found the end\n"
            "f.yaml:2:7: error: read: unknown name 'Hh', did you mean 'H'?\n"
            "f.yaml:3:12: error: write: expected an operand, found the end");
}

TEST(Yaml, Quantities) {
  Parsed p("{a: 4.8 TB/s, b: 4.8, c: 4.8 GB, d: -1 TB/s, e: 48e2 GB/s}");
  std::pair<llvm::StringRef, double> units[] = {{"TB/s", 1e12}, {"GB/s", 1e9}};
  EXPECT_EQ(p.reader.quantity(p.at("a"), "a", units), 4.8e12);
  EXPECT_EQ(p.reader.quantity(p.at("e"), "e", units), 4.8e12);
  for (llvm::StringRef key : {"b", "c", "d"})
    EXPECT_FALSE(p.reader.quantity(p.at(key), key, units));
  EXPECT_NE(p.errors().find("b: expected a positive number and a unit (TB/s, "
                            "GB/s), such as '1 TB/s', found '4.8'"),
            std::string::npos);
}

TEST(Yaml, SyntaxErrorsHaveAPlace) {
  EXPECT_EQ(parseErrors("a: [1, 2\nb: 3\n").substr(0, 9), "f.yaml:2:");
  EXPECT_EQ(parseErrors(""),
            "f.yaml:1:1: error: expected a map, found an empty file");
  EXPECT_EQ(parseErrors("a: 1\n---\nb: 2\n"),
            "f.yaml:3:1: error: expected one document, found a second");
  EXPECT_EQ(parseErrors("a: !!int 5\n").substr(0, 11), "f.yaml:1:4:");
  EXPECT_EQ(parseErrors(llvm::StringRef("a: 1\nb: \0", 9)),
            "f.yaml:2:1: error: expected text, found a zero byte");
}

TEST(Yaml, AliasesShareButCount) {
  Parsed p("a: &x [1, 2]\nb: *x\n");
  EXPECT_EQ(p.reader.integers(p.at("b"), "b"), std::vector<int64_t>({1, 2}));
  EXPECT_EQ(parseErrors("a: &x [*x]\n"),
            "f.yaml:1:8: error: an alias to a node that contains it");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string before = "*a" + std::to_string(i - 1);
    std::string name = "a" + std::to_string(i);
    bomb += name + ": &" + name + " [";
    for (int j = 0; j < 10; ++j)
      bomb += (j ? ", " : "") + before;
    bomb += "]\n";
  }
  EXPECT_NE(parseErrors(bomb).find("more than 1000000 values"),
            std::string::npos);
}

TEST(Yaml, SizesAreBounded) {
  EXPECT_NE(parseErrors(std::string(17 << 20, ' ')).find("expected at most"),
            std::string::npos);
  EXPECT_NE(parseErrors(std::string(100, '[')).find("nested deeper than 32"),
            std::string::npos);
  EXPECT_NE(parseErrors(std::string(100000, '[')).find("error"),
            std::string::npos);
  EXPECT_NE(parseErrors(std::string(100000, '{')).find("error"),
            std::string::npos);
}

TEST(Yaml, ManyErrorsAreCounted) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "k" + std::to_string(i) + ": x\n";
  Parsed p(text);
  for (auto &[key, value] : p.root->entries)
    p.reader.number(*value, key->text);
  std::string errors = p.errors();
  EXPECT_EQ(llvm::StringRef(errors).count('\n'), 20u);
  EXPECT_NE(errors.find("f.yaml: 30 more errors in this file"),
            std::string::npos);
}
