; mma.sync of every kind of operand: A picks columns of B, so that each element
; of the result says where its operands were taken from.
; DEVICE: mma.sync of 16 and 8 bit floats; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/bf16.ll --launch %t/bf16.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/bf16.ll -o %t/bf16.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/bf16.ptx -o %t/bf16.cubin %}
; RUN: lathe simulate %t/f16.ll --launch %t/f16.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/f16.ll -o %t/f16.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/f16.ptx -o %t/f16.cubin %}
; RUN: lathe simulate %t/e4m3.ll --launch %t/e4m3.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/e4m3.ll -o %t/e4m3.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/e4m3.ptx -o %t/e4m3.cubin %}
;--- bf16.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, float, float, float, float)

define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d.out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %lane, 2
  %q = and i32 %lane, 3
  %kq = mul i32 %q, 2
  %q2 = mul i32 %q, 2
  %ra0 = add i32 %g, 0
  %ia0 = mul i32 %ra0, 16
  %ja0 = add i32 %ia0, %kq
  %ka0 = add i32 %ja0, 0
  %oa0 = mul i32 %ka0, 2
  %pa0 = getelementptr i8, ptr addrspace(1) %a, i32 %oa0
  %a0 = load i32, ptr addrspace(1) %pa0, align 4
  %ra1 = add i32 %g, 8
  %ia1 = mul i32 %ra1, 16
  %ja1 = add i32 %ia1, %kq
  %ka1 = add i32 %ja1, 0
  %oa1 = mul i32 %ka1, 2
  %pa1 = getelementptr i8, ptr addrspace(1) %a, i32 %oa1
  %a1 = load i32, ptr addrspace(1) %pa1, align 4
  %ra2 = add i32 %g, 0
  %ia2 = mul i32 %ra2, 16
  %ja2 = add i32 %ia2, %kq
  %ka2 = add i32 %ja2, 8
  %oa2 = mul i32 %ka2, 2
  %pa2 = getelementptr i8, ptr addrspace(1) %a, i32 %oa2
  %a2 = load i32, ptr addrspace(1) %pa2, align 4
  %ra3 = add i32 %g, 8
  %ia3 = mul i32 %ra3, 16
  %ja3 = add i32 %ia3, %kq
  %ka3 = add i32 %ja3, 8
  %oa3 = mul i32 %ka3, 2
  %pa3 = getelementptr i8, ptr addrspace(1) %a, i32 %oa3
  %a3 = load i32, ptr addrspace(1) %pa3, align 4
  %ib0 = mul i32 %g, 16
  %jb0 = add i32 %ib0, %kq
  %kb0 = add i32 %jb0, 0
  %ob0 = mul i32 %kb0, 2
  %pb0 = getelementptr i8, ptr addrspace(1) %b, i32 %ob0
  %b0 = load i32, ptr addrspace(1) %pb0, align 4
  %ib1 = mul i32 %g, 16
  %jb1 = add i32 %ib1, %kq
  %kb1 = add i32 %jb1, 8
  %ob1 = mul i32 %kb1, 2
  %pb1 = getelementptr i8, ptr addrspace(1) %b, i32 %ob1
  %b1 = load i32, ptr addrspace(1) %pb1, align 4
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, float 1.0, float 1.0, float 1.0, float 1.0)
  %v0 = extractvalue { float, float, float, float } %d, 0
  %rd0 = add i32 %g, 0
  %id0 = mul i32 %rd0, 8
  %jd0 = add i32 %id0, %q2
  %kd0 = add i32 %jd0, 0
  %pd0 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd0
  store float %v0, ptr addrspace(1) %pd0
  %v1 = extractvalue { float, float, float, float } %d, 1
  %rd1 = add i32 %g, 0
  %id1 = mul i32 %rd1, 8
  %jd1 = add i32 %id1, %q2
  %kd1 = add i32 %jd1, 1
  %pd1 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd1
  store float %v1, ptr addrspace(1) %pd1
  %v2 = extractvalue { float, float, float, float } %d, 2
  %rd2 = add i32 %g, 8
  %id2 = mul i32 %rd2, 8
  %jd2 = add i32 %id2, %q2
  %kd2 = add i32 %jd2, 0
  %pd2 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd2
  store float %v2, ptr addrspace(1) %pd2
  %v3 = extractvalue { float, float, float, float } %d, 3
  %rd3 = add i32 %g, 8
  %id3 = mul i32 %rd3, 8
  %jd3 = add i32 %id3, %q2
  %kd3 = add i32 %jd3, 1
  %pd3 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd3
  store float %v3, ptr addrspace(1) %pd3
  ret void
}
;--- bf16.yaml
block: 32
buffers:
  - {name: a, dtype: bf16, shape: [16, 16], fill: {each: "select(i floordiv 16 mod 16 == i mod 16, 1, 0)"}}
  - {name: b, dtype: bf16, shape: [8, 16], fill: {each: "i * 5 mod 61 - 30"}}
  - {name: d, dtype: f32, shape: [16, 8]}
