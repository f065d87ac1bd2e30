// Per chunk of C rows, with c the g of its last present row and S the state:
// h = round(S); V_i = u_i - w_i^T h; v_new = round(V);
// m_i = exp(c - g_i) where c - g_i <= 0, else 0;
// S = exp(c) S + sum over i of k_i round(V_i m_i)^T. At the end S replaces the
// pool's row. Columns of S are independent. Sums are f64.
!element = !tile.dtype<DT>
!heads = memref<?x?x?x?x!element>
!states = memref<?x?x?x?x?x!element>
!gates = memref<?x?x?xf32>
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

func.func private @gate(%g: !gates, %b: index, %t: index, %v: index) -> f64 {
  %narrow = memref.load %g[%b, %t, %v] : !gates
  %wide = arith.extf %narrow : f32 to f64
  return %wide : f64
}

// Column `j` of w_t^T h.
func.func private @read_state(%w: !heads, %h: !states, %b: index, %t: index,
                              %chunk: index, %v: index, %j: index, %DK: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %d = %c0 to %DK step %c1 iter_args(%total = %zero) -> (f64) {
    %x_narrow = memref.load %w[%b, %t, %v, %d] : !heads
    %y_narrow = memref.load %h[%b, %chunk, %v, %d, %j] : !states
    %x = tile.convert %x_narrow : !element -> f32
    %y = tile.convert %y_narrow : !element -> f32
    %product = arith.mulf %x, %y : f32
    %wide = arith.extf %product : f32 to f64
    %next = arith.addf %total, %wide : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// column = exp(c) column, after it was written to h, rounded.
func.func private @begin_chunk(%column: memref<?xf64>, %c: f64, %h: !states, %b: index,
                               %chunk: index, %v: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %DK = memref.dim %column, %c0 : memref<?xf64>
  %decay = math.exp %c : f64
  scf.for %d = %c0 to %DK step %c1 {
    %value = memref.load %column[%d] : memref<?xf64>
    %rounded = tile.convert %value : f64 -> !element
    memref.store %rounded, %h[%b, %chunk, %v, %d, %j] : !states
    %decayed = arith.mulf %decay, %value : f64
    memref.store %decayed, %column[%d] : memref<?xf64>
  }
  return
}

// column = column + k_t x, x rounded.
func.func private @add_row(%column: memref<?xf64>, %k: !heads, %b: index, %t: index,
                           %head: index, %x: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %DK = memref.dim %column, %c0 : memref<?xf64>
  %rounded = tile.convert %x : f64 -> !element
  %factor = tile.convert %rounded : !element -> f64
  scf.for %d = %c0 to %DK step %c1 {
    %narrow = memref.load %k[%b, %t, %head, %d] : !heads
    %wide = tile.convert %narrow : !element -> f64
    %product = arith.mulf %wide, %factor : f64
    %old = memref.load %column[%d] : memref<?xf64>
    %new = arith.addf %old, %product : f64
    memref.store %new, %column[%d] : memref<?xf64>
  }
  return
}

func.func @reference(%k: !heads, %w: !heads, %u: !heads, %g: !gates,
                     %initial_state: !pool, %initial_state_indices: memref<?xi32>,
                     %h: !states, %v_new: !heads, %final_state: !pool, %B: index,
                     %T: index, %P: index, %HK: index, %HV: index, %DK: index,
                     %DV: index, %C: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  func.call @copy_pool(%initial_state, %final_state, %P, %HV, %DK, %DV)
      : (!pool, !pool, index, index, index, index) -> ()
  scf.parallel (%b, %v, %j) = (%c0, %c0, %c0) to (%B, %HV, %DV) step (%c1, %c1, %c1) {
    %head = func.call @key_head(%v, %HV, %HK) : (index, index, index) -> index
    %id = memref.load %initial_state_indices[%b] : memref<?xi32>
    %p = arith.index_cast %id : i32 to index
    %column = memref.alloc(%DK) : memref<?xf64>
    func.call @load_column(%initial_state, %p, %v, %j, %column)
        : (!pool, index, index, index, memref<?xf64>) -> ()
    scf.for %begin = %c0 to %T step %C {
      %chunk = arith.divui %begin, %C : index
      %full = arith.addi %begin, %C : index
      %end = arith.minui %full, %T : index
      %last = arith.subi %end, %c1 : index
      %c = func.call @gate(%g, %b, %last, %v) : (!gates, index, index, index) -> f64
      func.call @begin_chunk(%column, %c, %h, %b, %chunk, %v, %j)
          : (memref<?xf64>, f64, !states, index, index, index, index) -> ()
      scf.for %t = %begin to %end step %c1 {
        %u_narrow = memref.load %u[%b, %t, %v, %j] : !heads
        %value = tile.convert %u_narrow : !element -> f64
        %known = func.call @read_state(%w, %h, %b, %t, %chunk, %v, %j, %DK)
            : (!heads, !states, index, index, index, index, index, index) -> f64
        %new = arith.subf %value, %known : f64
        %new_narrow = tile.convert %new : f64 -> !element
        memref.store %new_narrow, %v_new[%b, %t, %v, %j] : !heads
        %gate = func.call @gate(%g, %b, %t, %v) : (!gates, index, index, index) -> f64
        %below = arith.subf %c, %gate : f64
        %decays = arith.cmpf ole, %below, %zero : f64
        %exp = math.exp %below : f64
        %decay = arith.select %decays, %exp, %zero : f64
        %decayed = arith.mulf %new, %decay : f64
        func.call @add_row(%column, %k, %b, %t, %head, %decayed)
            : (memref<?xf64>, !heads, index, index, index, f64) -> ()
      }
    }
    func.call @store_column(%column, %final_state, %p, %v, %j)
        : (memref<?xf64>, !pool, index, index, index) -> ()
    memref.dealloc %column : memref<?xf64>
    scf.reduce
  }
  return
}
