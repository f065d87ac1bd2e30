; Read-modify-writes of both scopes and all types, in global and shared memory;
; one on memory that nobody set is a fault.
; DEVICE: atomics; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: sed 's/fill: zeros/initialized: false/' %t/launch.yaml > %t/unset.yaml
; RUN: not lathe simulate %t/kernel.ll --launch %t/unset.yaml | FileCheck %s --check-prefix=UNSET
; UNSET: uninitialized-read
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr, i32)
declare i64 @llvm.nvvm.atomic.add.gen.i.sys.i64.p0(ptr, i64)
declare float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr, float)
declare double @llvm.nvvm.atomic.add.gen.f.cta.f64.p0(ptr, double)
declare i32 @llvm.nvvm.atomic.inc.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.dec.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.min.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.max.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.and.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.or.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.xor.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.exch.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.cas.gen.i.cta.i32.p0(ptr, i32, i32)

define ptx_kernel void @kernel(ptr %out) "nvvm.maxntid"="64" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %out, i32 %t)
  %p1 = getelementptr i32, ptr %out, i64 1
  %2 = call float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr %p1, float 0.5)
  %p2 = getelementptr i32, ptr %out, i64 2
  %3 = call i32 @llvm.nvvm.atomic.inc.gen.i.cta.i32.p0(ptr %p2, i32 9)
  %p3 = getelementptr i32, ptr %out, i64 3
  %4 = call i32 @llvm.nvvm.atomic.dec.gen.i.cta.i32.p0(ptr %p3, i32 9)
  %p4 = getelementptr i32, ptr %out, i64 4
  %negative = sub i32 0, %t
  %5 = call i32 @llvm.nvvm.atomic.min.gen.i.cta.i32.p0(ptr %p4, i32 %negative)
  %p5 = getelementptr i32, ptr %out, i64 5
  %6 = call i32 @llvm.nvvm.atomic.max.gen.i.cta.i32.p0(ptr %p5, i32 %t)
  %p6 = getelementptr i32, ptr %out, i64 6
  %bit = and i32 %t, 31
  %one = shl i32 1, %bit
  %7 = call i32 @llvm.nvvm.atomic.or.gen.i.cta.i32.p0(ptr %p6, i32 %one)
  %p7 = getelementptr i32, ptr %out, i64 7
  %8 = call i32 @llvm.nvvm.atomic.xor.gen.i.cta.i32.p0(ptr %p7, i32 %t)
  %p8 = getelementptr i32, ptr %out, i64 8
  %9 = call i32 @llvm.nvvm.atomic.and.gen.i.cta.i32.p0(ptr %p8, i32 -8)
  %p9 = getelementptr i32, ptr %out, i64 9
  %10 = call i32 @llvm.nvvm.atomic.exch.gen.i.cta.i32.p0(ptr %p9, i32 7)
  %p10 = getelementptr i32, ptr %out, i64 10
  %11 = call i32 @llvm.nvvm.atomic.cas.gen.i.cta.i32.p0(ptr %p10, i32 0, i32 5)
  %p12 = getelementptr i32, ptr %out, i64 12
  %12 = call i64 @llvm.nvvm.atomic.add.gen.i.sys.i64.p0(ptr %p12, i64 4294967297)
  %p14 = getelementptr i32, ptr %out, i64 14
  %13 = call double @llvm.nvvm.atomic.add.gen.f.cta.f64.p0(ptr %p14, double 0.25)
  ret void
}
;--- launch.yaml
block: 64
buffers:
  - {name: out, dtype: i32, shape: [16], fill: zeros}
arguments: [out]
expect:
  - {buffer: out, count: 16, values: [2016, 1107296256, 4, 6, -63, 63, -1, 0, 0, 7, 5, 0, 64, 64, 0, 1076887552]}
