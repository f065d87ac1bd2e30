; Bulk copies as inline PTX: a box for both blocks of a cluster, the store of each
; block's half, and bytes from one block's shared memory into the other's.
; DEVICE: bulk copies; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --async late
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: sed 's/i16 3)/i16 7)/' %t/kernel.ll > %t/mask.ll
; RUN: not lathe simulate %t/mask.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=MASK
; MASK: invalid-operand: a multicast to blocks 0x7, expected some of a cluster of 2
; RUN: sed 's/cp.async.bulk.wait_group.read 0;//' %t/kernel.ll > %t/group.ll
; RUN: not lathe simulate %t/group.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=GROUP
; GROUP: async-hazard: the thread ends while its bulk copy may still read shared memory
; RUN: sed 's/global.tile.mbarrier/global.im2col.mbarrier/' %t/kernel.ll > %t/mode.ll
; RUN: not lathe simulate %t/mode.ll --launch %t/launch.yaml 2>&1 | FileCheck %s --check-prefix=MODE
; MODE: unsupported: {{.*}}cp.async.bulk.tensor.2d.shared::cluster.global.im2col
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@box = internal addrspace(3) global [256 x i8] poison, align 128
@copy = internal addrspace(3) global [64 x i8] poison, align 128
@bars = internal addrspace(3) global [2 x i64] poison, align 8
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()

define ptx_kernel void @kernel(ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %from, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %to, ptr addrspace(1) %out) "nvvm.cluster_dim"="2,1,1" "nvvm.maxntid"="1" {
entry:
  %rank = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %second = getelementptr i8, ptr addrspace(3) @bars, i32 8
  call void asm sideeffect "mbarrier.init.shared::cta.b64 [$0], 1; mbarrier.init.shared::cta.b64 [$1], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;", "r,r"(ptr addrspace(3) @bars, ptr addrspace(3) %second) #1
  call void asm sideeffect "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 256; mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 64;", "r,r"(ptr addrspace(3) @bars, ptr addrspace(3) %second) #1
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %is.first = icmp eq i32 %rank, 0
  br i1 %is.first, label %load, label %wait

load:
  call void asm sideeffect "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$2, $3}], [$4], $5;", "r,l,r,r,r,h"(ptr addrspace(3) @box, ptr %from, i32 4, i32 1, ptr addrspace(3) @bars, i16 3) #1
  br label %wait

wait:
  call void asm sideeffect "{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [$0], 0; @!p bra L; }", "r"(ptr addrspace(3) @bars) #1
  %row = add i32 %rank, 2
  %half = mul i32 %rank, 128
  %mine = getelementptr i8, ptr addrspace(3) @box, i32 %half
  call void asm sideeffect "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$0, {$1, $2}], [$3]; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;", "l,r,r,r"(ptr %to, i32 0, i32 %row, ptr addrspace(3) %mine) #1
  ; The other block's copy gets the first row of this one's box.
  call void asm sideeffect "{ .reg .b32 other, dst, bar; xor.b32 other, $0, 1; mapa.shared::cluster.u32 dst, $1, other; mapa.shared::cluster.u32 bar, $3, other; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dst], [$2], 64, [bar]; }", "r,r,r,r"(i32 %rank, ptr addrspace(3) @copy, ptr addrspace(3) @box, ptr addrspace(3) %second) #1
  call void asm sideeffect "{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [$0], 0; @!p bra L; }", "r"(ptr addrspace(3) %second) #1
  %last = getelementptr i32, ptr addrspace(3) @copy, i32 15
  %value = load i32, ptr addrspace(3) %last
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %rank
  store i32 %value, ptr addrspace(1) %at
  ; Nobody ends while the other may still read or signal.
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  ret void
}
attributes #1 = { convergent nounwind }
;--- launch.yaml
# Boxes of 16 columns by 4 rows come in, single rows go out.
grid: 2
cluster: 2
block: 1
buffers:
  - {name: from, dtype: i32, shape: [6, 24], fill: iota}
  - {name: to, dtype: i32, shape: [5, 16], fill: zeros}
  - {name: out, dtype: i32, shape: [2]}
arguments:
  - {tensor_map: {buffer: from, dtype: i32, dims: [24, 6], strides: [96], box: [16, 4]}}
  - {tensor_map: {buffer: to, dtype: i32, dims: [16, 5], strides: [64], box: [16, 1]}}
  - out
expect:
  - {buffer: to, first: 32, count: 16, each: "28 + i"}
  - {buffer: to, first: 48, count: 16, each: "76 + i"}
  - {buffer: out, values: [43, 43]}