arguments: [a, b, d]
expect:
  - {buffer: d, each: "(i mod 8 * 16 + i floordiv 8 mod 16) * 5 mod 61 - 30 + 1"}
;--- f16.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)

define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d.out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %lane, 2
  %q = and i32 %lane, 3
  %kq = mul i32 %q, 2
  %q2 = mul i32 %q, 2
  %ra0 = add i32 %g, 0
  %ia0 = mul i32 %ra0, 16
  %ja0 = add i32 %ia0, %kq
  %ka0 = add i32 %ja0, 0
  %oa0 = mul i32 %ka0, 2
  %pa0 = getelementptr i8, ptr addrspace(1) %a, i32 %oa0
  %a0 = load <2 x half>, ptr addrspace(1) %pa0, align 4
  %ra1 = add i32 %g, 8
  %ia1 = mul i32 %ra1, 16
  %ja1 = add i32 %ia1, %kq
  %ka1 = add i32 %ja1, 0
  %oa1 = mul i32 %ka1, 2
  %pa1 = getelementptr i8, ptr addrspace(1) %a, i32 %oa1
  %a1 = load <2 x half>, ptr addrspace(1) %pa1, align 4
  %ra2 = add i32 %g, 0
  %ia2 = mul i32 %ra2, 16
  %ja2 = add i32 %ia2, %kq
  %ka2 = add i32 %ja2, 8
  %oa2 = mul i32 %ka2, 2
  %pa2 = getelementptr i8, ptr addrspace(1) %a, i32 %oa2
  %a2 = load <2 x half>, ptr addrspace(1) %pa2, align 4
  %ra3 = add i32 %g, 8
  %ia3 = mul i32 %ra3, 16
  %ja3 = add i32 %ia3, %kq
  %ka3 = add i32 %ja3, 8
  %oa3 = mul i32 %ka3, 2
  %pa3 = getelementptr i8, ptr addrspace(1) %a, i32 %oa3
  %a3 = load <2 x half>, ptr addrspace(1) %pa3, align 4
  %ib0 = mul i32 %g, 16
  %jb0 = add i32 %ib0, %kq
  %kb0 = add i32 %jb0, 0
  %ob0 = mul i32 %kb0, 2
  %pb0 = getelementptr i8, ptr addrspace(1) %b, i32 %ob0
  %b0 = load <2 x half>, ptr addrspace(1) %pb0, align 4
  %ib1 = mul i32 %g, 16
  %jb1 = add i32 %ib1, %kq
  %kb1 = add i32 %jb1, 8
  %ob1 = mul i32 %kb1, 2
  %pb1 = getelementptr i8, ptr addrspace(1) %b, i32 %ob1
  %b1 = load <2 x half>, ptr addrspace(1) %pb1, align 4
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %a0, <2 x half> %a1, <2 x half> %a2, <2 x half> %a3, <2 x half> %b0, <2 x half> %b1, float 1.0, float 1.0, float 1.0, float 1.0)
  %v0 = extractvalue { float, float, float, float } %d, 0
  %rd0 = add i32 %g, 0
  %id0 = mul i32 %rd0, 8
  %jd0 = add i32 %id0, %q2
  %kd0 = add i32 %jd0, 0
  %pd0 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd0
  store float %v0, ptr addrspace(1) %pd0
  %v1 = extractvalue { float, float, float, float } %d, 1
  %rd1 = add i32 %g, 0
  %id1 = mul i32 %rd1, 8
  %jd1 = add i32 %id1, %q2
  %kd1 = add i32 %jd1, 1
  %pd1 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd1
  store float %v1, ptr addrspace(1) %pd1
  %v2 = extractvalue { float, float, float, float } %d, 2
  %rd2 = add i32 %g, 8
  %id2 = mul i32 %rd2, 8
  %jd2 = add i32 %id2, %q2
  %kd2 = add i32 %jd2, 0
  %pd2 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd2
  store float %v2, ptr addrspace(1) %pd2
  %v3 = extractvalue { float, float, float, float } %d, 3
  %rd3 = add i32 %g, 8
  %id3 = mul i32 %rd3, 8
  %jd3 = add i32 %id3, %q2
  %kd3 = add i32 %jd3, 1
  %pd3 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd3
  store float %v3, ptr addrspace(1) %pd3
  ret void
}
;--- f16.yaml
block: 32
buffers:
  - {name: a, dtype: f16, shape: [16, 16], fill: {each: "select(i floordiv 16 mod 16 == i mod 16, 1, 0)"}}
  - {name: b, dtype: f16, shape: [8, 16], fill: {each: "i * 5 mod 61 - 30"}}
  - {name: d, dtype: f32, shape: [16, 8]}
