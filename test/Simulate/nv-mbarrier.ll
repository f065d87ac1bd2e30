; Two warps hand a buffer over through two transaction barriers, eight times; a
; third polls with the state of its arrival.
; DEVICE: transaction barriers; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 3
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --random --seed 4
; Without the wait for the empty buffer values race, or a reader that lags by two
; phases waits for ever; with the wrong parity nobody goes on; a reader that does
; not wait reads nothing.
; RUN: sed 's/%isEmpty = call .*/%isEmpty = add i1 false, true/' %t/kernel.ll > %t/unasked.ll
; RUN: not lathe simulate %t/unasked.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=UNASKED
; UNASKED: {{shared-race|deadlock}}
; RUN: sed 's/xor i32 %bit, 1/xor i32 %bit, 0/' %t/kernel.ll > %t/parity.ll
; RUN: not lathe simulate %t/parity.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=PARITY
; PARITY: deadlock
; PARITY-SAME: 32 x mbarrier wait shared+{{.*}} (phase 0 lacks 32 of 32 arrivals)
; RUN: sed 's/%isFull = call .*/%isFull = add i1 false, true/' %t/kernel.ll > %t/hasty.ll
; RUN: not lathe simulate %t/hasty.ll --launch %t/launch.yaml --random --seed 7 | FileCheck %s --check-prefix=HASTY
; HASTY: {{uninitialized-read|shared-race}}
; RUN: llc -mcpu=sm_90a -mattr=+ptx80 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@done = internal addrspace(3) global i64 undef, align 8
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

define ptx_kernel void @kernel(ptr addrspace(1) %out) "nvvm.maxntid"="96" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %first = icmp eq i32 %t, 0
  br i1 %first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 32)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @empty, i32 32)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @done, i32 32)
  br label %ready

ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %slot = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %lane
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  switch i32 %warp, label %poll [ i32 0, label %produce
                                  i32 1, label %consume ]

produce:
  %i = phi i32 [ 0, %ready ], [ %i.next, %free ]
  %bit = and i32 %i, 1
  %opposite = xor i32 %bit, 1
  br label %wait.empty

wait.empty:
  %isEmpty = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @empty, i32 %opposite)
  br i1 %isEmpty, label %free, label %wait.empty

free:
  %hundreds = mul i32 %i, 100
  %value = add i32 %hundreds, %lane
  store i32 %value, ptr addrspace(3) %slot
  %token = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @full)
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %produce, label %finish

consume:
  %j = phi i32 [ 0, %ready ], [ %j.next, %filled ]
  %sum = phi i32 [ 0, %ready ], [ %sum.next, %filled ]
  %parity = and i32 %j, 1
  br label %wait.full

wait.full:
  %isFull = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @full, i32 %parity)
  br i1 %isFull, label %filled, label %wait.full

filled:
  %got = load i32, ptr addrspace(3) %slot
  %sum.next = add i32 %sum, %got
  %token2 = call i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3) @empty, i32 1)
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, 8
  br i1 %again, label %consume, label %store

store:
  store i32 %sum.next, ptr addrspace(1) %mine
  br label %finish

finish:
  ret void

poll:
  %state = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @done)
  br label %poll.loop

poll.loop:
  %over = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) @done, i64 %state)
  br i1 %over, label %count, label %poll.loop

count:
  %pending = call i32 @llvm.nvvm.mbarrier.pending.count(i64 %state)
  %some = icmp ule i32 %pending, 32
  %word = zext i1 %some to i32
  %far = getelementptr i32, ptr addrspace(1) %mine, i64 32
  store i32 %word, ptr addrspace(1) %far
  ret void
}
;--- launch.yaml
block: 96
buffers:
  - {name: out, dtype: i32, shape: [64]}
arguments: [out]
expect:
  - {buffer: out, count: 32, each: "2800 + 8 * i"}
  - {buffer: out, first: 32, each: "1"}
