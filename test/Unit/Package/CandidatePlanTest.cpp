//===- CandidatePlanTest.cpp - Candidate plans as JSON --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToyCandidates.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace lathe;
using namespace lathe::measure;
using testing::HasSubstr;
namespace json = llvm::json;

static std::string messageOf(const std::string &text) {
  try {
    readPlan(text);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(CandidatePlan, RoundTrips) {
  std::string text = writePlan(test::toyCandidates());
  Candidates again = readPlan(text);
  EXPECT_EQ(writePlan(again), text);
  EXPECT_EQ(again.entries[0].operands[1].tolerance.drift, 0.125);
  EXPECT_EQ(again.problems[1].draws[0].scalars[0], __builtin_inf());
  EXPECT_EQ(again.kernels[0].launches[0].arguments[2].value, ~uint64_t(0));
  EXPECT_EQ(again.kernels[1].refused, "calls 'printf'");
}

TEST(CandidatePlan, FillsSourcesFromViews) {
  Candidates plan = readPlan(writePlan(test::toyCandidates()));
  const DrawSource &source = plan.problems[0].draws[0].sources[0];
  EXPECT_EQ(source.rank, 2u);
  EXPECT_EQ(source.shape[0], 4);
  EXPECT_EQ(source.shape[1], 8);
  EXPECT_EQ(source.element.bytes, 4);
}

namespace {
/// A field by its path ("kernels/0/block"), what it becomes, and what the error
/// says.
struct Damage {
  const char *path, *value, *message;
};
} // namespace

/// The JSON of the toy plan with one field replaced; "-" removes it.
static std::string damaged(const Damage &damage) {
  json::Value root =
      llvm::cantFail(json::parse(writePlan(test::toyCandidates())));
  json::Value *at = &root;
  llvm::StringRef path = damage.path;
  while (true) {
    auto [name, rest] = path.split('/');
    json::Object *object = at->getAsObject();
    if (rest.empty() && llvm::StringRef(damage.value) == "-") {
      object->erase(name);
      break;
    }
    size_t index = 0;
    at = object ? &(*object)[name]
                : (name.getAsInteger(10, index), &(*at->getAsArray())[index]);
    if (rest.empty()) {
      *at = llvm::cantFail(json::parse(damage.value));
      break;
    }
    path = rest;
  }
  std::string text;
  llvm::raw_string_ostream(text) << root;
  return text;
}

TEST(CandidatePlan, NamesTheFieldThatIsWrong) {
  const Damage damages[] = {
      {"version", "1", "plan.version: found 1, expected 6"},
      {"version", "-", "has no field 'version'"},
      {"entries", "-", "plan: has no field 'entries'"},
      {"entries", "{}", "plan.entries: found object, expected a list"},
      {"entries/0", "3", "plan.entries[0]: found number, expected an object"},
      {"lathe", "3", "plan.lathe: found number, expected a text"},
      {"target/arch", "\"sm 90\"", "plan.target.arch: is no symbol"},
      {"target/bandwidth", "-1", "plan.target.bandwidth: expected a finite"},
      {"target/bandwidth", "\"much\"", "expected a number"},
      {"target/launch_floor_us", "\"inf\"", "expected a finite"},
      {"entries/0/name", "\"\"", "plan.entries[0].name: is empty"},
      {"entries/0/name", "\"a\\nb\"", "has a control character"},
      {"entries/0/reference", "1", "found index 1, there are 1"},
      {"entries/0/reference", "-1", "the integer is out of range"},
      {"entries/0/reference", "4294967296", "the integer is out of range"},
      {"entries/0/reference", "0.5", "found number, expected an integer"},
      {"entries/0/scalars", "[]", "found 0 items, expected 1"},
      {"entries/0/operands/0/dtype", "\"f7\"", "unknown dtype 'f7'"},
      {"entries/0/operands/0/output", "1", "expected true or false"},
      {"entries/0/operands/1/may_alias", "1", "expected -1 or an input"},
      {"entries/0/operands/1/may_alias", "-2", "expected -1 or an input"},
      {"entries/0/operands/1/tolerance/ulp", "\"nan\"", "expected a finite"},
      {"references/0/image", "2", "plan.references[0].image: found index 2"},
      {"references/0/row_rank", "9", "found 9, expected at most 8"},
      {"references/0/scalar_dtypes", "[\"f16\"]", "found 'f16', expected one"},
      {"references/0/symbol", "\"a b\"", "is no symbol"},
      {"problems/0/entry", "7", "plan.problems[0].entry: found index 7"},
      {"problems/0/views", "[]", "found 0 items, expected 2"},
      {"problems/0/views/0/shape", "[-1,8]", "an extent is negative"},
      {"problems/0/views/0/strides", "[-8,1]", "a stride is negative"},
      {"problems/0/views/0/strides", "[1]", "found 1 items, expected 2"},
      {"problems/0/views/0/shape", "[4611686018427387904,8]",
       "plan.problems[0].views[0]"},
      {"problems/0/views/0/strides", "[9223372036854775807,1]",
       "plan.problems[0].views[0]"},
      {"problems/0/views/0/shape", "[1,1,1,1,1,1,1,1,1]", "at most 8"},
      {"problems/0/reference_rows", "[]", "found 0 items, expected 1"},
      {"problems/0/reference_rows", "[-1]", "at most 2^46 rows"},
      {"problems/0/reference_rows", "[70368744177665]", "at most 2^46 rows"},
      {"problems/0/draws", "[]", "plan.problems[0].draws: expected a draw"},
      {"problems/0/draws/0/mode", "\"edge\"", "a realistic one first"},
      {"problems/0/draws/0/mode", "\"odd\"", "unknown value 'odd'"},
      {"problems/0/draws/0/scalars", "[]", "found 0 items, expected 1"},
      {"problems/0/draws/0/lists", "[[]]", "found 1 items, expected 2"},
      {"problems/0/draws/0/sources/0/kind", "\"skewed\"", ""},
      {"problems/0/draws/0/sources/0/kind", "\"permuted\"",
       "expected a bound of at least 8, found 7"},
      {"problems/0/draws/0/sources/0/kind", "\"quantized\"",
       "plan.problems[0].draws[0].sources[0]"},
      {"problems/0/draws/0/sources/0/kind", "\"list\"",
       "lists[0]: found 0 items, expected 32"},
      {"problems/0/weight", "\"nan\"", "expected a finite"},
      {"problems/0/dims", "{\"a=b\":1}", "plan.problems[0].dims: is no symbol"},
      {"kernels/0/entry", "9", "plan.kernels[0].entry: found index 9"},
      {"kernels/0/image", "9", "plan.kernels[0].image: found index 9"},
      {"kernels/0/role", "\"best\"", "expected one of exact, bucket, generic"},
      {"kernels/0/origin", "\"\"", "expected one of template, external"},
      {"kernels/0/proof", "\"maybe\"", "expected one of simulator, sanitizer"},
      {"kernels/0/block", "[1024,2,1]", "found 2048 threads"},
      {"kernels/0/block", "[0,1,1]", "found 0 threads"},
      {"kernels/0/block", "[1,1]", "found 2 numbers, expected 3"},
      {"kernels/0/shared_bytes", "2000000", "expected at most 1048576"},
      {"kernels/0/symbol", "\"\"", "plan.kernels[0].symbol: is empty"},
      {"kernels/1/launches", "[3]", "plan.kernels[1].launches[0]"},
      {"kernels/0/launches/0/problem", "2", "found index 2, there are 2"},
      {"kernels/0/launches/0/grid", "[2147483648,1,1]", "at most 2147483647"},
      {"kernels/0/launches/0/grid", "[1,65536,1]", "grid[1]: found 65536"},
      {"kernels/0/launches/0/alignment", "24", "expected a power of two"},
      {"kernels/0/launches/0/alignment", "8", "found 8, tensor maps need 16"},
      {"kernels/0/launches/0/maps", "-", "has no field 'maps'"},
      {"kernels/0/launches/0/maps/0/operand", "2", "found index 2"},
      {"kernels/0/launches/0/maps/0/dtype", "\"i4\"", "of type 'i4'"},
      {"kernels/0/launches/0/maps/0/extents", "[]", "found 0 extents"},
      {"kernels/0/launches/0/maps/0/extents", "[8,0]", "a dimension of 0"},
      {"kernels/0/launches/0/maps/0/extents", "[8,4294967296]",
       "a dimension of 4294967296"},
      {"kernels/0/launches/0/maps/0/strides", "[]", "0 strides and a box of 2"},
      {"kernels/0/launches/0/maps/0/strides", "[36]", "a stride of 36 bytes"},
      {"kernels/0/launches/0/maps/0/strides", "[-16]", "out of range"},
      {"kernels/0/launches/0/maps/0/box", "[4,4,4]", "a box of 3 dimensions"},
      {"kernels/0/launches/0/maps/0/box", "[4,257]", "a box of 257"},
      {"kernels/0/launches/0/maps/0/box", "[16,4]", "the swizzle's 32"},
      {"kernels/0/launches/0/maps/0/swizzle", "48", "a swizzle of 48 bytes"},
      {"kernels/0/launches/0/alignment", "0", "expected a power of two"},
      {"kernels/0/launches/0/arguments/0/value", "2", "found index 2"},
      {"kernels/0/launches/0/arguments/3/value", "1", "found index 1"},
      {"kernels/0/launches/0/arguments/3/dtype", "\"f16\"", "found 'f16'"},
      {"kernels/0/launches/0/arguments/2/kind", "\"i32\"",
       "expected at most 4294967295"},
      {"images/0/sha256", "\"00\"", "64 lower-case hexadecimal digits"}};
  for (const Damage &damage : damages) {
    std::string message = messageOf(damaged(damage));
    if (damage.message[0] == 0)
      EXPECT_EQ(message, "") << damage.path << " = " << damage.value;
    else
      EXPECT_THAT(message, HasSubstr(damage.message))
          << damage.path << " = " << damage.value;
  }
}

TEST(CandidatePlan, RefusesWhatIsNoJson) {
  EXPECT_THAT(messageOf(""), HasSubstr("not JSON"));
  EXPECT_THAT(messageOf("[]"), HasSubstr("expected an object"));
  std::string text = writePlan(test::toyCandidates());
  for (size_t length = 0; length + 1 < text.size(); length += 97)
    EXPECT_NE(messageOf(text.substr(0, length)), "");
  EXPECT_THAT(messageOf(std::string(100000, '[')), HasSubstr("not JSON"));
}
