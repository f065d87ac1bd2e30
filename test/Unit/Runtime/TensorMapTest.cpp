//===- TensorMapTest.cpp - Maps in tables and at launches -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "OpenedBundle.h"
#include "Table.h"

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace lathe;
using namespace lathe::test;

namespace {

TensorMap mapOf(uint32_t operand, std::vector<Expr> extents,
                std::vector<Expr> strides, std::vector<uint32_t> box) {
  return {operand,        "bf16", std::move(extents), std::move(strides),
          std::move(box), 128};
}

/// x by rows and weight, as maps of the one case that needs alignment.
DispatchTable mapped() {
  DispatchTable table = makeSignature("norm");
  Expr pitch =
      Expr::make(Expr::Kind::Mul, {Expr::symbol("XS"), Expr::constant(2)});
  table.cases.push_back(makeCase("sm_90a", CaseKind::Bucket,
                                 {{"T", 0, 1 << 20, 1}, {"XS", 1, 1 << 20, 8}},
                                 16));
  table.cases.back().maps = {
      mapOf(0, {Expr::symbol("H"), Expr::symbol("T")}, {pitch}, {64, 128}),
      mapOf(1, {Expr::symbol("H")}, {}, {32})};
  table.cases.push_back(makeCase("sm_90a", CaseKind::Generic, {}));
  return table;
}

fake_state &fakeCuda() {
  void *library =
      dlopen(LATHE_FAKE_DIR "/libfake_cuda.so", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    llvm::report_fatal_error(dlerror());
  auto *state = static_cast<fake_state *>(dlsym(library, "fake_state"));
  *state = {};
  state->major = 9;
  state->num_args = 7;
  state->num_maps = 2;
  return *state;
}

void *address(uintptr_t value) { return reinterpret_cast<void *>(value); }

} // namespace

TEST(TensorMaps, FollowTheScalars) {
  fake_state &state = fakeCuda();
  Opened opened(makeBundle({mapped()}));
  const lathe_table *table = opened.table("norm");
  lathe_prepared *prepared;
  ASSERT_EQ(lathe_prepare(opened.bundle, LATHE_VENDOR_NVIDIA, 0, &prepared),
            LATHE_OK)
      << lathe_last_error();
  void *pointers[] = {address(0x1000), address(0x2010), address(0x3020)};
  int64_t dims[] = {10, 72, 80};
  auto launch = [&] {
    return lathe_launch(prepared, table, dims, 3, pointers, 3, nullptr, 0,
                        nullptr);
  };
  ASSERT_EQ(launch(), LATHE_OK) << lathe_last_error();
  EXPECT_EQ(state.maps, 2);
  const uint64_t *x = state.map_words[0], *weight = state.map_words[1];
  EXPECT_EQ(x[0], 0x1000u);
  EXPECT_EQ(x[1], uint64_t(9) << 32 | 2 << 8 | 3); // bf16, rank 2, 128 bytes
  EXPECT_EQ(x[2], 72u);
  EXPECT_EQ(x[3], 10u);
  EXPECT_EQ(x[7], 160u);
  EXPECT_EQ(x[12], 64128u);
  EXPECT_EQ(weight[0], 0x2010u);
  EXPECT_EQ(weight[2], 72u);
  EXPECT_EQ(weight[12], 32u);

  // Nothing is encoded where nothing is launched.
  dims[0] = 0;
  ASSERT_EQ(launch(), LATHE_OK);
  EXPECT_EQ(state.maps, 2);

  // A pitch that no map has, or a base: the generic kernel.
  dims[0] = 10;
  dims[2] = 81;
  state.num_maps = 0;
  ASSERT_EQ(launch(), LATHE_OK);
  dims[2] = 80;
  pointers[0] = address(0x1008);
  ASSERT_EQ(launch(), LATHE_OK);
  EXPECT_EQ(state.maps, 2);
  EXPECT_EQ(state.launches, 3);
  lathe_release(prepared);
}

TEST(TensorMaps, OfNothingHaveSomeAddress) {
  fake_state &state = fakeCuda();
  DispatchTable table = mapped();
  table.dims[1].min = 0; // H
  table.cases[0].maps.pop_back();
  state.num_maps = 1;
  Opened opened(makeBundle({table}));
  lathe_prepared *prepared;
  ASSERT_EQ(lathe_prepare(opened.bundle, LATHE_VENDOR_NVIDIA, 0, &prepared),
            LATHE_OK);
  void *pointers[] = {nullptr, address(0x2010), address(0x3020)};
  int64_t dims[] = {10, 0, 8};
  ASSERT_EQ(lathe_launch(prepared, opened.table("norm"), dims, 3, pointers, 3,
                         nullptr, 0, nullptr),
            LATHE_OK)
      << lathe_last_error();
  EXPECT_EQ(state.map_words[0][0], 0x3020u);
  EXPECT_EQ(state.map_words[0][2], 1u);
  EXPECT_EQ(state.map_words[0][3], 1u);
  EXPECT_EQ(state.map_words[0][7], 16u);

  // With elements it is the caller's mistake.
  dims[1] = 8;
  EXPECT_EQ(lathe_launch(prepared, opened.table("norm"), dims, 3, pointers, 3,
                         nullptr, 0, nullptr),
            LATHE_LIMIT);
  EXPECT_STREQ(lathe_last_error(), "norm: tensor map of x: the address 0, "
                                   "expected a multiple of 16");
  lathe_release(prepared);
}

TEST(TensorMaps, RoundTrip) {
  auto bundle =
      parseBundle(llvm::cantFail(serializeBundle(makeBundle({mapped()}))));
  ASSERT_TRUE(bool(bundle)) << llvm::toString(bundle.takeError());
  const DispatchTable expected = mapped();
  const DispatchCase &row = bundle->tables[0].cases[0];
  EXPECT_TRUE(row.maps == expected.cases[0].maps);
  EXPECT_TRUE(bundle->tables[0].cases[1].maps.empty());
}

//===----------------------------------------------------------------------===//
// Tables from anybody
//===----------------------------------------------------------------------===//

namespace {

struct Edited {
  std::string bytes = llvm::cantFail(encodeTable(mapped()));
  lathe_table_header &header() {
    return *reinterpret_cast<lathe_table_header *>(bytes.data());
  }
  lathe_table_map &map(uint32_t index) {
    return reinterpret_cast<lathe_table_map *>(bytes.data() +
                                               header().maps.offset)[index];
  }
  lathe_table_case &row() {
    return *reinterpret_cast<lathe_table_case *>(bytes.data() +
                                                 header().cases.offset);
  }
  /// What the runtime says of it; empty: it takes it.
  std::string problem() {
    std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
    memcpy(aligned.data(), bytes.data(), bytes.size());
    lathe_table table;
    return runtime::parseTable(
               {reinterpret_cast<char *>(aligned.data()), bytes.size()},
               table) == LATHE_OK
               ? ""
               : lathe_last_error();
  }
};

} // namespace

TEST(TensorMaps, MalformedOnesAreRefused) {
  using Edit = void (*)(Edited &);
  const std::string plain = "dispatch table: tensor map (at ";
  const std::string box = "dispatch table: a box or swizzle that the copy "
                          "engine lacks, tensor map (at ";
  const std::pair<Edit, std::string> cases[] = {
      {[](Edited &) {}, ""},
      {[](Edited &e) { e.map(0).operand = 3; }, plain + "0)"},
      {[](Edited &e) { e.map(1).rank = 0; }, plain + "1)"},
      {[](Edited &e) { e.map(1).rank = 6; }, plain + "1)"},
      {[](Edited &e) { e.map(0).reserved = 1; }, plain + "0)"},
      {[](Edited &e) { e.map(0).dtype = 1u << 30; }, plain + "0)"},
      {[](Edited &e) { e.map(0).dtype = e.header().entry; }, plain + "0)"},
      {[](Edited &e) { e.map(0).swizzle_bytes = 16; }, box + "0)"},
      {[](Edited &e) { e.map(0).box[0] = 0; }, box + "0)"},
      {[](Edited &e) { e.map(0).box[1] = 257; }, box + "0)"},
      {[](Edited &e) { e.map(0).box[0] = 1u << 31; }, box + "0)"},
      {[](Edited &e) { e.map(0).box[2] = 1; }, plain + "0)"},
      {[](Edited &e) { e.map(1).strides[0].length = 1; }, plain + "1)"},
      {[](Edited &e) { e.map(1).extents[4].length = 1; }, plain + "1)"},
      {[](Edited &e) { e.map(0).extents[1].first = ~0u; },
       "dispatch table: an expression leaves its section (at 0)"},
      {[](Edited &e) { e.map(0).strides[0].length = 0; },
       "dispatch table: its length is impossible (at 0)"},
      {[](Edited &e) { e.row().first_map = 3; }, "dispatch table: case (at 0)"},
      {[](Edited &e) { e.row().num_maps = 3; }, "dispatch table: case (at 0)"},
      {[](Edited &e) { e.header().maps.count = 1u << 30; },
       "dispatch table: a section leaves the table (at 0)"},
      {[](Edited &e) { e.header().version = 1; },
       "dispatch table: its version is unknown (at 0)"}};
  for (const auto &[edit, expected] : cases) {
    Edited edited;
    edit(edited);
    EXPECT_EQ(edited.problem(), expected);
  }
}

TEST(TensorMaps, AreNvidias) {
  Edited edited;
  size_t strings = edited.header().strings.offset;
  const std::string zero(1, '\0');
  edited.bytes.replace(edited.bytes.find(zero + "sm_90a" + zero, strings), 7,
                       zero + "gfx942");
  EXPECT_EQ(edited.problem(), "dispatch table: tensor maps, which it lacks, of "
                              "architecture (at 0)");
}
