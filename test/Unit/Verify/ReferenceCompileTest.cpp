//===- ReferenceCompileTest.cpp - What references may be and do -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Load.h"
#include "lathe/Verify/Reference.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace lathe;
using llvm::StringRef;
using testing::HasSubstr;

namespace {
/// An operator out[T] of x[T], whose reference is written to a folder.
class ReferenceCompile : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("lathe-reference", path));
    spec.name = "twice";
    spec.directory = path.str().str();
    spec.hasReference = true;
    spec.dims.push_back({"T", DimKind::Request, 0, 1 << 20, {}, ""});
    spec.options.push_back({"mode", {"a", "b"}, "a", ""});
    spec.scalars.push_back({"n", "i32", 0, ""});
    for (const char *name : {"x", "out"}) {
      OperandSpec &operand = spec.operands.emplace_back();
      operand.name = name;
      operand.dtype = "f32";
      operand.shape = {Expr::symbol("T")};
      operand.isOutput = name == StringRef("out");
    }
  }
  void TearDown() override {
    llvm::sys::fs::remove_directories(spec.directory);
  }

  llvm::Expected<std::unique_ptr<Reference>> compile(StringRef text) {
    llvm::SmallString<128> path(spec.directory);
    llvm::sys::path::append(path, "reference.mlir");
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << text;
    return Reference::compile(spec, {});
  }
  /// Of @reference with `body`, where %c0 and %c1 are 0 and 1.
  std::string body(StringRef text, StringRef attributes = "") {
    return ("func.func @reference(%x: memref<?xf32>, %out: memref<?xf32>, "
            "%T: index, %n: i32, %mode: index) " +
            attributes +
            " {\n  %c0 = arith.constant 0 : index\n"
            "  %c1 = arith.constant 1 : index\n" +
            text + "\n  return\n}\n")
        .str();
  }
  std::string failure(StringRef text) {
    auto reference = compile(text);
    return reference ? "" : llvm::toString(reference.takeError());
  }

  OperatorSpec spec;
};
} // namespace

static constexpr StringRef copyRows = R"(
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    %v = memref.load %x[%t] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %out[%t] : memref<?xf32>
    scf.reduce
  })";

// Every dtype that operator.yaml allows, and all of the published operators.
TEST(ReferenceTable, EveryOperatorCompilesForEveryDType) {
  OperatorTable table =
      llvm::cantFail(loadOperators({LATHE_SOURCE_DIR "/templates"}));
  EXPECT_EQ(table.size(), 32u);
  for (auto &[name, spec] : table) {
    EXPECT_TRUE(spec.hasReference) << name;
    std::vector<std::map<std::string, std::string, std::less<>>> all = {{}};
    for (auto &[variable, dtypes] : spec.dtypes) {
      std::vector<std::map<std::string, std::string, std::less<>>> next;
      for (const auto &known : all)
        for (const DTypeName &dtype : dtypes) {
          next.push_back(known);
          next.back()[variable] = dtype;
        }
      all = std::move(next);
    }
    for (const auto &dtypes : all) {
      auto reference = Reference::compile(spec, dtypes);
      EXPECT_TRUE(bool(reference))
          << name << ": " << llvm::toString(reference.takeError());
    }
  }
}

TEST_F(ReferenceCompile, NamesWhatIsWrongWithTheFile) {
  spec.hasReference = false;
  EXPECT_THAT(failure(""), HasSubstr("operator 'twice' has no reference.mlir"));
  spec.hasReference = true;
  EXPECT_THAT(failure("func.func @reference( {"),
              HasSubstr("reference.mlir:1:"));
  EXPECT_THAT(failure("func.func @other() { return }"),
              HasSubstr("found no func.func @reference with a body"));
  EXPECT_THAT(failure("func.func private @reference()"),
              HasSubstr("found no func.func @reference with a body"));
  EXPECT_THAT(
      failure("func.func @reference(%x: memref<?xf32>) { return }"),
      HasSubstr("@reference has 1 arguments and 0 results, expected 5"));
}

