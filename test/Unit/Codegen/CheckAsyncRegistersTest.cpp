//===- CheckAsyncRegistersTest.cpp - Registers of wgmma in flight ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CheckAsyncRegisters.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;

// m64n8: four accumulators. %desc stands for both descriptors.
static const char *const prelude = R"(
target triple = "nvptx64-nvidia-cuda"
%acc = type { float, float, float, float }
%two = type { float, float, float, float, float, float, float, float }
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)
)";

static std::string product(const std::string &result,
                           const std::string &accumulators) {
  return result +
         " = call %acc asm sideeffect \"{ .reg .pred p; setp.ne.b32 p, $10, 0; "
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, "
         "$3}, "
         "$8, $9, p, 1, 1, 0, 0; }\", \"=f,=f,=f,=f,0,1,2,3,l,l,n\"(" +
         accumulators + ", i64 %desc, i64 %desc, i32 1)\n";
}

static std::string productOfRegisters(const std::string &a) {
  return "%d = call %acc asm sideeffect "
         "\"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, "
         "$3}, {$8, $9, $10, $11}, $12, 1, 1, 1, 0;\", "
         "\"=f,=f,=f,=f,0,1,2,3,r,r,r,r,l\"(float 0.0, float 0.0, float 0.0, "
         "float 0.0, i32 " +
         a + ", i32 0, i32 0, i32 0, i64 %desc)\n";
}

static std::string parts(const std::string &of, const std::string &prefix) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += "%" + prefix + std::to_string(i) + " = extractvalue %acc " + of +
            ", " + std::to_string(i) + "\n";
  return text;
}

static std::string four(const std::string &prefix) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += (i ? ", float %" : "float %") + prefix + std::to_string(i);
  return text;
}

static const std::string zeros = "float 0.0, float 0.0, float 0.0, float 0.0";
static const std::string fence =
    "call void @llvm.nvvm.wgmma.fence.sync.aligned()\n";
static const std::string commit =
    "call void @llvm.nvvm.wgmma.commit_group.sync.aligned()\n";
static const std::string store = "store float %r0, ptr %out\n";

static std::string wait(int pending) {
  return "call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 " +
         std::to_string(pending) + ")\n";
}

/// What the check says of a kernel with this body.
static std::string check(const std::string &body) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::string text =
      prelude +
      std::string("define ptx_kernel void @k(i64 %desc, ptr %out, i32 %word, "
                  "i32 %n) {\nentry:\n") +
      body + "ret void\n}\n";
  std::unique_ptr<Module> module =
      parseAssemblyString(text, diagnostic, context);
  if (!module)
    return "does not parse: " + diagnostic.getMessage().str();
  Error error = lathe::checkAsyncRegisters(*module);
  return error ? toString(std::move(error)) : "";
}

static void expectBreach(const std::string &body, const char *part) {
  std::string found = check(body);
  EXPECT_NE(found.find(part), std::string::npos) << "found: " << found;
}

TEST(CheckAsyncRegisters, WaitCoversTheResult) {
  std::string start = fence + product("%d", zeros) + commit;
  EXPECT_EQ(check(start + wait(0) + parts("%d", "r") + store), "");
  expectBreach(start + parts("%d", "r") + store + wait(0),
               "kernel 'k': 'store' uses the result of a wgmma in flight");
  expectBreach(start + wait(1) + parts("%d", "r") + store,
               "expected a wgmma.wait_group that covers it before");
}

TEST(CheckAsyncRegisters, UncommittedProductsAreNotCovered) {
  expectBreach(fence + product("%d", zeros) + wait(0) + parts("%d", "r") +
                   store,
               "'store' uses the result");
}

TEST(CheckAsyncRegisters, LaterGroupsMayStayOpen) {
  EXPECT_EQ(check(fence + product("%d", zeros) + commit + product("%e", zeros) +
                  commit + wait(1) + parts("%d", "r") + store + wait(0)),
            "");
  expectBreach(fence + product("%d", zeros) + commit + product("%e", zeros) +
                   commit + wait(1) + parts("%e", "r") + store,
               "'store' uses the result");
}

TEST(CheckAsyncRegisters, ChainsOfProductsNeedNoWait) {
  EXPECT_EQ(check(fence + product("%d", zeros) + parts("%d", "c") +
                  product("%e", four("c")) + commit + wait(0) +
                  parts("%e", "r") + store),
            "");
}

TEST(CheckAsyncRegisters, FencesComeFirst) {
  expectBreach(product("%d", zeros) + commit + wait(0),
               "wgmma.mma_async m64n8k16.f32.bf16.bf16 has no wgmma.fence "
               "before it");
}

TEST(CheckAsyncRegisters, WrittenRegistersNeedAFence) {
  std::string start =
      fence + product("%d", zeros) + commit + wait(0) + parts("%d", "r");
  std::string scaled;
  for (int i = 0; i < 4; ++i)
    scaled += "%s" + std::to_string(i) + " = fmul float %r" +
              std::to_string(i) + ", 2.0\n";
  EXPECT_EQ(check(start + scaled + fence + product("%e", four("s"))), "");
  expectBreach(start + scaled + product("%e", four("s")),
               "reads its accumulator from a register written after the last "
               "wgmma.fence");
  EXPECT_EQ(check("%a = add i32 %word, 1\n" + fence + productOfRegisters("%a")),
            "");
  expectBreach(fence + "%a = add i32 %word, 1\n" + productOfRegisters("%a"),
               "reads A from a register written after the last wgmma.fence");
}

