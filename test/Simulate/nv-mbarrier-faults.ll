; What goes wrong with a transaction barrier, beside its clean kernel.
; RUN: split-file %s %t
; RUN: lathe simulate %t/clean.ll --launch %t/launch.yaml
; RUN: not lathe simulate %t/over.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=OVER
; OVER: barrier
; OVER-SAME: over-arrival at the mbarrier at shared+{{.*}}: 2 arrive, phase 0 lacks 1 of 127
; RUN: not lathe simulate %t/uninitialized.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=NOINIT
; NOINIT: no mbarrier was initialized at shared+
; RUN: not lathe simulate %t/unordered.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=UNORDERED
; UNORDERED: shared-race
; UNORDERED-SAME: use of the mbarrier at shared+{{.*}} is not ordered after its initialization
; RUN: not lathe simulate %t/parity.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=PARITY
; PARITY: deadlock
; PARITY-SAME: 64 threads wait: 64 x mbarrier wait {{.*}} (phase 1 lacks 64 of 64 arrivals)
; RUN: not lathe simulate %t/again.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=AGAIN
; AGAIN: initialized again without mbarrier.inval
; RUN: not lathe simulate %t/phase.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=PHASE
; PHASE: state of phase 0, but the mbarrier at shared+{{.*}} is in phase 2
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/clean.ll -o %t/clean.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/clean.ptx -o %t/clean.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/over.ll -o %t/over.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/over.ptx -o %t/over.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/uninitialized.ll -o %t/uninitialized.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/uninitialized.ptx -o %t/uninitialized.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/unordered.ll -o %t/unordered.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/unordered.ptx -o %t/unordered.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/parity.ll -o %t/parity.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/parity.ptx -o %t/parity.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/again.ll -o %t/again.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/again.ptx -o %t/again.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/phase.ll -o %t/phase.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/phase.ptx -o %t/phase.cubin %}
;--- clean.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@full = internal addrspace(3) global i64 undef, align 8
@empty = internal addrspace(3) global i64 undef, align 8
@tile = internal addrspace(3) global [32 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
declare i32 @llvm.nvvm.mbarrier.pending.count(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 64)
  br label %ready

ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %token = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @full)
  %over = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @full, i32 0)
  ret void
}
;--- over.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@full = internal addrspace(3) global i64 undef, align 8
@empty = internal addrspace(3) global i64 undef, align 8
@tile = internal addrspace(3) global [32 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
declare i32 @llvm.nvvm.mbarrier.pending.count(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 127)
  br label %ready

ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %token = call i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3) @full, i32 2)
  ret void
}
;--- uninitialized.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@full = internal addrspace(3) global i64 undef, align 8
@empty = internal addrspace(3) global i64 undef, align 8
@tile = internal addrspace(3) global [32 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
declare i32 @llvm.nvvm.mbarrier.pending.count(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %init, label %ready

init:
  store i64 0, ptr addrspace(3) @full
  br label %ready

ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %token = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @full)
  ret void
}
;--- unordered.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@full = internal addrspace(3) global i64 undef, align 8
@empty = internal addrspace(3) global i64 undef, align 8
@tile = internal addrspace(3) global [32 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
declare i32 @llvm.nvvm.mbarrier.pending.count(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 64)
  br label %ready

ready:
  %token = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @full)
  ret void
}
;--- parity.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@full = internal addrspace(3) global i64 undef, align 8
@empty = internal addrspace(3) global i64 undef, align 8
@tile = internal addrspace(3) global [32 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
declare i32 @llvm.nvvm.mbarrier.pending.count(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 64)
  br label %ready

ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %token = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @full)
  %over = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @full, i32 0)
  %again = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @full, i32 1)
  ret void
}
;--- again.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@full = internal addrspace(3) global i64 undef, align 8
@empty = internal addrspace(3) global i64 undef, align 8
@tile = internal addrspace(3) global [32 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
declare i32 @llvm.nvvm.mbarrier.pending.count(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 64)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 64)
  br label %ready

ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
;--- phase.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@full = internal addrspace(3) global i64 undef, align 8
@empty = internal addrspace(3) global i64 undef, align 8
@tile = internal addrspace(3) global [32 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
declare i32 @llvm.nvvm.mbarrier.pending.count(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="64" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 1)
  %a = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @full)
  %b = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @full)
  %c = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) @full, i64 %a)
  br label %ready

ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
;--- launch.yaml
block: 64
buffers: [{name: out, bytes: 4}]
arguments: [out]
