// out = softmax(D^-0.5 q k^T) v per sequence and head, rounded once. Rows of no
// sequence are not written; without keys a row is zero.
!element = !tile.dtype<DT>
!rows = memref<?x?x?x!element>

// What f32 cannot hold is infinite.
func.func private @as_f32(%x: f64) -> f64 {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %narrow = arith.truncf %x : f64 to f32
  %wide = arith.extf %narrow : f32 to f64
  %size = math.absf %wide : f64
  %overflows = arith.cmpf oeq, %size, %inf : f64
  %result = arith.select %overflows, %wide, %x : f64
  return %result : f64
}

func.func private @rsqrt_of(%count: index) -> f64 {
  %one = arith.constant 1.0 : f64
  %int = arith.index_cast %count : index to i64
  %float = arith.sitofp %int : i64 to f64
  %root = math.sqrt %float : f64
  %result = arith.divf %one, %root : f64
  return %result : f64
}

func.func private @range(%offsets: memref<?xi32>, %s: index) -> (index, index) {
  %c1 = arith.constant 1 : index
  %after = arith.addi %s, %c1 : index
  %first = memref.load %offsets[%s] : memref<?xi32>
  %last = memref.load %offsets[%after] : memref<?xi32>
  %begin = arith.index_cast %first : i32 to index
  %end = arith.index_cast %last : i32 to index
  return %begin, %end : index, index
}

// The sequence that has `row`; as many as there are if none has.
func.func private @find(%offsets: memref<?xi32>, %row: index, %sequences: index)
    -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %found = scf.for %s = %c0 to %sequences step %c1 iter_args(%so_far = %sequences)
      -> (index) {
    %begin, %end = func.call @range(%offsets, %s) : (memref<?xi32>, index) -> (index, index)
    %reached = arith.cmpi sle, %begin, %row : index
    %within = arith.cmpi slt, %row, %end : index
    %has = arith.andi %reached, %within : i1
    %next = arith.select %has, %s, %so_far : index
    scf.yield %next : index
  }
  return %found : index
}

// Products of 16-bit values are exact in f32; sums are f64.
func.func private @score(%q: !rows, %t: index, %k: !rows, %j: index, %h: index,
                         %D: index, %scale: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %d = %c0 to %D step %c1 iter_args(%total = %zero) -> (f64) {
    %x_narrow = memref.load %q[%t, %h, %d] : !rows
    %y_narrow = memref.load %k[%j, %h, %d] : !rows
    %x = tile.convert %x_narrow : !element -> f32
    %y = tile.convert %y_narrow : !element -> f32
    %product = arith.mulf %x, %y : f32
    %wide = arith.extf %product : f32 to f64
    %next = arith.addf %total, %wide : f64
    scf.yield %next : f64
  }
  %held = func.call @as_f32(%sum) : (f64) -> f64
  %score = arith.mulf %held, %scale : f64
  return %score : f64
}

func.func @reference(%q: !rows, %k: !rows, %v: !rows, %cu_seqlens_q: memref<?xi32>,
                     %cu_seqlens_k: memref<?xi32>, %out: !rows, %NH: index,
                     %D: index) attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = func.call @rsqrt_of(%D) : (index) -> f64
  %tokens = memref.dim %q, %c0 : !rows
  %offsets = memref.dim %cu_seqlens_q, %c0 : memref<?xi32>
  %sequences = arith.subi %offsets, %c1 : index
  scf.parallel (%t, %h) = (%c0, %c0) to (%tokens, %NH) step (%c1, %c1) {
    %s = func.call @find(%cu_seqlens_q, %t, %sequences)
        : (memref<?xi32>, index, index) -> index
    %owned = arith.cmpi slt, %s, %sequences : index
    scf.if %owned {
      %begin, %end = func.call @range(%cu_seqlens_k, %s)
          : (memref<?xi32>, index) -> (index, index)
      %keys = arith.subi %end, %begin : index
      %max = scf.for %j = %c0 to %keys step %c1 iter_args(%so_far = %lowest) -> (f64) {
        %row = arith.addi %begin, %j : index
        %score = func.call @score(%q, %t, %k, %row, %h, %D, %scale)
            : (!rows, index, !rows, index, index, index, f64) -> f64
        %next = arith.maximumf %so_far, %score : f64
        scf.yield %next : f64
      }
      %sums = memref.alloc(%D) : memref<?xf64>
      scf.for %d = %c0 to %D step %c1 {
        memref.store %zero, %sums[%d] : memref<?xf64>
      }
      %norm = scf.for %j = %c0 to %keys step %c1 iter_args(%total = %zero) -> (f64) {
        %row = arith.addi %begin, %j : index
        %score = func.call @score(%q, %t, %k, %row, %h, %D, %scale)
            : (!rows, index, !rows, index, index, index, f64) -> f64
        %below = arith.subf %score, %max : f64
        %weight = math.exp %below : f64
        scf.for %d = %c0 to %D step %c1 {
          %narrow = memref.load %v[%row, %h, %d] : !rows
          %value = tile.convert %narrow : !element -> f64
          %product = arith.mulf %weight, %value : f64
          %sum = memref.load %sums[%d] : memref<?xf64>
          %grown = arith.addf %sum, %product : f64
          memref.store %grown, %sums[%d] : memref<?xf64>
        }
        %next = arith.addf %total, %weight : f64
        scf.yield %next : f64
      }
      %any = arith.cmpi sgt, %keys, %c0 : index
      scf.for %d = %c0 to %D step %c1 {
        %sum = memref.load %sums[%d] : memref<?xf64>
        %mean = arith.divf %sum, %norm : f64
        %result = arith.select %any, %mean, %zero : f64
        %rounded = tile.convert %result : f64 -> !element
        memref.store %rounded, %out[%t, %h, %d] : !rows
      }
      memref.dealloc %sums : memref<?xf64>
    }
    scf.reduce
  }
  return
}
