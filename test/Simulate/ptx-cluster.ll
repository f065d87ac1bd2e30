; mapa, getctarank and isspacep of inline PTX: each block of a cluster reads its
; neighbour's tile; a bit for each kind of memory that an address lies in.
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: sed 's/and i32 %next, 3/or i32 %next, 8/' %t/kernel.ll > %t/rank.ll
; RUN: not lathe simulate %t/rank.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=RANK
; RANK: invalid-operand: {{.*}}cluster rank is {{9|1[0-2]}}, the cluster has 4 blocks
; RUN: sed 's/getctarank.u64 $0, $1;", "=r,l"(ptr %generic)/getctarank.u64 $0, $1;", "=r,l"(ptr addrspace(1) %out)/' %t/kernel.ll > %t/outside.ll
; RUN: not lathe simulate %t/outside.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=OUTSIDE
; OUTSIDE: invalid-operand: {{.*}}expected an address of shared memory, found 0x
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [32 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()

; 1: global, 2: local, 4: shared, 8: shared::cluster, 16: const.
define internal i32 @spaces(ptr %address) {
  %bits = call i32 asm "{ .reg .pred g, l, s, c, k; .reg .b32 a; isspacep.global g, $1; isspacep.local l, $1; isspacep.shared::cta s, $1; isspacep.shared::cluster c, $1; isspacep.const k, $1; selp.b32 $0, 1, 0, g; selp.b32 a, 2, 0, l; or.b32 $0, $0, a; selp.b32 a, 4, 0, s; or.b32 $0, $0, a; selp.b32 a, 8, 0, c; or.b32 $0, $0, a; selp.b32 a, 16, 0, k; or.b32 $0, $0, a; }", "=&r,l"(ptr %address)
  ret i32 %bits
}

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="32" "nvvm.cluster_dim"="4,1,1" {
  %local = alloca i32
  store i32 0, ptr %local
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %rank = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %own = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  %hundreds = mul i32 %block, 100
  %value = add i32 %hundreds, %t
  store i32 %value, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %next = add i32 %rank, 1
  %peer = and i32 %next, 3
  %remote = call ptr addrspace(7) asm "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r"(ptr addrspace(3) %own, i32 %peer)
  %got = load i32, ptr addrspace(7) %remote
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %generic = addrspacecast ptr addrspace(7) %remote to ptr
  %whose = call i32 asm "getctarank.u64 $0, $1;", "=r,l"(ptr %generic)
  %mine = addrspacecast ptr addrspace(3) %own to ptr
  %global = addrspacecast ptr addrspace(1) %out to ptr
  %s0 = call i32 @spaces(ptr %generic)
  %s1 = call i32 @spaces(ptr %mine)
  %s2 = call i32 @spaces(ptr %global)
  %s3 = call i32 @spaces(ptr %local)
  %m1 = mul i32 %s1, 32
  %m2 = mul i32 %s2, 1024
  %m3 = mul i32 %s3, 32768
  %a1 = or i32 %s0, %m1
  %a2 = or i32 %m2, %m3
  %all = or i32 %a1, %a2
  %row = mul i32 %block, 96
  %at = add i32 %row, %t
  %p0 = getelementptr i32, ptr addrspace(1) %out, i32 %at
  store i32 %got, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %p0, i64 32
  store i32 %whose, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %p0, i64 64
  store i32 %all, ptr addrspace(1) %p2
  ret void
}
;--- launch.yaml
grid: 8
block: 32
cluster: 4
buffers:
  - {name: out, dtype: i32, shape: [8, 96]}
arguments: [out]
# Of another block 8, its own 4 + 8, an argument 1, a variable 2.
expect:
  - {buffer: out, each: "select(i mod 96 < 32, 100 * (i floordiv 384 * 4 + (i floordiv 96 + 1) mod 4) + i mod 32, select(i mod 96 < 64, (i floordiv 96 + 1) mod 4, 8 + 32 * 12 + 1024 * 1 + 32768 * 2))"}
