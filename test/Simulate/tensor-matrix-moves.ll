; ldmatrix and stmatrix: which element lies in which register of which lane.
; DEVICE: ldmatrix and stmatrix; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: not lathe simulate %t/misaligned.ll --launch %t/launch.yaml | FileCheck %s
; CHECK: misaligned
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [1024 x i16] poison, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))
declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3), i32, i32, i32, i32)

; 32 rows of 8 elements, one to a lane: element = 8 row + column.
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %lane, 8
  %from = getelementptr i16, ptr addrspace(1) %in, i32 %row
  %values = load <8 x i16>, ptr addrspace(1) %from, align 16
  %at = add i32 %row, 0
  %to = getelementptr i16, ptr addrspace(3) @tile, i32 %row
  store <8 x i16> %values, ptr addrspace(3) %to, align 16
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %address = getelementptr i16, ptr addrspace(3) @tile, i32 %at
  %four = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %address)
  %two = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %address)
  %f0 = extractvalue { i32, i32, i32, i32 } %four, 0
  %fa0 = getelementptr [4 x i32], ptr addrspace(1) %out, i32 %lane, i32 0
  store i32 %f0, ptr addrspace(1) %fa0
  %f1 = extractvalue { i32, i32, i32, i32 } %four, 1
  %fa1 = getelementptr [4 x i32], ptr addrspace(1) %out, i32 %lane, i32 1
  store i32 %f1, ptr addrspace(1) %fa1
  %f2 = extractvalue { i32, i32, i32, i32 } %four, 2
  %fa2 = getelementptr [4 x i32], ptr addrspace(1) %out, i32 %lane, i32 2
  store i32 %f2, ptr addrspace(1) %fa2
  %f3 = extractvalue { i32, i32, i32, i32 } %four, 3
  %fa3 = getelementptr [4 x i32], ptr addrspace(1) %out, i32 %lane, i32 3
  store i32 %f3, ptr addrspace(1) %fa3
  %pairs = getelementptr i32, ptr addrspace(1) %out, i32 128
  %t0 = extractvalue { i32, i32 } %two, 0
  %ta0 = getelementptr [2 x i32], ptr addrspace(1) %pairs, i32 %lane, i32 0
  store i32 %t0, ptr addrspace(1) %ta0
  %t1 = extractvalue { i32, i32 } %two, 1
  %ta1 = getelementptr [2 x i32], ptr addrspace(1) %pairs, i32 %lane, i32 1
  store i32 %t1, ptr addrspace(1) %ta1
  %copy = getelementptr i16, ptr addrspace(3) @tile, i32 512
  %back = getelementptr i16, ptr addrspace(3) %copy, i32 %row
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %back, i32 %f0, i32 %f1, i32 %f2, i32 %f3)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %turned = load <8 x i16>, ptr addrspace(3) %back, align 16
  %rest = getelementptr i32, ptr addrspace(1) %out, i32 192
  %ra = getelementptr i16, ptr addrspace(1) %rest, i32 %row
  store <8 x i16> %turned, ptr addrspace(1) %ra, align 16
  ret void
}
;--- misaligned.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [1024 x i16] poison, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))
declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3), i32, i32, i32, i32)

; 32 rows of 8 elements, one to a lane: element = 8 row + column.
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %lane, 8
  %from = getelementptr i16, ptr addrspace(1) %in, i32 %row
  %values = load <8 x i16>, ptr addrspace(1) %from, align 16
  %at = add i32 %row, 1
  %to = getelementptr i16, ptr addrspace(3) @tile, i32 %row
  store <8 x i16> %values, ptr addrspace(3) %to, align 16
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %address = getelementptr i16, ptr addrspace(3) @tile, i32 %at
  %four = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %address)
  %two = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %address)
  %f0 = extractvalue { i32, i32, i32, i32 } %four, 0
  %fa0 = getelementptr [4 x i32], ptr addrspace(1) %out, i32 %lane, i32 0
  store i32 %f0, ptr addrspace(1) %fa0
  %f1 = extractvalue { i32, i32, i32, i32 } %four, 1
  %fa1 = getelementptr [4 x i32], ptr addrspace(1) %out, i32 %lane, i32 1
  store i32 %f1, ptr addrspace(1) %fa1
  %f2 = extractvalue { i32, i32, i32, i32 } %four, 2
  %fa2 = getelementptr [4 x i32], ptr addrspace(1) %out, i32 %lane, i32 2
  store i32 %f2, ptr addrspace(1) %fa2
  %f3 = extractvalue { i32, i32, i32, i32 } %four, 3
  %fa3 = getelementptr [4 x i32], ptr addrspace(1) %out, i32 %lane, i32 3
  store i32 %f3, ptr addrspace(1) %fa3
  %pairs = getelementptr i32, ptr addrspace(1) %out, i32 128
  %t0 = extractvalue { i32, i32 } %two, 0
  %ta0 = getelementptr [2 x i32], ptr addrspace(1) %pairs, i32 %lane, i32 0
  store i32 %t0, ptr addrspace(1) %ta0
  %t1 = extractvalue { i32, i32 } %two, 1
  %ta1 = getelementptr [2 x i32], ptr addrspace(1) %pairs, i32 %lane, i32 1
  store i32 %t1, ptr addrspace(1) %ta1
  %copy = getelementptr i16, ptr addrspace(3) @tile, i32 512
  %back = getelementptr i16, ptr addrspace(3) %copy, i32 %row
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %back, i32 %f0, i32 %f1, i32 %f2, i32 %f3)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %turned = load <8 x i16>, ptr addrspace(3) %back, align 16
  %rest = getelementptr i32, ptr addrspace(1) %out, i32 192
  %ra = getelementptr i16, ptr addrspace(1) %rest, i32 %row
  store <8 x i16> %turned, ptr addrspace(1) %ra, align 16
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: in, dtype: i16, shape: [32, 8], fill: iota}
  - {name: out, dtype: i32, shape: [320]}
arguments: [in, out]
expect:
  - {buffer: out, first: 0, count: 128, each: "(i mod 4 * 64 + i floordiv 16 * 8 + i floordiv 4 mod 4 * 2) * 65537 + 65536"}
  - {buffer: out, first: 128, count: 64, each: "(i mod 2 * 64 + i floordiv 2 mod 4 * 16 + i floordiv 8) * 65537 + 8 * 65536"}
  - {buffer: out, first: 192, count: 128, each: "(i floordiv 4 floordiv 8 * 64 + i mod 4 * 16 + i floordiv 4 mod 8) * 65537 + 8 * 65536"}
