; Loads, stores and atomics of inline PTX, with the hints that compilers write.
; DEVICE: inline PTX; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml
; RUN: sed 's/\[$0\], {/[$0+4], {/' %t/kernel.ll > %t/misaligned.ll
; RUN: not lathe simulate %t/misaligned.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=ALIGN
; ALIGN: misaligned
; RUN: sed 's/ld.global.nc/ld.shared/; s/.L1::no_allocate//' %t/kernel.ll > %t/space.ll
; RUN: not lathe simulate %t/space.ll --launch %t/launch.yaml | FileCheck %s --check-prefix=SPACE
; SPACE: out-of-bounds: ld.shared
; SPACE-SAME: expected one in shared memory
; RUN: sed 's/ld.global.nc/ld.global.xy/' %t/kernel.ll > %t/unknown.ll
; RUN: not lathe simulate %t/unknown.ll --launch %t/launch.yaml 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: unsupported: {{.*}}ld.global.xy.L1::no_allocate.v4.b32
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/kernel.ll -o %t/kernel.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/kernel.ptx -o %t/kernel.cubin %}
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [128 x i32] poison, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(1) %sums) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, 4
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %first
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %first
  %tile = getelementptr i32, ptr addrspace(3) @tile, i32 %first
  %four = call { i32, i32, i32, i32 } asm sideeffect "ld.global.nc.L1::no_allocate.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l"(ptr addrspace(1) %from)
  %a = extractvalue { i32, i32, i32, i32 } %four, 0
  %b = extractvalue { i32, i32, i32, i32 } %four, 1
  %c = extractvalue { i32, i32, i32, i32 } %four, 2
  %d = extractvalue { i32, i32, i32, i32 } %four, 3
  call void asm sideeffect "{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0; st.shared.v4.b32 [$0], {$1, $2, $3, $4}; }", "r,r,r,r,r"(ptr addrspace(3) %tile, i32 %d, i32 %c, i32 %b, i32 %a)
  %low = call i16 asm sideeffect "ld.shared.u16 $0, [$1+8];", "=h,r"(ptr addrspace(3) %tile)
  %wide = zext i16 %low to i32
  %sum = add i32 %c, %wide
  call void asm sideeffect "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr addrspace(1) %to, i32 %a, i32 %b, i32 %sum, i32 %d)
  %old = call i32 asm sideeffect "atom.relaxed.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r"(ptr addrspace(1) %sums, i32 %a)
  call void asm sideeffect "red.global.add.f32 [$0+4], 0f3F800000;", "l"(ptr addrspace(1) %sums)
  call void asm sideeffect "red.release.gpu.global.max.s32 [$0+8], $1;", "l,r"(ptr addrspace(1) %sums, i32 %d)
  %last = icmp eq i32 %t, 31
  %flag = zext i1 %last to i32
  call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p st.global.f32 [$1+12], 0.5; @!p prefetch.global.L2 [$1]; }", "r,l"(i32 %flag, ptr addrspace(1) %sums)
  ret void
}
;--- launch.yaml
block: 32
buffers:
  - {name: in, dtype: i32, shape: [128], fill: iota}
  - {name: out, dtype: i32, shape: [128]}
  - {name: sums, dtype: i32, shape: [4], fill: zeros}
arguments: [in, out, sums]
expect:
  - {buffer: out, each: "select(i mod 4 == 2, i + i - 1, i)"}
  - {buffer: sums, values: [1984, 1107296256, 127, 1056964608]}
