; wgmma of every type and layout of operands: A picks columns of B, so that each
; element of the result says where its operands were taken from.
; DEVICE: wgmma of 8 bit types; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/e4m3.ll --launch %t/e4m3.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/e4m3.ll -o %t/e4m3.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/e4m3.ptx -o %t/e4m3.cubin %}
; RUN: lathe simulate %t/e5m2.ll --launch %t/e5m2.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/e5m2.ll -o %t/e5m2.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/e5m2.ptx -o %t/e5m2.cubin %}
; RUN: lathe simulate %t/s8.ll --launch %t/s8.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/s8.ll -o %t/s8.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/s8.ptx -o %t/s8.cubin %}
;--- e4m3.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@a.tile = internal addrspace(3) global [2048 x i8] poison, align 128
@b.tile = internal addrspace(3) global [256 x i8] poison, align 128
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; Rows of 32 bytes into core matrices of 8 rows of 16 bytes.
  %piece = mul i32 %t, 16
  %row = lshr i32 %t, 1
  %right = and i32 %t, 1
  %matrix = lshr i32 %row, 3
  %below = and i32 %row, 7
  %m = mul i32 %matrix, 256
  %r = mul i32 %right, 128
  %w = mul i32 %below, 16
  %mr = add i32 %m, %r
  %to = add i32 %mr, %w
  %from.a = getelementptr i8, ptr addrspace(1) %a, i32 %piece
  %piece.a = load <4 x i32>, ptr addrspace(1) %from.a, align 16
  %to.a = getelementptr i8, ptr addrspace(3) @a.tile, i32 %to
  store <4 x i32> %piece.a, ptr addrspace(3) %to.a, align 16
  %first = icmp ult i32 %t, 16
  br i1 %first, label %copy, label %copied

copy:
  %from.b = getelementptr i8, ptr addrspace(1) %b, i32 %piece
  %piece.b = load <4 x i32>, ptr addrspace(1) %from.b, align 16
  %to.b = getelementptr i8, ptr addrspace(3) @b.tile, i32 %to
  store <4 x i32> %piece.b, ptr addrspace(3) %to.b, align 16
  br label %copied

copied:
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %base.a = ptrtoint ptr addrspace(3) @a.tile to i64
  %base.b = ptrtoint ptr addrspace(3) @b.tile to i64
  %low.a = and i64 %base.a, 262143
  %low.b = and i64 %base.b, 262143
  %start.a = lshr i64 %low.a, 4
  %start.b = lshr i64 %low.b, 4
  ; LBO 128, SBO 256 bytes, no swizzle
  %da = or i64 %start.a, 68720001024
  %db = or i64 %start.b, 68720001024
  %lane = and i32 %t, 31
  %g = lshr i32 %lane, 2
  %q = and i32 %lane, 3
  %warp = lshr i32 %t, 5
  %warp.row = mul i32 %warp, 16
  %top = add i32 %warp.row, %g
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %d = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {$0, $1, $2, $3}, $8, $9, 1, 1, 1;", "=f,=f,=f,=f,0,1,2,3,l,l"(float 0.0, float 0.0, float 0.0, float 0.0, i64 %da, i64 %db) #1
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)
  %q2 = mul i32 %q, 2
  %v0 = extractvalue { float, float, float, float } %d, 0
  %vr0 = add i32 %top, 0
  %vi0 = mul i32 %vr0, 8
  %vj0 = add i32 %vi0, %q2
  %vk0 = add i32 %vj0, 0
  %vp0 = getelementptr float, ptr addrspace(1) %out, i32 %vk0
  store float %v0, ptr addrspace(1) %vp0
  %v1 = extractvalue { float, float, float, float } %d, 1
  %vr1 = add i32 %top, 0
  %vi1 = mul i32 %vr1, 8
  %vj1 = add i32 %vi1, %q2
  %vk1 = add i32 %vj1, 1
  %vp1 = getelementptr float, ptr addrspace(1) %out, i32 %vk1
  store float %v1, ptr addrspace(1) %vp1
  %v2 = extractvalue { float, float, float, float } %d, 2
  %vr2 = add i32 %top, 8
  %vi2 = mul i32 %vr2, 8
  %vj2 = add i32 %vi2, %q2
  %vk2 = add i32 %vj2, 0
  %vp2 = getelementptr float, ptr addrspace(1) %out, i32 %vk2
  store float %v2, ptr addrspace(1) %vp2
  %v3 = extractvalue { float, float, float, float } %d, 3
  %vr3 = add i32 %top, 8
  %vi3 = mul i32 %vr3, 8
  %vj3 = add i32 %vi3, %q2
  %vk3 = add i32 %vj3, 1
  %vp3 = getelementptr float, ptr addrspace(1) %out, i32 %vk3
  store float %v3, ptr addrspace(1) %vp3
  ret void
}
attributes #1 = { convergent nounwind }
;--- e4m3.yaml
block: 128
buffers:
  - {name: a, dtype: f8E4M3FN, shape: [64, 32], fill: {each: "select(i floordiv 32 mod 32 == i mod 32, 1, 0)"}}
  - {name: b, dtype: f8E4M3FN, shape: [8, 32], fill: {each: "i mod 7 - 3"}}
  - {name: out, dtype: f32, shape: [64, 8]}
