//===- TensorMapTest.cpp - What maps may say, and what they ask for -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/TensorMap.h"

#include "gtest/gtest.h"

using namespace lathe;
using llvm::StringRef;

namespace {

std::vector<Expr> exprs(llvm::ArrayRef<const char *> texts) {
  std::vector<Expr> out;
  for (const char *text : texts)
    out.push_back(llvm::cantFail(Expr::parse(text)));
  return out;
}

/// Of a bf16 operand x[M, K] with pitch XS.
TensorMap plain() {
  return {0, "bf16", exprs({"K", "M"}), exprs({"XS * 2"}), {64, 128}, 128};
}

std::string problemOf(const TensorMap &map) {
  return llvm::toString(checkTensorMap(map));
}

/// Guards on dims that are declared from 0 to 2^40 with no divisor, but for
/// those in `certain`.
std::string guardsOf(const TensorMap &map, std::vector<DimGuard> certain = {}) {
  auto guards = tensorMapGuards(map, [&](StringRef name) {
    for (const DimGuard &guard : certain)
      if (guard.dim == name)
        return guard;
    return DimGuard{name.str(), 0, int64_t(1) << 40, 1};
  });
  if (!guards)
    return llvm::toString(guards.takeError());
  std::string text;
  for (const DimGuard &guard : *guards)
    text += guard.dim + "<=" + std::to_string(guard.hi) + "/" +
            std::to_string(guard.multiple) + " ";
  return text;
}

} // namespace

TEST(TensorMap, KeepsTheRulesOfTheCopyEngine) {
  EXPECT_EQ(problemOf(plain()), "");
  TensorMap map = plain();
  map.extents.clear();
  EXPECT_EQ(problemOf(map),
            "tensor map of operand 0: 0 dimensions, expected 1 to 5");
  map = plain();
  map.strides.clear();
  EXPECT_EQ(problemOf(map), "tensor map of operand 0: 0 strides, expected 1");
  map = plain();
  map.box = {64};
  EXPECT_EQ(problemOf(map),
            "tensor map of operand 0: a box of 1 dimensions, expected 2");
  map = plain();
  map.dtype = "i4";
  EXPECT_EQ(problemOf(map), "tensor map of operand 0: elements of type 'i4', "
                            "which no tensor map has");
  map = plain();
  map.box[1] = 257;
  EXPECT_EQ(problemOf(map),
            "tensor map of operand 0: a box of 257, expected 1 to 256");
  map = plain();
  map.box[0] = 4;
  EXPECT_EQ(problemOf(map), "tensor map of operand 0: an inner box of 8 bytes, "
                            "expected a multiple of 16");
  map = plain();
  map.box[0] = 72;
  EXPECT_EQ(problemOf(map), "tensor map of operand 0: an inner box of 144 "
                            "bytes, expected at most the swizzle's 128");
  map.swizzle = 0;
  EXPECT_EQ(problemOf(map), "");
  map.swizzle = 16;
  EXPECT_EQ(problemOf(map), "tensor map of operand 0: a swizzle of 16 bytes, "
                            "expected 0, 32, 64 or 128");
}

TEST(TensorMap, Evaluates) {
  auto shape = evaluateTensorMap(plain(), {{"K", 72}, {"M", 7}, {"XS", 80}});
  ASSERT_TRUE(bool(shape)) << llvm::toString(shape.takeError());
  EXPECT_EQ(shape->extents[0], 72u);
  EXPECT_EQ(shape->extents[1], 7u);
  EXPECT_EQ(shape->strides[0], 160u);
  EXPECT_FALSE(checkTensorMapSizes(*shape, 0x1000));
  EXPECT_STREQ(checkTensorMapSizes(*shape, 0x1008).text,
               "the address 0x1008, expected a multiple of 16");
  EXPECT_TRUE(bool(checkTensorMapSizes(*shape, 0)));

  auto odd = evaluateTensorMap(plain(), {{"K", 72}, {"M", 7}, {"XS", 81}});
  ASSERT_TRUE(bool(odd));
  EXPECT_STREQ(checkTensorMapSizes(*odd, 0x1000).text,
               "a stride of 162 bytes, expected a multiple of 16 below 2^40");

  auto negative = evaluateTensorMap(plain(), {{"K", -1}, {"M", 7}, {"XS", 8}});
  ASSERT_FALSE(bool(negative));
  EXPECT_EQ(llvm::toString(negative.takeError()),
            "tensor map of operand 0: 'K' is -1");
  auto unbound = evaluateTensorMap(plain(), {{"K", 8}, {"M", 7}});
  EXPECT_FALSE(bool(unbound));
  llvm::consumeError(unbound.takeError());
}

