//===- CompileTest.cpp - One kernel to an image ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace lathe;
using namespace lathe::test;
using llvm::Expected;
using llvm::StringRef;

namespace {

const char *const kNvidia[] = {"sm_80", "sm_90a", "sm_100a"};
const char *const kAmd[] = {"gfx90a", "gfx942"};

CodegenOptions withTools() {
  CodegenOptions options;
  options.toolkit = findToolkit();
  return options;
}

CodegenOptions ptxOnly() {
  CodegenOptions options = withTools();
  options.toolkit.ptxas.clear();
  options.toolkit.ptxasMissing = "nowhere";
  return options;
}

std::string errorOf(Expected<Artifact> artifact) {
  if (artifact)
    return "no error";
  return llvm::toString(artifact.takeError());
}

bool contains(StringRef text, StringRef part) { return text.contains(part); }

#define REQUIRE_PTXAS()                                                        \
  if (findToolkit().ptxas.empty())                                             \
  GTEST_SKIP() << "no ptxas"

TEST(Target, UnknownNameListsTheKnownOnes) {
  auto spec = lookupTarget("sm_42");
  ASSERT_FALSE(bool(spec));
  EXPECT_EQ(llvm::toString(spec.takeError()),
            "unknown architecture 'sm_42', expected one of sm_80, sm_90a, "
            "sm_100a, gfx90a, gfx942");
  EXPECT_EQ(target("gfx942").waveSize, 64u);
  EXPECT_EQ(target("sm_90a").waveSize, 32u);
}

TEST(Compile, NvidiaWideAccessAndFigures) {
  REQUIRE_PTXAS();
  for (const char *arch : kNvidia) {
    TargetSpec spec = target(arch);
    auto artifact =
        compileText(kernelText(spec, "wide", wideBody()), spec, withTools());
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    EXPECT_EQ(artifact->symbol, "wide");
    EXPECT_EQ(artifact->arch, arch);
    EXPECT_TRUE(StringRef(artifact->image)
                    .starts_with("\x7f"
                                 "ELF"));
    EXPECT_TRUE(StringRef(artifact->bitcode).starts_with("BC"));
    EXPECT_TRUE(contains(artifact->text, "ld.global.nc.v4.b32")) << arch;
    EXPECT_TRUE(contains(artifact->text, "st.global.v4.b32")) << arch;
    EXPECT_TRUE(contains(artifact->text, "cvt.rn.bf16x2.f32")) << arch;
    EXPECT_TRUE(contains(artifact->text, ".maxntid 128")) << arch;
    EXPECT_GT(artifact->usage.registers, 4);
    EXPECT_LT(artifact->usage.registers, 64);
    EXPECT_EQ(artifact->usage.maxThreads, 128);
    EXPECT_EQ(artifact->usage.spillBytes, 0);
    EXPECT_EQ(artifact->usage.barriers, 0);
    EXPECT_GT(artifact->times.llvmMs, 0);
    EXPECT_GT(artifact->times.assembleMs, 0);
    EXPECT_TRUE(artifact->warnings.empty());
  }
}

TEST(Compile, NvidiaSharedMemoryAndBarriers) {
  REQUIRE_PTXAS();
  for (const char *arch : kNvidia) {
    TargetSpec spec = target(arch);
    auto artifact =
        compileText(kernelText(spec, "turn", sharedBody(spec), sharedGlobal()),
                    spec, withTools());
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    EXPECT_GE(artifact->usage.sharedBytes, 512) << arch;
    EXPECT_EQ(artifact->usage.barriers, 1) << arch;
    EXPECT_TRUE(contains(artifact->text, "turn$buffer"));
  }
}

TEST(Compile, AmdFiguresComeFromTheCodeObject) {
  for (const char *arch : kAmd) {
    TargetSpec spec = target(arch);
    CodegenOptions options = withTools();
    options.keepText = true;
    auto artifact =
        compileText(kernelText(spec, "turn", sharedBody(spec), sharedGlobal()),
                    spec, options);
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    EXPECT_TRUE(StringRef(artifact->image)
                    .starts_with("\x7f"
                                 "ELF"));
    EXPECT_EQ(artifact->usage.sharedBytes, 512) << arch;
    EXPECT_GT(artifact->usage.registers, 0) << arch;
    EXPECT_GT(artifact->usage.scalarRegisters, 0) << arch;
    EXPECT_EQ(artifact->usage.maxThreads, 128) << arch;
    EXPECT_EQ(artifact->usage.stackBytes, 0) << arch;
    EXPECT_TRUE(contains(artifact->text, "s_barrier")) << arch;

    auto wide =
        compileText(kernelText(spec, "wide", wideBody()), spec, options);
    ASSERT_TRUE(bool(wide)) << llvm::toString(wide.takeError());
    EXPECT_TRUE(contains(wide->text, "global_load_dwordx4")) << arch;
    EXPECT_TRUE(contains(wide->text, "global_store_dwordx4")) << arch;
  }
}

TEST(Compile, SameBytesEveryTime) {
  for (const TargetSpec &spec : knownTargets()) {
    std::string text =
        kernelText(spec, "turn", sharedBody(spec), sharedGlobal());
    auto first = compileText(text, spec, withTools());
    auto second = compileText(text, spec, withTools());
    ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
    ASSERT_TRUE(bool(second)) << llvm::toString(second.takeError());
    EXPECT_EQ(first->image, second->image) << spec.arch;
    EXPECT_EQ(first->text, second->text) << spec.arch;
    EXPECT_EQ(first->bitcode, second->bitcode) << spec.arch;
  }
}

TEST(Compile, UnresolvedSymbolIsNamed) {
  for (const TargetSpec &spec : knownTargets()) {
    std::string text = kernelText(
        spec, "k", mapBody("%w = llvm.call @__nv_expf(%v) : (f32) -> f32"),
        "llvm.func @__nv_expf(f32) -> f32");
    EXPECT_TRUE(contains(errorOf(compileText(text, spec, withTools())),
                         "unresolved external symbol '__nv_expf'"))
        << spec.arch;
  }
}

TEST(Compile, HelpersAreInlined) {
  for (const TargetSpec &spec : knownTargets()) {
    std::string text = kernelText(
        spec, "k", mapBody("%w = llvm.call @twice(%v) : (f32) -> f32"),
        "llvm.func @twice(%a: f32) -> f32 attributes {no_inline} {\n"
        "  %b = llvm.fadd %a, %a : f32\n  llvm.return %b : f32\n}");
    auto artifact = compileText(text, spec, withTools());
    EXPECT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  }
}

TEST(Compile, DynamicSharedMemoryMayStayExternal) {
  for (const TargetSpec &spec : knownTargets()) {
    std::string text =
        kernelText(spec, "dyn", sharedBody(spec),
                   "llvm.mlir.global external @buffer() {addr_space = 3 : i32, "
                   "alignment = 16 : i64} : !llvm.array<0 x f32>");
    auto artifact = compileText(text, spec, withTools());
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    EXPECT_LT(artifact->usage.sharedBytes, 512 + 1024) << spec.arch;
  }
}

TEST(Compile, ModuleWithoutKernelOrWithTwo) {
  TargetSpec spec = target("sm_90a");
  EXPECT_TRUE(
      contains(errorOf(compileText("module { gpu.module @m { llvm.func @f() { "
                                   "llvm.return } } }",
                                   spec, withTools())),
               "no kernel in the module"));
  EXPECT_TRUE(contains(
      errorOf(compileText(
          "module { gpu.module @m {\n"
          "llvm.func @f() attributes {nvvm.kernel} { llvm.return }\n"
          "llvm.func @g() attributes {nvvm.kernel} { llvm.return } } }",
          spec, withTools())),
      "found 2 kernels in the module, expected one"));
  EXPECT_TRUE(contains(
      errorOf(compileText("module { gpu.module @a {} gpu.module @b {} }", spec,
                          withTools())),
      "found 2 gpu modules, expected one"));
}

TEST(Compile, WithoutToolkitPtxStandsAlone) {
  TargetSpec spec = target("sm_90a");
  auto artifact =
      compileText(kernelText(spec, "wide", wideBody()), spec, ptxOnly());
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_TRUE(artifact->image.empty());
  EXPECT_TRUE(contains(artifact->text, ".entry wide"));
  EXPECT_EQ(artifact->usage.maxThreads, 128);
  ASSERT_EQ(artifact->warnings.size(), 1u);
  EXPECT_TRUE(contains(artifact->warnings[0], "no ptxas in nowhere"));
}

TEST(Compile, WithoutLinkerAmdFails) {
  TargetSpec spec = target("gfx942");
  CodegenOptions options = withTools();
  options.toolkit.lld.clear();
  EXPECT_TRUE(contains(
      errorOf(compileText(kernelText(spec, "wide", wideBody()), spec, options)),
      "no ld.lld-22 found"));
}

// An array indexed at run time has to live in local memory.
const char *const kLocalArray = R"(
    %n = llvm.mlir.constant(64 : i32) : i32
    %a = llvm.alloca %n x f32 : (i32) -> !llvm.ptr<SPACE>
    %i = llvm.bitcast %v : f32 to i32
    %k = llvm.mlir.constant(63 : i32) : i32
    %j = llvm.and %i, %k : i32
    %e = llvm.getelementptr %a[%j] : (!llvm.ptr<SPACE>, i32) -> !llvm.ptr<SPACE>, f32
    llvm.store volatile %v, %e : f32, !llvm.ptr<SPACE>
    %w = llvm.load volatile %a : !llvm.ptr<SPACE> -> f32)";

