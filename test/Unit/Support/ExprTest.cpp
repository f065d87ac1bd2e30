//===- ExprTest.cpp - Tests of exact arithmetic over named sizes ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/Expr.h"

#include "gtest/gtest.h"

using namespace lathe;

static Expr parsed(llvm::StringRef text) {
  auto expr = Expr::parse(text);
  if (!expr) {
    ADD_FAILURE() << text.str() << ": " << llvm::toString(expr.takeError());
    return Expr();
  }
  return *expr;
}

static std::string parseError(llvm::StringRef text) {
  auto expr = Expr::parse(text);
  if (expr)
    return "parsed as " + expr->str();
  return llvm::toString(expr.takeError());
}

/// The value, or the error's text.
static std::string value(llvm::StringRef text, const Bindings &bindings = {}) {
  auto result = parsed(text).evaluate(bindings);
  if (!result)
    return llvm::toString(result.takeError());
  return std::to_string(*result);
}

static std::string bound(llvm::StringRef text, const Bindings &bindings) {
  return parsed(text).substitute(bindings).str();
}

TEST(Expr, PrintsWhatItParses) {
  for (llvm::StringRef text : {"0",
                               "-9223372036854775808",
                               "9223372036854775807",
                               "T",
                               "-T",
                               "a + b - c",
                               "a - (b - c)",
                               "a - -5",
                               "-5 * a",
                               "-(a * b)",
                               "-a * b",
                               "a * b floordiv c ceildiv d mod e",
                               "a * (b floordiv c)",
                               "(a + b) * c",
                               "a < b and b <= c or not_a_keyword",
                               "(a or b) and c",
                               "(a < b) == (c > d)",
                               "a and (b and c)",
                               "min(L)",
                               "max(a, b, c)",
                               "sum(4 * q * k)",
                               "len(L)",
                               "distinct(E, N, k)",
                               "select(a == 1, b + 1, c)",
                               "--a",
                               "--9223372036854775808"}) {
    EXPECT_EQ(parsed(text).str(), text);
    EXPECT_TRUE(parsed(parsed(text).str()) == parsed(text));
  }
  EXPECT_EQ(parsed(" ((a))+( b*c )\n").str(), "a + b * c");
  EXPECT_EQ(parsed("-(5)").str(), "-5");
  EXPECT_TRUE(parsed("a + b") != parsed("b + a"));
}

TEST(Expr, Precedence) {
  EXPECT_EQ(value("2 + 3 * 4"), "14");
  EXPECT_EQ(value("20 - 3 - 4"), "13");
  EXPECT_EQ(value("-7 floordiv 2"), "-4");
  EXPECT_EQ(value("-(7 floordiv 2)"), "-3");
  EXPECT_EQ(value("7 ceildiv 2 * 2"), "8");
  EXPECT_EQ(value("1 + 1 == 2 and 0 or 1"), "1");
  EXPECT_EQ(value("1 or 0 and 0"), "1");
}

TEST(Expr, DivisionRounds) {
  EXPECT_EQ(value("7 floordiv -2"), "-4");
  EXPECT_EQ(value("-7 ceildiv 2"), "-3");
  EXPECT_EQ(value("7 ceildiv -2"), "-3");
  EXPECT_EQ(value("-7 mod 4"), "1");
  EXPECT_EQ(value("7 mod -4"), "-1");
  EXPECT_EQ(value("-8 mod 4"), "0");
  EXPECT_EQ(value("5 floordiv -1"), "-5");
  EXPECT_EQ(value("5 ceildiv -1"), "-5");
  EXPECT_EQ(value("5 mod -1"), "0");
}

TEST(Expr, EvaluationErrors) {
  EXPECT_EQ(value("1 floordiv 0"), "division by zero");
  EXPECT_EQ(value("1 ceildiv (1 - 1)"), "division by zero");
  EXPECT_EQ(value("1 mod 0"), "modulo zero");
  EXPECT_EQ(value("T + 1"), "'T' is not bound");
  EXPECT_EQ(value("T", {{"T", std::vector<int64_t>{1, 2}}}),
            "'T' is a list where a number is due");
  EXPECT_EQ(value("9223372036854775807 + 1"), "overflow of 64 bits");
  EXPECT_EQ(value("-9223372036854775808 - 1"), "overflow of 64 bits");
  EXPECT_EQ(value("-(-9223372036854775808)"), "overflow of 64 bits");
  EXPECT_EQ(value("-9223372036854775808 floordiv -1"), "overflow of 64 bits");
}

TEST(Expr, IntermediatesAreWide) {
  Bindings b{{"m", INT64_MAX}, {"n", INT64_MIN}};
  EXPECT_EQ(value("m * m floordiv m", b), std::to_string(INT64_MAX));
  EXPECT_EQ(value("m + m - m", b), std::to_string(INT64_MAX));
  EXPECT_EQ(value("m * m * m", b), "overflow of 128 bits");
  EXPECT_EQ(value("n * n * 2", b), "overflow of 128 bits");
  EXPECT_EQ(value("n * n * -2 floordiv -1", b), "overflow of 128 bits");
  EXPECT_EQ(value("n * n * -2 ceildiv -1", b), "overflow of 128 bits");
}

