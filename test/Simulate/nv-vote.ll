; Votes, matches, reductions of a warp and elections.
; DEVICE: votes, matches, warp reductions; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: llc -mcpu=sm_90a -mattr=+ptx81 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32, i64)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.redux.sync.min(i32, i32)
declare i32 @llvm.nvvm.redux.sync.max(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umin(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umax(i32, i32)
declare i32 @llvm.nvvm.redux.sync.and(i32, i32)
declare i32 @llvm.nvvm.redux.sync.or(i32, i32)
declare i32 @llvm.nvvm.redux.sync.xor(i32, i32)
declare { i32, i1 } @llvm.nvvm.elect.sync(i32)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.nvvm.activemask()

; out: one row of 64 elements per result.
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %lane = and i32 %t, 31
  %third = urem i32 %lane, 3
  %p = icmp eq i32 %third, 0
  %quad = lshr i32 %lane, 2
  %neg = sub i32 5, %lane
  %v1 = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %p)
  %v2 = getelementptr i32, ptr addrspace(1) %mine, i64 0
  store i32 %v1, ptr addrspace(1) %v2
  %v3 = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %p)
  %v4 = zext i1 %v3 to i32
  %v5 = getelementptr i32, ptr addrspace(1) %mine, i64 64
  store i32 %v4, ptr addrspace(1) %v5
  %v6 = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %p)
  %v7 = zext i1 %v6 to i32
  %v8 = getelementptr i32, ptr addrspace(1) %mine, i64 128
  store i32 %v7, ptr addrspace(1) %v8
  %v9 = call i1 @llvm.nvvm.vote.uni.sync(i32 -1, i1 %p)
  %v10 = zext i1 %v9 to i32
  %v11 = getelementptr i32, ptr addrspace(1) %mine, i64 192
  store i32 %v10, ptr addrspace(1) %v11
  %v12 = call i1 @llvm.nvvm.vote.uni.sync(i32 -1, i1 false)
  %v13 = zext i1 %v12 to i32
  %v14 = getelementptr i32, ptr addrspace(1) %mine, i64 256
  store i32 %v13, ptr addrspace(1) %v14
  %v15 = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %third)
  %v16 = getelementptr i32, ptr addrspace(1) %mine, i64 320
  store i32 %v15, ptr addrspace(1) %v16
  %v17 = zext i32 %quad to i64
  %v18 = shl i64 %v17, 40
  %v19 = call i32 @llvm.nvvm.match.any.sync.i64(i32 -1, i64 %v18)
  %v20 = getelementptr i32, ptr addrspace(1) %mine, i64 384
  store i32 %v19, ptr addrspace(1) %v20
  %v21 = call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %third)
  %v22 = extractvalue { i32, i1 } %v21, 0
  %v23 = getelementptr i32, ptr addrspace(1) %mine, i64 448
  store i32 %v22, ptr addrspace(1) %v23
  %v24 = extractvalue { i32, i1 } %v21, 1
  %v25 = zext i1 %v24 to i32
  %v26 = getelementptr i32, ptr addrspace(1) %mine, i64 512
  store i32 %v25, ptr addrspace(1) %v26
  %v27 = call { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32 -1, i64 77)
  %v28 = extractvalue { i32, i1 } %v27, 0
  %v29 = getelementptr i32, ptr addrspace(1) %mine, i64 576
  store i32 %v28, ptr addrspace(1) %v29
  %v30 = extractvalue { i32, i1 } %v27, 1
  %v31 = zext i1 %v30 to i32
  %v32 = getelementptr i32, ptr addrspace(1) %mine, i64 640
  store i32 %v31, ptr addrspace(1) %v32
  %v33 = call i32 @llvm.nvvm.redux.sync.add(i32 %neg, i32 -1)
  %v34 = getelementptr i32, ptr addrspace(1) %mine, i64 704
  store i32 %v33, ptr addrspace(1) %v34
  %v35 = call i32 @llvm.nvvm.redux.sync.min(i32 %neg, i32 -1)
  %v36 = getelementptr i32, ptr addrspace(1) %mine, i64 768
  store i32 %v35, ptr addrspace(1) %v36
  %v37 = call i32 @llvm.nvvm.redux.sync.max(i32 %neg, i32 -1)
  %v38 = getelementptr i32, ptr addrspace(1) %mine, i64 832
  store i32 %v37, ptr addrspace(1) %v38
  %v39 = call i32 @llvm.nvvm.redux.sync.umin(i32 %neg, i32 -1)
  %v40 = getelementptr i32, ptr addrspace(1) %mine, i64 896
  store i32 %v39, ptr addrspace(1) %v40
  %v41 = call i32 @llvm.nvvm.redux.sync.umax(i32 %neg, i32 -1)
  %v42 = getelementptr i32, ptr addrspace(1) %mine, i64 960
  store i32 %v41, ptr addrspace(1) %v42
  %v43 = call i32 @llvm.nvvm.redux.sync.and(i32 %neg, i32 -1)
  %v44 = getelementptr i32, ptr addrspace(1) %mine, i64 1024
  store i32 %v43, ptr addrspace(1) %v44
  %v45 = call i32 @llvm.nvvm.redux.sync.or(i32 %neg, i32 -1)
  %v46 = getelementptr i32, ptr addrspace(1) %mine, i64 1088
  store i32 %v45, ptr addrspace(1) %v46
  %v47 = call i32 @llvm.nvvm.redux.sync.xor(i32 %neg, i32 -1)
  %v48 = getelementptr i32, ptr addrspace(1) %mine, i64 1152
  store i32 %v47, ptr addrspace(1) %v48
  %v49 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %v50 = extractvalue { i32, i1 } %v49, 1
  %v51 = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %v50)
  %v52 = call i32 @llvm.ctpop.i32(i32 %v51)
  %v53 = getelementptr i32, ptr addrspace(1) %mine, i64 1216
  store i32 %v52, ptr addrspace(1) %v53
  %v54 = extractvalue { i32, i1 } %v49, 0
  %v55 = shl i32 1, %v54
  %v56 = icmp eq i32 %v55, %v51
  %v57 = zext i1 %v56 to i32
  %v58 = getelementptr i32, ptr addrspace(1) %mine, i64 1280
  store i32 %v57, ptr addrspace(1) %v58
  %v59 = call i32 @llvm.nvvm.activemask()
  %v60 = getelementptr i32, ptr addrspace(1) %mine, i64 1344
  store i32 %v59, ptr addrspace(1) %v60
  ret void
}
;--- launch.yaml
block: 64
buffers:
  - {name: out, dtype: i32, shape: [22, 64]}
