// RUN: lathe-opt %source_dir/templates/operators/silu_and_mul/reference.mlir --tile-specialize-reference=dtypes=DT:bf16 \
// RUN:   | %module_body > %t.mlir
// RUN: cat %t.mlir %s | %run_on_host | FileCheck %s

// Five columns: two outputs, the last value ignored. round(silu(1)) = 0.730469, times
// 3 = 2.191; silu(-2) = -0.238. 0 * inf and silu(-inf) are NaN.
// CHECK:      {{^}}2.1875, -0.238281,
// CHECK-NEXT: {{^}}0, {{-?}}nan,
// CHECK-NEXT: {{^}}inf, {{-?}}nan,
// CHECK-NEXT: {{^}}{{-?}}nan, 200,
func.func private @print(%m: memref<?x?xbf16>, %T: index, %H: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    scf.for %h = %c0 to %H step %c1 {
      %v = memref.load %m[%t, %h] : memref<?x?xbf16>
      %f = arith.extf %v : bf16 to f32
      vector.print %f : f32 punctuation <comma>
    }
    vector.print punctuation <newline>
  }
  return
}
memref.global "private" constant @x : memref<4x5xbf16> = dense<[
  [1.0, -2.0, 3.0, 1.0, 9.0],
  [0.0, 0.0, 1.0, 0x7F80, 9.0],
  [0x7F80, 0xFF80, 1.0, 1.0, 9.0],
  [0x7FC0, 100.0, 1.0, 2.0, 9.0]]>
func.func @main() {
  %T = arith.constant 4 : index
  %H = arith.constant 5 : index
  %x_all = memref.get_global @x : memref<4x5xbf16>
  %x = memref.cast %x_all : memref<4x5xbf16> to memref<?x?xbf16, strided<[?, 1]>>
  %x_pitch = arith.constant 5 : index
  %W = arith.constant 2 : index
  %out = memref.alloc(%T, %W) : memref<?x?xbf16>
  call @reference(%x, %out, %T, %H, %x_pitch)
      : (memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xbf16>, index, index, index) -> ()
  call @print(%out, %T, %W) : (memref<?x?xbf16>, index, index) -> ()
  return
}
