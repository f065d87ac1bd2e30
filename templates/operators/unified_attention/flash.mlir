// BM queries of one head and sequence go through the keys that they see, BN at a time,
// from the last to the first. While one turn's weights are computed, their scores being
// there, the products of the turn before with their values run. A sequence has as many
// work items as blocks of queries, and before them perhaps one without; those with most
// keys come first, and heads that share keys beside each other.
!q = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, select(PRODUCERS, 64, 16) * (D ceildiv select(PRODUCERS, 64, 16))]>>
!keys = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, select(PRODUCERS, 64, 16) * (D ceildiv select(PRODUCERS, 64, 16))]>>
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!columns = tensor<?x?xi32, #tile.extents<[BM, BN]>>
!seen = tensor<?x?xi1, #tile.extents<[BM, BN]>>
!weights = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!places = tensor<?xi32, #tile.extents<[BM]>>
!empty = tensor<?xi1, #tile.extents<[BM]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!sum_places = tensor<?x?xi32, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!sum_seen = tensor<?x?xi1, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!out = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!q_view = !tile.view<[sum_LQ, HQ, D], !tile.dtype<DT>>
!cache = !tile.view<[NB * BS, HKV, D], !tile.dtype<DT>>
!offsets = !tile.view<[len_LQ + 1], i32>
!lengths = !tile.view<[len_LK], i32>
!table = !tile.view<[len_LK, MB], i32>
!sinks = !tile.view<[with_sinks * HQ], f32>

// Scores of the keys from `key` on, lowest where the row sees less: up to its own place
// if `causal`, the first row's being `place`, else up to the last of `keys`; and of those
// no more than the window, if there is one.
func.func private @mask(%scores: !scores, %key: i32, %keys: i32, %place: i32, %causal: i1)
    -> !scores {
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant 0xFF800000 : f32
  %lowests = tile.splat %lowest : f32 -> !scores
  %own = arith.subi %place, %key : i32
  %owns = tile.splat %own : i32 -> !places
  %r = tile.iota along 0 : !places
  %past = arith.addi %owns, %r : !places
  %left = arith.subi %keys, %key : i32
  %last = arith.subi %left, %c1 : i32
  %lasts = tile.splat %last : i32 -> !places
  %limit = arith.select %causal, %past, %lasts : !places
  %limits = tile.broadcast %limit along 1 : !places -> !columns
  %column = tile.iota along 1 : !columns
  %inside = arith.cmpi sle, %column, %limits : !columns
  %masked = arith.select %inside, %scores, %lowests : !seen, !scores
  %c0 = arith.constant 0 : index
  %window_size = tile.size "select(mask == 1, WINDOW, 0)"
  %has_window = arith.cmpi ne, %window_size, %c0 : index
  %result = scf.if %has_window -> (!scores) {
    %window = arith.index_cast %window_size : index to i32
    %windows = tile.splat %window : i32 -> !columns
    %behind = arith.addi %column, %windows : !columns
    %is_recent = arith.cmpi sgt, %behind, %limits : !columns
    %recent = arith.select %is_recent, %masked, %lowests : !seen, !scores
    scf.yield %recent : !scores
  } else {
    scf.yield %masked : !scores
  }
  return %result : !scores
}

// Scores as they are, or, of `inner` times those, the tanh times `outer`.
func.func private @bend(%scores: !scores, %inner: f32, %outer: f32) -> !scores {
  %c0 = arith.constant 0 : index
  %capped = tile.size "capped"
  %is_capped = arith.cmpi ne, %capped, %c0 : index
  %result = scf.if %is_capped -> (!scores) {
    %inners = tile.splat %inner : f32 -> !scores
    %outers = tile.splat %outer : f32 -> !scores
    %shares = arith.mulf %scores, %inners : !scores
    %bent = math.tanh %shares : !scores
    %less = arith.mulf %bent, %outers : !scores
    scf.yield %less : !scores
  } else {
    scf.yield %scores : !scores
  }
  return %result : !scores
}

