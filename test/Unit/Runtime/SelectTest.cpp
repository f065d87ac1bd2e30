//===- SelectTest.cpp - Lookups against a naive evaluation ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenedBundle.h"

#include <gtest/gtest.h>
#include <thread>

using namespace lathe;
using namespace lathe::test;

/// `count` random requests must resolve as the struct's cases, tried in order.
static void compare(Rng &rng, const DispatchTable &table, int count) {
  Opened opened(makeBundle({table}));
  const lathe_table *native = opened.table(table.entry);
  uint32_t numArchs = 0;
  while (const char *arch = lathe_arch_name(native, numArchs)) {
    for (int i = 0; i < count; ++i) {
      std::vector<int64_t> dims = drawDims(rng, table);
      uint64_t alignment = uint64_t(1) << draw(rng, 0, 5);
      int expected = naiveSelect(table, arch, dims, alignment);
      ASSERT_GE(expected, 0);
      uint32_t index;
      ASSERT_EQ(
          lathe_select(native, numArchs, dims.data(), 3, alignment, &index),
          LATHE_OK)
          << lathe_last_error();
      lathe_case_info info = {};
      info.struct_size = sizeof info;
      ASSERT_EQ(lathe_get_case_info(native, index, &info), LATHE_OK);
      ASSERT_EQ(info.kernel, table.cases[size_t(expected)].kernel)
          << "T " << dims[0] << " H " << dims[1] << " XS " << dims[2]
          << " align " << alignment;

      lathe_explanation why = {};
      why.struct_size = sizeof why;
      lathe_rejection rejections[600];
      lathe_status status = lathe_explain(native, numArchs, dims.data(), 3,
                                          alignment, &why, rejections, 600);
      // The drawn grid may exceed the hardware; the case is chosen all the
      // same.
      ASSERT_TRUE(status == LATHE_OK || status == LATHE_LIMIT ||
                  status == LATHE_OVERFLOW);
      ASSERT_EQ(why.case_index, index);
    }
    ++numArchs;
  }
}

TEST(Select, TenThousandShapesResolveAsWritten) {
  Rng rng(2024);
  for (int i = 0; i < 20; ++i)
    compare(
        rng,
        makeTable(rng, "norm", {"sm_90a", "gfx942"}, size_t(draw(rng, 0, 60))),
        250);
}

TEST(Select, LargeTables) {
  Rng rng(7);
  compare(rng, makeTable(rng, "norm", {"sm_90a"}, 500), 3000);
}

TEST(Select, ExtremeRangesAndDivisors) {
  Rng rng(8);
  DispatchTable table = makeSignature("norm");
  table.dims[0] = {"T", INT64_MIN + 1, INT64_MAX, {}};
  for (int64_t multiple : {int64_t(3), int64_t(8), INT64_MAX})
    table.cases.push_back(makeCase("sm_90a", CaseKind::Bucket,
                                   {{"T", INT64_MIN, INT64_MAX, multiple}}));
  table.cases.push_back(
      makeCase("sm_90a", CaseKind::Bucket, {{"T", INT64_MIN, -1, 1}}));
  table.cases.push_back(makeCase("sm_90a", CaseKind::Bucket,
                                 {{"T", INT64_MAX - 2, INT64_MAX - 2, 1}}));
  table.cases.push_back(makeCase("sm_90a", CaseKind::Generic, {}));
  compare(rng, table, 2000);
}

TEST(Select, DefaultsRangesAndCounts) {
  DispatchTable table = makeSignature("norm");
  table.cases.push_back(makeCase("sm_90a", CaseKind::Exact,
                                 {{"T", 17, 17, 1}, {"XS", 64, 64, 1}}));
  table.cases.push_back(makeCase("sm_90a", CaseKind::Generic, {}));
  Opened opened(makeBundle({table}));
  const lathe_table *native = opened.table("norm");
  uint32_t index;
  int64_t dims[] = {17, 64, LATHE_DIM_DEFAULT};
  EXPECT_EQ(lathe_select(native, 0, dims, 3, 0, &index), LATHE_OK);
  EXPECT_EQ(index, 0u); // XS became H
  dims[1] = 65;
  EXPECT_EQ(lathe_select(native, 0, dims, 3, 0, &index), LATHE_OK);
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(lathe_select(native, 0, dims, 2, 0, &index),
            LATHE_INVALID_ARGUMENT);
  EXPECT_EQ(lathe_select(native, 1, dims, 3, 0, &index),
            LATHE_INVALID_ARGUMENT);
  dims[0] = -1;
  EXPECT_EQ(lathe_select(native, 0, dims, 3, 0, &index), LATHE_OUT_OF_RANGE);
  EXPECT_STREQ(lathe_last_error(),
               "norm: dim T is -1, expected 0 to 1099511627776");
  dims[0] = LATHE_DIM_DEFAULT;
  EXPECT_EQ(lathe_select(native, 0, dims, 3, 0, &index),
            LATHE_INVALID_ARGUMENT);
}

