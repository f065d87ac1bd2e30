// Short sequences: all keys and values of one and its key head stay in shared memory,
// while BM queries of one head after the other go through them, BN keys at a time, from
// the last to the first. Each block has a run of the work, which is counted in rows, of
// queries and heads: a sequence's after the other's, and of those a head's. What begins
// in the run is the block's. Rows leave by the copy engine where all are the sequence's.
!q = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, 64 * (D ceildiv 64)]>>
!held = tensor<?x?x!tile.dtype<DT>, #tile.extents<[KEYS, 64 * (D ceildiv 64)]>>
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!weights = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!out = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!q_view = !tile.view<[sum_LQ, HQ, D], !tile.dtype<DT>>
!out_view = !tile.view<[sum_LQ, HQ * D], !tile.dtype<DT>>
!cache = !tile.view<[NB * BS, HKV, D], !tile.dtype<DT>>
!offsets = !tile.view<[len_LQ + 1], i32>
!lengths = !tile.view<[len_LK], i32>
!table = !tile.view<[len_LK, MB], i32>
!sinks = !tile.view<[with_sinks * HQ], f32>

// Sequences are found by their first rows.
func.func private @items(%tokens: i32, %count: i32) -> i32 {
  return %tokens : i32
}

// Which sequence and key head, counted together, has a row of work.
func.func private @pair(%work: i32, %cu_q: !offsets) -> i32 {
  %c1 = arith.constant 1 : i32
  %heads_size = tile.size "HQ"
  %heads = arith.index_cast %heads_size : index to i32
  %kv_heads_size = tile.size "HKV"
  %kv_heads = arith.index_cast %kv_heads_size : index to i32
  %group_size = tile.size "HQ floordiv HKV"
  %group = arith.index_cast %group_size : index to i32
  %rows_size = tile.size "sum_LQ"
  %rows = arith.index_cast %rows_size : index to i32
  %sequences = tile.size "len_LQ"
  %token = arith.divui %work, %heads : i32
  %s = func.call @find(%cu_q, %token, %rows, %sequences) : (!offsets, i32, i32, index) -> i32
  %behind = arith.addi %s, %c1 : i32
  %place = arith.index_cast %s : i32 to index
  %place_behind = arith.index_cast %behind : i32 to index
  %begin = tile.load_element %cu_q[%place] : !offsets -> i32
  %end = tile.load_element %cu_q[%place_behind] : !offsets -> i32
  %queries = arith.subi %end, %begin : i32
  %some_queries = arith.maxsi %queries, %c1 : i32
  %work_begin = arith.muli %begin, %heads : i32
  %inside = arith.subi %work, %work_begin : i32
  %head = arith.divui %inside, %some_queries : i32
  %kv_head = arith.divui %head, %group : i32
  %first = arith.muli %s, %kv_heads : i32
  %pair = arith.addi %first, %kv_head : i32
  return %pair : i32
}

// The first block of BM queries, of those of a key head's heads one after the other, that
// begins `rows` of work behind the first one or later.
func.func private @blocks_before(%rows: i32, %queries: i32) -> i32 {
  %none = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %group_size = tile.size "HQ floordiv HKV"
  %group = arith.index_cast %group_size : index to i32
  %bm_size = tile.size "BM"
  %bm = arith.index_cast %bm_size : index to i32
  %all = arith.muli %queries, %group : i32
  %some = arith.maxsi %rows, %none : i32
  %own = arith.minsi %some, %all : i32
  %some_queries = arith.maxsi %queries, %c1 : i32
  %heads = arith.divui %own, %some_queries : i32
  %of_head = arith.remui %own, %some_queries : i32
  %blocks = arith.ceildivui %queries, %bm : i32
  %of_heads = arith.muli %heads, %blocks : i32
  %more = arith.ceildivui %of_head, %bm : i32
  %before = arith.addi %of_heads, %more : i32
  return %before : i32
}

