//===- CostTest.cpp - Costs of all operators against published data -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Ingest/Yaml.h"

#include "gtest/gtest.h"

using namespace lathe;

namespace {
/// One published shape.
struct Row {
  std::string label;
  OpSetEntry entry;
  Bindings dims;
  CostValue published;
};

class Costs : public testing::Test {
protected:
  static const OperatorTable &operators() {
    static OperatorTable table =
        llvm::cantFail(loadOperators({LATHE_SOURCE_DIR "/templates"}));
    return table;
  }

  static std::vector<Row> rows(llvm::StringRef op);
  static CostValue modelled(const Row &row);
};
} // namespace

static const yaml::Node &published() {
  static yaml::NodePtr root = [] {
    yaml::Diagnostics diagnostics("atrex-roofline.yaml");
    auto node = yaml::parseFile(LATHE_SOURCE_DIR
                                "/test/Ingest/Inputs/atrex-roofline.yaml",
                                diagnostics);
    llvm::cantFail(diagnostics.take());
    return node;
  }();
  return *root;
}

std::vector<Row> Costs::rows(llvm::StringRef op) {
  const OperatorSpec &spec = operators().at(op.str());
  yaml::Diagnostics diagnostics("atrex-roofline.yaml");
  yaml::Reader reader(diagnostics);
  std::vector<Row> result;
  const yaml::Node *list =
      reader.find(*reader.find(published(), "operators"), op);
  if (!list) // an operator that the benchmark does not have
    return result;
  for (const yaml::NodePtr &item : list->items) {
    Row row;
    row.label = op.str() + " " + reader.find(*item, "id")->text;
    row.entry = defaultEntry(spec);
    for (auto &[key, value] : reader.find(*item, "dims")->entries)
      if (value->kind == yaml::Node::Sequence)
        row.dims[key->text] = *reader.integers(*value, "list");
      else
        row.dims[key->text] = *reader.integer(*value, "dim");
    if (const yaml::Node *dtypes = reader.find(*item, "dtypes"))
      for (auto &[key, value] : dtypes->entries)
        row.entry.dtypes[key->text] = value->text;
    for (auto &[key, value] : reader.find(*item, "flops")->entries)
      row.published.flops.emplace_back(key->text,
                                       *reader.integer(*value, "flops"));
    row.published.readBytes =
        *reader.integer(*reader.find(*item, "read"), "read");
    row.published.writeBytes =
        *reader.integer(*reader.find(*item, "write"), "write");
    result.push_back(std::move(row));
  }
  llvm::cantFail(diagnostics.take());
  return result;
}

CostValue Costs::modelled(const Row &row) {
  const OperatorSpec &spec = operators().at(row.entry.op);
  auto bindings = bindAll(spec, row.entry, row.dims);
  if (!bindings) {
    ADD_FAILURE() << row.label << ": " << llvm::toString(bindings.takeError());
    return {};
  }
  auto cost = evaluateCost(spec, row.entry, *bindings);
  if (!cost) {
    ADD_FAILURE() << row.label << ": " << llvm::toString(cost.takeError());
    return {};
  }
  return *cost;
}

TEST_F(Costs, EveryPublishedShapeIsExact) {
  unsigned shapes = 0, operatorCount = 0;
  for (auto &[name, spec] : operators()) {
    std::vector<Row> known = rows(name);
    operatorCount += !known.empty();
    for (const Row &row : known) {
      ++shapes;
      CostValue cost = modelled(row);
      EXPECT_EQ(cost.readBytes, row.published.readBytes) << row.label;
      // What these two depend on beyond the shape has its own test below.
      if (name != "fused_moe")
        EXPECT_EQ(cost.flops, row.published.flops) << row.label;
      if (name != "moe_align_block_size")
        EXPECT_EQ(cost.writeBytes, row.published.writeBytes) << row.label;
    }
  }
  EXPECT_EQ(operatorCount, 30u);
  EXPECT_EQ(shapes, 340u);
}

