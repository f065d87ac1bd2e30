//===- TestModules.h - Hand-written kernels of every target -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_CODEGEN_TESTMODULES_H
#define LATHE_TEST_UNIT_CODEGEN_TESTMODULES_H

#include "lathe/Codegen/Compile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <string>

namespace lathe::test {

/// A gpu.module around `body`, with one kernel `name` of `threads` threads that
/// has the arguments %x, %y : !llvm.ptr<1> and %t : i64, its thread.
inline std::string kernelText(const TargetSpec &target, llvm::StringRef name,
                              llvm::StringRef body,
                              llvm::StringRef globals = "",
                              unsigned threads = 128) {
  const std::string n = std::to_string(threads);
  const bool nvidia = target.isNVIDIA();
  std::string attributes =
      nvidia ? "nvvm.kernel, nvvm.maxntid = array<i32: " + n + ", 1, 1>"
             : "rocdl.kernel, rocdl.flat_work_group_size = \"" + n + "," + n +
                   "\"";
  std::string thread =
      nvidia ? "nvvm.read.ptx.sreg.tid.x : i32" : "rocdl.workitem.id.x : i32";
  return "module { gpu.module @m {\n" + globals.str() + "\n  llvm.func @" +
         name.str() +
         "(%x: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, "
         "%y: !llvm.ptr<1> {llvm.noalias}) attributes {" +
         attributes + "} {\n    %tid = " + thread +
         "\n    %t = llvm.zext %tid : i32 to i64\n" + body.str() +
         "\n    llvm.return\n  }\n} }\n";
}

/// y[t] = 3 x[t], eight bf16 at a time.
inline llvm::StringRef wideBody() {
  return R"(
    %p = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<8xbf16>
    %q = llvm.getelementptr %y[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<8xbf16>
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
    %f = llvm.fpext %v : vector<8xbf16> to vector<8xf32>
    %c = llvm.mlir.constant(dense<3.3> : vector<8xf32>) : vector<8xf32>
    %m = llvm.fmul %f, %c : vector<8xf32>
    %h = llvm.fptrunc %m : vector<8xf32> to vector<8xbf16>
    llvm.store %h, %q {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>)";
}

/// y[t] = x[127 - t] through 512 bytes of shared memory named @buffer.
inline std::string sharedBody(const TargetSpec &target) {
  return std::string(R"(
    %b = llvm.mlir.addressof @buffer : !llvm.ptr<3>
    %p = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %s = llvm.getelementptr %b[%t] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %v = llvm.load %p : !llvm.ptr<1> -> f32
    llvm.store %v, %s : f32, !llvm.ptr<3>
    )") + (target.isNVIDIA() ? "nvvm.barrier0" : "rocdl.barrier") +
         R"(
    %n = llvm.mlir.constant(127 : i64) : i64
    %u = llvm.sub %n, %t : i64
    %r = llvm.getelementptr %b[%u] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %w = llvm.load %r : !llvm.ptr<3> -> f32
    %q = llvm.getelementptr %y[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %w, %q : f32, !llvm.ptr<1>)";
}

inline llvm::StringRef sharedGlobal() {
  return "llvm.mlir.global internal @buffer() {addr_space = 3 : i32, "
         "alignment = 16 : i64} : !llvm.array<128 x f32>";
}

/// y[t] = op(x[t]) for one operation on %v : f32 that gives %w : f32.
inline std::string mapBody(llvm::StringRef operation) {
  return R"(
    %p = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p : !llvm.ptr<1> -> f32
    )" + operation.str() +
         R"(
    %q = llvm.getelementptr %y[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %w, %q : f32, !llvm.ptr<1>)";
}

inline TargetSpec target(llvm::StringRef arch) {
  return llvm::cantFail(lookupTarget(arch));
}

/// Parses and compiles; a text that does not parse is an error like another.
inline llvm::Expected<Artifact> compileText(llvm::StringRef text,
                                            const TargetSpec &spec,
                                            const CodegenOptions &options) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                  mlir::NVVM::NVVMDialect, mlir::ROCDL::ROCDLDialect>();
  registerCodegenTranslations(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return llvm::createStringError("the test module does not parse");
  return compileModule(*module, spec, options);
}

} // namespace lathe::test

#endif // LATHE_TEST_UNIT_CODEGEN_TESTMODULES_H