TEST(Expr, Lists) {
  Bindings b{{"q", std::vector<int64_t>{1, 2, 3}},
             {"k", std::vector<int64_t>{10, 20, 30}},
             {"short", std::vector<int64_t>{1}},
             {"none", std::vector<int64_t>{}},
             {"h", 2}};
  EXPECT_EQ(value("sum(q)", b), "6");
  EXPECT_EQ(value("sum(h * q * k)", b), "280");
  EXPECT_EQ(value("h * sum(q * min(k, 15))", b), "170");
  EXPECT_EQ(value("len(q) + max(k) - min(q)", b), "32");
  EXPECT_EQ(value("sum(q * sum(k))", b), "360");
  EXPECT_EQ(value("max(q * (4 - q))", b), "4");
  EXPECT_EQ(value("sum(none) + len(none)", b), "0");
  EXPECT_EQ(value("max(none)", b), "'max(none)' of an empty list");
  EXPECT_EQ(value("sum(q * short)", b), "'q' has 3 elements and 'short' has 1");
  EXPECT_EQ(value("sum(h)", b), "no list in 'h'");
  EXPECT_EQ(value("sum(q) + k", b), "'k' is a list where a number is due");
}

TEST(Expr, Distinct) {
  // 256 experts, one row of 8: exactly 8 are touched.
  EXPECT_EQ(value("distinct(256, 1, 8)"), "8");
  EXPECT_EQ(value("distinct(256, 0, 8)"), "0");
  EXPECT_EQ(value("distinct(8, 100000, 8)"), "8");
  EXPECT_EQ(value("distinct(4, 2, 1)"), "2"); // ceil(4 * (1 - 9/16))
  EXPECT_EQ(value("distinct(0, 5, 0)"), "0");
  EXPECT_EQ(value("distinct(8, 2, 1, 1000)"), "1875"); // 1000 * 8 * (1 - 49/64)
  EXPECT_EQ(value("distinct(8, 2, 1, -1)"), "distinct of a negative number");
  EXPECT_EQ(value("distinct(4, 2, 5)"),
            "distinct draws more than there are values");
  EXPECT_EQ(value("distinct(4, -2, 1)"), "distinct of a negative number");
}

TEST(Expr, SelectAndLogicAreLazy) {
  EXPECT_EQ(value("select(1, 5, 1 floordiv 0)"), "5");
  EXPECT_EQ(value("select(0, missing, 6)"), "6");
  EXPECT_EQ(value("0 and missing"), "0");
  EXPECT_EQ(value("7 or missing"), "1");
  EXPECT_EQ(value("1 and missing"), "'missing' is not bound");
}

TEST(Expr, SubstituteFolds) {
  EXPECT_EQ(bound("T * a + b", {{"a", 1}, {"b", 0}}), "T");
  EXPECT_EQ(bound("T * a + b", {{"a", 0}, {"b", 7}}), "7");
  EXPECT_EQ(bound("b + a * T", {{"a", 1}, {"b", 0}}), "T");
  EXPECT_EQ(bound("T mod a", {{"a", 1}}), "0");
  EXPECT_EQ(bound("T ceildiv a", {{"a", 1}}), "T");
  EXPECT_EQ(bound("T floordiv a - b", {{"a", 1}, {"b", 0}}), "T");
  EXPECT_EQ(bound("T ceildiv (ROWS * 2)", {{"ROWS", 4}}), "T ceildiv 8");
  EXPECT_EQ(bound("H * 4 <= 1024 and T > 0", {{"H", 16}}), "T > 0");
  EXPECT_EQ(bound("H * 4 <= 1024 and T > 0", {{"H", 512}}), "0");
  EXPECT_EQ(bound("a or T", {{"a", 0}}), "T != 0");
  EXPECT_EQ(bound("select(a == 1, T, U)", {{"a", 1}}), "T");
  EXPECT_EQ(bound("min(a, 8) + T", {{"a", 9}}), "8 + T");
  EXPECT_EQ(bound("T floordiv a", {{"a", 0}}), "T floordiv 0");
  EXPECT_EQ(bound("-a", {{"a", INT64_MIN}}), "--9223372036854775808");
}

TEST(Expr, SubstituteKeepsLists) {
  Bindings lists{{"q", std::vector<int64_t>{1, 2, 3}}};
  EXPECT_EQ(bound("sum(q * h)", lists), "sum(q * h)");
  EXPECT_EQ(bound("2 * sum(q) + T", lists), "12 + T");
  EXPECT_EQ(bound("q + 1", lists), "q + 1");
  // The factor would hide the list, and with it the number of positions.
  EXPECT_EQ(bound("sum(q * a + 1)", {{"a", 0}}), "sum(q * 0 + 1)");
  EXPECT_EQ(bound("sum(q mod a + 1)", {{"a", 1}}), "sum(q mod 1 + 1)");
}

