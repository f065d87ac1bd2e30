; Values that travel between the lanes of a wave of 64. Row r of the output
; holds what lane l got from instruction r.
; RUN: split-file %s %t
; RUN: llc -filetype=null %t/kernel.ll
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --schedules 3
; RUN: lathe simulate %t/masks.ll --launch %t/masks.yaml
; RUN: not lathe simulate %t/uniform.ll --launch %t/uniform.yaml | FileCheck %s --check-prefix=UNIFORM
; UNIFORM: invalid-operand
; UNIFORM-SAME: lane to read is 1 in one active lane and 0 in another, expected a uniform one
; RUN: not lathe simulate %t/unknown.ll --launch %t/uniform.yaml 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: unsupported:
; UNKNOWN-SAME: llvm.amdgcn.ds.swizzle: FFT swizzle pattern 0xe000
; UNKNOWN-SAME: llvm.amdgcn.permlane16.swap
; UNKNOWN-SAME: llvm.amdgcn.update.dpp: DPP control 0x160, which gfx9 lacks
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.mov.dpp.i32(i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.ds.permute(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.writelane.i32(i32, i32, i32)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
declare i32 @llvm.amdgcn.wave.reduce.umax.i32(i32, i32)

define amdgpu_kernel void @lanes(ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %x = add i32 %lane, 100
  %p0 = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  ; row_shr:1, zero where the row begins
  %r0 = call i32 @llvm.amdgcn.update.dpp.i32(i32 7, i32 %x, i32 273, i32 15, i32 15, i1 true)
  store i32 %r0, ptr addrspace(1) %p0, align 4
  ; row_bcast:15 into rows 1 and 3
  %r1 = call i32 @llvm.amdgcn.update.dpp.i32(i32 7, i32 %x, i32 322, i32 10, i32 15, i1 false)
  %p1 = getelementptr i32, ptr addrspace(1) %p0, i32 64
  store i32 %r1, ptr addrspace(1) %p1, align 4
  ; quad_perm [3,2,1,0]
  %r2 = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %x, i32 27, i32 15, i32 15, i1 true)
  %p2 = getelementptr i32, ptr addrspace(1) %p0, i32 128
  store i32 %r2, ptr addrspace(1) %p2, align 4
  ; xor 16 within 32
  %r3 = call i32 @llvm.amdgcn.ds.swizzle(i32 %x, i32 16415)
  %p3 = getelementptr i32, ptr addrspace(1) %p0, i32 192
  store i32 %r3, ptr addrspace(1) %p3, align 4
  ; lane l reads lane 63 - l
  %back = sub i32 63, %lane
  %bytes = shl i32 %back, 2
  %r4 = call i32 @llvm.amdgcn.ds.bpermute(i32 %bytes, i32 %x)
  %p4 = getelementptr i32, ptr addrspace(1) %p0, i32 256
  store i32 %r4, ptr addrspace(1) %p4, align 4
  ; lanes l and l + 32 write lane l: the higher wins, the others get zero
  %low = and i32 %lane, 31
  %to = shl i32 %low, 2
  %r5 = call i32 @llvm.amdgcn.ds.permute(i32 %to, i32 %x)
  %p5 = getelementptr i32, ptr addrspace(1) %p0, i32 320
  store i32 %r5, ptr addrspace(1) %p5, align 4
  %r6 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %p6 = getelementptr i32, ptr addrspace(1) %p0, i32 384
  store i32 %r6, ptr addrspace(1) %p6, align 4
  %r7 = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 41)
  %p7 = getelementptr i32, ptr addrspace(1) %p0, i32 448
  store i32 %r7, ptr addrspace(1) %p7, align 4
  %r8 = call i32 @llvm.amdgcn.writelane.i32(i32 5, i32 9, i32 %x)
  %p8 = getelementptr i32, ptr addrspace(1) %p0, i32 512
  store i32 %r8, ptr addrspace(1) %p8, align 4
  %count = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %r9 = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %count)
  %p9 = getelementptr i32, ptr addrspace(1) %p0, i32 576
  store i32 %r9, ptr addrspace(1) %p9, align 4
  %r10 = call i32 @llvm.amdgcn.wave.reduce.umax.i32(i32 %x, i32 0)
  %p10 = getelementptr i32, ptr addrspace(1) %p0, i32 640
  store i32 %r10, ptr addrspace(1) %p10, align 4
  ret void
}
;--- launch.yaml
block: 64
buffers: [{name: out, dtype: i32, shape: [11, 64]}]
arguments: [out]
expect:
  - {buffer: out, first: 0, count: 64, each: "select(i mod 16 == 0, 0, 99 + i)"}
  - {buffer: out, first: 64, count: 64, each: "select(i floordiv 16 mod 2 == 1, 99 + i floordiv 16 * 16, 7)"}
  - {buffer: out, first: 128, count: 64, each: 100 + i floordiv 4 * 4 + 3 - i mod 4}
  - {buffer: out, first: 192, count: 64, each: 100 + i floordiv 32 * 32 + (i + 16) mod 32}
  - {buffer: out, first: 256, count: 64, each: 163 - i}
  - {buffer: out, first: 320, count: 64, each: "select(i < 32, 132 + i, 0)"}
  - {buffer: out, first: 384, count: 64, each: "100"}
  - {buffer: out, first: 448, count: 64, each: "141"}
  - {buffer: out, first: 512, count: 64, each: "select(i == 9, 5, 100 + i)"}
  - {buffer: out, first: 576, count: 64, each: i}
  - {buffer: out, first: 640, count: 64, each: "163"}
