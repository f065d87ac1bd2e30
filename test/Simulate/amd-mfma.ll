; Matrix products in the register layouts of gfx942. Operands come as A[i][k]
; and B[j][k]; each lane stores its part of D as it lies in registers. B picks
; one k for each column, so that D shows where every element of A went.
; RUN: split-file %s %t
; RUN: llc -filetype=null %t/kernel.ll
; RUN: lathe simulate %t/kernel.ll --launch %t/f16.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/bf16.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/i8.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/fp8.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/blocks.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/f64.yaml
; RUN: not lathe simulate %t/kernel.ll --launch %t/half.yaml | FileCheck %s --check-prefix=HALF
; HALF: divergence
; HALF-SAME: matrix product in a wave of 32 lanes, expected 64
; RUN: not lathe simulate %t/wrong.ll --launch %t/f16.yaml 2>&1 | FileCheck %s --check-prefix=WRONG
; WRONG: unsupported:
; WRONG-SAME: llvm.amdgcn.mfma.f32.32x32x8f16: BLGP 1
; WRONG-SAME: llvm.amdgcn.smfmac.f32.16x16x32.f16
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half>, <4 x half>, <16 x float>, i32, i32, i32)
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16>, <4 x i16>, <4 x float>, i32, i32, i32)
declare <4 x i32> @llvm.amdgcn.mfma.i32.16x16x32.i8(i64, i64, <4 x i32>, i32, i32, i32)
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.fp8.bf8(i64, i64, <4 x float>, i32, i32, i32)
declare <16 x float> @llvm.amdgcn.mfma.f32.16x16x1f32(float, float, <16 x float>, i32, i32, i32)
declare <4 x double> @llvm.amdgcn.mfma.f64.16x16x4f64(double, double, <4 x double>, i32, i32, i32)

; 32 rows of 8: lanes 0 to 31 hold k 0 to 3, the others 4 to 7.
define amdgpu_kernel void @f16(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %row = and i32 %lane, 31
  %part = lshr i32 %lane, 5
  %at = mul i32 %row, 2
  %index = add i32 %at, %part
  %pa = getelementptr <4 x half>, ptr addrspace(1) %a, i32 %index
  %pb = getelementptr <4 x half>, ptr addrspace(1) %b, i32 %index
  %va = load <4 x half>, ptr addrspace(1) %pa, align 8
  %vb = load <4 x half>, ptr addrspace(1) %pb, align 8
  %ones = insertelement <16 x float> poison, float 1.0, i32 0
  %c = shufflevector <16 x float> %ones, <16 x float> poison, <16 x i32> zeroinitializer
  %r = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %va, <4 x half> %vb, <16 x float> %c, i32 0, i32 0, i32 0)
  %pd = getelementptr <16 x float>, ptr addrspace(1) %d, i32 %lane
  store <16 x float> %r, ptr addrspace(1) %pd, align 64
  ret void
}

define amdgpu_kernel void @bf16(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %row = and i32 %lane, 15
  %part = lshr i32 %lane, 4
  %at = mul i32 %row, 4
  %index = add i32 %at, %part
  %pa = getelementptr <4 x i16>, ptr addrspace(1) %a, i32 %index
  %pb = getelementptr <4 x i16>, ptr addrspace(1) %b, i32 %index
  %va = load <4 x i16>, ptr addrspace(1) %pa, align 8
  %vb = load <4 x i16>, ptr addrspace(1) %pb, align 8
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16> %va, <4 x i16> %vb, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %pd = getelementptr <4 x float>, ptr addrspace(1) %d, i32 %lane
  store <4 x float> %r, ptr addrspace(1) %pd, align 16
  ret void
}

