// BM heads go through the keys of one sequence, BN at a time, which are read once for all
// of them and for scores and sums alike: a value is a key's first C columns. Warps share
// the keys of a turn, and then the columns of the sums. Blocks of a cluster share the keys
// of a sequence, and then the rows of the sums.
!queries = !tile.view<[len_L, NH, C + R], !tile.dtype<DT>>
!cache = !tile.view<[sum_L, 1, C + R], !tile.dtype<DT>>
!results = !tile.view<[len_L, NH, C], !tile.dtype<DT>>
!lengths = !tile.view<[1, len_L], i32>
!q = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, 16 * ((C + R) ceildiv 16)]>>
!keys = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, 16 * ((C + R) ceildiv 16)]>>
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!columns = tensor<?x?xi32, #tile.extents<[BM, BN]>>
!seen = tensor<?x?xi1, #tile.extents<[BM, BN]>>
!weights = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, C]>>
!out = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, C]>>
!slice = tensor<?x?xf32, #tile.extents<[BM floordiv CLUSTER, C]>>
!out_slice = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM floordiv CLUSTER, C]>>
!some = tensor<1x?xi32, #tile.extents<[1, 8 * WARPS * WAVE]>>
!earlier = tensor<1x?xi1, #tile.extents<[1, 8 * WARPS * WAVE]>>

tile.kernel @heads(%q: !queries, %kv_cache: !cache, %seq_lens: !lengths, %out: !results)
    space {BM = [16, 32, 64], BN = [16, 32, 64, 128], WARPS = [1, 2, 4, 8], STAGES = [1, 2], VEC = [8], CLUSTER = [1, 2, 4, 8]}
    where ["DT_bytes == 2", "C mod 8 == 0", "R mod 8 == 0", "FLUSHES == 0", "CLUSTER == 1 or TMA == 1", "BM mod CLUSTER == 0",
           "BN mod (WARPS * WAVE floordiv 4) == 0", "C mod (WARPS * WAVE floordiv 4) == 0",
           "BM * C <= 96 * WARPS * WAVE", "BN * (C + R) <= 144 * WARPS * WAVE",
           "32 * ((C + R) ceildiv 16) * (BM + BN) + 2 * BM * BN + select(CLUSTER > 1, 4 * (BM + 8) * C, 0) + 2048 <= SMEM"]
    grid ["len_L * (NH ceildiv BM) * CLUSTER"]
    runtime ["len_L", "sum_L", "max_L", "NH"]
    model {passes = "max(1, max_L ceildiv (BN * CLUSTER)) + select(CLUSTER > 1, 1 + max(0, CLUSTER - (max_L ceildiv BN)), 0)",
           live = "BM * (2 * BN + C) ceildiv (WARPS * WAVE) + BN * (C + R) floordiv (2 * WARPS * WAVE)"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504088896341 : f32
  %bm = tile.size "BM"
  %bn_size = tile.size "BN"
  %bn = arith.index_cast %bn_size : index to i32
  %head_parts = tile.size "NH ceildiv BM"
  %d = tile.size "C + R"
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
  %s = arith.divui %item, %head_parts : index
  %head_part = arith.remui %item, %head_parts : index
  %head = arith.muli %head_part, %bm : index
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
  %keys = tile.load_element %seq_lens[%c0, %s] : !lengths -> i32
  %keys_index = arith.index_cast %keys : i32 to index
  %end = arith.addi %begin, %keys_index : index
  %tiles = arith.ceildivui %keys, %bn : i32

  %q_tile = tile.load %q[%s, %head, %c0] along [1, 2] : !queries -> !q
  %m, %l, %o = scf.for %i = %rank32 to %tiles step %cluster32
      iter_args(%m_last = %no_max, %l_last = %zeros, %o_last = %no_sums) -> (!row, !row, !sums) : i32 {
    %key32 = arith.muli %i, %bn : i32
    %key_index = arith.index_cast %key32 : i32 to index
    %key = arith.addi %begin, %key_index : index
    %some_keys = tile.load %kv_cache[%key, %c0, %c0] along [0, 2] until %end : !cache -> !keys
    %scores = tile.dot %q_tile, %some_keys transposed, %no_scores : !q, !keys, !scores
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
    %o_next = tile.dot %weights, %some_keys, %o_old depth "BN" : !weights, !keys, !sums
    scf.yield %max, %l_next, %o_next : !row, !row, !sums
  }
  %c1_index = arith.constant 1 : index
  %is_shared = arith.cmpi ugt, %cluster, %c1_index : index
  scf.if %is_shared {
    %log, %inverse = func.call @share(%m, %l, %scale) : (!row, !row, f32) -> (!row, !row)
    %inverses = tile.broadcast %inverse along 1 : !row -> !sums
    %own_mean = arith.mulf %o, %inverses : !sums
    %sum = tile.cluster_reduce %own_mean weighted %log along 0 : !sums by !row -> !slice
    %rounded = tile.convert %sum : !slice -> !out_slice
    %slice = tile.size "BM floordiv CLUSTER"
    %in_tile = arith.muli %rank, %slice : index
    %first = arith.addi %head, %in_tile : index
    tile.store %rounded to %out[%s, %first, %c0] along [1, 2] : !out_slice, !results
  } else {
    %ones = tile.splat %one : f32 -> !row
    %inverse = arith.divf %ones, %l : !row
    %inverses = tile.broadcast %inverse along 1 : !row -> !sums
    %mean = arith.mulf %o, %inverses : !sums
    %rounded = tile.convert %mean : !sums -> !out
    tile.store %rounded to %out[%s, %head, %c0] along [1, 2] : !out, !results
  }
  tile.return
}
