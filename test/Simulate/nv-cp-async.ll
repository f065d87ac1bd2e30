; Copies by group, with zeros for what the source lacks; read before the wait or
; before other lanes waited.
; DEVICE: asynchronous copies; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --async late
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --async random --random --seed 3
; RUN: not lathe simulate %t/early.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=EARLY
; EARLY: {{shared-race|async-hazard}}
; EARLY-SAME: cp.async
; RUN: not lathe simulate %t/unordered.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=UNORDERED
; UNORDERED: {{uninitialized-read|shared-race}}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/early.ll -o %t/early.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/early.ptx -o %t/early.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/unordered.ll -o %t/unordered.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/unordered.ptx -o %t/unordered.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.nvvm.cp.async.wait.all()

define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = mul i32 %t, 4
  %a.to = getelementptr i32, ptr addrspace(3) @tile, i32 %wide
  %a.from = getelementptr i32, ptr addrspace(1) %in, i32 %wide
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %a.to, ptr addrspace(1) %a.from)
  call void @llvm.nvvm.cp.async.commit.group()
  %pair = mul i32 %t, 2
  %b.at = add i32 %pair, 128
  %b.to = getelementptr i32, ptr addrspace(3) @tile, i32 %b.at
  %b.from = getelementptr i32, ptr addrspace(1) %in, i32 %b.at
  %odd = and i32 %t, 1
  %b.bytes = mul i32 %odd, 4
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %b.to, ptr addrspace(1) %b.from, i32 %b.bytes)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 1)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %mirror = sub i32 31, %t
  %a.other = mul i32 %mirror, 4
  %a.read = getelementptr i32, ptr addrspace(3) @tile, i32 %a.other
  %a = load <4 x i32>, ptr addrspace(3) %a.read
  %out.a = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
  store <4 x i32> %a, ptr addrspace(1) %out.a
  %c.to = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %c.to, ptr addrspace(1) %in)
  call void @llvm.nvvm.cp.async.wait.all()
  %b.read = getelementptr i32, ptr addrspace(3) @tile, i32 %b.at
  %b = load <2 x i32>, ptr addrspace(3) %b.read
  %b.slot = getelementptr i32, ptr addrspace(1) %out, i32 %b.at
  store <2 x i32> %b, ptr addrspace(1) %b.slot
  %c = load i32, ptr addrspace(3) %c.to
  %last = getelementptr i32, ptr addrspace(1) %out, i64 192
  %c.slot = getelementptr i32, ptr addrspace(1) %last, i32 %t
  store i32 %c, ptr addrspace(1) %c.slot
  ret void
}
;--- early.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.nvvm.cp.async.wait.all()

define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = mul i32 %t, 4
  %a.to = getelementptr i32, ptr addrspace(3) @tile, i32 %wide
  %a.from = getelementptr i32, ptr addrspace(1) %in, i32 %wide
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %a.to, ptr addrspace(1) %a.from)
  call void @llvm.nvvm.cp.async.commit.group()
  %pair = mul i32 %t, 2
  %b.at = add i32 %pair, 128
  %b.to = getelementptr i32, ptr addrspace(3) @tile, i32 %b.at
  %b.from = getelementptr i32, ptr addrspace(1) %in, i32 %b.at
  %odd = and i32 %t, 1
  %b.bytes = mul i32 %odd, 4
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %b.to, ptr addrspace(1) %b.from, i32 %b.bytes)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 2)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %mirror = sub i32 31, %t
  %a.other = mul i32 %mirror, 4
  %a.read = getelementptr i32, ptr addrspace(3) @tile, i32 %a.other
  %a = load <4 x i32>, ptr addrspace(3) %a.read
  %out.a = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
  store <4 x i32> %a, ptr addrspace(1) %out.a
  %c.to = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %c.to, ptr addrspace(1) %in)
  call void @llvm.nvvm.cp.async.wait.all()
  %b.read = getelementptr i32, ptr addrspace(3) @tile, i32 %b.at
  %b = load <2 x i32>, ptr addrspace(3) %b.read
  %b.slot = getelementptr i32, ptr addrspace(1) %out, i32 %b.at
  store <2 x i32> %b, ptr addrspace(1) %b.slot
  %c = load i32, ptr addrspace(3) %c.to
  %last = getelementptr i32, ptr addrspace(1) %out, i64 192
  %c.slot = getelementptr i32, ptr addrspace(1) %last, i32 %t
  store i32 %c, ptr addrspace(1) %c.slot
  ret void
}
;--- unordered.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.nvvm.cp.async.wait.all()

define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) "nvvm.maxntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = mul i32 %t, 4
  %a.to = getelementptr i32, ptr addrspace(3) @tile, i32 %wide
  %a.from = getelementptr i32, ptr addrspace(1) %in, i32 %wide
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %a.to, ptr addrspace(1) %a.from)
  call void @llvm.nvvm.cp.async.commit.group()
  %pair = mul i32 %t, 2
  %b.at = add i32 %pair, 128
  %b.to = getelementptr i32, ptr addrspace(3) @tile, i32 %b.at
  %b.from = getelementptr i32, ptr addrspace(1) %in, i32 %b.at
  %odd = and i32 %t, 1
  %b.bytes = mul i32 %odd, 4
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %b.to, ptr addrspace(1) %b.from, i32 %b.bytes)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 1)

  %mirror = sub i32 31, %t
  %a.other = mul i32 %mirror, 4
  %a.read = getelementptr i32, ptr addrspace(3) @tile, i32 %a.other
  %a = load <4 x i32>, ptr addrspace(3) %a.read
  %out.a = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
  store <4 x i32> %a, ptr addrspace(1) %out.a
  %c.to = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %c.to, ptr addrspace(1) %in)
  call void @llvm.nvvm.cp.async.wait.all()
  %b.read = getelementptr i32, ptr addrspace(3) @tile, i32 %b.at
  %b = load <2 x i32>, ptr addrspace(3) %b.read
  %b.slot = getelementptr i32, ptr addrspace(1) %out, i32 %b.at
  store <2 x i32> %b, ptr addrspace(1) %b.slot
  %c = load i32, ptr addrspace(3) %c.to
  %last = getelementptr i32, ptr addrspace(1) %out, i64 192
  %c.slot = getelementptr i32, ptr addrspace(1) %last, i32 %t
  store i32 %c, ptr addrspace(1) %c.slot
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: in, dtype: i32, shape: [256], fill: {each: "i + 1000"}, readonly: true}
  - {name: out, dtype: i32, shape: [224]}
arguments: [in, out]
expect:
  - {buffer: out, count: 128, each: "1000 + (31 - i floordiv 4) * 4 + i mod 4"}
  - {buffer: out, first: 128, count: 64, each: "select(i mod 4 == 2, 1128 + i, 0)"}
  - {buffer: out, first: 192, count: 32, each: "1000"}
