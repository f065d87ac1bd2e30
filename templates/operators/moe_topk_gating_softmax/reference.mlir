// p = softmax of the row: exp(x - max) and its quotient by the sum are f32, the
// sum is f64 and rounded once. With GROUPS > 0 the p outside of the KEPT groups of
// E / GROUPS experts with the largest maximum become 0. Then TOPK times the
// largest p; of equal ones, and in a row of NaN, the lowest index comes first.
// Where nobody is left the id is -1 and the weight 0.
func.func private @argmax(%values: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : index
  %taken = arith.constant -1.0 : f32
  %size = memref.dim %values, %c0 : memref<?xf32>
  %best, %at = scf.for %i = %c0 to %size step %c1
      iter_args(%most = %taken, %where = %none) -> (f32, index) {
    %v = memref.load %values[%i] : memref<?xf32>
    %is_more = arith.cmpf ogt, %v, %most : f32
    %next = arith.select %is_more, %v, %most : f32
    %next_where = arith.select %is_more, %i, %where : index
    scf.yield %next, %next_where : f32, index
  }
  return %at : index
}

func.func private @keep_groups(%p: memref<?xf32>, %GROUPS: index, %KEPT: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %taken = arith.constant -1.0 : f32
  %experts = memref.dim %p, %c0 : memref<?xf32>
  %size = arith.divui %experts, %GROUPS : index
  %scores = memref.alloc(%GROUPS) : memref<?xf32>
  scf.for %g = %c0 to %GROUPS step %c1 {
    %begin = arith.muli %g, %size : index
    %end = arith.addi %begin, %size : index
    %score = scf.for %e = %begin to %end step %c1 iter_args(%most = %zero) -> (f32) {
      %v = memref.load %p[%e] : memref<?xf32>
      %next = arith.maximumf %most, %v : f32
      scf.yield %next : f32
    }
    memref.store %score, %scores[%g] : memref<?xf32>
  }
  %kept = arith.minui %KEPT, %GROUPS : index
  scf.for %n = %c0 to %kept step %c1 {
    %g = func.call @argmax(%scores) : (memref<?xf32>) -> index
    memref.store %taken, %scores[%g] : memref<?xf32>
  }
  scf.for %g = %c0 to %GROUPS step %c1 {
    %score = memref.load %scores[%g] : memref<?xf32>
    %goes = arith.cmpf oge, %score, %zero : f32
    scf.if %goes {
      %begin = arith.muli %g, %size : index
      %end = arith.addi %begin, %size : index
      scf.for %e = %begin to %end step %c1 {
        memref.store %zero, %p[%e] : memref<?xf32>
      }
    }
  }
  memref.dealloc %scores : memref<?xf32>
  return
}

func.func @reference(%gating_output: memref<?x?xf32>,
                     %topk_weights: memref<?x?xf32>,
                     %topk_ids: memref<?x?xi32>,
                     %T: index, %E: index, %TOPK: index, %GROUPS: index,
                     %KEPT: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0.0 : f64
  %taken = arith.constant -1.0 : f32
  %minus_inf = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : index
  %has_groups = arith.cmpi ne, %GROUPS, %c0 : index
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    %p = memref.alloc(%E) : memref<?xf32>
    %max = scf.for %e = %c0 to %E step %c1 iter_args(%most = %minus_inf) -> (f32) {
      %x = memref.load %gating_output[%t, %e] : memref<?x?xf32>
      %next = arith.maximumf %most, %x : f32
      scf.yield %next : f32
    }
    %sum64 = scf.for %e = %c0 to %E step %c1 iter_args(%total = %zero64) -> (f64) {
      %x = memref.load %gating_output[%t, %e] : memref<?x?xf32>
      %below = arith.subf %x, %max : f32
      %below64 = arith.extf %below : f32 to f64
      %exp64 = math.exp %below64 : f64
      %exp = arith.truncf %exp64 : f64 to f32
      memref.store %exp, %p[%e] : memref<?xf32>
      %rounded = arith.extf %exp : f32 to f64
      %next = arith.addf %total, %rounded : f64
      scf.yield %next : f64
    }
    %sum = arith.truncf %sum64 : f64 to f32
    scf.for %e = %c0 to %E step %c1 {
      %exp = memref.load %p[%e] : memref<?xf32>
      %share = arith.divf %exp, %sum : f32
      memref.store %share, %p[%e] : memref<?xf32>
    }
    // One NaN or infinity in the row makes all of it NaN.
    %is_nan = arith.cmpf uno, %sum, %sum : f32
    %choose_groups = scf.if %is_nan -> (i1) {
      %no = arith.constant false
      scf.yield %no : i1
    } else {
      scf.yield %has_groups : i1
    }
    scf.if %choose_groups {
      func.call @keep_groups(%p, %GROUPS, %KEPT) : (memref<?xf32>, index, index) -> ()
    }
    scf.for %n = %c0 to %TOPK step %c1 {
      %largest = func.call @argmax(%p) : (memref<?xf32>) -> index
      %in_order = arith.cmpi ult, %n, %E : index
      %nth = arith.select %in_order, %n, %none : index
      %e = arith.select %is_nan, %nth, %largest : index
      %found = arith.cmpi ne, %e, %none : index
      %weight = scf.if %found -> (f32) {
        %best = memref.load %p[%e] : memref<?xf32>
        memref.store %taken, %p[%e] : memref<?xf32>
        scf.yield %best : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %weight, %topk_weights[%t, %n] : memref<?x?xf32>
      %id = arith.index_cast %e : index to i32
      memref.store %id, %topk_ids[%t, %n] : memref<?x?xi32>
    }
    memref.dealloc %p : memref<?xf32>
    scf.reduce
  }
  return
}
