; Lanes of a warp that share memory must meet in between; a shuffle reads only
; lanes that take part.
; RUN: split-file %s %t
; RUN: lathe simulate %t/clean.ll --launch %t/launch.yaml
; RUN: sed '/bar.warp.sync(i32 -1)/d' %t/clean.ll > %t/race.ll
; RUN: not lathe simulate %t/race.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=RACE
; RACE: {{shared-race|uninitialized-read}}
; RUN: sed 's/i32 2, i32 31/i32 16, i32 31/' %t/clean.ll > %t/absent.ll
; RUN: not lathe simulate %t/absent.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=ABSENT
; ABSENT: uninitialized-read
; ABSENT-SAME: lane 0 reads lane 16, which takes no part (lanes 0x000000ff do)
; RUN: sed 's/i32 255/i32 15/' %t/clean.ll > %t/mask.ll
; RUN: not lathe simulate %t/mask.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=MASK
; MASK: invalid-operand
; MASK-SAME: member mask 0x0000000f leaves out lane 4, which executes it
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/clean.ll -o %t/clean.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/clean.ptx -o %t/clean.cubin %}
;--- clean.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [32 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="32" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  store i32 %t, ptr addrspace(3) %own
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %pair = xor i32 %t, 1
  %other = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %pair
  %got = load i32, ptr addrspace(3) %other
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %got, ptr addrspace(1) %mine
  %few = icmp ult i32 %t, 8
  br i1 %few, label %exchange, label %leave

exchange:
  %near = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 255, i32 %t, i32 2, i32 31)
  %far = getelementptr i32, ptr addrspace(1) %mine, i64 32
  store i32 %near, ptr addrspace(1) %far
  br label %leave

leave:
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: out, dtype: i32, shape: [40]}
arguments: [out]
expect:
  - {buffer: out, count: 32, each: "i + 1 - 2 * (i mod 2)"}
  - {buffer: out, first: 32, count: 8, each: "select(i mod 4 < 2, i + 2, i - 2)"}
