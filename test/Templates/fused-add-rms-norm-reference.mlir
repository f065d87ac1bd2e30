// RUN: lathe-opt %source_dir/templates/operators/fused_add_rms_norm/reference.mlir --tile-specialize-reference=dtypes=DT:bf16 \
// RUN:   | %module_body > %t.mlir
// RUN: cat %t.mlir %s | %run_on_host | FileCheck %s

// 1 + 2^-8 is a tie between bf16 values: the sum is 1, and the statistics are
// those of (3, 1): 3 * rsqrt(5) = 1.342, 2 * rsqrt(5) = 0.894.
// CHECK:      {{^}}1.34375, 0.894531,
// CHECK-NEXT: {{^}}0, 0,
// CHECK-NEXT: {{^}}{{-?}}nan, 0,
// CHECK-NEXT: {{^}}{{-?}}nan, {{-?}}nan,
// CHECK-NEXT: {{^}}3, 1,
// CHECK-NEXT: {{^}}0, 0,
// CHECK-NEXT: {{^}}inf, 2,
// CHECK-NEXT: {{^}}{{-?}}nan, 2,
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
memref.global "private" constant @x : memref<4x2xbf16> = dense<[
  [1.0, 0.00390625],
  [0.0, 0.0],
  [0x7F80, 1.0],
  [0x7FC0, 1.0]]>
memref.global "private" constant @r : memref<4x2xbf16> = dense<[
  [2.0, 1.0],
  [0.0, 0.0],
  [1.0, 1.0],
  [1.0, 1.0]]>
memref.global "private" constant @w : memref<2xbf16> = dense<[1.0, 2.0]>
func.func @main() {
  %T = arith.constant 4 : index
  %H = arith.constant 2 : index
  %eps = arith.constant 1.0e-06 : f32
  %x_all = memref.get_global @x : memref<4x2xbf16>
  %x = memref.cast %x_all : memref<4x2xbf16> to memref<?x?xbf16, strided<[?, 1]>>
  %x_pitch = arith.constant 2 : index
  %r_all = memref.get_global @r : memref<4x2xbf16>
  %r = memref.cast %r_all : memref<4x2xbf16> to memref<?x?xbf16, strided<[?, 1]>>
  %r_pitch = arith.constant 2 : index
  %w_all = memref.get_global @w : memref<2xbf16>
  %w = memref.cast %w_all : memref<2xbf16> to memref<?xbf16>
  %out = memref.alloc(%T, %H) : memref<?x?xbf16>
  %sum_out = memref.alloc(%T, %H) : memref<?x?xbf16>
  call @reference(%x, %r, %w, %out, %sum_out, %T, %H, %x_pitch, %r_pitch, %eps)
      : (memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xbf16, strided<[?, 1]>>, memref<?xbf16>,
      memref<?x?xbf16>, memref<?x?xbf16>, index, index, index, index, f32) -> ()
  call @print(%out, %T, %H) : (memref<?x?xbf16>, index, index) -> ()
  call @print(%sum_out, %T, %H) : (memref<?x?xbf16>, index, index) -> ()
  return
}
