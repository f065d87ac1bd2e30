; Conversions bit by bit: integers, halves, FP8, TF32.
; DEVICE: conversions; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: llc -mcpu=sm_90a -mattr=+ptx81 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.f2i.rn(float)
declare i32 @llvm.nvvm.f2i.rm(float)
declare i32 @llvm.nvvm.f2i.rp(float)
declare i32 @llvm.nvvm.f2i.rz(float)
declare i32 @llvm.nvvm.f2ui.rz(float)
declare i64 @llvm.nvvm.f2ll.rz(float)
declare i32 @llvm.nvvm.d2i.rn(double)
declare i32 @llvm.nvvm.d2ui.rz(double)
declare float @llvm.nvvm.i2f.rp(i32)
declare float @llvm.nvvm.ui2f.rz(i32)
declare float @llvm.nvvm.d2f.rz(double)
declare i32 @llvm.nvvm.d2i.hi(double)
declare i32 @llvm.nvvm.d2i.lo(double)
declare <2 x half> @llvm.nvvm.ff2f16x2.rn(float, float)
declare <2 x half> @llvm.nvvm.ff2f16x2.rz(float, float)
declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn.relu(float, float)
declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float, float)
declare i32 @llvm.nvvm.f2tf32.rna(float)
declare i16 @llvm.nvvm.f2h.rn(float)
declare i16 @llvm.nvvm.ff.to.e4m3x2.rn(float, float)
declare i16 @llvm.nvvm.ff.to.e4m3x2.rn.relu(float, float)
declare i16 @llvm.nvvm.ff.to.e5m2x2.rn(float, float)
declare i16 @llvm.nvvm.f16x2.to.e4m3x2.rn(<2 x half>)
declare <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16)
declare <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn(i16)
declare <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn.relu(i16)

