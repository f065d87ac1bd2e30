// out = softmax(D^-0.5 q k^T + mask) v of packed queries against a paged cache,
// rounded once. The mask is lower triangular where a sequence has as many queries
// as keys, else there is none; or it is causal, the last query seeing all keys, and
// perhaps no more than WINDOW of them. Scores may be capped by tanh, and have each head's
// sink among them. Rows of no sequence are not written; one that sees no keys is zero.
!element = !tile.dtype<DT>
!rows = memref<?x?x?x!element>
!cache = memref<?x?x?x?x!element>

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

// Block and slot of token `t` of sequence `s`.
func.func private @locate(%block_table: memref<?x?xi32>, %s: index, %t: index,
                          %BS: index) -> (index, index) {
  %entry = arith.divui %t, %BS : index
  %slot = arith.remui %t, %BS : index
  %id = memref.load %block_table[%s, %entry] : memref<?x?xi32>
  %block = arith.index_cast %id : i32 to index
  return %block, %slot : index, index
}

// Products of 16-bit values are exact in f32; sums are f64.
func.func private @score(%q: !rows, %t: index, %h: index, %k_cache: !cache,
                         %block: index, %slot: index, %kv_head: index, %D: index,
                         %scale: f64, %cap: f64, %capped: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %d = %c0 to %D step %c1 iter_args(%total = %zero) -> (f64) {
    %x_narrow = memref.load %q[%t, %h, %d] : !rows
    %y_narrow = memref.load %k_cache[%block, %slot, %kv_head, %d] : !cache
    %x = tile.convert %x_narrow : !element -> f32
    %y = tile.convert %y_narrow : !element -> f32
    %product = arith.mulf %x, %y : f32
    %wide = arith.extf %product : f32 to f64
    %next = arith.addf %total, %wide : f64
    scf.yield %next : f64
  }
  %held = func.call @as_f32(%sum) : (f64) -> f64
  %score = arith.mulf %held, %scale : f64
  %is_capped = arith.cmpi ne, %capped, %c0 : index
  %result = scf.if %is_capped -> (f64) {
    %share = arith.divf %score, %cap : f64
    %bent = math.tanh %share : f64
    %less = arith.mulf %bent, %cap : f64
    scf.yield %less : f64
  } else {
    scf.yield %score : f64
  }
  return %result : f64
}

// The keys that the query of row `t` sees, from a first one to an end.
func.func private @visible(%cu_seqlens_q: memref<?xi32>, %seqused_k: memref<?xi32>,
                           %s: index, %t: index, %WINDOW: index, %mask: index)
    -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %begin, %end = func.call @range(%cu_seqlens_q, %s)
      : (memref<?xi32>, index) -> (index, index)
  %queries = arith.subi %end, %begin : index
  %used = memref.load %seqused_k[%s] : memref<?xi32>
  %keys = arith.index_cast %used : i32 to index
  %local = arith.subi %t, %begin : index
  %past = arith.addi %local, %c1 : index
  %square = arith.cmpi eq, %queries, %keys : index
  %square_end = arith.select %square, %past, %keys : index
  %offset = arith.subi %keys, %queries : index
  %shifted = arith.addi %past, %offset : index
  %causal_end = arith.maxsi %shifted, %c0 : index
  %windowed = arith.subi %causal_end, %WINDOW : index
  %inside = arith.maxsi %windowed, %c0 : index
  %open = arith.cmpi eq, %WINDOW, %c0 : index
  %causal_first = arith.select %open, %c0, %inside : index
  %is_square = arith.cmpi eq, %mask, %c0 : index
  %count = arith.select %is_square, %square_end, %causal_end : index
  %first = arith.select %is_square, %c0, %causal_first : index
  return %first, %count : index, index
}

func.func @reference(%q: !rows, %k_cache: !cache, %v_cache: !cache,
                     %cu_seqlens_q: memref<?xi32>, %seqused_k: memref<?xi32>,
                     %block_table: memref<?x?xi32>, %sinks: memref<?xf32>,
                     %out: !rows, %HQ: index,
                     %HKV: index, %D: index, %BS: index, %MB: index, %NB: index,
                     %WINDOW: index, %cap: f32, %mask: index, %capped: index,
                     %with_sinks: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = func.call @rsqrt_of(%D) : (index) -> f64
  %cap_wide = arith.extf %cap : f32 to f64
  %has_sinks = arith.cmpi ne, %with_sinks, %c0 : index
  %tokens = memref.dim %q, %c0 : !rows
  %sequences = memref.dim %seqused_k, %c0 : memref<?xi32>
  scf.parallel (%t, %h) = (%c0, %c0) to (%tokens, %HQ) step (%c1, %c1) {
    %s = func.call @find(%cu_seqlens_q, %t, %sequences)
        : (memref<?xi32>, index, index) -> index
    %owned = arith.cmpi slt, %s, %sequences : index
    scf.if %owned {
      %scaled_head = arith.muli %h, %HKV : index
      %kv_head = arith.divui %scaled_head, %HQ : index
      %first, %keys = func.call @visible(%cu_seqlens_q, %seqused_k, %s, %t, %WINDOW, %mask)
          : (memref<?xi32>, memref<?xi32>, index, index, index, index) -> (index, index)
      %sink = scf.if %has_sinks -> (f64) {
        %own = memref.load %sinks[%h] : memref<?xf32>
        %own_wide = arith.extf %own : f32 to f64
        scf.yield %own_wide : f64
      } else {
        scf.yield %lowest : f64
      }
      %max = scf.for %j = %first to %keys step %c1 iter_args(%so_far = %sink) -> (f64) {
        %block, %slot = func.call @locate(%block_table, %s, %j, %BS)
            : (memref<?x?xi32>, index, index, index) -> (index, index)
        %score = func.call @score(%q, %t, %h, %k_cache, %block, %slot, %kv_head, %D, %scale, %cap_wide, %capped)
            : (!rows, index, index, !cache, index, index, index, index, f64, f64, index) -> f64
        %next = arith.maximumf %so_far, %score : f64
        scf.yield %next : f64
      }
      %sums = memref.alloc(%D) : memref<?xf64>
      scf.for %d = %c0 to %D step %c1 {
        memref.store %zero, %sums[%d] : memref<?xf64>
      }
      %sink_below = arith.subf %sink, %max : f64
      %sink_weight = math.exp %sink_below : f64
      %sink_share = arith.select %has_sinks, %sink_weight, %zero : f64
      %norm = scf.for %j = %first to %keys step %c1 iter_args(%total = %sink_share) -> (f64) {
        %block, %slot = func.call @locate(%block_table, %s, %j, %BS)
            : (memref<?x?xi32>, index, index, index) -> (index, index)
        %score = func.call @score(%q, %t, %h, %k_cache, %block, %slot, %kv_head, %D, %scale, %cap_wide, %capped)
            : (!rows, index, index, !cache, index, index, index, index, f64, f64, index) -> f64
        %below = arith.subf %score, %max : f64
        %weight = math.exp %below : f64
        scf.for %d = %c0 to %D step %c1 {
          %narrow = memref.load %v_cache[%block, %slot, %kv_head, %d] : !cache
          %value = tile.convert %narrow : !element -> f64
          %product = arith.mulf %weight, %value : f64
          %sum = memref.load %sums[%d] : memref<?xf64>
          %grown = arith.addf %sum, %product : f64
          memref.store %grown, %sums[%d] : memref<?xf64>
        }
        %next = arith.addf %total, %weight : f64
        scf.yield %next : f64
      }
      %any = arith.cmpi sgt, %keys, %first : index
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
