// RUN: lathe-opt %source_dir/templates/operators/l2_norm/reference.mlir --tile-specialize-reference=dtypes=DT:f16 \
// RUN:   | %module_body > %t.mlir
// RUN: cat %t.mlir %s | %run_on_host | FileCheck %s

// eps is added to the sum of squares. 60000^2 only fits f32.
// CHECK:      {{^}}0.600098, 0.799805,
// CHECK-NEXT: {{^}}0, 0,
// CHECK-NEXT: {{^}}{{-?}}nan, 0,
// CHECK-NEXT: {{^}}{{-?}}nan, {{-?}}nan,
// CHECK-NEXT: {{^}}-0.707031, 0.707031,
func.func private @print(%m: memref<?x?xf16>, %T: index, %H: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    scf.for %h = %c0 to %H step %c1 {
      %v = memref.load %m[%t, %h] : memref<?x?xf16>
      %f = arith.extf %v : f16 to f32
      vector.print %f : f32 punctuation <comma>
    }
    vector.print punctuation <newline>
  }
  return
}
memref.global "private" constant @x : memref<5x2xf16> = dense<[
  [3.0, 4.0],
  [0.0, 0.0],
  [0x7C00, 1.0],
  [0x7E00, 1.0],
  [-60000.0, 60000.0]]>
func.func @main() {
  %T = arith.constant 5 : index
  %H = arith.constant 2 : index
  %eps = arith.constant 1.0e-06 : f32
  %x_all = memref.get_global @x : memref<5x2xf16>
  %x = memref.cast %x_all : memref<5x2xf16> to memref<?x?xf16, strided<[?, 1]>>
  %x_pitch = arith.constant 2 : index
  %out = memref.alloc(%T, %H) : memref<?x?xf16>
  call @reference(%x, %out, %T, %H, %x_pitch, %eps)
      : (memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16>, index, index, index, f32) -> ()
  call @print(%out, %T, %H) : (memref<?x?xf16>, index, index) -> ()
  return
}
