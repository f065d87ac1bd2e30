; mma.sync of every kind of operand: A picks columns of B, so that each element
; of the result says where its operands were taken from.
; DEVICE: mma.sync of other types; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/tf32.ll --launch %t/tf32.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/tf32.ll -o %t/tf32.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/tf32.ptx -o %t/tf32.cubin %}
; RUN: lathe simulate %t/s8.ll --launch %t/s8.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/s8.ll -o %t/s8.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/s8.ptx -o %t/s8.cubin %}
; RUN: lathe simulate %t/f64.ll --launch %t/f64.yaml
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/f64.ll -o %t/f64.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/f64.ptx -o %t/f64.cubin %}
;--- tf32.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32, i32, i32, i32, i32, i32, float, float, float, float)

define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d.out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %lane, 2
  %q = and i32 %lane, 3
  %kq = mul i32 %q, 1
  %q2 = mul i32 %q, 2
  %ra0 = add i32 %g, 0
  %ia0 = mul i32 %ra0, 8
  %ja0 = add i32 %ia0, %kq
  %ka0 = add i32 %ja0, 0
  %oa0 = mul i32 %ka0, 4
  %pa0 = getelementptr i8, ptr addrspace(1) %a, i32 %oa0
  %a0 = load i32, ptr addrspace(1) %pa0, align 4
  %ra1 = add i32 %g, 8
  %ia1 = mul i32 %ra1, 8
  %ja1 = add i32 %ia1, %kq
  %ka1 = add i32 %ja1, 0
  %oa1 = mul i32 %ka1, 4
  %pa1 = getelementptr i8, ptr addrspace(1) %a, i32 %oa1
  %a1 = load i32, ptr addrspace(1) %pa1, align 4
  %ra2 = add i32 %g, 0
  %ia2 = mul i32 %ra2, 8
  %ja2 = add i32 %ia2, %kq
  %ka2 = add i32 %ja2, 4
  %oa2 = mul i32 %ka2, 4
  %pa2 = getelementptr i8, ptr addrspace(1) %a, i32 %oa2
  %a2 = load i32, ptr addrspace(1) %pa2, align 4
  %ra3 = add i32 %g, 8
  %ia3 = mul i32 %ra3, 8
  %ja3 = add i32 %ia3, %kq
  %ka3 = add i32 %ja3, 4
  %oa3 = mul i32 %ka3, 4
  %pa3 = getelementptr i8, ptr addrspace(1) %a, i32 %oa3
  %a3 = load i32, ptr addrspace(1) %pa3, align 4
  %ib0 = mul i32 %g, 8
  %jb0 = add i32 %ib0, %kq
  %kb0 = add i32 %jb0, 0
  %ob0 = mul i32 %kb0, 4
  %pb0 = getelementptr i8, ptr addrspace(1) %b, i32 %ob0
  %b0 = load i32, ptr addrspace(1) %pb0, align 4
  %ib1 = mul i32 %g, 8
  %jb1 = add i32 %ib1, %kq
  %kb1 = add i32 %jb1, 4
  %ob1 = mul i32 %kb1, 4
  %pb1 = getelementptr i8, ptr addrspace(1) %b, i32 %ob1
  %b1 = load i32, ptr addrspace(1) %pb1, align 4
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, float 1.0, float 1.0, float 1.0, float 1.0)
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
;--- tf32.yaml
block: 32
buffers:
  - {name: a, dtype: f32, shape: [16, 8], fill: {each: "select(i floordiv 8 mod 8 == i mod 8, 1, 0)"}}
  - {name: b, dtype: f32, shape: [8, 8], fill: {each: "i * 5 mod 61 - 30"}}
  - {name: d, dtype: f32, shape: [16, 8]}
arguments: [a, b, d]
expect:
  - {buffer: d, each: "(i mod 8 * 8 + i floordiv 8 mod 8) * 5 mod 61 - 30 + 1"}
;--- s8.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { i32, i32, i32, i32 } @llvm.nvvm.mma.m16n8k32.row.col.s8(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)

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
  %d = call { i32, i32, i32, i32 } @llvm.nvvm.mma.m16n8k32.row.col.s8(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, i32 1, i32 1, i32 1, i32 1)
  %v0 = extractvalue { i32, i32, i32, i32 } %d, 0
  %rd0 = add i32 %g, 0
  %id0 = mul i32 %rd0, 8
  %jd0 = add i32 %id0, %q2
  %kd0 = add i32 %jd0, 0
  %pd0 = getelementptr i32, ptr addrspace(1) %d.out, i32 %kd0
  store i32 %v0, ptr addrspace(1) %pd0
  %v1 = extractvalue { i32, i32, i32, i32 } %d, 1
  %rd1 = add i32 %g, 0
  %id1 = mul i32 %rd1, 8
  %jd1 = add i32 %id1, %q2
  %kd1 = add i32 %jd1, 1
  %pd1 = getelementptr i32, ptr addrspace(1) %d.out, i32 %kd1
  store i32 %v1, ptr addrspace(1) %pd1
  %v2 = extractvalue { i32, i32, i32, i32 } %d, 2
  %rd2 = add i32 %g, 8
  %id2 = mul i32 %rd2, 8
  %jd2 = add i32 %id2, %q2
  %kd2 = add i32 %jd2, 0
  %pd2 = getelementptr i32, ptr addrspace(1) %d.out, i32 %kd2
  store i32 %v2, ptr addrspace(1) %pd2
  %v3 = extractvalue { i32, i32, i32, i32 } %d, 3
  %rd3 = add i32 %g, 8
  %id3 = mul i32 %rd3, 8
  %jd3 = add i32 %id3, %q2
  %kd3 = add i32 %jd3, 1
  %pd3 = getelementptr i32, ptr addrspace(1) %d.out, i32 %kd3
  store i32 %v3, ptr addrspace(1) %pd3
  ret void
}
;--- s8.yaml
block: 32
buffers:
  - {name: a, dtype: i8, shape: [16, 32], fill: {each: "select(i floordiv 32 mod 32 == i mod 32, 1, 0)"}}
  - {name: b, dtype: i8, shape: [8, 32], fill: {each: "i * 5 mod 61 - 30"}}
  - {name: d, dtype: i32, shape: [16, 8]}
