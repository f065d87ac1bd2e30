; Boxes of tensor maps: clipped at the edges, stores at whole chunks of 16 bytes,
; filled with zeros or NaN, swizzled, stored and added; and plain bulk copies.
; DEVICE: TMA; exact
; RUN: split-file %s %t
; RUN: lathe simulate %t/box.ll --launch %t/box.yaml
; RUN: lathe simulate %t/box.ll --launch %t/box.yaml --async late
; RUN: lathe simulate %t/box.ll --launch %t/swizzled.yaml
; RUN: lathe simulate %t/box.ll --launch %t/nan.yaml
; RUN: lathe simulate %t/box.ll --launch %t/chunks.yaml
; RUN: sed '/name: to/s/10, 20/198/; /- .buffer: to/d' %t/chunks.yaml > %t/tight.yaml
; RUN: not lathe simulate %t/box.ll --launch %t/tight.yaml | FileCheck %s --check-prefix=TIGHT
; TIGHT: out-of-bounds: write of 48 bytes at 'to'+752 of 792
; RUN: lathe simulate %t/bytes.ll --launch %t/bytes.yaml
; RUN: lathe simulate %t/bytes.ll --launch %t/bytes.yaml --async late
; RUN: not lathe simulate %t/box.ll --launch %t/refused.yaml 2>&1 | FileCheck %s --check-prefix=REFUSED
; REFUSED: tensor map: a stride of 40 bytes, expected a multiple of 16 below 2^40
; RUN: sed 's/i32 512)/i32 496)/' %t/box.ll > %t/short.ll
; RUN: not lathe simulate %t/short.ll --launch %t/box.yaml | FileCheck %s --check-prefix=BYTES
; BYTES: transaction-mismatch
; RUN: sed '/fence.proxy.async/d' %t/box.ll > %t/proxy.ll
; RUN: not lathe simulate %t/proxy.ll --launch %t/box.yaml | FileCheck %s --check-prefix=PROXY
; PROXY: async-hazard: read {{.*}} by TMA store {{.*}} without fence.proxy.async after write by warp
; RUN: sed 's/i32 .sx, i32 .y/i32 -4, i32 5/' %t/box.ll > %t/negative.ll
; RUN: not lathe simulate %t/negative.ll --launch %t/box.yaml | FileCheck %s --check-prefix=NEGATIVE
; NEGATIVE: invalid-operand: a tensor store at coordinate -4 of dimension 0, expected none below 0
; RUN: sed '/try_wait/d' %t/box.ll > %t/wait.ll
; RUN: not lathe simulate %t/wait.ll --launch %t/box.yaml | FileCheck %s --check-prefix=WAIT
; WAIT: not ordered after write by TMA load
; RUN: sed '/bulk.wait.group/d' %t/bytes.ll > %t/group.ll
; RUN: not lathe simulate %t/group.ll --launch %t/bytes.yaml | FileCheck %s --check-prefix=GROUP
; GROUP: async-hazard: the thread ends while its bulk copy may still read shared memory
; RUN: sed 's/call void @llvm.nvvm.cp.async.bulk.wait.group(/call void @llvm.nvvm.cp.async.bulk.wait.group.read(/; s/; early: //' %t/bytes.ll > %t/read.ll
; RUN: lathe simulate %t/read.ll --launch %t/bytes.yaml
; RUN: sed '/call void @llvm.nvvm.cp.async.bulk.wait.group(/d; s/; early: //; s/; late: //' %t/bytes.ll > %t/early.ll
; RUN: not lathe simulate %t/early.ll --launch %t/bytes.yaml | FileCheck %s --check-prefix=EARLY
; EARLY: not ordered after read by TMA store
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/box.ll -o %t/box.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/box.ptx -o %t/box.cubin %}
; RUN: llc -mcpu=sm_90a -mattr=+ptx86 %t/bytes.ll -o %t/bytes.ptx
; RUN: %if ptxas %{ ptxas -arch=sm_90a %t/bytes.ptx -o %t/bytes.cubin %}
;--- box.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@box = internal addrspace(3) global [512 x i8] poison, align 1024
@bar = internal addrspace(3) global i64 poison, align 8
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3), ptr, i32, i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.tensor.reduce.add.tile.2d(ptr addrspace(3), ptr, i32, i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.commit.group()
declare void @llvm.nvvm.cp.async.bulk.wait.group(i32)

; A box of 16 columns by 8 rows at (x, y): all of shared memory goes to %raw, the
; box to %to at (max(x, 0), y) and, twice added, to %sum; before that every lane
; adds 1 to its first element.
define ptx_kernel void @kernel(ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %from, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %to, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %sum, ptr addrspace(1) %raw, i32 %x, i32 %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is.first = icmp eq i32 %t, 0
  br i1 %is.first, label %load, label %wait

load:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @bar, i32 1)
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  %s = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) @bar, i32 512)
  %box = addrspacecast ptr addrspace(3) @box to ptr addrspace(7)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %box, ptr addrspace(3) @bar, ptr %from, i32 %x, i32 %y, i16 0, i64 0, i1 false, i1 false, i32 0)
  br label %wait

