// out[m, n] = sum over blocks of (sum in the block of a * b) * a_scale * b_scale.
// Sums are f64, those in a block in any order, rounded once.
!fp8 = memref<?x?x!tile.dtype<F8>>
!f32 = memref<?x?xf32>

// The dot product of row m of a and row n of b over columns begin to end.
func.func private @dot(%a: !fp8, %b: !fp8, %m: index, %n: index, %begin: index,
                       %end: index) -> f64 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %k = %begin to %end step %c1 iter_args(%total = %zero) -> (f64) {
    %x_narrow = memref.load %a[%m, %k] : !fp8
    %y_narrow = memref.load %b[%n, %k] : !fp8
    %x = tile.convert %x_narrow : !tile.dtype<F8> -> f64
    %y = tile.convert %y_narrow : !tile.dtype<F8> -> f64
    %product = arith.mulf %x, %y : f64
    %next = arith.addf %total, %product fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

func.func @reference(%a: !fp8, %b: !fp8, %a_scales: !f32, %b_scales: !f32,
                     %out: !f32, %M: index, %N: index, %K: index, %GN: index,
                     %GK: index, %accumulate: index) attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%m, %n) = (%c0, %c0) to (%M, %N) step (%c1, %c1) {
    %row_block = arith.divui %n, %GN : index
    %sum = scf.for %begin = %c0 to %K step %GK iter_args(%total = %zero) -> (f64) {
      %block = arith.divui %begin, %GK : index
      %full = arith.addi %begin, %GK : index
      %end = arith.minui %full, %K : index
      %part = func.call @dot(%a, %b, %m, %n, %begin, %end)
          : (!fp8, !fp8, index, index, index, index) -> f64
      %a_narrow = memref.load %a_scales[%m, %block] : !f32
      %b_narrow = memref.load %b_scales[%row_block, %block] : !f32
      %a_scale = arith.extf %a_narrow : f32 to f64
      %b_scale = arith.extf %b_narrow : f32 to f64
      %half = arith.mulf %part, %a_scale : f64
      %scaled = arith.mulf %half, %b_scale : f64
      %next = arith.addf %total, %scaled : f64
      scf.yield %next : f64
    }
    %rounded = arith.truncf %sum : f64 to f32
    memref.store %rounded, %out[%m, %n] : !f32
    scf.reduce
  }
  return
}
