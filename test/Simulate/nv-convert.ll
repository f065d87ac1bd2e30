; Conversions bit by bit on 32 operands: integers, halves, FP8, TF32.
; (Low words of doubles go through a mov: ptxas 13.0 takes the st.b32 that LLVM 22
; writes of a 64-bit register for a conversion if the register holds a double.)
; DEVICE: conversions; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx81 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.f2i.rn(float)
declare i32 @llvm.nvvm.f2ui.rn(float)
declare float @llvm.nvvm.i2f.rn(i32)
declare float @llvm.nvvm.d2f.rn(double)
declare i32 @llvm.nvvm.f2i.rz(float)
declare i32 @llvm.nvvm.f2ui.rz(float)
declare float @llvm.nvvm.i2f.rz(i32)
declare float @llvm.nvvm.d2f.rz(double)
declare i32 @llvm.nvvm.f2i.rm(float)
declare i32 @llvm.nvvm.f2ui.rm(float)
declare float @llvm.nvvm.i2f.rm(i32)
declare float @llvm.nvvm.d2f.rm(double)
declare i32 @llvm.nvvm.f2i.rp(float)
declare i32 @llvm.nvvm.f2ui.rp(float)
declare float @llvm.nvvm.i2f.rp(i32)
declare float @llvm.nvvm.d2f.rp(double)
declare i64 @llvm.nvvm.f2ll.rz(float)
declare i64 @llvm.nvvm.f2ull.rn(float)
declare i32 @llvm.nvvm.d2i.rn(double)
declare float @llvm.nvvm.ull2f.rn(i64)
declare double @llvm.nvvm.ll2d.rz(i64)
declare <2 x half> @llvm.nvvm.ff2f16x2.rn(float, float)
declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float, float)
declare <2 x half> @llvm.nvvm.ff2f16x2.rn.relu(float, float)
declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn.relu(float, float)
declare <2 x half> @llvm.nvvm.ff2f16x2.rz(float, float)
declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rz(float, float)
declare <2 x half> @llvm.nvvm.ff2f16x2.rz.relu(float, float)
declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rz.relu(float, float)
declare i32 @llvm.nvvm.f2tf32.rna(float)
declare i16 @llvm.nvvm.ff.to.e4m3x2.rn(float, float)
declare i16 @llvm.nvvm.ff.to.e4m3x2.rn.relu(float, float)
declare i16 @llvm.nvvm.f16x2.to.e4m3x2.rn(<2 x half>)
declare <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16)
declare i16 @llvm.nvvm.ff.to.e5m2x2.rn(float, float)
declare i16 @llvm.nvvm.ff.to.e5m2x2.rn.relu(float, float)
declare i16 @llvm.nvvm.f16x2.to.e5m2x2.rn(<2 x half>)
declare <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn(i16)

