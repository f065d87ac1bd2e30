//===- CasesTest.cpp - Tolerances and cases of operator.yaml --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace lathe;

namespace {

/// An operator folder that is gone with the test.
class Folder {
public:
  explicit Folder(llvm::StringRef yaml) {
    llvm::SmallString<128> base;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("lathe-cases", base));
    root = base.str().str();
    path = root + "/op";
    EXPECT_FALSE(llvm::sys::fs::create_directory(path));
    std::error_code code;
    llvm::raw_fd_ostream out(path + "/operator.yaml", code);
    EXPECT_FALSE(code);
    out << "operator: op\nsummary: text\ndims:\n"
           "  L: {kind: list, min: 1, max: 9}\n  T: {kind: request, max: 99}\n"
           "scalars:\n  eps: {dtype: f32, default: 1}\n"
           "inputs:\n  x: {shape: [T, sum(L)], dtype: bf16}\n"
           "  i: {shape: [T], dtype: i32}\n"
           "outputs:\n  y: {shape: [T], dtype: bf16}\n"
           "  z: {shape: [T], dtype: bf16}\n"
           "cost: {flops: {}, read: 0, write: 0}\n"
        << yaml;
  }
  ~Folder() { llvm::sys::fs::remove_directories(root); }
  llvm::Expected<OperatorSpec> load() const { return loadOperator(path); }

private:
  std::string root, path;
};

std::string errorOf(llvm::StringRef yaml) {
  auto spec = Folder(yaml).load();
  return spec ? "" : llvm::toString(spec.takeError());
}

} // namespace

TEST(Cases, AreRead) {
  auto spec = Folder("cases:\n"
                     "  far: {kind: adversarial, doc: far away,\n"
                     "    inputs: {i: {kind: integers, low: -4, bound: T}},\n"
                     "    dims: {T: 7, L: [1, 5 x 2]}, scalars: {eps: 0.5}}\n"
                     "  flat: {kind: edge, inputs: {x: {kind: constant, "
                     "value: 3}}}\n")
                  .load();
  ASSERT_TRUE(bool(spec)) << llvm::toString(spec.takeError());
  ASSERT_EQ(spec->cases.size(), 2u);
  const CaseSpec &far = spec->cases[0];
  EXPECT_EQ(far.name, "far");
  EXPECT_EQ(far.kind, "adversarial");
  EXPECT_EQ(far.inputs.at("i").kind, "integers");
  EXPECT_EQ(far.inputs.at("i").low, -4);
  EXPECT_EQ(far.inputs.at("i").bound->str(), "T");
  EXPECT_EQ(far.dims.at("T"), ExprValue(7));
  EXPECT_EQ(far.dims.at("L"), ExprValue(std::vector<int64_t>{1, 5, 5}));
  EXPECT_EQ(far.scalars.at("eps"), 0.5);
  EXPECT_EQ(spec->cases[1].inputs.at("x").low, 3);
}

TEST(Cases, TolerancesOfSingleOutputs) {
  auto spec =
      Folder(
          "tolerance: {ulp: 2, near_zero: 0.5, norm: 0.25,\n"
          "  outputs: {z: {ulp: 0, near_zero: 0, flips: 1e-5, flip_ulp: 9}}}\n")
          .load();
  ASSERT_TRUE(bool(spec)) << llvm::toString(spec.takeError());
  EXPECT_EQ(spec->tolerance.norm, 0.25);
  EXPECT_EQ(spec->tolerance.flips, 0);
  EXPECT_EQ(spec->outputTolerance.size(), 1u);
  EXPECT_EQ(spec->tolerance.flipUlp, 1);
  EXPECT_EQ(spec->outputTolerance.at("z").flips, 1e-5);
  EXPECT_EQ(spec->outputTolerance.at("z").flipUlp, 9);
}

TEST(Cases, TolerancesOfWhatAnEntryChooses) {
  auto spec =
      Folder("options: {mode: {values: [exact, fast], default: exact}}\n"
             "dtypes: {DT: [bf16, f32]}\n"
             "tolerance: {ulp: 1, near_zero: 0, variants: [\n"
             "  {when: {DT: f32, mode: fast}, ulp: 8, near_zero: 0},\n"
             "  {when: {DT: f32}, ulp: 4, near_zero: 0, norm: 0.5},\n"
             "  {when: {mode: fast}, ulp: 2, near_zero: 0}],\n"
             "  outputs: {z: {ulp: 0, near_zero: 0}}}\n")
          .load();
  ASSERT_TRUE(bool(spec)) << llvm::toString(spec.takeError());
  OpSetEntry entry;
  EXPECT_EQ(toleranceOf(*spec, entry, "y").ulp, 1);
  entry.options["mode"] = "fast";
  EXPECT_EQ(toleranceOf(*spec, entry, "y").ulp, 2);
  entry.dtypes["DT"] = "f32";
  EXPECT_EQ(toleranceOf(*spec, entry, "y").ulp, 8);
  EXPECT_EQ(toleranceOf(*spec, entry, "z").ulp, 0);
  entry.options["mode"] = "exact";
  EXPECT_EQ(toleranceOf(*spec, entry, "y").norm, 0.5);
}

TEST(Cases, MistakesAreNamed) {
  std::string variants =
      "dtypes: {DT: [bf16, f32]}\ntolerance: {ulp: 1, near_zero: 0, ";
  EXPECT_NE(errorOf(variants + "variants: [{ulp: 1, near_zero: 0}]}\n")
                .find("tolerance.variants: missing key 'when'"),
            std::string::npos);
  EXPECT_NE(errorOf(variants +
                    "variants: [{when: {DT: f16}, ulp: 1, near_zero: 0}]}\n")
                .find("tolerance.variants.when.DT: unexpected 'f16'"),
            std::string::npos);
  EXPECT_NE(errorOf(variants +
                    "variants: [{when: {XT: f16}, ulp: 1, near_zero: 0}]}\n")
                .find("tolerance.variants.when: unknown key 'XT'"),
            std::string::npos);
  EXPECT_NE(
      errorOf(variants + "variants: [{when: {}, ulp: 1, near_zero: 0}]}\n")
          .find("expected an option or a dtype"),
      std::string::npos);
  EXPECT_NE(errorOf("cases: {c: {kind: edge, dims: {L: [1, 10]}}}\n")
                .find("cases.c.dims.L: expected values from 1 to 9, found 10"),
            std::string::npos);
  EXPECT_NE(errorOf("cases: {c: {kind: edge, inputs: {y: {kind: zeros}}}}\n")
                .find("cases.c.inputs: unknown key 'y'"),
            std::string::npos);
  EXPECT_NE(errorOf("cases: {c: {doc: nothing}}\n")
                .find("cases.c: missing key 'kind'"),
            std::string::npos);
  EXPECT_NE(errorOf("tolerance: {ulp: 1, near_zero: 0, outputs: {x: {}}}\n")
                .find("tolerance.outputs: unknown key 'x'"),
            std::string::npos);
}
