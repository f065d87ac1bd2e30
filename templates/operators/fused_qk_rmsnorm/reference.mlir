// Rows hold HQ query, HKV key and HKV value heads of D values. For q and k heads
// y = round(weight * round(x * rsqrt(mean of x^2 + eps))); v is copied.
// The statistics are exact but for this: what an f32 sum cannot hold is infinite.
func.func private @as_f32_sum(%sum: f64) -> f64 {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %narrow = arith.truncf %sum : f64 to f32
  %wide = arith.extf %narrow : f32 to f64
  %size = math.absf %wide : f64
  %overflows = arith.cmpf oeq, %size, %inf : f64
  %result = arith.select %overflows, %wide, %sum : f64
  return %result : f64
}

func.func private @norm_heads(%x: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                              %weight: memref<?x!tile.dtype<DT>>,
                              %out: memref<?x?x!tile.dtype<DT>>, %t: index,
                              %first: index, %last: index, %D: index, %eps: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %e = arith.extf %eps : f32 to f64
  %count_int = arith.index_cast %D : index to i64
  %count = arith.sitofp %count_int : i64 to f64
  scf.for %head = %first to %last step %c1 {
    %base = arith.muli %head, %D : index
    %sum = scf.for %d = %c0 to %D step %c1 iter_args(%total = %zero) -> (f64) {
      %column = arith.addi %base, %d : index
      %v_narrow = memref.load %x[%t, %column] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %v = tile.convert %v_narrow : !tile.dtype<DT> -> f64
      %square = arith.mulf %v, %v : f64
      %next = arith.addf %total, %square : f64
      scf.yield %next : f64
    }
    %sum_f32 = func.call @as_f32_sum(%sum) : (f64) -> f64
    %mean = arith.divf %sum_f32, %count : f64
    %shifted = arith.addf %mean, %e : f64
    %root = math.sqrt %shifted : f64
    %rstd = arith.divf %one, %root : f64
    scf.for %d = %c0 to %D step %c1 {
      %column = arith.addi %base, %d : index
      %v_narrow = memref.load %x[%t, %column] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      %v = tile.convert %v_narrow : !tile.dtype<DT> -> f64
      %exact = arith.mulf %v, %rstd : f64
      %normed_narrow = tile.convert %exact : f64 -> !tile.dtype<DT>
      %normed = tile.convert %normed_narrow : !tile.dtype<DT> -> f64
      %w_narrow = memref.load %weight[%d] : memref<?x!tile.dtype<DT>>
      %w = tile.convert %w_narrow : !tile.dtype<DT> -> f64
      %product = arith.mulf %normed, %w : f64
      %rounded = tile.convert %product : f64 -> !tile.dtype<DT>
      memref.store %rounded, %out[%t, %column] : memref<?x?x!tile.dtype<DT>>
    }
  }
  return
}

func.func @reference(%hidden_states: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %q_weight: memref<?x!tile.dtype<DT>>,
                     %k_weight: memref<?x!tile.dtype<DT>>,
                     %out: memref<?x?x!tile.dtype<DT>>,
                     %T: index, %HQ: index, %HKV: index, %D: index, %XS: index,
                     %eps: f32)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k_end = arith.addi %HQ, %HKV : index
  %v_end = arith.addi %k_end, %HKV : index
  %v_begin_column = arith.muli %k_end, %D : index
  %v_end_column = arith.muli %v_end, %D : index
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    func.call @norm_heads(%hidden_states, %q_weight, %out, %t, %c0, %HQ, %D, %eps)
        : (memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>, memref<?x!tile.dtype<DT>>,
           memref<?x?x!tile.dtype<DT>>, index, index, index, index, f32) -> ()
    func.call @norm_heads(%hidden_states, %k_weight, %out, %t, %HQ, %k_end, %D, %eps)
        : (memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>, memref<?x!tile.dtype<DT>>,
           memref<?x?x!tile.dtype<DT>>, index, index, index, index, f32) -> ()
    scf.for %column = %v_begin_column to %v_end_column step %c1 {
      %v = memref.load %hidden_states[%t, %column] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
      memref.store %v, %out[%t, %column] : memref<?x?x!tile.dtype<DT>>
    }
    scf.reduce
  }
  return
}