TEST(Expr, SubstitutionAgreesWithEvaluation) {
  Expr expr = parsed("(a * b + c) ceildiv 3 - c * select(a < b, a mod 5, b)");
  for (int64_t a = -3; a <= 3; ++a)
    for (int64_t b = -3; b <= 3; ++b)
      for (int64_t c = -1; c <= 1; ++c) {
        Expr partial = expr.substitute({{"b", b}});
        Bindings all{{"a", a}, {"b", b}, {"c", c}};
        EXPECT_EQ(llvm::cantFail(partial.evaluate(all)),
                  llvm::cantFail(expr.evaluate(all)));
        EXPECT_EQ(expr.substitute(all).asConstant(),
                  llvm::cantFail(expr.evaluate(all)));
        EXPECT_TRUE(parsed(partial.str()) == partial);
      }
}

TEST(Expr, MakeFolds) {
  Expr t = Expr::symbol("T"), two = Expr::constant(2);
  EXPECT_EQ(Expr::make(Expr::Kind::Add, {two, two}).asConstant(), 4);
  EXPECT_EQ(Expr::make(Expr::Kind::Mul, {t, Expr::constant(1)}), t);
  EXPECT_EQ(Expr::make(Expr::Kind::Max, {t, two}).str(), "max(T, 2)");
  EXPECT_EQ(Expr::make(Expr::Kind::Neg, {two}).str(), "-2");
  EXPECT_EQ(Expr().asConstant(), 0);
}

TEST(Expr, ParseErrorsNameTheColumn) {
  EXPECT_EQ(parseError(""), "column 1: expected an operand, found the end");
  EXPECT_EQ(parseError("a +"), "column 4: expected an operand, found the end");
  EXPECT_EQ(parseError("a * )"), "column 5: expected an operand, found ')'");
  EXPECT_EQ(parseError("(a"), "column 3: expected ')', found the end");
  EXPECT_EQ(parseError("a b"), "column 3: expected an operator, found 'b'");
  EXPECT_EQ(parseError("a < b < c"),
            "column 7: expected an operator, found '<'");
  EXPECT_EQ(parseError("a / b"), "column 3: expected an operator, found '/'");
  EXPECT_EQ(parseError("mod + 1"),
            "column 1: expected an operand, found 'mod'");
  EXPECT_EQ(parseError("sum + 1"),
            "column 5: expected '(' after 'sum', found '+'");
  EXPECT_EQ(parseError("select(a, b)"),
            "column 12: 'select' takes 3 operands, found 2");
  EXPECT_EQ(parseError("min()"), "column 5: expected an operand, found ')'");
  EXPECT_EQ(parseError("a + \x01"),
            "column 5: expected an operand, found '\\01'");
}

TEST(Expr, IntegersAreDecimal) {
  for (llvm::StringRef text : {"0x10", "1_000", "1e6", "12a"})
    EXPECT_EQ(parseError(text),
              "column 1: expected a decimal integer, found '" + text.str() +
                  "'");
  EXPECT_EQ(parseError("010"),
            "column 1: expected an integer without leading zeros, found '010'");
  EXPECT_EQ(parseError("1.5"), "column 2: expected an operator, found '.'");
  EXPECT_EQ(parseError("9223372036854775808"),
            "column 1: expected an integer of 64 bits, found "
            "'9223372036854775808'");
}

TEST(Expr, UntrustedTextIsBounded) {
  EXPECT_EQ(parseError(std::string(20000, ' ')),
            "column 20001: expression longer than 16384 characters");
  EXPECT_NE(parseError(std::string(5000, '(')).find("deeper than 256"),
            std::string::npos);
  EXPECT_NE(parseError(std::string(5000, '-') + "a").find("deeper than 256"),
            std::string::npos);
  std::string chain = "a";
  for (int i = 0; i < 1000; ++i)
    chain += "+a";
  EXPECT_NE(parseError(chain).find("deeper than 256"), std::string::npos);
  std::string nested = "a";
  for (int i = 0; i < 100; ++i)
    nested = "max(" + nested + ", 1)";
  EXPECT_EQ(value(nested, {{"a", 3}}), "3");
}

TEST(Expr, SymbolNames) {
  EXPECT_TRUE(isExprSymbol("N"));
  EXPECT_TRUE(isExprSymbol("_x1"));
  for (llvm::StringRef name : {"", "1a", "a-b", "mod", "sum", "and", "é"})
    EXPECT_FALSE(isExprSymbol(name)) << name.str();
  llvm::SetVector<llvm::StringRef> symbols;
  Expr expr = parsed("b * a + sum(b)");
  expr.collectSymbols(symbols);
  EXPECT_EQ(llvm::ArrayRef<llvm::StringRef>(symbols.getArrayRef()),
            llvm::ArrayRef<llvm::StringRef>({"b", "a"}));
}