TEST_F(ReferenceCompile, NamesTheArgumentThatDoesNotFit) {
  auto signature = [&](StringRef text) {
    return failure(("func.func @reference(" + text + ") { return }").str());
  };
  EXPECT_THAT(signature("%a: memref<?xf64>, %b: memref<?xf32>, %T: index, "
                        "%n: i32, %m: index"),
              HasSubstr("argument 0 of @reference is 'memref<?xf64>', expected "
                        "operand 'x', a memref of rank 1 and f32"));
  EXPECT_THAT(signature("%a: memref<?xf32>, %b: memref<?x?xf32>, %T: index, "
                        "%n: i32, %m: index"),
              HasSubstr("expected operand 'out'"));
  EXPECT_THAT(signature("%a: memref<?xf32>, %b: memref<?xf32>, %T: index, "
                        "%m: index, %n: i32"),
              HasSubstr("argument 3 of @reference is 'index', expected scalar "
                        "'n', i32"));
}

TEST_F(ReferenceCompile, NamesOperationsThatItDoesNotTake) {
  EXPECT_THAT(failure(body("%s = memref.subview %x[0] [1] [1] : memref<?xf32> "
                           "to memref<1xf32, strided<[1]>>")),
              HasSubstr("'memref.subview' in a reference, expected"));
  EXPECT_THAT(failure(body("scf.for %i = %c0 to %T step %c1 {\n"
                           "  %a = memref.alloca() : memref<4xf32>\n}")),
              HasSubstr("'memref.alloca' in a reference"));
  EXPECT_EQ(failure(body("%a = memref.alloca() : memref<4xf32>")), "");
}

TEST_F(ReferenceCompile, NamesLoopsThatAreNotRows) {
  EXPECT_THAT(failure(body("", "attributes {lathe.rows}")),
              HasSubstr("has lathe.rows and 0 scf.parallel at its top level"));
  EXPECT_THAT(failure(body("scf.parallel (%t) = (%c1) to (%T) step (%c1) {\n"
                           "  scf.reduce\n}",
                           "attributes {lathe.rows}")),
              HasSubstr("expected it to start at the constant 0 with step 1"));
}

TEST_F(ReferenceCompile, ComputesOnlyTheAskedRows) {
  auto rows = compile(body(copyRows, "attributes {lathe.rows}"));
  ASSERT_TRUE(bool(rows)) << llvm::toString(rows.takeError());
  EXPECT_EQ((*rows)->sampledRank(), 1u);
  std::vector<float> x = {1, 2, 3, 4}, out(4, -1);
  std::vector<ReferenceOperand> operands = {
      {reinterpret_cast<char *>(x.data()), {4}, {1}},
      {reinterpret_cast<char *>(out.data()), {4}, {1}}};
  auto run = [&](llvm::ArrayRef<IndexRange> ranges) {
    return llvm::toString((*rows)->run(operands, {4}, {0}, {1}, ranges));
  };
  EXPECT_EQ(run(IndexRange{1, 3}), "");
  EXPECT_EQ(out, (std::vector<float>{-1, 4, 6, -1}));
  EXPECT_EQ(run(IndexRange{3, 3}), "");
  EXPECT_EQ(run(IndexRange{7, 9}), "");
  EXPECT_EQ(out[3], -1);
  EXPECT_EQ(run({}), "");
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6, 8}));
  EXPECT_THAT(run({IndexRange{0, 1}, IndexRange{0, 1}}),
              HasSubstr("got 2 ranges, expected at most 1"));
  EXPECT_THAT(run(IndexRange{-1, 1}), HasSubstr("range starts at -1"));
}

