; Byte permutations, bit fields, packed products on 32 operands.
; DEVICE: bit fields and packed products; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx81 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.prmt(i32, i32, i32)
declare i32 @llvm.nvvm.prmt.f4e(i32, i32, i32)
declare i32 @llvm.nvvm.prmt.b4e(i32, i32, i32)
declare i32 @llvm.nvvm.prmt.rc8(i32, i32)
declare i32 @llvm.nvvm.prmt.ecl(i32, i32)
declare i32 @llvm.nvvm.prmt.ecr(i32, i32)
declare i32 @llvm.nvvm.prmt.rc16(i32, i32)
declare i32 @llvm.nvvm.idp4a.s.s(i32, i32, i32)
declare i32 @llvm.nvvm.idp2a.s.s(i32, i32, i1, i32)
declare i32 @llvm.nvvm.idp4a.s.u(i32, i32, i32)
declare i32 @llvm.nvvm.idp2a.s.u(i32, i32, i1, i32)
declare i32 @llvm.nvvm.idp4a.u.s(i32, i32, i32)
declare i32 @llvm.nvvm.idp2a.u.s(i32, i32, i1, i32)
declare i32 @llvm.nvvm.idp4a.u.u(i32, i32, i32)
declare i32 @llvm.nvvm.idp2a.u.u(i32, i32, i1, i32)
declare i32 @llvm.nvvm.mulhi.i(i32, i32)
declare i32 @llvm.nvvm.mulhi.ui(i32, i32)
declare i64 @llvm.nvvm.mulhi.ll(i64, i64)
declare i64 @llvm.nvvm.mulhi.ull(i64, i64)
declare i32 @llvm.nvvm.mul24.i(i32, i32)
declare i32 @llvm.nvvm.mul24.ui(i32, i32)
declare i32 @llvm.nvvm.sad.i(i32, i32, i32)
declare i32 @llvm.nvvm.sad.ui(i32, i32, i32)
declare i32 @llvm.nvvm.flo.u.i32(i32, i1)
declare i32 @llvm.nvvm.flo.s.i32(i32, i1)
declare i32 @llvm.nvvm.sext.clamp(i32, i32)
declare i32 @llvm.nvvm.zext.clamp(i32, i32)
declare i32 @llvm.nvvm.bmsk.clamp(i32, i32)
declare i32 @llvm.nvvm.sext.wrap(i32, i32)
declare i32 @llvm.nvvm.zext.wrap(i32, i32)
declare i32 @llvm.nvvm.bmsk.wrap(i32, i32)
declare i32 @llvm.nvvm.fns(i32, i32, i32)
declare i32 @llvm.nvvm.fshl.clamp.i32(i32, i32, i32)
declare i32 @llvm.nvvm.fshr.clamp.i32(i32, i32, i32)

