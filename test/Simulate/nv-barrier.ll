; Barriers of a block: all threads, named ones by count, arrivals without a wait,
; reductions, and warps of which some lanes ended.
; DEVICE: block barriers; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [128 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.and.aligned.count(i32, i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.or.all(i32, i1)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="128" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr [128 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  %square = mul i32 %t, %t
  store i32 %square, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %mirror = sub i32 127, %t
  %other = getelementptr [128 x i32], ptr addrspace(3) @tile, i32 0, i32 %mirror
  %reversed = load i32, ptr addrspace(3) %other
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %reversed, ptr addrspace(1) %mine

  %third = urem i32 %t, 3
  %is = icmp eq i32 %third, 0
  %count = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 1, i1 %is)
  %p1 = getelementptr i32, ptr addrspace(1) %mine, i64 128
  store i32 %count, ptr addrspace(1) %p1
  %and = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.count(i32 2, i32 128, i1 %is)
  %or = call i1 @llvm.nvvm.barrier.cta.red.or.all(i32 3, i1 %is)
  %and32 = zext i1 %and to i32
  %or32 = select i1 %or, i32 2, i32 0
  %both = or i32 %and32, %or32
  %p2 = getelementptr i32, ptr addrspace(1) %mine, i64 256
  store i32 %both, ptr addrspace(1) %p2
  %warp = lshr i32 %t, 5
  %producer = icmp eq i32 %warp, 0
  br i1 %producer, label %produce, label %maybe

produce:
  %tripled = mul i32 %t, 3
  store i32 %tripled, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 4, i32 64)
  ret void

maybe:
  %consumer = icmp eq i32 %warp, 1
  br i1 %consumer, label %consume, label %rest

consume:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 4, i32 64)
  %lane = and i32 %t, 31
  %from = getelementptr [128 x i32], ptr addrspace(3) @tile, i32 0, i32 %lane
  %got = load i32, ptr addrspace(3) %from
  %p3 = getelementptr i32, ptr addrspace(1) %out, i64 384
  %slot = getelementptr i32, ptr addrspace(1) %p3, i32 %lane
  store i32 %got, ptr addrspace(1) %slot
  ret void

rest:
  %odd = trunc i32 %t to i1
  br i1 %odd, label %leave, label %stay

leave:
  ret void

stay:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 5)
  ret void
}
;--- launch.yaml
block: 128
buffers:
  - {name: out, dtype: i32, shape: [416]}
arguments: [out]
expect:
  - {buffer: out, count: 128, each: "(127 - i) * (127 - i)"}
  - {buffer: out, first: 128, count: 128, each: "43"}
  - {buffer: out, first: 256, count: 128, each: "2"}
  - {buffer: out, first: 384, count: 32, each: "3 * i"}
