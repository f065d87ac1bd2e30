//===- FiguresTest.cpp - What kernels know of a list ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Figures.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"

#include "gtest/gtest.h"

using namespace lathe;

namespace {

OperatorSpec load(const std::string &name) {
  return llvm::cantFail(
      loadOperator(LATHE_SOURCE_DIR "/templates/operators/" + name));
}

int64_t at(const Bindings &bindings, llvm::StringRef name) {
  return bindings.find(name)->second.elements.front();
}

std::string errorOf(const OperatorSpec &spec, const Bindings &dims) {
  auto bound = bindAll(spec, defaultEntry(spec), dims);
  return bound ? "" : llvm::toString(bound.takeError());
}

Bindings unifiedDims() {
  return {{"LQ", std::vector<int64_t>{3, 0, 40}},
          {"LK", std::vector<int64_t>{3, 7, 80}},
          {"HQ", 8},
          {"HKV", 2},
          {"D", 64}};
}

} // namespace

TEST(Figures, FollowTheirListInTheSignature) {
  OperatorSpec spec = load("attention_forward");
  std::vector<std::string> names;
  for (const DimSpec &dim : spec.dims)
    names.push_back(dim.name);
  EXPECT_EQ(names, (std::vector<std::string>{"LQ", "len_LQ", "sum_LQ", "max_LQ",
                                             "LK", "len_LK", "sum_LK", "max_LK",
                                             "NH", "D"}));
  EXPECT_FALSE(spec.dims[0].isForKernels());
  EXPECT_TRUE(spec.dims[1].isForKernels());
  EXPECT_FALSE(spec.dims[1].isForReference());
  EXPECT_FALSE(spec.dims[1].isGiven());
  EXPECT_EQ(spec.operands[0].shape[0].str(), "sum_LQ");
  EXPECT_EQ(spec.operands[3].shape[0].str(), "len_LQ + 1");
}

TEST(Figures, DefaultsOfOtherDimsAreOverThem) {
  OperatorSpec spec = load("unified_attention");
  EXPECT_EQ(findDim(spec, "MB")->defaultValue->str(),
            "select(len_LK == 0, 0, max_LK ceildiv BS + 2)");
  EXPECT_EQ(findDim(spec, "NB")->defaultValue->str(), "len_LK * MB + 64");
}

TEST(Figures, AreComputedFromTheList) {
  OperatorSpec spec = load("unified_attention");
  Bindings bound =
      llvm::cantFail(bindAll(spec, defaultEntry(spec), unifiedDims()));
  EXPECT_EQ(at(bound, "len_LQ"), 3);
  EXPECT_EQ(at(bound, "sum_LQ"), 43);
  EXPECT_EQ(at(bound, "max_LK"), 80);
  EXPECT_EQ(at(bound, "MB"), 7);
  // What was bound can be bound again.
  Bindings dims =
      llvm::cantFail(bindDims(spec, defaultEntry(spec), unifiedDims()));
  EXPECT_TRUE(bool(bindAll(spec, defaultEntry(spec), dims)));
  Bindings none = unifiedDims();
  none["LQ"] = none["LK"] = ExprValue(std::vector<int64_t>());
  bound = llvm::cantFail(bindAll(spec, defaultEntry(spec), none));
  EXPECT_EQ(at(bound, "max_LQ"), 0);
  EXPECT_EQ(at(bound, "MB"), 0);
}

TEST(Figures, MustBeTheLists) {
  OperatorSpec spec = load("unified_attention");
  Bindings wrong = unifiedDims();
  wrong["sum_LQ"] = 44;
  EXPECT_EQ(errorOf(spec, wrong),
            "dim 'sum_LQ' is 44, expected 43, which is sum(LQ)");
  Bindings large = unifiedDims();
  large["LK"] = ExprValue(std::vector<int64_t>(3, 1 << 30));
  EXPECT_EQ(errorOf(spec, large),
            "dim 'sum_LK' is 3221225472, expected 0 to 2147483647");
  Bindings many = unifiedDims();
  many["LK"] = ExprValue(std::vector<int64_t>(maxListLength + 1, 1));
  EXPECT_EQ(errorOf(spec, many),
            "dim 'LK' has 1048577 values, expected at most 1048576");
}

TEST(Figures, ReplaceWhatIsSaidOfSingleLists) {
  OperatorSpec spec = load("attention_forward");
  auto replaced = [&](llvm::StringRef text) {
    return withFigures(llvm::cantFail(Expr::parse(text)), spec).str();
  };
  EXPECT_EQ(replaced("sum(LQ) + 2 * max(LK)"), "sum_LQ + 2 * max_LK");
  EXPECT_EQ(replaced("sum(LQ * LK)"), "sum(LQ * LK)");
  EXPECT_EQ(replaced("min(LQ) + max(NH, D)"), "min(LQ) + max(NH, D)");
  EXPECT_EQ(replaced("sum(len(LQ) * LK)"), "sum(len_LQ * LK)");
}

TEST(Figures, SizesDifferByTheLongestSequenceOrByTheirNumber) {
  EXPECT_EQ(figureAxis(load("unified_attention"))->name, "max_LQ");
  EXPECT_EQ(figureAxis(load("paged_attention_decode"))->name, "len_L");
  EXPECT_EQ(figureAxis(load("mla_decode_attention"))->name, "len_L");
  EXPECT_EQ(figureAxis(load("rms_norm")), nullptr);
}

TEST(Figures, ShapesAreMovedAlongOne) {
  OperatorSpec spec = load("unified_attention");
  Bindings bound =
      llvm::cantFail(bindAll(spec, defaultEntry(spec), unifiedDims()));
  Bindings longer = withFigure(spec, bound, *findDim(spec, "max_LQ"), 400);
  EXPECT_EQ(longer["LQ"].elements, (std::vector<int64_t>{30, 0, 400}));
  EXPECT_EQ(longer["LK"].elements, (std::vector<int64_t>{30, 70, 800}));
  EXPECT_FALSE(longer.count("MB"));
  longer = llvm::cantFail(bindAll(spec, defaultEntry(spec), longer));
  EXPECT_EQ(at(longer, "max_LQ"), 400);
  EXPECT_EQ(at(longer, "MB"), 52);
  Bindings more = withFigure(spec, bound, *findDim(spec, "len_LQ"), 5);
  EXPECT_EQ(more["LQ"].elements, (std::vector<int64_t>{3, 0, 40, 3, 0}));
  EXPECT_EQ(more["LK"].elements, (std::vector<int64_t>{3, 7, 80, 3, 7}));
}

TEST(Figures, MeanSomethingToReaders) {
  std::vector<std::string> dims = {"len_L", "sum_L", "max_L", "len_X", "T"};
  EXPECT_EQ(figureMeaning("sum_L", dims), "total of L");
  EXPECT_EQ(figureMeaning("len_X", dims), "");
  EXPECT_EQ(figureMeaning("T", dims), "");
}