; out: one row of 32 elements per result.
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v1 = call i32 @llvm.nvvm.f2i.rn(float 2.5)
  %v2 = getelementptr i32, ptr addrspace(1) %mine, i64 0
  store i32 %v1, ptr addrspace(1) %v2
  %v3 = call i32 @llvm.nvvm.f2i.rm(float -2.5)
  %v4 = getelementptr i32, ptr addrspace(1) %mine, i64 32
  store i32 %v3, ptr addrspace(1) %v4
  %v5 = call i32 @llvm.nvvm.f2i.rp(float 2.25)
  %v6 = getelementptr i32, ptr addrspace(1) %mine, i64 64
  store i32 %v5, ptr addrspace(1) %v6
  %v7 = call i32 @llvm.nvvm.f2i.rz(float 0x41E65A0BC0000000)
  %v8 = getelementptr i32, ptr addrspace(1) %mine, i64 96
  store i32 %v7, ptr addrspace(1) %v8
  %v9 = call i32 @llvm.nvvm.f2ui.rz(float -1.0)
  %v10 = getelementptr i32, ptr addrspace(1) %mine, i64 128
  store i32 %v9, ptr addrspace(1) %v10
  %v11 = call i32 @llvm.nvvm.f2i.rz(float 0x7FF8000000000000)
  %v12 = getelementptr i32, ptr addrspace(1) %mine, i64 160
  store i32 %v11, ptr addrspace(1) %v12
  %v13 = call i64 @llvm.nvvm.f2ll.rz(float 0x7FF8000000000000)
  %v14 = lshr i64 %v13, 32
  %v15 = trunc i64 %v14 to i32
  %v16 = getelementptr i32, ptr addrspace(1) %mine, i64 192
  store i32 %v15, ptr addrspace(1) %v16
  %v17 = call i32 @llvm.nvvm.d2i.rn(double -7.5)
  %v18 = getelementptr i32, ptr addrspace(1) %mine, i64 224
  store i32 %v17, ptr addrspace(1) %v18
  %v19 = call i32 @llvm.nvvm.d2ui.rz(double 1.0e10)
  %v20 = getelementptr i32, ptr addrspace(1) %mine, i64 256
  store i32 %v19, ptr addrspace(1) %v20
  %v21 = call float @llvm.nvvm.i2f.rp(i32 16777217)
  %v22 = bitcast float %v21 to i32
  %v23 = getelementptr i32, ptr addrspace(1) %mine, i64 288
  store i32 %v22, ptr addrspace(1) %v23
  %v24 = call float @llvm.nvvm.ui2f.rz(i32 -1)
  %v25 = bitcast float %v24 to i32
  %v26 = getelementptr i32, ptr addrspace(1) %mine, i64 320
  store i32 %v25, ptr addrspace(1) %v26
  %v27 = call float @llvm.nvvm.d2f.rz(double 0x3FB999999999999A)
  %v28 = bitcast float %v27 to i32
  %v29 = getelementptr i32, ptr addrspace(1) %mine, i64 352
  store i32 %v28, ptr addrspace(1) %v29
  %v30 = call i32 @llvm.nvvm.d2i.hi(double 0x3FB999999999999A)
  %v31 = getelementptr i32, ptr addrspace(1) %mine, i64 384
  store i32 %v30, ptr addrspace(1) %v31
  %v32 = call i32 @llvm.nvvm.d2i.lo(double 0x3FB999999999999A)
  %v33 = getelementptr i32, ptr addrspace(1) %mine, i64 416
  store i32 %v32, ptr addrspace(1) %v33
  %v34 = call <2 x half> @llvm.nvvm.ff2f16x2.rn(float 0x3FF0020100000000, float 0xC0F0000000000000)
  %v35 = bitcast <2 x half> %v34 to i32
  %v36 = getelementptr i32, ptr addrspace(1) %mine, i64 448
  store i32 %v35, ptr addrspace(1) %v36
  %v37 = call <2 x half> @llvm.nvvm.ff2f16x2.rz(float 0x3FF0020100000000, float 0xC0F0000000000000)
  %v38 = bitcast <2 x half> %v37 to i32
  %v39 = getelementptr i32, ptr addrspace(1) %mine, i64 480
  store i32 %v38, ptr addrspace(1) %v39
  %v40 = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn.relu(float 0xBFF0000000000000, float 0x400921FB60000000)
  %v41 = bitcast <2 x bfloat> %v40 to i32
  %v42 = getelementptr i32, ptr addrspace(1) %mine, i64 512
  store i32 %v41, ptr addrspace(1) %v42
  %v43 = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float 0x7FF8000000000000, float 0x3FF0100000000000)
  %v44 = bitcast <2 x bfloat> %v43 to i32
  %v45 = getelementptr i32, ptr addrspace(1) %mine, i64 544
  store i32 %v44, ptr addrspace(1) %v45
  %v46 = call i32 @llvm.nvvm.f2tf32.rna(float 0x3FF0020000000000)
  %v47 = getelementptr i32, ptr addrspace(1) %mine, i64 576
  store i32 %v46, ptr addrspace(1) %v47
  %v48 = call i16 @llvm.nvvm.f2h.rn(float 0x40EFFE0000000000)
  %v49 = zext i16 %v48 to i32
  %v50 = getelementptr i32, ptr addrspace(1) %mine, i64 608
  store i32 %v49, ptr addrspace(1) %v50
  %v51 = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float 0x407F400000000000, float 0xBFB0000000000000)
  %v52 = zext i16 %v51 to i32
  %v53 = getelementptr i32, ptr addrspace(1) %mine, i64 640
  store i32 %v52, ptr addrspace(1) %v53
  %v54 = call i16 @llvm.nvvm.ff.to.e4m3x2.rn.relu(float 0x7FF8000000000000, float 0xC008000000000000)
  %v55 = zext i16 %v54 to i32
  %v56 = getelementptr i32, ptr addrspace(1) %mine, i64 672
  store i32 %v55, ptr addrspace(1) %v56
  %v57 = call i16 @llvm.nvvm.ff.to.e5m2x2.rn(float 0x412E848000000000, float 0x3FF2000000000000)
  %v58 = zext i16 %v57 to i32
  %v59 = getelementptr i32, ptr addrspace(1) %mine, i64 704
  store i32 %v58, ptr addrspace(1) %v59
  %v60 = call i16 @llvm.nvvm.ff.to.e5m2x2.rn(float 0x3FF6000000000000, float 0x3EE0000000000000)
  %v61 = zext i16 %v60 to i32
  %v62 = getelementptr i32, ptr addrspace(1) %mine, i64 736
  store i32 %v61, ptr addrspace(1) %v62
  %v63 = call i16 @llvm.nvvm.f16x2.to.e4m3x2.rn(<2 x half> <half 1.0, half -448.0>)
  %v64 = zext i16 %v63 to i32
  %v65 = getelementptr i32, ptr addrspace(1) %mine, i64 768
  store i32 %v64, ptr addrspace(1) %v65
  %v66 = call <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 32257)
  %v67 = bitcast <2 x half> %v66 to i32
  %v68 = getelementptr i32, ptr addrspace(1) %mine, i64 800
  store i32 %v67, ptr addrspace(1) %v68
  %v69 = call <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn(i16 -1279)
  %v70 = bitcast <2 x half> %v69 to i32
  %v71 = getelementptr i32, ptr addrspace(1) %mine, i64 832
  store i32 %v70, ptr addrspace(1) %v71
  %v72 = call <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn.relu(i16 -1220)
  %v73 = bitcast <2 x half> %v72 to i32
  %v74 = getelementptr i32, ptr addrspace(1) %mine, i64 864
  store i32 %v73, ptr addrspace(1) %v74
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: out, dtype: i32, shape: [28, 32]}
arguments: [out]
expect:
  - {buffer: out, first: 0, count: 32, each: "2"}
  - {buffer: out, first: 32, count: 32, each: "-3"}
  - {buffer: out, first: 64, count: 32, each: "3"}
  - {buffer: out, first: 96, count: 32, each: "2147483647"}
  - {buffer: out, first: 128, count: 32, each: "0"}
  - {buffer: out, first: 160, count: 32, each: "0"}
  - {buffer: out, first: 192, count: 32, each: "-2147483648"}
  - {buffer: out, first: 224, count: 32, each: "-8"}
  - {buffer: out, first: 256, count: 32, each: "-1"}
  - {buffer: out, first: 288, count: 32, each: "1266679809"}
  - {buffer: out, first: 320, count: 32, each: "1333788671"}
  - {buffer: out, first: 352, count: 32, each: "1036831948"}
  - {buffer: out, first: 384, count: 32, each: "1069128089"}
  - {buffer: out, first: 416, count: 32, each: "-1717986918"}
  - {buffer: out, first: 448, count: 32, each: "1006763008"}
  - {buffer: out, first: 480, count: 32, each: "1006697471"}
  - {buffer: out, first: 512, count: 32, each: "16457"}
  - {buffer: out, first: 544, count: 32, each: "2147434368"}
  - {buffer: out, first: 576, count: 32, each: "1065361408"}
  - {buffer: out, first: 608, count: 32, each: "31744"}
  - {buffer: out, first: 640, count: 32, each: "32408"}
  - {buffer: out, first: 672, count: 32, each: "32512"}
  - {buffer: out, first: 704, count: 32, each: "31548"}
  - {buffer: out, first: 736, count: 32, each: "15872"}
  - {buffer: out, first: 768, count: 32, each: "65080"}
  - {buffer: out, first: 800, count: 32, each: "1593841664"}
  - {buffer: out, first: 832, count: 32, each: "-83885824"}
  - {buffer: out, first: 864, count: 32, each: "15360"}
