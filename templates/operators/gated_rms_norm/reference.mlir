// norm_before_gate 0: out = x * rsqrt(mean x^2 + eps) * weight * act(z); 1: x is
// multiplied by act(z) first, then normalised and weighted. activation 0 is
// silu, 1 is sigmoid. Rounded once.
// Sums, and gated values that are normalised, are exact but for this: what f32
// cannot hold is infinite.
func.func private @as_f32(%value: f64) -> f64 {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %narrow = arith.truncf %value : f64 to f32
  %wide = arith.extf %narrow : f32 to f64
  %size = math.absf %wide : f64
  %overflows = arith.cmpf oeq, %size, %inf : f64
  %result = arith.select %overflows, %wide, %value : f64
  return %result : f64
}

func.func private @gate(%z: f64, %activation: index) -> f64 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %minus = arith.negf %z : f64
  %decay = math.exp %minus : f64
  %denominator = arith.addf %one, %decay : f64
  %sigmoid = arith.divf %one, %denominator : f64
  %product = arith.mulf %z, %sigmoid : f64
  %is_silu = arith.cmpi eq, %activation, %c0 : index
  %gate = arith.select %is_silu, %product, %sigmoid : f64
  return %gate : f64
}

// What is normalised: x, or x gated.
func.func private @gated(%x: f64, %gate: f64, %norm_first: i1) -> f64 {
  %product = arith.mulf %x, %gate : f64
  %gated = func.call @as_f32(%product) : (f64) -> f64
  %result = arith.select %norm_first, %x, %gated : f64
  return %result : f64
}

func.func @reference(%x: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %z: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %weight: memref<?x!tile.dtype<DT>>,
                     %out: memref<?x?x!tile.dtype<DT>>,
                     %T: index, %H: index, %XS: index, %ZS: index, %eps: f32,
                     %norm_before_gate: index, %activation: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %e = arith.extf %eps : f32 to f64
  %count_int = arith.index_cast %H : index to i64
  %count = arith.sitofp %count_int : i64 to f64
  %norm_first = arith.cmpi eq, %norm_before_gate, %c0 : index
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    %sum = scf.for %h = %c0 to %H step %c1 iter_args(%total = %zero) -> (f64) {
      %v_narrow = memref.load %x[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %v = tile.convert %v_narrow : !tile.dtype<DT> -> f64
      %g_narrow = memref.load %z[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %g = tile.convert %g_narrow : !tile.dtype<DT> -> f64
      %gate = func.call @gate(%g, %activation) : (f64, index) -> f64
      %a = func.call @gated(%v, %gate, %norm_first) : (f64, f64, i1) -> f64
      %square = arith.mulf %a, %a : f64
      %next = arith.addf %total, %square : f64
      scf.yield %next : f64
    }
    %sum_f32 = func.call @as_f32(%sum) : (f64) -> f64
    %mean = arith.divf %sum_f32, %count : f64
    %shifted = arith.addf %mean, %e : f64
    %root = math.sqrt %shifted : f64
    %rstd = arith.divf %one, %root : f64
    scf.for %h = %c0 to %H step %c1 {
      %v_narrow = memref.load %x[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %v = tile.convert %v_narrow : !tile.dtype<DT> -> f64
      %g_narrow = memref.load %z[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %g = tile.convert %g_narrow : !tile.dtype<DT> -> f64
      %w_narrow = memref.load %weight[%h] : memref<?x!tile.dtype<DT>>
      %w = tile.convert %w_narrow : !tile.dtype<DT> -> f64
      %gate = func.call @gate(%g, %activation) : (f64, index) -> f64
      %a = func.call @gated(%v, %gate, %norm_first) : (f64, f64, i1) -> f64
      %normed = arith.mulf %a, %rstd : f64
      %scaled = arith.mulf %normed, %w : f64
      %gated = arith.mulf %scaled, %gate : f64
      %result = arith.select %norm_first, %gated, %scaled : f64
      %rounded = tile.convert %result : f64 -> !tile.dtype<DT>
      memref.store %rounded, %out[%t, %h] : memref<?x?x!tile.dtype<DT>>
    }
    scf.reduce
  }
  return
}
