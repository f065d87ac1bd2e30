//===- ExpressionTest.cpp - The runtime computes what the compiler means --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "OpenedBundle.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace lathe;
using namespace lathe::test;

/// A random expression over T, H and XS.
static std::string drawExpr(Rng &rng, int depth) {
  if (depth == 0 || draw(rng, 0, 4) == 0) {
    static const char *const leaves[] = {
        "T", "H", "XS", "0", "1", "-1", "3", "64", "9223372036854775807"};
    return leaves[draw(rng, 0, 8)];
  }
  std::string a = drawExpr(rng, depth - 1), b = drawExpr(rng, depth - 1);
  switch (draw(rng, 0, 4)) {
  case 0:
    return "min(" + a + ", " + b + ", " + drawExpr(rng, depth - 1) + ")";
  case 1:
    return "select(" + a + ", " + b + ", " + drawExpr(rng, depth - 1) + ")";
  case 2:
    return "max(" + a + ", " + b + ")";
  default:
    static const char *const ops[] = {"+",   "-",  "*",  "floordiv", "ceildiv",
                                      "mod", "==", "<=", "and",      "or"};
    return "((" + a + ") " + ops[draw(rng, 0, 9)] + " (" + b + "))";
  }
}

/// Compares through a default: the runtime evaluates it, explain shows it.
TEST(Expression, AgreesWithTheCompiler) {
  Rng rng(5);
  int failures = 0, values = 0;
  for (int i = 0; i < 400; ++i) {
    auto expr = Expr::parse(drawExpr(rng, 4));
    if (!expr) { // folding found a division by zero or an overflow
      llvm::consumeError(expr.takeError());
      continue;
    }
    DispatchTable table = makeSignature("norm");
    table.dims[0] = {"T", -100, 100, {}};
    table.dims[1] = {"H", INT64_MIN + 1, INT64_MAX, {}};
    table.dims.push_back({"R", INT64_MIN + 1, INT64_MAX, *expr});
    table.cases.push_back(makeCase("sm_90a", CaseKind::Generic, {}));
    table.cases[0].gridX = Expr::constant(1);
    Opened opened(makeBundle({table}));
    for (int j = 0; j < 20; ++j) {
      int64_t dims[] = {draw(rng, -100, 100),
                        draw(rng, 0, 1) ? draw(rng, INT64_MIN + 1, INT64_MAX)
                                        : draw(rng, -2, 2),
                        draw(rng, 1, 1000), LATHE_DIM_DEFAULT};
      auto expected =
          expr->evaluate({{"T", dims[0]}, {"H", dims[1]}, {"XS", dims[2]}});
      lathe_explanation why = {};
      why.struct_size = sizeof why;
      lathe_status status =
          lathe_explain(opened.table("norm"), 0, dims, 4, 0, &why, nullptr, 0);
      if (!expected || *expected == INT64_MIN) {
        llvm::consumeError(expected.takeError());
        ASSERT_NE(status, LATHE_OK) << expr->str();
        ++failures;
        continue;
      }
      ASSERT_EQ(status, LATHE_OK) << expr->str() << ": " << lathe_last_error();
      ASSERT_EQ(why.dims[3], *expected) << expr->str();
      ++values;
    }
  }
  EXPECT_GT(failures, 100);
  EXPECT_GT(values, 1000);
}

TEST(Expression, ChecksPrograms) {
  auto check = [](std::vector<lathe_table_instr> code) {
    return runtime::checkProgram(code.data(), code.size(), 2) == nullptr;
  };
  EXPECT_TRUE(check({{LATHE_OP_CONST, 0, 5}}));
  EXPECT_TRUE(check({{LATHE_OP_DIM, 0, 1}, {LATHE_OP_NEG, 0, 0}}));
  EXPECT_FALSE(check({}));
  EXPECT_FALSE(check({{LATHE_OP_DIM, 0, 2}}));
  EXPECT_FALSE(check({{LATHE_OP_ADD, 0, 0}}));
  EXPECT_FALSE(check({{LATHE_OP_CONST, 0, 5}, {LATHE_OP_CONST, 0, 5}}));
  EXPECT_FALSE(check({{LATHE_OP_COUNT, 0, 0}}));
  EXPECT_FALSE(check(std::vector<lathe_table_instr>(LATHE_TABLE_MAX_STACK + 1,
                                                    {LATHE_OP_CONST, 0, 1})));
}