arguments: [a, b, d]
expect:
  - {buffer: d, each: "(i mod 8 * 16 + i floordiv 8 mod 16) * 5 mod 61 - 30 + 1"}
;--- e4m3.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(i32, i32, i32, i32, i32, i32, float, float, float, float)

define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d.out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %lane, 2
  %q = and i32 %lane, 3
  %kq = mul i32 %q, 4
  %q2 = mul i32 %q, 2
  %ra0 = add i32 %g, 0
  %ia0 = mul i32 %ra0, 32
  %ja0 = add i32 %ia0, %kq
  %ka0 = add i32 %ja0, 0
  %oa0 = mul i32 %ka0, 1
  %pa0 = getelementptr i8, ptr addrspace(1) %a, i32 %oa0
  %a0 = load i32, ptr addrspace(1) %pa0, align 4
  %ra1 = add i32 %g, 8
  %ia1 = mul i32 %ra1, 32
  %ja1 = add i32 %ia1, %kq
  %ka1 = add i32 %ja1, 0
  %oa1 = mul i32 %ka1, 1
  %pa1 = getelementptr i8, ptr addrspace(1) %a, i32 %oa1
  %a1 = load i32, ptr addrspace(1) %pa1, align 4
  %ra2 = add i32 %g, 0
  %ia2 = mul i32 %ra2, 32
  %ja2 = add i32 %ia2, %kq
  %ka2 = add i32 %ja2, 16
  %oa2 = mul i32 %ka2, 1
  %pa2 = getelementptr i8, ptr addrspace(1) %a, i32 %oa2
  %a2 = load i32, ptr addrspace(1) %pa2, align 4
  %ra3 = add i32 %g, 8
  %ia3 = mul i32 %ra3, 32
  %ja3 = add i32 %ia3, %kq
  %ka3 = add i32 %ja3, 16
  %oa3 = mul i32 %ka3, 1
  %pa3 = getelementptr i8, ptr addrspace(1) %a, i32 %oa3
  %a3 = load i32, ptr addrspace(1) %pa3, align 4
  %ib0 = mul i32 %g, 32
  %jb0 = add i32 %ib0, %kq
  %kb0 = add i32 %jb0, 0
  %ob0 = mul i32 %kb0, 1
  %pb0 = getelementptr i8, ptr addrspace(1) %b, i32 %ob0
  %b0 = load i32, ptr addrspace(1) %pb0, align 4
  %ib1 = mul i32 %g, 32
  %jb1 = add i32 %ib1, %kq
  %kb1 = add i32 %jb1, 16
  %ob1 = mul i32 %kb1, 1
  %pb1 = getelementptr i8, ptr addrspace(1) %b, i32 %ob1
  %b1 = load i32, ptr addrspace(1) %pb1, align 4
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, float 1.0, float 1.0, float 1.0, float 1.0)
  %v0 = extractvalue { float, float, float, float } %d, 0
  %rd0 = add i32 %g, 0
  %id0 = mul i32 %rd0, 8
  %jd0 = add i32 %id0, %q2
  %kd0 = add i32 %jd0, 0
  %pd0 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd0
  store float %v0, ptr addrspace(1) %pd0
  %v1 = extractvalue { float, float, float, float } %d, 1
  %rd1 = add i32 %g, 0
  %id1 = mul i32 %rd1, 8
  %jd1 = add i32 %id1, %q2
  %kd1 = add i32 %jd1, 1
  %pd1 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd1
  store float %v1, ptr addrspace(1) %pd1
  %v2 = extractvalue { float, float, float, float } %d, 2
  %rd2 = add i32 %g, 8
  %id2 = mul i32 %rd2, 8
  %jd2 = add i32 %id2, %q2
  %kd2 = add i32 %jd2, 0
  %pd2 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd2
  store float %v2, ptr addrspace(1) %pd2
  %v3 = extractvalue { float, float, float, float } %d, 3
  %rd3 = add i32 %g, 8
  %id3 = mul i32 %rd3, 8
  %jd3 = add i32 %id3, %q2
  %kd3 = add i32 %jd3, 1
  %pd3 = getelementptr float, ptr addrspace(1) %d.out, i32 %kd3
  store float %v3, ptr addrspace(1) %pd3
  ret void
}
;--- e4m3.yaml
block: 32
buffers:
  - {name: a, dtype: f8E4M3FN, shape: [16, 32], fill: {each: "select(i floordiv 32 mod 32 == i mod 32, 1, 0)"}}
  - {name: b, dtype: f8E4M3FN, shape: [8, 32], fill: {each: "i mod 7 - 3"}}
  - {name: d, dtype: f32, shape: [16, 8]}
arguments: [a, b, d]
expect:
  - {buffer: d, each: "(i mod 8 * 32 + i floordiv 8 mod 32) mod 7 - 3 + 1"}
