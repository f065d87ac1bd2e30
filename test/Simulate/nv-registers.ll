; Who and where a thread is: indices of threads, blocks and clusters, masks.
; DEVICE: special registers; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.eq()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
declare i32 @llvm.nvvm.read.ptx.sreg.warpsize()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.clusterid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nclusterid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nclusterid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
declare i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
declare i64 @llvm.nvvm.read.ptx.sreg.globaltimer()

; out: one row of 192 elements per register.
define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="4,3,2" "nvvm.cluster_dim"="2,1,1" {
  %r0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %r2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %r3 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %r4 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %r5 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %r6 = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %r7 = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.eq()
  %r8 = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %r9 = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
  %r10 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %r11 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %r12 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %r13 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %r14 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  %r15 = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
  %r16 = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.y()
  %r17 = call i32 @llvm.nvvm.read.ptx.sreg.nclusterid.x()
  %r18 = call i32 @llvm.nvvm.read.ptx.sreg.nclusterid.y()
  %r19 = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
  %r20 = call i32 @llvm.nvvm.read.ptx.sreg.cluster.nctaid.x()
  %r21 = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %r22 = call i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
  %r23 = call i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
  %before = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  %row = mul i32 %r1, 4
  %plane = mul i32 %r2, 12
  %inBlock0 = add i32 %r0, %row
  %inBlock = add i32 %inBlock0, %plane
  %blockRow = mul i32 %r11, 4
  %block = add i32 %r10, %blockRow
  %base = mul i32 %block, 24
  %linear = add i32 %base, %inBlock
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %linear
  %p0 = getelementptr i32, ptr addrspace(1) %mine, i64 0
  store i32 %r0, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %mine, i64 192
  store i32 %r1, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %mine, i64 384
  store i32 %r2, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %mine, i64 576
  store i32 %r3, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %mine, i64 768
  store i32 %r4, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %mine, i64 960
  store i32 %r5, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %mine, i64 1152
  store i32 %r6, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %mine, i64 1344
  store i32 %r7, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %mine, i64 1536
  store i32 %r8, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %mine, i64 1728
  store i32 %r9, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %mine, i64 1920
  store i32 %r10, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %mine, i64 2112
  store i32 %r11, ptr addrspace(1) %p11
  %p12 = getelementptr i32, ptr addrspace(1) %mine, i64 2304
  store i32 %r12, ptr addrspace(1) %p12
  %p13 = getelementptr i32, ptr addrspace(1) %mine, i64 2496
  store i32 %r13, ptr addrspace(1) %p13
  %p14 = getelementptr i32, ptr addrspace(1) %mine, i64 2688
  store i32 %r14, ptr addrspace(1) %p14
  %p15 = getelementptr i32, ptr addrspace(1) %mine, i64 2880
  store i32 %r15, ptr addrspace(1) %p15
  %p16 = getelementptr i32, ptr addrspace(1) %mine, i64 3072
  store i32 %r16, ptr addrspace(1) %p16
  %p17 = getelementptr i32, ptr addrspace(1) %mine, i64 3264
  store i32 %r17, ptr addrspace(1) %p17
  %p18 = getelementptr i32, ptr addrspace(1) %mine, i64 3456
  store i32 %r18, ptr addrspace(1) %p18
  %p19 = getelementptr i32, ptr addrspace(1) %mine, i64 3648
  store i32 %r19, ptr addrspace(1) %p19
  %p20 = getelementptr i32, ptr addrspace(1) %mine, i64 3840
  store i32 %r20, ptr addrspace(1) %p20
  %p21 = getelementptr i32, ptr addrspace(1) %mine, i64 4032
  store i32 %r21, ptr addrspace(1) %p21
  %p22 = getelementptr i32, ptr addrspace(1) %mine, i64 4224
  store i32 %r22, ptr addrspace(1) %p22
  %p23 = getelementptr i32, ptr addrspace(1) %mine, i64 4416
  store i32 %r23, ptr addrspace(1) %p23
  %after = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  %forward = icmp uge i64 %after, %before
  %word = zext i1 %forward to i32
  %p24 = getelementptr i32, ptr addrspace(1) %mine, i64 4608
  store i32 %word, ptr addrspace(1) %p24
  ret void
}
;--- launch.yaml
grid: [4, 2]
block: [4, 3, 2]
cluster: [2]
shared: 96
buffers:
  - {name: out, dtype: i32, shape: [25, 192]}