TEST(Select, Grids) {
  DispatchTable table = makeSignature("norm");
  table.cases.push_back(makeCase("sm_90a", CaseKind::Generic, {}));
  table.cases[0].gridX = llvm::cantFail(Expr::parse("T ceildiv 4"));
  table.cases[0].gridY = llvm::cantFail(Expr::parse("H floordiv 16"));
  table.cases.push_back(makeCase("gfx942", CaseKind::Generic, {}));
  table.cases[1].gridX = llvm::cantFail(Expr::parse("T"));
  table.cases[1].gridY = llvm::cantFail(Expr::parse("XS * XS * XS"));
  Opened opened(makeBundle({table}));
  const lathe_table *native = opened.table("norm");
  uint32_t grid[3];
  int64_t dims[] = {17, 64, 64};
  ASSERT_EQ(lathe_grid(native, 0, dims, 3, grid), LATHE_OK);
  EXPECT_EQ(grid[0], 5u);
  EXPECT_EQ(grid[1], 4u);
  dims[0] = 0;
  ASSERT_EQ(lathe_grid(native, 0, dims, 3, grid), LATHE_OK);
  EXPECT_EQ(grid[0] + grid[1] + grid[2], 0u);
  dims[0] = int64_t(1) << 40;
  EXPECT_EQ(lathe_grid(native, 0, dims, 3, grid), LATHE_LIMIT);
  dims[0] = 4;
  dims[1] = 1 << 20;
  EXPECT_EQ(lathe_grid(native, 0, dims, 3, grid), LATHE_LIMIT); // y > 65535
  // HIP counts threads: 2^32 / 128 blocks are too many.
  dims[0] = int64_t(1) << 25;
  dims[1] = dims[2] = 1;
  EXPECT_EQ(lathe_grid(native, 1, dims, 3, grid), LATHE_LIMIT);
  dims[0] -= 1;
  EXPECT_EQ(lathe_grid(native, 1, dims, 3, grid), LATHE_OK);
  dims[2] = int64_t(1) << 40;
  EXPECT_EQ(lathe_grid(native, 1, dims, 3, grid), LATHE_OVERFLOW);
}

TEST(Select, Explains) {
  DispatchTable table = makeSignature("norm");
  auto add = [&](std::vector<DimGuard> guards, int64_t alignment) {
    table.cases.push_back(
        makeCase("sm_90a", CaseKind::Bucket, std::move(guards), alignment));
  };
  add({{"T", 20, 20, 1}}, 1);
  add({{"T", 1, 16, 1}}, 1);
  add({{"T", 1, 32, 1}, {"XS", 1, INT64_MAX, 8}}, 1);
  add({{"T", 1, 64, 1}}, 16);
  add({}, 1);
  Opened opened(makeBundle({table}));
  int64_t dims[] = {17, 63, LATHE_DIM_DEFAULT};
  lathe_explanation why = {};
  why.struct_size = sizeof why;
  lathe_rejection rejections[8];
  ASSERT_EQ(
      lathe_explain(opened.table("norm"), 0, dims, 3, 2, &why, rejections, 8),
      LATHE_OK);
  EXPECT_EQ(why.case_index, 4u);
  EXPECT_EQ(why.grid[0], 5u);
  EXPECT_EQ(why.dims[2], 63);
  ASSERT_EQ(why.num_rejections, 4u);
  EXPECT_EQ(rejections[0].reason, LATHE_REASON_BELOW);
  EXPECT_EQ(rejections[0].limit, 20);
  EXPECT_EQ(rejections[1].reason, LATHE_REASON_ABOVE);
  EXPECT_EQ(rejections[2].reason, LATHE_REASON_MULTIPLE);
  EXPECT_EQ(rejections[2].dim, 2u);
  EXPECT_EQ(rejections[3].reason, LATHE_REASON_ALIGNMENT);
  EXPECT_EQ(rejections[3].limit, 16);
}

TEST(Select, ManyThreadsAgree) {
  Rng seed(11);
  DispatchTable table = makeTable(seed, "norm", {"sm_90a"}, 100);
  Opened opened(makeBundle({table}));
  const lathe_table *native = opened.table("norm");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Rng rng(t);
      for (int i = 0; i < 2000; ++i) {
        std::vector<int64_t> dims = drawDims(rng, table);
        uint32_t index;
        if (lathe_select(native, 0, dims.data(), 3, 16, &index) != LATHE_OK ||
            int(index) != naiveSelect(table, "sm_90a", dims, 16))
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