arguments: [out]
expect:
  - {buffer: out, first: 0, count: 64, each: "1227133513"}
  - {buffer: out, first: 64, count: 64, each: "0"}
  - {buffer: out, first: 128, count: 64, each: "1"}
  - {buffer: out, first: 192, count: 64, each: "0"}
  - {buffer: out, first: 256, count: 64, each: "1"}
  - {buffer: out, first: 320, count: 64, each: "select(i mod 32 mod 3 == 0, 1227133513, select(i mod 32 mod 3 == 1, -1840700270, 613566756))"}
  - {buffer: out, first: 384, count: 64, each: "select(i mod 32 < 28, 15 * 1 * select(i mod 32 floordiv 4 >= 1, 16, 1) * select(i mod 32 floordiv 4 >= 2, 16, 1) * select(i mod 32 floordiv 4 >= 3, 16, 1) * select(i mod 32 floordiv 4 >= 4, 16, 1) * select(i mod 32 floordiv 4 >= 5, 16, 1) * select(i mod 32 floordiv 4 >= 6, 16, 1) * select(i mod 32 floordiv 4 >= 7, 16, 1), -268435456)"}
  - {buffer: out, first: 448, count: 64, each: "0"}
  - {buffer: out, first: 512, count: 64, each: "0"}
  - {buffer: out, first: 576, count: 64, each: "-1"}
  - {buffer: out, first: 640, count: 64, each: "1"}
  - {buffer: out, first: 704, count: 64, each: "-336"}
  - {buffer: out, first: 768, count: 64, each: "-26"}
  - {buffer: out, first: 832, count: 64, each: "5"}
  - {buffer: out, first: 896, count: 64, each: "0"}
  - {buffer: out, first: 960, count: 64, each: "-1"}
  - {buffer: out, first: 1024, count: 64, each: "0"}
  - {buffer: out, first: 1088, count: 64, each: "-1"}
  - {buffer: out, first: 1152, count: 64, each: "0"}
  - {buffer: out, first: 1216, count: 64, each: "1"}
  - {buffer: out, first: 1280, count: 64, each: "1"}
  - {buffer: out, first: 1344, count: 64, each: "-1"}