TEST(CheckAsyncRegisters, PinsAreNoInstructions) {
  std::string pin = "%p = call float asm sideeffect \"\", \"=f,0\"(float %r0)\n"
                    "store float %p, ptr %out\n";
  std::string start = fence + product("%d", zeros) + commit;
  EXPECT_EQ(check(start + wait(0) + parts("%d", "r") + pin), "");
  expectBreach(start + parts("%d", "r") + pin, "'store' uses the result");
}

static std::string loop(const std::string &body, const std::string &after) {
  std::string phis;
  for (int i = 0; i < 4; ++i)
    phis += "%c" + std::to_string(i) + " = phi float [ 0.0, %entry ], [ %r" +
            std::to_string(i) + ", %loop ]\n";
  return "br label %loop\nloop:\n%i = phi i32 [ 0, %entry ], [ %j, %loop ]\n"
         "%w = phi i32 [ 0, %entry ], [ %x, %loop ]\n" +
         phis + body +
         "%x = add i32 %w, 3\n%j = add i32 %i, 1\n"
         "%more = icmp ult i32 %j, %n\nbr i1 %more, label %loop, label %end\n"
         "end:\n" +
         after;
}

TEST(CheckAsyncRegisters, LoopsCarryResultsInFlight) {
  std::string body =
      fence + product("%d", four("c")) + commit + wait(1) + parts("%d", "r");
  EXPECT_EQ(check(loop(body, wait(0) + store)), "");
  expectBreach(loop(body, store), "'store' uses the result");
  // The value of the round before is over, this round's is not.
  EXPECT_EQ(
      check(loop(fence + product("%d", zeros) + commit +
                     "store float %c0, ptr %out\n" + wait(0) + parts("%d", "r"),
                 "")),
      "");
}

// Both halves of a tile go round in one struct.
static std::string packed(const std::string &first, const std::string &other) {
  std::string text, last = "poison";
  for (int i = 0; i < 8; ++i) {
    std::string next = "%k" + std::to_string(i);
    text += next + " = insertvalue %two " + last + ", float %" +
            (i < 4 ? first : other) + std::to_string(i % 4) + ", " +
            std::to_string(i) + "\n";
    last = next;
  }
  return text;
}

TEST(CheckAsyncRegisters, StructsMayBeOfSeveralProducts) {
  auto body = [](int pending) {
    std::string taken;
    for (int i = 0; i < 8; ++i)
      taken += std::string(i < 4 ? "%a" : "%b") + std::to_string(i % 4) +
               " = extractvalue %two %t, " + std::to_string(i) + "\n";
    return "br label %loop\nloop:\n"
           "%i = phi i32 [ 0, %entry ], [ %j, %loop ]\n"
           "%t = phi %two [ zeroinitializer, %entry ], [ %k7, %loop ]\n" +
           taken + fence + product("%d", four("a")) + commit +
           product("%e", four("b")) + commit + wait(pending) +
           parts("%d", "r") + parts("%e", "s") + packed("r", "s") +
           "%j = add i32 %i, 1\n%more = icmp ult i32 %j, %n\n"
           "br i1 %more, label %loop, label %end\nend:\n";
  };
  std::string stored[] = {"%x = extractvalue %two %k7, 0\n"
                          "store float %x, ptr %out\n",
                          "%x = extractvalue %two %k7, 7\n"
                          "store float %x, ptr %out\n"};
  EXPECT_EQ(check(body(2) + wait(0) + stored[0]), "");
  EXPECT_EQ(check(body(1) + stored[0]), "");
  expectBreach(body(1) + stored[1], "'store' uses the result");
  expectBreach(body(2) + stored[0], "'store' uses the result");
}

TEST(CheckAsyncRegisters, LoopsDoNotRewriteA) {
  std::string issue = fence + productOfRegisters("%w") + commit;
  EXPECT_EQ(check(loop(issue + wait(0) + parts("%d", "r"), "")), "");
  expectBreach(loop(issue + wait(1) + parts("%d", "r"), ""),
               "is in flight when the loop rewrites its registers of A");
}

TEST(CheckAsyncRegisters, MarksCollectiveAssembly) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(
      prelude + std::string("define ptx_kernel void @k(i64 %desc) {\n") +
          product("%d", zeros) +
          "call void asm sideeffect \"nop;\", \"\"()\nret void\n}\n",
      diagnostic, context);
  ASSERT_TRUE(module);
  lathe::markConvergentAssembly(*module);
  std::vector<bool> convergent;
  for (Instruction &instruction : module->getFunction("k")->front())
    if (auto *call = dyn_cast<CallBase>(&instruction))
      convergent.push_back(call->isConvergent());
  EXPECT_EQ(convergent, (std::vector<bool>{true, false}));
}
