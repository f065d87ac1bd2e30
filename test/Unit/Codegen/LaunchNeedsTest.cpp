//===- LaunchNeedsTest.cpp - Launches as lowered kernels describe them ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/Compile.h"
#include "lathe/Codegen/Message.h"

#include "gtest/gtest.h"

using namespace lathe;
using llvm::StringRef;

namespace {

constexpr const char *xMap =
    "#tile.tensor_map<operand = 0, bf16, extents = [K, M], "
    "strides = [XS * 2], box = [64, 8], swizzle = 128>";

/// A kernel that takes a pointer and one map, with these attributes.
llvm::Expected<OptimizedModule> lower(StringRef attributes) {
  std::string text = (R"(gpu.module @m {
  llvm.func @k(%x: !llvm.ptr<1>, %m: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant})
      attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 32, 1, 1>)" +
                      attributes + R"(} {
    %c = llvm.mlir.constant(0 : i32) : i32
    llvm.store %c, %x : i32, !llvm.ptr<1>
    llvm.return
  }
})")
                         .str();
  return lowerToBitcode(text, "test.mlir",
                        llvm::cantFail(lookupTarget("sm_90a")));
}

std::string errorOf(StringRef attributes) {
  auto module = lower(attributes);
  return module ? "" : llvm::toString(module.takeError());
}

std::string mapsText(StringRef maps) {
  return (", tile.tensor_maps = [" + maps + "]").str();
}

} // namespace

TEST(LaunchNeeds, AreReadFromTheKernel) {
  auto module = lower(mapsText(xMap) + ", tile.shared_bytes = 4096 : i64");
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  EXPECT_EQ(module->symbol, "k");
  EXPECT_EQ(module->sharedBytes, 4096);
  ASSERT_EQ(module->maps.size(), 1u);
  const TensorMap &map = module->maps.front();
  EXPECT_EQ(map.operand, 0u);
  EXPECT_EQ(map.dtype, "bf16");
  ASSERT_EQ(map.extents.size(), 2u);
  EXPECT_EQ(map.extents[0].str(), "K");
  EXPECT_EQ(map.strides.front().str(), "XS * 2");
  EXPECT_EQ(map.box, (std::vector<uint32_t>{64, 8}));
  EXPECT_EQ(map.swizzle, 128u);
}

TEST(LaunchNeeds, AreAbsentWhereNothingIsSaid) {
  auto module = lower("");
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  EXPECT_TRUE(module->maps.empty());
  EXPECT_EQ(module->sharedBytes, 0);
}

TEST(LaunchNeeds, MustMatchTheParameters) {
  EXPECT_EQ(errorOf(mapsText("")),
            "kernel 'k' describes 0 tensor maps and takes 1");
  EXPECT_EQ(errorOf(", tile.tensor_maps = 3 : i64"),
            "kernel 'k' has 'tile.tensor_maps' that is no list");
  EXPECT_EQ(errorOf(mapsText("3 : i64")),
            "kernel 'k' has 'tile.tensor_maps' with another attribute than "
            "#tile.tensor_map");
  EXPECT_EQ(errorOf(", tile.shared_bytes = -1 : i64"),
            "found -1 bytes of dynamic shared memory, expected 0 or more");
  EXPECT_EQ(errorOf(mapsText("#tile.tensor_map<operand = 0, bf16, extents = "
                             "[K], strides = [], box = [4], swizzle = 0>")),
            "tensor map of operand 0: an inner box of 8 bytes, expected a "
            "multiple of 16");
}

TEST(LaunchNeeds, TravelWithTheArtifact) {
  Artifact artifact;
  artifact.symbol = "k";
  artifact.maps = llvm::cantFail(lower(mapsText(xMap))).maps;
  artifact.sharedBytes = 4096;
  Message message = artifactToMessage(artifact);
  auto back = artifactFromMessage(message);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->sharedBytes, 4096);
  EXPECT_EQ(tensorMapsToJSON(back->maps), tensorMapsToJSON(artifact.maps));
  message.header["dynamic_shared_bytes"] = -1;
  EXPECT_EQ(llvm::toString(artifactFromMessage(message).takeError()),
            "message does not hold an artifact");
}
