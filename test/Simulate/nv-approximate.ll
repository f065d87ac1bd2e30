; Approximate math within the error that the ISA states.
; DEVICE: approximate math; relative 4e-6, absolute 4e-6
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.ex2.approx.f32(float)
declare float @llvm.nvvm.lg2.approx.f(float)
declare float @llvm.nvvm.rsqrt.approx.f(float)
declare float @llvm.nvvm.sqrt.approx.f(float)
declare float @llvm.nvvm.sin.approx.f(float)
declare float @llvm.nvvm.cos.approx.f(float)
declare float @llvm.nvvm.div.approx.f(float, float)
declare float @llvm.nvvm.div.full(float, float)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float)
declare float @llvm.nvvm.lg2.approx.ftz.f(float)
declare float @llvm.nvvm.rsqrt.approx.ftz.f(float)
declare float @llvm.nvvm.sqrt.approx.ftz.f(float)
declare float @llvm.nvvm.sin.approx.ftz.f(float)
declare float @llvm.nvvm.cos.approx.ftz.f(float)
declare float @llvm.nvvm.div.approx.ftz.f(float, float)
declare float @llvm.nvvm.div.full.ftz(float, float)
declare float @llvm.nvvm.rcp.approx.ftz.f(float)
declare double @llvm.nvvm.rcp.approx.ftz.d(double)

