; Pointers into AMD buffers are taken apart before they reach the host.
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: not lathe simulate %t/narrow.ll --launch %t/narrow.yaml 2>&1 | FileCheck %s
; CHECK: unsupported:
; CHECK-SAME: null pointer of a 32-bit address space
; CHECK-SAME: pointer of 32 bits in memory
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)

define amdgpu_kernel void @copy(ptr addrspace(1) %in, ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %in, i16 0, i64 128, i32 159744)
  %fat = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %from = getelementptr i32, ptr addrspace(7) %fat, i32 %t
  %x = load i32, ptr addrspace(7) %from, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %to, align 4
  ret void
}
;--- launch.yaml
block: 64
buffers:
  - {name: in, dtype: i32, shape: [32], fill: iota, readonly: true}
  - {name: out, dtype: i32, shape: [64], fill: ones}
arguments: [in, out]
expect:
  - {buffer: out, each: "select(i < 32, i, 0)"}
;--- narrow.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@lds = internal addrspace(3) global [4 x i32] undef, align 16
define amdgpu_kernel void @narrow(ptr addrspace(1) %out) "target-cpu"="gfx942" {
  store ptr addrspace(3) @lds, ptr addrspace(1) %out, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 1
  %is = icmp eq ptr addrspace(3) @lds, addrspacecast (ptr null to ptr addrspace(3))
  %w = zext i1 %is to i32
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}
;--- narrow.yaml
buffers: [{name: out, bytes: 8}]
arguments: [out]
