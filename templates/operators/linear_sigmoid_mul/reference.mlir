// y = round(hidden_states weight^T + bias); out = round(sigmoid(y) * post_mul_mat).
// Products of 16-bit values are exact in f32; sums are f64, in any order.
!element = !tile.dtype<DT>
!matrix = memref<?x?x!element>

func.func private @sigmoid(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %minus = arith.negf %x : f64
  %decay = math.exp %minus : f64
  %denominator = arith.addf %one, %decay : f64
  %result = arith.divf %one, %denominator : f64
  return %result : f64
}

func.func @reference(%hidden_states: !matrix, %weight: !matrix,
                     %bias: memref<?x!element>, %post_mul_mat: !matrix,
                     %out: !matrix, %T: index, %K: index, %N: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%t, %n) = (%c0, %c0) to (%T, %N) step (%c1, %c1) {
    %sum = scf.for %k = %c0 to %K step %c1 iter_args(%total = %zero) -> (f64) {
      %x_narrow = memref.load %hidden_states[%t, %k] : !matrix
      %w_narrow = memref.load %weight[%n, %k] : !matrix
      %x = tile.convert %x_narrow : !element -> f32
      %w = tile.convert %w_narrow : !element -> f32
      %product = arith.mulf %x, %w : f32
      %wide = arith.extf %product : f32 to f64
      %next = arith.addf %total, %wide fastmath<reassoc> : f64
      scf.yield %next : f64
    }
    %bias_narrow = memref.load %bias[%n] : memref<?x!element>
    %b = tile.convert %bias_narrow : !element -> f64
    %biased = arith.addf %sum, %b : f64
    %y_narrow = tile.convert %biased : f64 -> !element
    %y = tile.convert %y_narrow : !element -> f64
    %gate = func.call @sigmoid(%y) : (f64) -> f64
    %post_narrow = memref.load %post_mul_mat[%t, %n] : !matrix
    %post = tile.convert %post_narrow : !element -> f64
    %gated = arith.mulf %gate, %post : f64
    %rounded = tile.convert %gated : f64 -> !element
    memref.store %rounded, %out[%t, %n] : !matrix
    scf.reduce
  }
  return
}
