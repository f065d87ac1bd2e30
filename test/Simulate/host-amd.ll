; What amdgcn modules have of their own: tables in constant memory, private
; arrays and shared memory behind 32-bit pointers, atomics that x86 lacks.
; RUN: split-file %s %t
; RUN: llc -mcpu=gfx942 %t/kernel.ll -o /dev/null
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --schedules 3
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@table = internal addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0], align 16
@lds = internal addrspace(3) global [64 x float] poison, align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

define amdgpu_kernel void @kernel(ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %local = alloca [4 x float], align 16, addrspace(5)
  %i = and i32 %t, 3
  %entry = getelementptr float, ptr addrspace(4) @table, i32 %i
  %value = load float, ptr addrspace(4) %entry, align 4
  %private = getelementptr float, ptr addrspace(5) %local, i32 %i
  store float %value, ptr addrspace(5) %private, align 4
  %flat = addrspacecast ptr addrspace(5) %private to ptr
  %again = load float, ptr %flat, align 4
  %slot = getelementptr float, ptr addrspace(3) @lds, i32 %t
  store float %again, ptr addrspace(3) %slot, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = xor i32 %t, 63
  %from = getelementptr float, ptr addrspace(3) @lds, i32 %other
  %x = load float, ptr addrspace(3) %from, align 4
  %to = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %x, ptr addrspace(1) %to, align 4
  %sum = getelementptr float, ptr addrspace(1) %out, i32 64
  %a = atomicrmw fadd ptr addrspace(1) %sum, float %x syncscope("agent") monotonic
  %most = getelementptr float, ptr addrspace(1) %out, i32 65
  %b = atomicrmw fmax ptr addrspace(1) %most, float %x syncscope("agent") monotonic
  %pair = getelementptr float, ptr addrspace(1) %out, i32 66
  %c = atomicrmw fadd ptr addrspace(1) %pair, <2 x half> <half 1.0, half 2.0> syncscope("agent") monotonic, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="64,64" }
;--- launch.yaml
block: 64
buffers: [{name: out, dtype: f32, shape: [67], fill: zeros}]
arguments: [out]
expect:
  - {buffer: out, count: 64, each: 4 - i mod 4}
  - {buffer: out, first: 64, values: [160, 4]}
  # 64 and 128 in halves
  - {buffer: out, first: 66, hex: 00540058}
