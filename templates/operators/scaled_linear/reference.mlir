// out[m, n] = round(sum of x[m, k] * w[n, k] * x_scale * w_scale + bias[n]).
// Products of fp8 values are exact in f32; sums, in any order, and scaling are f64.
!x = memref<?x?x!tile.dtype<XT>, strided<[?, 1]>>
!w = memref<?x?x!tile.dtype<WT>, strided<[?, 1]>>
!result = !tile.dtype<OT>

func.func @reference(%x: !x, %w: !w, %x_scale: memref<?xf32>,
                     %w_scale: memref<?xf32>, %bias: memref<?x!result>,
                     %out: memref<?x?x!result, strided<[?, 1]>>,
                     %M: index, %N: index, %K: index,
                     %XS: index, %WS: index, %OS: index,
                     %x_scaling: index, %w_scaling: index,
                     %with_bias: index, %accumulate: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %by_token = arith.cmpi ne, %x_scaling, %c0 : index
  %by_channel = arith.cmpi ne, %w_scaling, %c0 : index
  %has_bias = arith.cmpi ne, %with_bias, %c0 : index
  scf.parallel (%m, %n) = (%c0, %c0) to (%M, %N) step (%c1, %c1) {
    %sum = scf.for %k = %c0 to %K step %c1 iter_args(%total = %zero) -> (f64) {
      %a_narrow = memref.load %x[%m, %k] : !x
      %b_narrow = memref.load %w[%n, %k] : !w
      %a = tile.convert %a_narrow : !tile.dtype<XT> -> f32
      %b = tile.convert %b_narrow : !tile.dtype<WT> -> f32
      %product = arith.mulf %a, %b : f32
      %wide = arith.extf %product : f32 to f64
      %next = arith.addf %total, %wide fastmath<reassoc> : f64
      scf.yield %next : f64
    }
    %token = arith.select %by_token, %m, %c0 : index
    %channel = arith.select %by_channel, %n, %c0 : index
    %x_narrow = memref.load %x_scale[%token] : memref<?xf32>
    %w_narrow = memref.load %w_scale[%channel] : memref<?xf32>
    %sx = arith.extf %x_narrow : f32 to f64
    %sw = arith.extf %w_narrow : f32 to f64
    %scale = arith.mulf %sx, %sw : f64
    %scaled = arith.mulf %sum, %scale : f64
    %y = scf.if %has_bias -> (f64) {
      %bias_narrow = memref.load %bias[%n] : memref<?x!result>
      %b = tile.convert %bias_narrow : !result -> f64
      %added = arith.addf %scaled, %b : f64
      scf.yield %added : f64
    } else {
      scf.yield %scaled : f64
    }
    %rounded = tile.convert %y : f64 -> !result
    memref.store %rounded, %out[%m, %n] : memref<?x?x!result, strided<[?, 1]>>
    scf.reduce
  }
  return
}
