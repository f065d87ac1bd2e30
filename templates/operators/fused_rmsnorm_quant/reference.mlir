// r = round(x + residual), which is residual_out; y = round((r * rsqrt(mean of r^2 +
// eps)) * weight); scale = max |y| * f32(1 / M), or 1 if that is 0; quantized =
// round(y / scale) by true division. The sum of squares is f64 and rounded once,
// every other step is one f32 operation.
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

func.func private @normed(%r_narrow: !tile.dtype<DT>, %rstd: f32,
                          %w_narrow: !tile.dtype<DT>) -> f32 {
  %r = tile.convert %r_narrow : !tile.dtype<DT> -> f32
  %w = tile.convert %w_narrow : !tile.dtype<DT> -> f32
  %scaled = arith.mulf %r, %rstd : f32
  %exact = arith.mulf %scaled, %w : f32
  %rounded = tile.convert %exact : f32 -> !tile.dtype<DT>
  %y = tile.convert %rounded : !tile.dtype<DT> -> f32
  return %y : f32
}

func.func @reference(%x: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %residual: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %weight: memref<?x!tile.dtype<DT>>,
                     %quantized: memref<?x?x!tile.dtype<F8>>,
                     %scale: memref<?x1xf32>,
                     %residual_out: memref<?x?x!tile.dtype<DT>>,
                     %T: index, %H: index, %XS: index, %RS: index, %eps: f32)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero64 = arith.constant 0.0 : f64
  %one64 = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m = func.call @largest() : () -> f32
  %rho = arith.divf %one, %m : f32
  %count_int = arith.index_cast %H : index to i64
  %count = arith.sitofp %count_int : i64 to f32
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    %sum64 = scf.for %h = %c0 to %H step %c1 iter_args(%total = %zero64) -> (f64) {
      %v_narrow = memref.load %x[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %v = tile.convert %v_narrow : !tile.dtype<DT> -> f64
      %d_narrow = memref.load %residual[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %d = tile.convert %d_narrow : !tile.dtype<DT> -> f64
      %exact = arith.addf %v, %d : f64
      %r_narrow = tile.convert %exact : f64 -> !tile.dtype<DT>
      memref.store %r_narrow, %residual_out[%t, %h] : memref<?x?x!tile.dtype<DT>>
      %r = tile.convert %r_narrow : !tile.dtype<DT> -> f64
      %square = arith.mulf %r, %r : f64
      %next = arith.addf %total, %square : f64
      scf.yield %next : f64
    }
    %sum = arith.truncf %sum64 : f64 to f32
    %mean = arith.divf %sum, %count : f32
    %shifted = arith.addf %mean, %eps : f32
    // f64 here, so that the reciprocal root is rounded once.
    %shifted64 = arith.extf %shifted : f32 to f64
    %root = math.sqrt %shifted64 : f64
    %rstd64 = arith.divf %one64, %root : f64
    %rstd = arith.truncf %rstd64 : f64 to f32
    %a = scf.for %h = %c0 to %H step %c1 iter_args(%most = %zero) -> (f32) {
      %r = memref.load %residual_out[%t, %h] : memref<?x?x!tile.dtype<DT>>
      %w = memref.load %weight[%h] : memref<?x!tile.dtype<DT>>
      %y = func.call @normed(%r, %rstd, %w)
          : (!tile.dtype<DT>, f32, !tile.dtype<DT>) -> f32
      %size = math.absf %y : f32
      %next = arith.maximumf %most, %size : f32
      scf.yield %next : f32
    }
    %exact = arith.mulf %a, %rho : f32
    %is_zero = arith.cmpf oeq, %exact, %zero : f32
    %s = arith.select %is_zero, %one, %exact : f32
    memref.store %s, %scale[%t, %c0] : memref<?x1xf32>
    scf.for %h = %c0 to %H step %c1 {
      %r = memref.load %residual_out[%t, %h] : memref<?x?x!tile.dtype<DT>>
      %w = memref.load %weight[%h] : memref<?x!tile.dtype<DT>>
      %y = func.call @normed(%r, %rstd, %w)
          : (!tile.dtype<DT>, f32, !tile.dtype<DT>) -> f32
      %scaled = arith.divf %y, %s : f32
      %rounded = tile.convert %scaled : f32 -> !tile.dtype<F8>
      memref.store %rounded, %quantized[%t, %h] : memref<?x?x!tile.dtype<F8>>
    }
    scf.reduce
  }
  return
}
