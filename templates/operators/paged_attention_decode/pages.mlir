// BM heads that share keys go through the keys of one sequence, BN at a time: each key
// and value is read once for all of them. Keys come as rows of packed columns, values as
// columns of tokens, each a product's operand as it lies; heads beyond the group's are
// zero. Products of nothing but padding cost less than the memory that they wait for.
// Warps share the keys of a turn, and then the columns of the sum; blocks of a cluster
// the keys of a sequence, and then the rows of the sum, for which they wait for each
// other. Those for which there are no keys make it no shorter.
!queries = !tile.view<[len_L, HQ, D], !tile.dtype<DT>>
!k_view = !tile.view<[NB * BS, HKV, D], !tile.dtype<DT>, [HKV * D * BS, D * BS, 8 * BS], split [BS, 1, 8], [8, 0, 1]>
!v_view = !tile.view<[NB * BS, HKV, D], !tile.dtype<DT>, [HKV * D * BS, D * BS, BS], split [BS, 1, 1], [1, 0, 0]>
!lengths = !tile.view<[len_L], i32>
!table = !tile.view<[len_L, MB], i32>
!q = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, 16 * (D ceildiv 16)]>>
!keys = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, 16 * (D ceildiv 16)]>>
!values = tensor<?x?x!tile.dtype<DT>, #tile.extents<[16 * (D ceildiv 16), BN]>>
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!columns = tensor<?x?xi32, #tile.extents<[BM, BN]>>
!seen = tensor<?x?xi1, #tile.extents<[BM, BN]>>
!weights = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, 16 * (D ceildiv 16)]>>
!out = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, 16 * (D ceildiv 16)]>>
!slice = tensor<?x?xf32, #tile.extents<[BM floordiv CLUSTER, 16 * (D ceildiv 16)]>>
!out_slice = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM floordiv CLUSTER, 16 * (D ceildiv 16)]>>

