// RUN: lathe-opt %s --tile-widen-operands | FileCheck %s

// What is f32 already stays.
// CHECK-LABEL: tile.kernel @wide
// CHECK:         %[[A:.+]] = tile.convert %{{.+}} : tensor<16x32xbf16> -> tensor<16x32xf32>
// CHECK:         %[[B:.+]] = tile.convert %{{.+}} : tensor<32x32xbf16> -> tensor<32x32xf32>
// CHECK:         %[[R:.+]] = tile.dot %[[A]], %[[B]] transposed, %{{.+}} : tensor<16x32xf32>, tensor<32x32xf32>, tensor<16x32xf32>
// CHECK-NEXT:    tile.dot %[[R]], %{{.+}}, %[[R]] : tensor<16x32xf32>, tensor<32x32xf32>, tensor<16x32xf32>
tile.kernel @wide(%s: bf16, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {WIDEN = 1 : i64}} {
  %a = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %b = tile.splat %s : bf16 -> tensor<32x32xbf16>
  %c = tile.splat %z : f32 -> tensor<16x32xf32>
  %d = tile.splat %z : f32 -> tensor<32x32xf32>
  %r = tile.dot %a, %b transposed, %c : tensor<16x32xbf16>, tensor<32x32xbf16>, tensor<16x32xf32>
  %q = tile.dot %r, %d, %r : tensor<16x32xf32>, tensor<32x32xf32>, tensor<16x32xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @narrow
// CHECK-NOT:     tile.convert
// CHECK:         tile.dot %{{.+}}, %{{.+}}, %{{.+}} : tensor<16x16xbf16>
tile.kernel @narrow(%s: bf16, %z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {WIDEN = 0 : i64}} {
  %a = tile.splat %s : bf16 -> tensor<16x16xbf16>
  %c = tile.splat %z : f32 -> tensor<16x16xf32>
  %r = tile.dot %a, %a, %c : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  tile.return
}