TEST(Compile, LocalMemoryNeedsAnAllowance) {
  REQUIRE_PTXAS();
  for (const TargetSpec &spec : knownTargets()) {
    std::string body = kLocalArray;
    for (size_t at; (at = body.find("<SPACE>")) != std::string::npos;)
      body.replace(at, 7, spec.isAMD() ? "<5>" : "");
    std::string text = kernelText(spec, "local", mapBody(body));
    EXPECT_TRUE(contains(errorOf(compileText(text, spec, withTools())),
                         "bytes of local memory per thread, at most 0 allowed"))
        << spec.arch;
    CodegenOptions options = withTools();
    options.spillAllowance = 4096;
    auto artifact = compileText(text, spec, options);
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    EXPECT_GE(artifact->usage.stackBytes, 256) << spec.arch;
  }
}

// More values at once than the registers of 1024 threads can hold.
TEST(Compile, RealSpillsAreSeen) {
  REQUIRE_PTXAS();
  std::string loads, stores;
  for (int i = 0; i < 200; ++i) {
    std::string n = std::to_string(i);
    loads += "%i" + n + " = llvm.mlir.constant(" + n + " : i64) : i64\n%p" + n +
             " = llvm.getelementptr %y[%i" + n +
             "] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32\n%v" + n +
             " = llvm.load volatile %p" + n + " : !llvm.ptr<1> -> f32\n";
    stores =
        "llvm.store volatile %v" + n + ", %q : f32, !llvm.ptr<1>\n" + stores;
  }
  std::string body = loads +
                     "%q = llvm.getelementptr %y[%t] : (!llvm.ptr<1>, i64) -> "
                     "!llvm.ptr<1>, f32\n" +
                     stores;
  for (const TargetSpec &spec : knownTargets()) {
    std::string text = kernelText(spec, "many", body, "", 1024);
    EXPECT_TRUE(contains(errorOf(compileText(text, spec, withTools())),
                         "kernel 'many' spills "))
        << spec.arch;
    CodegenOptions options = withTools();
    options.spillAllowance = 1 << 20;
    auto artifact = compileText(text, spec, options);
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    EXPECT_GT(artifact->usage.spillBytes, 100) << spec.arch;
    EXPECT_EQ(artifact->usage.maxThreads, 1024);
  }
}

