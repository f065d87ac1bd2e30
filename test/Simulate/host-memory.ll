; Shared variables, vectors of every shape, tables, copies and local arrays.
; RUN: split-file %s %t
; RUN: lathe simulate %t/kernel.ll --launch %t/launch.yaml --print out | FileCheck %s
; CHECK: ok
; CHECK: out[0]: 10 11 12 13
;--- kernel.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = internal constant [4 x i32] [i32 10, i32 20, i32 30, i32 40], align 16
@static = internal addrspace(3) global [4 x i32] undef, align 16
@dynamic = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @copy(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n, i8 %small, <2 x i16> %pair) {
  %x = load <4 x i32>, ptr addrspace(1) %in, align 16
  store <4 x i32> %x, ptr addrspace(3) @static, align 16
  %y = load <4 x i32>, ptr addrspace(3) @static, align 16
  store <4 x i32> %y, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @dynamic, i64 16), align 16
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 16 %out, ptr addrspace(3) align 16 getelementptr inbounds (i8, ptr addrspace(3) @dynamic, i64 16), i64 16, i1 false)

  %local = alloca [4 x i32], align 16
  %bits = icmp sgt <4 x i32> %x, <i32 10, i32 11, i32 12, i32 12>
  %count = zext <4 x i1> %bits to <4 x i32>
  store <4 x i32> %count, ptr %local, align 16
  %slot = getelementptr i32, ptr %local, i32 %n
  %found = load i32, ptr %slot, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i64 4
  store i32 %found, ptr addrspace(1) %to, align 4

  %entry = getelementptr i32, ptr @table, i32 %n
  %value = load i32, ptr %entry, align 4
  %to5 = getelementptr i32, ptr addrspace(1) %out, i64 5
  store i32 %value, ptr addrspace(1) %to5, align 4

  %wide = zext i8 %small to i32
  %to6 = getelementptr i32, ptr addrspace(1) %out, i64 6
  store i32 %wide, ptr addrspace(1) %to6, align 4
  %second = extractelement <2 x i16> %pair, i32 1
  %wider = zext i16 %second to i32
  %to7 = getelementptr i32, ptr addrspace(1) %out, i64 7
  store i32 %wider, ptr addrspace(1) %to7, align 4

  %where = getelementptr i32, ptr addrspace(1) %out, i64 8
  %size = zext i32 %n to i64
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %where, i8 -1, i64 %size, i1 false)
  %nothing = sub i64 %size, 3
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 null, i8 -1, i64 %nothing, i1 false)
  ret void
}
;--- launch.yaml
shared: 64
buffers:
  - {name: in, dtype: i32, shape: [4], fill: [10, 11, 12, 13], readonly: true}
  - {name: out, dtype: i32, shape: [9], fill: zeros}
arguments: [in, out, {value: 3}, {value: -2, dtype: i8}, {value: 458758}]
expect:
  - {buffer: out, values: [10, 11, 12, 13, 1, 40, 254, 7, 16777215]}
