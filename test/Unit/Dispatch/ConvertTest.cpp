//===- ConvertTest.cpp - Tables survive the dialect -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyntheticTables.h"

#include "Dispatch/Convert.h"
#include "Dispatch/Dispatch.h"
#include "lathe/Package/Package.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace lathe;
using namespace lathe::test;

/// Through IR, its text and back: the packager sees no difference.
TEST(DispatchConvert, RoundTrip) {
  Rng rng(1);
  mlir::MLIRContext context;
  context.loadDialect<dispatch::DispatchDialect>();
  mlir::OpBuilder builder(&context);
  std::vector<DispatchTable> tables;
  for (const char *entry : {"norm", "gate.up-1", "x y"}) {
    tables.push_back(makeTable(rng, entry, {"sm_90a", "gfx942"}, 20));
    tables.back().options = {{"activation", "silu"}, {"0", "a b"}};
  }
  auto module = mlir::ModuleOp::create(builder.getUnknownLoc());
  mlir::OwningOpRef<mlir::ModuleOp> owner(module);
  builder.setInsertionPointToEnd(module.getBody());
  for (const DispatchTable &table : tables)
    dispatch::buildTable(builder, builder.getUnknownLoc(), table);
  ASSERT_TRUE(mlir::succeeded(mlir::verify(module)));

  std::string text;
  llvm::raw_string_ostream(text) << module;
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(parsed) << text;
  std::vector<DispatchTable> back = dispatch::readTables(*parsed);
  ASSERT_EQ(back.size(), tables.size());
  for (size_t i = 0; i < tables.size(); ++i) {
    EXPECT_EQ(llvm::cantFail(encodeTable(back[i])),
              llvm::cantFail(encodeTable(tables[i])));
    const DispatchCase &a = tables[i].cases[0], &b = back[i].cases[0];
    EXPECT_EQ(a.usage.registers, b.usage.registers);
    EXPECT_EQ(a.origin, b.origin);
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.modelUs, b.modelUs);
  }
}
