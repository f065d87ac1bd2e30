; Loads, stores and atomics through buffer resources: what lies outside reads as
; zero and is not written.
; RUN: split-file %s %t
; RUN: llc -filetype=null %t/kernel.ll
; RUN: lathe simulate %t/kernel.ll --launch %t/range.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/elements.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/atomics.yaml --schedules 3
; RUN: not lathe simulate %t/kernel.ll --launch %t/straddle.yaml | FileCheck %s --check-prefix=STRADDLE
; STRADDLE: out-of-bounds
; STRADDLE-SAME: access at byte 4 of a buffer of 6 bytes begins inside and ends outside
; RUN: not lathe simulate %t/kernel.ll --launch %t/long.yaml | FileCheck %s --check-prefix=LONG
; LONG: out-of-bounds
; RUN: not lathe simulate %t/kernel.ll --launch %t/unbound.yaml | FileCheck %s --check-prefix=UNBOUND
; UNBOUND: invalid-operand
; UNBOUND-SAME: buffer resource without a data format
; RUN: not lathe simulate %t/unknown.ll --launch %t/unbound.yaml 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: unsupported:
; UNKNOWN-SAME: llvm.amdgcn.raw.ptr.buffer.load.format
; UNKNOWN-SAME: llvm.amdgcn.raw.ptr.buffer.load: swizzled buffer access
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
declare <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8), i32, i32, i32)
declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32)
declare i16 @llvm.amdgcn.raw.ptr.buffer.load.i16(ptr addrspace(8), i32, i32, i32)
declare void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(<4 x i32>, ptr addrspace(8), i32, i32, i32)
declare float @llvm.amdgcn.struct.ptr.buffer.load.f32(ptr addrspace(8), i32, i32, i32, i32)
declare void @llvm.amdgcn.struct.ptr.buffer.store.f32(float, ptr addrspace(8), i32, i32, i32, i32)
declare i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32, ptr addrspace(8), i32, i32, i32)
declare float @llvm.amdgcn.raw.ptr.buffer.atomic.fadd.f32(float, ptr addrspace(8), i32, i32, i32)
declare <2 x half> @llvm.amdgcn.raw.ptr.buffer.atomic.fadd.v2f16(<2 x half>, ptr addrspace(8), i32, i32, i32)
declare i32 @llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap.i32(i32, i32, ptr addrspace(8), i32, i32, i32)
declare i32 @llvm.amdgcn.raw.ptr.buffer.atomic.smin.i32(i32, ptr addrspace(8), i32, i32, i32)

; 16 bytes a lane through windows of %n bytes; the third dword of lane 4 may be
; outside when the first is not.
define amdgpu_kernel void @range(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) "target-cpu"="gfx942" {
  %from = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %in, i16 0, i64 %n, i32 159744)
  %to = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, i64 %n, i32 159744)
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %t, 4
  %x = call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8) %from, i32 %at, i32 0, i32 0)
  %one = add <4 x i32> %x, splat (i32 1)
  call void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(<4 x i32> %one, ptr addrspace(8) %to, i32 %at, i32 0, i32 0)
  %small = call i16 @llvm.amdgcn.raw.ptr.buffer.load.i16(ptr addrspace(8) %from, i32 %at, i32 8, i32 0)
  %wide = zext i16 %small to i32
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %q = getelementptr i32, ptr addrspace(1) %p, i32 32
  store i32 %wide, ptr addrspace(1) %q, align 4
  ret void
}

; Elements of 8 bytes; %t - 1 wraps to a huge index for the first lane.
define amdgpu_kernel void @elements(ptr addrspace(1) %in, ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %from = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %in, i16 8, i64 5, i32 159744)
  %to = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 4, i64 8, i32 159744)
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %before = sub i32 %t, 1
  %x = call float @llvm.amdgcn.struct.ptr.buffer.load.f32(ptr addrspace(8) %from, i32 %before, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.struct.ptr.buffer.store.f32(float %x, ptr addrspace(8) %to, i32 %t, i32 0, i32 0, i32 0)
  ret void
}