tile.kernel @resident(%q: !q_view, %k: !cache, %v: !cache, %cu_q: !offsets,
                      %used: !lengths, %table: !table, %sinks: !sinks,
                      %out: !out_view, %cap: f32)
    space {KEYS = [128, 256, 512], BM = [64], BN = [64], WARPS = [12], TEAMS = [3], PRODUCERS = [4],
           STAGES = [1], VEC = [8], PERSISTENT = [1], BLOCKS = [1]},
          {KEYS = [64, 128, 256], BM = [64], BN = [64], WARPS = [8], TEAMS = [2], PRODUCERS = [4],
           STAGES = [1], VEC = [8], PERSISTENT = [1], BLOCKS = [1]},
          {KEYS = [64, 128], BM = [64], BN = [64], WARPS = [4], TEAMS = [1], PRODUCERS = [4],
           STAGES = [2], VEC = [8], PERSISTENT = [1], BLOCKS = [2]}
    where ["DT_bytes == 2", "D mod 8 == 0", "HQ mod HKV == 0", "TMA + WGMMA == 2", "D <= 256", "TEAMS == 1 or TEAMS == select(D <= 128, 3, 2)",
           "BS mod 8 == 0", "BN <= KEYS", "max_LK <= KEYS", "sum_LQ * HQ <= 2147483647",
           "BN floordiv 2 + BN floordiv 4 + D floordiv 2 + 24 <= select(WARPS == 8, 224, select(WARPS == 4, 200, 152))",
           "BLOCKS * (128 * (D ceildiv 64) * (2 * KEYS + TEAMS * (STAGES + 1) * BM) + 2048) <= SMEM + 1024"]
    grid ["((sum_LQ + (BM - 1) * len_LQ) floordiv BM) * HQ"]
    runtime ["len_LQ", "sum_LQ", "max_LQ", "len_LK", "sum_LK", "max_LK", "MB", "NB"]
    model {passes = "1 + 4 * max(len_LQ * HKV, 128) floordiv max(1, sum_LQ * HQ floordiv BM)",
           live = "TEAMS * BM * (BN + BN floordiv 2 + D) ceildiv (WARPS * WAVE)",
           registers = "min(255, 65536 floordiv ((WARPS + PRODUCERS) * WAVE * BLOCKS) floordiv 8 * 8)"} {
  %c0 = arith.constant 0 : index
  %c1_index = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %bm_size = tile.size "BM"
  %bn_size = tile.size "BN"
  %group_size = tile.size "HQ floordiv HKV"
  %heads_size = tile.size "HQ"
  %kv_heads_size = tile.size "HKV"
  %d_size = tile.size "D"
  %bm = arith.index_cast %bm_size : index to i32
  %bn = arith.index_cast %bn_size : index to i32
  %group = arith.index_cast %group_size : index to i32
  %heads = arith.index_cast %heads_size : index to i32
  %kv_heads = arith.index_cast %kv_heads_size : index to i32
  %scale, %inner = func.call @scales(%cap) : (f32) -> (f32, f32)
  %no_scores = tile.splat %zero : f32 -> !scores
  %no_sums = tile.splat %zero : f32 -> !sums

  %program = tile.program_id 0
  %programs = tile.num_programs 0
  %work = tile.size "sum_LQ * HQ"
  %behind_program = arith.addi %program, %c1_index : index
  %shares = arith.muli %program, %work : index
  %shares_behind = arith.muli %behind_program, %work : index
  %work_begin_index = arith.divui %shares, %programs : index
  %work_end_index = arith.divui %shares_behind, %programs : index
  %work_begin = arith.index_cast %work_begin_index : index to i32
  %work_end = arith.index_cast %work_end_index : index to i32
  %last_work = arith.subi %work_end, %c1 : i32
  %some_last = arith.maxsi %last_work, %work_begin : i32
  %first_pair = func.call @pair(%work_begin, %cu_q) : (i32, !offsets) -> i32
  %last_pair = func.call @pair(%some_last, %cu_q) : (i32, !offsets) -> i32
  %pairs_end = arith.addi %last_pair, %c1 : i32
  scf.for %pair = %first_pair to %pairs_end step %c1 : i32 {
    %s32 = arith.divui %pair, %kv_heads : i32
    %kv_head32 = arith.remui %pair, %kv_heads : i32
    %behind32 = arith.addi %s32, %c1 : i32
    %s = arith.index_cast %s32 : i32 to index
    %behind = arith.index_cast %behind32 : i32 to index
    %kv_head = arith.index_cast %kv_head32 : i32 to index
    %q_begin = tile.load_element %cu_q[%s] : !offsets -> i32
    %q_end = tile.load_element %cu_q[%behind] : !offsets -> i32
    %keys = tile.load_element %used[%s] : !lengths -> i32
    %keys_end = arith.index_cast %keys : i32 to index
    %queries = arith.subi %q_end, %q_begin : i32
    %blocks = arith.ceildivui %queries, %bm : i32
    %first_head = arith.muli %kv_head32, %group : i32
    %work_before = arith.muli %q_begin, %heads : i32
    %work_of_heads = arith.muli %first_head, %queries : i32
    %pair_work = arith.addi %work_before, %work_of_heads : i32
    %to_begin = arith.subi %work_begin, %pair_work : i32
    %to_end = arith.subi %work_end, %pair_work : i32
    %first_block = func.call @blocks_before(%to_begin, %queries) : (i32, i32) -> i32
    %blocks_end = func.call @blocks_before(%to_end, %queries) : (i32, i32) -> i32
    %has_blocks = arith.cmpi slt, %first_block, %blocks_end : i32
    scf.if %has_blocks {
      %all_keys = tile.load %k[%c0, %kv_head, %c0] along [0, 2] through %table[%s] pages "BS" : !cache through !table -> !held
      %all_values = tile.load %v[%c0, %kv_head, %c0] along [0, 2] until %keys_end through %table[%s] pages "BS" : !cache through !table -> !held
      scf.for %group_block = %first_block to %blocks_end step %c1 : i32 {
        %in_group = arith.divui %group_block, %blocks : i32
        %from_begin = arith.remui %group_block, %blocks : i32
        %behind_block = arith.subi %blocks, %c1 : i32
        %from_end = arith.subi %behind_block, %from_begin : i32
        %head32 = arith.addi %first_head, %in_group : i32
        %head = arith.index_cast %head32 : i32 to index
        // Heads 1, 2, 5, 6, ... from their ends: teams get long and short blocks alike.
        %next_head = arith.addi %head32, %c1 : i32
        %in_pair = arith.andi %next_head, %c2 : i32
        %turns_back = arith.cmpi ne, %in_pair, %none : i32
        %has_next = arith.cmpi slt, %next_head, %heads : i32
        %from_its_end = arith.andi %turns_back, %has_next : i1
        %block = arith.select %from_its_end, %from_end, %from_begin : i32
        %query = arith.muli %block, %bm : i32
        %row32 = arith.addi %q_begin, %query : i32
        %row = arith.index_cast %row32 : i32 to index
        %place, %causal, %seen, %seen_tiles, %first, %seen_edges, %seen_turns = func.call @span(%queries, %keys, %query)
            : (i32, i32, i32) -> (i32, i1, i32, i32, i32, i32, i32)
        // Without keys, one tile that nobody sees.
        %tiles = arith.maxsi %seen_tiles, %c1 : i32
        %edges = arith.maxsi %seen_edges, %c1 : i32
        %turns = arith.maxsi %seen_turns, %c1 : i32
        %has_keys = arith.cmpi sgt, %seen, %none : i32
        %q_tile = tile.load %q[%row, %head, %c0] along [0, 2] : !q_view -> !q
        %last = arith.subi %tiles, %c1 : i32
        %last_key = arith.muli %last, %bn : i32
        %last_scores = tile.dot %q_tile, %all_keys transposed from %last_key, %no_scores depth "16 * (D ceildiv 16)" : !q, !held, !scores
        %last_bent = func.call @bend(%last_scores, %inner, %cap) : (!scores, f32, f32) -> !scores
        %last_masked = func.call @mask(%last_bent, %last_key, %keys, %place, %causal)
            : (!scores, i32, i32, i32, i1) -> !scores
        %p0, %m0, %l0 = func.call @begin(%last_masked, %sinks, %head, %scale)
            : (!scores, !sinks, index, f32) -> (!weights, !row, !row)
        %p1, %m1, %l1, %o1 = scf.for %i = %c1 to %edges step %c1
            iter_args(%p_last = %p0, %m_last = %m0, %l_last = %l0, %o_last = %no_sums)
            -> (!weights, !row, !row, !sums) : i32 {
          %tile_before = arith.subi %tiles, %i : i32
          %value = arith.muli %tile_before, %bn : i32
          %key = arith.subi %value, %bn : i32
          %scores = tile.dot %q_tile, %all_keys transposed from %key, %no_scores depth "16 * (D ceildiv 16)" : !q, !held, !scores
          %grown = tile.dot %p_last, %all_values from %value, %o_last depth "BN" : !weights, !held, !sums
          %bent = func.call @bend(%scores, %inner, %cap) : (!scores, f32, f32) -> !scores
          %masked = func.call @mask(%bent, %key, %keys, %place, %causal)
              : (!scores, i32, i32, i32, i1) -> !scores
          %p_next, %m_next, %l_next, %o_next = func.call @attend(%masked, %grown, %m_last, %l_last, %scale)
              : (!scores, !sums, !row, !row, f32) -> (!weights, !row, !row, !sums)
          scf.yield %p_next, %m_next, %l_next, %o_next : !weights, !row, !row, !sums
        }
        %p, %m, %l, %o = scf.for %i = %edges to %turns step %c1
            iter_args(%p_last = %p1, %m_last = %m1, %l_last = %l1, %o_last = %o1)
            -> (!weights, !row, !row, !sums) : i32 {
          %tile_before = arith.subi %tiles, %i : i32
          %value = arith.muli %tile_before, %bn : i32
          %key = arith.subi %value, %bn : i32
          %scores = tile.dot %q_tile, %all_keys transposed from %key, %no_scores depth "16 * (D ceildiv 16)" : !q, !held, !scores
          %grown = tile.dot %p_last, %all_values from %value, %o_last depth "BN" : !weights, !held, !sums
          %bent = func.call @bend(%scores, %inner, %cap) : (!scores, f32, f32) -> !scores
          %p_next, %m_next, %l_next, %o_next = func.call @attend(%bent, %grown, %m_last, %l_last, %scale)
              : (!scores, !sums, !row, !row, f32) -> (!weights, !row, !row, !sums)
          scf.yield %p_next, %m_next, %l_next, %o_next : !weights, !row, !row, !sums
        }
        %first_value = arith.muli %first, %bn : i32
        %total = tile.dot %p, %all_values from %first_value, %o depth "BN" : !weights, !held, !sums
        %mean = func.call @mean(%total, %l, %has_keys, %place) : (!sums, !row, i1, i32) -> !sums
        %rounded = tile.convert %mean : !sums -> !out
        %column = arith.muli %head, %d_size : index
        %rows_left = arith.subi %queries, %query : i32
        %is_whole = arith.cmpi sge, %rows_left, %bm : i32
        scf.if %is_whole {
          tile.store %rounded to %out[%row, %column] : !out, !out_view
        } else {
          %rows_end = arith.index_cast %q_end : i32 to index
          tile.store %rounded to %out[%row, %column] until %rows_end : !out, !out_view
        }
      }
    }
  }
  tile.return
}
