; Byte permutations, bit fields, packed products.
; DEVICE: bit fields and packed products; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
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
declare i32 @llvm.nvvm.idp4a.u.u(i32, i32, i32)
declare i32 @llvm.nvvm.idp2a.s.u(i32, i32, i1, i32)
declare i32 @llvm.nvvm.mulhi.i(i32, i32)
declare i32 @llvm.nvvm.mulhi.ui(i32, i32)
declare i64 @llvm.nvvm.mulhi.ull(i64, i64)
declare i32 @llvm.nvvm.mul24.i(i32, i32)
declare i32 @llvm.nvvm.sad.i(i32, i32, i32)
declare i32 @llvm.nvvm.sad.ui(i32, i32, i32)
declare i32 @llvm.nvvm.flo.u.i32(i32, i1)
declare i32 @llvm.nvvm.flo.s.i32(i32, i1)
declare i32 @llvm.nvvm.sext.clamp(i32, i32)
declare i32 @llvm.nvvm.zext.wrap(i32, i32)
declare i32 @llvm.nvvm.bmsk.clamp(i32, i32)
declare i32 @llvm.nvvm.fns(i32, i32, i32)
declare i32 @llvm.nvvm.fshl.clamp.i32(i32, i32, i32)
declare i32 @llvm.nvvm.fshr.clamp.i32(i32, i32, i32)