; One counter a dword; two blocks of 64 lanes.
define amdgpu_kernel void @atomics(ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, i64 20, i32 159744)
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 %t, ptr addrspace(8) %r, i32 0, i32 0, i32 0)
  %b = call float @llvm.amdgcn.raw.ptr.buffer.atomic.fadd.f32(float 0.5, ptr addrspace(8) %r, i32 4, i32 0, i32 0)
  %c = call <2 x half> @llvm.amdgcn.raw.ptr.buffer.atomic.fadd.v2f16(<2 x half> <half 1.0, half 2.0>, ptr addrspace(8) %r, i32 8, i32 0, i32 0)
  %d = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap.i32(i32 9, i32 0, ptr addrspace(8) %r, i32 12, i32 0, i32 0)
  %low = sub i32 3, %t
  %e = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.smin.i32(i32 %low, ptr addrspace(8) %r, i32 16, i32 0, i32 0)
  %f = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1, ptr addrspace(8) %r, i32 20, i32 0, i32 0)
  ret void
}

define amdgpu_kernel void @unbound(ptr addrspace(1) %out, i32 %flags) "target-cpu"="gfx942" {
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, i64 4, i32 %flags)
  %a = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 0, i32 0, i32 0)
  store i32 %a, ptr addrspace(1) %out, align 4
  ret void
}
;--- range.yaml
kernel: range
block: 8
buffers:
  - {name: in, dtype: i32, shape: [18], fill: iota, readonly: true}
  - {name: out, dtype: i32, shape: [40], fill: zeros}
arguments: [in, out, {value: 72, dtype: i64}]
expect: # 18 dwords; then the low half of every fourth, two dwords further on
  - {buffer: out, first: 0, count: 32, each: "select(i < 18, i + 1, 0)"}
  - {buffer: out, first: 32, count: 8, each: "select(i < 4, 4 * i + 2, 0)"}
;--- straddle.yaml
kernel: range
block: 1
buffers:
  - {name: in, dtype: i32, shape: [18], fill: iota, readonly: true}
  - {name: out, dtype: i32, shape: [40], fill: zeros}
arguments: [in, out, {value: 6, dtype: i64}]
;--- long.yaml
kernel: range
block: 8
buffers:
  - {name: in, dtype: i32, shape: [18], fill: iota, readonly: true}
  - {name: out, dtype: i32, shape: [40], fill: zeros}
arguments: [in, out, {value: 76, dtype: i64}]
;--- elements.yaml
kernel: elements
block: 8
buffers:
  - {name: in, dtype: f32, shape: [5, 2], fill: iota, readonly: true}
  - {name: out, dtype: f32, shape: [8]}
arguments: [in, out]
expect:
  - {buffer: out, each: "select(i >= 1 and i < 6, 2 * i - 1, 0)"}
;--- atomics.yaml
kernel: atomics
grid: 2
block: 64
buffers: [{name: out, dtype: i32, shape: [6], fill: zeros}]
arguments: [out]
expect: # 64.0; 128.0 and 256.0 as halves; -60
  - {buffer: out, values: [4032, 1115684864, 1543526400, 9, -60, 0]}
;--- unbound.yaml
kernel: unbound
buffers: [{name: out, dtype: i32, shape: [1], fill: zeros}]
arguments: [out, {value: 0}]
;--- unknown.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32)
declare float @llvm.amdgcn.raw.ptr.buffer.load.format.f32(ptr addrspace(8), i32, i32, i32)
define amdgpu_kernel void @unbound(ptr addrspace(1) %out, i32 %flags) "target-cpu"="gfx942" {
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, i64 4, i32 159744)
  %a = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 0, i32 0, i32 8)
  %b = call float @llvm.amdgcn.raw.ptr.buffer.load.format.f32(ptr addrspace(8) %r, i32 0, i32 0, i32 0)
  store i32 %a, ptr addrspace(1) %out, align 4
  store float %b, ptr addrspace(1) %out, align 4
  ret void
}