; Rows of 32: operands in %in, results in %out; a lane has its column.
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v1 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v2 = load i32, ptr addrspace(1) %v1
  %v3 = bitcast i32 %v2 to float
  %v4 = call i32 @llvm.nvvm.f2i.rn(float %v3)
  %v5 = getelementptr i32, ptr addrspace(1) %to, i64 0
  store i32 %v4, ptr addrspace(1) %v5
  %v6 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v7 = load i32, ptr addrspace(1) %v6
  %v8 = bitcast i32 %v7 to float
  %v9 = call i32 @llvm.nvvm.f2ui.rn(float %v8)
  %v10 = getelementptr i32, ptr addrspace(1) %to, i64 32
  store i32 %v9, ptr addrspace(1) %v10
  %v11 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v12 = load i32, ptr addrspace(1) %v11
  %v13 = call float @llvm.nvvm.i2f.rn(i32 %v12)
  %v14 = bitcast float %v13 to i32
  %v15 = getelementptr i32, ptr addrspace(1) %to, i64 64
  store i32 %v14, ptr addrspace(1) %v15
  %v16 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v17 = load i32, ptr addrspace(1) %v16
  %v18 = zext i32 %v17 to i64
  %v19 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v20 = load i32, ptr addrspace(1) %v19
  %v21 = zext i32 %v20 to i64
  %v22 = shl i64 %v21, 32
  %v23 = or i64 %v18, %v22
  %v24 = bitcast i64 %v23 to double
  %v25 = call float @llvm.nvvm.d2f.rn(double %v24)
  %v26 = bitcast float %v25 to i32
  %v27 = getelementptr i32, ptr addrspace(1) %to, i64 96
  store i32 %v26, ptr addrspace(1) %v27
  %v28 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v29 = load i32, ptr addrspace(1) %v28
  %v30 = bitcast i32 %v29 to float
  %v31 = call i32 @llvm.nvvm.f2i.rz(float %v30)
  %v32 = getelementptr i32, ptr addrspace(1) %to, i64 128
  store i32 %v31, ptr addrspace(1) %v32
  %v33 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v34 = load i32, ptr addrspace(1) %v33
  %v35 = bitcast i32 %v34 to float
  %v36 = call i32 @llvm.nvvm.f2ui.rz(float %v35)
  %v37 = getelementptr i32, ptr addrspace(1) %to, i64 160
  store i32 %v36, ptr addrspace(1) %v37
  %v38 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v39 = load i32, ptr addrspace(1) %v38
  %v40 = call float @llvm.nvvm.i2f.rz(i32 %v39)
  %v41 = bitcast float %v40 to i32
  %v42 = getelementptr i32, ptr addrspace(1) %to, i64 192
  store i32 %v41, ptr addrspace(1) %v42
  %v43 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v44 = load i32, ptr addrspace(1) %v43
  %v45 = zext i32 %v44 to i64
  %v46 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v47 = load i32, ptr addrspace(1) %v46
  %v48 = zext i32 %v47 to i64
  %v49 = shl i64 %v48, 32
  %v50 = or i64 %v45, %v49
  %v51 = bitcast i64 %v50 to double
  %v52 = call float @llvm.nvvm.d2f.rz(double %v51)
  %v53 = bitcast float %v52 to i32
  %v54 = getelementptr i32, ptr addrspace(1) %to, i64 224
  store i32 %v53, ptr addrspace(1) %v54
  %v55 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v56 = load i32, ptr addrspace(1) %v55
  %v57 = bitcast i32 %v56 to float
  %v58 = call i32 @llvm.nvvm.f2i.rm(float %v57)
  %v59 = getelementptr i32, ptr addrspace(1) %to, i64 256
  store i32 %v58, ptr addrspace(1) %v59
  %v60 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v61 = load i32, ptr addrspace(1) %v60
  %v62 = bitcast i32 %v61 to float
  %v63 = call i32 @llvm.nvvm.f2ui.rm(float %v62)
  %v64 = getelementptr i32, ptr addrspace(1) %to, i64 288
  store i32 %v63, ptr addrspace(1) %v64
  %v65 = getelementptr i32, ptr addrspace(1) %from, i64 192
  %v66 = load i32, ptr addrspace(1) %v65
  %v67 = call float @llvm.nvvm.i2f.rm(i32 %v66)
  %v68 = bitcast float %v67 to i32
  %v69 = getelementptr i32, ptr addrspace(1) %to, i64 320
  store i32 %v68, ptr addrspace(1) %v69
  %v70 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v71 = load i32, ptr addrspace(1) %v70
  %v72 = zext i32 %v71 to i64
  %v73 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v74 = load i32, ptr addrspace(1) %v73
  %v75 = zext i32 %v74 to i64
  %v76 = shl i64 %v75, 32
  %v77 = or i64 %v72, %v76
  %v78 = bitcast i64 %v77 to double
  %v79 = call float @llvm.nvvm.d2f.rm(double %v78)
  %v80 = bitcast float %v79 to i32
  %v81 = getelementptr i32, ptr addrspace(1) %to, i64 352
  store i32 %v80, ptr addrspace(1) %v81
  %v82 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v83 = load i32, ptr addrspace(1) %v82
  %v84 = bitcast i32 %v83 to float
  %v85 = call i32 @llvm.nvvm.f2i.rp(float %v84)
  %v86 = getelementptr i32, ptr addrspace(1) %to, i64 384
  store i32 %v85, ptr addrspace(1) %v86
  %v87 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v88 = load i32, ptr addrspace(1) %v87
  %v89 = bitcast i32 %v88 to float
  %v90 = call i32 @llvm.nvvm.f2ui.rp(float %v89)
  %v91 = getelementptr i32, ptr addrspace(1) %to, i64 416
  store i32 %v90, ptr addrspace(1) %v91
  %v92 = getelementptr i32, ptr addrspace(1) %from, i64 224
  %v93 = load i32, ptr addrspace(1) %v92
  %v94 = call float @llvm.nvvm.i2f.rp(i32 %v93)
  %v95 = bitcast float %v94 to i32
  %v96 = getelementptr i32, ptr addrspace(1) %to, i64 448
  store i32 %v95, ptr addrspace(1) %v96
  %v97 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v98 = load i32, ptr addrspace(1) %v97
  %v99 = zext i32 %v98 to i64
  %v100 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v101 = load i32, ptr addrspace(1) %v100
  %v102 = zext i32 %v101 to i64
  %v103 = shl i64 %v102, 32
  %v104 = or i64 %v99, %v103
  %v105 = bitcast i64 %v104 to double
  %v106 = call float @llvm.nvvm.d2f.rp(double %v105)
  %v107 = bitcast float %v106 to i32
  %v108 = getelementptr i32, ptr addrspace(1) %to, i64 480
  store i32 %v107, ptr addrspace(1) %v108
  %v109 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v110 = load i32, ptr addrspace(1) %v109
  %v111 = bitcast i32 %v110 to float
  %v112 = call i64 @llvm.nvvm.f2ll.rz(float %v111)
  %v113 = trunc i64 %v112 to i32
  %v114 = getelementptr i32, ptr addrspace(1) %to, i64 512
  store i32 %v113, ptr addrspace(1) %v114
  %v115 = lshr i64 %v112, 32
  %v116 = trunc i64 %v115 to i32
  %v117 = getelementptr i32, ptr addrspace(1) %to, i64 544
  store i32 %v116, ptr addrspace(1) %v117
  %v118 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v119 = load i32, ptr addrspace(1) %v118
  %v120 = bitcast i32 %v119 to float
  %v121 = call i64 @llvm.nvvm.f2ull.rn(float %v120)
  %v122 = trunc i64 %v121 to i32
  %v123 = getelementptr i32, ptr addrspace(1) %to, i64 576
  store i32 %v122, ptr addrspace(1) %v123
  %v124 = lshr i64 %v121, 32
  %v125 = trunc i64 %v124 to i32
  %v126 = getelementptr i32, ptr addrspace(1) %to, i64 608
  store i32 %v125, ptr addrspace(1) %v126
  %v127 = getelementptr i32, ptr addrspace(1) %from, i64 256
  %v128 = load i32, ptr addrspace(1) %v127
  %v129 = zext i32 %v128 to i64
  %v130 = getelementptr i32, ptr addrspace(1) %from, i64 288
  %v131 = load i32, ptr addrspace(1) %v130
  %v132 = zext i32 %v131 to i64
  %v133 = shl i64 %v132, 32
  %v134 = or i64 %v129, %v133
  %v135 = bitcast i64 %v134 to double
  %v136 = call i32 @llvm.nvvm.d2i.rn(double %v135)
  %v137 = getelementptr i32, ptr addrspace(1) %to, i64 640
  store i32 %v136, ptr addrspace(1) %v137
  %v138 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v139 = load i32, ptr addrspace(1) %v138
  %v140 = zext i32 %v139 to i64
  %v141 = getelementptr i32, ptr addrspace(1) %from, i64 352
  %v142 = load i32, ptr addrspace(1) %v141
  %v143 = zext i32 %v142 to i64
  %v144 = shl i64 %v143, 32
  %v145 = or i64 %v140, %v144
  %v146 = call float @llvm.nvvm.ull2f.rn(i64 %v145)
  %v147 = bitcast float %v146 to i32
  %v148 = getelementptr i32, ptr addrspace(1) %to, i64 672
  store i32 %v147, ptr addrspace(1) %v148
  %v149 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v150 = load i32, ptr addrspace(1) %v149
  %v151 = zext i32 %v150 to i64
  %v152 = getelementptr i32, ptr addrspace(1) %from, i64 352
  %v153 = load i32, ptr addrspace(1) %v152
  %v154 = zext i32 %v153 to i64
  %v155 = shl i64 %v154, 32
  %v156 = or i64 %v151, %v155
  %v157 = call double @llvm.nvvm.ll2d.rz(i64 %v156)
  %v158 = bitcast double %v157 to i64
  %v159 = call i32 asm "{ .reg .b32 high; mov.b64 {$0, high}, $1; }", "=r,l"(i64 %v158)
  %v160 = getelementptr i32, ptr addrspace(1) %to, i64 704
  store i32 %v159, ptr addrspace(1) %v160
  %v161 = lshr i64 %v158, 32
  %v162 = trunc i64 %v161 to i32
  %v163 = getelementptr i32, ptr addrspace(1) %to, i64 736
  store i32 %v162, ptr addrspace(1) %v163
  %v164 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v165 = load i32, ptr addrspace(1) %v164
  %v166 = bitcast i32 %v165 to float
  %v167 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v168 = load i32, ptr addrspace(1) %v167
  %v169 = bitcast i32 %v168 to float
  %v170 = call <2 x half> @llvm.nvvm.ff2f16x2.rn(float %v166, float %v169)
  %v171 = bitcast <2 x half> %v170 to i32
  %v172 = getelementptr i32, ptr addrspace(1) %to, i64 768
  store i32 %v171, ptr addrspace(1) %v172
  %v173 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v174 = load i32, ptr addrspace(1) %v173
  %v175 = bitcast i32 %v174 to float
  %v176 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v177 = load i32, ptr addrspace(1) %v176
  %v178 = bitcast i32 %v177 to float
  %v179 = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float %v175, float %v178)
  %v180 = bitcast <2 x bfloat> %v179 to i32
  %v181 = getelementptr i32, ptr addrspace(1) %to, i64 800
  store i32 %v180, ptr addrspace(1) %v181
  %v182 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v183 = load i32, ptr addrspace(1) %v182
  %v184 = bitcast i32 %v183 to float
  %v185 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v186 = load i32, ptr addrspace(1) %v185
  %v187 = bitcast i32 %v186 to float
  %v188 = call <2 x half> @llvm.nvvm.ff2f16x2.rn.relu(float %v184, float %v187)
  %v189 = bitcast <2 x half> %v188 to i32
  %v190 = getelementptr i32, ptr addrspace(1) %to, i64 832
  store i32 %v189, ptr addrspace(1) %v190
  %v191 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v192 = load i32, ptr addrspace(1) %v191
  %v193 = bitcast i32 %v192 to float
  %v194 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v195 = load i32, ptr addrspace(1) %v194
  %v196 = bitcast i32 %v195 to float
  %v197 = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn.relu(float %v193, float %v196)
  %v198 = bitcast <2 x bfloat> %v197 to i32
  %v199 = getelementptr i32, ptr addrspace(1) %to, i64 864
  store i32 %v198, ptr addrspace(1) %v199
  %v200 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v201 = load i32, ptr addrspace(1) %v200
  %v202 = bitcast i32 %v201 to float
  %v203 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v204 = load i32, ptr addrspace(1) %v203
  %v205 = bitcast i32 %v204 to float
  %v206 = call <2 x half> @llvm.nvvm.ff2f16x2.rz(float %v202, float %v205)
  %v207 = bitcast <2 x half> %v206 to i32
  %v208 = getelementptr i32, ptr addrspace(1) %to, i64 896
  store i32 %v207, ptr addrspace(1) %v208
  %v209 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v210 = load i32, ptr addrspace(1) %v209
  %v211 = bitcast i32 %v210 to float
  %v212 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v213 = load i32, ptr addrspace(1) %v212
  %v214 = bitcast i32 %v213 to float
  %v215 = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rz(float %v211, float %v214)
  %v216 = bitcast <2 x bfloat> %v215 to i32
  %v217 = getelementptr i32, ptr addrspace(1) %to, i64 928
  store i32 %v216, ptr addrspace(1) %v217
  %v218 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v219 = load i32, ptr addrspace(1) %v218
  %v220 = bitcast i32 %v219 to float
  %v221 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v222 = load i32, ptr addrspace(1) %v221
  %v223 = bitcast i32 %v222 to float
  %v224 = call <2 x half> @llvm.nvvm.ff2f16x2.rz.relu(float %v220, float %v223)
  %v225 = bitcast <2 x half> %v224 to i32
  %v226 = getelementptr i32, ptr addrspace(1) %to, i64 960
  store i32 %v225, ptr addrspace(1) %v226
  %v227 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v228 = load i32, ptr addrspace(1) %v227
  %v229 = bitcast i32 %v228 to float
  %v230 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v231 = load i32, ptr addrspace(1) %v230
  %v232 = bitcast i32 %v231 to float
  %v233 = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rz.relu(float %v229, float %v232)
  %v234 = bitcast <2 x bfloat> %v233 to i32
  %v235 = getelementptr i32, ptr addrspace(1) %to, i64 992
  store i32 %v234, ptr addrspace(1) %v235
  %v236 = getelementptr i32, ptr addrspace(1) %from, i64 448
  %v237 = load i32, ptr addrspace(1) %v236
  %v238 = bitcast i32 %v237 to float
  %v239 = call i32 @llvm.nvvm.f2tf32.rna(float %v238)
  %v240 = getelementptr i32, ptr addrspace(1) %to, i64 1024
  store i32 %v239, ptr addrspace(1) %v240
  %v241 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v242 = load i32, ptr addrspace(1) %v241
  %v243 = bitcast i32 %v242 to float
  %v244 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v245 = load i32, ptr addrspace(1) %v244
  %v246 = bitcast i32 %v245 to float
  %v247 = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float %v243, float %v246)
  %v248 = zext i16 %v247 to i32
  %v249 = getelementptr i32, ptr addrspace(1) %to, i64 1056
  store i32 %v248, ptr addrspace(1) %v249
  %v250 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v251 = load i32, ptr addrspace(1) %v250
  %v252 = bitcast i32 %v251 to float
  %v253 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v254 = load i32, ptr addrspace(1) %v253
  %v255 = bitcast i32 %v254 to float
  %v256 = call i16 @llvm.nvvm.ff.to.e4m3x2.rn.relu(float %v252, float %v255)
  %v257 = zext i16 %v256 to i32
  %v258 = getelementptr i32, ptr addrspace(1) %to, i64 1088
  store i32 %v257, ptr addrspace(1) %v258
  %v259 = getelementptr i32, ptr addrspace(1) %from, i64 480
  %v260 = load i32, ptr addrspace(1) %v259
  %v261 = bitcast i32 %v260 to <2 x half>
  %v262 = call i16 @llvm.nvvm.f16x2.to.e4m3x2.rn(<2 x half> %v261)
  %v263 = zext i16 %v262 to i32
  %v264 = getelementptr i32, ptr addrspace(1) %to, i64 1120
  store i32 %v263, ptr addrspace(1) %v264
  %v265 = getelementptr i32, ptr addrspace(1) %from, i64 512
  %v266 = load i32, ptr addrspace(1) %v265
  %v267 = trunc i32 %v266 to i16
  %v268 = call <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 %v267)
  %v269 = bitcast <2 x half> %v268 to i32
  %v270 = getelementptr i32, ptr addrspace(1) %to, i64 1152
  store i32 %v269, ptr addrspace(1) %v270
  %v271 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v272 = load i32, ptr addrspace(1) %v271
  %v273 = bitcast i32 %v272 to float
  %v274 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v275 = load i32, ptr addrspace(1) %v274
  %v276 = bitcast i32 %v275 to float
  %v277 = call i16 @llvm.nvvm.ff.to.e5m2x2.rn(float %v273, float %v276)
  %v278 = zext i16 %v277 to i32
  %v279 = getelementptr i32, ptr addrspace(1) %to, i64 1184
  store i32 %v278, ptr addrspace(1) %v279
  %v280 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v281 = load i32, ptr addrspace(1) %v280
  %v282 = bitcast i32 %v281 to float
  %v283 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v284 = load i32, ptr addrspace(1) %v283
  %v285 = bitcast i32 %v284 to float
  %v286 = call i16 @llvm.nvvm.ff.to.e5m2x2.rn.relu(float %v282, float %v285)
  %v287 = zext i16 %v286 to i32
  %v288 = getelementptr i32, ptr addrspace(1) %to, i64 1216
  store i32 %v287, ptr addrspace(1) %v288
  %v289 = getelementptr i32, ptr addrspace(1) %from, i64 480
  %v290 = load i32, ptr addrspace(1) %v289
  %v291 = bitcast i32 %v290 to <2 x half>
  %v292 = call i16 @llvm.nvvm.f16x2.to.e5m2x2.rn(<2 x half> %v291)
  %v293 = zext i16 %v292 to i32
  %v294 = getelementptr i32, ptr addrspace(1) %to, i64 1248
  store i32 %v293, ptr addrspace(1) %v294
  %v295 = getelementptr i32, ptr addrspace(1) %from, i64 544
  %v296 = load i32, ptr addrspace(1) %v295
  %v297 = trunc i32 %v296 to i16
  %v298 = call <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn(i16 %v297)
  %v299 = bitcast <2 x half> %v298 to i32
  %v300 = getelementptr i32, ptr addrspace(1) %to, i64 1280
  store i32 %v299, ptr addrspace(1) %v300
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: in, dtype: i32, shape: [18, 32], readonly: true, fill: {hex: "
      20d026ced2b1add061eeaec8bc38e848ff8bebd0ad1fcfccb7b1ac4e7574ea4d61d7b04003b4154c3f76603e273973c9cdf2e5bf43133dceb27aeec059a90bd1082fb0c5be408d9ffb18e8b6759ba821621c4ea1cb00b15f05d8c5da00000000000000800000807f000080ff0000c07f01000000ffff7f800000803f000080bf
      00004642000090c00000e4410000c44100003e420000264200002040000028c1000042c2000068c10000264200009cc1000022c2000036c200003a4200001ac200000e42000038c10000b0c000001a42000032420000dc410000e4410000ac410000bcc1000038410000844100001ac200000ac200009cc10000d0c000009c41
      69cc6f6c1580b66436c814f8dcfdc100d6e5d0abc6fae1633e48c36039279a2d6b8434c0d32131a7d4eb4087500748e6bbea0935bb3701e9881569ad354a109d7bdb4752f46dfc6239dfff52f52be11b11b8d6d7465554b0ed07a8e3920cad8d8d7436b09f5f1bb72e33dafbdc9ebf5f3958bf3f7f4903e3fb9c9d19100d7436
      b63268078d089fc4b31e11cd146e0128d6e65b0ac838c70a6d13c38c6883b42559ef90656ecb61c415154e2ad08087250c24ce0beb0f000fc34240edd0168926f1c899c57de0c14e4e6f7ccd1073c2a20e28ebcd791ddf2d9d6d03cbc65032274d329ecfb011d4e538e44daf1e745985934c4a881c0d45624d2d780840ebae0f
      5cdeebbfd7c14e401072adbf3362da3fb1cfc13f27e51d403eb3084042fd3340c987d63f59a9ce3fbd8d02c06438b2bf0c1e37c04507c03fee59a3bfae5cdfbf61f5cdbfb704e53fa8a0d8bffd024ac03c0ecf3f0c77dfbfd6c704c075a3f63f9238c43f5dd2f43fd56039c0d1d83a406d0ef1bfa618fd3f89241b4012b3c73f
      b1373a4b607a3a4ec25922cca68e8544278d13ccb1c9469f5ab2f31315e2b2e5b72f53f36328dc2a64eea013e1abffa17dc7bc69298b38c422d2782f41948239224ae7a7a95f0c104a4fe691b856de90aa4260a06f928cd49682d2a30eeeeae0de6cc18b618560ba19703268519db66a1c41133b8789e66c7e4bb57bba735d87
      a211a2989f9a9ce7e8738d3e1d11654d6004146be224df4758da9c156a6cf99ae575b0e3edcc70f7e2c1a854e793ee2ff213fc6b5276cd07b20a30269ab8971d071ab04b95ee04908774158e15937b9a276f3990459c122f3a6c0f6f5865b630f56d7853fa893298bf35311acfc177a54d8c68c9ca9cb2b0905c8454f1bb9aba
      e45d8213db64b70f7113caf32119157cbfd24023ec94aad5ad04f384bdb90bf54d55a21247b28551a6f97930dcb9afd9c416ce778e9a2aa50a505662ec173dedc2cee2e6d146a43affe8b8e4b38c61b2bc6d839d2c6139d748fc3dccdba5097a5f5a04d7cecbcd1960f767009a038b3101781fac28f619289de4911cafb2c317
      00000000000000400000002000000080000000e0000000a0000000e0000000a00000002000000060000000e0000000e0000000a000000060000000400000002000000000000000c000000060000000a00000004000000060000000a0000000000000000000000000000000000000000000000000000000c00000000000000000
      04dac4c13ab615c2ccdd15c117071d417f711dc2f5e399c13696d5418e4ebd41ec1a164080b68241c70ecc3f24672ec159befcbf68a2c7c156cf1dc02b7521c2e105b6c017a8f1bb1f03ddbe6e13353c8cc329bc1920f64300bb58c300000000000000800000f07f0000f0ff0000f87f0000a036ffff0fb80000f03f0000f0bf
      98cbf2550822215e2fa4aac23c7d31931fc7ee709736a05267bd03c5ab62db2e48bfc6e4669d908c208995942a4c86deef7ed5de0bb7865d39646fd0f1e60b32ea37fd529a5c412cb3ba11e4830ce5fc822ef0c3e959f03eba0701f192b04b776b4a700181a5f8fae7114cf6078ffb213235d700f3918d619e95b4579ba20fbe
      709ee6260c9fa09d2dcbda1a7eaf10c2beaa78bc427dfdd05638c0cdedae8db6baa090ecb978f7f4b18f06a0f68610f7dd5f731a257c561a9f48801084d2d7341f26db5f06a66b75404435aed0c130beecb272156c293b67a399208b54ec0b6001ac171e9799da988f69d95f378508af81c1d97e515d73f6aa6aedf124587b12
      c206023f27e1ffc6e18df5c421322538e7afc9bd10212b40557306c414b2a23e07d67b3f685ab7c484806dc4da89ad44e2a780c1ccb902436577faba55090ac1adcf98b87075c24094964cb98ec806c119a43737bc9352b85d9d84c500000000000000800000807f000080ff0000c07f01000000ffff7f800000803f000080bf
      0080013b0030864300801a410080ba3f00000843008039410080893c0000664200008e3d00803f3b00808d3f00000a440000cc3b00801e3b0000543d005005410000783b0080b03f0000c83c0080ab430080823f000001410090813c000080bc0000803ffeffff83000100000000c07f000080ff0000807f0000008000000000
      0080013b0030864300801a410080ba3f00000843008039410080893c0000664200008e3d00803f3b00808d3f00000a440000cc3b00801e3b0000543d005005410000783b0080b03f0000c83c0080ab430080823f000001410090813c000080bc0000803ffeffff83000100000000a03f0000a03f0000a03f0000008000000000
      103800bcfff7003cace70080950200004daeff7b5941ff7b34e0ff7b16350080df3b0000bbe525ec6ce34a836c65b80005cc36c81658658ad497144650c8c684c68450c81446d497658a165836c805ccb8006c654a836ce325ecbbe50000df3b00801635ff7b34e0ff7b5941ff7b4dae000095020080ace7003cfff700bc1038
      9c480000691c0000181b0000bca4000040660000ff5f0000b84d0000625e00000ce80000497a00002d8c0000ea9400008071000042f70000ecde0000ac3d00000bf7000094910000f5230000584300007c0400009c8b00003b03000040bb0000a062000033220000ce3c00002c7b00003faa0000acb400004f0e00007f7f0000
      15020000e503000068c5000019360000396b0000803b00001081000059b700004a9c00006c3c0000fbca0000854e0000590e0000eccd0000238000000f3d0000cd09000037b10000af62000055e2000083580000cac600007a050000c98e0000384c00008870000034730000401a0000a6a70000981f0000bfec00007f7f0000
      "}}
  - {name: out, dtype: i32, shape: [41, 32]}
arguments: [in, out]
expect:
  - {buffer: out, hex: "
      00f84bd6000000808d88faffc641070000000080980287f980db5856a08e4e1d060000000cd05602000000006eccf0fffeffffff402fbbd0f9ffffff00000080fae9ffff00000000000000000000000000000000ffffff7f000000800000000000000000ffffff7f0000008000000000000000000000000001000000ffffffff
      32000000000000001c00000018000000300000002a000000020000000000000000000000000000002a0000000000000000000000000000002e00000000000000240000000000000000000000260000002c0000001c0000001c00000016000000000000000c000000100000000000000000000000000000000000000014000000
      99dfd84e006dc94ef966fdccdcfd414b345ea8cef6c3c74e9086c14e9d68364eee2d7fcebc9db1ce287ef1cec6bfcdcdab27544e42f6b7cdd52da5ce6cdfc5ceb78fa44edcf8c54ebeffa54e6009df4d20a520ce55579fcec1bfe2cde7a5e4ce17939fce41c991ce9ab984cc3e7fbf4e61fd7e4eb4e5e7cde8eccc4d34d0594e
      e0f25ebfbe0e764286906bbd9911d33e887d0e3e3829ef40f499454011ea9f414b3eb43ece4a753ee96d14c021c391bd60f0b8c1283a003e77cf1abd71e5fabe0eab6fbeba25283f4605c5beed1750c2e671783e61b8fbbeb63e26c0a91bb53f96c4213eef92a63fad06cbc18cc6d6416c7388bf33c5e83f4824d94090983d3e
      00f84bd6000000808d88faffc541070000000080980287f980db5856a08e4e1d050000000cd05602000000006eccf0ffffffffff402fbbd0f9ffffff00000080fbe9ffff00000000000000000000000000000000ffffff7f000000800000000000000000ffffff7f0000008000000000000000000000000001000000ffffffff
      31000000000000001c000000180000002f0000002900000002000000000000000000000000000000290000000000000000000000000000002e00000000000000230000000000000000000000260000002c0000001b0000001c00000015000000000000000b000000100000000000000000000000000000000000000013000000
      6f74964ef4749c4e98764fce1d0b894ecbb14fce6c72c1ce929d9f4def68d2cd04cd4acda1702b4e73079d4da800bcce8e79d34ed31d6fce48e33d4e510a664e6b31b0cefd62804d6133dcce5243dece7a3fbfceb6cd2dcefa5ab8ce8fa8f8cd267de8cef53e8bcee064d04e3a6dd54e044d6c4e13cdd94e966af74e1845f1ce
      e0f25ebfbe0e764286906bbd9911d33e887d0e3e3829ef40f499454011ea9f414b3eb43ece4a753ee96d14c021c391bd60f0b8c1283a003e77cf1abd71e5fabe0eab6fbeba25283f4605c5beed1750c2e671783e61b8fbbeb63e26c0a91bb53f96c4213eef92a63fad06cbc18cc6d6416c7388bf33c5e83f4824d94090983d3e
      00f84bd6000000808c88faffc541070000000080980287f980db5856a08e4e1d050000000cd05602000000006dccf0fffeffffff402fbbd0f8ffffff00000080fae9ffffffffffffffffffff00000000ffffffffffffff7f000000800000000000000000ffffff7f000000800000000000000000ffffffff01000000ffffffff
      31000000000000001c000000180000002f0000002900000002000000000000000000000000000000290000000000000000000000000000002e00000000000000230000000000000000000000260000002c0000001b0000001c00000015000000000000000b000000100000000000000000000000000000000000000013000000
      ddbbcece2c1bc3cdcf357a4e22ca9a4e0828d64e49be8f4ed2e6ac4d280dcace517ce2cd32f308cd8351a94e4fba3f4e27f8d74ecaaef94c2ac0184ec4bdec4d3460974e23f6dfce17d5e3ceda08cbce228ddfce714a3c4ed81ede4e95d9424edbf0a64eed9acfcead89d14d7d10b5cecf5d5acec79a9eceb908a94e89ca8ace
      e1f25ebfbe0e764287906bbd9911d33e887d0e3e3829ef40f499454011ea9f414b3eb43ece4a753eea6d14c022c391bd61f0b8c1283a003e78cf1abd72e5fabe0fab6fbeba25283f4705c5beee1750c2e671783e62b8fbbeb73e26c0a91bb53f96c4213eef92a63fae06cbc18cc6d6416d7388bf33c5e83f4824d94090983d3e
      00f84bd6000000808d88faffc641070000000080980287f980db5856a08e4e1d060000000cd05602010000006eccf0ffffffffff402fbbd0f9ffffff00000080fbe9ffff00000000000000000100000000000000ffffff7f000000800000000000000000ffffff7f0000008000000000010000000000000001000000ffffffff
      32000000000000001d00000019000000300000002a000000030000000000000000000000000000002a0000000000000000000000000000002f00000000000000240000000000000000000000270000002d0000001c0000001d00000016000000000000000c000000110000000000000000000000000000000000000014000000
      f0129c4d4e767b4dc85e43cd332af84e4b030d4eac5529cef619f6ce64442fcdab12954d650ba34ee7e7414e184119ce2e9cef4ecaaab5cea1acc44e401796cd89e9c8cd1c916a4eb838dacde63c9bce24f9c4ce7b1a23ce0e084fce4c13f44e96ee23ce5f6ece4dc0eecf4a0f2c464e0fc1a7ced967204e258fe44d961dbe4d
      e0f25ebfbf0e764286906bbd9a11d33e897d0e3e3929ef40f599454012ea9f414c3eb43ecf4a753ee96d14c021c391bd60f0b8c1293a003e77cf1abd71e5fabe0eab6fbebb25283f4605c5beed1750c2e771783e61b8fbbeb63e26c0aa1bb53f97c4213ef092a63fad06cbc18dc6d6416c7388bf34c5e83f4924d94091983d3e
      00f84bd6007071928d88faffc54107000008a0a3980287f980db5856a08e4e1d050000000cd05602000000006eccf0ffffffffff402fbbd0f9ffffff00706a45fbe9ffff00000000000000000000000000000000ffffffff000000800000000000000000ffffffff0000000000000000000000000000000001000000ffffffff
      fffffffffaffffffffffffff00000000f8ffffffffffffff0000000000000000000000000000000000000000fffffffffffffffffffffffffffffffff7ffffffffffffff00000000000000000000000000000000ffffff7ffd139dff0000000000000000ffffff7f0000008000000080000000000000000000000000ffffffff
      000000000000000000000000c6410700000000000000000080db5856a08e4e1d060000000cd056020000000000000000000000000000000000000000000000000000000000000000000000000000000000000000ffffffff000000000000000000000000ffffffff000000000000000000000000000000000100000000000000
      000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000ffffffff000000000000000000000000ffffffff000000000000008000000000000000000000000000000000
      00f84bd6000000808d88faffc641070000000080980287f980db5856a08e4e1d060000000cd05602000000006eccf0fffeffffff402fbbd0f9ffffff00000080fae9ffff00000000000000000000000000000000ffffff7f000000800000000000000000ffffff7f0000008000000080000000000000000001000000ffffffff
      7a9a1b5e9fa01d5f59d6d65daf10425fab783c5f7dfd505f38c04d5faf8d365fa1906c5f79f7745f9006205f8710775fff9ad35de1b3d25d4502845d4a5f535e4cb6bf5e4cd7ea5e44352e5fc2303e5f9795ab5d5376ce5e9a200b5fd917c05e60bdf05d9ada185fd3b2bf5e85082f5f83b3fd5e5d73765f6bed715fc1da935d
      65f92a38b777e83ca4aac22d4167b6404ec46350e4afd65e217e9dd42749b44440391b45c5dee68c9dda9a1367f342127ed5deddb7865d25646fd09ff30519424dbfd48757108b8191fbc6efbcc6c08b2ef0c3ec16bc0f5bbebf0397ecd21d154a700101d641019a0493fd631c8137b2cd354060dce43c5dd49650aba20fbe24
      4f73c343d897d8c3cbdaba43a8f7cec3d5e1d0c34181c7c3e31fc9c3945cd2c35f6fb3c30e11a6c35cfed7c3f2dea1c35f73ba437c56ba434880b043e96bca43c9f6d743e95add43ae72d4c3cf73d0c3b272b543caced943d937ddc3fb02d843ac17be4359c9d9c35af6d743de3dd4c370b6df434519a3c32a25acc3587bb243
      0c181038325cfff7d448ace7d43d950240584daecc4959414c2434e030531635702cdf3bfc19bbe56c3c6ce350606c65601e05ccf4181658a02ad4972a4850c8c01bc684843d14464026658a5c5d36c8143cb80008484a830c2425ec00a40000003c00800080007c000000fcff7fff7f00fc0000007c00800080003c000000bc
      023b023f864300c71a41f6c4ba3f25380843cabd3a412b408a3c06c46642a33e8e3d7c3f403bb7c48e3f6ec40a44ae44cc3b81c11e3b0343543dfaba05410ac1783b99b8b03fc240c83c4db9ac4307c1823f3837014153b8823c85c580bc0000803f00800084807f000080ffff7fff7f80ff0000807f80800080803f000080bf
      0c181038325c0000d4480000d43d950240580000cc4959414c24000030531635702cdf3bfc1900006c3c000050606c65601e0000f4181658a02a00002a480000c01b0000843d1446402600005c5d0000143cb800084800000c24000000000000003c00000000007c00000000ff7fff7f00000000007c00000000003c00000000
      023b023f864300001a410000ba3f2538084300003a412b408a3c00006642a33e8e3d7c3f403b00008e3f00000a44ae44cc3b00001e3b0343543d000005410000783b0000b03fc240c83c0000ac430000823f383701410000823c000000000000803f00000000807f00000000ff7fff7f00000000807f00000000803f00000000
      0c181038315cfff7d448ace7d43d940240584daecc4959414c2433e030531535702cde3bfc19bae56c3c6ce350606c65601e05ccf4181558a02ad3972a4850c8c01bc684843d13464026648a5c5d36c8143cb70008484a830c2424ec00a40000003c00800080007c000000fcff7fff7f00fc0000007c00800080003c000000bc
      013b023f8643ffc61a41f5c4ba3f25380843c9bd39412b40893c06c46642a23e8e3d7b3f3f3bb7c48d3f6dc40a44ad44cc3b80c11e3b0243543dfaba05410ac1783b98b8b03fc240c83c4cb9ab4306c1823f3737014152b8813c84c580bc0000803f0080ff83807f000080ffff7fff7f80ff0000807f7f800080803f000080bf
      0c181038315c0000d4480000d43d940240580000cc4959414c24000030531535702cde3bfc1900006c3c000050606c65601e0000f4181558a02a00002a480000c01b0000843d1346402600005c5d0000143cb700084800000c24000000000000003c00000000007c00000000ff7fff7f00000000007c00000000003c00000000
      013b023f864300001a410000ba3f25380843000039412b40893c00006642a23e8e3d7b3f3f3b00008d3f00000a44ad44cc3b00001e3b0243543d000005410000783b0000b03fc240c83c0000ab430000823f373701410000813c000000000000803f00000000807f00000000ff7fff7f00000000807f00000000803f00000000
      0080013b0040864300801a410080ba3f00000843008039410080893c0000664200008e3d00803f3b00808d3f00000a440000cc3b00801e3b0000543d006005410000783b0080b03f0000c83c0080ab430080823f0000014100a0813c000080bc0000803f00000084000000000000a03f0000a03f0000a03f0000008000000000
      0130000078fe000052fe00003c000000709d00005443000009fe0000662a00001938000001fe000039fe00007e7e000003d80000017000001581000050d10000028000003b4c00000c8000007bd00000380000005080000008fe00008800000038800000807e000000fe00007f7f0000fe0000007e8000008038000000b80000
      0130000078000000520000003c000000700000005443000009000000662a00001938000001000000390000007e7e000003000000017000001500000050000000020000003b4c00000c0000007b0000003800000050000000080000000000000038000000007e0000000000007f7f0000000000007e0000000038000000000000
      30b80000fe380000fe800000000000009d7e0000437e0000fe7e00002a80000038000000fefe0000fe8000007e000000d8d0000070800000814c0000d180000080d100004c81000080700000d0d80000007e000080fe0000fefe000000380000802a00007efe00007e4300007e9d00000000000080fe000038fe0000b8300000
      00ae00448054002e002c802d00be00b200400053ff7f804f00bc80460051004f002600d48044005d803600a600d500aa00808058004180db00d600cf00b6803e802580db00aa80a880da8031004c8041005e002000ae80a5803d001e004080bd00b000518039003100c7003e0036805d803f00b500b600ba80470027ff7fff7f
      183800005cf8000049e800003e03000058ae00004a41000024e00000533500002c3c00001ae600003ce30000606500001ecc0000195800002b98000048c800001c8500003e460000268a00005dc800003c0100004883000024ec0000a40000003c800000807b000000fb00007f7f0000fb0000007b800000803c000000bc0000
      183800005c000000490000003e030000580000004a41000024000000533500002c3c00001a0000003c000000606500001e000000195800002b000000480000001c0000003e460000260000005d0000003c0100004800000024000000000000003c000000007b0000000000007f7f0000000000007b000000003c000000000000
      38bc0000f83c0000e880000003000000ae7b0000417b0000e07b0000358000003c000000e6ec0000e383000065010000ccc80000588a000098460000c885000085c80000469800008a580000c8cc00000165000083e30000ece60000003c0000803500007be000007b4100007bae00000003000080e800003cf80000bc380000
      0015000200e50003006800c5001900360039006b0080003b00100081005900b7004a009c006c003c00fb00ca0085004e0059000e00ec00cd00230080000f003d00cd0009003700b100af0062005500e20083005800ca00c6007a000500c9008e0038004c00880070003400730040001a00a600a70098001f00bf00ecff7fff7f
      "}
