// Per group of G values, the last one of a row perhaps fewer: scale =
// max(max |x| * f32(1 / M), 1e-10); quantized = round(clamp(x / scale, -M, M)). Every
// step is one f32 operation; NaN in a group makes all of it NaN.
// M is 448, and 224 in the type that does not have 448.
func.func private @largest() -> f32 {
  %m448 = arith.constant 448.0 : f32
  %m224 = arith.constant 224.0 : f32
  %narrow = tile.convert %m448 : f32 -> !tile.dtype<F8>
  %back = tile.convert %narrow : !tile.dtype<F8> -> f32
  %is_nan = arith.cmpf uno, %back, %back : f32
  %result = arith.select %is_nan, %m224, %m448 : f32
  return %result : f32
}

func.func @reference(%x: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %quantized: memref<?x?x!tile.dtype<F8>>,
                     %scales: memref<?x?xf32>,
                     %T: index, %H: index, %G: index, %XS: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 1.0e-10 : f32
  %m = func.call @largest() : () -> f32
  %minus_m = arith.negf %m : f32
  %rho = arith.divf %one, %m : f32
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    scf.for %begin = %c0 to %H step %G {
      %g = arith.divui %begin, %G : index
      %full = arith.addi %begin, %G : index
      %end = arith.minsi %full, %H : index
      %a = scf.for %h = %begin to %end step %c1 iter_args(%most = %zero) -> (f32) {
        %v_narrow = memref.load %x[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
        %v = tile.convert %v_narrow : !tile.dtype<DT> -> f32
        %size = math.absf %v : f32
        %next = arith.maximumf %most, %size : f32
        scf.yield %next : f32
      }
      %exact = arith.mulf %a, %rho : f32
      %s = arith.maximumf %exact, %least : f32
      memref.store %s, %scales[%t, %g] : memref<?x?xf32>
      scf.for %h = %begin to %end step %c1 {
        %v_narrow = memref.load %x[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
        %v = tile.convert %v_narrow : !tile.dtype<DT> -> f32
        %scaled = arith.divf %v, %s : f32
        %below = arith.minimumf %scaled, %m : f32
        %clamped = arith.maximumf %below, %minus_m : f32
        %rounded = tile.convert %clamped : f32 -> !tile.dtype<F8>
        memref.store %rounded, %quantized[%t, %h] : memref<?x?x!tile.dtype<F8>>
      }
    }
    scf.reduce
  }
  return
}