arguments: [a, b, out]
expect:
  - {buffer: out, each: "(i mod 8 * 32 + i floordiv 8 mod 32) mod 7 - 3"}
;--- e5m2.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@a.tile = internal addrspace(3) global [2048 x i8] poison, align 128
@b.tile = internal addrspace(3) global [256 x i8] poison, align 128
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; Rows of 32 bytes into core matrices of 8 rows of 16 bytes.
  %piece = mul i32 %t, 16
  %row = lshr i32 %t, 1
  %right = and i32 %t, 1
  %matrix = lshr i32 %row, 3
  %below = and i32 %row, 7
  %m = mul i32 %matrix, 256
  %r = mul i32 %right, 128
  %w = mul i32 %below, 16
  %mr = add i32 %m, %r
  %to = add i32 %mr, %w
  %from.a = getelementptr i8, ptr addrspace(1) %a, i32 %piece
  %piece.a = load <4 x i32>, ptr addrspace(1) %from.a, align 16
  %to.a = getelementptr i8, ptr addrspace(3) @a.tile, i32 %to
  store <4 x i32> %piece.a, ptr addrspace(3) %to.a, align 16
  %first = icmp ult i32 %t, 16
  br i1 %first, label %copy, label %copied

copy:
  %from.b = getelementptr i8, ptr addrspace(1) %b, i32 %piece
  %piece.b = load <4 x i32>, ptr addrspace(1) %from.b, align 16
  %to.b = getelementptr i8, ptr addrspace(3) @b.tile, i32 %to
  store <4 x i32> %piece.b, ptr addrspace(3) %to.b, align 16
  br label %copied

copied:
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %base.a = ptrtoint ptr addrspace(3) @a.tile to i64
  %base.b = ptrtoint ptr addrspace(3) @b.tile to i64
  %low.a = and i64 %base.a, 262143
  %low.b = and i64 %base.b, 262143
  %start.a = lshr i64 %low.a, 4
  %start.b = lshr i64 %low.b, 4
  ; LBO 128, SBO 256 bytes, no swizzle
  %da = or i64 %start.a, 68720001024
  %db = or i64 %start.b, 68720001024
  %lane = and i32 %t, 31
  %g = lshr i32 %lane, 2
  %q = and i32 %lane, 3
  %warp = lshr i32 %t, 5
  %warp.row = mul i32 %warp, 16
  %top = add i32 %warp.row, %g
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %d = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3 {$0, $1, $2, $3}, $8, $9, 1, 1, 1;", "=f,=f,=f,=f,0,1,2,3,l,l"(float 0.0, float 0.0, float 0.0, float 0.0, i64 %da, i64 %db) #1
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)
  %q2 = mul i32 %q, 2
  %v0 = extractvalue { float, float, float, float } %d, 0
  %vr0 = add i32 %top, 0
  %vi0 = mul i32 %vr0, 8
  %vj0 = add i32 %vi0, %q2
  %vk0 = add i32 %vj0, 0
  %vp0 = getelementptr float, ptr addrspace(1) %out, i32 %vk0
  store float %v0, ptr addrspace(1) %vp0
  %v1 = extractvalue { float, float, float, float } %d, 1
  %vr1 = add i32 %top, 0
  %vi1 = mul i32 %vr1, 8
  %vj1 = add i32 %vi1, %q2
  %vk1 = add i32 %vj1, 1
  %vp1 = getelementptr float, ptr addrspace(1) %out, i32 %vk1
  store float %v1, ptr addrspace(1) %vp1
  %v2 = extractvalue { float, float, float, float } %d, 2
  %vr2 = add i32 %top, 8
  %vi2 = mul i32 %vr2, 8
  %vj2 = add i32 %vi2, %q2
  %vk2 = add i32 %vj2, 0
  %vp2 = getelementptr float, ptr addrspace(1) %out, i32 %vk2
  store float %v2, ptr addrspace(1) %vp2
  %v3 = extractvalue { float, float, float, float } %d, 3
  %vr3 = add i32 %top, 8
  %vi3 = mul i32 %vr3, 8
  %vj3 = add i32 %vi3, %q2
  %vk3 = add i32 %vj3, 1
  %vp3 = getelementptr float, ptr addrspace(1) %out, i32 %vk3
  store float %v3, ptr addrspace(1) %vp3
  ret void
}
attributes #1 = { convergent nounwind }
;--- e5m2.yaml
block: 128
buffers:
  - {name: a, dtype: f8E5M2, shape: [64, 32], fill: {each: "select(i floordiv 32 mod 32 == i mod 32, 1, 0)"}}
  - {name: b, dtype: f8E4M3FN, shape: [8, 32], fill: {each: "i mod 7 - 3"}}
  - {name: out, dtype: f32, shape: [64, 8]}
