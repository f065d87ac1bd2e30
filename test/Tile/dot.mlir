// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT

// CHECK-LABEL: tile.kernel @template
// CHECK:         tile.dot %{{.+}}, %{{.+}} transposed, %{{.+}} : tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BK]>>, tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, BK]>>, tensor<?x?xf32, #tile.extents<[BM, BN]>>
tile.kernel @template(%x: !tile.view<[M, K], !tile.dtype<DT>>, %w: !tile.view<[N, K], !tile.dtype<DT>>)
    grid ["1"] {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zero = tile.splat %z : f32 -> tensor<?x?xf32, #tile.extents<[BM, BN]>>
  %a = tile.load %x[%c0, %c0] : !tile.view<[M, K], !tile.dtype<DT>> -> tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BK]>>
  %b = tile.load %w[%c0, %c0] : !tile.view<[N, K], !tile.dtype<DT>> -> tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, BK]>>
  %sum = tile.dot %a, %b transposed, %zero : tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BK]>>, tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, BK]>>, tensor<?x?xf32, #tile.extents<[BM, BN]>>
  tile.return
}

// Groups of warps that share K, and what they multiply in their registers.
// CHECK-LABEL: tile.kernel @parts
// CHECK:         tile.dot {{.+}} : tensor<16x256xbf16, #tile.operand<0, <m16n8, warps = [1, 2], parts = 4>, vector = 8>>, tensor<32x256xbf16, #tile.operand<1, <m16n8, warps = [1, 2], parts = 4>, vector = 8>>, tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 2], parts = 4>>
// CHECK:         tile.cluster_reduce {{.+}} along 0 through %{{.+}} : tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 2], parts = 4>>
// CHECK:         tile.splat {{.+}} -> tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 2]>>
// KEPT-LABEL: tile.kernel @parts
// KEPT:         tile.cluster_reduce
!parts = tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 2], parts = 4>>
!left = tensor<16x256xbf16, #tile.operand<0, <m16n8, warps = [1, 2], parts = 4>, vector = 8>>
!right = tensor<32x256xbf16, #tile.operand<1, <m16n8, warps = [1, 2], parts = 4>, vector = 8>>
!stacked = !tile.shared<[64, 32], f32, <phases = 8, rows = 1>>
tile.kernel @parts(%x: !tile.view<[16, 256], bf16>, %w: !tile.view<[32, 256], bf16>,
                   %y: !tile.view<[16, 32], f32>, %z: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %buffer = tile.alloc : !stacked
  %zero = tile.splat %z : f32 -> !parts
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 256], bf16> -> !left
  %b = tile.load %w[%c0, %c0] : !tile.view<[32, 256], bf16> -> !right
  %part = tile.dot %a, %b transposed, %zero : !left, !right, !parts
  %sum = tile.cluster_reduce %part along 0 through %buffer : !parts, !stacked -> tensor<16x32xf32>
  tile.store %sum to %y[%c0, %c0] : tensor<16x32xf32>, !tile.view<[16, 32], f32>
  %one = tile.splat %z : f32 -> tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 2], parts = 1>>
  tile.store %one to %y[%c0, %c0] : tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 2]>>, !tile.view<[16, 32], f32>
  tile.return
}

// Two turns through one buffer: nothing merges, nothing moves.
// CHECK-LABEL: tile.kernel @shared
// CHECK:         tile.alloc : !tile.shared<[16, 32], f16, <phases = 4, rows = 2>>
// CHECK:         tile.dot %{{.+}} transposed, %{{.+}}, %{{.+}} : !tile.shared<[16, 32], f16, <phases = 4, rows = 2>>, !tile.shared<[16, 32], f16, <phases = 4, rows = 2>>, tensor<32x32xf32, #tile.mma<m16n8, warps = [1, 2]>>
// KEPT-LABEL: tile.kernel @shared
// KEPT:         tile.alloc
// KEPT:         tile.alloc
// KEPT:         tile.write_shared
// KEPT-NEXT:    tile.barrier
// KEPT-NEXT:    tile.dot
// KEPT-NEXT:    tile.barrier
// KEPT-NEXT:    tile.write_shared
// KEPT-NEXT:    tile.barrier
// KEPT-NEXT:    tile.dot
!half = !tile.shared<[16, 32], f16, <phases = 4, rows = 2>>
!sum = tensor<32x32xf32, #tile.mma<m16n8, warps = [1, 2]>>
tile.kernel @shared(%y: !tile.view<[32, 32], f32>, %s: f16, %z: f32) grid ["1"] {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !half
  %b = tile.alloc : !half
  %t = tile.splat %s : f16 -> tensor<16x32xf16>
  %zero = tile.splat %z : f32 -> !sum
  tile.write_shared %t to %a : tensor<16x32xf16>, !half
  tile.barrier
  %first = tile.dot %a transposed, %b, %zero : !half, !half, !sum
  tile.barrier
  tile.write_shared %t to %a : tensor<16x32xf16>, !half
  tile.barrier
  %second = tile.dot %a transposed, %b, %first : !half, !half, !sum
  tile.store %second to %y[%c0, %c0] : !sum, !tile.view<[32, 32], f32>
  tile.return
}

// A part of b's rows, from a place that is computed.
// CHECK-LABEL: tile.kernel @part
// CHECK:         %[[S:.+]] = tile.dot %{{.+}}, %{{.+}} transposed from %[[I:.+]], %{{.+}} : tensor<16x32xbf16>, tensor<64x32xbf16>, tensor<16x16xf32>
// CHECK:         tile.dot %{{.+}}, %{{.+}} from %[[I]], %{{.+}} depth "16" : tensor<16x32xbf16>, tensor<64x32xbf16>, tensor<16x32xf32>
tile.kernel @part(%y: !tile.view<[16, 32], f32>, %s: bf16, %z: f32, %i: i32) grid ["1"] {
  %c0 = arith.constant 0 : index
  %a = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %b = tile.splat %s : bf16 -> tensor<64x32xbf16>
  %zero = tile.splat %z : f32 -> tensor<16x16xf32>
  %wide = tile.splat %z : f32 -> tensor<16x32xf32>
  %scores = tile.dot %a, %b transposed from %i, %zero : tensor<16x32xbf16>, tensor<64x32xbf16>, tensor<16x16xf32>
  %sum = tile.dot %a, %b from %i, %wide depth "16" : tensor<16x32xbf16>, tensor<64x32xbf16>, tensor<16x32xf32>
  tile.store %scores to %y[%c0, %c0] : tensor<16x16xf32>, !tile.view<[16, 32], f32>
  tile.store %sum to %y[%c0, %c0] : tensor<16x32xf32>, !tile.view<[16, 32], f32>
  tile.return
}
