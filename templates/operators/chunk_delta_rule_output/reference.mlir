// Per chunk of C rows, with local rows i and j:
// A[i, j] = (q_i . k_j) exp(g_i - g_j) where j <= i and g_i - g_j <= 0, else 0;
// out_i = round((exp(g_i) (q_i^T h) + sum over j of round(A[i, j]) v_j) scale).
// Sums are f64.
!element = !tile.dtype<DT>
!heads = memref<?x?x?x?x!element>
!states = memref<?x?x?x?x?x!element>
!gates = memref<?x?x?xf32>

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

// e^x; what f32 cannot hold is infinite.
func.func private @exp_f32(%x: f64) -> f64 {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %exp = math.exp %x : f64
  %narrow = arith.truncf %exp : f64 to f32
  %wide = arith.extf %narrow : f32 to f64
  %overflows = arith.cmpf oeq, %wide, %inf : f64
  %result = arith.select %overflows, %inf, %exp : f64
  return %result : f64
}

func.func private @gate(%g: !gates, %b: index, %t: index, %v: index) -> f64 {
  %narrow = memref.load %g[%b, %t, %v] : !gates
  %wide = arith.extf %narrow : f32 to f64
  return %wide : f64
}

// Products of 16-bit values are exact in f32; sums are f64.
func.func private @dot(%q: !heads, %k: !heads, %b: index, %t: index, %s: index,
                       %h: index, %DK: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %d = %c0 to %DK step %c1 iter_args(%total = %zero) -> (f64) {
    %x_narrow = memref.load %q[%b, %t, %h, %d] : !heads
    %y_narrow = memref.load %k[%b, %s, %h, %d] : !heads
    %x = tile.convert %x_narrow : !element -> f32
    %y = tile.convert %y_narrow : !element -> f32
    %product = arith.mulf %x, %y : f32
    %wide = arith.extf %product : f32 to f64
    %next = arith.addf %total, %wide : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// Column `j` of q_t^T h.
func.func private @read_state(%q: !heads, %h: !states, %b: index, %t: index,
                              %head: index, %chunk: index, %v: index, %j: index,
                              %DK: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %d = %c0 to %DK step %c1 iter_args(%total = %zero) -> (f64) {
    %x_narrow = memref.load %q[%b, %t, %head, %d] : !heads
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

func.func @reference(%q: !heads, %k: !heads, %v: !heads, %h: !states, %g: !gates,
                     %out: !heads, %B: index, %T: index, %HQ: index, %HV: index,
                     %DK: index, %DV: index, %C: index, %scale: f32)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %factor = arith.extf %scale : f32 to f64
  scf.parallel (%b, %t, %n) = (%c0, %c0, %c0) to (%B, %T, %HV) step (%c1, %c1, %c1) {
    %head = func.call @key_head(%n, %HV, %HQ) : (index, index, index) -> index
    %chunk = arith.divui %t, %C : index
    %begin = arith.muli %chunk, %C : index
    %full = arith.addi %begin, %C : index
    %end = arith.minui %full, %T : index
    %rows = arith.subi %end, %begin : index
    %gate = func.call @gate(%g, %b, %t, %n) : (!gates, index, index, index) -> f64
    %weights = memref.alloc(%rows) : memref<?x!element>
    scf.for %i = %c0 to %rows step %c1 {
      %s = arith.addi %begin, %i : index
      %other = func.call @gate(%g, %b, %s, %n) : (!gates, index, index, index) -> f64
      %below = arith.subf %gate, %other : f64
      %past = arith.cmpi ule, %s, %t : index
      %decays = arith.cmpf ole, %below, %zero : f64
      %counts = arith.andi %past, %decays : i1
      %decay = math.exp %below : f64
      %dot = func.call @dot(%q, %k, %b, %t, %s, %head, %DK)
          : (!heads, !heads, index, index, index, index, index) -> f64
      %product = arith.mulf %dot, %decay : f64
      %masked = arith.select %counts, %product, %zero : f64
      %rounded = tile.convert %masked : f64 -> !element
      memref.store %rounded, %weights[%i] : memref<?x!element>
    }
    %growth = func.call @exp_f32(%gate) : (f64) -> f64
    scf.for %j = %c0 to %DV step %c1 {
      %state = func.call @read_state(%q, %h, %b, %t, %head, %chunk, %n, %j, %DK)
          : (!heads, !states, index, index, index, index, index, index, index) -> f64
      %inter = arith.mulf %growth, %state : f64
      %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%total = %inter) -> (f64) {
        %s = arith.addi %begin, %i : index
        %weight_narrow = memref.load %weights[%i] : memref<?x!element>
        %value_narrow = memref.load %v[%b, %s, %n, %j] : !heads
        %weight = tile.convert %weight_narrow : !element -> f32
        %value = tile.convert %value_narrow : !element -> f32
        %product = arith.mulf %weight, %value : f32
        %wide = arith.extf %product : f32 to f64
        %next = arith.addf %total, %wide : f64
        scf.yield %next : f64
      }
      %scaled = arith.mulf %sum, %factor : f64
      %rounded = tile.convert %scaled : f64 -> !element
      memref.store %rounded, %out[%b, %t, %n, %j] : !heads
    }
    memref.dealloc %weights : memref<?x!element>
    scf.reduce
  }
  return
}