TEST_F(ReferenceCompile, ReportsAccessesOutsideOfOperands) {
  auto reference = compile(body(R"(
  %minus = arith.constant -1 : index
  %v = memref.load %x[%T] : memref<?xf32>
  %w = memref.load %x[%minus] : memref<?xf32>
  %sum = arith.addf %v, %w : f32
  memref.store %sum, %out[%minus] : memref<?xf32>
  memref.store %sum, %out[%c0] : memref<?xf32>)"));
  ASSERT_TRUE(bool(reference)) << llvm::toString(reference.takeError());
  std::vector<float> x = {5, 6, 7}, out = {8, 9, 10};
  std::string error =
      llvm::toString((*reference)
                         ->run({{reinterpret_cast<char *>(&x[1]), {1}, {1}},
                                {reinterpret_cast<char *>(&out[1]), {1}, {1}}},
                               {1}, {0}, {0}));
  EXPECT_THAT(error, HasSubstr("accesses memory outside of an operand at "
                               "reference.mlir:6:8 (3 accesses in all)"));
  EXPECT_EQ(out, (std::vector<float>{8, 0, 10})); // such loads give zero
}

// A loop is copied for when all of its accesses stay inside.
TEST_F(ReferenceCompile, ReportsTheTurnsOfALoopThatAreOutside) {
  auto reference = compile(body(R"(
  %c4 = arith.constant 4 : index
  %turned = arith.cmpi eq, %mode, %c1 : index
  scf.for %i = %c0 to %T step %c1 {
    %at = arith.select %turned, %c1, %i : index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  %bare = arith.cmpi eq, %mode, %c0 : index
  scf.if %bare {
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%i] : memref<?xf32>
      %next = arith.addf %s, %v fastmath<reassoc> : f32
      scf.yield %next : f32
    }
    memref.store %sum, %out[%c0] : memref<?xf32>
  })"));
  ASSERT_TRUE(bool(reference)) << llvm::toString(reference.takeError());
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, out(6, -1);
  auto run = [&](int64_t inputs, int64_t outputs, int64_t turns, int64_t mode) {
    return llvm::toString(
        (*reference)
            ->run({{reinterpret_cast<char *>(x.data()), {inputs}, {1}},
                   {reinterpret_cast<char *>(out.data()), {outputs}, {1}}},
                  {turns}, {mode}, {0}));
  };
  EXPECT_EQ(run(4, 4, 4, 0), "");
  EXPECT_EQ(out, (std::vector<float>{10, 2, 3, 4, -1, -1}));
  EXPECT_EQ(run(2, 4, 4, 1), ""); // x[1] alone
  EXPECT_EQ(out, (std::vector<float>{2, 2, 2, 2, -1, -1}));
  EXPECT_THAT(run(1, 3, 3, 1), HasSubstr("(3 accesses in all)"));
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 2, -1, -1}));
  // Two of x and one of out, then two of x in the sum.
  EXPECT_THAT(run(2, 3, 4, 0), HasSubstr("(5 accesses in all)"));
  EXPECT_EQ(out, (std::vector<float>{3, 2, 0, 2, -1, -1}));
  EXPECT_THAT(run(1, 1, -1, 0), HasSubstr("(3 accesses in all)"));
}

TEST_F(ReferenceCompile, ChecksWhatItIsRunWith) {
  auto reference = compile(body(copyRows));
  ASSERT_TRUE(bool(reference)) << llvm::toString(reference.takeError());
  EXPECT_EQ((*reference)->sampledRank(), 0u);
  std::vector<float> memory(8);
  ReferenceOperand good{reinterpret_cast<char *>(memory.data()), {4}, {1}};
  auto run = [&](std::vector<ReferenceOperand> operands,
                 std::vector<int64_t> dims, std::vector<int64_t> options,
                 std::vector<double> scalars) {
    return llvm::toString((*reference)->run(operands, dims, options, scalars));
  };
  EXPECT_EQ(run({good, good}, {4}, {1}, {-3}), "");
  EXPECT_THAT(run({good}, {4}, {0}, {0}),
              HasSubstr("got 1 operands, expected 2"));
  EXPECT_THAT(run({good, good}, {}, {0}, {0}),
              HasSubstr("got 0 dimensions, expected 1"));
  EXPECT_THAT(run({good, good}, {4}, {}, {0}),
              HasSubstr("got 0 options, expected 1"));
  EXPECT_THAT(run({good, good}, {4}, {0}, {}),
              HasSubstr("got 0 scalars, expected 1"));
  EXPECT_THAT(run({good, good}, {4}, {2}, {0}),
              HasSubstr("option 'mode' has index 2, expected less than 2"));
  EXPECT_THAT(run({good, good}, {4}, {0}, {0.5}),
              HasSubstr("scalar 'n' is 0.50, expected an integer"));
  ReferenceOperand flat{good.data, {4, 1}, {1, 1}};
  EXPECT_THAT(run({good, flat}, {4}, {0}, {0}),
              HasSubstr("operand 'out' has 2 extents and 2 strides"));
  ReferenceOperand pitched{good.data, {4}, {2}};
  EXPECT_THAT(run({pitched, good}, {4}, {0}, {0}),
              HasSubstr("stride 0 of operand 'x' is 2, expected 1"));
  ReferenceOperand nowhere{nullptr, {4}, {1}};
  EXPECT_THAT(run({nowhere, good}, {4}, {0}, {0}),
              HasSubstr("operand 'x' has no memory"));
  ReferenceOperand empty{nullptr, {0}, {1}};
  EXPECT_EQ(run({empty, empty}, {0}, {0}, {0}), "");
}

