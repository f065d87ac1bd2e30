; Arithmetic rounded in each direction, on 32 operands.
; (Low words of doubles go through a mov: ptxas 13.0 takes the st.b32 that LLVM 22
; writes of a 64-bit register for a conversion if the register holds a double.)
; DEVICE: rounded arithmetic; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx81 %t/kernel.ll -o %t/kernel.ptx
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
declare double @llvm.nvvm.add.rz.d(double, double)
declare double @llvm.nvvm.div.rz.d(double, double)
declare double @llvm.nvvm.add.rp.d(double, double)
declare double @llvm.nvvm.div.rp.d(double, double)

; Rows of 32: operands in %in, results in %out; a lane has its column.
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v1 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v2 = load i32, ptr addrspace(1) %v1
  %v3 = bitcast i32 %v2 to float
  %v4 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v5 = load i32, ptr addrspace(1) %v4
  %v6 = bitcast i32 %v5 to float
  %v7 = call float @llvm.nvvm.add.rn.f(float %v3, float %v6)
  %v8 = bitcast float %v7 to i32
  %v9 = getelementptr i32, ptr addrspace(1) %to, i64 0
  store i32 %v8, ptr addrspace(1) %v9
  %v10 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v11 = load i32, ptr addrspace(1) %v10
  %v12 = bitcast i32 %v11 to float
  %v13 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v14 = load i32, ptr addrspace(1) %v13
  %v15 = bitcast i32 %v14 to float
  %v16 = call float @llvm.nvvm.mul.rn.f(float %v12, float %v15)
  %v17 = bitcast float %v16 to i32
  %v18 = getelementptr i32, ptr addrspace(1) %to, i64 32
  store i32 %v17, ptr addrspace(1) %v18
  %v19 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v20 = load i32, ptr addrspace(1) %v19
  %v21 = bitcast i32 %v20 to float
  %v22 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v23 = load i32, ptr addrspace(1) %v22
  %v24 = bitcast i32 %v23 to float
  %v25 = call float @llvm.nvvm.div.rn.f(float %v21, float %v24)
  %v26 = bitcast float %v25 to i32
  %v27 = getelementptr i32, ptr addrspace(1) %to, i64 64
  store i32 %v26, ptr addrspace(1) %v27
  %v28 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v29 = load i32, ptr addrspace(1) %v28
  %v30 = bitcast i32 %v29 to float
  %v31 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v32 = load i32, ptr addrspace(1) %v31
  %v33 = bitcast i32 %v32 to float
  %v34 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v35 = load i32, ptr addrspace(1) %v34
  %v36 = bitcast i32 %v35 to float
  %v37 = call float @llvm.nvvm.fma.rn.f(float %v30, float %v33, float %v36)
  %v38 = bitcast float %v37 to i32
  %v39 = getelementptr i32, ptr addrspace(1) %to, i64 96
  store i32 %v38, ptr addrspace(1) %v39
  %v40 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v41 = load i32, ptr addrspace(1) %v40
  %v42 = bitcast i32 %v41 to float
  %v43 = call float @llvm.nvvm.rcp.rn.f(float %v42)
  %v44 = bitcast float %v43 to i32
  %v45 = getelementptr i32, ptr addrspace(1) %to, i64 128
  store i32 %v44, ptr addrspace(1) %v45
  %v46 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v47 = load i32, ptr addrspace(1) %v46
  %v48 = bitcast i32 %v47 to float
  %v49 = call float @llvm.nvvm.sqrt.rn.f(float %v48)
  %v50 = bitcast float %v49 to i32
  %v51 = getelementptr i32, ptr addrspace(1) %to, i64 160
  store i32 %v50, ptr addrspace(1) %v51
  %v52 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v53 = load i32, ptr addrspace(1) %v52
  %v54 = bitcast i32 %v53 to float
  %v55 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v56 = load i32, ptr addrspace(1) %v55
  %v57 = bitcast i32 %v56 to float
  %v58 = call float @llvm.nvvm.add.rz.f(float %v54, float %v57)
  %v59 = bitcast float %v58 to i32
  %v60 = getelementptr i32, ptr addrspace(1) %to, i64 192
  store i32 %v59, ptr addrspace(1) %v60
  %v61 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v62 = load i32, ptr addrspace(1) %v61
  %v63 = bitcast i32 %v62 to float
  %v64 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v65 = load i32, ptr addrspace(1) %v64
  %v66 = bitcast i32 %v65 to float
  %v67 = call float @llvm.nvvm.mul.rz.f(float %v63, float %v66)
  %v68 = bitcast float %v67 to i32
  %v69 = getelementptr i32, ptr addrspace(1) %to, i64 224
  store i32 %v68, ptr addrspace(1) %v69
  %v70 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v71 = load i32, ptr addrspace(1) %v70
  %v72 = bitcast i32 %v71 to float
  %v73 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v74 = load i32, ptr addrspace(1) %v73
  %v75 = bitcast i32 %v74 to float
  %v76 = call float @llvm.nvvm.div.rz.f(float %v72, float %v75)
  %v77 = bitcast float %v76 to i32
  %v78 = getelementptr i32, ptr addrspace(1) %to, i64 256
  store i32 %v77, ptr addrspace(1) %v78
  %v79 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v80 = load i32, ptr addrspace(1) %v79
  %v81 = bitcast i32 %v80 to float
  %v82 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v83 = load i32, ptr addrspace(1) %v82
  %v84 = bitcast i32 %v83 to float
  %v85 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v86 = load i32, ptr addrspace(1) %v85
  %v87 = bitcast i32 %v86 to float
  %v88 = call float @llvm.nvvm.fma.rz.f(float %v81, float %v84, float %v87)
  %v89 = bitcast float %v88 to i32
  %v90 = getelementptr i32, ptr addrspace(1) %to, i64 288
  store i32 %v89, ptr addrspace(1) %v90
  %v91 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v92 = load i32, ptr addrspace(1) %v91
  %v93 = bitcast i32 %v92 to float
  %v94 = call float @llvm.nvvm.rcp.rz.f(float %v93)
  %v95 = bitcast float %v94 to i32
  %v96 = getelementptr i32, ptr addrspace(1) %to, i64 320
  store i32 %v95, ptr addrspace(1) %v96
  %v97 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v98 = load i32, ptr addrspace(1) %v97
  %v99 = bitcast i32 %v98 to float
  %v100 = call float @llvm.nvvm.sqrt.rz.f(float %v99)
  %v101 = bitcast float %v100 to i32
  %v102 = getelementptr i32, ptr addrspace(1) %to, i64 352
  store i32 %v101, ptr addrspace(1) %v102
  %v103 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v104 = load i32, ptr addrspace(1) %v103
  %v105 = bitcast i32 %v104 to float
  %v106 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v107 = load i32, ptr addrspace(1) %v106
  %v108 = bitcast i32 %v107 to float
  %v109 = call float @llvm.nvvm.add.rm.f(float %v105, float %v108)
  %v110 = bitcast float %v109 to i32
  %v111 = getelementptr i32, ptr addrspace(1) %to, i64 384
  store i32 %v110, ptr addrspace(1) %v111
  %v112 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v113 = load i32, ptr addrspace(1) %v112
  %v114 = bitcast i32 %v113 to float
  %v115 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v116 = load i32, ptr addrspace(1) %v115
  %v117 = bitcast i32 %v116 to float
  %v118 = call float @llvm.nvvm.mul.rm.f(float %v114, float %v117)
  %v119 = bitcast float %v118 to i32
  %v120 = getelementptr i32, ptr addrspace(1) %to, i64 416
  store i32 %v119, ptr addrspace(1) %v120
  %v121 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v122 = load i32, ptr addrspace(1) %v121
  %v123 = bitcast i32 %v122 to float
  %v124 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v125 = load i32, ptr addrspace(1) %v124
  %v126 = bitcast i32 %v125 to float
  %v127 = call float @llvm.nvvm.div.rm.f(float %v123, float %v126)
  %v128 = bitcast float %v127 to i32
  %v129 = getelementptr i32, ptr addrspace(1) %to, i64 448
  store i32 %v128, ptr addrspace(1) %v129
  %v130 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v131 = load i32, ptr addrspace(1) %v130
  %v132 = bitcast i32 %v131 to float
  %v133 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v134 = load i32, ptr addrspace(1) %v133
  %v135 = bitcast i32 %v134 to float
  %v136 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v137 = load i32, ptr addrspace(1) %v136
  %v138 = bitcast i32 %v137 to float
  %v139 = call float @llvm.nvvm.fma.rm.f(float %v132, float %v135, float %v138)
  %v140 = bitcast float %v139 to i32
  %v141 = getelementptr i32, ptr addrspace(1) %to, i64 480
  store i32 %v140, ptr addrspace(1) %v141
  %v142 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v143 = load i32, ptr addrspace(1) %v142
  %v144 = bitcast i32 %v143 to float
  %v145 = call float @llvm.nvvm.rcp.rm.f(float %v144)
  %v146 = bitcast float %v145 to i32
  %v147 = getelementptr i32, ptr addrspace(1) %to, i64 512
  store i32 %v146, ptr addrspace(1) %v147
  %v148 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v149 = load i32, ptr addrspace(1) %v148
  %v150 = bitcast i32 %v149 to float
  %v151 = call float @llvm.nvvm.sqrt.rm.f(float %v150)
  %v152 = bitcast float %v151 to i32
  %v153 = getelementptr i32, ptr addrspace(1) %to, i64 544
  store i32 %v152, ptr addrspace(1) %v153
  %v154 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v155 = load i32, ptr addrspace(1) %v154
  %v156 = bitcast i32 %v155 to float
  %v157 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v158 = load i32, ptr addrspace(1) %v157
  %v159 = bitcast i32 %v158 to float
  %v160 = call float @llvm.nvvm.add.rp.f(float %v156, float %v159)
  %v161 = bitcast float %v160 to i32
  %v162 = getelementptr i32, ptr addrspace(1) %to, i64 576
  store i32 %v161, ptr addrspace(1) %v162
  %v163 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v164 = load i32, ptr addrspace(1) %v163
  %v165 = bitcast i32 %v164 to float
  %v166 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v167 = load i32, ptr addrspace(1) %v166
  %v168 = bitcast i32 %v167 to float
  %v169 = call float @llvm.nvvm.mul.rp.f(float %v165, float %v168)
  %v170 = bitcast float %v169 to i32
  %v171 = getelementptr i32, ptr addrspace(1) %to, i64 608
  store i32 %v170, ptr addrspace(1) %v171
  %v172 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v173 = load i32, ptr addrspace(1) %v172
  %v174 = bitcast i32 %v173 to float
  %v175 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v176 = load i32, ptr addrspace(1) %v175
  %v177 = bitcast i32 %v176 to float
  %v178 = call float @llvm.nvvm.div.rp.f(float %v174, float %v177)
  %v179 = bitcast float %v178 to i32
  %v180 = getelementptr i32, ptr addrspace(1) %to, i64 640
  store i32 %v179, ptr addrspace(1) %v180
  %v181 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v182 = load i32, ptr addrspace(1) %v181
  %v183 = bitcast i32 %v182 to float
  %v184 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v185 = load i32, ptr addrspace(1) %v184
  %v186 = bitcast i32 %v185 to float
  %v187 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v188 = load i32, ptr addrspace(1) %v187
  %v189 = bitcast i32 %v188 to float
  %v190 = call float @llvm.nvvm.fma.rp.f(float %v183, float %v186, float %v189)
  %v191 = bitcast float %v190 to i32
  %v192 = getelementptr i32, ptr addrspace(1) %to, i64 672
  store i32 %v191, ptr addrspace(1) %v192
  %v193 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v194 = load i32, ptr addrspace(1) %v193
  %v195 = bitcast i32 %v194 to float
  %v196 = call float @llvm.nvvm.rcp.rp.f(float %v195)
  %v197 = bitcast float %v196 to i32
  %v198 = getelementptr i32, ptr addrspace(1) %to, i64 704
  store i32 %v197, ptr addrspace(1) %v198
  %v199 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v200 = load i32, ptr addrspace(1) %v199
  %v201 = bitcast i32 %v200 to float
  %v202 = call float @llvm.nvvm.sqrt.rp.f(float %v201)
  %v203 = bitcast float %v202 to i32
  %v204 = getelementptr i32, ptr addrspace(1) %to, i64 736
  store i32 %v203, ptr addrspace(1) %v204
  %v205 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v206 = load i32, ptr addrspace(1) %v205
  %v207 = zext i32 %v206 to i64
  %v208 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v209 = load i32, ptr addrspace(1) %v208
  %v210 = zext i32 %v209 to i64
  %v211 = shl i64 %v210, 32
  %v212 = or i64 %v207, %v211
  %v213 = bitcast i64 %v212 to double
  %v214 = getelementptr i32, ptr addrspace(1) %from, i64 192
  %v215 = load i32, ptr addrspace(1) %v214
  %v216 = zext i32 %v215 to i64
  %v217 = getelementptr i32, ptr addrspace(1) %from, i64 224
  %v218 = load i32, ptr addrspace(1) %v217
  %v219 = zext i32 %v218 to i64
  %v220 = shl i64 %v219, 32
  %v221 = or i64 %v216, %v220
  %v222 = bitcast i64 %v221 to double
  %v223 = call double @llvm.nvvm.add.rz.d(double %v213, double %v222)
  %v224 = bitcast double %v223 to i64
  %v225 = call i32 asm "{ .reg .b32 high; mov.b64 {$0, high}, $1; }", "=r,l"(i64 %v224)
  %v226 = getelementptr i32, ptr addrspace(1) %to, i64 768
  store i32 %v225, ptr addrspace(1) %v226
  %v227 = lshr i64 %v224, 32
  %v228 = trunc i64 %v227 to i32
  %v229 = getelementptr i32, ptr addrspace(1) %to, i64 800
  store i32 %v228, ptr addrspace(1) %v229
  %v230 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v231 = load i32, ptr addrspace(1) %v230
  %v232 = zext i32 %v231 to i64
  %v233 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v234 = load i32, ptr addrspace(1) %v233
  %v235 = zext i32 %v234 to i64
  %v236 = shl i64 %v235, 32
  %v237 = or i64 %v232, %v236
  %v238 = bitcast i64 %v237 to double
  %v239 = getelementptr i32, ptr addrspace(1) %from, i64 192
  %v240 = load i32, ptr addrspace(1) %v239
  %v241 = zext i32 %v240 to i64
  %v242 = getelementptr i32, ptr addrspace(1) %from, i64 224
  %v243 = load i32, ptr addrspace(1) %v242
  %v244 = zext i32 %v243 to i64
  %v245 = shl i64 %v244, 32
  %v246 = or i64 %v241, %v245
  %v247 = bitcast i64 %v246 to double
  %v248 = call double @llvm.nvvm.div.rz.d(double %v238, double %v247)
  %v249 = bitcast double %v248 to i64
  %v250 = call i32 asm "{ .reg .b32 high; mov.b64 {$0, high}, $1; }", "=r,l"(i64 %v249)
  %v251 = getelementptr i32, ptr addrspace(1) %to, i64 832
  store i32 %v250, ptr addrspace(1) %v251
  %v252 = lshr i64 %v249, 32
  %v253 = trunc i64 %v252 to i32
  %v254 = getelementptr i32, ptr addrspace(1) %to, i64 864
  store i32 %v253, ptr addrspace(1) %v254
  %v255 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v256 = load i32, ptr addrspace(1) %v255
  %v257 = zext i32 %v256 to i64
  %v258 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v259 = load i32, ptr addrspace(1) %v258
  %v260 = zext i32 %v259 to i64
  %v261 = shl i64 %v260, 32
  %v262 = or i64 %v257, %v261
  %v263 = bitcast i64 %v262 to double
  %v264 = getelementptr i32, ptr addrspace(1) %from, i64 192
  %v265 = load i32, ptr addrspace(1) %v264
  %v266 = zext i32 %v265 to i64
  %v267 = getelementptr i32, ptr addrspace(1) %from, i64 224
  %v268 = load i32, ptr addrspace(1) %v267
  %v269 = zext i32 %v268 to i64
  %v270 = shl i64 %v269, 32
  %v271 = or i64 %v266, %v270
  %v272 = bitcast i64 %v271 to double
  %v273 = call double @llvm.nvvm.add.rp.d(double %v263, double %v272)
  %v274 = bitcast double %v273 to i64
  %v275 = call i32 asm "{ .reg .b32 high; mov.b64 {$0, high}, $1; }", "=r,l"(i64 %v274)
  %v276 = getelementptr i32, ptr addrspace(1) %to, i64 896
  store i32 %v275, ptr addrspace(1) %v276
  %v277 = lshr i64 %v274, 32
  %v278 = trunc i64 %v277 to i32
  %v279 = getelementptr i32, ptr addrspace(1) %to, i64 928
  store i32 %v278, ptr addrspace(1) %v279
  %v280 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v281 = load i32, ptr addrspace(1) %v280
  %v282 = zext i32 %v281 to i64
  %v283 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v284 = load i32, ptr addrspace(1) %v283
  %v285 = zext i32 %v284 to i64
  %v286 = shl i64 %v285, 32
  %v287 = or i64 %v282, %v286
  %v288 = bitcast i64 %v287 to double
  %v289 = getelementptr i32, ptr addrspace(1) %from, i64 192
  %v290 = load i32, ptr addrspace(1) %v289
  %v291 = zext i32 %v290 to i64
  %v292 = getelementptr i32, ptr addrspace(1) %from, i64 224
  %v293 = load i32, ptr addrspace(1) %v292
  %v294 = zext i32 %v293 to i64
  %v295 = shl i64 %v294, 32
  %v296 = or i64 %v291, %v295
  %v297 = bitcast i64 %v296 to double
  %v298 = call double @llvm.nvvm.div.rp.d(double %v288, double %v297)
  %v299 = bitcast double %v298 to i64
  %v300 = call i32 asm "{ .reg .b32 high; mov.b64 {$0, high}, $1; }", "=r,l"(i64 %v299)
  %v301 = getelementptr i32, ptr addrspace(1) %to, i64 960
  store i32 %v300, ptr addrspace(1) %v301
  %v302 = lshr i64 %v299, 32
  %v303 = trunc i64 %v302 to i32
  %v304 = getelementptr i32, ptr addrspace(1) %to, i64 992
  store i32 %v303, ptr addrspace(1) %v304
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: in, dtype: i32, shape: [8, 32], readonly: true, fill: {hex: "
      e0f25ebfbe0e764286906bbd9911d33e887d0e3e3829ef40f499454011ea9f414b3eb43ece4a753ee96d14c021c391bd60f0b8c1283a003e77cf1abd71e5fabe0eab6fbeba25283f4605c5beed1750c2e671783e61b8fbbeb63e26c0a91bb53f96c4213eef92a63fad06cbc18cc6d6416c7388bf33c5e83f4824d94090983d3e
      ce4b07320e8079b1095002b1e70c4a40d2975a33103c8fb4b414acb44b1d20b281cbdf3557b004b095af9ab1836aaeb71b4c763fe68c28362b3bd033be947fb0d65c0a2e9ecade323b533ab087517d3d95c6aab6ff92f93712a60db6781a933f6ebc25b69d16ed37990d3ab24351bdb35fafb336193969360914efb455f5be31
      30a8eb316acf6f3411d2efae9096a6bfcd56f3b12bd005366ad384352c0948348a911db51247fe2ee35f33b2989ec6b5f6edb14179d9a8b4afd87b31627cfaaf2789012dd65592b2e2658fafe9e94d4066bca535f0667537c4f8b7b63723d0bf8b75d134be441ab8ac8d93b4c1d41e36688cbf36730fd4b6dcc94a36f66c8db0
      e0f25e3fbe0e764286906b3d9911d33e887d0e3e3829ef40f499454011ea9f414b3eb43ece4a753ee96d144021c3913d60f0b841283a003e77cf1a3d71e5fa3e0eab6f3eba25283f4605c53eed175042e671783e61b8fb3eb63e2640a91bb53f96c4213eef92a63fad06cb418cc6d6416c73883f33c5e83f4824d94090983d3e
      b63268078d089fc4b31e11cd146e0128d6e65b0ac838c70a6d13c38c6883b42559ef90656ecb61c415154e2ad08087250c24ce0beb0f000fc34240edd0168926f1c899c57de0c14e4e6f7ccd1073c2a20e28ebcd791ddf2d9d6d03cbc65032274d329ecfb011d4e538e44daf1e745985934c4a881c0d45624d2d780840ebae0f
      5cdeebbfd7c14e401072adbf3362da3fb1cfc13f27e51d403eb3084042fd3340c987d63f59a9ce3fbd8d02c06438b2bf0c1e37c04507c03fee59a3bfae5cdfbf61f5cdbfb704e53fa8a0d8bffd024ac03c0ecf3f0c77dfbfd6c704c075a3f63f9238c43f5dd2f43fd56039c0d1d83a406d0ef1bfa618fd3f89241b4012b3c73f
      9fa4a8c2f9ae2dc3f2cb622dd4decae5f083ff4ea463a90d4ac5a287509686644614102b4cea42e1f7d583abe9d5bb6a1387af6bc087aac668cdbf622d55dec9f5667cccdec6face70244b69826643e8481ea6aa2c9ffbee6c90bb4666b8d704bfd3fac971f0d9a8cc30652cc0c1df6d1a9b30eae2cf542452d1862b55afefaf
      79e9403e01302fbe014a20be9c410940fa526b3e82e791be968295bea90344be70f9bb3e0a9600bef25533be50cdf5be83c9ee3f9c11c53e65077a3e97f20fbe9a4bc13d53d95b3e674a07be30aaaf3fd258d5be5f32ff3ec2b4c1be4f63f23f8db7c4bed3a2fd3eb34147be28aa77beeb75d63e2327cd3e81e29dbeaade373e
      "}}
  - {name: out, dtype: i32, shape: [32, 32]}
arguments: [in, out]
expect:
  - {buffer: out, hex: "
      e0f25ebfbe0e764287906bbd1a6f64408b7d0e3e3729ef40f399454011ea9f41833eb43ece4a753ee96d14c008ce91bdff3db1c1d13a003e5dcf1abd71e5fabe0eab6fbeba25283f4605c5be99d84fc29070783e7bb4fbbebf3e26c0101b2440f0c3213edc93a63fad06cbc18cc6d6413f7388bf50c5e83f4724d94090983d3e
      31a8ebb16ccf6fb413d2ef2e8696a63fcd56f33123d005b66bd384b52e0948b48c911d351247feaed75f33328c9ec635f7edb1c17bd9a834b1d87bb1527cfa2f1f8901adcd559232e3658f2febe94dc05bbca5b5e06675b7c5f8b7363723d03f8d75d1b4be441a38a28d9334c2d41eb65c8cbfb6660fd436dec94ab6ed6c8d30
      00edd2ccba777cd04f62e74b92b6053ec9df264a3ab9d5cbabfb12cb19aeffce5f2e4e48d39feccd49a5f54d75f155457939c0c179c142470c53bec8bc4efb4de2b7ddcff935c14bf558074ed84b52c4f7363ac7c41981c6ec399649b4969d3fe7de79c767dc33474fad0b4f6c3691cd536742c8c880ff48c58268cb702cfe4b
      40102fa632e7d0a8b6f47d232fdf9fb540c67825c8c4012c904fe7a9fb7ffda866eec629800003a00cf839a884efc5ab10ed0eb6f01f4229fea200a62256f9a54a3ff422337f92a822e9f9237ecdc3b4121da92b56307c2dcc6c182be0847c333a5087a930693a2a9a039aaa5221b2aade4abe2c3016cfac44f3d7aa83a892a6
      baf992bf0d2c853ca81a8bc17d3f1b4069f7e5402603093e2cd4a53ee4e84c3d76cc35406e968540d6c3dcbef2cd60c1cb2e31bde58bff4055aad3c1919a02c0edb888c06ee0c23f505126c0bc779dbc75e48340202d02c0521bc5be40ee343fd28fca40a9b7443fe26521bd8d91183d222570bf23c60c3ff3e7163ea9d4ac40
      4be76e3fc5fafa40de91753e2d5e243fadfdbe3ef0f62e40c8e9e03fed118f4053e4173fc396fa3e37eec23fbb97883e91db99400e2eb53e9713473eb034333f14b3f73e82794f3fc4cd1e3f9fcee640b531fc3ef57f333f314cce3f7c41983f3680cb3ecb04923fb534a14010cea5406c28843f739cac3f3bb72640664fdc3e
      dff25ebfbd0e764286906bbd1a6f64408b7d0e3e3729ef40f299454010ea9f41823eb43ecd4a753ee96d14c007ce91bdff3db1c1d03a003e5ccf1abd71e5fabe0dab6fbeba25283f4605c5be98d84fc29070783e7ab4fbbebe3e26c0101b2440f0c3213edc93a63fad06cbc18bc6d6413f7388bf50c5e83f4724d94090983d3e
      31a8ebb16bcf6fb412d2ef2e8696a63fcd56f33122d005b66ad384b52d0948b48b911d351247feaed75f33328b9ec635f7edb1c17ad9a834b1d87bb1527cfa2f1f8901adcc559232e2658f2feae94dc05bbca5b5e06675b7c5f8b7363723d03f8d75d1b4be441a38a28d9334c2d41eb65c8cbfb6660fd436ddc94ab6ec6c8d30
      ffecd2ccba777cd04f62e74b92b6053ec8df264a39b9d5cbabfb12cb18aeffce5e2e4e48d29feccd49a5f54d75f155457939c0c178c142470c53bec8bb4efb4de1b7ddcff935c14bf458074ed74b52c4f7363ac7c31981c6eb399649b3969d3fe7de79c767dc33474ead0b4f6c3691cd536742c8c880ff48c48268cb6f2cfe4b
      40102fa632e7d0a8b6f47d232fdf9fb540c67825c8c4012c904fe7a9fb7ffda865eec629800003a00cf839a883efc5ab10ed0eb6f01f4229fea200a62256f9a5493ff422337f92a822e9f9237dcdc3b4121da92b56307c2dcc6c182be0847c333a5087a930693a2a99039aaa5221b2aadd4abe2c3016cfac44f3d7aa83a892a6
      baf992bf0d2c853ca71a8bc17c3f1b4068f7e5402603093e2cd4a53ee3e84c3d76cc35406d968540d5c3dcbef2cd60c1ca2e31bde48bff4054aad3c1919a02c0ecb888c06de0c23f505126c0bb779dbc75e483401f2d02c0521bc5be40ee343fd28fca40a9b7443fe26521bd8d91183d212570bf22c60c3ff2e7163ea8d4ac40
      4ae76e3fc4fafa40dd91753e2d5e243facfdbe3eeff62e40c8e9e03fed118f4052e4173fc396fa3e36eec23fba97883e91db99400d2eb53e9713473eaf34333f14b3f73e82794f3fc3cd1e3f9fcee640b531fc3ef47f333f314cce3f7c41983f3680cb3eca04923fb434a1400fcea5406c28843f729cac3f3bb72640664fdc3e
      e0f25ebfbd0e764287906bbd1a6f64408b7d0e3e3729ef40f299454010ea9f41823eb43ecd4a753eea6d14c008ce91bd003eb1c1d03a003e5dcf1abd72e5fabe0eab6fbeba25283f4705c5be99d84fc29070783e7bb4fbbebf3e26c0101b2440f0c3213edc93a63fae06cbc18bc6d641407388bf50c5e83f4724d94090983d3e
      32a8ebb16ccf6fb412d2ef2e8696a63fcd56f33123d005b66bd384b52e0948b48b911d351347feaed75f33328b9ec635f8edb1c17ad9a834b2d87bb1527cfa2f208901adcc559232e2658f2febe94dc05cbca5b5e16675b7c5f8b7363723d03f8e75d1b4be441a38a28d9334c3d41eb65d8cbfb6660fd436dec94ab6ec6c8d30
      00edd2ccbb777cd04f62e74b92b6053ec8df264a3ab9d5cbacfb12cb19aeffce5e2e4e48d39feccd49a5f54d75f155457a39c0c178c142470d53bec8bb4efb4de2b7ddcff935c14bf458074ed84b52c4f8363ac7c41981c6eb399649b3969d3fe8de79c767dc33474ead0b4f6d3691cd546742c8c880ff48c58268cb6f2cfe4b
      40102fa632e7d0a8b6f47d2330df9fb540c67825c8c4012c904fe7a9fb7ffda865eec629800003a00df839a884efc5ab10ed0eb6f01f4229ffa200a62356f9a5493ff422347f92a822e9f9237ecdc3b4121da92b56307c2dcc6c182be0847c333a5087a930693a2a9a039aaa5221b2aadd4abe2c3116cfac44f3d7aa83a892a6
      bbf992bf0d2c853ca81a8bc17c3f1b4068f7e5402603093e2cd4a53ee3e84c3d76cc35406d968540d6c3dcbef3cd60c1cb2e31bde48bff4055aad3c1929a02c0edb888c06de0c23f515126c0bc779dbc75e48340202d02c0531bc5be40ee343fd28fca40a9b7443fe36521bd8d91183d222570bf22c60c3ff2e7163ea8d4ac40
      4ae76e3fc4fafa40dd91753e2d5e243facfdbe3eeff62e40c8e9e03fed118f4052e4173fc396fa3e36eec23fba97883e91db99400d2eb53e9713473eaf34333f14b3f73e82794f3fc3cd1e3f9fcee640b531fc3ef47f333f314cce3f7c41983f3680cb3eca04923fb434a1400fcea5406c28843f729cac3f3bb72640664fdc3e
      dff25ebfbe0e764286906bbd1b6f64408c7d0e3e3829ef40f399454011ea9f41833eb43ece4a753ee96d14c007ce91bdff3db1c1d13a003e5ccf1abd71e5fabe0dab6fbebb25283f4605c5be98d84fc29170783e7ab4fbbebe3e26c0111b2440f1c3213edd93a63fad06cbc18cc6d6413f7388bf51c5e83f4824d94091983d3e
      31a8ebb16bcf6fb413d2ef2e8796a63fce56f33122d005b66ad384b52d0948b48c911d351247feaed85f33328c9ec635f7edb1c17bd9a834b1d87bb1537cfa2f1f8901adcd559232e3658f2feae94dc05bbca5b5e06675b7c6f8b7363823d03f8d75d1b4bf441a38a38d9334c2d41eb65c8cbfb6670fd436ddc94ab6ed6c8d30
      ffecd2ccba777cd05062e74b93b6053ec9df264a39b9d5cbabfb12cb18aeffce5f2e4e48d29feccd4aa5f54d76f155457939c0c179c142470c53bec8bc4efb4de1b7ddcffa35c14bf558074ed74b52c4f7363ac7c31981c6ec399649b4969d3fe7de79c768dc33474fad0b4f6c3691cd536742c8c980ff48c48268cb702cfe4b
      40102fa632e7d0a8b6f47d232fdf9fb540c67825c8c4012c904fe7a9fb7ffda866eec629800003a00cf839a883efc5ab10ed0eb6f01f4229fea200a62256f9a54a3ff422337f92a822e9f9237dcdc3b4131da92b57307c2dcc6c182be0847c333a5087a930693a2a99039aaa5221b2aade4abe2c3016cfac44f3d7aa83a892a6
      baf992bf0e2c853ca71a8bc17d3f1b4069f7e5402703093e2dd4a53ee4e84c3d77cc35406e968540d5c3dcbef2cd60c1ca2e31bde58bff4054aad3c1919a02c0ecb888c06ee0c23f505126c0bb779dbc76e483401f2d02c0521bc5be41ee343fd38fca40aab7443fe26521bd8e91183d212570bf23c60c3ff3e7163ea9d4ac40
      4be76e3fc5fafa40de91753e2e5e243fadfdbe3ef0f62e40c9e9e03fee118f4053e4173fc496fa3e37eec23fbb97883e92db99400e2eb53e9813473eb034333f15b3f73e83794f3fc4cd1e3fa0cee640b631fc3ef57f333f324cce3f7d41983f3780cb3ecb04923fb534a14010cea5406d28843f739cac3f3cb72640674fdc3e
      45d42d038c3c97c4e01f5bdd960ccb4a11d0a777bab6dff85de6bd61157c8c251dfaec63bf6a58c3aac4e82a8d2c8efad3a770f095d69c206b9653ac8eab8827567d88c5648aae5c89c236ce36628816c1d2451c8a615f6408924fe6960405165268101889baa7889e677caf97d1de830652cfeaa671290721ac95ea97409e1b
      5cdeebbfd7c14e401072adbfe38d0c40b1cfc13f26e51d403eb3084042fd3340d087d63f59a9ce3fbd8d02c0c039b2bfbf2736c05a07c03feb59a3bfae5cdfbf61f5cdbfb704e53fa8a0d8bf13fb49c0120ecf3f8f76dfbfd7c704c0628304407e38c43f7bd2f43fd56039c0d1d83a40670ef1bfaa18fd3f88241b4012b3c73f
      2048fff891b62d4f1221c0d6af3fa144f178c21e082d9a2bc152bf675bc2ef141d81c6cceffd565c96e55d252abadd9b860c2530ffe0f72545aa5a93fbc02f7365dc2722a65c9d2cf7b6a2a0675023f059fdbfe266e43371ea51b07cf60c227fd23ab3ebd6bf57edcecd61d9769dc37ab3a27f69324cce09865c499338e2cffd
      9f5d9ac1f78e0fc249ec7c41d2b6c03ff9db444127b77ac1755f62c1c3f5dfc1cbc50941fa93bdc1a9b4be412ebeaa402f0738c02f58e84061ca17c1d769bf41fcb6fbc1bf2678411eebc0417a498ac0de46e7c03823d0c03dc73241d6b2f33fdc3befc08c7be640a975e141cd26b2c1ea4c08c119f01f4158106dc18dc57f41
      45d42d038d3c97c4e01f5bdd970ccb4a12d0a777bbb6dff85ee6bd61167c8c251efaec63c06a58c3aac4e82a8d2c8efad3a770f096d69c206b9653ac8eab8827567d88c5658aae5c89c236ce36628816c2d2451c8a615f6408924fe696040516536810188abaa7889e677caf98d1de830652cfeaa771290722ac95ea98409e1b
      5cdeebbfd7c14e401072adbfe38d0c40b1cfc13f26e51d403eb3084042fd3340d087d63f59a9ce3fbd8d02c0c039b2bfbf2736c05a07c03feb59a3bfae5cdfbf61f5cdbfb704e53fa8a0d8bf13fb49c0120ecf3f8f76dfbfd7c704c0628304407e38c43f7bd2f43fd56039c0d1d83a40670ef1bfaa18fd3f88241b4012b3c73f
      2048fff891b62d4f1321c0d6b03fa144f278c21e082d9a2bc152bf675bc2ef141e81c6cceffd565c97e55d252bbadd9b860c253000e1f72545aa5a93fcc02f7365dc2722a75c9d2cf8b6a2a0675023f059fdbfe266e43371eb51b07cf70c227fd23ab3ebd7bf57edcfcd61d9769dc37ab3a27f69334cce09865c499339e2cffd
      9f5d9ac1f78e0fc249ec7c41d2b6c03ff9db444127b77ac1755f62c1c3f5dfc1cbc50941fa93bdc1a9b4be412ebeaa402f0738c02f58e84061ca17c1d769bf41fcb6fbc1bf2678411eebc0417a498ac0de46e7c03823d0c03dc73241d6b2f33fdc3befc08c7be640a975e141cd26b2c1ea4c08c119f01f4158106dc18dc57f41
      "}
