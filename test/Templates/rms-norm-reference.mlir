// RUN: lathe-opt %source_dir/templates/operators/rms_norm/reference.mlir --tile-specialize-reference=dtypes=DT:bf16 \
// RUN:   | %module_body > %t.mlir
// RUN: cat %t.mlir %s | %run_on_host | FileCheck %s

// Row pitch 4, three columns. 3 * rsqrt(25 / 3) = 1.039, 4 * rsqrt(25 / 3) * 2 = 2.771;
// zeros divide by a zero root; inf * 0 is NaN beside zeros; a NaN spoils its row.
// CHECK:      {{^}}1.03906, 2.76562, -0,
// CHECK-NEXT: {{^}}{{-?}}nan, {{-?}}nan, {{-?}}nan,
// CHECK-NEXT: {{^}}{{-?}}nan, 0, -0,
// CHECK-NEXT: {{^}}{{-?}}nan, {{-?}}nan, {{-?}}nan,
// CHECK-NEXT: {{^}}1, 2, -1,
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
memref.global "private" constant @x : memref<5x4xbf16> = dense<[
  [3.0, 4.0, 0.0, 9.0],
  [0.0, 0.0, 0.0, 9.0],
  [0x7F80, 1.0, 1.0, 9.0],
  [0x7FC0, 1.0, 1.0, 9.0],
  [2.0, 2.0, 2.0, 9.0]]>
memref.global "private" constant @w : memref<3xbf16> = dense<[1.0, 2.0, -1.0]>
func.func @main() {
  %T = arith.constant 5 : index
  %H = arith.constant 3 : index
  %eps = arith.constant 0.0 : f32
  %x_all = memref.get_global @x : memref<5x4xbf16>
  %x = memref.cast %x_all : memref<5x4xbf16> to memref<?x?xbf16, strided<[?, 1]>>
  %x_pitch = arith.constant 4 : index
  %w_all = memref.get_global @w : memref<3xbf16>
  %w = memref.cast %w_all : memref<3xbf16> to memref<?xbf16>
  %out = memref.alloc(%T, %H) : memref<?x?xbf16>
  call @reference(%x, %w, %out, %T, %H, %x_pitch, %eps)
      : (memref<?x?xbf16, strided<[?, 1]>>, memref<?xbf16>, memref<?x?xbf16>, index, index,
      index, f32) -> ()
  call @print(%out, %T, %H) : (memref<?x?xbf16>, index, index) -> ()
  return
}