// Otherwise the call of libm's expm1 would be one of the function that makes
// it.
TEST_F(ReferenceCompile, FunctionsMayBeNamedLikeThoseOfTheHost) {
  auto reference = compile(R"(
func.func private @expm1(%x: f64) -> f64 {
  %y = math.expm1 %x : f64
  return %y : f64
}
func.func private @reference.0.expm1(%x: f64) -> f64 {
  %y = call @expm1(%x) : (f64) -> f64
  %z = arith.addf %y, %y : f64
  return %z : f64
}
func.func @malloc(%x: f64) -> f64 {
  %y = call @reference.0.expm1(%x) : (f64) -> f64
  return %y : f64
})" + body(R"(
  %a = memref.load %x[%c0] : memref<?xf32>
  %wide = arith.extf %a : f32 to f64
  %y = func.call @malloc(%wide) : (f64) -> f64
  %narrow = arith.truncf %y : f64 to f32
  memref.store %narrow, %out[%c0] : memref<?xf32>)"));
  ASSERT_TRUE(bool(reference)) << llvm::toString(reference.takeError());
  std::vector<float> x = {1e-12f}, out(1);
  EXPECT_EQ(llvm::toString(
                (*reference)
                    ->run({{reinterpret_cast<char *>(x.data()), {1}, {1}},
                           {reinterpret_cast<char *>(out.data()), {1}, {1}}},
                          {1}, {0}, {0})),
            "");
  EXPECT_EQ(out[0], 2e-12f);
}

// The host's libm and roundings: log1p near 0, bf16 denormals, exact f32 steps.
TEST_F(ReferenceCompile, ArithmeticIsExactWhereItCanBe) {
  auto reference = compile(body(R"(
  %a = memref.load %x[%c0] : memref<?xf32>
  %wide = arith.extf %a : f32 to f64
  %log = math.log1p %wide : f64
  %narrow = arith.truncf %log : f64 to f32
  memref.store %narrow, %out[%c0] : memref<?xf32>
  %b = memref.load %x[%c1] : memref<?xf32>
  %half = tile.convert %b : f32 -> bf16
  %back = tile.convert %half : bf16 -> f32
  memref.store %back, %out[%c1] : memref<?xf32>)"));
  ASSERT_TRUE(bool(reference)) << llvm::toString(reference.takeError());
  std::vector<float> x = {1e-12f, 0x1.8p-133f}, out(2);
  EXPECT_EQ(llvm::toString(
                (*reference)
                    ->run({{reinterpret_cast<char *>(x.data()), {2}, {1}},
                           {reinterpret_cast<char *>(out.data()), {2}, {1}}},
                          {2}, {0}, {0})),
            "");
  EXPECT_EQ(out[0], 1e-12f);
  EXPECT_EQ(out[1], 0x1p-132f); // a tie between two denormals, to even
}
