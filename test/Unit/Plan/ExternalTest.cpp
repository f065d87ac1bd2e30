//===- ExternalTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include "lathe/Ingest/Figures.h"
#include "lathe/Plan/External.h"
#include "lathe/Plan/KernelName.h"

#include <gmock/gmock.h>

using namespace lathe;
using namespace lathe::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

DimSpec dim(const char *name, DimKind kind, int64_t min, int64_t max) {
  DimSpec made;
  made.name = name;
  made.kind = kind;
  made.min = min;
  made.max = max;
  return made;
}

OperatorSpec rows() {
  OperatorSpec spec;
  spec.name = "rows";
  spec.dims = {dim("T", DimKind::Request, 0, 1 << 20),
               dim("H", DimKind::Static, 1, 1 << 20),
               dim("XS", DimKind::Stride, 0, INT64_MAX)};
  spec.dims[2].defaultValue = Expr::symbol("H");
  spec.dtypes = {{"DT", {"bf16", "f32"}}};
  for (const char *name : {"x", "y"}) {
    OperandSpec operand;
    operand.name = name;
    operand.dtype = "DT";
    operand.shape = {Expr::symbol("T"), Expr::symbol("H")};
    operand.isOutput = name[0] == 'y';
    spec.operands.push_back(operand);
  }
  spec.cost.readBytes = spec.cost.writeBytes =
      llvm::cantFail(Expr::parse("DT_bytes * T * H"));
  return spec;
}

std::string mistakes(llvm::StringRef text, bool isTemplate = false) {
  auto launch = loadLaunch(text, "k.cu", rows(), isTemplate);
  return launch ? "" : llvm::toString(launch.takeError());
}

LaunchDescription read(llvm::StringRef text) {
  auto launch = loadLaunch(text, "k.cu", rows(), false);
  if (launch)
    return std::move(*launch);
  ADD_FAILURE() << llvm::toString(launch.takeError());
  return {};
}

TEST(LaunchText, StandsWhereItStandsInTheSource) {
  EXPECT_EQ(launchTextOf("// A kernel.\n  // lathe: grid: T\n"
                         "//lathe:block: 32\n__global__ void k();\n"),
            "\ngrid: T\nblock: 32\n\n");
  EXPECT_EQ(launchTextOf("// a lathe: turns\nint lathe;\n"), "");
  EXPECT_EQ(launchTextOf("// lathe: fixed:\n// lathe:   H: 4\n"),
            "fixed:\n  H: 4\n");
}

TEST(LaunchDescription, ReadsEveryField) {
  LaunchDescription launch =
      read("kernel: k\nfixed: {H: 2048, XS: H}\ngrid: [T ceildiv 4, H floordiv "
           "256]\nblock: H floordiv 16\nshared: H * 4\nranges: {T: [1, "
           "4096]}\nmultiples: {T: 4}\nalignment: 16\n");
  EXPECT_EQ(launch.kernel, "k");
  ASSERT_EQ(launch.grid.size(), 2u);
  EXPECT_EQ(launch.grid[0].str(), "T ceildiv 4");
  EXPECT_EQ(launch.grid[1].str(), "8");
  EXPECT_EQ(launch.threads, 128);
  EXPECT_EQ(launch.sharedBytes, 8192);
  EXPECT_THAT(launch.fixed, ElementsAre(Pair("H", 2048), Pair("XS", 2048)));
  EXPECT_EQ(launch.alignment, 16);
  ASSERT_EQ(launch.guards.size(), 3u);
  EXPECT_EQ(launch.guards[1].dim, "T");
  EXPECT_EQ(launch.guards[1].lo, 1);
  EXPECT_EQ(launch.guards[1].hi, 4096);
  EXPECT_EQ(launch.guards[1].multiple, 4);
}

TEST(LaunchDescription, NamesEveryMistake) {
  EXPECT_THAT(mistakes("grid: T\nblok: 3\n"),
              HasSubstr("did you mean 'block'"));
  EXPECT_THAT(mistakes("block: 32\n"), HasSubstr("grid"));
  EXPECT_THAT(mistakes("grid: T\n"), HasSubstr("block"));
  EXPECT_THAT(mistakes("\ngrid: T * Q\nblock: 32\n"),
              HasSubstr("k.cu:2:7: error: grid: unknown name 'Q'"));
  EXPECT_THAT(mistakes("grid: select(T, 1, 2)\nblock: 32\n"),
              HasSubstr("expected an expression of + - *"));
  EXPECT_THAT(mistakes("grid: [1, 1, 1, 1]\nblock: 32\n"),
              HasSubstr("grid has 4 axes"));
  EXPECT_THAT(mistakes("grid: T\nblock: T\n"),
              HasSubstr("block is 'T', expected a number from 1 to 1024, or an "
                        "expression over fixed dims"));
  EXPECT_THAT(mistakes("grid: T\nblock: 2048\n"), HasSubstr("1 to 1024"));
  EXPECT_THAT(mistakes("grid: T\nblock: 32\nalignment: 12\n"),
              HasSubstr("expected a power of two"));
  EXPECT_THAT(mistakes("grid: T\nblock: 32\nfixed: {H: 0}\n"),
              HasSubstr("fixed.H is '0', expected a number from 1"));
  EXPECT_THAT(mistakes("grid: T\nblock: 32\nranges: {T: [9, 3]}\n"),
              HasSubstr("ranges.T expects [least, most]"));
  EXPECT_THAT(mistakes("grid: T\nblock: 32\nranges: {T: [5, 7]}\nmultiples: "
                       "{T: 8}\n"),
              HasSubstr("nothing is left of dim 'T'"));
  EXPECT_THAT(mistakes("grid: T\nblock: 32\n", /*isTemplate=*/true),
              HasSubstr("grid"));
  EXPECT_EQ(mistakes("schedule: {ROWS: 2}\n", /*isTemplate=*/true), "");
}

