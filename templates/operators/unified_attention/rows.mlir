// DB elements of one query row of one head per block; keys one after the other, so
// that none of another sequence is read. What is kept is the mean so far, which does
// not overflow where values are large.
!q_view = !tile.view<[sum_LQ, 1, HQ, D], !tile.dtype<DT>>
!cache = !tile.view<[NB, BS, HKV, D], !tile.dtype<DT>>
!offsets = !tile.view<[len_LQ + 1], i32>
!lengths = !tile.view<[len_LK], i32>
!table = !tile.view<[len_LK, MB], i32>
!sinks = !tile.view<[with_sinks * HQ], f32>
!row = tensor<1x1x1x?x!tile.dtype<DT>, #tile.extents<[1, 1, 1, DB]>>
!wide = tensor<1x1x1x?xf32, #tile.extents<[1, 1, 1, DB]>>
!stat = tensor<1x1x1xf32>
!mask = tensor<1x1x1xi1>

tile.kernel @rows(%q: !q_view, %k_cache: !cache, %v_cache: !cache, %cu_seqlens_q: !offsets,
                  %seqused_k: !lengths, %block_table: !table, %sinks: !sinks,
                  %out: !q_view, %cap: f32)
    space {DB = [64, 128, 256], WARPS = [1], VEC = [1, 2, 4, 8]}
    where ["DB == 64 or 2 * D > DB", "D mod VEC == 0", "DB >= VEC * WARPS * WAVE", "VEC * DT_bytes <= 16"]
    grid ["sum_LQ * HQ * (D ceildiv DB)"]
    runtime ["len_LQ", "sum_LQ", "max_LQ", "len_LK", "sum_LK", "max_LK", "HQ", "HKV", "D", "BS", "MB", "NB", "WINDOW"]
    model {live = "4 * DB ceildiv (WARPS * WAVE)", passes = "max_LK"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mantissa = arith.constant 23 : i32
  %bias = arith.constant 126 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %rows = tile.size "sum_LQ"
  %heads = tile.size "HQ"
  %kv_heads = tile.size "HKV"
  %slots = tile.size "BS"
  %sequences = tile.size "len_LQ"
  %width = tile.size "DB"
  %parts = tile.size "D ceildiv DB"
  %pid = tile.program_id 0
  %item = arith.divui %pid, %parts : index
  %part = arith.remui %pid, %parts : index
  %row = arith.divui %item, %heads : index
  %head = arith.remui %item, %heads : index
  %scaled_head = arith.muli %head, %kv_heads : index
  %kv_head = arith.divui %scaled_head, %heads : index
  %col = arith.muli %part, %width : index

  // The last sequence that begins at or before the row; a float's exponent says how
  // many halvings find it.
  %count = arith.index_cast %sequences : index to i32
  %count_float = arith.sitofp %count : i32 to f32
  %count_bits = arith.bitcast %count_float : f32 to i32
  %exponent = arith.shrui %count_bits, %mantissa : i32
  %halvings = arith.subi %exponent, %bias : i32
  %steps = arith.index_cast %halvings : i32 to index
  %s, %beyond = scf.for %step = %c0 to %steps step %c1
      iter_args(%low = %c0, %high = %sequences) -> (index, index) {
    %both = arith.addi %low, %high : index
    %middle = arith.shrui %both, %c1 : index
    %offset = tile.load_element %cu_seqlens_q[%middle] : !offsets -> i32
    %start = arith.index_cast %offset : i32 to index
    %is_before = arith.cmpi sle, %start, %row : index
    %next_low = arith.select %is_before, %middle, %low : index
    %next_high = arith.select %is_before, %high, %middle : index
    scf.yield %next_low, %next_high : index, index
  }
  %after = arith.addi %s, %c1 : index
  %q_first = tile.load_element %cu_seqlens_q[%s] : !offsets -> i32
  %q_last = tile.load_element %cu_seqlens_q[%after] : !offsets -> i32
  %q_begin = arith.index_cast %q_first : i32 to index
  %q_end = arith.index_cast %q_last : i32 to index
  %reached = arith.cmpi sle, %q_begin, %row : index
  %within = arith.cmpi slt, %row, %q_end : index
  %owned = arith.andi %reached, %within : i1
  %length = tile.load_element %seqused_k[%s] : !lengths -> i32
  %used = arith.index_cast %length : i32 to index
  // The mask is lower triangular where there are as many queries as keys, or causal.
  %queries = arith.subi %q_end, %q_begin : index
  %is_square = arith.cmpi eq, %queries, %used : index
  %before = arith.subi %row, %q_begin : index
  %visible = arith.addi %before, %c1 : index
  %square_end = arith.select %is_square, %visible, %used : index
  %offset = arith.subi %used, %queries : index
  %shifted = arith.addi %visible, %offset : index
  %causal_end = arith.maxsi %shifted, %c0 : index
  %window = tile.size "WINDOW"
  %windowed = arith.subi %causal_end, %window : index
  %inside = arith.maxsi %windowed, %c0 : index
  %is_open = arith.cmpi eq, %window, %c0 : index
  %causal_first = arith.select %is_open, %c0, %inside : index
  %mask = tile.size "mask"
  %is_causal = arith.cmpi ne, %mask, %c0 : index
  %end = arith.select %is_causal, %causal_end, %square_end : index
  %first = arith.select %is_causal, %causal_first, %c0 : index

  %d = tile.size "D"
  %d_int = arith.index_cast %d : index to i64
  %d_float = arith.sitofp %d_int : i64 to f32
  %columns = tile.splat %d_float : f32 -> !stat
  %scale = math.rsqrt %columns : !stat
  %none = tile.splat %zero : f32 -> !wide
  %nothing = tile.splat %zero : f32 -> !stat
  %all = tile.splat %one : f32 -> !stat
  %infinite = tile.splat %lowest : f32 -> !stat
  %capped = tile.size "capped"
  %is_capped = arith.cmpi ne, %capped, %c0 : index
  %caps = tile.splat %cap : f32 -> !stat
  %with_sinks = tile.size "with_sinks"
  %has_sinks = arith.cmpi ne, %with_sinks, %c0 : index
  %sink = tile.load_element %sinks[%head] : !sinks -> f32
  %own_score = arith.select %has_sinks, %sink, %lowest : f32
  %own_weight = arith.select %has_sinks, %one, %zero : f32
  %own_scores = tile.splat %own_score : f32 -> !stat
  %own_weights = tile.splat %own_weight : f32 -> !stat
  %m, %l, %mean = scf.for %j = %first to %end step %c1
      iter_args(%max = %own_scores, %sum = %own_weights, %so_far = %none) -> (!stat, !stat, !wide) {
    %entry = arith.divui %j, %slots : index
    %slot = arith.remui %j, %slots : index
    %id = tile.load_element %block_table[%s, %entry] : !table -> i32
    %block = arith.index_cast %id : i32 to index
    %products = scf.for %p = %c0 to %d step %width iter_args(%partial = %none) -> (!wide) {
      %q_narrow = tile.load %q[%row, %c0, %head, %p] : !q_view -> !row
      %k_narrow = tile.load %k_cache[%block, %slot, %kv_head, %p] : !cache -> !row
      %query = tile.convert %q_narrow : !row -> !wide
      %key = tile.convert %k_narrow : !row -> !wide
      %product = arith.mulf %query, %key fastmath<contract> : !wide
      %next = arith.addf %partial, %product fastmath<contract> : !wide
      scf.yield %next : !wide
    }
    %dot = tile.reduce <add> %products along 3 : !wide -> !stat
    %plain = arith.mulf %dot, %scale : !stat
    %score = scf.if %is_capped -> (!stat) {
      %share = arith.divf %plain, %caps : !stat
      %bent = math.tanh %share : !stat
      %less = arith.mulf %bent, %caps : !stat
      scf.yield %less : !stat
    } else {
      scf.yield %plain : !stat
    }
    %next_max = arith.maximumf %max, %score : !stat
    // Scores of minus infinity weigh nothing, also before there are others.
    %is_low = arith.cmpf oeq, %next_max, %infinite : !stat
    %base = arith.select %is_low, %nothing, %next_max : !mask, !stat
    %down = arith.subf %max, %base : !stat
    %decay = math.exp %down : !stat
    %below = arith.subf %score, %base : !stat
    %weight = math.exp %below : !stat
    %kept = arith.mulf %sum, %decay : !stat
    %next_sum = arith.addf %kept, %weight : !stat
    %divisor = arith.select %is_low, %all, %next_sum : !mask, !stat
    %old_share = arith.divf %kept, %divisor : !stat
    %new_share = arith.divf %weight, %divisor : !stat
    %old_shares = tile.broadcast %old_share along 3 : !stat -> !wide
    %new_shares = tile.broadcast %new_share along 3 : !stat -> !wide
    %v_narrow = tile.load %v_cache[%block, %slot, %kv_head, %col] : !cache -> !row
    %value = tile.convert %v_narrow : !row -> !wide
    %old = arith.mulf %so_far, %old_shares fastmath<contract> : !wide
    %new = arith.mulf %value, %new_shares fastmath<contract> : !wide
    %next = arith.addf %old, %new fastmath<contract> : !wide
    scf.yield %next_max, %next_sum, %next : !stat, !stat, !wide
  }
  // One, or no number where no score was finite.
  %whole = arith.divf %l, %l : !stat
  %wholes = tile.broadcast %whole along 3 : !stat -> !wide
  %weighted = arith.mulf %mean, %wholes : !wide
  %any = arith.cmpi sgt, %end, %first : index
  %result = arith.select %any, %weighted, %none : !wide
  %narrow = tile.convert %result : !wide -> !row
  // Rows of no sequence are left alone.
  %target = arith.select %owned, %row, %rows : index
  tile.store %narrow to %out[%target, %c0, %head, %col] : !row, !q_view
  tile.return
}