TEST(Compile, TooMuchSharedMemoryIsAnError) {
  REQUIRE_PTXAS();
  for (const TargetSpec &spec : knownTargets()) {
    std::string text = kernelText(
        spec, "k", sharedBody(spec),
        "llvm.mlir.global internal @buffer() {addr_space = 3 : i32} : "
        "!llvm.array<100000 x f32>");
    EXPECT_TRUE(
        contains(errorOf(compileText(text, spec, withTools())),
                 spec.isAMD() ? "local memory" : "too much shared data"))
        << errorOf(compileText(text, spec, withTools()));
  }
}

/// A shell script in the place of ptxas that prints `output` and succeeds.
class FakePtxas : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("lathe-test", directory));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  CodegenOptions printing(StringRef output, int exitCode = 0) {
    std::string path = (directory + "/ptxas").str();
    {
      std::error_code ec;
      llvm::raw_fd_ostream script(path, ec);
      script << "#!/bin/sh\nwhile [ $# -gt 1 ]; do\n"
             << "  [ \"$1\" = -o ] && echo image > \"$2\"; shift\ndone\n"
             << "cat <<'END'\n"
             << output << "\nEND\nexit " << exitCode << "\n";
    }
    llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_all);
    CodegenOptions options;
    options.toolkit.ptxas = path;
    return options;
  }

  std::string compileWith(const CodegenOptions &options) {
    TargetSpec spec = target("sm_90a");
    return errorOf(
        compileText(kernelText(spec, "k", wideBody()), spec, options));
  }

  llvm::SmallString<128> directory;
};