wait:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void asm sideeffect "{ .reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [$0], 0; @p bra D; bra L; D: }", "r"(ptr addrspace(3) @bar) #1
  %at = mul i32 %t, 16
  %piece = getelementptr i8, ptr addrspace(3) @box, i32 %at
  %words = load <4 x i32>, ptr addrspace(3) %piece, align 16
  %out = getelementptr i8, ptr addrspace(1) %raw, i32 %at
  store <4 x i32> %words, ptr addrspace(1) %out, align 16
  %word = extractelement <4 x i32> %words, i32 0
  %more = add i32 %word, 1
  store i32 %more, ptr addrspace(3) %piece
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br i1 %is.first, label %store, label %end

store:
  %sx = call i32 @llvm.smax.i32(i32 %x, i32 0)
  call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3) @box, ptr %to, i32 %sx, i32 %y, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.tensor.reduce.add.tile.2d(ptr addrspace(3) @box, ptr %sum, i32 %sx, i32 %y, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.commit.group()
  call void @llvm.nvvm.cp.async.bulk.tensor.reduce.add.tile.2d(ptr addrspace(3) @box, ptr %sum, i32 %sx, i32 %y, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.commit.group()
  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)
  br label %end

end:
  ret void
}
attributes #1 = { convergent nounwind }
;--- box.yaml
# 20 columns by 10 rows; the box sticks out on the left and at the bottom.
block: 32
buffers:
  - {name: from, dtype: i32, shape: [10, 20], fill: iota}
  - {name: to, dtype: i32, shape: [10, 20], fill: zeros}
  - {name: sum, dtype: i32, shape: [10, 20], fill: ones}
  - {name: raw, dtype: i32, shape: [8, 16]}
arguments:
  - {tensor_map: {buffer: from, dtype: i32, dims: [20, 10], strides: [80], box: [16, 8]}}
  - {tensor_map: {buffer: to, dtype: i32, dims: [20, 10], strides: [80], box: [16, 8]}}
  - {tensor_map: {buffer: sum, dtype: i32, dims: [20, 10], strides: [80], box: [16, 8]}}
  - raw
  - {value: -4, dtype: i32}
  - {value: 5, dtype: i32}
expect:
  - {buffer: raw, each: "select(i mod 16 >= 4 and i floordiv 16 < 5, (i floordiv 16 + 5) * 20 + i mod 16 - 4, 0)"}
  - {buffer: to, each: "select(i >= 100 and i mod 20 < 16, select(i mod 20 >= 4, i - 4, 0) + select(i mod 4 == 0, 1, 0), 0)"}
  - {buffer: sum, each: "1 + 2 * select(i >= 100 and i mod 20 < 16, select(i mod 20 >= 4, i - 4, 0) + select(i mod 4 == 0, 1, 0), 0)"}
;--- swizzled.yaml
# 64-byte rows in a 64-byte swizzle: pieces change places by row / 2.
block: 32
buffers:
  - {name: from, dtype: i32, shape: [10, 20], fill: iota}
  - {name: to, dtype: i32, shape: [10, 20], fill: zeros}
  - {name: sum, dtype: i32, shape: [10, 20], fill: zeros}
  - {name: raw, dtype: i32, shape: [8, 4, 4]}
arguments:
  - {tensor_map: {buffer: from, dtype: i32, dims: [20, 10], strides: [80], box: [16, 8], swizzle: 64}}
  - {tensor_map: {buffer: to, dtype: i32, dims: [20, 10], strides: [80], box: [16, 8], swizzle: 64}}
  - {tensor_map: {buffer: sum, dtype: i32, dims: [20, 10], strides: [80], box: [16, 8], swizzle: 64}}
  - raw
  - {value: 4, dtype: i32}
  - {value: 2, dtype: i32}
expect:
  - {buffer: raw, first: 0, count: 32, each: "(i floordiv 16 + 2) * 20 + 4 + i mod 16"}
  - {buffer: raw, first: 32, count: 16, values: [88, 89, 90, 91, 84, 85, 86, 87, 96, 97, 98, 99, 92, 93, 94, 95]}
  - {buffer: raw, first: 96, count: 16, values: [176, 177, 178, 179, 172, 173, 174, 175, 168, 169, 170, 171, 164, 165, 166, 167]}
  - {buffer: to, first: 64, count: 4, values: [65, 65, 66, 67]}
;--- nan.yaml
block: 32
buffers:
  - {name: from, dtype: f32, shape: [10, 20], fill: ones}
  - {name: to, dtype: f32, shape: [10, 20], fill: zeros}
  - {name: sum, dtype: f32, shape: [10, 20], fill: zeros}
  - {name: raw, dtype: i32, shape: [8, 16]}
