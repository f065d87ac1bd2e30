; LDS and barriers of a block with four waves. Each thread writes its number and
; reads that of the thread one wave further.
; RUN: split-file %s %t
; RUN: llc -filetype=null %t/kernel.ll
; RUN: lathe simulate %t/kernel.ll --launch %t/good.yaml --schedules 5 | FileCheck %s --check-prefix=GOOD
; GOOD: ok
; RUN: lathe simulate %t/kernel.ll --launch %t/assembly.yaml
; RUN: not lathe simulate %t/kernel.ll --launch %t/missing.yaml | FileCheck %s --check-prefix=MISSING
; MISSING: {{shared-race|uninitialized-read}}
; RUN: not lathe simulate %t/kernel.ll --launch %t/divergent.yaml | FileCheck %s --check-prefix=DIVERGENT
; DIVERGENT: divergence
; DIVERGENT-SAME: 32 of the 64 lanes of wave 0 reach the barrier, the others have ended
; RUN: not lathe simulate %t/kernel.ll --launch %t/two.yaml | FileCheck %s --check-prefix=TWO
; TWO: divergence
; TWO-SAME: wave 0 is at two barriers at once
; RUN: lathe simulate %t/kernel.ll --launch %t/ended.yaml --schedules 5
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
@lds = internal addrspace(3) global [256 x i32] poison, align 16

define amdgpu_kernel void @good(ptr addrspace(1) %out) "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="256,256" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  store i32 %t, ptr addrspace(3) %p, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %far = add i32 %t, 64
  %other = and i32 %far, 255
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %other
  %x = load i32, ptr addrspace(3) %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}

define amdgpu_kernel void @assembly(ptr addrspace(1) %out) "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="256,256" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  store i32 %t, ptr addrspace(3) %p, align 4
  call void asm sideeffect "s_waitcnt lgkmcnt(0)\0As_barrier", "~{memory}"()
  %far = add i32 %t, 64
  %other = and i32 %far, 255
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %other
  %x = load i32, ptr addrspace(3) %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}

define amdgpu_kernel void @missing(ptr addrspace(1) %out) "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="256,256" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  store i32 %t, ptr addrspace(3) %p, align 4
  %far = add i32 %t, 64
  %other = and i32 %far, 255
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %other
  %x = load i32, ptr addrspace(3) %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}

; Half of the first wave leaves before the barrier.
define amdgpu_kernel void @divergent(ptr addrspace(1) %out) "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="256,256" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %few = icmp ult i32 %t, 32
  br i1 %few, label %end, label %rest
rest:
  call void @llvm.amdgcn.s.barrier()
  br label %end
end:
  ret void
}

; Both halves of a wave wait, at different instructions.
define amdgpu_kernel void @two(ptr addrspace(1) %out) "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="256,256" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %few = icmp ult i32 %t, 32
  br i1 %few, label %some, label %rest
some:
  call void @llvm.amdgcn.s.barrier()
  br label %end
rest:
  call void @llvm.amdgcn.s.barrier()
  br label %end
end:
  ret void
}

; Waves that have ended are not waited for.
define amdgpu_kernel void @ended(ptr addrspace(1) %out) "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="256,256" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %few = icmp ult i32 %t, 64
  br i1 %few, label %end, label %rest
rest:
  call void @llvm.amdgcn.s.barrier()
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 1, ptr addrspace(1) %o, align 4
  br label %end
end:
  ret void
}
;--- good.yaml
kernel: good
block: 256
buffers: [{name: out, dtype: i32, shape: [256]}]
arguments: [out]
expect: [{buffer: out, each: (i + 64) mod 256}]
;--- assembly.yaml
kernel: assembly
block: 256
buffers: [{name: out, dtype: i32, shape: [256]}]
arguments: [out]
expect: [{buffer: out, each: (i + 64) mod 256}]
;--- missing.yaml
kernel: missing
block: 256
buffers: [{name: out, dtype: i32, shape: [256]}]
arguments: [out]
;--- divergent.yaml
kernel: divergent
block: 256
buffers: [{name: out, dtype: i32, shape: [256]}]
arguments: [out]
;--- two.yaml
kernel: two
block: 256
buffers: [{name: out, dtype: i32, shape: [256]}]
arguments: [out]
;--- ended.yaml
kernel: ended
block: 256
buffers: [{name: out, dtype: i32, shape: [256], fill: zeros}]
arguments: [out]
expect: [{buffer: out, each: i >= 64}]
