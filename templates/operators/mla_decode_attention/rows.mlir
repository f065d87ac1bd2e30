// DB columns of one head of one sequence per block; keys one after the other, so that
// none of another sequence is read. What is kept is the mean so far, which does not
// overflow where values are large.
!queries = !tile.view<[len_L, NH, C + R], !tile.dtype<DT>>
!cache = !tile.view<[sum_L, 1, C + R], !tile.dtype<DT>>
!results = !tile.view<[len_L, NH, C], !tile.dtype<DT>>
!lengths = !tile.view<[1, len_L], i32>
!row = tensor<1x1x?x!tile.dtype<DT>, #tile.extents<[1, 1, DB]>>
!wide = tensor<1x1x?xf32, #tile.extents<[1, 1, DB]>>
!stat = tensor<1x1xf32>
!mask = tensor<1x1xi1>
!some = tensor<1x?xi32, #tile.extents<[1, 8 * WARPS * WAVE]>>
!earlier = tensor<1x?xi1, #tile.extents<[1, 8 * WARPS * WAVE]>>

tile.kernel @rows(%q: !queries, %kv_cache: !cache, %seq_lens: !lengths, %out: !results)
    space {DB = [128, 256, 512, 1024], WARPS = [1, 2, 4], VEC = [1, 2, 4, 8]}
    where ["DB == 128 or 2 * C > DB", "(C + R) mod VEC == 0", "C mod VEC == 0", "VEC * DT_bytes <= 16",
           "DB >= VEC * WARPS * WAVE", "DB <= 16 * WARPS * WAVE"]
    grid ["len_L * NH * (C ceildiv DB)"]
    runtime ["len_L", "sum_L", "max_L", "NH", "C", "R"]
    model {live = "4 * DB ceildiv (WARPS * WAVE)", passes = "max_L"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %heads = tile.size "NH"
  %width = tile.size "DB"
  %parts = tile.size "C ceildiv DB"
  %pid = tile.program_id 0
  %item = arith.divui %pid, %parts : index
  %part = arith.remui %pid, %parts : index
  %s = arith.divui %item, %heads : index
  %head = arith.remui %item, %heads : index
  %col = arith.muli %part, %width : index
  // Tokens of all sequences before this one.
  %step = tile.size "8 * WARPS * WAVE"
  %zero_int = arith.constant 0 : i32
  %no_tokens = tile.splat %zero_int : i32 -> !some
  %before32 = arith.index_cast %s : index to i32
  %earlier = scf.for %i = %c0 to %s step %step iter_args(%total = %no_tokens) -> (!some) {
    %i32 = arith.index_cast %i : index to i32
    %left = arith.subi %before32, %i32 : i32
    %limit = tile.splat %left : i32 -> !some
    %place = tile.iota along 1 : !some
    %is_before = arith.cmpi slt, %place, %limit : !some
    %lengths = tile.load %seq_lens[%c0, %i] : !lengths -> !some
    %tokens = arith.select %is_before, %lengths, %no_tokens : !earlier, !some
    %next = arith.addi %total, %tokens : !some
    scf.yield %next : !some
  }
  %before = tile.reduce <add> %earlier along 1 : !some -> tensor<1xi32>
  %begin32 = tile.scalar %before : tensor<1xi32> -> i32
  %begin = arith.index_cast %begin32 : i32 to index
  %length = tile.load_element %seq_lens[%c0, %s] : !lengths -> i32
  %keys = arith.index_cast %length : i32 to index
  %end = arith.addi %begin, %keys : index

  %d = tile.size "C + R"
  %d_int = arith.index_cast %d : index to i64
  %d_float = arith.sitofp %d_int : i64 to f32
  %columns = tile.splat %d_float : f32 -> !stat
  %scale = math.rsqrt %columns : !stat
  %none = tile.splat %zero : f32 -> !wide
  %nothing = tile.splat %zero : f32 -> !stat
  %all = tile.splat %one : f32 -> !stat
  %infinite = tile.splat %lowest : f32 -> !stat
  %m, %l, %mean = scf.for %j = %begin to %end step %c1
      iter_args(%max = %infinite, %sum = %nothing, %so_far = %none) -> (!stat, !stat, !wide) {
    %products = scf.for %p = %c0 to %d step %width iter_args(%partial = %none) -> (!wide) {
      %q_narrow = tile.load %q[%s, %head, %p] : !queries -> !row
      %k_narrow = tile.load %kv_cache[%j, %c0, %p] : !cache -> !row
      %query = tile.convert %q_narrow : !row -> !wide
      %key = tile.convert %k_narrow : !row -> !wide
      %product = arith.mulf %query, %key fastmath<contract> : !wide
      %next = arith.addf %partial, %product fastmath<contract> : !wide
      scf.yield %next : !wide
    }
    %dot = tile.reduce <add> %products along 2 : !wide -> !stat
    %score = arith.mulf %dot, %scale : !stat
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
    %old_shares = tile.broadcast %old_share along 2 : !stat -> !wide
    %new_shares = tile.broadcast %new_share along 2 : !stat -> !wide
    %v_narrow = tile.load %kv_cache[%j, %c0, %col] : !cache -> !row
    %value = tile.convert %v_narrow : !row -> !wide
    %old = arith.mulf %so_far, %old_shares fastmath<contract> : !wide
    %new = arith.mulf %value, %new_shares fastmath<contract> : !wide
    %next = arith.addf %old, %new fastmath<contract> : !wide
    scf.yield %next_max, %next_sum, %next : !stat, !stat, !wide
  }
  // One, or no number where no score was finite.
  %whole = arith.divf %l, %l : !stat
  %wholes = tile.broadcast %whole along 2 : !stat -> !wide
  %weighted = arith.mulf %mean, %wholes : !wide
  %any = arith.cmpi sgt, %end, %begin : index
  %result = arith.select %any, %weighted, %none : !wide
  %narrow = tile.convert %result : !wide -> !row
  tile.store %narrow to %out[%s, %head, %col] : !row, !results
  tile.return
}
