; What the simulator does not know is named when the kernel is loaded, all of it.
; RUN: split-file %s %t
; RUN: not lathe simulate %t/kernel.ll --launch %t/launch.yaml 2>&1 | FileCheck %s
; CHECK: unsupported
; CHECK-DAG: llvm.nvvm.read.ptx.sreg.envreg3
; CHECK-DAG: llvm.nvvm.discard.L2
; CHECK-DAG: operand 0 of llvm.nvvm.prmt is undefined
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.envreg3()
declare void @llvm.nvvm.discard.L2(ptr, i64)
declare i32 @llvm.nvvm.prmt(i32, i32, i32)

define ptx_kernel void @kernel(ptr %out) {
  %e = call i32 @llvm.nvvm.read.ptx.sreg.envreg3()
  call void @llvm.nvvm.discard.L2(ptr %out, i64 128)
  %p = call i32 @llvm.nvvm.prmt(i32 poison, i32 %e, i32 4)
  store i32 %p, ptr %out
  ret void
}
;--- launch.yaml
buffers: [{name: out, bytes: 4}]
arguments: [out]
