//===- GuardGridTest.cpp - Grids within what can be launched --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/KernelCase.h"

#include "gtest/gtest.h"

using namespace lathe;

namespace {

/// Blocks of 16 x 64 elements of a matrix of M rows and N columns.
struct Blocks {
  Blocks() {
    for (const char *name : {"M", "N"}) {
      DimSpec dim;
      dim.name = name;
      dim.min = 1;
      dim.max = int64_t(1) << 40;
      spec.dims.push_back(dim);
    }
    hardware.vendor = "nvidia";
    auto blocks = [](const char *dim, int64_t size) {
      return Expr::make(Expr::Kind::CeilDiv,
                        {Expr::symbol(dim), Expr::constant(size)});
    };
    row.gridX = Expr::make(Expr::Kind::Mul, {blocks("M", 16), blocks("N", 64)});
    row.gridY = row.gridZ = Expr::constant(1);
    row.blockThreads = 128;
  }
  OperatorSpec spec;
  Hardware hardware;
  DispatchCase row;
};

} // namespace

TEST(GuardGrid, TwoOpenDimsAreNotGuarded) {
  Blocks blocks;
  EXPECT_FALSE(guardGrid(blocks.row, blocks.spec, blocks.hardware));
}

TEST(GuardGrid, FiguresOfListsAreGuardedTogether) {
  Blocks blocks;
  for (DimSpec &dim : blocks.spec.dims)
    dim.kind = DimKind::Figure;
  ASSERT_TRUE(guardGrid(blocks.row, blocks.spec, blocks.hardware));
  ASSERT_EQ(blocks.row.guards.size(), 2u);
  int64_t most = blocks.row.guards[0].hi;
  EXPECT_EQ(blocks.row.guards[1].hi, most);
  auto gridAt = [&](int64_t size) {
    return llvm::cantFail(
        blocks.row.gridX.evaluate({{"M", size}, {"N", size}}));
  };
  EXPECT_LE(gridAt(most), INT32_MAX);
  EXPECT_GT(gridAt(most + 1), INT32_MAX);
}

TEST(GuardGrid, DimsOfOneValueLeaveTheOtherToGuard) {
  Blocks blocks;
  blocks.row.guards = {{"N", 150, 150, 1}};
  ASSERT_TRUE(guardGrid(blocks.row, blocks.spec, blocks.hardware));
  int64_t most = 0;
  for (const DimGuard &guard : blocks.row.guards)
    if (guard.dim == "M")
      most = guard.hi;
  // Three blocks across.
  EXPECT_EQ(most, int64_t(INT32_MAX) / 3 * 16);
}

TEST(GuardGrid, WhatFitsStaysAsItIs) {
  Blocks blocks;
  blocks.row.guards = {{"M", 1, 4096, 1}, {"N", 1, 4096, 1}};
  ASSERT_TRUE(guardGrid(blocks.row, blocks.spec, blocks.hardware));
  EXPECT_EQ(blocks.row.guards.size(), 2u);
}
