; What a GPU rounds, orders or saturates in its own way.
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare half @llvm.fma.f16(half, half, half)
declare <2 x bfloat> @llvm.fma.v2bf16(<2 x bfloat>, <2 x bfloat>, <2 x bfloat>)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)

define ptx_kernel void @math(ptr addrspace(1) %in, ptr addrspace(1) %out, half %h3, half %h683, float %zero, float %nan) {
  %in1 = getelementptr float, ptr addrspace(1) %in, i64 1
  %in2 = getelementptr float, ptr addrspace(1) %in, i64 2
  %in4 = getelementptr float, ptr addrspace(1) %in, i64 4
  %b7s = fptrunc float 7.0 to bfloat
  %b7 = insertelement <2 x bfloat> <bfloat 0xR40E0, bfloat 0xR40E0>, bfloat %b7s, i32 0

  ; 1e-39 is a denormal of bf16; native conversions would flush it
  %tiny = load float, ptr addrspace(1) %in, align 4
  %b = fptrunc float %tiny to bfloat
  %b16 = bitcast bfloat %b to i16
  %b32 = zext i16 %b16 to i32
  %p0 = getelementptr i32, ptr addrspace(1) %out, i64 0
  store i32 %b32, ptr addrspace(1) %p0, align 4

  ; 3 * 683 + 2^-24 lies above the middle of 2048 and 2050, but not in f32
  %h = call half @llvm.fma.f16(half %h3, half %h683, half 0xH0001)
  %h16 = bitcast half %h to i16
  %h32 = zext i16 %h16 to i32
  %p1 = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %h32, ptr addrspace(1) %p1, align 4

  ; 7 * 37 - 2^-30 lies below the middle of 258 and 260
  %g = call <2 x bfloat> @llvm.fma.v2bf16(<2 x bfloat> %b7, <2 x bfloat> <bfloat 0xR4214, bfloat 0xR4214>, <2 x bfloat> <bfloat 0xRB080, bfloat 0xR0000>)
  %g32 = bitcast <2 x bfloat> %g to i32
  %p2 = getelementptr i32, ptr addrspace(1) %out, i64 2
  store i32 %g32, ptr addrspace(1) %p2, align 4

  %min = call float @llvm.minnum.f32(float %zero, float -0.0)
  %min32 = bitcast float %min to i32
  %p3 = getelementptr i32, ptr addrspace(1) %out, i64 3
  store i32 %min32, ptr addrspace(1) %p3, align 4

  %max = call float @llvm.maxnum.f32(float %nan, float 1.0)
  %max32 = bitcast float %max to i32
  %p4 = getelementptr i32, ptr addrspace(1) %out, i64 4
  store i32 %max32, ptr addrspace(1) %p4, align 4

  %big = load float, ptr addrspace(1) %in1, align 4
  %i = fptosi float %big to i32
  %p5 = getelementptr i32, ptr addrspace(1) %out, i64 5
  store i32 %i, ptr addrspace(1) %p5, align 4

  %inan = fptosi float %nan to i32
  %p6 = getelementptr i32, ptr addrspace(1) %out, i64 6
  store i32 %inan, ptr addrspace(1) %p6, align 4

  %minus = fneg float %big
  %u = fptoui float %minus to i32
  %p7 = getelementptr i32, ptr addrspace(1) %out, i64 7
  store i32 %u, ptr addrspace(1) %p7, align 4

  %f300 = load float, ptr addrspace(1) %in2, align 4
  %i8 = fptosi float %f300 to i8
  %i8w = sext i8 %i8 to i32
  %p8 = getelementptr i32, ptr addrspace(1) %out, i64 8
  store i32 %i8w, ptr addrspace(1) %p8, align 4

  %d = load double, ptr addrspace(1) %in4, align 8
  %dh = fptrunc double %d to half
  %dh16 = bitcast half %dh to i16
  %dh32 = zext i16 %dh16 to i32
  %p9 = getelementptr i32, ptr addrspace(1) %out, i64 9
  store i32 %dh32, ptr addrspace(1) %p9, align 4
  ret void
}
;--- launch.yaml
buffers:
  # the last two are the double just above the middle of two halves
  - {name: in, dtype: f32, shape: [6], fill: [1e-39, 3e9, 300, 0, 1.401298464324817e-45, 1.00006103515625]}
  - {name: out, dtype: i32, shape: [10], fill: zeros}
arguments:
  - in
  - out
  - {value: 3, dtype: f16}
  - {value: 683, dtype: f16}
  - {value: 0, dtype: f32}
  - {value: nan, dtype: f32}
expect:
  # 0x6801; 0x4381 and 259 rounded to even; -0; 1.0
  - {buffer: out, values: [11, 26625, 1132610433, -2147483648, 1065353216, 2147483647, 0, 0, 44, 8193]}
