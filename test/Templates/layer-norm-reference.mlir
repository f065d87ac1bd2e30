// RUN: lathe-opt %source_dir/templates/operators/layer_norm/reference.mlir --tile-specialize-reference=dtypes=DT:f32 \
// RUN:   | %module_body > %t.mlir
// RUN: cat %t.mlir %s | %run_on_host | FileCheck %s

// Mean 3, variance 14 / 3: (-2, -1, 3) * 0.4629095 * w + b; equal values leave b.
// CHECK:      {{^}}-0.925819, 0.0741809, 0.388729,
// CHECK-NEXT: {{^}}0, 1, -1,
// CHECK-NEXT: {{^}}{{-?}}nan, {{-?}}nan, {{-?}}nan,
// CHECK-NEXT: {{^}}{{-?}}nan, {{-?}}nan, {{-?}}nan,
func.func private @print(%m: memref<?x?xf32>, %T: index, %H: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    scf.for %h = %c0 to %H step %c1 {
      %v = memref.load %m[%t, %h] : memref<?x?xf32>
      %z = arith.constant -0.0 : f32
      %f = arith.addf %v, %z : f32
      vector.print %f : f32 punctuation <comma>
    }
    vector.print punctuation <newline>
  }
  return
}
memref.global "private" constant @x : memref<4x3xf32> = dense<[
  [1.0, 2.0, 6.0],
  [5.0, 5.0, 5.0],
  [0x7F800000, 1.0, 1.0],
  [0x7FC00000, 1.0, 1.0]]>
memref.global "private" constant @w : memref<3xf32> = dense<[1.0, 2.0, 1.0]>
memref.global "private" constant @b : memref<3xf32> = dense<[0.0, 1.0, -1.0]>
func.func @main() {
  %T = arith.constant 4 : index
  %H = arith.constant 3 : index
  %eps = arith.constant 1.0e-05 : f32
  %x_all = memref.get_global @x : memref<4x3xf32>
  %x = memref.cast %x_all : memref<4x3xf32> to memref<?x?xf32, strided<[?, 1]>>
  %x_pitch = arith.constant 3 : index
  %w_all = memref.get_global @w : memref<3xf32>
  %w = memref.cast %w_all : memref<3xf32> to memref<?xf32>
  %b_all = memref.get_global @b : memref<3xf32>
  %b = memref.cast %b_all : memref<3xf32> to memref<?xf32>
  %out = memref.alloc(%T, %H) : memref<?x?xf32>
  call @reference(%x, %w, %b, %out, %T, %H, %x_pitch, %eps)
      : (memref<?x?xf32, strided<[?, 1]>>, memref<?xf32>, memref<?xf32>, memref<?x?xf32>,
      index, index, index, f32) -> ()
  call @print(%out, %T, %H) : (memref<?x?xf32>, index, index) -> ()
  return
}
