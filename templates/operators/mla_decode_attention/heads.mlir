// BM heads go through the keys of one sequence, BN at a time, which is read once for all
// of them, and sum CB columns of its values. Blocks for other columns weigh the same keys:
// so sums fit into registers, and a few sequences fill more of a GPU. Queries and keys come
// in two halves, since a thread's share of whole ones does not. Blocks of a cluster share
// the keys, and then the rows of the sum.
!queries = !tile.view<[len_L, NH, C + R], !tile.dtype<DT>>
!cache = !tile.view<[sum_L, 1, C + R], !tile.dtype<DT>>
!results = !tile.view<[len_L, NH, C], !tile.dtype<DT>>
!lengths = !tile.view<[1, len_L], i32>
!q = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, 16 * ((C + R) ceildiv 32)]>>
!keys = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, 16 * ((C + R) ceildiv 32)]>>
!values = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, CB]>>
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!columns = tensor<?x?xi32, #tile.extents<[BM, BN]>>
!seen = tensor<?x?xi1, #tile.extents<[BM, BN]>>
!weights = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, CB]>>
!out = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, CB]>>
!slice = tensor<?x?xf32, #tile.extents<[BM floordiv CLUSTER, CB]>>
!out_slice = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM floordiv CLUSTER, CB]>>
!some = tensor<1x?xi32, #tile.extents<[1, 8 * WARPS * WAVE]>>
!earlier = tensor<1x?xi1, #tile.extents<[1, 8 * WARPS * WAVE]>>

tile.kernel @heads(%q: !queries, %kv_cache: !cache, %seq_lens: !lengths, %out: !results)
    space {BM = [16], BN = [16, 32, 64], CB = [64, 128], WARPS = [1], STAGES = [1, 2], VEC = [8], CLUSTER = [1, 2, 4, 8]},
          {BM = [64], BN = [16, 32, 64], CB = [64, 128, 256], WARPS = [4], STAGES = [1, 2], VEC = [8], CLUSTER = [1, 2, 4, 8]}
    where ["DT_bytes == 2", "C mod 8 == 0", "R mod 8 == 0", "FLUSHES == 0", "CB < 2 * C", "CLUSTER == 1 or TMA == 1", "BM mod CLUSTER == 0",
           "STAGES * BN * (C + R + CB) <= 16384 * WARPS",
           "4 * 16 * ((C + R) ceildiv 32) * (BM + BN) + 2 * BN * CB + select(CLUSTER > 1, 4 * BM * CB + 64 * BM, 0) + 1024 <= SMEM"]
    grid ["len_L * (NH ceildiv BM) * (C ceildiv CB) * CLUSTER"]
    runtime ["len_L", "sum_L", "max_L", "NH"]
    model {passes = "max(1, max_L ceildiv (BN * CLUSTER)) + select(CLUSTER > 1, 2 + max(0, CLUSTER - (max_L ceildiv BN)), 0)",
           live = "BM * (BN + BN floordiv 2 + CB) ceildiv (WARPS * WAVE) + STAGES * BN * (C + R + CB) floordiv (2 * WARPS * WAVE)"} {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504088896341 : f32
  %bm = tile.size "BM"
  %bn_size = tile.size "BN"
  %bn = arith.index_cast %bn_size : index to i32
  %width = tile.size "CB"
  %head_parts = tile.size "NH ceildiv BM"
  %parts = tile.size "C ceildiv CB"
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
  %heads_item = arith.divui %item, %parts : index
  %part = arith.remui %item, %parts : index
  %s = arith.divui %heads_item, %head_parts : index
  %head_part = arith.remui %heads_item, %head_parts : index
  %head = arith.muli %head_part, %bm : index
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
  %keys = tile.load_element %seq_lens[%c0, %s] : !lengths -> i32
  %keys_index = arith.index_cast %keys : i32 to index
  %end = arith.addi %begin, %keys_index : index
  %tiles = arith.ceildivui %keys, %bn : i32

  %half = tile.size "16 * ((C + R) ceildiv 32)"
  %q_low = tile.load %q[%s, %head, %c0] along [1, 2] : !queries -> !q
  %q_high = tile.load %q[%s, %head, %half] along [1, 2] : !queries -> !q
  %m, %l, %o = scf.for %i = %rank32 to %tiles step %cluster32
      iter_args(%m_last = %no_max, %l_last = %zeros, %o_last = %no_sums) -> (!row, !row, !sums) : i32 {
    %key32 = arith.muli %i, %bn : i32
    %key_index = arith.index_cast %key32 : i32 to index
    %key = arith.addi %begin, %key_index : index
    %keys_low = tile.load %kv_cache[%key, %c0, %c0] along [0, 2] until %end : !cache -> !keys
    %keys_high = tile.load %kv_cache[%key, %c0, %half] along [0, 2] until %end : !cache -> !keys
    %some_values = tile.load %kv_cache[%key, %c0, %col] along [0, 2] until %end : !cache -> !values
    %scores_low = tile.dot %q_low, %keys_low transposed, %no_scores depth "16 * ((C + R) ceildiv 32)" : !q, !keys, !scores
    %scores = tile.dot %q_high, %keys_high transposed, %scores_low depth "16 * ((C + R) ceildiv 32)" : !q, !keys, !scores
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
    %o_next = tile.dot %weights, %some_values, %o_old depth "BN" : !weights, !values, !sums
    scf.yield %max, %l_next, %o_next : !row, !row, !sums
  }
  %ones = tile.splat %one : f32 -> !row
  %c1_index = arith.constant 1 : index
  %is_shared = arith.cmpi ugt, %cluster, %c1_index : index
  scf.if %is_shared {
    %share = func.call @share(%m, %l, %scale) : (!row, !row, f32) -> !row
    %shares = tile.broadcast %share along 1 : !row -> !sums
    %mean = arith.mulf %o, %shares : !sums
    %sum = tile.cluster_reduce %mean along 0 : !sums -> !slice
    %rounded = tile.convert %sum : !slice -> !out_slice
    %slice = tile.size "BM floordiv CLUSTER"
    %in_tile = arith.muli %rank, %slice : index
    %first = arith.addi %head, %in_tile : index
    tile.store %rounded to %out[%s, %first, %col] along [1, 2] : !out_slice, !results
  } else {
    %inverse = arith.divf %ones, %l : !row
    %inverses = tile.broadcast %inverse along 1 : !row -> !sums
    %mean = arith.mulf %o, %inverses : !sums
    %rounded = tile.convert %mean : !sums -> !out
    tile.store %rounded to %out[%s, %head, %col] along [1, 2] : !out, !results
  }
  tile.return
}