tile.kernel @pages(%query: !queries, %k_cache: !k_view, %v_cache: !v_view, %block_tables: !table,
                   %seq_lens: !lengths, %out: !queries)
    space {BM = [16], BN = [32, 64, 128, 256], WARPS = [1, 2, 4, 8], STAGES = [1, 2], VEC = [8], CLUSTER = [1, 2, 4, 8]},
          {BM = [64], BN = [32, 64, 128], WARPS = [4, 8], STAGES = [1, 2], VEC = [8], CLUSTER = [1, 2, 4, 8]}
    where ["DT_bytes == 2", "D mod 8 == 0", "BS mod 8 == 0", "HQ mod HKV == 0", "D <= 256",
           "FLUSHES == 0", "CLUSTER == 1 or TMA == 1", "WARPS < 8 or BN >= 128",
           "BN mod (WARPS * WAVE floordiv 4) == 0", "16 * (D ceildiv 16) mod (WARPS * WAVE floordiv 4) == 0",
           "(STAGES + 1) * BN * 16 * (D ceildiv 16) <= 256 * WARPS * WAVE", "BN * 16 * (D ceildiv 16) >= 32 * WARPS * WAVE",
           "BM mod CLUSTER == 0",
           "32 * (D ceildiv 16) * (BM + 2 * BN) + select(CLUSTER > 1, 64 * (BM + 8) * (D ceildiv 16), 0) + 2 * BM * BN + 2048 <= SMEM"]
    grid ["len_L * HKV * ((HQ floordiv HKV) ceildiv BM) * CLUSTER"]
    runtime ["len_L", "sum_L", "max_L", "MB", "NB"]
    model {passes = "max(1, max_L ceildiv (BN * CLUSTER)) + select(CLUSTER > 1, 1 + max(0, CLUSTER - (max_L ceildiv BN)), 0)",
           live = "BM * (BN + BN floordiv 2 + D) ceildiv (WARPS * WAVE) + (STAGES + 1) * BN * D floordiv (2 * WARPS * WAVE)"} {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504088896341 : f32
  %bm = tile.size "BM"
  %bn_size = tile.size "BN"
  %bn = arith.index_cast %bn_size : index to i32
  %group = tile.size "HQ floordiv HKV"
  %parts = tile.size "(HQ floordiv HKV) ceildiv BM"
  %kv_heads = tile.size "HKV"
  %d = tile.size "D"
  %d_int = arith.index_cast %d : index to i32
  %d_float = arith.sitofp %d_int : i32 to f32
  %root = math.sqrt %d_float : f32
  %scale = arith.divf %log2e, %root : f32
  %no_scores = tile.splat %zero : f32 -> !scores
  %lowest_scores = tile.splat %lowest : f32 -> !scores
  %no_max = tile.splat %lowest : f32 -> !row
  %zeros = tile.splat %zero : f32 -> !row
  %no_sums = tile.splat %zero : f32 -> !sums

  %cluster = tile.size "CLUSTER"
  %cluster32 = arith.index_cast %cluster : index to i32
  %rank = tile.cluster_rank
  %rank32 = arith.index_cast %rank : index to i32
  %program = tile.program_id 0
  %item = arith.divui %program, %cluster : index
  %head_item = arith.divui %item, %parts : index
  %part = arith.remui %item, %parts : index
  %s = arith.divui %head_item, %kv_heads : index
  %kv_head = arith.remui %head_item, %kv_heads : index
  %group_begin = arith.muli %kv_head, %group : index
  %group_end = arith.addi %group_begin, %group : index
  %in_group = arith.muli %part, %bm : index
  %head = arith.addi %group_begin, %in_group : index
  // Which pages the first turn reads, before it knows how many there are.
  %first_key = arith.muli %rank, %bn_size : index
  %page_size = tile.size "BS"
  %first_entry = arith.divui %first_key, %page_size : index
  tile.prefetch_elements %block_tables[%s, %first_entry] count "BN ceildiv BS + 1" : !table
  %length = tile.load_element %seq_lens[%s] : !lengths -> i32
  %keys = arith.maxsi %length, %none : i32
  %keys_end = arith.index_cast %keys : i32 to index
  %tiles = arith.ceildivui %keys, %bn : i32

  %q_tile = tile.load %query[%s, %head, %c0] along [1, 2] until %group_end : !queries -> !q
  %m, %l, %o = scf.for %i = %rank32 to %tiles step %cluster32
      iter_args(%m_last = %no_max, %l_last = %zeros, %o_last = %no_sums) -> (!row, !row, !sums) : i32 {
    %key32 = arith.muli %i, %bn : i32
    %key = arith.index_cast %key32 : i32 to index
    %some_keys = tile.load %k_cache[%key, %kv_head, %c0] along [0, 2] until %keys_end through %block_tables[%s] pages "BS" : !k_view through !table -> !keys
    %some_values = tile.load %v_cache[%key, %kv_head, %c0] along [2, 0] until %keys_end through %block_tables[%s] pages "BS" : !v_view through !table -> !values
    %scores = tile.dot %q_tile, %some_keys transposed, %no_scores depth "16 * (D ceildiv 16)" : !q, !keys, !scores
    %left = arith.subi %keys, %key32 : i32
    %limit = tile.splat %left : i32 -> !columns
    %column = tile.iota along 1 : !columns
    %inside = arith.cmpi slt, %column, %limit : !columns
    %masked = arith.select %inside, %scores, %lowest_scores : !seen, !scores
    %wide, %max, %shrink, %sum = func.call @weigh(%masked, %m_last, %scale)
        : (!scores, !row, f32) -> (!scores, !row, !row, !row)
    %l_old = arith.mulf %l_last, %shrink fastmath<contract> : !row
    %l_next = arith.addf %l_old, %sum fastmath<contract> : !row
    %shrinks = tile.broadcast %shrink along 1 : !row -> !sums
    %o_old = arith.mulf %o_last, %shrinks : !sums
    %weights = tile.convert %wide : !scores -> !weights
    %o_next = tile.dot %weights, %some_values transposed, %o_old depth "BN" : !weights, !values, !sums
    scf.yield %max, %l_next, %o_next : !row, !row, !sums
  }
  %has_keys = arith.cmpi sgt, %keys, %none : i32
  %c1_index = arith.constant 1 : index
  %is_shared = arith.cmpi ugt, %cluster, %c1_index : index
  scf.if %is_shared {
    %log, %inverse = func.call @share(%m, %l, %scale) : (!row, !row, f32) -> (!row, !row)
    %inverses = tile.broadcast %inverse along 1 : !row -> !sums
    %own_mean = arith.mulf %o, %inverses : !sums
    %sum = tile.cluster_reduce %own_mean weighted %log along 0 : !sums by !row -> !slice
    %nothing = tile.splat %zero : f32 -> !slice
    %result = arith.select %has_keys, %sum, %nothing : !slice
    %rounded = tile.convert %result : !slice -> !out_slice
    %slice = tile.size "BM floordiv CLUSTER"
    %in_tile = arith.muli %rank, %slice : index
    %first = arith.addi %head, %in_tile : index
    tile.store %rounded to %out[%s, %first, %c0] along [1, 2] until %group_end : !out_slice, !queries
  } else {
    %ones = tile.splat %one : f32 -> !row
    %inverse = arith.divf %ones, %l : !row
    %inverses = tile.broadcast %inverse along 1 : !row -> !sums
    %mean = arith.mulf %o, %inverses : !sums
    %result = arith.select %has_keys, %mean, %no_sums : !sums
    %rounded = tile.convert %result : !sums -> !out
    tile.store %rounded to %out[%s, %head, %c0] along [1, 2] until %group_end : !out, !queries
  }
  tile.return
}
