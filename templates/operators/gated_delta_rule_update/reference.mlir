// Per token: S = decay S; d = rate (v - S^T k); S = S + k d^T;
// out = round(S^T (scale q)), with decay = exp(-exp(A_log) softplus(a + dt_bias)) and
// rate = sigmoid(b). With use_qk_l2norm 1 q and k are first divided by
// max(|.|, 1e-6). At the end S replaces the pool's row. Columns of S are
// independent. Sums are f64.
!element = !tile.dtype<DT>
!heads = memref<?x?x?x?x!element>
!gates = memref<?x?x?x!element>
!pool = memref<?x?x?x?xf32>

// The key head of value head `v`.
func.func private @key_head(%v: index, %HV: index, %heads: index) -> index {
  %c1 = arith.constant 1 : index
  %ratio = arith.divui %HV, %heads : index
  %group = arith.maxui %ratio, %c1 : index
  %head = arith.divui %v, %group : index
  %last = arith.subi %heads, %c1 : index
  %result = arith.minui %head, %last : index
  return %result : index
}

func.func private @copy_pool(%from: !pool, %to: !pool, %P: index, %HV: index,
                             %DK: index, %DV: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%p, %v, %d, %j) = (%c0, %c0, %c0, %c0) to (%P, %HV, %DK, %DV)
      step (%c1, %c1, %c1, %c1) {
    %value = memref.load %from[%p, %v, %d, %j] : !pool
    memref.store %value, %to[%p, %v, %d, %j] : !pool
    scf.reduce
  }
  return
}

// Column `j` of a state of the pool, in f64.
func.func private @load_column(%pool: !pool, %p: index, %v: index, %j: index,
                               %column: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %DK = memref.dim %column, %c0 : memref<?xf64>
  scf.for %d = %c0 to %DK step %c1 {
    %narrow = memref.load %pool[%p, %v, %d, %j] : !pool
    %wide = arith.extf %narrow : f32 to f64
    memref.store %wide, %column[%d] : memref<?xf64>
  }
  return
}

func.func private @store_column(%column: memref<?xf64>, %pool: !pool, %p: index,
                                %v: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %DK = memref.dim %column, %c0 : memref<?xf64>
  scf.for %d = %c0 to %DK step %c1 {
    %wide = memref.load %column[%d] : memref<?xf64>
    %narrow = arith.truncf %wide : f64 to f32
    memref.store %narrow, %pool[%p, %v, %d, %j] : !pool
  }
  return
}

// e^x as f32 holds it: infinite above, zero below its range.
func.func private @exp_f32(%x: f64) -> f64 {
  %exp = math.exp %x : f64
  %narrow = arith.truncf %exp : f64 to f32
  %wide = arith.extf %narrow : f32 to f64
  return %wide : f64
}

// softplus(x) is x where beta x > threshold, else ln(1 + e^(beta x)) / beta.
func.func private @decay(%A_log: f64, %x: f64, %beta: f64, %threshold: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %scaled = arith.mulf %beta, %x : f64
  %linear = arith.cmpf ogt, %scaled, %threshold : f64
  %exp = func.call @exp_f32(%scaled) : (f64) -> f64
  %more = arith.addf %one, %exp : f64
  %log = math.log %more : f64
  %curve = arith.divf %log, %beta : f64
  %softplus = arith.select %linear, %x, %curve : f64
  %speed = func.call @exp_f32(%A_log) : (f64) -> f64
  %product = arith.mulf %speed, %softplus : f64
  %minus = arith.negf %product : f64
  %decay = math.exp %minus : f64
  return %decay : f64
}

func.func private @sigmoid(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %minus = arith.negf %x : f64
  %decay = math.exp %minus : f64
  %denominator = arith.addf %one, %decay : f64
  %result = arith.divf %one, %denominator : f64
  return %result : f64
}

// 1 / max(|x|, 1e-6), or one without normalisation. A square sum that f32 cannot
// hold is infinite.
func.func private @normaliser(%x: !heads, %b: index, %t: index, %h: index, %DK: index,
                              %use_qk_l2norm: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %inf = arith.constant 0x7FF0000000000000 : f64
  %least = arith.constant 1.0e-6 : f64
  %sum = scf.for %d = %c0 to %DK step %c1 iter_args(%total = %zero) -> (f64) {
    %narrow = memref.load %x[%b, %t, %h, %d] : !heads
    %wide = tile.convert %narrow : !element -> f64
    %square = arith.mulf %wide, %wide : f64
    %next = arith.addf %total, %square : f64
    scf.yield %next : f64
  }
  %sum_narrow = arith.truncf %sum : f64 to f32
  %sum_f32 = arith.extf %sum_narrow : f32 to f64
  %overflows = arith.cmpf oeq, %sum_f32, %inf : f64
  %held = arith.select %overflows, %inf, %sum : f64
  %norm = math.sqrt %held : f64
  %floored = arith.maximumf %norm, %least : f64
  %inverse = arith.divf %one, %floored : f64
  %used = arith.cmpi ne, %use_qk_l2norm, %c0 : index
  %result = arith.select %used, %inverse, %one : f64
  return %result : f64
}

