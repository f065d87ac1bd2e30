; Flushed and saturated sums, extrema, integral values, fused halves, on 32 operands.
; DEVICE: rounded arithmetic; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx81 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.add.rn.ftz.f(float, float)
declare float @llvm.nvvm.add.rn.f(float, float)
declare float @llvm.nvvm.add.rn.sat.f(float, float)
declare float @llvm.nvvm.saturate.f(float)
declare float @llvm.nvvm.fmin.f(float, float)
declare float @llvm.nvvm.fmin.nan.f(float, float)
declare float @llvm.nvvm.fmin.xorsign.abs.f(float, float)
declare float @llvm.nvvm.fmax.f(float, float)
declare float @llvm.nvvm.fmax.nan.f(float, float)
declare float @llvm.nvvm.fmax.xorsign.abs.f(float, float)
declare float @llvm.nvvm.floor.f(float)
declare float @llvm.nvvm.ceil.f(float)
declare float @llvm.nvvm.trunc.f(float)
declare float @llvm.nvvm.round.f(float)
declare <2 x half> @llvm.nvvm.fma.rn.f16x2(<2 x half>, <2 x half>, <2 x half>)
declare <2 x half> @llvm.nvvm.fma.rn.relu.f16x2(<2 x half>, <2 x half>, <2 x half>)
declare <2 x bfloat> @llvm.nvvm.fma.rn.bf16x2(<2 x bfloat>, <2 x bfloat>, <2 x bfloat>)

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
  %v7 = call float @llvm.nvvm.add.rn.ftz.f(float %v3, float %v6)
  %v8 = bitcast float %v7 to i32
  %v9 = getelementptr i32, ptr addrspace(1) %to, i64 0
  store i32 %v8, ptr addrspace(1) %v9
  %v10 = getelementptr i32, ptr addrspace(1) %from, i64 0
  %v11 = load i32, ptr addrspace(1) %v10
  %v12 = bitcast i32 %v11 to float
  %v13 = getelementptr i32, ptr addrspace(1) %from, i64 32
  %v14 = load i32, ptr addrspace(1) %v13
  %v15 = bitcast i32 %v14 to float
  %v16 = call float @llvm.nvvm.add.rn.f(float %v12, float %v15)
  %v17 = bitcast float %v16 to i32
  %v18 = getelementptr i32, ptr addrspace(1) %to, i64 32
  store i32 %v17, ptr addrspace(1) %v18
  %v19 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v20 = load i32, ptr addrspace(1) %v19
  %v21 = bitcast i32 %v20 to float
  %v22 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v23 = load i32, ptr addrspace(1) %v22
  %v24 = bitcast i32 %v23 to float
  %v25 = call float @llvm.nvvm.add.rn.f(float %v21, float %v24)
  %v26 = bitcast float %v25 to i32
  %v27 = getelementptr i32, ptr addrspace(1) %to, i64 64
  store i32 %v26, ptr addrspace(1) %v27
  %v28 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v29 = load i32, ptr addrspace(1) %v28
  %v30 = bitcast i32 %v29 to float
  %v31 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v32 = load i32, ptr addrspace(1) %v31
  %v33 = bitcast i32 %v32 to float
  %v34 = call float @llvm.nvvm.add.rn.sat.f(float %v30, float %v33)
  %v35 = bitcast float %v34 to i32
  %v36 = getelementptr i32, ptr addrspace(1) %to, i64 96
  store i32 %v35, ptr addrspace(1) %v36
  %v37 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v38 = load i32, ptr addrspace(1) %v37
  %v39 = bitcast i32 %v38 to float
  %v40 = call float @llvm.nvvm.saturate.f(float %v39)
  %v41 = bitcast float %v40 to i32
  %v42 = getelementptr i32, ptr addrspace(1) %to, i64 128
  store i32 %v41, ptr addrspace(1) %v42
  %v43 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v44 = load i32, ptr addrspace(1) %v43
  %v45 = bitcast i32 %v44 to float
  %v46 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v47 = load i32, ptr addrspace(1) %v46
  %v48 = bitcast i32 %v47 to float
  %v49 = call float @llvm.nvvm.fmin.f(float %v45, float %v48)
  %v50 = bitcast float %v49 to i32
  %v51 = getelementptr i32, ptr addrspace(1) %to, i64 160
  store i32 %v50, ptr addrspace(1) %v51
  %v52 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v53 = load i32, ptr addrspace(1) %v52
  %v54 = bitcast i32 %v53 to float
  %v55 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v56 = load i32, ptr addrspace(1) %v55
  %v57 = bitcast i32 %v56 to float
  %v58 = call float @llvm.nvvm.fmin.nan.f(float %v54, float %v57)
  %v59 = bitcast float %v58 to i32
  %v60 = getelementptr i32, ptr addrspace(1) %to, i64 192
  store i32 %v59, ptr addrspace(1) %v60
  %v61 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v62 = load i32, ptr addrspace(1) %v61
  %v63 = bitcast i32 %v62 to float
  %v64 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v65 = load i32, ptr addrspace(1) %v64
  %v66 = bitcast i32 %v65 to float
  %v67 = call float @llvm.nvvm.fmin.xorsign.abs.f(float %v63, float %v66)
  %v68 = bitcast float %v67 to i32
  %v69 = getelementptr i32, ptr addrspace(1) %to, i64 224
  store i32 %v68, ptr addrspace(1) %v69
  %v70 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v71 = load i32, ptr addrspace(1) %v70
  %v72 = bitcast i32 %v71 to float
  %v73 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v74 = load i32, ptr addrspace(1) %v73
  %v75 = bitcast i32 %v74 to float
  %v76 = call float @llvm.nvvm.fmax.f(float %v72, float %v75)
  %v77 = bitcast float %v76 to i32
  %v78 = getelementptr i32, ptr addrspace(1) %to, i64 256
  store i32 %v77, ptr addrspace(1) %v78
  %v79 = getelementptr i32, ptr addrspace(1) %from, i64 64
  %v80 = load i32, ptr addrspace(1) %v79
  %v81 = bitcast i32 %v80 to float
  %v82 = getelementptr i32, ptr addrspace(1) %from, i64 96
  %v83 = load i32, ptr addrspace(1) %v82
  %v84 = bitcast i32 %v83 to float
  %v85 = call float @llvm.nvvm.fmax.nan.f(float %v81, float %v84)
  %v86 = bitcast float %v85 to i32
  %v87 = getelementptr i32, ptr addrspace(1) %to, i64 288
  store i32 %v86, ptr addrspace(1) %v87
  %v88 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v89 = load i32, ptr addrspace(1) %v88
  %v90 = bitcast i32 %v89 to float
  %v91 = getelementptr i32, ptr addrspace(1) %from, i64 160
  %v92 = load i32, ptr addrspace(1) %v91
  %v93 = bitcast i32 %v92 to float
  %v94 = call float @llvm.nvvm.fmax.xorsign.abs.f(float %v90, float %v93)
  %v95 = bitcast float %v94 to i32
  %v96 = getelementptr i32, ptr addrspace(1) %to, i64 320
  store i32 %v95, ptr addrspace(1) %v96
  %v97 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v98 = load i32, ptr addrspace(1) %v97
  %v99 = bitcast i32 %v98 to float
  %v100 = call float @llvm.nvvm.floor.f(float %v99)
  %v101 = bitcast float %v100 to i32
  %v102 = getelementptr i32, ptr addrspace(1) %to, i64 352
  store i32 %v101, ptr addrspace(1) %v102
  %v103 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v104 = load i32, ptr addrspace(1) %v103
  %v105 = bitcast i32 %v104 to float
  %v106 = call float @llvm.nvvm.ceil.f(float %v105)
  %v107 = bitcast float %v106 to i32
  %v108 = getelementptr i32, ptr addrspace(1) %to, i64 384
  store i32 %v107, ptr addrspace(1) %v108
  %v109 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v110 = load i32, ptr addrspace(1) %v109
  %v111 = bitcast i32 %v110 to float
  %v112 = call float @llvm.nvvm.trunc.f(float %v111)
  %v113 = bitcast float %v112 to i32
  %v114 = getelementptr i32, ptr addrspace(1) %to, i64 416
  store i32 %v113, ptr addrspace(1) %v114
  %v115 = getelementptr i32, ptr addrspace(1) %from, i64 128
  %v116 = load i32, ptr addrspace(1) %v115
  %v117 = bitcast i32 %v116 to float
  %v118 = call float @llvm.nvvm.round.f(float %v117)
  %v119 = bitcast float %v118 to i32
  %v120 = getelementptr i32, ptr addrspace(1) %to, i64 448
  store i32 %v119, ptr addrspace(1) %v120
  %v121 = getelementptr i32, ptr addrspace(1) %from, i64 192
  %v122 = load i32, ptr addrspace(1) %v121
  %v123 = bitcast i32 %v122 to <2 x half>
  %v124 = getelementptr i32, ptr addrspace(1) %from, i64 224
  %v125 = load i32, ptr addrspace(1) %v124
  %v126 = bitcast i32 %v125 to <2 x half>
  %v127 = getelementptr i32, ptr addrspace(1) %from, i64 256
  %v128 = load i32, ptr addrspace(1) %v127
  %v129 = bitcast i32 %v128 to <2 x half>
  %v130 = call <2 x half> @llvm.nvvm.fma.rn.f16x2(<2 x half> %v123, <2 x half> %v126, <2 x half> %v129)
  %v131 = bitcast <2 x half> %v130 to i32
  %v132 = getelementptr i32, ptr addrspace(1) %to, i64 480
  store i32 %v131, ptr addrspace(1) %v132
  %v133 = getelementptr i32, ptr addrspace(1) %from, i64 192
  %v134 = load i32, ptr addrspace(1) %v133
  %v135 = bitcast i32 %v134 to <2 x half>
  %v136 = getelementptr i32, ptr addrspace(1) %from, i64 224
  %v137 = load i32, ptr addrspace(1) %v136
  %v138 = bitcast i32 %v137 to <2 x half>
  %v139 = getelementptr i32, ptr addrspace(1) %from, i64 256
  %v140 = load i32, ptr addrspace(1) %v139
  %v141 = bitcast i32 %v140 to <2 x half>
  %v142 = call <2 x half> @llvm.nvvm.fma.rn.relu.f16x2(<2 x half> %v135, <2 x half> %v138, <2 x half> %v141)
  %v143 = bitcast <2 x half> %v142 to i32
  %v144 = getelementptr i32, ptr addrspace(1) %to, i64 512
  store i32 %v143, ptr addrspace(1) %v144
  %v145 = getelementptr i32, ptr addrspace(1) %from, i64 288
  %v146 = load i32, ptr addrspace(1) %v145
  %v147 = bitcast i32 %v146 to <2 x bfloat>
  %v148 = getelementptr i32, ptr addrspace(1) %from, i64 320
  %v149 = load i32, ptr addrspace(1) %v148
  %v150 = bitcast i32 %v149 to <2 x bfloat>
  %v151 = getelementptr i32, ptr addrspace(1) %from, i64 352
  %v152 = load i32, ptr addrspace(1) %v151
  %v153 = bitcast i32 %v152 to <2 x bfloat>
  %v154 = call <2 x bfloat> @llvm.nvvm.fma.rn.bf16x2(<2 x bfloat> %v147, <2 x bfloat> %v150, <2 x bfloat> %v153)
  %v155 = bitcast <2 x bfloat> %v154 to i32
  %v156 = getelementptr i32, ptr addrspace(1) %to, i64 544
  store i32 %v155, ptr addrspace(1) %v156
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: in, dtype: i32, shape: [12, 32], readonly: true, fill: {hex: "
      a27b140095e1cf8071091c80b51b1781b95b0581c668fd8028ee0600a32f0e80ddc73d006d900401d6f0ac00434f4e01ac281a017a9b7301dadd2c00a58ced00692c580049db2f81336446801d238c80709e41014f87250154c5e8801162b400c536528121d6bb80af474c005c0f3d0152e77b805ba00b010c1f0001bfbb2900
      bfbb29000c1f00015ba00b0152e77b805c0f3d01af474c0021d6bb80c53652811162b40054c5e8804f872501709e41011d238c803364468049db2f81692c5800a58ced00dadd2c007a9b7301ac281a01434f4e01d6f0ac006d900401ddc73d00a32f0e8028ee0600c668fd80b95b0581b51b178171091c8095e1cf80a27b1400
      00000000000000800000807f000080ff0000c07f01000000ffff7f800000803f000080bf00000000000000800000807f000080ff0000c07f01000000ffff7f800000803f000080bf00000000000000800000807f000080ff0000c07f01000000ffff7f800000803f000080bf00000000000000800000807f000080ff0000c07f
      000080bf0000803fffff7f80010000000000c07f000080ff0000807f0000008000000000000080bf0000803fffff7f80010000000000c07f000080ff0000807f0000008000000000000080bf0000803fffff7f80010000000000c07f000080ff0000807f0000008000000000000080bf0000803fffff7f80010000000000c07f
      e0f25ebfbe0e764286906bbd9911d33e887d0e3e3829ef40f499454011ea9f414b3eb43ece4a753ee96d14c021c391bd60f0b8c1283a003e77cf1abd71e5fabe0eab6fbeba25283f4605c5beed1750c2e671783e61b8fbbeb63e26c0a91bb53f96c4213eef92a63fad06cbc18cc6d6416c7388bf33c5e83f4824d94090983d3e
      ce4b07320e8079b1095002b1e70c4a40d2975a33103c8fb4b414acb44b1d20b281cbdf3557b004b095af9ab1836aaeb71b4c763fe68c28362b3bd033be947fb0d65c0a2e9ecade323b533ab087517d3d95c6aab6ff92f93712a60db6781a933f6ebc25b69d16ed37990d3ab24351bdb35fafb336193969360914efb455f5be31
      d9909eea7b9d178a0424505324a162e02be475903760e06d826e07faf139503e9f4ac57af2f853b5396146620df6dedaebe9b62887980d988342b3bd21fb014d0d3f46405d6a0905b351f7f1f9fbb74ee33df6ed5149ae24187a1606331ff9a8269ff9f58771d93e084b3b0a1dc8ed22a9d373646103f47a5688708f1646543e
      6cef6a792bc86909e33e783d87440ad89e27b1b823bd25490e4b053ea89b13be8179aa8416a50ddd969a72e154be1ee5401e2304a9c24320fa4c4748938841b50c56139dfc4b34bba587d006de768a596d5c87aeb9be09d03e97ea215309b9009e40a08da3748cafa4ea8b1b50e3faafab8bf130ba03fe6d44c7bace7f6d4a98
      5d9363b04bb509f4daa11ba65c7bd3db66e958d7ae62c8795164adae16da38b84b321ee6e44b0f777cd419c2e810bc4d16d6d300d2b16cc7cd6e05954e49fda5ddc7f27822e99a4f86245a2a797afab1918c81e3683f11f9ab54b6894d27f16cfa95998ad3cf6e0c83118dbbe23a6744d0d1cf15b0ca1b10e1a931f18a064255
      7dbf593f0f3c9cbc69c1dbbc7fbdf541173d34bd08bd85bdd4bc8941493cdfbc4f43373cd73ebebf2f4111bc13be56c174be46c0a1bd1e40e0427c401e42babe16bf82418abe04c18f42bac0703ffb3fe53c45bc06bf78bd57bfdfbdfc3c3ec191bdb0c09e42f73eacc130bfea41254137c1aec24bbc9bc032bd843c193d3e3c
      3dc32cc23c3f774336c3bb3f933d09bdb1423cc32040683e244284bd04436043f83e8241bcbf0fbd29c1d63fff41193c49bc0a4174bfaec117bea43eff4194bf96bdf8bd4d41fc413b3ce33f15bf463cc2c2f8be89416643f73c573c0641643f203c39bf064179bc96bd51c0c43df63c0d427e404cbddd4282402d40493f42bf
      5cbd6043b941ffc20e403d3e6242b342103dbcbc8a417bbf1fc13f3c86bde5bd2f4389bc2842624272bc784149bd923fd3c15dbcb641e73c47bf883e113dd63f043e614003c0863c69bd6e3f82403640993e813ecf405dbda2bc95c092c178423642a83e1d43b740863f77c13c40ccbf903cb5c21abc04bc9ec0f0413b3fa33d
      "}}
  - {name: out, dtype: i32, shape: [18, 32]}
arguments: [in, out]
expect:
  - {buffer: out, hex: "
      00000000000000005ba00b01b51b178100000000c668fd8021d6bb80c53652811162b40000000000baff7b01daf6c7013b2ea8007a9b730149db2f81a58ced00a58ced0049db2f817a9b73013b2ea800daf6c701baff7b01000000001162b400c536528121d6bb80c668fd8000000000b51b17815ba00b010000000000000000
      61373e00835c30004537fb005e0f558146676f001721b180f9e7b480964e5981ee29f200865b2000baff7b01daf6c7013b2ea800606950015c6c198187dc220187dc22015c6c1981606950013b2ea800daf6c701baff7b01865b2000ee29f200964e5981f9e7b4801721b18046676f005e0f55814537fb00835c300061373e00
      000080bf0000803f0000807f000080ffffffff7f000080ff0000807f0000803f000080bf000080bf0000803f0000807f000080ffffffff7f000080ff0000807f0000803f000080bf000080bf0000803f0000807f000080ffffffff7f000080ff0000807f0000803f000080bf000080bf0000803f0000807f000080ffffffff7f
      000000000000803f000000000000803f8b7d0e3e0000803f0000803f0000803f833eb43ece4a753e000000000000000000000000d13a003e000000000000000000000000ba25283f00000000000000009070783e00000000000000000000803ff0c3213e0000803f000000000000803f000000000000803f0000803f90983d3e
      00000000000000000000803f000000000000000001000000000000000000803f0000000000000000000000000000803f000000000000000001000000000000000000803f0000000000000000000000000000803f000000000000000001000000000000000000803f0000000000000000000000000000803f0000000000000000
      000080bf00000080ffff7f80000080ffffffff7f000080ffffff7f8000000080000080bf000080bf00000080ffff7f80000080ffffffff7f000080ffffff7f8000000080000080bf000080bf00000080ffff7f80000080ffffffff7f000080ffffff7f8000000080000080bf000080bf00000080ffff7f80000080ffffffff7f
      000080bf00000080ffff7f80000080ffffffff7f000080ffffff7f8000000080000080bf000080bf00000080ffff7f80000080ffffffff7f000080ffffff7f8000000080000080bf000080bf00000080ffff7f80000080ffffffff7f000080ffffff7f8000000080000080bf000080bf00000080ffff7f80000080ffffffff7f
      ce4b07b20e8079b1095002319911d33ed2975a33103c8fb4b414acb44b1d20b281cbdf3557b004b095af9a31836aae371b4c76bfe68c28362b3bd0b3be947f30d65c0aae9ecade323b533a3087517dbd95c6aab6ff92f9b712a60d36781a933f6ebc25b69d16ed37990d3a324351bdb35fafb3b6193969360914efb455f5be31
      000000000000803f0000807f01000000ffffff7f010000000000807f0000803f00000000000000000000803f0000807f01000000ffffff7f010000000000807f0000803f00000000000000000000803f0000807f01000000ffffff7f010000000000807f0000803f00000000000000000000803f0000807f01000000ffffff7f
      000000000000803f0000807f01000000ffffff7f010000000000807f0000803f00000000000000000000803f0000807f01000000ffffff7f010000000000807f0000803f00000000000000000000803f0000807f01000000ffffff7f010000000000807f0000803f00000000000000000000803f0000807f01000000ffffff7f
      e0f25ebfbe0e76c286906b3de70c4a40887d0e3e3829efc0f49945c011ea9fc14b3eb43ece4a75bee96d144021c3913d60f0b8c1283a003e77cf1abd71e5fa3e0eab6fbeba25283f4605c53eed1750c2e67178be61b8fbbeb63e2640a91bb53f96c421beef92a63fad06cb418cc6d6c16c7388bf33c5e83f4824d9c090983d3e
      000080bf00007442000080bf00000000000000000000e04000004040000098410000000000000000000040c0000080bf0000c0c100000000000080bf000080bf000080bf00000000000080bf000054c200000000000080bf000040c00000803f000000000000803f0000d0c10000d041000000c00000803f0000c04000000000
      0000008000007842000000800000803f0000803f00000041000080400000a0410000803f0000803f000000c0000000800000b8c10000803f0000008000000080000000800000803f00000080000050c20000803f00000080000000c0000000400000803f000000400000c8c10000d841000080bf000000400000e0400000803f
      00000080000074420000008000000000000000000000e04000004040000098410000000000000000000000c0000000800000b8c1000000000000008000000080000000800000000000000080000050c20000000000000080000000c00000803f000000000000803f0000c8c10000d041000080bf0000803f0000c04000000000
      000080bf000078420000008000000000000000000000e040000040400000a0410000000000000000000000c0000000800000b8c1000000000000008000000080000000800000803f00000080000050c20000000000000080000040c00000803f000000000000803f0000c8c10000d841000080bf000000400000e04000000000
      7f4400fc94b409f4fa23ff545c7b007c76e958d71159007c007c00fc16dad9c1007c22e6696216779ed400fcc978007c3ed7fa0096b16cc7dd6e18cab14c99c61559f278087a9a4f5322e2bc00fca66c835e48dd01cc11f9cacaad894d27f16c80a43348007c73b2d6f98dbb856f6744d0d17f59b0ca007cc1a931f12e784255
      7f44000000000000fa23ff545c7b007c000000001159007c007c000000000000007c00006962167700000000c978007c0000fa0000000000dd6e0000b14c00001559f278087a9a4f532200000000a66c835e000000000000000000004d27f16c00003348007c000000000000856f674400007f590000007c000000002e784255
      3b433c43b94104c32645153e6242b1425340044189417fbf30c18cbfc73fc7c08a43293e26426242e7c2784194c0823fd3c1d6c1b74157c28ac1c33f9d440640303ec63fb0c082c3423f16c1614038401ac0843e20c060c139bd95c090c14e4236428a404d44b740284053c1b840a4bfcac3dac310bc06c4a4c0f041433f913d
      "}
