; Shuffles in all modes, with segments, predicates and partial masks.
; DEVICE: warp shuffles; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.idx.f32(i32, float, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)

; out: one row of 64 elements per result.
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %three = mul i32 %t, 3
  %lane = and i32 %t, 31
  %half = lshr i32 %lane, 1
  %v1 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %three, i32 1, i32 31)
  %v2 = getelementptr i32, ptr addrspace(1) %mine, i64 0
  store i32 %v1, ptr addrspace(1) %v2
  %v3 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %three, i32 16, i32 31)
  %v4 = getelementptr i32, ptr addrspace(1) %mine, i64 64
  store i32 %v3, ptr addrspace(1) %v4
  %v5 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %three, i32 5, i32 31)
  %v6 = getelementptr i32, ptr addrspace(1) %mine, i64 128
  store i32 %v5, ptr addrspace(1) %v6
  %v7 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %three, i32 3, i32 6175)
  %v8 = getelementptr i32, ptr addrspace(1) %mine, i64 192
  store i32 %v7, ptr addrspace(1) %v8
  %v9 = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %three, i32 %half, i32 0)
  %v10 = getelementptr i32, ptr addrspace(1) %mine, i64 256
  store i32 %v9, ptr addrspace(1) %v10
  %v11 = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %three, i32 2, i32 7168)
  %v12 = getelementptr i32, ptr addrspace(1) %mine, i64 320
  store i32 %v11, ptr addrspace(1) %v12
  %v13 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %three, i32 7, i32 31)
  %v14 = getelementptr i32, ptr addrspace(1) %mine, i64 384
  store i32 %v13, ptr addrspace(1) %v14
  %v15 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %three, i32 6, i32 7199)
  %v16 = getelementptr i32, ptr addrspace(1) %mine, i64 448
  store i32 %v15, ptr addrspace(1) %v16
  %v17 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %three, i32 %half, i32 31)
  %v18 = getelementptr i32, ptr addrspace(1) %mine, i64 512
  store i32 %v17, ptr addrspace(1) %v18
  %v19 = sitofp i32 %t to float
  %v20 = call float @llvm.nvvm.shfl.sync.idx.f32(i32 -1, float %v19, i32 0, i32 31)
  %v21 = bitcast float %v20 to i32
  %v22 = getelementptr i32, ptr addrspace(1) %mine, i64 576
  store i32 %v21, ptr addrspace(1) %v22
  %v23 = call { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %t, i32 30, i32 31)
  %v24 = extractvalue { i32, i1 } %v23, 0
  %v25 = getelementptr i32, ptr addrspace(1) %mine, i64 640
  store i32 %v24, ptr addrspace(1) %v25
  %v26 = extractvalue { i32, i1 } %v23, 1
  %v27 = zext i1 %v26 to i32
  %v28 = getelementptr i32, ptr addrspace(1) %mine, i64 704
  store i32 %v27, ptr addrspace(1) %v28
  ret void
}
;--- launch.yaml
block: 64
buffers:
  - {name: out, dtype: i32, shape: [12, 64]}
arguments: [out]
expect:
  - {buffer: out, first: 0, count: 64, each: "3 * (i + 1 - 2 * (i mod 2))"}
  - {buffer: out, first: 64, count: 64, each: "3 * (i - i mod 32 + (i mod 32 + 16) mod 32)"}
  - {buffer: out, first: 128, count: 64, each: "3 * select(i mod 32 + 5 < 32, i + 5, i)"}
  - {buffer: out, first: 192, count: 64, each: "3 * select(i mod 8 + 3 < 8, i + 3, i)"}
  - {buffer: out, first: 256, count: 64, each: "3 * (i - i mod 32 + i mod 32 - (i mod 32) floordiv 2)"}
  - {buffer: out, first: 320, count: 64, each: "3 * select(i mod 4 < 2, i, i - 2)"}
  - {buffer: out, first: 384, count: 64, each: "3 * (i - i mod 32 + 7)"}
  - {buffer: out, first: 448, count: 64, each: "3 * (i - i mod 4 + 2)"}
  - {buffer: out, first: 512, count: 64, each: "3 * (i - i mod 32 + (i mod 32) floordiv 2)"}
  - {buffer: out, first: 576, count: 64, each: "select(i < 32, 0, 1107296256)"}
  - {buffer: out, first: 640, count: 64, each: "select(i mod 32 < 2, i + 30, i)"}
  - {buffer: out, first: 704, count: 64, each: "i mod 32 < 2"}