TEST(TensorMap, OfNothingIsStillOne) {
  // K = 0: the product is zeros, and nothing is copied.
  auto shape = evaluateTensorMap(plain(), {{"K", 0}, {"M", 7}, {"XS", 0}});
  ASSERT_TRUE(bool(shape));
  EXPECT_EQ(shape->extents[0], 1u);
  EXPECT_EQ(shape->extents[1], 1u);
  EXPECT_EQ(shape->strides[0], 16u);
  EXPECT_FALSE(checkTensorMapSizes(*shape, 0x1000));
}

TEST(TensorMap, AsksForGuards) {
  // Extents up to 2^32 - 1, strides by 16 bytes below 2^40.
  EXPECT_EQ(guardsOf(plain()),
            "K<=4294967295/1 M<=4294967295/1 XS<=549755813887/8 ");
  // What is certain is not asked for again.
  EXPECT_EQ(guardsOf(plain(),
                     {{"K", 1, 4096, 1}, {"M", 0, 100, 1}, {"XS", 1, 4096, 8}}),
            "");
  // A fixed pitch is right or wrong for good.
  EXPECT_EQ(guardsOf(plain(), {{"XS", 24, 24, 1}}),
            "K<=4294967295/1 M<=4294967295/1 ");
  EXPECT_EQ(
      guardsOf(plain(), {{"XS", 20, 20, 1}, {"K", 1, 8, 1}, {"M", 1, 8, 1}}),
      "tensor map of operand 0: stride 'XS * 2' must be a multiple of 16 "
      "up to 1099511627775, and no guard on one dim says so");
}

TEST(TensorMap, OneGuardServesBothRules) {
  TensorMap map = plain();
  map.strides = exprs({"K * 2"});
  EXPECT_EQ(guardsOf(map), "K<=4294967295/8 M<=4294967295/1 ");
  map.strides = exprs({"(K + 8) * 2"});
  EXPECT_EQ(guardsOf(map), "K<=4294967295/8 M<=4294967295/1 ");
  map.strides = exprs({"K * M * 2"});
  EXPECT_EQ(guardsOf(map),
            "tensor map of operand 0: stride 'K * M * 2' must be a multiple of "
            "16 up to 1099511627775, and no guard on one dim says so");
  // Known divisors multiply.
  EXPECT_EQ(guardsOf(map, {{"K", 2, 1024, 2}, {"M", 4, 1024, 4}}), "");
  map.extents = exprs({"K ceildiv 4", "max(M, 1)"});
  map.strides = exprs({"256"});
  EXPECT_EQ(guardsOf(map), "K<=17179869180/1 M<=4294967295/1 ");
}

TEST(TensorMap, TravelsAsJson) {
  std::vector<TensorMap> maps = {plain(), plain()};
  maps[1].operand = 2;
  maps[1].extents = exprs({"N"});
  maps[1].strides.clear();
  maps[1].box = {64};
  maps[1].swizzle = 0;
  llvm::json::Value json = tensorMapsToJSON(maps);
  auto back = tensorMapsFromJSON(&json);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_TRUE(*back == maps);
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ((*back)[1].operand, 2u);
  EXPECT_EQ((*back)[0].strides, maps[0].strides);

  (*json.getAsArray())[0].getAsObject()->erase("strides");
  auto broken = tensorMapsFromJSON(&json);
  ASSERT_FALSE(bool(broken));
  EXPECT_NE(llvm::toString(broken.takeError()).find("expected expressions"),
            std::string::npos);
  json = tensorMapsToJSON(maps);
  (*(*json.getAsArray())[0].getAsObject())["swizzle"] = 7;
  broken = tensorMapsFromJSON(&json);
  ASSERT_FALSE(bool(broken));
  EXPECT_NE(llvm::toString(broken.takeError()).find("a swizzle of 7 bytes"),
            std::string::npos);
  EXPECT_TRUE(llvm::cantFail(tensorMapsFromJSON(nullptr)).empty());
}
