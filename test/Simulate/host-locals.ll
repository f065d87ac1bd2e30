; Local arrays have bounds and begin with nothing in them.
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/inside.yaml
; RUN: not lathe simulate %t/kernel.ll --launch %t/outside.yaml | FileCheck %s --check-prefix=OUTSIDE
; RUN: not lathe simulate %t/kernel.ll --launch %t/unset.yaml | FileCheck %s --check-prefix=UNSET
; OUTSIDE: out-of-bounds
; UNSET: uninitialized-read
; Functions that were not inlined are called, with locals of their own.
; RUN: lathe simulate %t/calls.ll --launch %t/calls.yaml
;--- kernel.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(ptr addrspace(1) %out, i32 %written, i32 %read) {
  %array = alloca [4 x i32], align 16
  %to = getelementptr i32, ptr %array, i32 %written
  store i32 7, ptr %to, align 4
  %from = getelementptr i32, ptr %array, i32 %read
  %x = load i32, ptr %from, align 4
  store i32 %x, ptr addrspace(1) %out, align 4
  ret void
}
;--- inside.yaml
buffers: [{name: out, dtype: i32, shape: [1]}]
arguments: [out, {value: 3}, {value: 3}]
expect: [{buffer: out, values: [7]}]
;--- outside.yaml
buffers: [{name: out, dtype: i32, shape: [1]}]
arguments: [out, {value: 4}, {value: 4}]
;--- unset.yaml
buffers: [{name: out, dtype: i32, shape: [1]}]
arguments: [out, {value: 3}, {value: 2}]
;--- calls.ll
target triple = "nvptx64-nvidia-cuda"
@shared = internal addrspace(3) global [32 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define internal i32 @below(i32 %n) noinline {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  store i32 %n, ptr addrspace(3) %slot
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %more
more:
  %less = sub i32 %n, 1
  %rest = call i32 @below(i32 %less)
  %sum = add i32 %rest, %n
  ret i32 %sum
end:
  %x = load i32, ptr addrspace(3) %slot
  ret i32 %x
}
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sum = call i32 @below(i32 %t)
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %to
  ret void
}
;--- calls.yaml
block: 32
buffers: [{name: out, dtype: i32, shape: [32]}]
arguments: [out]
expect: [{buffer: out, each: i * (i + 1) floordiv 2}]
