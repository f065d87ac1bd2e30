// With s = initial_state[0, c] followed by x[c]: y = round(bias[c] + sum over w of
// weight[c, w] * s[t + w]); out[c, t] = round(silu(y)), or y. Option activation 0
// is silu, 1 is none.
func.func @reference(%x: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %weight: memref<?x?x!tile.dtype<DT>>,
                     %bias: memref<?x!tile.dtype<DT>>,
                     %initial_state: memref<1x?x?x!tile.dtype<DT>>,
                     %out: memref<?x?x!tile.dtype<DT>>,
                     %T: index, %C: index, %W: index, %XS: index,
                     %activation: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %carried = arith.subi %W, %c1 : index
  %is_silu = arith.cmpi eq, %activation, %c0 : index
  scf.parallel (%c, %t) = (%c0, %c0) to (%C, %T) step (%c1, %c1) {
    %b_narrow = memref.load %bias[%c] : memref<?x!tile.dtype<DT>>
    %b = tile.convert %b_narrow : !tile.dtype<DT> -> f64
    %sum = scf.for %w = %c0 to %W step %c1 iter_args(%total = %b) -> (f64) {
      %position = arith.addi %t, %w : index
      %is_carried = arith.cmpi ult, %position, %carried : index
      %s_narrow = scf.if %is_carried -> (!tile.dtype<DT>) {
        %s = memref.load %initial_state[%c0, %c, %position] : memref<1x?x?x!tile.dtype<DT>>
        scf.yield %s : !tile.dtype<DT>
      } else {
        %token = arith.subi %position, %carried : index
        %s = memref.load %x[%c, %token] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
        scf.yield %s : !tile.dtype<DT>
      }
      %s = tile.convert %s_narrow : !tile.dtype<DT> -> f64
      %tap_narrow = memref.load %weight[%c, %w] : memref<?x?x!tile.dtype<DT>>
      %tap = tile.convert %tap_narrow : !tile.dtype<DT> -> f64
      %product = arith.mulf %s, %tap : f64
      %next = arith.addf %total, %product : f64
      scf.yield %next : f64
    }
    %y_narrow = tile.convert %sum : f64 -> !tile.dtype<DT>
    %y = tile.convert %y_narrow : !tile.dtype<DT> -> f64
    %minus = arith.negf %y : f64
    %decay = math.exp %minus : f64
    %denominator = arith.addf %one, %decay : f64
    %sigmoid = arith.divf %one, %denominator : f64
    %silu = arith.mulf %y, %sigmoid : f64
    %result = arith.select %is_silu, %silu, %y : f64
    %rounded = tile.convert %result : f64 -> !tile.dtype<DT>
    memref.store %rounded, %out[%c, %t] : memref<?x?x!tile.dtype<DT>>
    scf.reduce
  }
  return
}
