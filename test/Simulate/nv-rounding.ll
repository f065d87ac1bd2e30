; Arithmetic rounded in each direction, saturated and flushed.
; DEVICE: rounded arithmetic; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.add.rn.f(float, float)
declare float @llvm.nvvm.mul.rn.f(float, float)
declare float @llvm.nvvm.div.rn.f(float, float)
declare float @llvm.nvvm.fma.rn.f(float, float, float)
declare float @llvm.nvvm.rcp.rn.f(float)
declare float @llvm.nvvm.sqrt.rn.f(float)
declare float @llvm.nvvm.add.rz.f(float, float)
declare float @llvm.nvvm.mul.rz.f(float, float)
declare float @llvm.nvvm.div.rz.f(float, float)
declare float @llvm.nvvm.fma.rz.f(float, float, float)
declare float @llvm.nvvm.rcp.rz.f(float)
declare float @llvm.nvvm.sqrt.rz.f(float)
declare float @llvm.nvvm.add.rm.f(float, float)
declare float @llvm.nvvm.mul.rm.f(float, float)
declare float @llvm.nvvm.div.rm.f(float, float)
declare float @llvm.nvvm.fma.rm.f(float, float, float)
declare float @llvm.nvvm.rcp.rm.f(float)
declare float @llvm.nvvm.sqrt.rm.f(float)
declare float @llvm.nvvm.add.rp.f(float, float)
declare float @llvm.nvvm.mul.rp.f(float, float)
declare float @llvm.nvvm.div.rp.f(float, float)
declare float @llvm.nvvm.fma.rp.f(float, float, float)
declare float @llvm.nvvm.rcp.rp.f(float)
declare float @llvm.nvvm.sqrt.rp.f(float)
declare float @llvm.nvvm.add.rn.ftz.f(float, float)
declare float @llvm.nvvm.mul.rn.ftz.f(float, float)
declare float @llvm.nvvm.add.rn.sat.f(float, float)
declare float @llvm.nvvm.fma.rn.sat.f(float, float, float)
declare float @llvm.nvvm.saturate.f(float)
declare float @llvm.nvvm.fmin.f(float, float)
declare float @llvm.nvvm.fmax.nan.f(float, float)
declare float @llvm.nvvm.fmin.xorsign.abs.f(float, float)
declare float @llvm.nvvm.floor.f(float)
declare float @llvm.nvvm.round.f(float)
declare <2 x half> @llvm.nvvm.fma.rn.relu.f16x2(<2 x half>, <2 x half>, <2 x half>)
declare <2 x bfloat> @llvm.nvvm.fma.rn.bf16x2(<2 x bfloat>, <2 x bfloat>, <2 x bfloat>)

