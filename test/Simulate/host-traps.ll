; What LLVM leaves undefined ends the launch with a report.
; RUN: split-file %s %t
; RUN: not lathe simulate %t/trap.ll --launch %t/launch.yaml | FileCheck %s --check-prefixes=CHECK,TRAP
; RUN: not lathe simulate %t/unreachable.ll --launch %t/launch.yaml | FileCheck %s --check-prefixes=CHECK,UNREACHABLE
; RUN: not lathe simulate %t/divide.ll --launch %t/launch.yaml | FileCheck %s --check-prefixes=CHECK,DIVIDE
; RUN: not lathe simulate %t/overflow.ll --launch %t/launch.yaml | FileCheck %s --check-prefixes=CHECK,DIVIDE
; RUN: not lathe simulate %t/endless.ll --launch %t/launch.yaml --budget 100000 | FileCheck %s --check-prefix=ENDLESS
; CHECK: trap
; TRAP: call void @llvm.trap
; UNREACHABLE: unreachable
; DIVIDE: sdiv
; ENDLESS: timeout
;--- trap.ll
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.trap()
define ptx_kernel void @kernel(i32 %zero) {
  call void @llvm.trap()
  unreachable
}
;--- unreachable.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(i32 %zero) {
  unreachable
}
;--- divide.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(i32 %zero) {
  %x = sdiv i32 1, %zero
  ret void
}
;--- overflow.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(i32 %zero) {
  %minus = sub i32 %zero, 1
  %v = insertelement <2 x i32> <i32 1, i32 1>, i32 %minus, i32 1
  %x = sdiv <2 x i32> <i32 1, i32 -2147483648>, %v
  ret void
}
;--- endless.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(i32 %zero) {
entry:
  br label %loop
loop:
  br label %loop
}
;--- launch.yaml
arguments: [{value: 0}]
