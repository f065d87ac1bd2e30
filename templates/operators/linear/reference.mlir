// out[m, n] = round(act(sum of x[m, k] * w[n, k] + bias[n]) + residual[m, n]).
// Products of 16-bit values are exact in f32; sums are f64, in any order, but
// what an f32 sum cannot hold is infinite.
!element = !tile.dtype<DT>
!result = !tile.dtype<OT>
!rows = memref<?x?x!element, strided<[?, 1]>>
!results = memref<?x?x!result, strided<[?, 1]>>

func.func private @as_f32_sum(%sum: f64) -> f64 {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %narrow = arith.truncf %sum : f64 to f32
  %wide = arith.extf %narrow : f32 to f64
  %size = math.absf %wide : f64
  %overflows = arith.cmpf oeq, %size, %inf : f64
  %result = arith.select %overflows, %wide, %sum : f64
  return %result : f64
}

func.func private @sigmoid(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %minus = arith.negf %x : f64
  %decay = math.exp %minus : f64
  %denominator = arith.addf %one, %decay : f64
  %result = arith.divf %one, %denominator : f64
  return %result : f64
}

// The option's values in order: none, relu, silu, gelu, gelu_tanh, sigmoid.
func.func private @activate(%x: f64, %activation: index) -> f64 {
  %result = scf.index_switch %activation -> f64
  case 1 {
    %zero = arith.constant 0.0 : f64
    %y = arith.maximumf %x, %zero : f64
    scf.yield %y : f64
  }
  case 2 {
    %gate = func.call @sigmoid(%x) : (f64) -> f64
    %y = arith.mulf %x, %gate : f64
    scf.yield %y : f64
  }
  // 1 + erf(z) is erfc(-z), and (1 + tanh(z)) / 2 the sigmoid of 2 z: no digits of
  // small results cancel.
  case 3 {
    %root = arith.constant -0.70710678118654752 : f64
    %half = arith.constant 0.5 : f64
    %scaled = arith.mulf %x, %root : f64
    %share = math.erfc %scaled : f64
    %halved = arith.mulf %x, %half : f64
    %y = arith.mulf %halved, %share : f64
    scf.yield %y : f64
  }
  case 4 {
    %cubic = arith.constant 0.044715 : f64
    %root = arith.constant 1.5957691216057308 : f64
    %square = arith.mulf %x, %x : f64
    %cube = arith.mulf %square, %x : f64
    %part = arith.mulf %cubic, %cube : f64
    %sum = arith.addf %x, %part : f64
    %twice = arith.mulf %root, %sum : f64
    %gate = func.call @sigmoid(%twice) : (f64) -> f64
    %y = arith.mulf %x, %gate : f64
    scf.yield %y : f64
  }
  case 5 {
    %y = func.call @sigmoid(%x) : (f64) -> f64
    scf.yield %y : f64
  }
  default {
    scf.yield %x : f64
  }
  return %result : f64
}

// x and w lie with either dim outside: one step of m, n or k is one step of
// the outer or of the inner index.
func.func private @dot(%x: !rows, %w: !rows, %m: index, %n: index, %K: index,
                       %x_layout: index, %w_layout: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %x_turned = arith.cmpi ne, %x_layout, %c0 : index
  %w_turned = arith.cmpi ne, %w_layout, %c0 : index
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%total = %zero) -> (f64) {
    %x_outer = arith.select %x_turned, %k, %m : index
    %x_inner = arith.select %x_turned, %m, %k : index
    %w_outer = arith.select %w_turned, %k, %n : index
    %w_inner = arith.select %w_turned, %n, %k : index
    %a_narrow = memref.load %x[%x_outer, %x_inner] : !rows
    %b_narrow = memref.load %w[%w_outer, %w_inner] : !rows
    %a = tile.convert %a_narrow : !element -> f32
    %b = tile.convert %b_narrow : !element -> f32
    %product = arith.mulf %a, %b : f32
    %wide = arith.extf %product : f32 to f64
    %next = arith.addf %total, %wide fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  %result = func.call @as_f32_sum(%sum) : (f64) -> f64
  return %result : f64
}

func.func @reference(%x: !rows, %w: !rows, %bias: memref<?x!element>,
                     %residual: !results, %out: !results,
                     %M: index, %N: index, %K: index,
                     %XS: index, %WS: index, %RS: index, %OS: index,
                     %x_layout: index, %w_layout: index, %with_bias: index,
                     %with_residual: index, %activation: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %has_bias = arith.cmpi ne, %with_bias, %c0 : index
  %has_residual = arith.cmpi ne, %with_residual, %c0 : index
  scf.parallel (%m, %n) = (%c0, %c0) to (%M, %N) step (%c1, %c1) {
    %sum = func.call @dot(%x, %w, %m, %n, %K, %x_layout, %w_layout)
        : (!rows, !rows, index, index, index, index, index) -> f64
    %biased = scf.if %has_bias -> (f64) {
      %b_narrow = memref.load %bias[%n] : memref<?x!element>
      %b = tile.convert %b_narrow : !element -> f64
      %added = arith.addf %sum, %b : f64
      %held = func.call @as_f32_sum(%added) : (f64) -> f64
      scf.yield %held : f64
    } else {
      scf.yield %sum : f64
    }
    %y = func.call @activate(%biased, %activation) : (f64, index) -> f64
    %whole = scf.if %has_residual -> (f64) {
      %r_narrow = memref.load %residual[%m, %n] : !results
      %r = tile.convert %r_narrow : !result -> f64
      %added = arith.addf %y, %r : f64
      scf.yield %added : f64
    } else {
      scf.yield %y : f64
    }
    %rounded = tile.convert %whole : f64 -> !result
    memref.store %rounded, %out[%m, %n] : !results
    scf.reduce
  }
  return
}