// x_t . column
func.func private @dot(%x: !heads, %b: index, %t: index, %h: index,
                       %column: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %DK = memref.dim %column, %c0 : memref<?xf64>
  %sum = scf.for %d = %c0 to %DK step %c1 iter_args(%total = %zero) -> (f64) {
    %narrow = memref.load %x[%b, %t, %h, %d] : !heads
    %wide = tile.convert %narrow : !element -> f64
    %state = memref.load %column[%d] : memref<?xf64>
    %product = arith.mulf %wide, %state : f64
    %next = arith.addf %total, %product : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// column = decay column + k_t x; the two steps of a token in one form.
func.func private @update(%column: memref<?xf64>, %decay: f64, %k: !heads, %b: index,
                          %t: index, %h: index, %x: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %DK = memref.dim %column, %c0 : memref<?xf64>
  scf.for %d = %c0 to %DK step %c1 {
    %narrow = memref.load %k[%b, %t, %h, %d] : !heads
    %wide = tile.convert %narrow : !element -> f64
    %state = memref.load %column[%d] : memref<?xf64>
    %decayed = arith.mulf %decay, %state : f64
    %product = arith.mulf %wide, %x : f64
    %next = arith.addf %decayed, %product : f64
    memref.store %next, %column[%d] : memref<?xf64>
  }
  return
}

func.func @reference(%A_log: memref<?xf32>, %a: !gates, %dt_bias: memref<?x!element>,
                     %q: !heads, %k: !heads, %v: !heads, %b: !gates,
                     %initial_state: !pool, %initial_state_indices: memref<?xi32>,
                     %out: !heads, %final_state: !pool, %B: index, %T: index,
                     %P: index, %HQ: index, %HV: index, %DK: index, %DV: index,
                     %softplus_beta: f32, %softplus_threshold: f32, %scale: f32,
                     %use_qk_l2norm: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %beta = arith.extf %softplus_beta : f32 to f64
  %threshold = arith.extf %softplus_threshold : f32 to f64
  %factor = arith.extf %scale : f32 to f64
  func.call @copy_pool(%initial_state, %final_state, %P, %HV, %DK, %DV)
      : (!pool, !pool, index, index, index, index) -> ()
  scf.parallel (%n, %h, %j) = (%c0, %c0, %c0) to (%B, %HV, %DV) step (%c1, %c1, %c1) {
    %head = func.call @key_head(%h, %HV, %HQ) : (index, index, index) -> index
    %id = memref.load %initial_state_indices[%n] : memref<?xi32>
    %p = arith.index_cast %id : i32 to index
    %column = memref.alloc(%DK) : memref<?xf64>
    func.call @load_column(%initial_state, %p, %h, %j, %column)
        : (!pool, index, index, index, memref<?xf64>) -> ()
    %A_log_narrow = memref.load %A_log[%h] : memref<?xf32>
    %log = arith.extf %A_log_narrow : f32 to f64
    %bias_narrow = memref.load %dt_bias[%h] : memref<?x!element>
    %bias = tile.convert %bias_narrow : !element -> f64
    scf.for %t = %c0 to %T step %c1 {
      %a_narrow = memref.load %a[%n, %t, %h] : !gates
      %a_wide = tile.convert %a_narrow : !element -> f64
      %biased = arith.addf %a_wide, %bias : f64
      %decay = func.call @decay(%log, %biased, %beta, %threshold)
          : (f64, f64, f64, f64) -> f64
      %b_narrow = memref.load %b[%n, %t, %h] : !gates
      %b_wide = tile.convert %b_narrow : !element -> f64
      %rate = func.call @sigmoid(%b_wide) : (f64) -> f64
      %k_norm = func.call @normaliser(%k, %n, %t, %head, %DK, %use_qk_l2norm)
          : (!heads, index, index, index, index, index) -> f64
      %q_norm = func.call @normaliser(%q, %n, %t, %head, %DK, %use_qk_l2norm)
          : (!heads, index, index, index, index, index) -> f64

      %k_state = func.call @dot(%k, %n, %t, %head, %column)
          : (!heads, index, index, index, memref<?xf64>) -> f64
      %k_unit = arith.mulf %k_state, %k_norm : f64
      %known = arith.mulf %k_unit, %decay : f64
      %v_narrow = memref.load %v[%n, %t, %h, %j] : !heads
      %value = tile.convert %v_narrow : !element -> f64
      %missing = arith.subf %value, %known : f64
      %delta = arith.mulf %rate, %missing : f64
      %delta_unit = arith.mulf %delta, %k_norm : f64
      func.call @update(%column, %decay, %k, %n, %t, %head, %delta_unit)
          : (memref<?xf64>, f64, !heads, index, index, index, f64) -> ()

      %q_state = func.call @dot(%q, %n, %t, %head, %column)
          : (!heads, index, index, index, memref<?xf64>) -> f64
      %q_unit = arith.mulf %q_state, %q_norm : f64
      %scaled = arith.mulf %q_unit, %factor : f64
      %rounded = tile.convert %scaled : f64 -> !element
      memref.store %rounded, %out[%n, %t, %h, %j] : !heads
    }
    func.call @store_column(%column, %final_state, %p, %h, %j)
        : (memref<?xf64>, !pool, index, index, index) -> ()
    memref.dealloc %column : memref<?xf64>
    scf.reduce
  }
  return
}
