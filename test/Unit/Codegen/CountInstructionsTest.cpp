//===- CountInstructionsTest.cpp - What a kernel's code consists of -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CountInstructions.h"
#include "TestModules.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace lathe;
using namespace lathe::test;

namespace {

ResourceUsage countPtx(StringRef ptx) {
  Artifact artifact;
  artifact.symbol = "k";
  artifact.arch = "sm_90a";
  artifact.text = ptx.str();
  cantFail(countInstructions(artifact, target("sm_90a")));
  return artifact.usage;
}

/// Sums of four products, `turns` times; the registers are whatever they are.
std::string loopOfProducts() {
  return R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %a = llvm.load %x : !llvm.ptr<1> -> vector<4xf16>
    %n = llvm.load %x : !llvm.ptr<1> -> i32
    %c = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
    llvm.br ^loop(%zero, %c : i32, vector<4xf32>)
  ^loop(%i: i32, %s: vector<4xf32>):
    %p = rocdl.mfma.f32.16x16x16f16 %a, %a, %s, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    %q = rocdl.mfma.f32.16x16x16f16 %a, %a, %p, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    %j = llvm.add %i, %one : i32
    %more = llvm.icmp "ult" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %q : i32, vector<4xf32>), ^end
  ^end:
    %r = rocdl.mfma.f32.16x16x16f16 %a, %a, %q, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    llvm.store %r, %y : vector<4xf32>, !llvm.ptr<1>)";
}

CodegenOptions withTools() {
  CodegenOptions options;
  options.toolkit = findToolkit();
  return options;
}

TEST(CountInstructions, FindsTheInnerLoopOfPtx) {
  ResourceUsage usage = countPtx(R"(
.visible .entry k(
	.param .u64 a
)
{
	.reg .b32 	%r<9>;
	mov.b32 	%r1, 0;
$L__BB0_1:                              // mma.sync in a comment
	add.s32 	%r2, %r1, 1;
$L__BB0_2:
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r1, %r2}, {%r1, %r2, %r3, %r4};
	{ .reg .pred p; WAIT: mbarrier.try_wait.parity.b64 p, [%r1], %r2; @!p bra WAIT; }
	@%p1 bra 	$L__BB0_2;
	add.s32 	%r2, %r1, 1;
	@%p2 bra 	$L__BB0_1;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, 1, 1, 1, 0, 0;
	ret;
}
)");
  EXPECT_EQ(usage.matrixInstructions, 2);
  EXPECT_EQ(usage.loopMatrixInstructions, 1);
  EXPECT_EQ(usage.loopInstructions, 5);
}

TEST(CountInstructions, CountsNoOthers) {
  ResourceUsage usage = countPtx("LOOP:\n\tfma.rn.f32 %r1, %r1, %r1, %r1;\n"
                                 "\t@%p1 bra LOOP;\n\tbra NOWHERE;\n\tret;");
  EXPECT_EQ(usage.matrixInstructions, 0);
  EXPECT_EQ(usage.loopInstructions, 0);
  Artifact artifact;
  artifact.symbol = "k";
  artifact.arch = "sm_90a";
  EXPECT_EQ(toString(checkMatrixInstructions(artifact)),
            "kernel 'k' multiplies matrices without a matrix instruction, "
            "expected mma or wgmma");
}

TEST(CountInstructions, DisassemblesWhatAmdRuns) {
  if (findToolkit().lld.empty())
    GTEST_SKIP() << "no ld.lld-22";
  for (const char *arch : {"gfx90a", "gfx942"}) {
    TargetSpec spec = target(arch);
    auto artifact = compileText(kernelText(spec, "k", loopOfProducts(), "", 64),
                                spec, withTools());
    ASSERT_TRUE(bool(artifact)) << toString(artifact.takeError());
    const ResourceUsage &usage = artifact->usage;
    EXPECT_EQ(usage.matrixInstructions, 3) << arch;
    EXPECT_EQ(usage.loopMatrixInstructions, 2) << arch;
    EXPECT_GE(usage.loopInstructions, 5) << arch; // add, compare, branch
    EXPECT_LE(usage.loopInstructions, 12) << arch;
    EXPECT_FALSE(bool(checkMatrixInstructions(*artifact)));

    auto plain = compileText(
        kernelText(spec, "k", mapBody("%w = llvm.fadd %v, %v : f32")), spec,
        withTools());
    ASSERT_TRUE(bool(plain)) << toString(plain.takeError());
    EXPECT_EQ(plain->usage.matrixInstructions, 0) << arch;
    EXPECT_NE(toString(checkMatrixInstructions(*plain)).find("v_mfma"),
              std::string::npos);
    plain->symbol = "other";
    EXPECT_EQ(toString(countInstructions(*plain, spec)), "no symbol 'other'");
  }
}

} // namespace