arguments: [out]
expect:
  - {buffer: out, first: 0, count: 192, each: "i mod 4"}
  - {buffer: out, first: 192, count: 192, each: "i floordiv 4 mod 3"}
  - {buffer: out, first: 384, count: 192, each: "i mod 24 floordiv 12"}
  - {buffer: out, first: 576, count: 192, each: "4"}
  - {buffer: out, first: 768, count: 192, each: "3"}
  - {buffer: out, first: 960, count: 192, each: "2"}
  - {buffer: out, first: 1152, count: 192, each: "i mod 24"}
  - {buffer: out, first: 1344, count: 192, each: "(select(i mod 24 >= 1, 2, 1) * select(i mod 24 >= 2, 2, 1) * select(i mod 24 >= 3, 2, 1) * select(i mod 24 >= 4, 2, 1) * select(i mod 24 >= 5, 2, 1) * select(i mod 24 >= 6, 2, 1) * select(i mod 24 >= 7, 2, 1) * select(i mod 24 >= 8, 2, 1) * select(i mod 24 >= 9, 2, 1) * select(i mod 24 >= 10, 2, 1) * select(i mod 24 >= 11, 2, 1) * select(i mod 24 >= 12, 2, 1) * select(i mod 24 >= 13, 2, 1) * select(i mod 24 >= 14, 2, 1) * select(i mod 24 >= 15, 2, 1) * select(i mod 24 >= 16, 2, 1) * select(i mod 24 >= 17, 2, 1) * select(i mod 24 >= 18, 2, 1) * select(i mod 24 >= 19, 2, 1) * select(i mod 24 >= 20, 2, 1) * select(i mod 24 >= 21, 2, 1) * select(i mod 24 >= 22, 2, 1) * select(i mod 24 >= 23, 2, 1))"}
  - {buffer: out, first: 1536, count: 192, each: "(select(i mod 24 >= 1, 2, 1) * select(i mod 24 >= 2, 2, 1) * select(i mod 24 >= 3, 2, 1) * select(i mod 24 >= 4, 2, 1) * select(i mod 24 >= 5, 2, 1) * select(i mod 24 >= 6, 2, 1) * select(i mod 24 >= 7, 2, 1) * select(i mod 24 >= 8, 2, 1) * select(i mod 24 >= 9, 2, 1) * select(i mod 24 >= 10, 2, 1) * select(i mod 24 >= 11, 2, 1) * select(i mod 24 >= 12, 2, 1) * select(i mod 24 >= 13, 2, 1) * select(i mod 24 >= 14, 2, 1) * select(i mod 24 >= 15, 2, 1) * select(i mod 24 >= 16, 2, 1) * select(i mod 24 >= 17, 2, 1) * select(i mod 24 >= 18, 2, 1) * select(i mod 24 >= 19, 2, 1) * select(i mod 24 >= 20, 2, 1) * select(i mod 24 >= 21, 2, 1) * select(i mod 24 >= 22, 2, 1) * select(i mod 24 >= 23, 2, 1)) - 1"}
  - {buffer: out, first: 1728, count: 192, each: "32"}
  - {buffer: out, first: 1920, count: 192, each: "i floordiv 24 mod 4"}
  - {buffer: out, first: 2112, count: 192, each: "i floordiv 96"}
  - {buffer: out, first: 2304, count: 192, each: "4"}
  - {buffer: out, first: 2496, count: 192, each: "2"}
  - {buffer: out, first: 2688, count: 192, each: "1"}
  - {buffer: out, first: 2880, count: 192, each: "i floordiv 48 mod 2"}
  - {buffer: out, first: 3072, count: 192, each: "i floordiv 96"}
  - {buffer: out, first: 3264, count: 192, each: "2"}
  - {buffer: out, first: 3456, count: 192, each: "2"}
  - {buffer: out, first: 3648, count: 192, each: "i floordiv 24 mod 2"}
  - {buffer: out, first: 3840, count: 192, each: "2"}
  - {buffer: out, first: 4032, count: 192, each: "i floordiv 24 mod 2"}
  - {buffer: out, first: 4224, count: 192, each: "2"}
  - {buffer: out, first: 4416, count: 192, each: "96"}
  - {buffer: out, first: 4608, count: 192, each: "1"}