TEST(ExternalName, IsLegalInKernelNames) {
  std::string hash = "0123456789abcdef";
  EXPECT_EQ(externalName("/a/my-kernel.v2.cu", hash), "my_kernel_v2_01234567");
  EXPECT_EQ(externalName("__9lives__.cu", hash), "lives_01234567");
  EXPECT_EQ(externalName("123.ptx", hash), "kernel_01234567");
  EXPECT_EQ(externalName("a-very-long-name-for-a-kernel.cu", hash),
            "a_very_long_name_for_a_k_01234567");
  for (const char *path : {"a__b.cu", "-.cu", "a-.cu", "\xc3\xa4.cu"})
    EXPECT_TRUE(isKernelNamePart(externalName(path, hash))) << path;
}

ExternalQuestion question(const OperatorSpec &spec, const OpSetEntry &entry,
                          const Hardware &hardware) {
  ExternalQuestion q;
  q.spec = &spec;
  q.entry = &entry;
  q.hardware = &hardware;
  q.name = "mine_01234567";
  q.heaviest = llvm::cantFail(
      bindAll(spec, entry, {{"T", ExprValue(64)}, {"H", ExprValue(2048)}}));
  return q;
}

TEST(PlanExternal, MintsANameThatSaysAll) {
  OperatorSpec spec = rows();
  OpSetEntry entry = defaultEntry(spec);
  entry.name = "hidden_rows";
  Hardware hardware = hopper();
  ExternalQuestion q = question(spec, entry, hardware);
  q.launch = read("fixed: {H: 2048}\ngrid: T\nblock: 128\nshared: "
                  "1024\nmultiples: {XS: 8}\nalignment: 16\n");
  auto kernel = planExternal(q);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  EXPECT_EQ(kernel->kernel, "rows.mine_01234567.sm_90a.c_H_2048.t_DT_bf16.s_"
                            "SHARED_1024.m_XS_8.a_16");
  EXPECT_EQ(kernel->entry, "hidden_rows");
  EXPECT_EQ(kernel->role, KernelRole::Bucket);
  EXPECT_EQ(kernel->threads, 128);
  EXPECT_EQ(kernel->dynamicShared(), 1024);
  EXPECT_GT(kernel->answer.timeUs, 0);
  auto parsed = parseKernelName(kernel->kernel);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());

  q.launch = read("fixed: {H: 2048, T: 64}\ngrid: T\nblock: 128\n");
  kernel = planExternal(q);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  EXPECT_EQ(kernel->role, KernelRole::Exact);
  // One bf16.
  EXPECT_EQ(kernel->candidate.alignment, 2);
}

TEST(PlanExternal, TakesFiguresOfLists) {
  OperatorSpec spec = rows();
  OpSetEntry entry = defaultEntry(spec);
  Hardware hardware = hopper();
  ExternalQuestion q = question(spec, entry, hardware);
  DimSpec list = dim("L", DimKind::List, 0, 100);
  spec.dims.push_back(list);
  for (DimSpec &figure : figuresOf(list))
    spec.dims.push_back(figure);
  q.heaviest["L"] = ExprValue(std::vector<int64_t>{3, 4});
  q.heaviest["len_L"] = 2;
  q.heaviest["sum_L"] = 7;
  q.heaviest["max_L"] = 4;
  auto launch = loadLaunch("grid: sum_L * len_L\nblock: 32\nfixed: {T: 4, H: "
                           "8}\nranges: {max_L: [1, 64]}\n",
                           "k.cu", spec, /*isTemplate=*/false);
  ASSERT_TRUE(bool(launch)) << llvm::toString(launch.takeError());
  q.launch = *launch;
  auto kernel = planExternal(q);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  EXPECT_EQ(kernel->role, KernelRole::Bucket);
  EXPECT_EQ(kernel->grid.front().str(), "sum_L * len_L");
  auto wrong = loadLaunch("grid: L\nblock: 32\nfixed: {sum_L: 4}\n", "k.cu",
                          spec, /*isTemplate=*/false);
  ASSERT_FALSE(bool(wrong));
  std::string text = llvm::toString(wrong.takeError());
  EXPECT_THAT(text, HasSubstr("fixed.sum_L follows from a list"));
  EXPECT_THAT(text, HasSubstr("unknown name 'L'"));
}

} // namespace
