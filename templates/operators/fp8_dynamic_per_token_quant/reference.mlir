// a = max(max |x|, 1e-12); scale = a * f32(1 / M); q = round(clamp(x * f32(1 / scale),
// -M, M)). Every step is one f32 operation; NaN in a row makes all of it NaN.
// M, the largest finite value: 448 is none in the type whose largest is 240.
func.func private @largest() -> f32 {
  %m448 = arith.constant 448.0 : f32
  %m240 = arith.constant 240.0 : f32
  %narrow = tile.convert %m448 : f32 -> !tile.dtype<F8>
  %back = tile.convert %narrow : !tile.dtype<F8> -> f32
  %is_nan = arith.cmpf uno, %back, %back : f32
  %result = arith.select %is_nan, %m240, %m448 : f32
  return %result : f32
}

func.func @reference(%x: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %q: memref<?x?x!tile.dtype<F8>>,
                     %scale: memref<?xf32>,
                     %T: index, %H: index, %XS: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %least = arith.constant 1.0e-12 : f32
  %m = func.call @largest() : () -> f32
  %minus_m = arith.negf %m : f32
  %rho = arith.divf %one, %m : f32
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    %a = scf.for %h = %c0 to %H step %c1 iter_args(%most = %least) -> (f32) {
      %v_narrow = memref.load %x[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %v = tile.convert %v_narrow : !tile.dtype<DT> -> f32
      %size = math.absf %v : f32
      %next = arith.maximumf %most, %size : f32
      scf.yield %next : f32
    }
    %s = arith.mulf %a, %rho : f32
    memref.store %s, %scale[%t] : memref<?xf32>
    %inverse = arith.divf %one, %s : f32
    scf.for %h = %c0 to %H step %c1 {
      %v_narrow = memref.load %x[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %v = tile.convert %v_narrow : !tile.dtype<DT> -> f32
      %scaled = arith.mulf %v, %inverse : f32
      %below = arith.minimumf %scaled, %m : f32
      %clamped = arith.maximumf %below, %minus_m : f32
      %rounded = tile.convert %clamped : f32 -> !tile.dtype<F8>
      memref.store %rounded, %q[%t, %h] : memref<?x?x!tile.dtype<F8>>
    }
    scf.reduce
  }
  return
}
