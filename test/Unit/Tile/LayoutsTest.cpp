//===- LayoutsTest.cpp - Who holds which element --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace mlir;
using namespace lathe::tile;

namespace {

struct LayoutsTest : testing::Test {
  LayoutsTest() { context.loadDialect<TileDialect>(); }
  MLIRContext context;
};

int64_t baseOf(LayoutInterface layout, int64_t dim, int64_t thread) {
  int64_t base = 0;
  for (ThreadDigit digit : layout.getDigits(dim))
    base += thread / digit.divisor % digit.modulus * digit.scale;
  return base;
}

/// Positions along `dim` that a thread holds, by slot.
std::vector<int64_t> positionsOf(LayoutInterface layout, int64_t dim,
                                 int64_t extent, int64_t thread) {
  std::vector<int64_t> positions;
  int64_t vector = layout.getVectorSize(dim);
  for (int64_t s = 0; s < layout.getRounds(dim, extent) * vector; ++s)
    positions.push_back(baseOf(layout, dim, thread) +
                        layout.getRoundOffset(dim, s / vector) + s % vector);
  return positions;
}

/// Every element of the tile has one holder, and only it.
void expectPartition(LayoutInterface layout, int64_t rows, int64_t columns) {
  std::set<std::pair<int64_t, int64_t>> seen;
  for (int64_t t = 0; t < layout.getNumThreads(); ++t)
    for (int64_t row : positionsOf(layout, 0, rows, t))
      for (int64_t column : positionsOf(layout, 1, columns, t))
        if (row < rows && column < columns)
          EXPECT_TRUE(seen.insert({row, column}).second)
              << "twice: " << row << ", " << column;
  EXPECT_EQ(static_cast<int64_t>(seen.size()), rows * columns);
}

TEST_F(LayoutsTest, BlockedDealsEveryElementOnce) {
  for (int64_t rows : {1, 3, 8, 17})
    for (int64_t columns : {4, 36, 120})
      for (int64_t across : {1, 6, 32})
        expectPartition(BlockedAttr::get(&context, {1, 4}, {2, across}), rows,
                        columns);
}

TEST_F(LayoutsTest, MmaDealsEveryElementOnce) {
  for (int64_t down : {1, 2, 3, 4})
    for (int64_t across : {1, 2, 5})
      for (int64_t turns : {1, 3})
        for (Fragment fragment :
             {Fragment::M16N8, Fragment::M16N16, Fragment::M32N32}) {
          auto layout = MmaAttr::get(&context, fragment, {down, across});
          expectPartition(layout, layout.getTurnSize(0) * turns,
                          layout.getTurnSize(1) * turns);
        }
}

// AMD CDNA3 ISA, "Dense Matrix Multiplication": with b as the first operand,
// its columns are the rows of what the instruction makes.
TEST_F(LayoutsTest, MfmaHoldsWhatTheInstructionLeaves) {
  for (int64_t size : {16, 32}) {
    auto layout = MmaAttr::get(
        &context, size == 16 ? Fragment::M16N16 : Fragment::M32N32, {1, 1});
    for (int64_t lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(positionsOf(layout, 0, size, lane),
                std::vector<int64_t>{lane % size});
      auto columns = positionsOf(layout, 1, size, lane);
      ASSERT_EQ(static_cast<int64_t>(columns.size()), size * size / 64);
      for (int64_t e = 0; e < size * size / 64; ++e)
        EXPECT_EQ(columns[e], 8 * (e / 4) + 4 * (lane / size) + e % 4);
    }
  }
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16": accumulator c0 to c3.
TEST_F(LayoutsTest, MmaHoldsWhatTheInstructionLeaves) {
  auto layout = MmaAttr::get(&context, Fragment::M16N8, {2, 3});
  for (int64_t thread = 0; thread < 192; ++thread) {
    int64_t warp = thread / 32, lane = thread % 32;
    auto rows = positionsOf(layout, 0, 64, thread);
    auto columns = positionsOf(layout, 1, 48, thread);
    ASSERT_EQ(rows.size(), 4u);
    ASSERT_EQ(columns.size(), 4u);
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 2; ++j)
        for (int64_t e = 0; e < 4; ++e) {
          EXPECT_EQ(rows[2 * i + e / 2],
                    (i * 2 + warp / 3) * 16 + lane / 4 + 8 * (e / 2));
          EXPECT_EQ(columns[2 * j + e % 2],
                    (j * 3 + warp % 3) * 8 + 2 * (lane % 4) + e % 2);
        }
  }
}

// PTX ISA, "Register fragments for wgmma.mma_async.m64nNk16": element e of a
// lane is at column 8 * (e / 4) of its warp's 16 rows.
TEST_F(LayoutsTest, MmaOfFourWarpsDownIsAWarpgroup) {
  auto layout = MmaAttr::get(&context, Fragment::M16N8, {4, 1});
  for (int64_t thread = 0; thread < 128; ++thread) {
    int64_t warp = thread / 32, lane = thread % 32;
    auto rows = positionsOf(layout, 0, 64, thread);
    auto columns = positionsOf(layout, 1, 256, thread);
    for (int64_t e = 0; e < 128; ++e) {
      EXPECT_EQ(rows[e / 2 % 2], 16 * warp + lane / 4 + 8 * (e / 2 % 2));
      EXPECT_EQ(columns[e / 4 * 2 + e % 2],
                8 * (e / 4) + 2 * (lane % 4) + e % 2);
    }
  }
}

TEST_F(LayoutsTest, EveryPartHoldsTheWholeSum) {
  for (int64_t parts : {2, 3, 8})
    for (auto [down, across] : {std::pair(1, 1), {2, 1}, {1, 3}, {2, 2}}) {
      auto whole = MmaAttr::get(&context, Fragment::M16N8, {down, across});
      auto layout = MmaAttr::get(&context, Fragment::M16N8,
                                 ArrayRef<int64_t>{down, across}, parts);
      int64_t rows = layout.getTurnSize(0) * 2,
              columns = layout.getTurnSize(1) * 3;
      EXPECT_EQ(layout.getNumThreads(), whole.getNumThreads() * parts);
      EXPECT_EQ(getParts(layout), parts);
      auto turned = TransposedAttr::get(&context, layout);
      EXPECT_EQ(getParts(turned), parts);
      EXPECT_EQ(getParts(TransposedAttr::get(&context, turned)), parts);
      std::set<int64_t> seen;
      ThreadDigit part = layout.getPartDigit();
      for (int64_t t = 0; t < layout.getNumThreads(); ++t) {
        int64_t same = t % whole.getNumThreads();
        EXPECT_EQ(positionsOf(layout, 0, rows, t),
                  positionsOf(whole, 0, rows, same));
        EXPECT_EQ(positionsOf(layout, 1, columns, t),
                  positionsOf(whole, 1, columns, same));
        EXPECT_EQ(t / part.divisor % part.modulus * part.scale,
                  t / whole.getNumThreads());
        seen.insert(t / whole.getNumThreads());
      }
      EXPECT_EQ(static_cast<int64_t>(seen.size()), parts);
    }
}

// Of its part's elements of K a warp has those of all its rows, as lane / 4 of
// the rows of mma.m16n8k16 and lane % 4 of K.
TEST_F(LayoutsTest, OperandsLieWithTheWarpsThatMultiplyThem) {
  for (int64_t dim : {0, 1})
    for (int64_t parts : {1, 3, 4})
      for (int64_t vector : {8, 16})
        for (auto [down, across] : {std::pair(1, 1), {2, 1}, {1, 3}, {2, 2}}) {
          auto sums = MmaAttr::get(&context, Fragment::M16N8,
                                   ArrayRef<int64_t>{down, across}, parts);
          auto layout = OperandAttr::get(&context, dim, sums, vector);
          int64_t fragment = dim == 0 ? 16 : 8;
          int64_t rows = (dim == 0 ? down : across) * fragment * 2;
          int64_t depth = 4 * vector * parts * 2;
          ASSERT_EQ(layout.getNumThreads(), 32 * down * across * parts);
          std::map<std::pair<int64_t, int64_t>, std::set<int64_t>> holders;
          for (int64_t t = 0; t < layout.getNumThreads(); ++t) {
            auto columns = positionsOf(layout, 1, depth, t);
            EXPECT_TRUE(llvm::is_sorted(columns));
            for (int64_t row : positionsOf(layout, 0, rows, t))
              for (int64_t column : columns)
                EXPECT_TRUE(holders[std::pair(row, column)].insert(t).second);
          }
          for (int64_t row = 0; row < rows; ++row)
            for (int64_t column = 0; column < depth; ++column) {
              std::set<int64_t> expected;
              int64_t run = column / (4 * vector);
              int64_t lane = row % 8 * 4 + column / vector % 4;
              for (int64_t i = 0; i < down; ++i)
                for (int64_t j = 0; j < across; ++j)
                  if (dim == 0 ? row / 16 % down == i : row / 8 % across == j)
                    expected.insert(
                        (run % parts * down * across + i * across + j) * 32 +
                        lane);
              ASSERT_EQ(holders[std::pair(row, column)], expected)
                  << dim << " " << row << " " << column;
            }
        }
}

// What a lane multiplies of one operand it multiplies of the other.
TEST_F(LayoutsTest, OperandsShareTheirOrderOfK) {
  auto sums = MmaAttr::get(&context, Fragment::M16N8,
                           ArrayRef<int64_t>{2, 3}, /*parts=*/2);
  auto left = OperandAttr::get(&context, 0, sums, 8);
  auto right = OperandAttr::get(&context, 1, sums, 8);
  for (int64_t t = 0; t < sums.getNumThreads(); ++t)
    EXPECT_EQ(positionsOf(left, 1, 192, t), positionsOf(right, 1, 192, t));
}

/// Bank group (16 of 128 bytes) of chunk `chunk` of row `row`.
int64_t bankGroup(SwizzleAttr swizzle, int64_t rowBytes, int64_t row,
                  int64_t chunk) {
  int64_t moved = chunk ^ (row / swizzle.getRows() % swizzle.getPhases());
  return (row * rowBytes / 16 + moved) % 8;
}

TEST_F(LayoutsTest, SwizzledRowsMeetNoBankConflict) {
  for (int64_t chunks = 1; chunks <= 40; ++chunks) {
    SharedType type = SharedType::choose(
        [&] { return emitError(UnknownLoc::get(&context)); }, {32, chunks * 8},
        BFloat16Type::get(&context));
    ASSERT_TRUE(type);
    SwizzleAttr swizzle = type.getSwizzle();
    int64_t inPanel = std::gcd(chunks, 8);
    EXPECT_EQ(type.getNumPanels(), inPanel > 1 ? chunks / inPanel : 1);
    int64_t rowBytes = type.getRowBytes();
    for (int64_t row = 0; row < 32; row += 8)
      for (int64_t chunk = 0; chunk < rowBytes / 16; ++chunk) {
        std::set<int64_t> groups;
        for (int64_t lane = 0; lane < 8; ++lane) {
          groups.insert(bankGroup(swizzle, rowBytes, row + lane, chunk));
          int64_t moved =
              chunk ^ ((row + lane) / swizzle.getRows() % swizzle.getPhases());
          EXPECT_LT(moved, rowBytes / 16);
        }
        EXPECT_EQ(groups.size(), 8u) << chunks << " chunks, row " << row;
      }
  }
}

} // namespace
