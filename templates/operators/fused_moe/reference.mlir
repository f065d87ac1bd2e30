// out_t = sum over the distinct experts e of token t, with summed weight m, of
// m * (w2[e] p), p = silu(gate) * up, [gate; up] = w1[e] x_t. Ids outside [0, E)
// and summed weights of zero add nothing. Sums are f64, rounded once to f32; what
// f32 cannot hold is infinite.
!element = !tile.dtype<DT>
!weights = memref<?x?x?x!element>

func.func private @as_f32(%x: f64) -> f64 {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %narrow = arith.truncf %x : f64 to f32
  %wide = arith.extf %narrow : f32 to f64
  %size = math.absf %wide : f64
  %overflows = arith.cmpf oeq, %size, %inf : f64
  %result = arith.select %overflows, %wide, %x : f64
  return %result : f64
}

// The weight of slot j's expert over all slots of the token that name it. Zero
// if an earlier slot does, or if it is not an expert.
func.func private @merged_weight(%topk_weights: memref<?x?xf32>,
                                 %topk_ids: memref<?x?xi32>, %t: index, %j: index,
                                 %E: index, %TOPK: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %zero = arith.constant 0.0 : f64
  %id = memref.load %topk_ids[%t, %j] : memref<?x?xi32>
  %first = scf.for %i = %c0 to %j step %c1 iter_args(%so_far = %true) -> (i1) {
    %other = memref.load %topk_ids[%t, %i] : memref<?x?xi32>
    %differs = arith.cmpi ne, %id, %other : i32
    %next = arith.andi %so_far, %differs : i1
    scf.yield %next : i1
  }
  %sum = scf.for %i = %j to %TOPK step %c1 iter_args(%total = %zero) -> (f64) {
    %other = memref.load %topk_ids[%t, %i] : memref<?x?xi32>
    %same = arith.cmpi eq, %id, %other : i32
    %narrow = memref.load %topk_weights[%t, %i] : memref<?x?xf32>
    %weight = arith.extf %narrow : f32 to f64
    %added = arith.addf %total, %weight : f64
    %next = arith.select %same, %added, %total : f64
    scf.yield %next : f64
  }
  // A negative id is a large unsigned number.
  %expert = arith.index_cast %id : i32 to index
  %known = arith.cmpi ult, %expert, %E : index
  %counts = arith.andi %known, %first : i1
  %result = arith.select %counts, %sum, %zero : f64
  return %result : f64
}

// w1[e, r] x_t
func.func private @project(%w1: !weights, %e: index, %r: index,
                           %x: memref<?x?x!element>, %t: index, %H: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %c = %c0 to %H step %c1 iter_args(%total = %zero) -> (f64) {
    %w_narrow = memref.load %w1[%e, %r, %c] : !weights
    %x_narrow = memref.load %x[%t, %c] : memref<?x?x!element>
    %w = tile.convert %w_narrow : !element -> f32
    %v = tile.convert %x_narrow : !element -> f32
    %product = arith.mulf %w, %v : f32
    %wide = arith.extf %product : f32 to f64
    %next = arith.addf %total, %wide : f64
    scf.yield %next : f64
  }
  %result = func.call @as_f32(%sum) : (f64) -> f64
  return %result : f64
}

// w2[e, c] p
func.func private @combine(%w2: !weights, %e: index, %c: index,
                           %p: memref<?xf64>, %I: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %i = %c0 to %I step %c1 iter_args(%total = %zero) -> (f64) {
    %w_narrow = memref.load %w2[%e, %c, %i] : !weights
    %w = tile.convert %w_narrow : !element -> f64
    %v = memref.load %p[%i] : memref<?xf64>
    %product = arith.mulf %w, %v : f64
    %next = arith.addf %total, %product : f64
    scf.yield %next : f64
  }
  %result = func.call @as_f32(%sum) : (f64) -> f64
  return %result : f64
}

func.func private @silu(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %minus = arith.negf %x : f64
  %decay = math.exp %minus : f64
  %denominator = arith.addf %one, %decay : f64
  %sigmoid = arith.divf %one, %denominator : f64
  %result = arith.mulf %x, %sigmoid : f64
  return %result : f64
}

func.func @reference(%hidden_states: memref<?x?x!element>, %w1: !weights,
                     %w2: !weights, %topk_weights: memref<?x?xf32>,
                     %topk_ids: memref<?x?xi32>, %out: memref<?x?xf32>, %T: index,
                     %E: index, %H: index, %I: index, %TOPK: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    %p = memref.alloc(%I) : memref<?xf64>
    %sums = memref.alloc(%H) : memref<?xf64>
    scf.for %c = %c0 to %H step %c1 {
      memref.store %zero, %sums[%c] : memref<?xf64>
    }
    scf.for %j = %c0 to %TOPK step %c1 {
      %weight = func.call @merged_weight(%topk_weights, %topk_ids, %t, %j, %E, %TOPK)
          : (memref<?x?xf32>, memref<?x?xi32>, index, index, index, index) -> f64
      %counts = arith.cmpf une, %weight, %zero : f64
      scf.if %counts {
        %id = memref.load %topk_ids[%t, %j] : memref<?x?xi32>
        %e = arith.index_cast %id : i32 to index
        scf.for %i = %c0 to %I step %c1 {
          %up_row = arith.addi %I, %i : index
          %gate = func.call @project(%w1, %e, %i, %hidden_states, %t, %H)
              : (!weights, index, index, memref<?x?x!element>, index, index) -> f64
          %up = func.call @project(%w1, %e, %up_row, %hidden_states, %t, %H)
              : (!weights, index, index, memref<?x?x!element>, index, index) -> f64
          %act = func.call @silu(%gate) : (f64) -> f64
          %product = arith.mulf %act, %up : f64
          %held = func.call @as_f32(%product) : (f64) -> f64
          memref.store %held, %p[%i] : memref<?xf64>
        }
        scf.for %c = %c0 to %H step %c1 {
          %y = func.call @combine(%w2, %e, %c, %p, %I)
              : (!weights, index, index, memref<?xf64>, index) -> f64
          %weighted = arith.mulf %weight, %y : f64
          %total = memref.load %sums[%c] : memref<?xf64>
          %next = arith.addf %total, %weighted : f64
          memref.store %next, %sums[%c] : memref<?xf64>
        }
      }
    }
    scf.for %c = %c0 to %H step %c1 {
      %sum = memref.load %sums[%c] : memref<?xf64>
      %rounded = arith.truncf %sum : f64 to f32
      memref.store %rounded, %out[%t, %c] : memref<?x?xf32>
    }
    memref.dealloc %p : memref<?xf64>
    memref.dealloc %sums : memref<?xf64>
    scf.reduce
  }
  return
}
