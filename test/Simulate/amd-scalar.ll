; Scalar instructions of gfx942 on constants. The last word is the class test.
; RUN: split-file %s %t
; RUN: llc -filetype=null %t/kernel.ll
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: not lathe simulate %t/chip.ll --launch %t/launch.yaml 2>&1 | FileCheck %s
; CHECK: unsupported:
; CHECK-SAME: llvm.amdgcn.cvt.f32.fp8: fp8 conversion on gfx90a, expected gfx942
; CHECK-SAME: llvm.amdgcn.div.scale
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare <2 x half> @llvm.amdgcn.cvt.pkrtz(float, float)
declare float @llvm.amdgcn.cos.f32(float)
declare float @llvm.amdgcn.cvt.f32.bf8(i32, i32)
declare float @llvm.amdgcn.cvt.f32.fp8(i32, i32)
declare float @llvm.amdgcn.div.fixup.f32(float, float, float)
declare float @llvm.amdgcn.exp2.f32(float)
declare float @llvm.amdgcn.fdot2(<2 x half>, <2 x half>, float, i1)
declare float @llvm.amdgcn.fmed3.f32(float, float, float)
declare float @llvm.amdgcn.fmul.legacy(float, float)
declare float @llvm.amdgcn.fract.f32(float)
declare float @llvm.amdgcn.frexp.mant.f32(float)
declare float @llvm.amdgcn.log.f32(float)
declare float @llvm.amdgcn.rcp.f32(float)
declare float @llvm.amdgcn.rsq.f32(float)
declare float @llvm.amdgcn.sin.f32(float)
declare i32 @llvm.amdgcn.alignbyte(i32, i32, i32)
declare i32 @llvm.amdgcn.cvt.pk.bf8.f32(float, float, i32, i1)
declare i32 @llvm.amdgcn.cvt.pk.fp8.f32(float, float, i32, i1)
declare i32 @llvm.amdgcn.cvt.sr.fp8.f32(float, i32, i32, i32)
declare i32 @llvm.amdgcn.frexp.exp.i32.f32(float)
declare i32 @llvm.amdgcn.mul.u24.i32(i32, i32)
declare i32 @llvm.amdgcn.mulhi.i24(i32, i32)
declare i32 @llvm.amdgcn.perm(i32, i32, i32)
declare i32 @llvm.amdgcn.sad.u8(i32, i32, i32)
declare i32 @llvm.amdgcn.sbfe.i32(i32, i32, i32)
declare i32 @llvm.amdgcn.sdot4(i32, i32, i32, i1)
declare i32 @llvm.amdgcn.sffbh.i32(i32)
declare i32 @llvm.amdgcn.ubfe.i32(i32, i32, i32)
declare i32 @llvm.amdgcn.udot4(i32, i32, i32, i1)
declare i1 @llvm.amdgcn.class.f32(float, i32)

