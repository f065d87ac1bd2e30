// BM queries of one head and sequence go through the keys that they see, BN at a time,
// from the last to the first. While one turn's weights are computed, their scores being
// there, the products of the turn before with their values run. A sequence has as many
// work items as blocks of queries, and before them perhaps one without; those with most
// keys come first, and heads that share keys beside each other.
!q = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, select(PRODUCERS, 64, 16) * (D ceildiv select(PRODUCERS, 64, 16))]>>
!keys = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, select(PRODUCERS, 64, 16) * (D ceildiv select(PRODUCERS, 64, 16))]>>
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!weights = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!out = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!q_view = !tile.view<[sum_LQ, HQ, D], !tile.dtype<DT>>
!cache = !tile.view<[NB * BS, HKV, D], !tile.dtype<DT>>
!offsets = !tile.view<[len_LQ + 1], i32>
!lengths = !tile.view<[len_LK], i32>
!table = !tile.view<[len_LK, MB], i32>
!sinks = !tile.view<[with_sinks * HQ], f32>

tile.kernel @flash(%q: !q_view, %k: !cache, %v: !cache, %cu_q: !offsets,
                   %used: !lengths, %table: !table, %sinks: !sinks,
                   %out: !q_view, %cap: f32)
    space {BM = [192], BN = [80, 96, 112], WARPS = [12], PRODUCERS = [4], STAGES = [2], VEC = [8],
           STORE = [0], PERSISTENT = [0], TURNS = [1], BLOCKS = [1]},
          {BM = [128], BN = [64, 80, 112, 128, 160], WARPS = [8], PRODUCERS = [4], STAGES = [2],
           VEC = [8], STORE = [0], PERSISTENT = [0], TURNS = [0, 1], BLOCKS = [1]},
          {BM = [64], BN = [64], WARPS = [4], PRODUCERS = [4], STAGES = [2], VEC = [8],
           STORE = [0], PERSISTENT = [0], TURNS = [0], BLOCKS = [1, 2]},
          {BM = [32, 64, 128], BN = [32, 64], WARPS = [2, 4, 8], PRODUCERS = [0], STAGES = [1], VEC = [8],
           STORE = [0], PERSISTENT = [0], TURNS = [0], BLOCKS = [1]}
    where ["DT_bytes == 2", "D mod 8 == 0", "HQ mod HKV == 0", "TMA + WGMMA == select(PRODUCERS, 2, 0)",
           "PRODUCERS == 0 or BM == 64 or BM == select(D <= 96, 192, 128)",
           "PRODUCERS == 0 or BM == 64 or D > 160 or BN >= select(D <= 96, 80, 128)",
           "(BS mod BN) * (BN mod BS) == 0", "select(PRODUCERS, BS mod 8, 0) == 0",
           "BM != 128 or PRODUCERS == 0 or TURNS == select(D <= 160, 1, 0)",
           "BM > 64 or PRODUCERS == 0 or BLOCKS == select(D <= 128, 2, 1)",
           "select(BM == 64 and PRODUCERS > 0, max_LQ, 0) <= 1024",
           "select(PRODUCERS, 16, select(WAVE == 64, 32, 16)) * WARPS <= BM",
           "select(PRODUCERS, 16 * WARPS, BM) == BM", "D <= 256",
           "BN floordiv 2 + BN floordiv 4 + D floordiv 2 + 24 <= select(PRODUCERS, select(WARPS == 12, 160, 240), 400 * WARPS * WAVE floordiv (4 * BM))",
           "FLUSHES == 0",
           "BLOCKS * (2 * select(PRODUCERS, 64 * (D ceildiv 64), 16 * (D ceildiv 16)) * (BM + 2 * STAGES * BN) + 2048) <= SMEM + 1024"]
    grid ["((sum_LQ + (BM - 1) * len_LQ) floordiv BM) * HQ"]
    runtime ["len_LQ", "sum_LQ", "max_LQ", "len_LK", "sum_LK", "max_LK", "MB", "NB"]
    model {passes = "2 * max(1, max_LQ ceildiv (BM * BLOCKS))",
           live = "BM * (select(PRODUCERS > 0 and BM > 64, 16384 floordiv BN + select(D <= 96, 0, select(D <= 160, 90, -24)) - 26, BN + BN floordiv 2) + D) ceildiv (WARPS * WAVE)",
           registers = "min(255, 65536 floordiv ((WARPS + PRODUCERS) * WAVE * BLOCKS) floordiv 8 * 8)"} {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %bm_size = tile.size "BM"
  %bn_size = tile.size "BN"
  %group_size = tile.size "HQ floordiv HKV"
  %slots_size = tile.size "(sum_LQ + (BM - 1) * len_LQ) floordiv BM"
  %bm = arith.index_cast %bm_size : index to i32
  %bn = arith.index_cast %bn_size : index to i32
  %group = arith.index_cast %group_size : index to i32
  %slots = arith.index_cast %slots_size : index to i32
  %sequences = tile.size "len_LQ"
  %scale, %inner = func.call @scales(%cap) : (f32) -> (f32, f32)
  %no_scores = tile.splat %zero : f32 -> !scores
  %no_sums = tile.splat %zero : f32 -> !sums

  %program = tile.program_id 0
  %from_start = arith.index_cast %program : index to i32
  %items_size = tile.size "((sum_LQ + (BM - 1) * len_LQ) floordiv BM) * HQ"
  %items = arith.index_cast %items_size : index to i32
  %from_end = arith.subi %items, %from_start : i32
  %item = arith.subi %from_end, %c1 : i32
  %in_group = arith.remui %item, %group : i32
  %group_item = arith.divui %item, %group : i32
  %slot = arith.remui %group_item, %slots : i32
  %kv_head32 = arith.divui %group_item, %slots : i32
  %first_head = arith.muli %kv_head32, %group : i32
  %head32 = arith.addi %first_head, %in_group : i32
  %head = arith.index_cast %head32 : i32 to index
  %kv_head = arith.index_cast %kv_head32 : i32 to index
  %s32 = func.call @find(%cu_q, %slot, %slots, %sequences)
      : (!offsets, i32, i32, index) -> i32
  %behind32 = arith.addi %s32, %c1 : i32
  %s = arith.index_cast %s32 : i32 to index
  %behind = arith.index_cast %behind32 : i32 to index
  %q_begin = tile.load_element %cu_q[%s] : !offsets -> i32
  %q_end32 = tile.load_element %cu_q[%behind] : !offsets -> i32
  %keys = tile.load_element %used[%s] : !lengths -> i32
  %queries = arith.subi %q_end32, %q_begin : i32
  %blocks = arith.ceildivui %queries, %bm : i32
  %slots_to_end = func.call @items(%q_end32, %behind32) : (i32, i32) -> i32
  %to_end = arith.subi %slots_to_end, %slot : i32
  %block = arith.subi %blocks, %to_end : i32
  %has_queries = arith.cmpi sge, %block, %none : i32
  %query = arith.muli %block, %bm : i32
  %row32 = arith.addi %q_begin, %query : i32
  %row = arith.index_cast %row32 : i32 to index
  %q_end = arith.index_cast %q_end32 : i32 to index
  %keys_end = arith.index_cast %keys : i32 to index
  %place, %causal, %seen, %tiles, %first, %edges, %turns = func.call @span(%queries, %keys, %query)
      : (i32, i32, i32) -> (i32, i1, i32, i32, i32, i32, i32)
  scf.if %has_queries {
    %has_keys = arith.cmpi sgt, %seen, %none : i32
    %result = scf.if %has_keys -> (!sums) {
      %q_tile = tile.load %q[%row, %head, %c0] along [0, 2] : !q_view -> !q
      %last = arith.subi %tiles, %c1 : i32
      %last_key32 = arith.muli %last, %bn : i32
      %last_key = arith.index_cast %last_key32 : i32 to index
      %last_keys = tile.load %k[%last_key, %kv_head, %c0] along [0, 2] through %table[%s] pages "BS" : !cache through !table -> !keys
      %last_scores = tile.dot %q_tile, %last_keys transposed, %no_scores depth "16 * (D ceildiv 16)" : !q, !keys, !scores
      %last_bent = func.call @bend(%last_scores, %inner, %cap) : (!scores, f32, f32) -> !scores
      %last_masked = func.call @mask(%last_bent, %last_key32, %keys, %place, %causal)
          : (!scores, i32, i32, i32, i1) -> !scores
      %p0, %m0, %l0 = func.call @begin(%last_masked, %sinks, %head, %scale)
          : (!scores, !sinks, index, f32) -> (!weights, !row, !row)
      %p1, %m1, %l1, %o1 = scf.for %i = %c1 to %edges step %c1
          iter_args(%p_last = %p0, %m_last = %m0, %l_last = %l0, %o_last = %no_sums)
          -> (!weights, !row, !row, !sums) : i32 {
        %tile_before = arith.subi %tiles, %i : i32
        %value32 = arith.muli %tile_before, %bn : i32
        %key32 = arith.subi %value32, %bn : i32
        %value = arith.index_cast %value32 : i32 to index
        %key = arith.index_cast %key32 : i32 to index
        %some_keys = tile.load %k[%key, %kv_head, %c0] along [0, 2] through %table[%s] pages "BS" : !cache through !table -> !keys
        %scores = tile.dot %q_tile, %some_keys transposed, %no_scores depth "16 * (D ceildiv 16)" : !q, !keys, !scores
        %values = tile.load %v[%value, %kv_head, %c0] along [0, 2] until %keys_end through %table[%s] pages "BS" : !cache through !table -> !keys
        %grown = tile.dot %p_last, %values, %o_last depth "BN" : !weights, !keys, !sums
        %bent = func.call @bend(%scores, %inner, %cap) : (!scores, f32, f32) -> !scores
        %masked = func.call @mask(%bent, %key32, %keys, %place, %causal)
            : (!scores, i32, i32, i32, i1) -> !scores
        %p_next, %m_next, %l_next, %o_next = func.call @attend(%masked, %grown, %m_last, %l_last, %scale)
            : (!scores, !sums, !row, !row, f32) -> (!weights, !row, !row, !sums)
        scf.yield %p_next, %m_next, %l_next, %o_next : !weights, !row, !row, !sums
      }
      %p, %m, %l, %o = scf.for %i = %edges to %turns step %c1
          iter_args(%p_last = %p1, %m_last = %m1, %l_last = %l1, %o_last = %o1)
          -> (!weights, !row, !row, !sums) : i32 {
        %tile_before = arith.subi %tiles, %i : i32
        %value32 = arith.muli %tile_before, %bn : i32
        %key32 = arith.subi %value32, %bn : i32
        %value = arith.index_cast %value32 : i32 to index
        %key = arith.index_cast %key32 : i32 to index
        %some_keys = tile.load %k[%key, %kv_head, %c0] along [0, 2] through %table[%s] pages "BS" : !cache through !table -> !keys
        %scores = tile.dot %q_tile, %some_keys transposed, %no_scores depth "16 * (D ceildiv 16)" : !q, !keys, !scores
        %values = tile.load %v[%value, %kv_head, %c0] along [0, 2] until %keys_end through %table[%s] pages "BS" : !cache through !table -> !keys
        %grown = tile.dot %p_last, %values, %o_last depth "BN" : !weights, !keys, !sums
        %bent = func.call @bend(%scores, %inner, %cap) : (!scores, f32, f32) -> !scores
        %p_next, %m_next, %l_next, %o_next = func.call @attend(%bent, %grown, %m_last, %l_last, %scale)
            : (!scores, !sums, !row, !row, f32) -> (!weights, !row, !row, !sums)
        scf.yield %p_next, %m_next, %l_next, %o_next : !weights, !row, !row, !sums
      }
      %first_value32 = arith.muli %first, %bn : i32
      %first_value = arith.index_cast %first_value32 : i32 to index
      %first_values = tile.load %v[%first_value, %kv_head, %c0] along [0, 2] until %keys_end through %table[%s] pages "BS" : !cache through !table -> !keys
      %total = tile.dot %p, %first_values, %o depth "BN" : !weights, !keys, !sums
      %mean = func.call @mean(%total, %l, %has_keys, %place) : (!sums, !row, i1, i32) -> !sums
      scf.yield %mean : !sums
    } else {
      scf.yield %no_sums : !sums
    }
    %rounded = tile.convert %result : !sums -> !out
    tile.store %rounded to %out[%row, %head, %c0] along [0, 2] until %q_end : !out, !q_view
  }
  tile.return
}