; out: one row of 32 elements per result.
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v1 = call float @llvm.nvvm.ex2.approx.f32(float 0xC00D9999A0000000)
  %v2 = bitcast float %v1 to i32
  %v3 = getelementptr i32, ptr addrspace(1) %mine, i64 0
  store i32 %v2, ptr addrspace(1) %v3
  %v4 = call float @llvm.nvvm.ex2.approx.f32(float 0x3FD3333340000000)
  %v5 = bitcast float %v4 to i32
  %v6 = getelementptr i32, ptr addrspace(1) %mine, i64 32
  store i32 %v5, ptr addrspace(1) %v6
  %v7 = call float @llvm.nvvm.ex2.approx.f32(float 0x4029000000000000)
  %v8 = bitcast float %v7 to i32
  %v9 = getelementptr i32, ptr addrspace(1) %mine, i64 64
  store i32 %v8, ptr addrspace(1) %v9
  %v10 = call float @llvm.nvvm.lg2.approx.f(float 0x4042A00000000000)
  %v11 = bitcast float %v10 to i32
  %v12 = getelementptr i32, ptr addrspace(1) %mine, i64 96
  store i32 %v11, ptr addrspace(1) %v12
  %v13 = call float @llvm.nvvm.rsqrt.approx.f(float 0x401D333340000000)
  %v14 = bitcast float %v13 to i32
  %v15 = getelementptr i32, ptr addrspace(1) %mine, i64 128
  store i32 %v14, ptr addrspace(1) %v15
  %v16 = call float @llvm.nvvm.sqrt.approx.f(float 0x401D333340000000)
  %v17 = bitcast float %v16 to i32
  %v18 = getelementptr i32, ptr addrspace(1) %mine, i64 160
  store i32 %v17, ptr addrspace(1) %v18
  %v19 = call float @llvm.nvvm.sin.approx.f(float 0x3FF19999A0000000)
  %v20 = bitcast float %v19 to i32
  %v21 = getelementptr i32, ptr addrspace(1) %mine, i64 192
  store i32 %v20, ptr addrspace(1) %v21
  %v22 = call float @llvm.nvvm.cos.approx.f(float 0x3FF19999A0000000)
  %v23 = bitcast float %v22 to i32
  %v24 = getelementptr i32, ptr addrspace(1) %mine, i64 224
  store i32 %v23, ptr addrspace(1) %v24
  %v25 = call float @llvm.nvvm.div.approx.f(float 0x401D333340000000, float 0x3FFB333340000000)
  %v26 = bitcast float %v25 to i32
  %v27 = getelementptr i32, ptr addrspace(1) %mine, i64 256
  store i32 %v26, ptr addrspace(1) %v27
  %v28 = call float @llvm.nvvm.div.full(float 0x401D333340000000, float 0x3FFB333340000000)
  %v29 = bitcast float %v28 to i32
  %v30 = getelementptr i32, ptr addrspace(1) %mine, i64 288
  store i32 %v29, ptr addrspace(1) %v30
  %v31 = call float @llvm.nvvm.ex2.approx.ftz.f32(float 0xC00D9999A0000000)
  %v32 = bitcast float %v31 to i32
  %v33 = getelementptr i32, ptr addrspace(1) %mine, i64 320
  store i32 %v32, ptr addrspace(1) %v33
  %v34 = call float @llvm.nvvm.ex2.approx.ftz.f32(float 0x3FD3333340000000)
  %v35 = bitcast float %v34 to i32
  %v36 = getelementptr i32, ptr addrspace(1) %mine, i64 352
  store i32 %v35, ptr addrspace(1) %v36
  %v37 = call float @llvm.nvvm.ex2.approx.ftz.f32(float 0x4029000000000000)
  %v38 = bitcast float %v37 to i32
  %v39 = getelementptr i32, ptr addrspace(1) %mine, i64 384
  store i32 %v38, ptr addrspace(1) %v39
  %v40 = call float @llvm.nvvm.lg2.approx.ftz.f(float 0x4042A00000000000)
  %v41 = bitcast float %v40 to i32
  %v42 = getelementptr i32, ptr addrspace(1) %mine, i64 416
  store i32 %v41, ptr addrspace(1) %v42
  %v43 = call float @llvm.nvvm.rsqrt.approx.ftz.f(float 0x401D333340000000)
  %v44 = bitcast float %v43 to i32
  %v45 = getelementptr i32, ptr addrspace(1) %mine, i64 448
  store i32 %v44, ptr addrspace(1) %v45
  %v46 = call float @llvm.nvvm.sqrt.approx.ftz.f(float 0x401D333340000000)
  %v47 = bitcast float %v46 to i32
  %v48 = getelementptr i32, ptr addrspace(1) %mine, i64 480
  store i32 %v47, ptr addrspace(1) %v48
  %v49 = call float @llvm.nvvm.sin.approx.ftz.f(float 0x3FF19999A0000000)
  %v50 = bitcast float %v49 to i32
  %v51 = getelementptr i32, ptr addrspace(1) %mine, i64 512
  store i32 %v50, ptr addrspace(1) %v51
  %v52 = call float @llvm.nvvm.cos.approx.ftz.f(float 0x3FF19999A0000000)
  %v53 = bitcast float %v52 to i32
  %v54 = getelementptr i32, ptr addrspace(1) %mine, i64 544
  store i32 %v53, ptr addrspace(1) %v54
  %v55 = call float @llvm.nvvm.div.approx.ftz.f(float 0x401D333340000000, float 0x3FFB333340000000)
  %v56 = bitcast float %v55 to i32
  %v57 = getelementptr i32, ptr addrspace(1) %mine, i64 576
  store i32 %v56, ptr addrspace(1) %v57
  %v58 = call float @llvm.nvvm.div.full.ftz(float 0x401D333340000000, float 0x3FFB333340000000)
  %v59 = bitcast float %v58 to i32
  %v60 = getelementptr i32, ptr addrspace(1) %mine, i64 608
  store i32 %v59, ptr addrspace(1) %v60
  %v61 = call float @llvm.nvvm.rcp.approx.ftz.f(float 0x3FFB333340000000)
  %v62 = bitcast float %v61 to i32
  %v63 = getelementptr i32, ptr addrspace(1) %mine, i64 640
  store i32 %v62, ptr addrspace(1) %v63
  %v64 = call double @llvm.nvvm.rcp.approx.ftz.d(double 3.0)
  %v65 = fptrunc double %v64 to float
  %v66 = bitcast float %v65 to i32
  %v67 = getelementptr i32, ptr addrspace(1) %mine, i64 672
  store i32 %v66, ptr addrspace(1) %v67
  %v68 = call float @llvm.nvvm.ex2.approx.ftz.f32(float 0xC061800000000000)
  %v69 = bitcast float %v68 to i32
  %v70 = getelementptr i32, ptr addrspace(1) %mine, i64 704
  store i32 %v69, ptr addrspace(1) %v70
  %v71 = call float @llvm.nvvm.rcp.approx.ftz.f(float -0.0)
  %v72 = bitcast float %v71 to i32
  %v73 = getelementptr i32, ptr addrspace(1) %mine, i64 736
  store i32 %v72, ptr addrspace(1) %v73
  %v74 = call float @llvm.nvvm.rsqrt.approx.ftz.f(float 0.0)
  %v75 = bitcast float %v74 to i32
  %v76 = getelementptr i32, ptr addrspace(1) %mine, i64 768
  store i32 %v75, ptr addrspace(1) %v76
  %v77 = call float @llvm.nvvm.div.approx.f(float 0x3FF0000000000000, float 0x47E0000000000000)
  %v78 = bitcast float %v77 to i32
  %v79 = getelementptr i32, ptr addrspace(1) %mine, i64 800
  store i32 %v78, ptr addrspace(1) %v79
  %v80 = call float @llvm.nvvm.ex2.approx.f32(float 0xFFF0000000000000)
  %v81 = bitcast float %v80 to i32
  %v82 = getelementptr i32, ptr addrspace(1) %mine, i64 832
  store i32 %v81, ptr addrspace(1) %v82
  %v83 = call float @llvm.nvvm.lg2.approx.f(float 0.0)
  %v84 = bitcast float %v83 to i32
  %v85 = getelementptr i32, ptr addrspace(1) %mine, i64 864
  store i32 %v84, ptr addrspace(1) %v85
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: out, dtype: f32, shape: [28, 32]}
arguments: [out]
expect:
  - {buffer: out, first: 0, values: [0.07694652329083357], relative: 4.76837158203125e-07}
  - {buffer: out, first: 32, values: [1.2311444235178113], relative: 4.76837158203125e-07}
  - {buffer: out, first: 64, values: [5792.618751480198], relative: 4.76837158203125e-07}
  - {buffer: out, first: 96, values: [5.219168520462161], relative: 4.76837158203125e-07}
  - {buffer: out, first: 128, values: [0.37011660026358767], relative: 4.76837158203125e-07}
  - {buffer: out, first: 160, values: [2.701851252518329], relative: 4.76837158203125e-07}
  - {buffer: out, first: 192, values: [0.8912073708760093], relative: 1.9073486328125e-06}
  - {buffer: out, first: 224, values: [0.453596100177538], relative: 1.9073486328125e-06}
  - {buffer: out, first: 256, values: [4.294117638809046], relative: 4.76837158203125e-07}
  - {buffer: out, first: 288, values: [4.294117638809046], relative: 4.76837158203125e-07}
  - {buffer: out, first: 320, values: [0.07694652329083357], relative: 4.76837158203125e-07}
  - {buffer: out, first: 352, values: [1.2311444235178113], relative: 4.76837158203125e-07}
  - {buffer: out, first: 384, values: [5792.618751480198], relative: 4.76837158203125e-07}
  - {buffer: out, first: 416, values: [5.219168520462161], relative: 4.76837158203125e-07}
  - {buffer: out, first: 448, values: [0.37011660026358767], relative: 4.76837158203125e-07}
  - {buffer: out, first: 480, values: [2.701851252518329], relative: 4.76837158203125e-07}
  - {buffer: out, first: 512, values: [0.8912073708760093], relative: 1.9073486328125e-06}
  - {buffer: out, first: 544, values: [0.453596100177538], relative: 1.9073486328125e-06}
  - {buffer: out, first: 576, values: [4.294117638809046], relative: 4.76837158203125e-07}
  - {buffer: out, first: 608, values: [4.294117638809046], relative: 4.76837158203125e-07}
  - {buffer: out, first: 640, values: [0.5882352776180919], relative: 4.76837158203125e-07}
  - {buffer: out, first: 672, values: [0.3333333333333333], relative: 1.9073486328125e-06}
  - {buffer: out, first: 704, values: [0]}
  - {buffer: out, first: 736, values: [-inf]}
  - {buffer: out, first: 768, values: [inf]}
  - {buffer: out, first: 800, values: [0]}
  - {buffer: out, first: 832, values: [0]}
  - {buffer: out, first: 864, values: [-inf]}