// 2 M N K in both, and each operand once.
TEST_F(Costs, ProjectionsCountEveryOperandOnce) {
  const OperatorSpec &linear = operators().at("linear");
  OpSetEntry entry = defaultEntry(linear);
  auto cost = [&](const OperatorSpec &spec) {
    return llvm::cantFail(evaluateCost(
        spec, entry,
        llvm::cantFail(bindAll(spec, entry, {{"M", 5}, {"N", 7}, {"K", 11}}))));
  };
  CostValue plain = cost(linear);
  EXPECT_EQ(plain.flops[0], (std::pair<DTypeName, int64_t>("bf16", 2 * 385)));
  EXPECT_EQ(plain.readBytes, 2 * (55 + 77));
  EXPECT_EQ(plain.writeBytes, 2 * 35);
  entry.options["with_bias"] = entry.options["with_residual"] = "yes";
  entry.options["activation"] = "sigmoid";
  entry.dtypes["OT"] = "f32";
  CostValue full = cost(linear);
  EXPECT_EQ(full.flops[0].second, 2 * 385 + 3 * 35);
  EXPECT_EQ(full.readBytes, 2 * (55 + 77 + 7) + 4 * 35);
  EXPECT_EQ(full.writeBytes, 4 * 35);
  const OperatorSpec &scaled = operators().at("scaled_linear");
  entry = defaultEntry(scaled);
  entry.options["x_scaling"] = "token";
  EXPECT_EQ(cost(scaled).readBytes, 55 + 77 + 4 * (5 + 1));
  EXPECT_EQ(cost(scaled).flops[0].first, "f8E4M3FN");
}

// The published FLOPs count the distinct pairs of one random draw of experts;
// the formula has their expectation. Read and written bytes are exact above.
TEST_F(Costs, FusedMoeFlopsAreTheExpectation) {
  for (const Row &row : rows("fused_moe")) {
    CostValue cost = modelled(row);
    ASSERT_EQ(cost.flops.size(), 1u);
    EXPECT_EQ(cost.flops[0].first, row.published.flops[0].first);
    double ratio =
        double(cost.flops[0].second) / double(row.published.flops[0].second);
    EXPECT_NEAR(ratio, 1, 0.03) << row.label;
  }
}

// The number P of padded slots follows from one random draw. It can be anything
// between the bounds below, always whole blocks; the default is its expectation
// up to 8 %. With the drawn P the written bytes are exact.
TEST_F(Costs, MoeAlignBlockSizeFollowsItsDraw) {
  for (Row &row : rows("moe_align_block_size")) {
    auto dim = [&](const char *name) { return row.dims[name].elements[0]; };
    int64_t slots = dim("T") * dim("TOPK"), experts = dim("E"), bs = dim("BS");
    // write = 4 P + 4 P / BS + 4
    int64_t units = (row.published.writeBytes - 4) / 4;
    ASSERT_EQ(units % (bs + 1), 0) << row.label;
    int64_t drawn = units / (bs + 1) * bs;
    EXPECT_GE(drawn, (slots + bs - 1) / bs * bs) << row.label;
    EXPECT_LE(drawn, std::min(slots * bs, slots + experts * (bs - 1)))
        << row.label;
    double expected = double(modelled(row).writeBytes);
    EXPECT_NEAR(expected / double(row.published.writeBytes), 1, 0.08)
        << row.label;
    row.dims["P"] = drawn;
    EXPECT_EQ(modelled(row).writeBytes, row.published.writeBytes) << row.label;
  }
}

TEST_F(Costs, AreDefinedAtTheSmallestSizes) {
  for (auto &[name, spec] : operators()) {
    Row row;
    row.label = name;
    row.entry = defaultEntry(spec);
    for (const DimSpec &dim : spec.dims)
      if (dim.kind == DimKind::List)
        row.dims[dim.name] = std::vector<int64_t>();
      else if (!dim.defaultValue)
        row.dims[dim.name] = dim.min;
    // Sizes that other dims' defaults or formulas need to be larger.
    for (auto &[dim, least] :
         std::map<std::string, int64_t>{{"E", 8}, {"HS", 2}, {"D", 8}})
      if (row.dims.count(dim))
        row.dims[dim] = least;
    CostValue cost = modelled(row);
    EXPECT_GE(cost.readBytes, 0) << name;
  }
}
