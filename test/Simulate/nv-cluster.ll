; Blocks of a cluster exchange values through shared memory: mapa, the cluster's
; barrier, arrivals at another block's transaction barrier; with a relaxed arrival
; and no fence it is a race.
; DEVICE: clusters; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: sed 's/arrive.aligned/arrive.relaxed.aligned/' %t/kernel.ll > %t/relaxed.ll
; RUN: not lathe simulate %t/relaxed.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=RELAXED
; RELAXED: shared-race
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [32 x i32] undef, align 16
@full = internal addrspace(3) global i64 undef, align 8

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
declare ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3), i32)
declare i32 @llvm.nvvm.getctarank(ptr)
declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare i1 @llvm.nvvm.isspacep.shared.cluster(ptr)
declare i1 @llvm.nvvm.isspacep.global(ptr)
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.arrive.scope.cluster.space.cluster(ptr addrspace(7), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cluster.space.cta(ptr addrspace(3), i32)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="32" "nvvm.cluster_dim"="4,1,1" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %rank = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %own = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  %hundreds = mul i32 %block, 100
  %value = add i32 %hundreds, %t
  store i32 %value, ptr addrspace(3) %own
  %first = icmp eq i32 %t, 0
  br i1 %first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 32)
  br label %ready

ready:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %next = add i32 %rank, 1
  %peer = and i32 %next, 3
  %remote = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %own, i32 %peer)
  %got = load i32, ptr addrspace(7) %remote
  %generic = addrspacecast ptr addrspace(7) %remote to ptr
  %whose = call i32 @llvm.nvvm.getctarank(ptr %generic)
  %isOwn = call i1 @llvm.nvvm.isspacep.shared(ptr %generic)
  %isNear = call i1 @llvm.nvvm.isspacep.shared.cluster(ptr %generic)
  %isFar = call i1 @llvm.nvvm.isspacep.global(ptr %generic)
  %n = zext i1 %isNear to i32
  %o = select i1 %isOwn, i32 2, i32 0
  %f = select i1 %isFar, i32 4, i32 0
  %no = or i32 %n, %o
  %spaces = or i32 %no, %f
  %remote.full = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @full, i32 %peer)
  call void @llvm.nvvm.mbarrier.arrive.scope.cluster.space.cluster(ptr addrspace(7) %remote.full, i32 1)
  br label %poll

poll:
  %over = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cluster.space.cta(ptr addrspace(3) @full, i32 0)
  br i1 %over, label %write, label %poll

write:
  ; The neighbour has read what it wanted.
  %negative = sub i32 0, %value
  store i32 %negative, ptr addrspace(3) %own
  %row = mul i32 %block, 96
  %at = add i32 %row, %t
  %p0 = getelementptr i32, ptr addrspace(1) %out, i32 %at
  store i32 %got, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %p0, i64 32
  store i32 %whose, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %p0, i64 64
  store i32 %spaces, ptr addrspace(1) %p2
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  ret void
}
;--- launch.yaml
grid: 8
block: 32
cluster: 4
buffers:
  - {name: out, dtype: i32, shape: [8, 96]}
arguments: [out]
expect:
  - {buffer: out, each: "select(i mod 96 < 32, 100 * (i floordiv 384 * 4 + (i floordiv 96 + 1) mod 4) + i mod 32, select(i mod 96 < 64, (i floordiv 96 + 1) mod 4, 1))"}
