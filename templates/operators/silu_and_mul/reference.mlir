// With F = D floordiv 2: out[t, f] = round(round(silu(x[t, f])) * x[t, F + f]).
func.func @reference(%x: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %out: memref<?x?x!tile.dtype<DT>>,
                     %T: index, %D: index, %XS: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f64
  %half = arith.divui %D, %c2 : index
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    scf.for %h = %c0 to %half step %c1 {
      %v_narrow = memref.load %x[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %v = tile.convert %v_narrow : !tile.dtype<DT> -> f64
      %other = arith.addi %half, %h : index
      %u_narrow = memref.load %x[%t, %other] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %u = tile.convert %u_narrow : !tile.dtype<DT> -> f64
      %minus = arith.negf %v : f64
      %decay = math.exp %minus : f64
      %denominator = arith.addf %one, %decay : f64
      %sigmoid = arith.divf %one, %denominator : f64
      %exact = arith.mulf %v, %sigmoid : f64
      %silu_narrow = tile.convert %exact : f64 -> !tile.dtype<DT>
      %silu = tile.convert %silu_narrow : !tile.dtype<DT> -> f64
      %product = arith.mulf %silu, %u : f64
      %rounded = tile.convert %product : f64 -> !tile.dtype<DT>
      memref.store %rounded, %out[%t, %h] : memref<?x?x!tile.dtype<DT>>
    }
    scf.reduce
  }
  return
}