// Sums of earlier turns and the own one, both over one maximum.
func.func private @shrink(%l: !row, %own: !row, %o: !sums, %shrink: !row) -> (!row, !sums) {
  %l_old = arith.mulf %l, %shrink fastmath<contract> : !row
  %l_next = arith.addf %l_old, %own fastmath<contract> : !row
  %shrinks = tile.broadcast %shrink along 1 : !row -> !sums
  %o_next = arith.mulf %o, %shrinks : !sums
  return %l_next, %o_next : !row, !sums
}

tile.kernel @flash(%q: !q_view, %k: !cache, %v: !cache, %cu_q: !offsets,
                   %used: !lengths, %table: !table, %sinks: !sinks,
                   %out: !q_view, %cap: f32)
    space {BM = [192], BN = [80, 96], WARPS = [12], PRODUCERS = [4], STAGES = [2], VEC = [8],
           STORE = [0], PERSISTENT = [0], TURNS = [1], BLOCKS = [1]},
          {BM = [128], BN = [64, 80, 112, 128], WARPS = [8], PRODUCERS = [4], STAGES = [2],
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
    model {passes = "max(1, max_LQ ceildiv (BM * BLOCKS))",
           live = "BM * (BN + BN floordiv 2 + D) ceildiv (WARPS * WAVE)",
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
  %group_size = tile.size "HQ floordiv HKV"
  %slots_size = tile.size "(sum_LQ + (BM - 1) * len_LQ) floordiv BM"
  %bm = arith.index_cast %bm_size : index to i32
  %bn = arith.index_cast %bn_size : index to i32
  %group = arith.index_cast %group_size : index to i32
  %slots = arith.index_cast %slots_size : index to i32
  %sequences = tile.size "len_LQ"
  %d = tile.size "D"
  %d_int = arith.index_cast %d : index to i32
  %d_float = arith.sitofp %d_int : i32 to f32
  %root = math.sqrt %d_float : f32
  // Capped scores have the scale already.
  %inner_cap = arith.mulf %cap, %root : f32
  %inner = arith.divf %one, %inner_cap : f32
  %plain_scale = arith.divf %log2e, %root : f32
  %capped = tile.size "capped"
  %is_capped = arith.cmpi ne, %capped, %c0 : index
  %scale = arith.select %is_capped, %log2e, %plain_scale : f32
  %no_scores = tile.splat %zero : f32 -> !scores
  %ones = tile.splat %one : f32 -> !row
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
  // The key that is the first row's own, and so on; from there on rows see less.
  %mask = tile.size "mask"
  %always_causal = arith.cmpi ne, %mask, %c0 : index
  %is_square = arith.cmpi eq, %queries, %keys : i32
  %causal = arith.ori %always_causal, %is_square : i1
  %more_keys = arith.subi %keys, %queries : i32
  %offset = arith.select %always_causal, %more_keys, %none : i32
  %place = arith.addi %query, %offset : i32
  %next_place = arith.addi %place, %bm : i32
  %past = arith.minsi %keys, %next_place : i32
  %any_past = arith.maxsi %past, %none : i32
  %seen = arith.select %causal, %any_past, %keys : i32
  %tiles = arith.ceildivui %seen, %bn : i32
  %window_size = tile.size "select(mask == 1, WINDOW, 0)"
  %window = arith.index_cast %window_size : index to i32
  %has_window = arith.cmpi ne, %window, %none : i32
  %after_place = arith.addi %place, %c1 : i32
  %first_recent = arith.subi %after_place, %window : i32
  %first_seen = arith.maxsi %first_recent, %none : i32
  %first_tile = arith.divui %first_seen, %bn : i32
  %first = arith.select %has_window, %first_tile, %none : i32
  // Before this tile all rows see all keys; the last tile is masked anyhow.
  %some_after = arith.maxsi %after_place, %none : i32
  %open_tiles = arith.divui %some_after, %bn : i32
  %last = arith.subi %tiles, %c1 : i32
  %open_before = arith.minsi %open_tiles, %last : i32
  %causal_open = arith.select %has_window, %first, %open_before : i32
  %open = arith.select %causal, %causal_open, %last : i32
  %edges = arith.subi %tiles, %open : i32
  %turns = arith.subi %tiles, %first : i32
  scf.if %has_queries {
    %has_keys = arith.cmpi sgt, %seen, %none : i32
    %result = scf.if %has_keys -> (!sums) {
      %q_tile = tile.load %q[%row, %head, %c0] along [0, 2] : !q_view -> !q
      %last_key32 = arith.muli %last, %bn : i32
      %last_key = arith.index_cast %last_key32 : i32 to index
      %last_keys = tile.load %k[%last_key, %kv_head, %c0] along [0, 2] through %table[%s] pages "BS" : !cache through !table -> !keys
      %last_scores = tile.dot %q_tile, %last_keys transposed, %no_scores depth "16 * (D ceildiv 16)" : !q, !keys, !scores
      // The head's sink is a score that no turn has.
      %with_sinks = tile.size "with_sinks"
      %has_sinks = arith.cmpi ne, %with_sinks, %c0 : index
      %sink = tile.load_element %sinks[%head] : !sinks -> f32
      %sink_log2 = arith.mulf %sink, %log2e : f32
      %sink_score = arith.divf %sink_log2, %scale : f32
      %own_score = arith.select %has_sinks, %sink_score, %lowest : f32
      %own_max = tile.splat %own_score : f32 -> !row
      %last_bent = func.call @bend(%last_scores, %inner, %cap) : (!scores, f32, f32) -> !scores
      %last_masked = func.call @mask(%last_bent, %last_key32, %keys, %place, %causal)
          : (!scores, i32, i32, i32, i1) -> !scores
      %w0, %m0, %shrink0, %own_l0 = func.call @weigh(%last_masked, %own_max, %scale)
          : (!scores, !row, f32) -> (!scores, !row, !row, !row)
      %unit = arith.constant 16384.0 : f32
      %own_weight = arith.select %has_sinks, %unit, %zero : f32
      %own_weights = tile.splat %own_weight : f32 -> !row
      %sink_l0 = arith.mulf %own_weights, %shrink0 : !row
      %l0 = arith.addf %own_l0, %sink_l0 : !row
      %p0 = tile.convert %w0 : !scores -> !weights
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
        %w, %m_next, %shrink, %own = func.call @weigh(%masked, %m_last, %scale)
            : (!scores, !row, f32) -> (!scores, !row, !row, !row)
        %l_next, %o_next = func.call @shrink(%l_last, %own, %grown, %shrink)
            : (!row, !row, !sums, !row) -> (!row, !sums)
        %p_next = tile.convert %w : !scores -> !weights
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
        %w, %m_next, %shrink, %own = func.call @weigh(%bent, %m_last, %scale)
            : (!scores, !row, f32) -> (!scores, !row, !row, !row)
        %l_next, %o_next = func.call @shrink(%l_last, %own, %grown, %shrink)
            : (!row, !row, !sums, !row) -> (!row, !sums)
        %p_next = tile.convert %w : !scores -> !weights
        scf.yield %p_next, %m_next, %l_next, %o_next : !weights, !row, !row, !sums
      }
      %first_value32 = arith.muli %first, %bn : i32
      %first_value = arith.index_cast %first_value32 : i32 to index
      %first_values = tile.load %v[%first_value, %kv_head, %c0] along [0, 2] until %keys_end through %table[%s] pages "BS" : !cache through !table -> !keys
      %total = tile.dot %p, %first_values, %o depth "BN" : !weights, !keys, !sums
      %inverse = arith.divf %ones, %l : !row
      %inverses = tile.broadcast %inverse along 1 : !row -> !sums
      %mean = arith.mulf %total, %inverses : !sums
      // Causal rows before the first key see none.
      %shown = scf.if %always_causal -> (!sums) {
        %r = tile.iota along 0 : !places
        %places = tile.splat %place : i32 -> !places
        %own = arith.addi %r, %places : !places
        %owns = tile.broadcast %own along 1 : !places -> !sum_places
        %nothing = tile.splat %none : i32 -> !sum_places
        %sees = arith.cmpi sge, %owns, %nothing : !sum_places
        %kept = arith.select %sees, %mean, %no_sums : !sum_seen, !sums
        scf.yield %kept : !sums
      } else {
        scf.yield %mean : !sums
      }
      scf.yield %shown : !sums
    } else {
      scf.yield %no_sums : !sums
    }
    %rounded = tile.convert %result : !sums -> !out
    tile.store %rounded to %out[%row, %head, %c0] along [0, 2] until %q_end : !out, !q_view
  }
  tile.return
}
