; Lanes that are masked out touch nothing.
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: not lathe simulate %t/kernel.ll --launch %t/all.yaml | FileCheck %s
; CHECK: out-of-bounds: read of 4 bytes at 'in'+12
;--- kernel.ll
target triple = "nvptx64-nvidia-cuda"
declare <4 x i32> @llvm.masked.load.v4i32.p1(ptr addrspace(1), <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p1(<4 x i32>, ptr addrspace(1), <4 x i1>)
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
  %i = insertelement <4 x i32> poison, i32 %n, i32 0
  %ns = shufflevector <4 x i32> %i, <4 x i32> poison, <4 x i32> zeroinitializer
  %mask = icmp slt <4 x i32> <i32 0, i32 1, i32 2, i32 3>, %ns
  %x = call <4 x i32> @llvm.masked.load.v4i32.p1(ptr addrspace(1) align 4 %in, <4 x i1> %mask, <4 x i32> <i32 -1, i32 -2, i32 -3, i32 -4>)
  call void @llvm.masked.store.v4i32.p1(<4 x i32> %x, ptr addrspace(1) align 4 %out, <4 x i1> <i1 1, i1 0, i1 1, i1 1>)
  ret void
}
;--- launch.yaml
buffers:
  - {name: in, dtype: i32, shape: [3], fill: [10, 11, 12], readonly: true}
  - {name: out, dtype: i32, shape: [4], fill: zeros}
arguments: [in, out, {value: 3}]
expect: [{buffer: out, values: [10, 0, 12, -4]}]
;--- all.yaml
buffers:
  - {name: in, dtype: i32, shape: [3], fill: [10, 11, 12], readonly: true}
  - {name: out, dtype: i32, shape: [4], fill: zeros}
arguments: [in, out, {value: 4}]
