; Lanes of one warp at two aligned barriers, and a warp that never comes. The
; clean kernel of both is nv-barrier.ll.
; RUN: split-file %s %t
; RUN: not lathe simulate %t/diverge.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=DIVERGE
; DIVERGE: divergence
; DIVERGE-SAME: lane 16 is at an aligned barrier (1) while other lanes of warp 0 are at '{{.*}}barrier.cta.sync.aligned.all(i32 0)
; RUN: not lathe simulate %t/missing.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=MISSING
; MISSING: deadlock
; MISSING-SAME: 64 threads wait: 32 x barrier 0, 32 x barrier 1
; RUN: not lathe simulate %t/count.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=COUNT
; COUNT: invalid-operand
; COUNT-SAME: barrier 1 is for 48 threads, expected a multiple of 32 up to the block's 64
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/diverge.ll -o %t/diverge.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/diverge.ptx -o %t/diverge.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/missing.ll -o %t/missing.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/missing.ptx -o %t/missing.cubin %}
;--- diverge.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %low = icmp ult i32 %lane, 16
  br i1 %low, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
b:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  ret void
}
;--- missing.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %t, 5
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %warp, i32 64)
  ret void
}
;--- count.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
  call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 48)
  ret void
}
;--- launch.yaml
block: 64
buffers: [{name: out, bytes: 4}]
arguments: [out]