; out: one row of 32 elements per result.
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v1 = call i32 @llvm.nvvm.prmt(i32 857870592, i32 2003195268, i32 29712)
  %v2 = getelementptr i32, ptr addrspace(1) %mine, i64 0
  store i32 %v1, ptr addrspace(1) %v2
  %v3 = call i32 @llvm.nvvm.prmt(i32 857870592, i32 2003195268, i32 12)
  %v4 = getelementptr i32, ptr addrspace(1) %mine, i64 32
  store i32 %v3, ptr addrspace(1) %v4
  %v5 = call i32 @llvm.nvvm.prmt.f4e(i32 857870592, i32 2003195268, i32 1)
  %v6 = getelementptr i32, ptr addrspace(1) %mine, i64 64
  store i32 %v5, ptr addrspace(1) %v6
  %v7 = call i32 @llvm.nvvm.prmt.b4e(i32 857870592, i32 2003195268, i32 1)
  %v8 = getelementptr i32, ptr addrspace(1) %mine, i64 96
  store i32 %v7, ptr addrspace(1) %v8
  %v9 = call i32 @llvm.nvvm.prmt.rc8(i32 857870592, i32 2)
  %v10 = getelementptr i32, ptr addrspace(1) %mine, i64 128
  store i32 %v9, ptr addrspace(1) %v10
  %v11 = call i32 @llvm.nvvm.prmt.ecl(i32 857870592, i32 2)
  %v12 = getelementptr i32, ptr addrspace(1) %mine, i64 160
  store i32 %v11, ptr addrspace(1) %v12
  %v13 = call i32 @llvm.nvvm.prmt.ecr(i32 857870592, i32 2)
  %v14 = getelementptr i32, ptr addrspace(1) %mine, i64 192
  store i32 %v13, ptr addrspace(1) %v14
  %v15 = call i32 @llvm.nvvm.prmt.rc16(i32 857870592, i32 1)
  %v16 = getelementptr i32, ptr addrspace(1) %mine, i64 224
  store i32 %v15, ptr addrspace(1) %v16
  %v17 = call i32 @llvm.nvvm.idp4a.s.s(i32 -16646399, i32 33686018, i32 10)
  %v18 = getelementptr i32, ptr addrspace(1) %mine, i64 256
  store i32 %v17, ptr addrspace(1) %v18
  %v19 = call i32 @llvm.nvvm.idp4a.u.u(i32 -16646399, i32 33686018, i32 10)
  %v20 = getelementptr i32, ptr addrspace(1) %mine, i64 288
  store i32 %v19, ptr addrspace(1) %v20
  %v21 = call i32 @llvm.nvvm.idp2a.s.u(i32 -65533, i32 84148994, i1 true, i32 1)
  %v22 = getelementptr i32, ptr addrspace(1) %mine, i64 320
  store i32 %v21, ptr addrspace(1) %v22
  %v23 = call i32 @llvm.nvvm.mulhi.i(i32 -5, i32 1073741824)
  %v24 = getelementptr i32, ptr addrspace(1) %mine, i64 352
  store i32 %v23, ptr addrspace(1) %v24
  %v25 = call i32 @llvm.nvvm.mulhi.ui(i32 -5, i32 1073741824)
  %v26 = getelementptr i32, ptr addrspace(1) %mine, i64 384
  store i32 %v25, ptr addrspace(1) %v26
  %v27 = call i64 @llvm.nvvm.mulhi.ull(i64 -3, i64 12)
  %v28 = trunc i64 %v27 to i32
  %v29 = getelementptr i32, ptr addrspace(1) %mine, i64 416
  store i32 %v28, ptr addrspace(1) %v29
  %v30 = call i32 @llvm.nvvm.mul24.i(i32 16777214, i32 3)
  %v31 = getelementptr i32, ptr addrspace(1) %mine, i64 448
  store i32 %v30, ptr addrspace(1) %v31
  %v32 = call i32 @llvm.nvvm.sad.i(i32 -7, i32 8, i32 100)
  %v33 = getelementptr i32, ptr addrspace(1) %mine, i64 480
  store i32 %v32, ptr addrspace(1) %v33
  %v34 = call i32 @llvm.nvvm.sad.ui(i32 -7, i32 8, i32 100)
  %v35 = getelementptr i32, ptr addrspace(1) %mine, i64 512
  store i32 %v34, ptr addrspace(1) %v35
  %v36 = call i32 @llvm.nvvm.flo.u.i32(i32 1048576, i1 false)
  %v37 = getelementptr i32, ptr addrspace(1) %mine, i64 544
  store i32 %v36, ptr addrspace(1) %v37
  %v38 = call i32 @llvm.nvvm.flo.s.i32(i32 -16, i1 true)
  %v39 = getelementptr i32, ptr addrspace(1) %mine, i64 576
  store i32 %v38, ptr addrspace(1) %v39
  %v40 = call i32 @llvm.nvvm.sext.clamp(i32 248, i32 4)
  %v41 = getelementptr i32, ptr addrspace(1) %mine, i64 608
  store i32 %v40, ptr addrspace(1) %v41
  %v42 = call i32 @llvm.nvvm.zext.wrap(i32 248, i32 36)
  %v43 = getelementptr i32, ptr addrspace(1) %mine, i64 640
  store i32 %v42, ptr addrspace(1) %v43
  %v44 = call i32 @llvm.nvvm.bmsk.clamp(i32 4, i32 8)
  %v45 = getelementptr i32, ptr addrspace(1) %mine, i64 672
  store i32 %v44, ptr addrspace(1) %v45
  %v46 = call i32 @llvm.nvvm.fns(i32 240, i32 0, i32 2)
  %v47 = getelementptr i32, ptr addrspace(1) %mine, i64 704
  store i32 %v46, ptr addrspace(1) %v47
  %v48 = call i32 @llvm.nvvm.fshl.clamp.i32(i32 1, i32 -2147483648, i32 1)
  %v49 = getelementptr i32, ptr addrspace(1) %mine, i64 736
  store i32 %v48, ptr addrspace(1) %v49
  %v50 = call i32 @llvm.nvvm.fshr.clamp.i32(i32 1, i32 -2147483648, i32 40)
  %v51 = getelementptr i32, ptr addrspace(1) %mine, i64 768
  store i32 %v50, ptr addrspace(1) %v51
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: out, dtype: i32, shape: [25, 32]}
arguments: [out]
expect:
  - {buffer: out, first: 0, count: 32, each: "2005143808"}
  - {buffer: out, first: 32, count: 32, each: "255"}
  - {buffer: out, first: 64, count: 32, each: "-2077023727"}
  - {buffer: out, first: 96, count: 32, each: "1719074833"}
  - {buffer: out, first: 128, count: 32, each: "572662306"}
  - {buffer: out, first: 160, count: 32, each: "857874978"}
  - {buffer: out, first: 192, count: 32, each: "572657920"}
  - {buffer: out, first: 224, count: 32, each: "857879330"}
  - {buffer: out, first: 256, count: 32, each: "10"}
  - {buffer: out, first: 288, count: 32, each: "1034"}
  - {buffer: out, first: 320, count: 32, each: "8"}
  - {buffer: out, first: 352, count: 32, each: "-2"}
  - {buffer: out, first: 384, count: 32, each: "1073741822"}
  - {buffer: out, first: 416, count: 32, each: "11"}
  - {buffer: out, first: 448, count: 32, each: "-6"}
  - {buffer: out, first: 480, count: 32, each: "115"}
  - {buffer: out, first: 512, count: 32, each: "85"}
  - {buffer: out, first: 544, count: 32, each: "20"}
  - {buffer: out, first: 576, count: 32, each: "28"}
  - {buffer: out, first: 608, count: 32, each: "-8"}
  - {buffer: out, first: 640, count: 32, each: "8"}
  - {buffer: out, first: 672, count: 32, each: "4080"}
  - {buffer: out, first: 704, count: 32, each: "5"}
  - {buffer: out, first: 736, count: 32, each: "3"}
  - {buffer: out, first: 768, count: 32, each: "1"}
