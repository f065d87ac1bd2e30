// out_t = round(sum over slots j of topk_weights[t, j] * (w2[e] p)), e the slot's
// id, p = silu(gate) * up, [gate; up] = w1[e] x_t, operands times the scales of
// their blocks. Ids outside [0, E) add nothing. Sums are f64.
!element = !tile.dtype<F8>
!weights = memref<?x?x?x!element>
!scales = memref<?x?x?xf32>

// w[e, r] x where x is in f64, by blocks of G columns with one scale each.
func.func private @scaled_dot(%w: !weights, %scales: !scales, %e: index, %r: index,
                              %x: memref<?xf64>, %G: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %columns = memref.dim %x, %c0 : memref<?xf64>
  %row_block = arith.divui %r, %G : index
  %sum = scf.for %begin = %c0 to %columns step %G iter_args(%total = %zero) -> (f64) {
    %full = arith.addi %begin, %G : index
    %end = arith.minui %full, %columns : index
    %part = scf.for %c = %begin to %end step %c1 iter_args(%part = %zero) -> (f64) {
      %w_narrow = memref.load %w[%e, %r, %c] : !weights
      %wide = tile.convert %w_narrow : !element -> f64
      %v = memref.load %x[%c] : memref<?xf64>
      %product = arith.mulf %wide, %v : f64
      %next = arith.addf %part, %product : f64
      scf.yield %next : f64
    }
    %block = arith.divui %begin, %G : index
    %narrow = memref.load %scales[%e, %row_block, %block] : !scales
    %scale = arith.extf %narrow : f32 to f64
    %scaled = arith.mulf %part, %scale : f64
    %next = arith.addf %total, %scaled : f64
    scf.yield %next : f64
  }
  return %sum : f64
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
                     %topk_ids: memref<?x?xi32>, %a_scale: memref<?x?xf32>,
                     %fc1_scale: !scales, %fc2_scale: !scales,
                     %out: memref<?x?x!tile.dtype<OT>>, %T: index, %E: index,
                     %H: index, %I: index, %TOPK: index, %G: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    %x = memref.alloc(%H) : memref<?xf64>
    %p = memref.alloc(%I) : memref<?xf64>
    %sums = memref.alloc(%H) : memref<?xf64>
    scf.for %c = %c0 to %H step %c1 {
      %narrow = memref.load %hidden_states[%t, %c] : memref<?x?x!element>
      %wide = tile.convert %narrow : !element -> f64
      %block = arith.divui %c, %G : index
      %scale_narrow = memref.load %a_scale[%t, %block] : memref<?x?xf32>
      %scale = arith.extf %scale_narrow : f32 to f64
      %scaled = arith.mulf %wide, %scale : f64
      memref.store %scaled, %x[%c] : memref<?xf64>
      memref.store %zero, %sums[%c] : memref<?xf64>
    }
    scf.for %j = %c0 to %TOPK step %c1 {
      // A negative id is a large unsigned number.
      %id = memref.load %topk_ids[%t, %j] : memref<?x?xi32>
      %e = arith.index_cast %id : i32 to index
      %known = arith.cmpi ult, %e, %E : index
      scf.if %known {
        scf.for %i = %c0 to %I step %c1 {
          %up_row = arith.addi %I, %i : index
          %gate = func.call @scaled_dot(%w1, %fc1_scale, %e, %i, %x, %G)
              : (!weights, !scales, index, index, memref<?xf64>, index) -> f64
          %up = func.call @scaled_dot(%w1, %fc1_scale, %e, %up_row, %x, %G)
              : (!weights, !scales, index, index, memref<?xf64>, index) -> f64
          %act = func.call @silu(%gate) : (f64) -> f64
          %product = arith.mulf %act, %up : f64
          memref.store %product, %p[%i] : memref<?xf64>
        }
        %weight_narrow = memref.load %topk_weights[%t, %j] : memref<?x?xf32>
        %weight = arith.extf %weight_narrow : f32 to f64
        scf.for %c = %c0 to %H step %c1 {
          %y = func.call @scaled_dot(%w2, %fc2_scale, %e, %c, %p, %G)
              : (!weights, !scales, index, index, memref<?xf64>, index) -> f64
          %weighted = arith.mulf %weight, %y : f64
          %total = memref.load %sums[%c] : memref<?xf64>
          %next = arith.addf %total, %weighted : f64
          memref.store %next, %sums[%c] : memref<?xf64>
        }
      }
    }
    scf.for %c = %c0 to %H step %c1 {
      %sum = memref.load %sums[%c] : memref<?xf64>
      %rounded = tile.convert %sum : f64 -> !tile.dtype<OT>
      memref.store %rounded, %out[%t, %c] : memref<?x?x!tile.dtype<OT>>
    }
    memref.dealloc %x : memref<?xf64>
    memref.dealloc %p : memref<?xf64>
    memref.dealloc %sums : memref<?xf64>
    scf.reduce
  }
  return
}