define amdgpu_kernel void @scalars(ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %r0 = call i32 @llvm.amdgcn.ubfe.i32(i32 305419896, i32 8, i32 12)
  %p0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store i32 %r0, ptr addrspace(1) %p0, align 4
  %r1 = call i32 @llvm.amdgcn.sbfe.i32(i32 305419896, i32 4, i32 8)
  %p1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %r1, ptr addrspace(1) %p1, align 4
  %r2 = call i32 @llvm.amdgcn.sbfe.i32(i32 61440, i32 12, i32 4)
  %p2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %r2, ptr addrspace(1) %p2, align 4
  %r3 = call i32 @llvm.amdgcn.perm(i32 287454020, i32 1432778632, i32 117901063)
  %p3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store i32 %r3, ptr addrspace(1) %p3, align 4
  %r4 = call i32 @llvm.amdgcn.alignbyte(i32 17, i32 858993459, i32 1)
  %p4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store i32 %r4, ptr addrspace(1) %p4, align 4
  %r5 = call i32 @llvm.amdgcn.sad.u8(i32 16909060, i32 67305985, i32 10)
  %p5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store i32 %r5, ptr addrspace(1) %p5, align 4
  %r6 = call i32 @llvm.amdgcn.sdot4(i32 33489411, i32 33686018, i32 1, i1 false)
  %p6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store i32 %r6, ptr addrspace(1) %p6, align 4
  %r7 = call i32 @llvm.amdgcn.udot4(i32 33489411, i32 33686018, i32 1, i1 false)
  %p7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store i32 %r7, ptr addrspace(1) %p7, align 4
  %r8 = call i32 @llvm.amdgcn.mul.u24.i32(i32 16777217, i32 5)
  %p8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store i32 %r8, ptr addrspace(1) %p8, align 4
  %r9 = call i32 @llvm.amdgcn.mulhi.i24(i32 8388607, i32 8388607)
  %p9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store i32 %r9, ptr addrspace(1) %p9, align 4
  %r10 = call i32 @llvm.amdgcn.sffbh.i32(i32 -256)
  %p10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store i32 %r10, ptr addrspace(1) %p10, align 4
  %r11 = call float @llvm.amdgcn.rcp.f32(float 3.0)
  %b11 = bitcast float %r11 to i32
  %p11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store i32 %b11, ptr addrspace(1) %p11, align 4
  %r12 = call float @llvm.amdgcn.rcp.f32(float 0x380fffffc0000000)
  %b12 = bitcast float %r12 to i32
  %p12 = getelementptr i32, ptr addrspace(1) %out, i32 12
  store i32 %b12, ptr addrspace(1) %p12, align 4
  %r13 = call float @llvm.amdgcn.rsq.f32(float 4.0)
  %b13 = bitcast float %r13 to i32
  %p13 = getelementptr i32, ptr addrspace(1) %out, i32 13
  store i32 %b13, ptr addrspace(1) %p13, align 4
  %r14 = call float @llvm.amdgcn.exp2.f32(float -3.0)
  %b14 = bitcast float %r14 to i32
  %p14 = getelementptr i32, ptr addrspace(1) %out, i32 14
  store i32 %b14, ptr addrspace(1) %p14, align 4
  %r15 = call float @llvm.amdgcn.log.f32(float 1024.0)
  %b15 = bitcast float %r15 to i32
  %p15 = getelementptr i32, ptr addrspace(1) %out, i32 15
  store i32 %b15, ptr addrspace(1) %p15, align 4
  %r16 = call float @llvm.amdgcn.sin.f32(float 0.25)
  %b16 = bitcast float %r16 to i32
  %p16 = getelementptr i32, ptr addrspace(1) %out, i32 16
  store i32 %b16, ptr addrspace(1) %p16, align 4
  %r17 = call float @llvm.amdgcn.cos.f32(float 0.5)
  %b17 = bitcast float %r17 to i32
  %p17 = getelementptr i32, ptr addrspace(1) %out, i32 17
  store i32 %b17, ptr addrspace(1) %p17, align 4
  %r18 = call float @llvm.amdgcn.fract.f32(float -0.25)
  %b18 = bitcast float %r18 to i32
  %p18 = getelementptr i32, ptr addrspace(1) %out, i32 18
  store i32 %b18, ptr addrspace(1) %p18, align 4
  %r19 = call float @llvm.amdgcn.fmed3.f32(float 3.0, float 1.0, float 2.0)
  %b19 = bitcast float %r19 to i32
  %p19 = getelementptr i32, ptr addrspace(1) %out, i32 19
  store i32 %b19, ptr addrspace(1) %p19, align 4
  %r20 = call float @llvm.amdgcn.frexp.mant.f32(float 12.0)
  %b20 = bitcast float %r20 to i32
  %p20 = getelementptr i32, ptr addrspace(1) %out, i32 20
  store i32 %b20, ptr addrspace(1) %p20, align 4
  %r21 = call i32 @llvm.amdgcn.frexp.exp.i32.f32(float 12.0)
  %p21 = getelementptr i32, ptr addrspace(1) %out, i32 21
  store i32 %r21, ptr addrspace(1) %p21, align 4
  %r22 = call float @llvm.amdgcn.fmul.legacy(float 0.0, float 0x7FF0000000000000)
  %b22 = bitcast float %r22 to i32
  %p22 = getelementptr i32, ptr addrspace(1) %out, i32 22
  store i32 %b22, ptr addrspace(1) %p22, align 4
  %r23 = call float @llvm.amdgcn.fdot2(<2 x half> <half 2.0, half 3.0>, <2 x half> <half 4.0, half 5.0>, float 0.5, i1 false)
  %b23 = bitcast float %r23 to i32
  %p23 = getelementptr i32, ptr addrspace(1) %out, i32 23
  store i32 %b23, ptr addrspace(1) %p23, align 4
  %r24 = call float @llvm.amdgcn.div.fixup.f32(float 0.5, float 0.0, float -1.0)
  %b24 = bitcast float %r24 to i32
  %p24 = getelementptr i32, ptr addrspace(1) %out, i32 24
  store i32 %b24, ptr addrspace(1) %p24, align 4
  %r25 = call float @llvm.amdgcn.cvt.f32.fp8(i32 50331648, i32 3)
  %b25 = bitcast float %r25 to i32
  %p25 = getelementptr i32, ptr addrspace(1) %out, i32 25
  store i32 %b25, ptr addrspace(1) %p25, align 4
  %r26 = call float @llvm.amdgcn.cvt.f32.bf8(i32 68, i32 0)
  %b26 = bitcast float %r26 to i32
  %p26 = getelementptr i32, ptr addrspace(1) %out, i32 26
  store i32 %b26, ptr addrspace(1) %p26, align 4
  %r27 = call i32 @llvm.amdgcn.cvt.pk.fp8.f32(float 1.0, float -2.0, i32 -1, i1 true)
  %p27 = getelementptr i32, ptr addrspace(1) %out, i32 27
  store i32 %r27, ptr addrspace(1) %p27, align 4
  %r28 = call i32 @llvm.amdgcn.cvt.pk.bf8.f32(float 1.0, float 1.0e6, i32 0, i1 false)
  %p28 = getelementptr i32, ptr addrspace(1) %out, i32 28
  store i32 %r28, ptr addrspace(1) %p28, align 4
  %r29 = call i32 @llvm.amdgcn.cvt.sr.fp8.f32(float 17.0, i32 -1, i32 0, i32 1)
  %p29 = getelementptr i32, ptr addrspace(1) %out, i32 29
  store i32 %r29, ptr addrspace(1) %p29, align 4
  %r30 = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float 1.0, float 0x3FF007FFE0000000)
  %b30 = bitcast <2 x half> %r30 to i32
  %p30 = getelementptr i32, ptr addrspace(1) %out, i32 30
  store i32 %b30, ptr addrspace(1) %p30, align 4
  %nan = call i1 @llvm.amdgcn.class.f32(float 0x7FF8000000000000, i32 2)
  %tiny = call i1 @llvm.amdgcn.class.f32(float 0x380fffffc0000000, i32 128)
  %zero = call i1 @llvm.amdgcn.class.f32(float -0.0, i32 64)
  %c0 = select i1 %nan, i32 1, i32 0
  %c1 = select i1 %tiny, i32 2, i32 0
  %c2 = select i1 %zero, i32 4, i32 0
  %c3 = or i32 %c0, %c1
  %c4 = or i32 %c3, %c2
  %last = getelementptr i32, ptr addrspace(1) %out, i32 31
  store i32 %c4, ptr addrspace(1) %last, align 4
  ret void
}
;--- launch.yaml
buffers: [{name: out, dtype: i32, shape: [32]}]
arguments: [out]
expect:
  - {buffer: out, values: [1110, 103, -1, 286331153, 288568115, 18, 11, 523, 5, 16383, 24, 1051372203, 2139095040, 1056964608, 1040187392, 1092616192, 1065353216, -1082130432, 1061158912, 1073741824, 1061158912, 4, 0, 1102839808, -8388608, 994050048, 1073741824, -935264257, 32832, 24832, 1006713856, 3]}
;--- chip.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare float @llvm.amdgcn.cvt.f32.fp8(i32, i32)
declare { float, i1 } @llvm.amdgcn.div.scale.f32(float, float, i1)
define amdgpu_kernel void @scalars(ptr addrspace(1) %out) "target-cpu"="gfx90a" {
  %x = call float @llvm.amdgcn.cvt.f32.fp8(i32 1, i32 0)
  %s = call { float, i1 } @llvm.amdgcn.div.scale.f32(float %x, float %x, i1 true)
  %v = extractvalue { float, i1 } %s, 0
  store float %v, ptr addrspace(1) %out, align 4
  ret void
}
