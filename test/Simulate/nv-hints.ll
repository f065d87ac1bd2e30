; Fences, hints, early ends and registers handed from warp to warp change no
; value; more registers than the launch has are waited for without end.
; DEVICE: fences, hints, register hand-over; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: sed 's/(i32 232)/(i32 248)/' %t/kernel.ll > %t/greedy.ll
; RUN: not lathe simulate %t/greedy.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=GREEDY
; GREEDY: deadlock
; GREEDY-SAME: 64 x registers of setmaxnreg
; RUN: llc -mcpu=sm_90a -mattr=+ptx81 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [4 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.griddepcontrol.wait()
declare void @llvm.nvvm.griddepcontrol.launch.dependents()
declare void @llvm.nvvm.prefetch.global.L2(ptr addrspace(1))
declare void @llvm.nvvm.nanosleep(i32)
declare void @llvm.nvvm.membar.cta()
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.membar.sys()
declare void @llvm.nvvm.fence.sc.cluster()
declare void @llvm.nvvm.fence.proxy.async()
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32)
declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32)
declare void @llvm.nvvm.exit()

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="384" "nvvm.minctasm"="1" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @llvm.nvvm.griddepcontrol.wait()
  call void @llvm.nvvm.prefetch.global.L2(ptr addrspace(1) %out)
  %producer = icmp ult i32 %t, 128
  br i1 %producer, label %few, label %many

few:
  call void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32 40)
  br label %join

many:
  call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 232)
  br label %join

join:
  call void @llvm.nvvm.membar.cta()
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.membar.sys()
  call void @llvm.nvvm.fence.sc.cluster()
  call void @llvm.nvvm.fence.proxy.async()
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  call void @llvm.nvvm.nanosleep(i32 20)
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %t, ptr addrspace(1) %mine
  call void @llvm.nvvm.griddepcontrol.launch.dependents()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %leave, label %stay

leave:
  call void @llvm.nvvm.exit()
  unreachable

stay:
  %twice = mul i32 %t, 2
  store i32 %twice, ptr addrspace(1) %mine
  ret void
}
;--- launch.yaml
block: 384
buffers:
  - {name: out, dtype: i32, shape: [384]}
arguments: [out]
expect:
  - {buffer: out, each: "select(i mod 2 == 1, i, 2 * i)"}