arguments:
  - {tensor_map: {buffer: from, dtype: f32, dims: [20, 10], strides: [80], box: [16, 8], fill: nan}}
  - {tensor_map: {buffer: to, dtype: f32, dims: [20, 10], strides: [80], box: [16, 8]}}
  - {tensor_map: {buffer: sum, dtype: f32, dims: [20, 10], strides: [80], box: [16, 8]}}
  - raw
  - {value: 8, dtype: i32}
  - {value: 2, dtype: i32}
expect:
  - {buffer: raw, each: "select(i mod 16 < 12, 1065353216, 2146926583)"}
;--- chunks.yaml
# 18 columns in rows of 20: the box ends at the last chunk, half of which the tensor
# has. Zeros are stored to the other half, and nothing is added there.
block: 32
buffers:
  - {name: from, dtype: i32, shape: [10, 20], fill: iota}
  - {name: to, dtype: i32, shape: [10, 20], fill: {each: "7"}}
  - {name: sum, dtype: i32, shape: [10, 20], fill: {each: "7"}}
  - {name: raw, dtype: i32, shape: [8, 16]}
arguments:
  - {tensor_map: {buffer: from, dtype: i32, dims: [18, 10], strides: [80], box: [16, 8]}}
  - {tensor_map: {buffer: to, dtype: i32, dims: [18, 10], strides: [80], box: [16, 8]}}
  - {tensor_map: {buffer: sum, dtype: i32, dims: [18, 10], strides: [80], box: [16, 8]}}
  - raw
  - {value: 8, dtype: i32}
  - {value: 5, dtype: i32}
expect:
  - {buffer: raw, each: "select(i mod 16 < 10 and i floordiv 16 < 5, (i floordiv 16 + 5) * 20 + i mod 16 + 8, 0)"}
  - {buffer: to, each: "select(i >= 100 and i mod 20 >= 8, select(i mod 20 < 18, i + select(i mod 4 == 0, 1, 0), 0), 7)"}
  - {buffer: sum, each: "7 + select(i >= 100 and i mod 20 >= 8 and i mod 20 < 18, 2 * (i + select(i mod 4 == 0, 1, 0)), 0)"}
;--- refused.yaml
block: 32
buffers:
  - {name: from, dtype: i16, shape: [10, 20], fill: iota}
  - {name: raw, dtype: i32, shape: [8, 16]}
arguments:
  - {tensor_map: {buffer: from, dtype: i16, dims: [20, 10], strides: [40], box: [16, 8]}}
  - {tensor_map: {buffer: from, dtype: i16, dims: [20, 10], strides: [40], box: [16, 8]}}
  - {tensor_map: {buffer: from, dtype: i16, dims: [20, 10], strides: [40], box: [16, 8]}}
  - raw
  - {value: 8, dtype: i32}
  - {value: 2, dtype: i32}
;--- bytes.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x i8] poison, align 16
@bar = internal addrspace(3) global i64 poison, align 8
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7), ptr addrspace(3), ptr addrspace(1), i32, i16, i64, i1, i1)
declare void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1), ptr addrspace(3), i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.commit.group()
declare void @llvm.nvvm.cp.async.bulk.wait.group(i32)
declare void @llvm.nvvm.cp.async.bulk.wait.group.read(i32)

define ptx_kernel void @kernel(ptr addrspace(1) %from, ptr addrspace(1) %to, ptr addrspace(1) %sum) {
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @bar, i32 1)
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  %s = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) @bar, i32 256)
  %tile = addrspacecast ptr addrspace(3) @tile to ptr addrspace(7)
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) %tile, ptr addrspace(3) @bar, ptr addrspace(1) %from, i32 256, i16 0, i64 0, i1 false, i1 false)
  call void asm sideeffect "{ .reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [$0], 0; @!p bra L; }", "r"(ptr addrspace(3) @bar) #1
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1) %to, ptr addrspace(3) @tile, i32 128, i64 0, i1 false)
  call void asm sideeffect "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [$0], [$1], $2;", "l,r,r"(ptr addrspace(1) %sum, ptr addrspace(3) @tile, i32 64) #1
  call void @llvm.nvvm.cp.async.bulk.commit.group()
  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)
  ; early: store i32 5, ptr addrspace(3) @tile
  ; late: call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 0)
  ret void
}
attributes #1 = { convergent nounwind }
;--- bytes.yaml
block: 1
buffers:
  - {name: from, dtype: i32, shape: [64], fill: iota}
  - {name: to, dtype: i32, shape: [40], fill: zeros}
  - {name: sum, dtype: i32, shape: [20], fill: {each: "7"}}
arguments: [from, to, sum]
expect:
  - {buffer: to, each: "select(i < 32, i, 0)"}
  - {buffer: sum, each: "select(i < 16, min(i, 7), 7)"}
