// BM queries of one head and sequence go through its keys, BN at a time, from the last
// to the first. While one turn's weights are computed, their scores being there, the
// products of the turn before with their values run. A sequence has as many work items as
// blocks of queries, and before them perhaps one without.
!q = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, select(PRODUCERS, 64, 16) * (D ceildiv select(PRODUCERS, 64, 16))]>>
!keys = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, select(PRODUCERS, 64, 16) * (D ceildiv select(PRODUCERS, 64, 16))]>>
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!columns = tensor<?x?xi32, #tile.extents<[BM, BN]>>
!seen = tensor<?x?xi1, #tile.extents<[BM, BN]>>
!weights = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!empty = tensor<?xi1, #tile.extents<[BM]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!out = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!q_view = !tile.view<[sum_LQ, NH, D], !tile.dtype<DT>>
!k_view = !tile.view<[sum_LK, NH, D], !tile.dtype<DT>>
!offsets = !tile.view<[len_LQ + 1], i32>
!k_offsets = !tile.view<[len_LK + 1], i32>

tile.kernel @flash(%q: !q_view, %k: !k_view, %v: !k_view, %cu_q: !offsets,
                   %cu_k: !k_offsets, %out: !q_view)
    space {BM = [192], BN = [112, 128], WARPS = [12], PRODUCERS = [4], STAGES = [2], VEC = [8],
           STORE = [0], PERSISTENT = [0], TURNS = [1], BLOCKS = [1]},
          {BM = [128], BN = [64, 80, 128, 144, 160, 176], WARPS = [8], PRODUCERS = [4], STAGES = [2],
           VEC = [8], STORE = [0], PERSISTENT = [0], TURNS = [0, 1], BLOCKS = [1]},
          {BM = [64], BN = [64], WARPS = [4], PRODUCERS = [4], STAGES = [2], VEC = [8],
           STORE = [0], PERSISTENT = [0], TURNS = [0], BLOCKS = [1, 2]},
          {BM = [32, 64, 128], BN = [32, 64], WARPS = [2, 4, 8], PRODUCERS = [0], STAGES = [1], VEC = [8],
           STORE = [0], PERSISTENT = [0], TURNS = [0], BLOCKS = [1]}
    where ["DT_bytes == 2", "D mod 8 == 0", "TMA + WGMMA == select(PRODUCERS, 2, 0)",
           "PRODUCERS == 0 or BM == 64 or BM == select(D <= 96 and BN != 144, 192, 128)", "BN != 144 or D <= 96",
           "PRODUCERS == 0 or BM == 64 or D > 160 or BN >= select(D <= 96, 112, 128)",
           "BM != 128 or PRODUCERS == 0 or TURNS == select(D <= 160, 1, 0)",
           "BM > 64 or PRODUCERS == 0 or BLOCKS == select(D <= 128, 2, 1)",
           "select(BM == 64 and PRODUCERS > 0, max_LQ, 0) <= 1024",
           "select(PRODUCERS, 16, select(WAVE == 64, 32, 16)) * WARPS <= BM",
           "select(PRODUCERS, 16 * WARPS, BM) == BM", "D <= 256",
           "BN floordiv 2 + BN floordiv 4 + D floordiv 2 + 24 <= select(PRODUCERS, select(WARPS == 12, 160, 240), 400 * WARPS * WAVE floordiv (4 * BM))",
           "FLUSHES == 0",
           "BLOCKS * (2 * select(PRODUCERS, 64 * (D ceildiv 64), 16 * (D ceildiv 16)) * (BM + 2 * STAGES * BN) + 2048) <= SMEM + 1024"]
    grid ["((sum_LQ + (BM - 1) * len_LQ) floordiv BM) * NH"]
    runtime ["NH", "len_LQ", "sum_LQ", "max_LQ", "len_LK", "sum_LK", "max_LK"]
    model {passes = "max(1, max_LQ ceildiv (BM * BLOCKS))",
           live = "BM * (select(PRODUCERS > 0 and BM > 64 and D <= 160, 16384 floordiv BN + select(D <= 96, 40, 99), BN + BN floordiv 2) + D) ceildiv (WARPS * WAVE)",
           registers = "min(255, 65536 floordiv ((WARPS + PRODUCERS) * WAVE * BLOCKS) floordiv 8 * 8)"} {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504088896341 : f32
  %bm_size = tile.size "BM"
  %bn_size = tile.size "BN"
  %slots_size = tile.size "(sum_LQ + (BM - 1) * len_LQ) floordiv BM"
  %bm = arith.index_cast %bm_size : index to i32
  %bn = arith.index_cast %bn_size : index to i32
  %slots = arith.index_cast %slots_size : index to i32
  %sequences = tile.size "len_LQ"
  %d = tile.size "D"
  %d_int = arith.index_cast %d : index to i32
  %d_float = arith.sitofp %d_int : i32 to f32
  %root = math.sqrt %d_float : f32
  %scale = arith.divf %log2e, %root : f32
  %no_scores = tile.splat %zero : f32 -> !scores
  %lowest_scores = tile.splat %lowest : f32 -> !scores
  %no_max = tile.splat %lowest : f32 -> !row
  %ones = tile.splat %one : f32 -> !row
  %no_sums = tile.splat %zero : f32 -> !sums

  %program = tile.program_id 0
  %item = arith.index_cast %program : index to i32
  %head32 = arith.divui %item, %slots : i32
  %slot = arith.remui %item, %slots : i32
  %head = arith.index_cast %head32 : i32 to index
  %s32 = func.call @find(%cu_q, %slot, %slots, %sequences)
      : (!offsets, i32, i32, index) -> i32
  %behind32 = arith.addi %s32, %c1 : i32
  %s = arith.index_cast %s32 : i32 to index
  %behind = arith.index_cast %behind32 : i32 to index
  %q_begin = tile.load_element %cu_q[%s] : !offsets -> i32
  %q_end32 = tile.load_element %cu_q[%behind] : !offsets -> i32
  %k_begin32 = tile.load_element %cu_k[%s] : !k_offsets -> i32
  %k_end32 = tile.load_element %cu_k[%behind] : !k_offsets -> i32
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
  %k_begin = arith.index_cast %k_begin32 : i32 to index
  %k_end = arith.index_cast %k_end32 : i32 to index
  %keys = arith.subi %k_end32, %k_begin32 : i32
  %tiles = arith.ceildivui %keys, %bn : i32
  scf.if %has_queries {
    %has_keys = arith.cmpi sgt, %keys, %none : i32
    %result = scf.if %has_keys -> (!sums) {
      %q_tile = tile.load %q[%row, %head, %c0] along [0, 2] : !q_view -> !q
      // The last keys, whose tile other sequences may share.
      %last = arith.subi %tiles, %c1 : i32
      %last_key = arith.muli %last, %bn : i32
      %last_row32 = arith.addi %k_begin32, %last_key : i32
      %last_row = arith.index_cast %last_row32 : i32 to index
      %left = arith.subi %keys, %last_key : i32
      %last_keys = tile.load %k[%last_row, %head, %c0] along [0, 2] : !k_view -> !keys
      %last_scores = tile.dot %q_tile, %last_keys transposed, %no_scores depth "16 * (D ceildiv 16)" : !q, !keys, !scores
      %limit = tile.splat %left : i32 -> !columns
      %column = tile.iota along 1 : !columns
      %inside = arith.cmpi slt, %column, %limit : !columns
      %masked = arith.select %inside, %last_scores, %lowest_scores : !seen, !scores
      %w0, %m0, %shrink0, %l0 = func.call @weigh(%masked, %no_max, %scale)
          : (!scores, !row, f32) -> (!scores, !row, !row, !row)
      %p0 = tile.convert %w0 : !scores -> !weights
      %p, %m, %l, %o = scf.for %i = %c1 to %tiles step %c1
          iter_args(%p_last = %p0, %m_last = %m0, %l_last = %l0, %o_last = %no_sums)
          -> (!weights, !row, !row, !sums) : i32 {
        %tile_before = arith.subi %tiles, %i : i32
        %value = arith.muli %tile_before, %bn : i32
        %v_row32 = arith.addi %k_begin32, %value : i32
        %k_row32 = arith.subi %v_row32, %bn : i32
        %v_row = arith.index_cast %v_row32 : i32 to index
        %k_row = arith.index_cast %k_row32 : i32 to index
        %some_keys = tile.load %k[%k_row, %head, %c0] along [0, 2] : !k_view -> !keys
        %scores = tile.dot %q_tile, %some_keys transposed, %no_scores depth "16 * (D ceildiv 16)" : !q, !keys, !scores
        %values = tile.load %v[%v_row, %head, %c0] along [0, 2] until %k_end : !k_view -> !keys
        %grown = tile.dot %p_last, %values, %o_last depth "BN" : !weights, !keys, !sums
        %w, %m_next, %shrink, %l_own = func.call @weigh(%scores, %m_last, %scale)
            : (!scores, !row, f32) -> (!scores, !row, !row, !row)
        %l_old = arith.mulf %l_last, %shrink fastmath<contract> : !row
        %l_next = arith.addf %l_old, %l_own fastmath<contract> : !row
        %shrinks = tile.broadcast %shrink along 1 : !row -> !sums
        %o_next = arith.mulf %grown, %shrinks : !sums
        %p_next = tile.convert %w : !scores -> !weights
        scf.yield %p_next, %m_next, %l_next, %o_next : !weights, !row, !row, !sums
      }
      %first_values = tile.load %v[%k_begin, %head, %c0] along [0, 2] until %k_end : !k_view -> !keys
      %total = tile.dot %p, %first_values, %o depth "BN" : !weights, !keys, !sums
      %inverse = arith.divf %ones, %l : !row
      %inverses = tile.broadcast %inverse along 1 : !row -> !sums
      %mean = arith.mulf %total, %inverses : !sums
      scf.yield %mean : !sums
    } else {
      scf.yield %no_sums : !sums
    }
    %rounded = tile.convert %result : !sums -> !out
    tile.store %rounded to %out[%row, %head, %c0] along [0, 2] until %q_end : !out, !q_view
  }
  tile.return
}
