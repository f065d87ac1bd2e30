; Atomic operations keep their meaning, and polling lets others run.
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 5
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @count(ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sum = atomicrmw add ptr addrspace(1) %out, i32 %t monotonic
  %f = getelementptr i32, ptr addrspace(1) %out, i64 1
  %float = atomicrmw fadd ptr addrspace(1) %f, float 1.0 monotonic
  %m = getelementptr i32, ptr addrspace(1) %out, i64 2
  %max = atomicrmw umax ptr addrspace(1) %m, i32 %t monotonic
  %h = getelementptr i32, ptr addrspace(1) %out, i64 3
  %half = atomicrmw fadd ptr addrspace(1) %h, half 1.0 monotonic, align 2
  %w = getelementptr i32, ptr addrspace(1) %out, i64 4
  %wrap = atomicrmw uinc_wrap ptr addrspace(1) %w, i32 9 monotonic
  %turn = getelementptr i32, ptr addrspace(1) %out, i64 5
  br label %poll

poll:
  %now = load atomic i32, ptr addrspace(1) %turn acquire, align 4
  %mine = icmp eq i32 %now, %t
  br i1 %mine, label %go, label %poll

go:
  %next = add i32 %t, 1
  %pair = cmpxchg ptr addrspace(1) %turn, i32 %t, i32 %next acq_rel monotonic
  ret void
}
;--- launch.yaml
block: 64
buffers:
  - {name: out, dtype: i32, shape: [6], fill: zeros}
arguments: [out]
expect:
  - {buffer: out, values: [2016, 1115684864, 63, 21504, 4, 64]}
