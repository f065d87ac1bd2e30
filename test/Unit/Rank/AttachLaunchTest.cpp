//===- AttachLaunchTest.cpp - What launches of candidates need ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/Fixture.h"
#include "lathe/Plan/PlannedKernel.h"
#include "lathe/Rank/KernelCase.h"
#include "lathe/Rank/Rank.h"

#include "Tile/Tile.h"

using namespace lathe;
using namespace lathe::test;

namespace {

class AttachLaunch : public ::testing::Test {
protected:
  AttachLaunch() {
    mlir::DialectRegistry registry;
    registry.insert<tile::TileDialect>();
    context.appendDialectRegistry(registry);
    input = workload({{64, 128, 0.5}});
    auto made = importProblem(context, input);
    if (!made)
      llvm::report_fatal_error(made.takeError());
    module = std::move(*made);
    EnumerateOptions enumerate;
    enumerate.templateDirs = {templateDir()};
    if (auto error = enumerateCandidates(*module, enumerate))
      llvm::report_fatal_error(std::move(error));
  }

  /// A candidate of the role whose operands are so aligned.
  PlannedKernel find(KernelRole role, int64_t alignment) {
    for (PlannedKernel &kernel : readCandidates(*module))
      if (kernel.role == role && kernel.candidate.alignment == alignment)
        return kernel;
    ADD_FAILURE() << "no such candidate";
    return {};
  }
  PlannedKernel again(const PlannedKernel &kernel) {
    for (PlannedKernel &other : readCandidates(*module))
      if (other.kernel == kernel.kernel)
        return other;
    return {};
  }
  std::string attach(const PlannedKernel &kernel,
                     llvm::ArrayRef<TensorMap> maps, int64_t bytes) {
    auto refused = attachLaunch(*module, kernel.kernel, maps, bytes);
    if (!refused)
      return "error: " + llvm::toString(refused.takeError());
    EXPECT_EQ(again(kernel).rejected, *refused);
    return *refused;
  }

  PlanInput input;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// x[T, H] of bf16 by its pitch.
std::vector<TensorMap> rowsOfX() {
  return {
      {0, "bf16", {expr("128"), expr("T")}, {expr("XS * 2")}, {64, 8}, 128}};
}

const DimGuard *guardOn(const PlannedKernel &kernel, llvm::StringRef dim) {
  for (const DimGuard &guard : kernel.guards)
    if (guard.dim == dim)
      return &guard;
  return nullptr;
}

} // namespace

TEST_F(AttachLaunch, MapsNarrowTheGuards) {
  PlannedKernel kernel = find(KernelRole::Bucket, 16);
  ASSERT_EQ(attach(kernel, rowsOfX(), 100000), "");
  PlannedKernel narrowed = again(kernel);
  ASSERT_EQ(narrowed.maps.size(), 1u);
  EXPECT_EQ(narrowed.dynamicShared(), 100000);
  ASSERT_TRUE(guardOn(narrowed, "T"));
  EXPECT_LE(guardOn(narrowed, "T")->hi, int64_t(maxTensorExtent));
  ASSERT_TRUE(guardOn(narrowed, "XS"));
  EXPECT_EQ(guardOn(narrowed, "XS")->multiple % 8, 0);
  EXPECT_LT(guardOn(narrowed, "XS")->hi, int64_t(1) << 39);

  // And reach whoever launches.
  DispatchCase row =
      caseOf(narrowed, CaseKind::Bucket, input.operators[0], hopper(), {});
  EXPECT_EQ(row.sharedBytes, 100000);
  EXPECT_EQ(tensorMapsToJSON(row.maps), tensorMapsToJSON(rowsOfX()));
}

TEST_F(AttachLaunch, SharedMemoryHasAnEnd) {
  PlannedKernel kernel = find(KernelRole::Bucket, 16);
  ResourceUsage usage;
  usage.sharedBytes = 1024;
  ASSERT_FALSE(bool(attachUsage(*module, kernel.kernel, usage, 1000)));
  EXPECT_EQ(attach(kernel, {}, 231424), "");
  EXPECT_EQ(again(kernel).sharedBytes(), 232448);
  EXPECT_EQ(attach(kernel, {}, 231425),
            "needs 232449 bytes of shared memory, a block has at most 232448");
}

TEST_F(AttachLaunch, RefusesWhatNoGuardCanSay) {
  PlannedKernel generic = find(KernelRole::Generic, 2);
  EXPECT_EQ(attach(generic, {}, 0), "");
  EXPECT_EQ(attach(generic, rowsOfX(), 0),
            "its tensor maps need operands aligned to 16 bytes, it promises 2");
  PlannedKernel kernel = find(KernelRole::Bucket, 16);
  auto maps = rowsOfX();
  maps[0].strides = {expr("XS * T")};
  EXPECT_EQ(attach(kernel, maps, 0),
            "tensor map of operand 0: stride 'XS * T' must be a multiple of 16 "
            "up to 1099511627775, and no guard on one dim says so");
  EXPECT_EQ(attach({}, maps, 0), "error: no candidate is named ''");
}

TEST_F(AttachLaunch, GenericKernelsTakeAllThatIsDeclared) {
  std::vector<DimGuard> guards;
  auto known = [](llvm::StringRef name) {
    return DimGuard{name.str(), 0, int64_t(1) << 40, 1};
  };
  EXPECT_EQ(llvm::toString(guardTensorMaps(rowsOfX(), KernelRole::Generic, 16,
                                           known, guards)),
            "its tensor maps need T up to 4294967295 by 1, and a generic "
            "kernel takes all that is declared");
  EXPECT_TRUE(guards.empty());
  guards = {{"XS", 0, 7, 1}};
  EXPECT_EQ(llvm::toString(guardTensorMaps(rowsOfX(), KernelRole::Bucket, 16,
                                           known, guards)),
            "");
  EXPECT_EQ(guards.size(), 2u);
  guards = {{"XS", 1, 7, 1}};
  EXPECT_EQ(llvm::toString(guardTensorMaps(rowsOfX(), KernelRole::Bucket, 16,
                                           known, guards)),
            "its tensor maps leave no value of dim 'XS'");
}