arguments: [a, b, out]
expect:
  - {buffer: out, each: "(i mod 8 * 32 + i floordiv 8 mod 32) mod 7 - 3"}
;--- s8.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@a.tile = internal addrspace(3) global [2048 x i8] poison, align 128
@b.tile = internal addrspace(3) global [256 x i8] poison, align 128
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)

define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; Rows of 32 bytes into core matrices of 8 rows of 16 bytes.
  %piece = mul i32 %t, 16
  %row = lshr i32 %t, 1
  %right = and i32 %t, 1
  %matrix = lshr i32 %row, 3
  %below = and i32 %row, 7
  %m = mul i32 %matrix, 256
  %r = mul i32 %right, 128
  %w = mul i32 %below, 16
  %mr = add i32 %m, %r
  %to = add i32 %mr, %w
  %from.a = getelementptr i8, ptr addrspace(1) %a, i32 %piece
  %piece.a = load <4 x i32>, ptr addrspace(1) %from.a, align 16
  %to.a = getelementptr i8, ptr addrspace(3) @a.tile, i32 %to
  store <4 x i32> %piece.a, ptr addrspace(3) %to.a, align 16
  %first = icmp ult i32 %t, 16
  br i1 %first, label %copy, label %copied

copy:
  %from.b = getelementptr i8, ptr addrspace(1) %b, i32 %piece
  %piece.b = load <4 x i32>, ptr addrspace(1) %from.b, align 16
  %to.b = getelementptr i8, ptr addrspace(3) @b.tile, i32 %to
  store <4 x i32> %piece.b, ptr addrspace(3) %to.b, align 16
  br label %copied

copied:
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %base.a = ptrtoint ptr addrspace(3) @a.tile to i64
  %base.b = ptrtoint ptr addrspace(3) @b.tile to i64
  %low.a = and i64 %base.a, 262143
  %low.b = and i64 %base.b, 262143
  %start.a = lshr i64 %low.a, 4
  %start.b = lshr i64 %low.b, 4
  ; LBO 128, SBO 256 bytes, no swizzle
  %da = or i64 %start.a, 68720001024
  %db = or i64 %start.b, 68720001024
  %lane = and i32 %t, 31
  %g = lshr i32 %lane, 2
  %q = and i32 %lane, 3
  %warp = lshr i32 %t, 5
  %warp.row = mul i32 %warp, 16
  %top = add i32 %warp.row, %g
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %d = call { i32, i32, i32, i32 } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {$0, $1, $2, $3}, $8, $9, 1;", "=r,=r,=r,=r,0,1,2,3,l,l"(i32 0, i32 0, i32 0, i32 0, i64 %da, i64 %db) #1
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)
  %q2 = mul i32 %q, 2
  %v0 = extractvalue { i32, i32, i32, i32 } %d, 0
  %vr0 = add i32 %top, 0
  %vi0 = mul i32 %vr0, 8
  %vj0 = add i32 %vi0, %q2
  %vk0 = add i32 %vj0, 0
  %vp0 = getelementptr i32, ptr addrspace(1) %out, i32 %vk0
  store i32 %v0, ptr addrspace(1) %vp0
  %v1 = extractvalue { i32, i32, i32, i32 } %d, 1
  %vr1 = add i32 %top, 0
  %vi1 = mul i32 %vr1, 8
  %vj1 = add i32 %vi1, %q2
  %vk1 = add i32 %vj1, 1
  %vp1 = getelementptr i32, ptr addrspace(1) %out, i32 %vk1
  store i32 %v1, ptr addrspace(1) %vp1
  %v2 = extractvalue { i32, i32, i32, i32 } %d, 2
  %vr2 = add i32 %top, 8
  %vi2 = mul i32 %vr2, 8
  %vj2 = add i32 %vi2, %q2
  %vk2 = add i32 %vj2, 0
  %vp2 = getelementptr i32, ptr addrspace(1) %out, i32 %vk2
  store i32 %v2, ptr addrspace(1) %vp2
  %v3 = extractvalue { i32, i32, i32, i32 } %d, 3
  %vr3 = add i32 %top, 8
  %vi3 = mul i32 %vr3, 8
  %vj3 = add i32 %vi3, %q2
  %vk3 = add i32 %vj3, 1
  %vp3 = getelementptr i32, ptr addrspace(1) %out, i32 %vk3
  store i32 %v3, ptr addrspace(1) %vp3
  ret void
}
attributes #1 = { convergent nounwind }
;--- s8.yaml
block: 128
buffers:
  - {name: a, dtype: i8, shape: [64, 32], fill: {each: "select(i floordiv 32 mod 32 == i mod 32, 1, 0)"}}
  - {name: b, dtype: i8, shape: [8, 32], fill: {each: "i * 5 mod 61 - 30"}}
  - {name: out, dtype: i32, shape: [64, 8]}
arguments: [a, b, out]
expect:
  - {buffer: out, each: "(i mod 8 * 32 + i floordiv 8 mod 32) * 5 mod 61 - 30"}