const char *const kFigures =
    "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
    "ptxas info    : Function properties for k\n"
    "    8 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads\n"
    "ptxas info    : Used 40 registers, used 2 barriers, 48 bytes smem\n";

TEST_F(FakePtxas, FiguresAreParsed) {
  CodegenOptions options = printing(kFigures);
  options.spillAllowance = 24;
  TargetSpec spec = target("sm_90a");
  auto artifact = compileText(kernelText(spec, "k", wideBody()), spec, options);
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_EQ(artifact->usage.registers, 40);
  EXPECT_EQ(artifact->usage.barriers, 2);
  EXPECT_EQ(artifact->usage.sharedBytes, 48);
  EXPECT_EQ(artifact->usage.stackBytes, 8);
  EXPECT_EQ(artifact->usage.spillBytes, 24);
  EXPECT_EQ(artifact->image, "image\n");
}

TEST_F(FakePtxas, SpillsBeyondTheAllowanceAreAnError) {
  CodegenOptions options = printing(kFigures);
  options.spillAllowance = 23;
  EXPECT_EQ(compileWith(options),
            "kernel 'k' spills 24 bytes, at most 23 allowed");
}

TEST_F(FakePtxas, HazardsAreAnError) {
  std::string text = "ptxas info    : (C7510) Potential Performance Loss: "
                     "wgmma.mma_async instructions are serialized\n";
  CodegenOptions options = printing(kFigures + text);
  options.spillAllowance = 100;
  EXPECT_TRUE(contains(compileWith(options),
                       "ptxas reports a hazard: ptxas info    : (C7510)"));
}

TEST_F(FakePtxas, MissingFiguresAndFailuresAreErrors) {
  EXPECT_EQ(compileWith(printing("hello")), "ptxas compiled no kernel");
  EXPECT_EQ(compileWith(printing("fatal: no", 255)),
            "ptxas failed with exit code 255: fatal: no");
  CodegenOptions options;
  options.toolkit.ptxas = "/nonexistent/ptxas";
  EXPECT_TRUE(contains(compileWith(options), "cannot run"));
}

TEST(Toolkit, CudaPrefixFromTheEnvironmentIsFinal) {
  const char *saved = std::getenv("LATHE_CUDA");
  std::string before = saved ? saved : "";
  setenv("LATHE_CUDA", "/nonexistent", 1);
  Toolkit toolkit = findToolkit();
  if (saved)
    setenv("LATHE_CUDA", before.c_str(), 1);
  else
    unsetenv("LATHE_CUDA");
  EXPECT_TRUE(toolkit.ptxas.empty());
  EXPECT_EQ(toolkit.ptxasMissing, "LATHE_CUDA='/nonexistent'");
}

TEST(Toolkit, FingerprintNamesEveryTool) {
  auto text = toolFingerprint(findToolkit());
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  for (const char *part : {"llvm 22.", "; ptxas ", "; lld ", "; lathe "})
    EXPECT_TRUE(contains(*text, part)) << *text;
  EXPECT_EQ(*text, llvm::cantFail(toolFingerprint(findToolkit())));
}

} // namespace