; Rows of 32: operands in %in, results in %out; a lane has its column.
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v1 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v2 = load i32, ptr addrspace(1) %v1
  %v3 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v4 = load i32, ptr addrspace(1) %v3
  %v5 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v6 = load i32, ptr addrspace(1) %v5
  %v7 = call i32 @llvm.nvvm.prmt(i32 %v2, i32 %v4, i32 %v6)
  %v8 = getelementptr i32, ptr addrspace(1) %to, i64 0
  store i32 %v7, ptr addrspace(1) %v8
  %v9 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v10 = load i32, ptr addrspace(1) %v9
  %v11 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v12 = load i32, ptr addrspace(1) %v11
  %v13 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v14 = load i32, ptr addrspace(1) %v13
  %v15 = call i32 @llvm.nvvm.prmt.f4e(i32 %v10, i32 %v12, i32 %v14)
  %v16 = getelementptr i32, ptr addrspace(1) %to, i64 32
  store i32 %v15, ptr addrspace(1) %v16
  %v17 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v18 = load i32, ptr addrspace(1) %v17
  %v19 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v20 = load i32, ptr addrspace(1) %v19
  %v21 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v22 = load i32, ptr addrspace(1) %v21
  %v23 = call i32 @llvm.nvvm.prmt.b4e(i32 %v18, i32 %v20, i32 %v22)
  %v24 = getelementptr i32, ptr addrspace(1) %to, i64 64
  store i32 %v23, ptr addrspace(1) %v24
  %v25 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v26 = load i32, ptr addrspace(1) %v25
  %v27 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v28 = load i32, ptr addrspace(1) %v27
  %v29 = call i32 @llvm.nvvm.prmt.rc8(i32 %v26, i32 %v28)
  %v30 = getelementptr i32, ptr addrspace(1) %to, i64 96
  store i32 %v29, ptr addrspace(1) %v30
  %v31 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v32 = load i32, ptr addrspace(1) %v31
  %v33 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v34 = load i32, ptr addrspace(1) %v33
  %v35 = call i32 @llvm.nvvm.prmt.ecl(i32 %v32, i32 %v34)
  %v36 = getelementptr i32, ptr addrspace(1) %to, i64 128
  store i32 %v35, ptr addrspace(1) %v36
  %v37 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v38 = load i32, ptr addrspace(1) %v37
  %v39 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v40 = load i32, ptr addrspace(1) %v39
  %v41 = call i32 @llvm.nvvm.prmt.ecr(i32 %v38, i32 %v40)
  %v42 = getelementptr i32, ptr addrspace(1) %to, i64 160
  store i32 %v41, ptr addrspace(1) %v42
  %v43 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v44 = load i32, ptr addrspace(1) %v43
  %v45 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v46 = load i32, ptr addrspace(1) %v45
  %v47 = call i32 @llvm.nvvm.prmt.rc16(i32 %v44, i32 %v46)
  %v48 = getelementptr i32, ptr addrspace(1) %to, i64 192
  store i32 %v47, ptr addrspace(1) %v48
  %v49 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v50 = load i32, ptr addrspace(1) %v49
  %v51 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v52 = load i32, ptr addrspace(1) %v51
  %v53 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v54 = load i32, ptr addrspace(1) %v53
  %v55 = call i32 @llvm.nvvm.idp4a.s.s(i32 %v50, i32 %v52, i32 %v54)
  %v56 = getelementptr i32, ptr addrspace(1) %to, i64 224
  store i32 %v55, ptr addrspace(1) %v56
  %v57 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v58 = load i32, ptr addrspace(1) %v57
  %v59 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v60 = load i32, ptr addrspace(1) %v59
  %v61 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v62 = load i32, ptr addrspace(1) %v61
  %v63 = call i32 @llvm.nvvm.idp2a.s.s(i32 %v58, i32 %v60, i1 true, i32 %v62)
  %v64 = getelementptr i32, ptr addrspace(1) %to, i64 256
  store i32 %v63, ptr addrspace(1) %v64
  %v65 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v66 = load i32, ptr addrspace(1) %v65
  %v67 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v68 = load i32, ptr addrspace(1) %v67
  %v69 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v70 = load i32, ptr addrspace(1) %v69
  %v71 = call i32 @llvm.nvvm.idp4a.s.u(i32 %v66, i32 %v68, i32 %v70)
  %v72 = getelementptr i32, ptr addrspace(1) %to, i64 288
  store i32 %v71, ptr addrspace(1) %v72
  %v73 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v74 = load i32, ptr addrspace(1) %v73
  %v75 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v76 = load i32, ptr addrspace(1) %v75
  %v77 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v78 = load i32, ptr addrspace(1) %v77
  %v79 = call i32 @llvm.nvvm.idp2a.s.u(i32 %v74, i32 %v76, i1 false, i32 %v78)
  %v80 = getelementptr i32, ptr addrspace(1) %to, i64 320
  store i32 %v79, ptr addrspace(1) %v80
  %v81 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v82 = load i32, ptr addrspace(1) %v81
  %v83 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v84 = load i32, ptr addrspace(1) %v83
  %v85 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v86 = load i32, ptr addrspace(1) %v85
  %v87 = call i32 @llvm.nvvm.idp4a.u.s(i32 %v82, i32 %v84, i32 %v86)
  %v88 = getelementptr i32, ptr addrspace(1) %to, i64 352
  store i32 %v87, ptr addrspace(1) %v88
  %v89 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v90 = load i32, ptr addrspace(1) %v89
  %v91 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v92 = load i32, ptr addrspace(1) %v91
  %v93 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v94 = load i32, ptr addrspace(1) %v93
  %v95 = call i32 @llvm.nvvm.idp2a.u.s(i32 %v90, i32 %v92, i1 true, i32 %v94)
  %v96 = getelementptr i32, ptr addrspace(1) %to, i64 384
  store i32 %v95, ptr addrspace(1) %v96
  %v97 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v98 = load i32, ptr addrspace(1) %v97
  %v99 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v100 = load i32, ptr addrspace(1) %v99
  %v101 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v102 = load i32, ptr addrspace(1) %v101
  %v103 = call i32 @llvm.nvvm.idp4a.u.u(i32 %v98, i32 %v100, i32 %v102)
  %v104 = getelementptr i32, ptr addrspace(1) %to, i64 416
  store i32 %v103, ptr addrspace(1) %v104
  %v105 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v106 = load i32, ptr addrspace(1) %v105
  %v107 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v108 = load i32, ptr addrspace(1) %v107
  %v109 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v110 = load i32, ptr addrspace(1) %v109
  %v111 = call i32 @llvm.nvvm.idp2a.u.u(i32 %v106, i32 %v108, i1 false, i32 %v110)
  %v112 = getelementptr i32, ptr addrspace(1) %to, i64 448
  store i32 %v111, ptr addrspace(1) %v112
  %v113 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v114 = load i32, ptr addrspace(1) %v113
  %v115 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v116 = load i32, ptr addrspace(1) %v115
  %v117 = call i32 @llvm.nvvm.mulhi.i(i32 %v114, i32 %v116)
  %v118 = getelementptr i32, ptr addrspace(1) %to, i64 480
  store i32 %v117, ptr addrspace(1) %v118
  %v119 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v120 = load i32, ptr addrspace(1) %v119
  %v121 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v122 = load i32, ptr addrspace(1) %v121
  %v123 = call i32 @llvm.nvvm.mulhi.ui(i32 %v120, i32 %v122)
  %v124 = getelementptr i32, ptr addrspace(1) %to, i64 512
  store i32 %v123, ptr addrspace(1) %v124
  %v125 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v126 = load i32, ptr addrspace(1) %v125
  %v127 = zext i32 %v126 to i64
  %v128 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v129 = load i32, ptr addrspace(1) %v128
  %v130 = zext i32 %v129 to i64
  %v131 = shl i64 %v130, 32
  %v132 = or i64 %v127, %v131
  %v133 = getelementptr i32, ptr addrspace(1) %from, i64 192
  %v134 = load i32, ptr addrspace(1) %v133
  %v135 = zext i32 %v134 to i64
  %v136 = getelementptr i32, ptr addrspace(1) %from, i64 224
  %v137 = load i32, ptr addrspace(1) %v136
  %v138 = zext i32 %v137 to i64
  %v139 = shl i64 %v138, 32
  %v140 = or i64 %v135, %v139
  %v141 = call i64 @llvm.nvvm.mulhi.ll(i64 %v132, i64 %v140)
  %v142 = trunc i64 %v141 to i32
  %v143 = getelementptr i32, ptr addrspace(1) %to, i64 544
  store i32 %v142, ptr addrspace(1) %v143
  %v144 = lshr i64 %v141, 32
  %v145 = trunc i64 %v144 to i32
  %v146 = getelementptr i32, ptr addrspace(1) %to, i64 576
  store i32 %v145, ptr addrspace(1) %v146
  %v147 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v148 = load i32, ptr addrspace(1) %v147
  %v149 = zext i32 %v148 to i64
  %v150 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v151 = load i32, ptr addrspace(1) %v150
  %v152 = zext i32 %v151 to i64
  %v153 = shl i64 %v152, 32
  %v154 = or i64 %v149, %v153
  %v155 = getelementptr i32, ptr addrspace(1) %from, i64 192
  %v156 = load i32, ptr addrspace(1) %v155
  %v157 = zext i32 %v156 to i64
  %v158 = getelementptr i32, ptr addrspace(1) %from, i64 224
  %v159 = load i32, ptr addrspace(1) %v158
  %v160 = zext i32 %v159 to i64
  %v161 = shl i64 %v160, 32
  %v162 = or i64 %v157, %v161
  %v163 = call i64 @llvm.nvvm.mulhi.ull(i64 %v154, i64 %v162)
  %v164 = trunc i64 %v163 to i32
  %v165 = getelementptr i32, ptr addrspace(1) %to, i64 608
  store i32 %v164, ptr addrspace(1) %v165
  %v166 = lshr i64 %v163, 32
  %v167 = trunc i64 %v166 to i32
  %v168 = getelementptr i32, ptr addrspace(1) %to, i64 640
  store i32 %v167, ptr addrspace(1) %v168
  %v169 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v170 = load i32, ptr addrspace(1) %v169
  %v171 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v172 = load i32, ptr addrspace(1) %v171
  %v173 = call i32 @llvm.nvvm.mul24.i(i32 %v170, i32 %v172)
  %v174 = getelementptr i32, ptr addrspace(1) %to, i64 672
  store i32 %v173, ptr addrspace(1) %v174
  %v175 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v176 = load i32, ptr addrspace(1) %v175
  %v177 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v178 = load i32, ptr addrspace(1) %v177
  %v179 = call i32 @llvm.nvvm.mul24.ui(i32 %v176, i32 %v178)
  %v180 = getelementptr i32, ptr addrspace(1) %to, i64 704
  store i32 %v179, ptr addrspace(1) %v180
  %v181 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v182 = load i32, ptr addrspace(1) %v181
  %v183 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v184 = load i32, ptr addrspace(1) %v183
  %v185 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v186 = load i32, ptr addrspace(1) %v185
  %v187 = call i32 @llvm.nvvm.sad.i(i32 %v182, i32 %v184, i32 %v186)
  %v188 = getelementptr i32, ptr addrspace(1) %to, i64 736
  store i32 %v187, ptr addrspace(1) %v188
  %v189 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v190 = load i32, ptr addrspace(1) %v189
  %v191 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v192 = load i32, ptr addrspace(1) %v191
  %v193 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v194 = load i32, ptr addrspace(1) %v193
  %v195 = call i32 @llvm.nvvm.sad.ui(i32 %v190, i32 %v192, i32 %v194)
  %v196 = getelementptr i32, ptr addrspace(1) %to, i64 768
  store i32 %v195, ptr addrspace(1) %v196
  %v197 = getelementptr i32, ptr addrspace(1) %from, i64 256
  %v198 = load i32, ptr addrspace(1) %v197
  %v199 = call i32 @llvm.nvvm.flo.u.i32(i32 %v198, i1 false)
  %v200 = getelementptr i32, ptr addrspace(1) %to, i64 800
  store i32 %v199, ptr addrspace(1) %v200
  %v201 = getelementptr i32, ptr addrspace(1) %from, i64 256
  %v202 = load i32, ptr addrspace(1) %v201
  %v203 = call i32 @llvm.nvvm.flo.u.i32(i32 %v202, i1 true)
  %v204 = getelementptr i32, ptr addrspace(1) %to, i64 832
  store i32 %v203, ptr addrspace(1) %v204
  %v205 = getelementptr i32, ptr addrspace(1) %from, i64 288
  %v206 = load i32, ptr addrspace(1) %v205
  %v207 = call i32 @llvm.nvvm.flo.s.i32(i32 %v206, i1 false)
  %v208 = getelementptr i32, ptr addrspace(1) %to, i64 864
  store i32 %v207, ptr addrspace(1) %v208
  %v209 = getelementptr i32, ptr addrspace(1) %from, i64 288
  %v210 = load i32, ptr addrspace(1) %v209
  %v211 = call i32 @llvm.nvvm.flo.s.i32(i32 %v210, i1 true)
  %v212 = getelementptr i32, ptr addrspace(1) %to, i64 896
  store i32 %v211, ptr addrspace(1) %v212
  %v213 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v214 = load i32, ptr addrspace(1) %v213
  %v215 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v216 = load i32, ptr addrspace(1) %v215
  %v217 = call i32 @llvm.nvvm.sext.clamp(i32 %v214, i32 %v216)
  %v218 = getelementptr i32, ptr addrspace(1) %to, i64 928
  store i32 %v217, ptr addrspace(1) %v218
  %v219 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v220 = load i32, ptr addrspace(1) %v219
  %v221 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v222 = load i32, ptr addrspace(1) %v221
  %v223 = call i32 @llvm.nvvm.zext.clamp(i32 %v220, i32 %v222)
  %v224 = getelementptr i32, ptr addrspace(1) %to, i64 960
  store i32 %v223, ptr addrspace(1) %v224
  %v225 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v226 = load i32, ptr addrspace(1) %v225
  %v227 = getelementptr i32, ptr addrspace(1) %from, i64 352
  %v228 = load i32, ptr addrspace(1) %v227
  %v229 = call i32 @llvm.nvvm.bmsk.clamp(i32 %v226, i32 %v228)
  %v230 = getelementptr i32, ptr addrspace(1) %to, i64 992
  store i32 %v229, ptr addrspace(1) %v230
  %v231 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v232 = load i32, ptr addrspace(1) %v231
  %v233 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v234 = load i32, ptr addrspace(1) %v233
  %v235 = call i32 @llvm.nvvm.sext.wrap(i32 %v232, i32 %v234)
  %v236 = getelementptr i32, ptr addrspace(1) %to, i64 1024
  store i32 %v235, ptr addrspace(1) %v236
  %v237 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v238 = load i32, ptr addrspace(1) %v237
  %v239 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v240 = load i32, ptr addrspace(1) %v239
  %v241 = call i32 @llvm.nvvm.zext.wrap(i32 %v238, i32 %v240)
  %v242 = getelementptr i32, ptr addrspace(1) %to, i64 1056
  store i32 %v241, ptr addrspace(1) %v242
  %v243 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v244 = load i32, ptr addrspace(1) %v243
  %v245 = getelementptr i32, ptr addrspace(1) %from, i64 352
  %v246 = load i32, ptr addrspace(1) %v245
  %v247 = call i32 @llvm.nvvm.bmsk.wrap(i32 %v244, i32 %v246)
  %v248 = getelementptr i32, ptr addrspace(1) %to, i64 1088
  store i32 %v247, ptr addrspace(1) %v248
  %v249 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v250 = load i32, ptr addrspace(1) %v249
  %v251 = getelementptr i32, ptr addrspace(1) %from, i64 384
  %v252 = load i32, ptr addrspace(1) %v251
  %v253 = getelementptr i32, ptr addrspace(1) %from, i64 416
  %v254 = load i32, ptr addrspace(1) %v253
  %v255 = call i32 @llvm.nvvm.fns(i32 %v250, i32 %v252, i32 %v254)
  %v256 = getelementptr i32, ptr addrspace(1) %to, i64 1120
  store i32 %v255, ptr addrspace(1) %v256
  %v257 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v258 = load i32, ptr addrspace(1) %v257
  %v259 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v260 = load i32, ptr addrspace(1) %v259
  %v261 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v262 = load i32, ptr addrspace(1) %v261
  %v263 = call i32 @llvm.nvvm.fshl.clamp.i32(i32 %v258, i32 %v260, i32 %v262)
  %v264 = getelementptr i32, ptr addrspace(1) %to, i64 1152
  store i32 %v263, ptr addrspace(1) %v264
  %v265 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v266 = load i32, ptr addrspace(1) %v265
  %v267 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v268 = load i32, ptr addrspace(1) %v267
  %v269 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v270 = load i32, ptr addrspace(1) %v269
  %v271 = call i32 @llvm.nvvm.fshr.clamp.i32(i32 %v266, i32 %v268, i32 %v270)
  %v272 = getelementptr i32, ptr addrspace(1) %to, i64 1184
  store i32 %v271, ptr addrspace(1) %v272
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: in, dtype: i32, shape: [14, 32], readonly: true, fill: {hex: "
      f33023d2691d896daf03060a63b29135c223c6e1d4aec083ddfa3bfbfe8911eb547138225581bb61a50401a8de4a44a2b2834c2ed8f231eb972b22310c1e6053a21aa9e1146796cf3acb26b674516d8762c53812dcd1b4232b9c5f4e3867b70d329a22dbfbfd61f0fec527a47f664b77a8e5704ee82c7471eb228b8d844ce7ea
      7b5d44ccd417f0926b98b2a2f3330b80040b7c419f44bd487734802a8f5581beb9fee9a06c9c9841a561e974560f7478cd68696772482fc218d3c2b59657d89a09f32c19d3af5a228f9390984b8fe53394940775dce2eab1413b3df32f3ba1ba20a1dfc40857451a1f70f971c2135dff60b9e73bcf7325226585ee3f6b8eee2a
      ac63347bb86f9ba3eccaa7d7f50b1c7d7044fbdf4de7aadfbce77485082061eb950d979aebc23548c064fa9aff8073553b9cd00edb627fe0bab4e349c4d100226cbb1f864019896b5050524bb33f266a0d49d45e5d05f4f906bee9c5f5a1d420d323334aec77b2a7b057d631f277ccc1c79897f3888a71ba5a7367084d8b4400
      192a80a417dcf8166b2327b8bab746721328cc4165e79f9e246ec676da1978db947043adb193c52913e749cdd1efdfb26a4d587ba5f6ef1a5933464ca3da9394fef890e2f5137b409e8db2a0bf75345b2a2f9eb24c13700df13fe28afa8d79b8ae83338ed6524e1f9a7ae73493c59fc3a2ff120641eb2256466ade931fa77a97
      878e361b9fd94575a2d63c70767e8bcd9dc4037a862d9385f72559062c7a96cb521074c4d8129e9f9e5bb6d550a0339d01854cb7806fd9d999370b9ed0da3005f6856fe2d65951fdaf068a33a40dea10717807570b7ea2199ce98d5ed0b1d51601785e38d6ded7006c6ebd6d9c42cd4c8add91bac1d484636093802a33c911f4
      bfb4142c6a839fe3cc381be6abfa2b78b12e024ad1f01513c830eec43c54f7b299a6d09c7c341c778f81539e8899af9a307288e8015afed9811c5234c204c3a6c135a7715d819d80ea82e4f76fcd49b249df7233fbfbb988a6573ae31307132c8b3f45657c8f94086436d70e4f1501303ba01bdf86b73564a85f97c5b3524c1d
      5fd8fce4f81c71b0011b8f3724271267029e7473d861a168a899bd068942a9743fd585c42d3f85b1c8c13bdcd3ead4aecdd742c31d4ee8de773acaeabdcd04cbd407856aa3dfe5a8907e83a89d12fae1fe8caeb65d4383718533d53088a0d4532b05174068b291ae1cf2f6c4ec342c31c2b1918822351cd746e2995db6bc3e18
      97924462b1c81a309aefc5211b926ce6b6d6b625f59bfff500de1e46367f5a8640898a3314d602b07f25a8d66c484644dba192170509913bd1f82b6c264400d0d807efd23e1255e66d458a8fec3f5dd384712fbc00868dbbfc93de33ece000951f924fb7f42df0ddbd9cd10b4df137d2b1ab4bf827a03f291ecf1da2fc6064b5
      0100000047621b00400100000d00000071380000200000000000000007000000110100000000000000000000240a000000000000d8f231eb8a480c000000000001000000146796cf000000000200000000000000470000000ae79713dd36000000000000fbfd61f002000000cc96ee000ee704000b5d1c00c862230000000000
      ffffffff47621b00400100000d00000071f8ffffe0ffffffffffffffffffffff1101000000000000ffffffff24faffff00000000d8f231eb8a480c0000000000ffffffff146796cffffffffffeffffff00000000470000000ae79713dd360000fffffffffbfd61f0feffffffcc96ee000ee704000b5d1c00c862e3ffffffffff
      1f0000000a000000130000001a000000120000001a000000250000001d0000001500000021000000200000001400000027000000000000000a000000240000001f00000000000000220000001e0000001d00000017000000020000000e00000022000000000000001e000000070000000c0000000a0000000a00000020000000
      0f0000001900000006000000180000001a0000000e00000011000000000000000d0000000f0000000400000020000000170000001b000000130000000e000000060000001700000023000000230000001c00000003000000100000002100000000000000090000001b000000030000001d000000000000000c0000000c000000
      1b0000001700000009000000120000000b00000000000000090000001b00000006000000000000001d00000014000000050000001f00000009000000170000000000000003000000170000001e000000100000001c000000150000001a0000000a000000190000001b0000001c000000010000000e0000001e00000012000000
      fbffffff02000000fbffffff060000000200000001000000fdfffffffbffffff040000000400000003000000fffffffffbfffffffbffffff05000000ffffffff00000000fcffffffffffffffffffffff0600000006000000fafffffffeffffff040000000400000006000000fbffffff02000000fbffffff0600000004000000
      "}}
  - {name: out, dtype: i32, shape: [38, 32]}
arguments: [in, out]
expect:
  - {buffer: out, hex: "
      0000d2440000fff000ff000033ff0063c2410404009f48ff00ff2afffffefe11fe00ff5400ffbb00a5ffa5e90000deff002effffff00312f0000180096ff1e00002cffff14d300673a933a9387ff0087ff62ff94ffe2e2dc3d2b00003bff67ffdbffdb2200001a1afeff71704bffffff3b00ffffffff00ffff858d3fff6bffff
      f33023d2691d896daf03060ab29135f3c223c6e1aec0839fddfa3bfbfe8911eb713822b9616c9c98a50401a8a2560f742ecd6869eb72482f223118d30c1e6053a21aa9e1146796cf3acb26b6874b8fe5c5381294d1b423dc5f4e413b67b70d2fdb20a1dffbfd61f0fec527a44b77c2134e60b9e7e82c74718b8d65854ce7ea6b
      f3cc445d6992f017afa2b298b263800bc2417c0baed448bddd2a8034febe81557154a0e961bb8155a574e961a2444ade2e4c83b2eb31f2d8222b97b50c9ad857a2192cf314225aaf3a989093876d5174c5627507d1dcb1ea5f9c2bf36738baa1db229a32fb1a4557fe71f9704b667fff4e70e5a8e82225738b22eb3f4c842aee
      f3f3f3f369696969afafafafb2b2b2b2c2c2c2c2aeaeaeaeddddddddfefefefe7171717161616161a5a5a5a5a2a2a2a22e2e2e2eebebebeb222222220c0c0c0ca2a2a2a2141414143a3a3a3a87878787c5c5c5c5d1d1d1d15f5f5f5f67676767dbdbdbdbfbfbfbfbfefefefe4b4b4b4b4e4e4e4ee8e8e8e88b8b8b8b4c4c4c4c
      f33023d2691d896daf03060ab2b29135c223c6e1aeaec083ddfa3bfbfe8911eb7171382261616161a50401a8a2a2a2a22e2e2e2eebebebeb222222310c1e6053a21aa9e1146796cf3acb26b687878787c5c53812d1d1b4235f5f5f4e6767b70ddbdbdbdbfbfd61f0fec527a44b4b4b774e4e4e4ee82c74718b8b8b8d4c4ce7ea
      f3f3f3f369696969afafafaf63b2b2b2c2c2c2c2d4aeaeaeddddddddfefefefe547171715581bb61a5a5a5a5de4a44a2b2834c2ed8f231eb972b22220c0c0c0ca2a2a2a2141414143a3a3a3a74516d8762c5c5c5dcd1d1d12b9c5f5f38676767329a22dbfbfbfbfbfefefefe7f664b4ba8e5704ee8e8e8e8eb228b8b844c4c4c
      f330f330691d691daf03af0391359135c223c223c083c083ddfaddfafe89fe8938223822bb61bb61a504a50444a244a24c2e4c2e31eb31eb972b972b0c1e0c1ea21aa21a146714673acb3acb6d876d8738123812b423b4232b9c2b9cb70db70d22db22dbfbfdfbfdfec5fec57f667f66704e704ee82ce82ceb22eb22e7eae7ea
      ee4780a440a5f816d8fa26b8e4834672a504cc41e1cf9f9e553ec67634f077db9e4643add21dc629f9e049cd7bdbdfb2da5b587bfaeeef1a5b0b464ccbaf939463e290e214c47a400598b2a06050345b78289eb29919700d7d46e28a88c779b812b4338e2e6a4e1fdf36e7342bc99fc329ed120663232356943dde93994f7a97
      897b96a4a9f4c716e55522b87b99287251cdd541e933929e5237c876760ab8db086d2cada4d9112ab49c21cd49ecd5b200f2377b6f96f21ad13f2d4c83f06d94579692e2e9e29840cea4e7a03ad9135b70e8a4b2d805690d5d7bc68a28804fb84447498e57314c1fdf85c0346b8ac4c30aa62706317a3856f5cabf93bdcf7197
      ee1980a44004f916d80d27b8e41b4772a504cc41e1639f9e5579c67634ea77db9e6544add259c529f98649cd7bdbdfb2da0d587bfad9ef1a5b89464ccb6e949463fc90e2143f7b400579b2a0600e355b784f9eb2999d6f0d7d94e28a888b79b8124b338e2e6a4e1fdf5de7342bbfa0c329421306630b235694eadd9399827a97
      910587a45a0e1b1720a12eb896b707729d6acb41117c4c9edb12c376613b2fdbd849b7ad81b1cb29cd8d2bcd6198f3b2d491077b9d40e41a87c8724c4bcbc1941b1c75e2fbf0ae40d6aa6aa09ef8085b32d486b244f1670dc1f6da8a6faa8fb8509a0f8ea5f3481f6c45b834624cf6c392cd4106f5317a5634bab0936dee8e97
      ee8e80a44095f816d86527b8e4c14672a5c5cc41e1b79f9e5513c776349277db9e4643add251c529f9f949cd7ba9e0b2da90587bfa6af01a5b23464ccbaf9394633091e214407b4005c3b1a06083345b78bc9db299c16f0d7d81e28a886879b81219338e2ee34e1fdf36e8342bc99fc32906130663f2225694cfde9399d27a97
      897b62a4a9f4c716e55522b87b99337251cd1642e933979e52377276760af7da086d2cada4d9a929b49c95cd49ec4db300f2a07b6f96e31ad13f2d4c83f06d945796abe2e9e2ba40cea40fa03ad9465b70e8abb2d805530d5d7b038b28804fb84447ec8d5731ab1fdf852a356b8ac4c30aa60e06317a3856f5cafe93bdcf9b97
      ee6081a440f4f916d87827b8e4594772a5c5cc41e14ba19e554ec776348c79db9e6544add28dc629f99f4acd7ba9e0b2da42597bfa55f11a5ba1464ccb6e9494634a91e214bb7b4005a4b3a06041355b78e39eb29945720d7dcfe28a882c7ab812b0348e2ee34e1fdf5de8342bbfa0c3295b140663da2356947cdf9399057c97
      9105e4a45a0e1b1720a12eb896b7fa729d6ad641117c2f9fdb126e77613b13dcd849b7ad81b1372acd8d8ccd619802b3d491d47b9d409e1b87c8724c4bcbc1941b1c68e3fbf05d41d6aa8ca19ef8975b32d41ab344f1430ec1f61b8b6faa8fb8509ad08ea5f3a71f6c454735624cf6c392cda106f5317a5634ba35946dee1c98
      a89a44091ad055d1ccc858fcf07e39e5c0a944f81e55b2dc2b7435ff44e75a05ec1c4af3e2de0a19773dd0d76c84e5d352d9b312780f0605a361c0f1a7290edfdc2f04fd50d380f9b188d61d86a88ee7567c540829f61bf5fde317fc4a7d48fcccaf8308e5b865feda101cd73214b4ff99055b121407220f4e996ae3da4976fc
      1629aca783edde3e7bcc5e065331cb1ac4b4c039bd996f25a2a8b529d1c6edae408e8215e2de0a191c9fb94cc293594c52d9b312c24a67b23a8de222b3476e32e52231162383db1b7ae78d6cd137741b567c540805c8d0182880774a82e4ff091eeb85a8ed0fab18f9801549b17aff7699055b121407220fb31e592345d86427
      e9b1e721ab2a333bed9d92e0ab2e963fe989c56af7009274df69ecf5eded34f4b9db3402d99fc4ab895b74b662fb2ea5eb8ae42a82684b7a0f8115eb400d78e66e502a00f8c3ad4de784be4f29ac5e5cc43edae3f4b16640db0e624ff2ae9e5b17f8ddc3e6b0cee0e62c28de782dd8d2a9bd40b83ddf19db1eac2c8f815bb50e
      efbbeb1098f0aafa087d95fcae7ffef35f2ce70a221d41ff0602d2ef86e69a247de407ec6c81c8da3c25c60f22d4fae43dd1d6fd781628f7aba01b165957bb10ee12feeb14acc50c32c18f034bb88c0d97055ff216efe31f6c9b2bfac43294ed0dbb3ee332bddbfe1f66af00a64b6af7066afd004d822510c49d6b15af2076f7
      e9b1e721a347a4ebeeb8211821ad210de989c56a7d2e25fa8703aafca2aa7434f8b0bac6b1b2624bef78666835e60354b86227ee9fb633590f8115ebcdb5adb664d699e271fde4f3260acc2b6acc424f35b7e13a5c738ccb60423780c260747218703cfcbc8fa6e1e62c28de1470a51ff54c64fb3ddf19dbc4214717b424c702
      efbbeb1049b9c52aa36c5b1e5a7a2a6c5f2ce70af30d571206e0f035fab9ec5dbd6d921fe9b5e4514cccc1848f1c4129187369157e1fb932aba01b1642a07e87af48a55db03fb8738a89fe8aa7c53393e1e4d12511712b64682f0a2ed739a71998fa8348ae4c70071f66af00f6606b27f3b564d84d8225108bcc207d6373c214
      c1cb3cdaf4c9a01825726175f90c174808e599d4ace5a045bb8056dce26a9b67b43daffadc5b629b598397f89428ec038ac5c75630e432b8288b8f9e08afa730b2b511157ca175b666d3fd72fca84a99a8c49c581091c057eb8f835748dbade940b8dae6d83c07c5c2197e013e19e20d0087e4529887a40bb7dd82a62c33d6e0
      c1cb3cdaf4c9a05525726124f90c173b08e599d8ace5a0b8bb8056b9e26a9b65b43daf4edc5b625c5983979d9428ec038ac5c75630e432b8288b8f3508afa73cb2b5111e7ca1758966d3fdacfca84a0da8c49c581091c00feb8f835748dbad5040b8da18d83c07c5c2197eff3e19e20d0087e4fa9887a40bb7dd82f62c33d6cf
      91fd5eaaace191f1af8e7a1f2a36cd27550f82a1307d9c63bea70aa6494e08082fe3912e9a78e8491344329a49b40f89853275b40ba1f243d88ba5c719a11b4d65d1141ab45c3f9349c548be96b3ac075cfe6c154c023a7fdba004e603ba8f0bc07c76a4e3ab3149bb24b90250188e3bea2b9c185aa471a5c0cc414606e981d7
      91fd5eaa82d65f3c27b8d3504a39c0bcd14016e29a51a3d98a348247494e0808f9fdf42b9a78e849138a6100592bb0dc853275b40ba1f243dadae6d02d140cdc97200dab36cbb6ed49c548bee837bcae5cfe6c154c24a69b07dfbf2ff1616365c07c76a4c9f96af579d01567d672b14bea2b9c185aa471a5cc077be138657357
      000000001400000008000000030000000d00000005000000ffffffff0200000008000000ffffffffffffffff0b000000ffffffff1f00000013000000ffffffff000000001f000000ffffffff01000000ffffffff060000001c0000000d000000ffffffff1f0000000100000017000000120000001400000015000000ffffffff
      1f0000000b000000170000001c000000120000001a000000ffffffff1d00000017000000ffffffffffffffff14000000ffffffff000000000c000000ffffffff1f00000000000000ffffffff1e000000ffffffff190000000300000012000000ffffffff000000001e000000080000000d0000000b0000000a000000ffffffff
      ffffffff1400000008000000030000000a00000004000000ffffffffffffffff08000000ffffffffffffffff0a000000ffffffff1c00000013000000ffffffffffffffff1d000000ffffffff00000000ffffffff060000001c0000000d000000ffffffff1b0000000000000017000000120000001400000014000000ffffffff
      ffffffff0b000000170000001c000000150000001b000000ffffffffffffffff17000000ffffffffffffffff15000000ffffffff030000000c000000ffffffffffffffff02000000ffffffff1f000000ffffffff190000000300000012000000ffffffff040000001f000000080000000d0000000b0000000b000000ffffffff
      f33023d269010000af03feff63b29101c223feffd4aec0ffddfa3bfbfe89110b5471f8ff5581bb61a50401a8de4a0400b2834c2e0000000097ffffff0c1e6053a21aa9e1000000003acb26b674516d0762c538f2dcd13400ffffffff38e7ffff329a22db00000000fec527e4ffffffffa8050000e8000000ebfeffff844ce7ea
      f330235269010000af03060063b29101c2230200d4aec003ddfa3bfbfe89110b547118005581bb61a50401a8de4a0400b2834c2e00000000970300000c1e6053a21aa961000000003acb26b674516d0762c53812dcd134000300000038270000329a22db00000000fec527247f000000a8050000e8000000eb020000844ce7ea
      0000008000fcffff0000f801000000fc0000fcff000000fc00000000000000000000e0ff00000000000000000000f0ff00000000ffffff0700fcff1f0000000000000080ffff7f0000000000000000c0000000e000008003fcff030000c0ffff00000000ff010000000000c08003000000f0ffff0000000000fc3f0000000000
      f33023d269010000af03feff63b29101c223feffd4aec0fffdfffffffe89110b5471f8ffffffffff00000000de4a0400320000000000000097fffffffcffffffa21aa9e100000000feffffff74516d0762c538f2dcd13400ffffffff38e7fffffeffffff00000000fec527e4ffffffffa8050000e8000000ebfeffff00000000
      f330235269010000af03060063b29101c2230200d4aec0031d000000fe89110b547118000100000000000000de4a04003200000000000000970300000c000000a21aa961000000000200000074516d0762c53812dcd1340003000000382700000200000000000000fec527247f000000a8050000e8000000eb02000000000000
      0000008000fcffff0000f801000000fc0000fcff000000fce0ff3f00000000000000e0fffeff00000f0000000000000080ffff3fffffff0700fcff1ff0ff030000000080ffff7f001c000000000000c0000000e000008003fcff03000040000000000000ff010000000000c08003000000f0ffff0000000000fc3f00ff0f0000
      0d00000018000000030000001d000000110000000200000006000000100000000d00000006000000ffffffff12000000ffffffff190000001500000016000000ffffffffffffffff150000001a000000ffffffffffffffff0f00000018000000110000001f000000ffffffff160000000500000006000000ffffffff17000000
      bd2e22e64ba6752494157d1dcf2c008ef005098f12f522517734802ab12ad0d73f1d942a6c9c9841a561e9744087e7adcd686967d8f231ebd75eae889657d89a8479960c146796cf8f939098d263f90c92f2a04e71f558eeaf707e39a82eced920a1dfc4fbfd61f0075c7e9cff3fb3a5be835a0e88a0b3d0ffac8b2c6b8eee2a
      e76146a405bc645a56f475c0e0986c645f90f08812b52bf0ddfa3bfbf54f8c5807a58ac35581bb61a50401a887e7ad44b2834c2e72482fc2b470ede50c1e6053443552c3d3af5a223acb26b6d045b51d132bc69163b9a369d04ecffc84eae29c329a22db0857451af9179f9027bafeff7bbe835a5c89083aa1fbcfba844ce7ea
      "}
