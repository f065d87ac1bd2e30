; Matrix products that only gfx90a has, and the denormals that it drops.
; RUN: split-file %s %t
; RUN: llc -filetype=null %t/kernel.ll
; RUN: lathe simulate %t/kernel.ll --launch %t/bf16.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/i8.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/dropped.yaml
; RUN: lathe simulate %t/kept.ll --launch %t/kept.yaml
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x8bf16(<2 x i16>, <2 x i16>, <4 x float>, i32, i32, i32)
declare <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32, i32, <16 x i32>, i32, i32, i32)

define amdgpu_kernel void @f16(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx90a" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %row = and i32 %lane, 15
  %part = lshr i32 %lane, 4
  %at = mul i32 %row, 4
  %index = add i32 %at, %part
  %pa = getelementptr <4 x half>, ptr addrspace(1) %a, i32 %index
  %pb = getelementptr <4 x half>, ptr addrspace(1) %b, i32 %index
  %va = load <4 x half>, ptr addrspace(1) %pa, align 8
  %vb = load <4 x half>, ptr addrspace(1) %pb, align 8
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %va, <4 x half> %vb, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %pd = getelementptr <4 x float>, ptr addrspace(1) %d, i32 %lane
  store <4 x float> %r, ptr addrspace(1) %pd, align 16
  ret void
}

define amdgpu_kernel void @bf16(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx90a" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %row = and i32 %lane, 15
  %part = lshr i32 %lane, 4
  %at = mul i32 %row, 4
  %index = add i32 %at, %part
  %pa = getelementptr <2 x i16>, ptr addrspace(1) %a, i32 %index
  %pb = getelementptr <2 x i16>, ptr addrspace(1) %b, i32 %index
  %va = load <2 x i16>, ptr addrspace(1) %pa, align 4
  %vb = load <2 x i16>, ptr addrspace(1) %pb, align 4
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x8bf16(<2 x i16> %va, <2 x i16> %vb, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %pd = getelementptr <4 x float>, ptr addrspace(1) %d, i32 %lane
  store <4 x float> %r, ptr addrspace(1) %pd, align 16
  ret void
}

; BLGP 2: the second 32 lanes of B for all, k is 4 to 7 everywhere.
define amdgpu_kernel void @i8(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx90a" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %row = and i32 %lane, 31
  %part = lshr i32 %lane, 5
  %at = mul i32 %row, 2
  %index = add i32 %at, %part
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %index
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %index
  %va = load i32, ptr addrspace(1) %pa, align 4
  %vb = load i32, ptr addrspace(1) %pb, align 4
  %r = call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %va, i32 %vb, <16 x i32> zeroinitializer, i32 0, i32 0, i32 2)
  %pd = getelementptr <16 x i32>, ptr addrspace(1) %d, i32 %lane
  store <16 x i32> %r, ptr addrspace(1) %pd, align 64
  ret void
}
;--- kept.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)

define amdgpu_kernel void @f16(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %row = and i32 %lane, 15
  %part = lshr i32 %lane, 4
  %at = mul i32 %row, 4
  %index = add i32 %at, %part
  %pa = getelementptr <4 x half>, ptr addrspace(1) %a, i32 %index
  %pb = getelementptr <4 x half>, ptr addrspace(1) %b, i32 %index
  %va = load <4 x half>, ptr addrspace(1) %pa, align 8
  %vb = load <4 x half>, ptr addrspace(1) %pb, align 8
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %va, <4 x half> %vb, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %pd = getelementptr <4 x float>, ptr addrspace(1) %d, i32 %lane
  store <4 x float> %r, ptr addrspace(1) %pd, align 16
  ret void
}
;--- bf16.yaml
kernel: bf16
block: 64
buffers:
  - {name: a, dtype: bf16, shape: [16, 8], fill: iota, readonly: true}
  - {name: b, dtype: bf16, shape: [16, 8], fill: {each: i floordiv 8 mod 8 == i mod 8}, readonly: true}
  - {name: d, dtype: f32, shape: [64, 4]}
arguments: [a, b, d]
expect: # row * 8 + column mod 8
  - {buffer: d, each: (4 * (i floordiv 64) + i mod 4) * 8 + i floordiv 4 mod 8}
;--- i8.yaml
kernel: i8
block: 64
buffers:
  - {name: a, dtype: i8, shape: [32, 8], fill: {each: i floordiv 8 + i mod 8 floordiv 4 * 40}, readonly: true}
  - {name: b, dtype: i8, shape: [32, 8], fill: {each: (i mod 8 == 5) * (i floordiv 8)}, readonly: true}
  - {name: d, dtype: i32, shape: [64, 16]}
arguments: [a, b, d]
expect: # (row + row + 40) * column
  - {buffer: d, each: (2 * (8 * (i mod 16 floordiv 4) + 4 * (i floordiv 512) + i mod 4) + 40) * (i floordiv 16 mod 32)}
;--- dropped.yaml
kernel: f16
block: 64
buffers: # every element the least denormal, 2^-24, times 2
  - {name: a, dtype: i16, shape: [16, 16], fill: {each: "1"}, readonly: true}
  - {name: b, dtype: f16, shape: [16, 16], fill: {each: "2"}, readonly: true}
  - {name: d, dtype: f32, shape: [64, 4]}
arguments: [a, b, d]
expect: # nothing is left
  - {buffer: d, each: "0"}
;--- kept.yaml
kernel: f16
block: 64
buffers: # every element the least denormal, 2^-24, times 2
  - {name: a, dtype: i16, shape: [16, 16], fill: {each: "1"}, readonly: true}
  - {name: b, dtype: f16, shape: [16, 16], fill: {each: "2"}, readonly: true}
  - {name: d, dtype: i32, shape: [64, 4]}
arguments: [a, b, d]
expect: # 2^-19 as f32
  - {buffer: d, each: "905969664"}
