; What cannot be simulated is refused by name, all of it at once.
; RUN: split-file %s %t
; RUN: not lathe simulate %t/kernel.ll --launch %t/launch.yaml 2>&1 | FileCheck %s
; CHECK: unsupported:
; CHECK-SAME: call of external function elsewhere
; CHECK-SAME: denormal-fp-math-f32=preserve-sign
; CHECK-SAME: indirect call
; CHECK-SAME: llvm.get.rounding
; CHECK-SAME: llvm.nvvm.txq.width
; CHECK-SAME: module-level inline assembly
; CHECK-SAME: ptx frobnicate
; CHECK-SAME: variable counter that outlives a launch
; CHECK-SAME: variable of dynamic size in local memory
; RUN: not lathe simulate %t/wide.ll --launch %t/launch.yaml 2>&1 | FileCheck %s --check-prefix=WIDE
; WIDE: unsupported: operation that the host does in __floattisf
; WIDE-NOT: {{.}}
; RUN: not lathe simulate %t/none.ll --launch %t/launch.yaml 2>&1 | FileCheck %s --check-prefix=NONE
; NONE: found no kernel in the module, expected one
; RUN: not lathe simulate %t/host.ll --launch %t/launch.yaml 2>&1 | FileCheck %s --check-prefix=HOST
; HOST: found a module for 'x86_64-unknown-linux-gnu', expected nvptx64 or amdgcn
; RUN: not lathe simulate %t/two.ll --launch %t/launch.yaml 2>&1 | FileCheck %s --check-prefix=TWO
; TWO: found 2 kernels in the module, expected the name of one of 'a', 'b'
; RUN: not lathe simulate %t/two.ll --launch %t/launch.yaml --kernel c 2>&1 | FileCheck %s --check-prefix=NAME
; NAME: found no kernel 'c' in the module, expected one of 'a', 'b'
; RUN: not lathe simulate %t/broken.ll --launch %t/launch.yaml 2>&1 | FileCheck %s --check-prefix=BROKEN
; BROKEN: broken.ll:2:{{.*}}error:
; RUN: not lathe simulate %t/invalid.ll --launch %t/launch.yaml 2>&1 | FileCheck %s --check-prefix=INVALID
; INVALID: invalid LLVM module: Instruction does not dominate all uses!
;--- kernel.ll
target triple = "nvptx64-nvidia-cuda"
module asm ".global .u32 x;"
@counter = internal addrspace(1) global i32 0
declare void @elsewhere()
declare i32 @llvm.get.rounding()
declare i32 @llvm.nvvm.txq.width(i64)
define ptx_kernel void @many(ptr addrspace(1) %out, ptr %f, i32 %n) "denormal-fp-math-f32"="preserve-sign,preserve-sign" {
  call void @elsewhere()
  call void %f()
  %r = call i32 @llvm.get.rounding()
  %w = call i32 @llvm.nvvm.txq.width(i64 0)
  %a = call i32 asm "frobnicate $0;", "=r"()
  %l = alloca i32, i32 %n
  store i32 %r, ptr addrspace(1) @counter
  ret void
}
;--- wide.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @wide(ptr addrspace(1) %out, i128 %n) {
  %f = sitofp i128 %n to float
  store float %f, ptr addrspace(1) %out
  ret void
}
;--- none.ll
target triple = "nvptx64-nvidia-cuda"
define void @function() {
  ret void
}
;--- host.ll
target triple = "x86_64-unknown-linux-gnu"
define void @function() {
  ret void
}
;--- two.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @a() {
  ret void
}
define ptx_kernel void @b() {
  ret void
}
;--- broken.ll
define ptx_kernel void @a() {
  frobnicate
}
;--- invalid.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @a(i32 %n) {
  %x = add i32 %y, 1
  %y = add i32 %n, 1
  ret void
}
;--- launch.yaml
grid: 1
