; What a wave is told: its place in the grid, the grid's size in the hidden
; arguments and in the dispatch packet, the die that it runs on.
; RUN: split-file %s %t
; RUN: llc -filetype=null %t/kernel.ll
; RUN: lathe simulate %t/kernel.ll --launch %t/places.yaml
; RUN: not lathe simulate %t/kernel.ll --launch %t/beyond.yaml | FileCheck %s --check-prefix=BEYOND
; BEYOND: out-of-bounds
; BEYOND-SAME: read of 8 bytes at
; RUN: not lathe simulate %t/unknown.ll --launch %t/beyond.yaml 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: unsupported:
; UNKNOWN-SAME: amdgcn assembly 'v_add_u32 $0, $1, $1' with results of its own
; UNKNOWN-SAME: llvm.amdgcn.s.getreg: hardware register 1
; UNKNOWN-SAME: llvm.amdgcn.strict.wwm
; RUN: not lathe simulate %t/chip.ll --launch %t/beyond.yaml 2>&1 | FileCheck %s --check-prefix=CHIP
; CHIP: kernel 'beyond' is for gfx1100, expected gfx90a or gfx942
;--- kernel.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare i32 @llvm.amdgcn.s.getreg(i32)
declare i32 @llvm.amdgcn.groupstaticsize()
declare i32 @llvm.amdgcn.wavefrontsize()
@lds = internal addrspace(3) global [5 x i32] poison, align 4

; Threads in the order x, y, z, blocks likewise.
define amdgpu_kernel void @places(ptr addrspace(1) %out, ptr addrspace(1) %sizes) "target-cpu"="gfx942" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %bx = call i32 @llvm.amdgcn.workgroup.id.x()
  %by = call i32 @llvm.amdgcn.workgroup.id.y()
  %bz = call i32 @llvm.amdgcn.workgroup.id.z()
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %py = getelementptr i32, ptr addrspace(4) %hidden, i32 1
  %pz = getelementptr i32, ptr addrspace(4) %hidden, i32 2
  %nx = load i32, ptr addrspace(4) %hidden, align 4
  %ny = load i32, ptr addrspace(4) %py, align 4
  %nz = load i32, ptr addrspace(4) %pz, align 4
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %pw = getelementptr i16, ptr addrspace(4) %packet, i32 2
  %width = load i16, ptr addrspace(4) %pw, align 4
  %w = zext i16 %width to i32
  %pg = getelementptr i32, ptr addrspace(4) %packet, i32 3
  %gx = load i32, ptr addrspace(4) %pg, align 4

  %r0 = mul i32 %bz, %ny
  %r1 = add i32 %r0, %by
  %r2 = mul i32 %r1, %nx
  %block = add i32 %r2, %bx
  %t0 = mul i32 %z, 4
  %t1 = add i32 %t0, %y
  %t2 = mul i32 %t1, %w
  %t3 = add i32 %t2, %x
  %b0 = mul i32 %block, 64
  %at = add i32 %b0, %t3
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %at
  ; hwreg(HW_REG_XCC_ID, 0, 4)
  %die = call i32 @llvm.amdgcn.s.getreg(i32 6164)
  %d = mul i32 %die, 1000
  %v = add i32 %d, %at
  store i32 %v, ptr addrspace(1) %p, align 4
  %first = icmp eq i32 %at, 0
  br i1 %first, label %once, label %end
once:
  store i32 %nz, ptr addrspace(1) %sizes, align 4
  %q = getelementptr i32, ptr addrspace(1) %sizes, i32 1
  store i32 %gx, ptr addrspace(1) %q, align 4
  store i32 0, ptr addrspace(3) @lds, align 4
  %static = call i32 @llvm.amdgcn.groupstaticsize()
  %u = getelementptr i32, ptr addrspace(1) %sizes, i32 2
  store i32 %static, ptr addrspace(1) %u, align 4
  %lanes = call i32 @llvm.amdgcn.wavefrontsize()
  %s = getelementptr i32, ptr addrspace(1) %sizes, i32 3
  store i32 %lanes, ptr addrspace(1) %s, align 4
  br label %end
end:
  ret void
}

; A queue, a heap and more are not simulated.
define amdgpu_kernel void @beyond(ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %p = getelementptr i64, ptr addrspace(4) %hidden, i32 10
  %x = load i64, ptr addrspace(4) %p, align 8
  store i64 %x, ptr addrspace(1) %out, align 8
  ret void
}
;--- places.yaml
kernel: places
grid: [3, 2, 5]
block: [8, 4, 2]
buffers:
  - {name: out, dtype: i32, shape: [30, 64]}
  - {name: sizes, dtype: i32, shape: [4]}
arguments: [out, sizes]
expect:
  - {buffer: out, each: i + i floordiv 64 mod 8 * 1000}
  - {buffer: sizes, values: [5, 24, 20, 64]}
;--- beyond.yaml
kernel: beyond
buffers: [{name: out, dtype: i64, shape: [1]}]
arguments: [out]
;--- unknown.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.s.getreg(i32)
declare i32 @llvm.amdgcn.strict.wwm.i32(i32)
define amdgpu_kernel void @beyond(ptr addrspace(1) %out) "target-cpu"="gfx942" {
  %mode = call i32 @llvm.amdgcn.s.getreg(i32 63489)
  %all = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %mode)
  %sum = call i32 asm "v_add_u32 $0, $1, $1", "=v,v"(i32 %all)
  store i32 %sum, ptr addrspace(1) %out, align 8
  ret void
}
;--- chip.ll
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @beyond(ptr addrspace(1) %out) "target-cpu"="gfx1100" {
  ret void
}