;--- masks.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.amdgcn.icmp.i64.i32(i32, i32, i32)
declare i64 @llvm.amdgcn.fcmp.i64.f32(float, float, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)

; Only the active lanes take part: odd ones here.
define amdgpu_kernel void @masks(ptr addrspace(1) %out, ptr addrspace(1) %first) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %p0 = getelementptr i64, ptr addrspace(1) %out, i32 %lane
  %bit = and i32 %lane, 1
  %odd = icmp eq i32 %bit, 1
  br i1 %odd, label %then, label %end
then:
  %few = icmp ult i32 %lane, 8
  %r0 = call i64 @llvm.amdgcn.ballot.i64(i1 %few)
  store i64 %r0, ptr addrspace(1) %p0, align 8
  %r1 = call i64 @llvm.amdgcn.icmp.i64.i32(i32 %lane, i32 60, i32 34)
  %p1 = getelementptr i64, ptr addrspace(1) %p0, i32 64
  store i64 %r1, ptr addrspace(1) %p1, align 8
  %f = uitofp i32 %lane to float
  %r2 = call i64 @llvm.amdgcn.fcmp.i64.f32(float %f, float 4.0, i32 4)
  %p2 = getelementptr i64, ptr addrspace(1) %p0, i32 128
  store i64 %r2, ptr addrspace(1) %p2, align 8
  %one = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %lane)
  %pf = getelementptr i32, ptr addrspace(1) %first, i32 %lane
  store i32 %one, ptr addrspace(1) %pf, align 4
  ; an even lane is not there to read: zero
  %next = add i32 %lane, 1
  %bytes = shl i32 %next, 2
  %none = call i32 @llvm.amdgcn.ds.bpermute(i32 %bytes, i32 77)
  %pn = getelementptr i32, ptr addrspace(1) %pf, i32 64
  store i32 %none, ptr addrspace(1) %pn, align 4
  br label %end
end:
  ret void
}
;--- masks.yaml
block: 64
buffers:
  - {name: out, dtype: i64, shape: [3, 64], fill: zeros}
  - {name: first, dtype: i32, shape: [2, 64], fill: ones}
arguments: [out, first]
expect: # 0xAA; lanes 61 and 63; lanes 1 and 3
  - {buffer: out, first: 0, count: 64, each: i mod 2 * 170}
  - {buffer: out, first: 64, count: 64, each: i mod 2 * (2305843009213693952 - 9223372036854775807 - 1)}
  - {buffer: out, first: 128, count: 64, each: i mod 2 * 10}
  - {buffer: first, first: 0, count: 64, each: "1"}
  - {buffer: first, first: 64, count: 64, each: 1 - i mod 2}
;--- uniform.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
define amdgpu_kernel void @uniform(ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %r = call i32 @llvm.amdgcn.readlane.i32(i32 %lane, i32 %lane)
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}
;--- uniform.yaml
block: 64
buffers: [{name: out, dtype: i32, shape: [64]}]
arguments: [out]
;--- unknown.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
declare { i32, i32 } @llvm.amdgcn.permlane16.swap(i32, i32, i1, i1)
define amdgpu_kernel void @unknown(ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %x = load i32, ptr addrspace(1) %out, align 4
  %a = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %x, i32 352, i32 15, i32 15, i1 true)
  %b = call i32 @llvm.amdgcn.ds.swizzle(i32 %a, i32 57344)
  %c = call { i32, i32 } @llvm.amdgcn.permlane16.swap(i32 %a, i32 %b, i1 false, i1 false)
  %d = extractvalue { i32, i32 } %c, 0
  store i32 %d, ptr addrspace(1) %out, align 4
  ret void
}
