// DB elements of one head of one sequence per block; keys one after the other, so
// that none beyond the sequence's end is read, and each of them pack by pack. What is
// kept is the mean so far, which does not overflow where values are large.
!queries = !tile.view<[len_L, 1, HQ, 1, D, 1], !tile.dtype<DT>>
!k_view = !tile.view<[NB, HKV, D * DT_bytes ceildiv 16, BS, 16 floordiv DT_bytes, 1], !tile.dtype<DT>>
!v_view = !tile.view<[NB, HKV, 1, BS, D, 1], !tile.dtype<DT>, [HKV * D * BS, D * BS, 1, 1, BS, 1]>
!lengths = !tile.view<[len_L], i32>
!table = !tile.view<[len_L, MB], i32>
!row = tensor<1x1x1x1x?x1x!tile.dtype<DT>, #tile.extents<[1, 1, 1, 1, DB, 1]>>
!wide = tensor<1x1x1x1x?x1xf32, #tile.extents<[1, 1, 1, 1, DB, 1]>>
!stat = tensor<1x1x1x1x1xf32>
!mask = tensor<1x1x1x1x1xi1>
!lanes = tensor<1x1x1x1x?x1xi1, #tile.extents<[1, 1, 1, 1, DB, 1]>>

tile.kernel @rows(%query: !queries, %k_cache: !k_view, %v_cache: !v_view, %block_tables: !table,
                  %seq_lens: !lengths, %out: !queries)
    space {DB = [32, 64], WARPS = [1], VEC = [1]}
    where ["DB == WARPS * WAVE"]
    grid ["len_L * HQ * (D ceildiv DB)"]
    runtime ["len_L", "sum_L", "max_L", "HQ", "HKV", "D", "BS", "MB", "NB"]
    model {live = "4 * DB ceildiv (WARPS * WAVE)", passes = "max_L"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %heads = tile.size "HQ"
  %kv_heads = tile.size "HKV"
  %slots = tile.size "BS"
  %packed = tile.size "16 floordiv DT_bytes"
  %packs = tile.size "D * DT_bytes ceildiv 16"
  %width = tile.size "DB"
  %parts = tile.size "D ceildiv DB"
  %pid = tile.program_id 0
  %item = arith.divui %pid, %parts : index
  %part = arith.remui %pid, %parts : index
  %s = arith.divui %item, %heads : index
  %head = arith.remui %item, %heads : index
  %scaled_head = arith.muli %head, %kv_heads : index
  %kv_head = arith.divui %scaled_head, %heads : index
  %col = arith.muli %part, %width : index
  %length = tile.load_element %seq_lens[%s] : !lengths -> i32
  %end = arith.index_cast %length : i32 to index

  %d = tile.size "D"
  %d_int = arith.index_cast %d : index to i64
  %d_float = arith.sitofp %d_int : i64 to f32
  %columns = tile.splat %d_float : f32 -> !stat
  %scale = math.rsqrt %columns : !stat
  %none = tile.splat %zero : f32 -> !wide
  %nothing = tile.splat %zero : f32 -> !stat
  %all = tile.splat %one : f32 -> !stat
  %infinite = tile.splat %lowest : f32 -> !stat
  %m, %l, %mean = scf.for %j = %c0 to %end step %c1
      iter_args(%max = %infinite, %sum = %nothing, %so_far = %none) -> (!stat, !stat, !wide) {
    %entry = arith.divui %j, %slots : index
    %slot = arith.remui %j, %slots : index
    %id = tile.load_element %block_tables[%s, %entry] : !table -> i32
    %block = arith.index_cast %id : i32 to index
    %products = scf.for %p = %c0 to %packs step %c1 iter_args(%partial = %none) -> (!wide) {
      %first = arith.muli %p, %packed : index
      %q_narrow = tile.load %query[%s, %c0, %head, %c0, %first, %c0] : !queries -> !row
      %is_column = tile.in_bounds %query[%s, %c0, %head, %c0, %first, %c0] : !queries -> !lanes
      %is_lane = tile.in_bounds %k_cache[%block, %kv_head, %p, %slot, %c0, %c0] : !k_view -> !lanes
      %inside = arith.andi %is_column, %is_lane : !lanes
      %k_narrow = tile.load %k_cache[%block, %kv_head, %p, %slot, %c0, %c0] : !k_view -> !row
      %x = tile.convert %q_narrow : !row -> !wide
      %y = tile.convert %k_narrow : !row -> !wide
      // Behind a pack's end come columns of the next; what pads the last may be anything.
      %both = arith.mulf %x, %y : !wide
      %product = arith.select %inside, %both, %none : !lanes, !wide
      %next = arith.addf %partial, %product : !wide
      scf.yield %next : !wide
    }
    %dot = tile.reduce <add> %products along 4 : !wide -> !stat
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
    %old_shares = tile.broadcast %old_share along 4 : !stat -> !wide
    %new_shares = tile.broadcast %new_share along 4 : !stat -> !wide
    %v_narrow = tile.load %v_cache[%block, %kv_head, %c0, %slot, %col, %c0] : !v_view -> !row
    %value = tile.convert %v_narrow : !row -> !wide
    %old = arith.mulf %so_far, %old_shares fastmath<contract> : !wide
    %new = arith.mulf %value, %new_shares fastmath<contract> : !wide
    %next = arith.addf %old, %new fastmath<contract> : !wide
    scf.yield %next_max, %next_sum, %next : !stat, !stat, !wide
  }
  // One, or no number where no score was finite.
  %whole = arith.divf %l, %l : !stat
  %wholes = tile.broadcast %whole along 4 : !stat -> !wide
  %weighted = arith.mulf %mean, %wholes : !wide
  %any = arith.cmpi sgt, %end, %c0 : index
  %result = arith.select %any, %weighted, %none : !wide
  %narrow = tile.convert %result : !wide -> !row
  tile.store %narrow to %out[%s, %c0, %head, %c0, %col, %c0] : !row, !queries
  tile.return
}
