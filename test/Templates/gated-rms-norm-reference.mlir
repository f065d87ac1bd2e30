// RUN: lathe-opt %source_dir/templates/operators/gated_rms_norm/reference.mlir --tile-specialize-reference=dtypes=DT:bf16 \
// RUN:   | %module_body > %t.mlir
// RUN: cat %t.mlir %s | %run_on_host | FileCheck %s

// silu(0) = 0, silu(1) = 0.731; sigmoid(0) = 0.5, sigmoid(1) = 0.731.
// Norm first, silu: 4 * rsqrt(12.5) * 0.731 = 0.827.
// CHECK:      {{^}}0, 0.828125,
// CHECK-NEXT: {{^}}0, 0,
// CHECK-NEXT: {{^}}{{-?}}nan, 0,
// Gate first, silu: (0, 2.924) has rsqrt(4.275) = 0.4836.
// CHECK-NEXT: {{^}}0, 1.41406,
// CHECK-NEXT: {{^}}0, 0,
// CHECK-NEXT: {{^}}{{-?}}nan, 0,
// Norm first, sigmoid: 3 * rsqrt(12.5) * 0.5 = 0.424.
// CHECK-NEXT: {{^}}0.423828, 0.828125,
// CHECK-NEXT: {{^}}0, 0,
// CHECK-NEXT: {{^}}{{-?}}nan, 0,
// Gate first, sigmoid: (1.5, 2.924) has rsqrt(5.400) = 0.4303.
// CHECK-NEXT: {{^}}0.644531, 1.25781,
// CHECK-NEXT: {{^}}0, 0,
// CHECK-NEXT: {{^}}{{-?}}nan, 0,
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
memref.global "private" constant @x : memref<3x2xbf16> = dense<[
  [3.0, 4.0],
  [0.0, 0.0],
  [0x7F80, 1.0]]>
memref.global "private" constant @z : memref<3x2xbf16> = dense<[
  [0.0, 1.0],
  [1.0, 1.0],
  [1.0, 1.0]]>
memref.global "private" constant @w : memref<2xbf16> = dense<[1.0, 1.0]>
func.func @main() {
  %T = arith.constant 3 : index
  %H = arith.constant 2 : index
  %eps = arith.constant 1.0e-06 : f32
  %x_all = memref.get_global @x : memref<3x2xbf16>
  %x = memref.cast %x_all : memref<3x2xbf16> to memref<?x?xbf16, strided<[?, 1]>>
  %x_pitch = arith.constant 2 : index
  %z_all = memref.get_global @z : memref<3x2xbf16>
  %z = memref.cast %z_all : memref<3x2xbf16> to memref<?x?xbf16, strided<[?, 1]>>
  %z_pitch = arith.constant 2 : index
  %w_all = memref.get_global @w : memref<2xbf16>
  %w = memref.cast %w_all : memref<2xbf16> to memref<?xbf16>
  %out = memref.alloc(%T, %H) : memref<?x?xbf16>
  %order0 = arith.constant 0 : index
  %activation0 = arith.constant 0 : index
  call @reference(%x, %z, %w, %out, %T, %H, %x_pitch, %z_pitch, %eps, %order0,
      %activation0)
      : (memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xbf16, strided<[?, 1]>>, memref<?xbf16>,
      memref<?x?xbf16>, index, index, index, index, f32, index, index) -> ()
  call @print(%out, %T, %H) : (memref<?x?xbf16>, index, index) -> ()
  %order1 = arith.constant 1 : index
  %activation1 = arith.constant 0 : index
  call @reference(%x, %z, %w, %out, %T, %H, %x_pitch, %z_pitch, %eps, %order1,
      %activation1)
      : (memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xbf16, strided<[?, 1]>>, memref<?xbf16>,
      memref<?x?xbf16>, index, index, index, index, f32, index, index) -> ()
  call @print(%out, %T, %H) : (memref<?x?xbf16>, index, index) -> ()
  %order2 = arith.constant 0 : index
  %activation2 = arith.constant 1 : index
  call @reference(%x, %z, %w, %out, %T, %H, %x_pitch, %z_pitch, %eps, %order2,
      %activation2)
      : (memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xbf16, strided<[?, 1]>>, memref<?xbf16>,
      memref<?x?xbf16>, index, index, index, index, f32, index, index) -> ()
  call @print(%out, %T, %H) : (memref<?x?xbf16>, index, index) -> ()
  %order3 = arith.constant 1 : index
  %activation3 = arith.constant 1 : index
  call @reference(%x, %z, %w, %out, %T, %H, %x_pitch, %z_pitch, %eps, %order3,
      %activation3)
      : (memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xbf16, strided<[?, 1]>>, memref<?xbf16>,
      memref<?x?xbf16>, index, index, index, index, f32, index, index) -> ()
  call @print(%out, %T, %H) : (memref<?x?xbf16>, index, index) -> ()
  return
}