define amdgpu_kernel void @i8(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %row = and i32 %lane, 15
  %part = lshr i32 %lane, 4
  %at = mul i32 %row, 4
  %index = add i32 %at, %part
  %pa = getelementptr i64, ptr addrspace(1) %a, i32 %index
  %pb = getelementptr i64, ptr addrspace(1) %b, i32 %index
  %va = load i64, ptr addrspace(1) %pa, align 8
  %vb = load i64, ptr addrspace(1) %pb, align 8
  %r = call <4 x i32> @llvm.amdgcn.mfma.i32.16x16x32.i8(i64 %va, i64 %vb, <4 x i32> zeroinitializer, i32 0, i32 0, i32 0)
  %pd = getelementptr <4 x i32>, ptr addrspace(1) %d, i32 %lane
  store <4 x i32> %r, ptr addrspace(1) %pd, align 16
  ret void
}

define amdgpu_kernel void @fp8(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %row = and i32 %lane, 15
  %part = lshr i32 %lane, 4
  %at = mul i32 %row, 4
  %index = add i32 %at, %part
  %pa = getelementptr i64, ptr addrspace(1) %a, i32 %index
  %pb = getelementptr i64, ptr addrspace(1) %b, i32 %index
  %va = load i64, ptr addrspace(1) %pa, align 8
  %vb = load i64, ptr addrspace(1) %pb, align 8
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.fp8.bf8(i64 %va, i64 %vb, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %pd = getelementptr <4 x float>, ptr addrspace(1) %d, i32 %lane
  store <4 x float> %r, ptr addrspace(1) %pd, align 16
  ret void
}

; Four outer products; CBSZ 2 with ABID 1: all use the second block of A. BLGP 3:
; lanes of B move down by 16.
define amdgpu_kernel void @blocks(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %lane
  %pb = getelementptr float, ptr addrspace(1) %b, i32 %lane
  %va = load float, ptr addrspace(1) %pa, align 4
  %vb = load float, ptr addrspace(1) %pb, align 4
  %r = call <16 x float> @llvm.amdgcn.mfma.f32.16x16x1f32(float %va, float %vb, <16 x float> zeroinitializer, i32 2, i32 1, i32 3)
  %pd = getelementptr <16 x float>, ptr addrspace(1) %d, i32 %lane
  store <16 x float> %r, ptr addrspace(1) %pd, align 64
  ret void
}

; BLGP 1 negates A. One row per register, not four.
define amdgpu_kernel void @f64(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %row = and i32 %lane, 15
  %k = lshr i32 %lane, 4
  %at = mul i32 %row, 4
  %index = add i32 %at, %k
  %pa = getelementptr double, ptr addrspace(1) %a, i32 %index
  %pb = getelementptr double, ptr addrspace(1) %b, i32 %index
  %va = load double, ptr addrspace(1) %pa, align 8
  %vb = load double, ptr addrspace(1) %pb, align 8
  %r = call <4 x double> @llvm.amdgcn.mfma.f64.16x16x4f64(double %va, double %vb, <4 x double> zeroinitializer, i32 0, i32 0, i32 1)
  %pd = getelementptr <4 x double>, ptr addrspace(1) %d, i32 %lane
  store <4 x double> %r, ptr addrspace(1) %pd, align 32
  ret void
}
;--- f16.yaml
kernel: f16
block: 64
buffers:
  - {name: a, dtype: f16, shape: [32, 8], fill: iota, readonly: true}
  - {name: b, dtype: f16, shape: [32, 8], fill: {each: i floordiv 8 mod 8 == i mod 8}, readonly: true}
  - {name: d, dtype: f32, shape: [64, 16]}
arguments: [a, b, d]
expect: # row * 8 + column mod 8, plus one
  - {buffer: d, each: (8 * (i mod 16 floordiv 4) + 4 * (i floordiv 512) + i mod 4) * 8 + i floordiv 16 mod 8 + 1}
;--- bf16.yaml
kernel: bf16
block: 64
buffers:
  - {name: a, dtype: bf16, shape: [16, 16], fill: iota, readonly: true}
  - {name: b, dtype: bf16, shape: [16, 16], fill: {each: i floordiv 16 == i mod 16}, readonly: true}
  - {name: d, dtype: f32, shape: [64, 4]}
arguments: [a, b, d]
expect: # row * 16 + column
  - {buffer: d, each: (4 * (i floordiv 64) + i mod 4) * 16 + i floordiv 4 mod 16}
;--- i8.yaml
kernel: i8
block: 64
buffers:
  - {name: a, dtype: i8, shape: [16, 32], fill: {each: i floordiv 32 * 7 - i mod 32}, readonly: true}
  - {name: b, dtype: i8, shape: [16, 32], fill: {each: (2 * (i floordiv 32) + 1 == i mod 32) * -3}, readonly: true}
  - {name: d, dtype: i32, shape: [64, 4]}
arguments: [a, b, d]
expect: # -3 * (row * 7 - (2 * column + 1))
  - {buffer: d, each: -3 * ((4 * (i floordiv 64) + i mod 4) * 7 - 2 * (i floordiv 4 mod 16) - 1)}
;--- fp8.yaml
kernel: fp8
block: 64
buffers:
  - {name: a, dtype: f8E4M3FNUZ, shape: [16, 32], fill: {each: i floordiv 32 - i mod 32 floordiv 2}, readonly: true}
  - {name: b, dtype: f8E5M2FNUZ, shape: [16, 32], fill: {each: (2 * (i floordiv 32) + 1 == i mod 32) * 3}, readonly: true}
  - {name: d, dtype: f32, shape: [64, 4]}
arguments: [a, b, d]
expect: # 3 * (row - column)
  - {buffer: d, each: 3 * (4 * (i floordiv 64) + i mod 4 - i floordiv 4 mod 16)}
;--- blocks.yaml
kernel: blocks
block: 64
buffers:
  - {name: a, dtype: f32, shape: [4, 16], fill: iota, readonly: true}
  - {name: b, dtype: f32, shape: [4, 16], fill: {each: i + 1}, readonly: true}
  - {name: d, dtype: f32, shape: [64, 4, 4]}
arguments: [a, b, d]
expect: # A of block 1, row; B of the next block, column
  - {buffer: d, each: (16 + 4 * (i floordiv 256) + i mod 4) * (((i mod 16 floordiv 4 + 1) mod 4) * 16 + i floordiv 16 mod 16 + 1)}
;--- f64.yaml
kernel: f64
block: 64
buffers:
  - {name: a, dtype: f64, shape: [16, 4], fill: iota, readonly: true}
  - {name: b, dtype: f64, shape: [16, 4], fill: {each: i floordiv 4 mod 4 == i mod 4}, readonly: true}
  - {name: d, dtype: f64, shape: [64, 4]}
arguments: [a, b, d]
expect: # -(row * 4 + column mod 4)
  - {buffer: d, each: -((4 * (i mod 4) + i floordiv 64) * 4 + i floordiv 4 mod 4)}
;--- half.yaml
kernel: bf16
block: 32
buffers:
  - {name: a, dtype: bf16, shape: [16, 16], fill: iota}
  - {name: d, dtype: f32, shape: [64, 4]}
arguments: [a, a, d]
;--- wrong.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half>, <4 x half>, <16 x float>, i32, i32, i32)
declare <4 x float> @llvm.amdgcn.smfmac.f32.16x16x32.f16(<4 x half>, <8 x half>, <4 x float>, i32, i32, i32)
define amdgpu_kernel void @f16(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) "target-cpu"="gfx942" {
  %v = load <4 x half>, ptr addrspace(1) %a, align 8
  %w = load <8 x half>, ptr addrspace(1) %a, align 16
  %r = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %v, <4 x half> %v, <16 x float> zeroinitializer, i32 0, i32 0, i32 1)
  %s = call <4 x float> @llvm.amdgcn.smfmac.f32.16x16x32.f16(<4 x half> %v, <8 x half> %w, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  store <16 x float> %r, ptr addrspace(1) %d, align 64
  store <4 x float> %s, ptr addrspace(1) %d, align 16
  ret void
}
