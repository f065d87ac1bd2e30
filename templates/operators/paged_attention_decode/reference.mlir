// out = softmax(D^-0.5 q k^T) v of one token per sequence over its seq_lens first
// tokens in a paged cache, rounded once; zero for an empty sequence.
!element = !tile.dtype<DT>
!rows = memref<?x?x?x!element>
!k_cache = memref<?x?x?x?x?x!element>
!v_cache = memref<?x?x?x?x!element>

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

// Turns scores into exp(score - their maximum); returns the sum.
func.func private @exponentials(%scores: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %count = memref.dim %scores, %c0 : memref<?xf64>
  %max = scf.for %j = %c0 to %count step %c1 iter_args(%so_far = %lowest) -> (f64) {
    %score = memref.load %scores[%j] : memref<?xf64>
    %next = arith.maximumf %so_far, %score : f64
    scf.yield %next : f64
  }
  %sum = scf.for %j = %c0 to %count step %c1 iter_args(%total = %zero) -> (f64) {
    %score = memref.load %scores[%j] : memref<?xf64>
    %below = arith.subf %score, %max : f64
    %exp = math.exp %below : f64
    memref.store %exp, %scores[%j] : memref<?xf64>
    %next = arith.addf %total, %exp : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// Block and slot of token `t` of sequence `s`.
func.func private @locate(%block_tables: memref<?x?xi32>, %s: index, %t: index,
                          %BS: index) -> (index, index) {
  %entry = arith.divui %t, %BS : index
  %slot = arith.remui %t, %BS : index
  %id = memref.load %block_tables[%s, %entry] : memref<?x?xi32>
  %block = arith.index_cast %id : i32 to index
  return %block, %slot : index, index
}

// Keys are packed by 16 bytes. Products of 16-bit values are exact in f32; sums
// are f64.
func.func private @score(%q: !rows, %s: index, %h: index, %k_cache: !k_cache,
                         %block: index, %slot: index, %kv_head: index, %D: index,
                         %scale: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %packed = memref.dim %k_cache, %c4 : !k_cache
  %sum = scf.for %d = %c0 to %D step %c1 iter_args(%total = %zero) -> (f64) {
    %pack = arith.divui %d, %packed : index
    %lane = arith.remui %d, %packed : index
    %x_narrow = memref.load %q[%s, %h, %d] : !rows
    %y_narrow = memref.load %k_cache[%block, %kv_head, %pack, %slot, %lane] : !k_cache
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

func.func @reference(%query: !rows, %k_cache: !k_cache, %v_cache: !v_cache,
                     %block_tables: memref<?x?xi32>, %seq_lens: memref<?xi32>,
                     %out: !rows, %HQ: index, %HKV: index, %D: index, %BS: index,
                     %MB: index, %NB: index) attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %scale = func.call @rsqrt_of(%D) : (index) -> f64
  %sequences = memref.dim %seq_lens, %c0 : memref<?xi32>
  scf.parallel (%s, %h) = (%c0, %c0) to (%sequences, %HQ) step (%c1, %c1) {
    %scaled_head = arith.muli %h, %HKV : index
    %kv_head = arith.divui %scaled_head, %HQ : index
    %length = memref.load %seq_lens[%s] : memref<?xi32>
    %signed = arith.index_cast %length : i32 to index
    %keys = arith.maxsi %signed, %c0 : index
    %any = arith.cmpi sgt, %keys, %c0 : index
    %weights = memref.alloc(%keys) : memref<?xf64>
    scf.for %j = %c0 to %keys step %c1 {
      %block, %slot = func.call @locate(%block_tables, %s, %j, %BS)
          : (memref<?x?xi32>, index, index, index) -> (index, index)
      %score = func.call @score(%query, %s, %h, %k_cache, %block, %slot, %kv_head, %D, %scale)
          : (!rows, index, index, !k_cache, index, index, index, index, f64) -> f64
      memref.store %score, %weights[%j] : memref<?xf64>
    }
    %norm = func.call @exponentials(%weights) : (memref<?xf64>) -> f64
    scf.for %d = %c0 to %D step %c1 {
      %sum = scf.for %j = %c0 to %keys step %c1 iter_args(%total = %zero) -> (f64) {
        %block, %slot = func.call @locate(%block_tables, %s, %j, %BS)
            : (memref<?x?xi32>, index, index, index) -> (index, index)
        %weight = memref.load %weights[%j] : memref<?xf64>
        %narrow = memref.load %v_cache[%block, %kv_head, %d, %slot] : !v_cache
        %value = tile.convert %narrow : !element -> f64
        %product = arith.mulf %weight, %value : f64
        %next = arith.addf %total, %product : f64
        scf.yield %next : f64
      }
      %mean = arith.divf %sum, %norm : f64
      %result = arith.select %any, %mean, %zero : f64
      %rounded = tile.convert %result : f64 -> !element
      memref.store %rounded, %out[%s, %h, %d] : !rows
    }
    memref.dealloc %weights : memref<?xf64>
    scf.reduce
  }
  return
}