arguments: [a, b, d]
expect:
  - {buffer: d, each: "(i mod 8 * 32 + i floordiv 8 mod 32) * 5 mod 61 - 30 + 1"}
;--- f64.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { double, double, double, double } @llvm.nvvm.mma.m16n8k8.row.col.f64(double, double, double, double, double, double, double, double, double, double)

define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d.out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %lane, 2
  %q = and i32 %lane, 3
  %kq = mul i32 %q, 1
  %q2 = mul i32 %q, 2
  %ra0 = add i32 %g, 0
  %ia0 = mul i32 %ra0, 8
  %ja0 = add i32 %ia0, %kq
  %ka0 = add i32 %ja0, 0
  %oa0 = mul i32 %ka0, 8
  %pa0 = getelementptr i8, ptr addrspace(1) %a, i32 %oa0
  %a0 = load double, ptr addrspace(1) %pa0, align 8
  %ra1 = add i32 %g, 8
  %ia1 = mul i32 %ra1, 8
  %ja1 = add i32 %ia1, %kq
  %ka1 = add i32 %ja1, 0
  %oa1 = mul i32 %ka1, 8
  %pa1 = getelementptr i8, ptr addrspace(1) %a, i32 %oa1
  %a1 = load double, ptr addrspace(1) %pa1, align 8
  %ra2 = add i32 %g, 0
  %ia2 = mul i32 %ra2, 8
  %ja2 = add i32 %ia2, %kq
  %ka2 = add i32 %ja2, 4
  %oa2 = mul i32 %ka2, 8
  %pa2 = getelementptr i8, ptr addrspace(1) %a, i32 %oa2
  %a2 = load double, ptr addrspace(1) %pa2, align 8
  %ra3 = add i32 %g, 8
  %ia3 = mul i32 %ra3, 8
  %ja3 = add i32 %ia3, %kq
  %ka3 = add i32 %ja3, 4
  %oa3 = mul i32 %ka3, 8
  %pa3 = getelementptr i8, ptr addrspace(1) %a, i32 %oa3
  %a3 = load double, ptr addrspace(1) %pa3, align 8
  %ib0 = mul i32 %g, 8
  %jb0 = add i32 %ib0, %kq
  %kb0 = add i32 %jb0, 0
  %ob0 = mul i32 %kb0, 8
  %pb0 = getelementptr i8, ptr addrspace(1) %b, i32 %ob0
  %b0 = load double, ptr addrspace(1) %pb0, align 8
  %ib1 = mul i32 %g, 8
  %jb1 = add i32 %ib1, %kq
  %kb1 = add i32 %jb1, 4
  %ob1 = mul i32 %kb1, 8
  %pb1 = getelementptr i8, ptr addrspace(1) %b, i32 %ob1
  %b1 = load double, ptr addrspace(1) %pb1, align 8
  %d = call { double, double, double, double } @llvm.nvvm.mma.m16n8k8.row.col.f64(double %a0, double %a1, double %a2, double %a3, double %b0, double %b1, double 1.0, double 1.0, double 1.0, double 1.0)
  %v0 = extractvalue { double, double, double, double } %d, 0
  %rd0 = add i32 %g, 0
  %id0 = mul i32 %rd0, 8
  %jd0 = add i32 %id0, %q2
  %kd0 = add i32 %jd0, 0
  %pd0 = getelementptr double, ptr addrspace(1) %d.out, i32 %kd0
  store double %v0, ptr addrspace(1) %pd0
  %v1 = extractvalue { double, double, double, double } %d, 1
  %rd1 = add i32 %g, 0
  %id1 = mul i32 %rd1, 8
  %jd1 = add i32 %id1, %q2
  %kd1 = add i32 %jd1, 1
  %pd1 = getelementptr double, ptr addrspace(1) %d.out, i32 %kd1
  store double %v1, ptr addrspace(1) %pd1
  %v2 = extractvalue { double, double, double, double } %d, 2
  %rd2 = add i32 %g, 8
  %id2 = mul i32 %rd2, 8
  %jd2 = add i32 %id2, %q2
  %kd2 = add i32 %jd2, 0
  %pd2 = getelementptr double, ptr addrspace(1) %d.out, i32 %kd2
  store double %v2, ptr addrspace(1) %pd2
  %v3 = extractvalue { double, double, double, double } %d, 3
  %rd3 = add i32 %g, 8
  %id3 = mul i32 %rd3, 8
  %jd3 = add i32 %id3, %q2
  %kd3 = add i32 %jd3, 1
  %pd3 = getelementptr double, ptr addrspace(1) %d.out, i32 %kd3
  store double %v3, ptr addrspace(1) %pd3
  ret void
}
;--- f64.yaml
block: 32
buffers:
  - {name: a, dtype: f64, shape: [16, 8], fill: {each: "select(i floordiv 8 mod 8 == i mod 8, 1, 0)"}}
  - {name: b, dtype: f64, shape: [8, 8], fill: {each: "i * 5 mod 61 - 30"}}
  - {name: d, dtype: f64, shape: [16, 8]}
arguments: [a, b, d]
expect:
  - {buffer: d, each: "(i mod 8 * 8 + i floordiv 8 mod 8) * 5 mod 61 - 30 + 1"}
