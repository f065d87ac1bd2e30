; Loads from global memory straight into LDS: there after the wait, for other
; waves after the barrier behind it.
; RUN: split-file %s %t
; RUN: llc -filetype=null %t/kernel.ll
; RUN: lathe simulate %t/kernel.ll --launch %t/global.yaml --async late
; RUN: lathe simulate %t/kernel.ll --launch %t/global.yaml --schedules 5
; RUN: lathe simulate %t/kernel.ll --launch %t/buffer.yaml --async late
; RUN: lathe simulate %t/kernel.ll --launch %t/two.yaml --schedules 5
; RUN: not lathe simulate %t/kernel.ll --launch %t/early.yaml | FileCheck %s --check-prefix=RACE
; RUN: not lathe simulate %t/kernel.ll --launch %t/early.yaml --async late | FileCheck %s --check-prefix=RACE
; RUN: not lathe simulate %t/kernel.ll --launch %t/count.yaml | FileCheck %s --check-prefix=RACE
; RUN: not lathe simulate %t/kernel.ll --launch %t/behind.yaml | FileCheck %s --check-prefix=RACE
; RACE: {{shared-race|async-hazard|uninitialized-read}}
; RUN: not lathe simulate %t/wide.ll --launch %t/global.yaml 2>&1 | FileCheck %s --check-prefix=WIDE
; WIDE: unsupported:
; WIDE-SAME: llvm.amdgcn.global.load.lds: load of 16 bytes into LDS
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.waitcnt(i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
declare void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8), ptr addrspace(3), i32, i32, i32, i32, i32)
@lds = internal addrspace(3) global [256 x i32] poison, align 16

; s_waitcnt 3952: vmcnt(0); 3953: vmcnt(1).

define amdgpu_kernel void @global(ptr addrspace(1) %in, ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %lead = and i32 %t, 64
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %lead)
  %base = getelementptr i32, ptr addrspace(3) @lds, i32 %first
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) %base, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.s.waitcnt(i32 3952)
  call void @llvm.amdgcn.s.barrier()
  %other = xor i32 %t, 127
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %other
  %x = load i32, ptr addrspace(3) %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}

define amdgpu_kernel void @early(ptr addrspace(1) %in, ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %lead = and i32 %t, 64
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %lead)
  %base = getelementptr i32, ptr addrspace(3) @lds, i32 %first
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) %base, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.s.barrier()
  %other = xor i32 %t, 127
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %other
  %x = load i32, ptr addrspace(3) %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}

define amdgpu_kernel void @count(ptr addrspace(1) %in, ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %lead = and i32 %t, 64
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %lead)
  %base = getelementptr i32, ptr addrspace(3) @lds, i32 %first
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) %base, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.s.waitcnt(i32 3953)
  call void @llvm.amdgcn.s.barrier()
  %other = xor i32 %t, 127
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %other
  %x = load i32, ptr addrspace(3) %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}

define amdgpu_kernel void @behind(ptr addrspace(1) %in, ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %lead = and i32 %t, 64
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %lead)
  %base = getelementptr i32, ptr addrspace(3) @lds, i32 %first
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) %base, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.s.barrier()
  call void @llvm.amdgcn.s.waitcnt(i32 3952)
  %other = xor i32 %t, 127
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %other
  %x = load i32, ptr addrspace(3) %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}

; Two loads in flight: the first has landed when one is left.
define amdgpu_kernel void @two(ptr addrspace(1) %in, ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %next = getelementptr i32, ptr addrspace(3) @lds, i32 64
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) @lds, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) @lds, i32 4, i32 256, i32 0)
  call void @llvm.amdgcn.s.waitcnt(i32 3953)
  %back = sub i32 63, %t
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %back
  %x = load i32, ptr addrspace(3) %q, align 4
  call void @llvm.amdgcn.s.waitcnt(i32 3952)
  %r = getelementptr i32, ptr addrspace(3) %next, i32 %back
  %y = load i32, ptr addrspace(3) %r, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %o, align 4
  %p = getelementptr i32, ptr addrspace(1) %o, i32 64
  store i32 %y, ptr addrspace(1) %p, align 4
  ret void
}

; Bytes, each as a dword; what lies outside of the buffer arrives as zero.
define amdgpu_kernel void @buffer(ptr addrspace(1) %in, ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %in, i16 0, i64 50, i32 159744)
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, ptr addrspace(3) @lds, i32 1, i32 %t, i32 0, i32 0, i32 0)
  call void @llvm.amdgcn.s.waitcnt(i32 3952)
  %back = sub i32 63, %t
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %back
  %x = load i32, ptr addrspace(3) %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}
;--- global.yaml
kernel: global
block: 128
buffers:
  - {name: in, dtype: i32, shape: [128], fill: iota, readonly: true}
  - {name: out, dtype: i32, shape: [128]}
arguments: [in, out]
expect: [{buffer: out, each: 127 - i}]
;--- early.yaml
kernel: early
block: 128
buffers:
  - {name: in, dtype: i32, shape: [128], fill: iota, readonly: true}
  - {name: out, dtype: i32, shape: [128]}
arguments: [in, out]
expect: [{buffer: out, each: 127 - i}]
;--- count.yaml
kernel: count
block: 128
buffers:
  - {name: in, dtype: i32, shape: [128], fill: iota, readonly: true}
  - {name: out, dtype: i32, shape: [128]}
arguments: [in, out]
expect: [{buffer: out, each: 127 - i}]
;--- behind.yaml
kernel: behind
block: 128
buffers:
  - {name: in, dtype: i32, shape: [128], fill: iota, readonly: true}
  - {name: out, dtype: i32, shape: [128]}
arguments: [in, out]
expect: [{buffer: out, each: 127 - i}]
;--- two.yaml
kernel: two
block: 64
buffers:
  - {name: in, dtype: i32, shape: [128], fill: iota, readonly: true}
  - {name: out, dtype: i32, shape: [128]}
arguments: [in, out]
expect: # the offset counts on both sides
  - {buffer: out, first: 0, count: 64, each: 63 - i}
  - {buffer: out, first: 64, count: 64, each: 127 - i}
;--- buffer.yaml
kernel: buffer
block: 64
buffers:
  - {name: in, dtype: i8, shape: [50], fill: {each: -1 - i}, readonly: true}
  - {name: out, dtype: i32, shape: [64]}
arguments: [in, out]
expect: [{buffer: out, each: "select(i < 14, 0, 192 + i)"}]
;--- wide.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
@lds = internal addrspace(3) global [256 x i32] poison, align 16
define amdgpu_kernel void @global(ptr addrspace(1) %in, ptr addrspace(1) %out) "target-cpu"="gfx942" {
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %in, ptr addrspace(3) @lds, i32 16, i32 0, i32 0)
  ret void
}