; out: one row of 32 elements per result.
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v1 = call float @llvm.nvvm.add.rn.f(float 0x3FF3AE1480000000, float 0x3E7EB851E0000000)
  %v2 = bitcast float %v1 to i32
  %v3 = getelementptr i32, ptr addrspace(1) %mine, i64 0
  store i32 %v2, ptr addrspace(1) %v3
  %v4 = call float @llvm.nvvm.mul.rn.f(float 0x3FF3AE1480000000, float 0xBE7EB851E0000000)
  %v5 = bitcast float %v4 to i32
  %v6 = getelementptr i32, ptr addrspace(1) %mine, i64 32
  store i32 %v5, ptr addrspace(1) %v6
  %v7 = call float @llvm.nvvm.div.rn.f(float 0x3FF3AE1480000000, float 0x3E7EB851E0000000)
  %v8 = bitcast float %v7 to i32
  %v9 = getelementptr i32, ptr addrspace(1) %mine, i64 64
  store i32 %v8, ptr addrspace(1) %v9
  %v10 = call float @llvm.nvvm.fma.rn.f(float 0x3FF3AE1480000000, float 0x3FF3AE1480000000, float 0xBFF3AE14A0000000)
  %v11 = bitcast float %v10 to i32
  %v12 = getelementptr i32, ptr addrspace(1) %mine, i64 96
  store i32 %v11, ptr addrspace(1) %v12
  %v13 = call float @llvm.nvvm.rcp.rn.f(float 0x3FF3AE1480000000)
  %v14 = bitcast float %v13 to i32
  %v15 = getelementptr i32, ptr addrspace(1) %mine, i64 128
  store i32 %v14, ptr addrspace(1) %v15
  %v16 = call float @llvm.nvvm.sqrt.rn.f(float 0x3FF3AE1480000000)
  %v17 = bitcast float %v16 to i32
  %v18 = getelementptr i32, ptr addrspace(1) %mine, i64 160
  store i32 %v17, ptr addrspace(1) %v18
  %v19 = call float @llvm.nvvm.add.rz.f(float 0x3FF3AE1480000000, float 0x3E7EB851E0000000)
  %v20 = bitcast float %v19 to i32
  %v21 = getelementptr i32, ptr addrspace(1) %mine, i64 192
  store i32 %v20, ptr addrspace(1) %v21
  %v22 = call float @llvm.nvvm.mul.rz.f(float 0x3FF3AE1480000000, float 0xBE7EB851E0000000)
  %v23 = bitcast float %v22 to i32
  %v24 = getelementptr i32, ptr addrspace(1) %mine, i64 224
  store i32 %v23, ptr addrspace(1) %v24
  %v25 = call float @llvm.nvvm.div.rz.f(float 0x3FF3AE1480000000, float 0x3E7EB851E0000000)
  %v26 = bitcast float %v25 to i32
  %v27 = getelementptr i32, ptr addrspace(1) %mine, i64 256
  store i32 %v26, ptr addrspace(1) %v27
  %v28 = call float @llvm.nvvm.fma.rz.f(float 0x3FF3AE1480000000, float 0x3FF3AE1480000000, float 0xBFF3AE14A0000000)
  %v29 = bitcast float %v28 to i32
  %v30 = getelementptr i32, ptr addrspace(1) %mine, i64 288
  store i32 %v29, ptr addrspace(1) %v30
  %v31 = call float @llvm.nvvm.rcp.rz.f(float 0x3FF3AE1480000000)
  %v32 = bitcast float %v31 to i32
  %v33 = getelementptr i32, ptr addrspace(1) %mine, i64 320
  store i32 %v32, ptr addrspace(1) %v33
  %v34 = call float @llvm.nvvm.sqrt.rz.f(float 0x3FF3AE1480000000)
  %v35 = bitcast float %v34 to i32
  %v36 = getelementptr i32, ptr addrspace(1) %mine, i64 352
  store i32 %v35, ptr addrspace(1) %v36
  %v37 = call float @llvm.nvvm.add.rm.f(float 0x3FF3AE1480000000, float 0x3E7EB851E0000000)
  %v38 = bitcast float %v37 to i32
  %v39 = getelementptr i32, ptr addrspace(1) %mine, i64 384
  store i32 %v38, ptr addrspace(1) %v39
  %v40 = call float @llvm.nvvm.mul.rm.f(float 0x3FF3AE1480000000, float 0xBE7EB851E0000000)
  %v41 = bitcast float %v40 to i32
  %v42 = getelementptr i32, ptr addrspace(1) %mine, i64 416
  store i32 %v41, ptr addrspace(1) %v42
  %v43 = call float @llvm.nvvm.div.rm.f(float 0x3FF3AE1480000000, float 0x3E7EB851E0000000)
  %v44 = bitcast float %v43 to i32
  %v45 = getelementptr i32, ptr addrspace(1) %mine, i64 448
  store i32 %v44, ptr addrspace(1) %v45
  %v46 = call float @llvm.nvvm.fma.rm.f(float 0x3FF3AE1480000000, float 0x3FF3AE1480000000, float 0xBFF3AE14A0000000)
  %v47 = bitcast float %v46 to i32
  %v48 = getelementptr i32, ptr addrspace(1) %mine, i64 480
  store i32 %v47, ptr addrspace(1) %v48
  %v49 = call float @llvm.nvvm.rcp.rm.f(float 0x3FF3AE1480000000)
  %v50 = bitcast float %v49 to i32
  %v51 = getelementptr i32, ptr addrspace(1) %mine, i64 512
  store i32 %v50, ptr addrspace(1) %v51
  %v52 = call float @llvm.nvvm.sqrt.rm.f(float 0x3FF3AE1480000000)
  %v53 = bitcast float %v52 to i32
  %v54 = getelementptr i32, ptr addrspace(1) %mine, i64 544
  store i32 %v53, ptr addrspace(1) %v54
  %v55 = call float @llvm.nvvm.add.rp.f(float 0x3FF3AE1480000000, float 0x3E7EB851E0000000)
  %v56 = bitcast float %v55 to i32
  %v57 = getelementptr i32, ptr addrspace(1) %mine, i64 576
  store i32 %v56, ptr addrspace(1) %v57
  %v58 = call float @llvm.nvvm.mul.rp.f(float 0x3FF3AE1480000000, float 0xBE7EB851E0000000)
  %v59 = bitcast float %v58 to i32
  %v60 = getelementptr i32, ptr addrspace(1) %mine, i64 608
  store i32 %v59, ptr addrspace(1) %v60
  %v61 = call float @llvm.nvvm.div.rp.f(float 0x3FF3AE1480000000, float 0x3E7EB851E0000000)
  %v62 = bitcast float %v61 to i32
  %v63 = getelementptr i32, ptr addrspace(1) %mine, i64 640
  store i32 %v62, ptr addrspace(1) %v63
  %v64 = call float @llvm.nvvm.fma.rp.f(float 0x3FF3AE1480000000, float 0x3FF3AE1480000000, float 0xBFF3AE14A0000000)
  %v65 = bitcast float %v64 to i32
  %v66 = getelementptr i32, ptr addrspace(1) %mine, i64 672
  store i32 %v65, ptr addrspace(1) %v66
  %v67 = call float @llvm.nvvm.rcp.rp.f(float 0x3FF3AE1480000000)
  %v68 = bitcast float %v67 to i32
  %v69 = getelementptr i32, ptr addrspace(1) %mine, i64 704
  store i32 %v68, ptr addrspace(1) %v69
  %v70 = call float @llvm.nvvm.sqrt.rp.f(float 0x3FF3AE1480000000)
  %v71 = bitcast float %v70 to i32
  %v72 = getelementptr i32, ptr addrspace(1) %mine, i64 736
  store i32 %v71, ptr addrspace(1) %v72
  %v73 = call float @llvm.nvvm.add.rn.ftz.f(float 0x3800000000000000, float 0x3800000000000000)
  %v74 = bitcast float %v73 to i32
  %v75 = getelementptr i32, ptr addrspace(1) %mine, i64 768
  store i32 %v74, ptr addrspace(1) %v75
  %v76 = call float @llvm.nvvm.add.rn.f(float 0x3800000000000000, float 0x3800000000000000)
  %v77 = bitcast float %v76 to i32
  %v78 = getelementptr i32, ptr addrspace(1) %mine, i64 800
  store i32 %v77, ptr addrspace(1) %v78
  %v79 = call float @llvm.nvvm.mul.rn.ftz.f(float 0x3810000000000000, float 0x3FE0000000000000)
  %v80 = bitcast float %v79 to i32
  %v81 = getelementptr i32, ptr addrspace(1) %mine, i64 832
  store i32 %v80, ptr addrspace(1) %v81
  %v82 = call float @llvm.nvvm.add.rn.sat.f(float 0x3FF3AE1480000000, float 0x3FF3AE1480000000)
  %v83 = bitcast float %v82 to i32
  %v84 = getelementptr i32, ptr addrspace(1) %mine, i64 864
  store i32 %v83, ptr addrspace(1) %v84
  %v85 = call float @llvm.nvvm.fma.rn.sat.f(float 0x3FF3AE1480000000, float 0xBFF0000000000000, float 0x0000000000000000)
  %v86 = bitcast float %v85 to i32
  %v87 = getelementptr i32, ptr addrspace(1) %mine, i64 896
  store i32 %v86, ptr addrspace(1) %v87
  %v88 = call float @llvm.nvvm.fma.rn.f(float 0x7FF0000000000000, float 0x3FF0000000000000, float 0xFFF0000000000000)
  %v89 = bitcast float %v88 to i32
  %v90 = getelementptr i32, ptr addrspace(1) %mine, i64 928
  store i32 %v89, ptr addrspace(1) %v90
  %v91 = call float @llvm.nvvm.saturate.f(float 0x7FF8000000000000)
  %v92 = bitcast float %v91 to i32
  %v93 = getelementptr i32, ptr addrspace(1) %mine, i64 960
  store i32 %v92, ptr addrspace(1) %v93
  %v94 = call float @llvm.nvvm.fmin.f(float -0.0, float 0.0)
  %v95 = bitcast float %v94 to i32
  %v96 = getelementptr i32, ptr addrspace(1) %mine, i64 992
  store i32 %v95, ptr addrspace(1) %v96
  %v97 = call float @llvm.nvvm.fmax.nan.f(float 1.0, float 0x7FF8000000000000)
  %v98 = bitcast float %v97 to i32
  %v99 = getelementptr i32, ptr addrspace(1) %mine, i64 1024
  store i32 %v98, ptr addrspace(1) %v99
  %v100 = call float @llvm.nvvm.fmin.xorsign.abs.f(float -2.0, float 3.0)
  %v101 = bitcast float %v100 to i32
  %v102 = getelementptr i32, ptr addrspace(1) %mine, i64 1056
  store i32 %v101, ptr addrspace(1) %v102
  %v103 = call float @llvm.nvvm.floor.f(float -1.5)
  %v104 = bitcast float %v103 to i32
  %v105 = getelementptr i32, ptr addrspace(1) %mine, i64 1088
  store i32 %v104, ptr addrspace(1) %v105
  %v106 = call float @llvm.nvvm.round.f(float 2.5)
  %v107 = bitcast float %v106 to i32
  %v108 = getelementptr i32, ptr addrspace(1) %mine, i64 1120
  store i32 %v107, ptr addrspace(1) %v108
  %v109 = call <2 x half> @llvm.nvvm.fma.rn.relu.f16x2(<2 x half> <half 1.5, half -1.5>, <2 x half> <half 1.5, half 1.5>, <2 x half> <half 1.0, half 1.0>)
  %v110 = bitcast <2 x half> %v109 to i32
  %v111 = getelementptr i32, ptr addrspace(1) %mine, i64 1152
  store i32 %v110, ptr addrspace(1) %v111
  %v112 = call <2 x bfloat> @llvm.nvvm.fma.rn.bf16x2(<2 x bfloat> <bfloat 1.5, bfloat -2.0>, <2 x bfloat> <bfloat 1.359375, bfloat 1.5>, <2 x bfloat> <bfloat 0xR0D80, bfloat 1.0>)
  %v113 = bitcast <2 x bfloat> %v112 to i32
  %v114 = getelementptr i32, ptr addrspace(1) %mine, i64 1184
  store i32 %v113, ptr addrspace(1) %v114
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: out, dtype: i32, shape: [38, 32]}
arguments: [out]
expect:
  - {buffer: out, first: 0, count: 32, each: "1067282597"}
  - {buffer: out, first: 32, count: 32, each: "-1273551756"}
  - {buffer: out, first: 64, count: 32, each: "1260650496"}
  - {buffer: out, first: 96, count: 32, each: "1049679938"}
  - {buffer: out, first: 128, count: 32, each: "1062216013"}
  - {buffer: out, first: 160, count: 32, each: "1066268024"}
  - {buffer: out, first: 192, count: 32, each: "1067282596"}
  - {buffer: out, first: 224, count: 32, each: "-1273551756"}
  - {buffer: out, first: 256, count: 32, each: "1260650496"}
  - {buffer: out, first: 288, count: 32, each: "1049679937"}
  - {buffer: out, first: 320, count: 32, each: "1062216012"}
  - {buffer: out, first: 352, count: 32, each: "1066268024"}
  - {buffer: out, first: 384, count: 32, each: "1067282596"}
  - {buffer: out, first: 416, count: 32, each: "-1273551755"}
  - {buffer: out, first: 448, count: 32, each: "1260650496"}
  - {buffer: out, first: 480, count: 32, each: "1049679937"}
  - {buffer: out, first: 512, count: 32, each: "1062216012"}
  - {buffer: out, first: 544, count: 32, each: "1066268024"}
  - {buffer: out, first: 576, count: 32, each: "1067282597"}
  - {buffer: out, first: 608, count: 32, each: "-1273551756"}
  - {buffer: out, first: 640, count: 32, each: "1260650497"}
  - {buffer: out, first: 672, count: 32, each: "1049679938"}
  - {buffer: out, first: 704, count: 32, each: "1062216013"}
  - {buffer: out, first: 736, count: 32, each: "1066268025"}
  - {buffer: out, first: 768, count: 32, each: "0"}
  - {buffer: out, first: 800, count: 32, each: "8388608"}
  - {buffer: out, first: 832, count: 32, each: "0"}
  - {buffer: out, first: 864, count: 32, each: "1065353216"}
  - {buffer: out, first: 896, count: 32, each: "0"}
  - {buffer: out, first: 928, count: 32, each: "2147483647"}
  - {buffer: out, first: 960, count: 32, each: "0"}
  - {buffer: out, first: 992, count: 32, each: "-2147483648"}
  - {buffer: out, first: 1024, count: 32, each: "2147483647"}
  - {buffer: out, first: 1056, count: 32, each: "-1073741824"}
  - {buffer: out, first: 1088, count: 32, each: "-1073741824"}
  - {buffer: out, first: 1120, count: 32, each: "1073741824"}
  - {buffer: out, first: 1152, count: 32, each: "17024"}
  - {buffer: out, first: 1184, count: 32, each: "-1073725437"}
