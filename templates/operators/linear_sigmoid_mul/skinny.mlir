// For few tokens: weights feed the wide side of matrix instructions. BN rows of weight
// meet BM tokens; the blocks of a cluster share K, and then the rows of the sum.
// Either TMA feeds wgmma, or warps that share K too load what they multiply.
!x_tile = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BK]>>
!w_tile = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, BK]>>
!bias = tensor<?x!tile.dtype<DT>, #tile.extents<[BN]>>
!bias_wide = tensor<?xf32, #tile.extents<[BN]>>
!sums = tensor<?x?xf32, #tile.extents<[BN, BM]>>
!turned = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!narrow = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM floordiv CLUSTER, BN]>>
!wide = tensor<?x?xf32, #tile.extents<[BM floordiv CLUSTER, BN]>>
!kept = tensor<?x?xi1, #tile.extents<[BM floordiv CLUSTER, BN]>>

tile.kernel @skinny(%hidden_states: !tile.view<[T, K], !tile.dtype<DT>>,
                    %weight: !tile.view<[N, K], !tile.dtype<DT>>,
                    %bias: !tile.view<[N], !tile.dtype<DT>>,
                    %post_mul_mat: !tile.view<[T, N], !tile.dtype<DT>>,
                    %out: !tile.view<[T, N], !tile.dtype<DT>>)
    space {BM = [8, 16, 24, 32, 40, 48, 64, 72, 96, 136, 144, 192, 256], BN = [64, 128, 192, 256], BK = [64, 128],
           WARPS = [4, 8, 12, 16], PRODUCERS = [4], STAGES = [2, 3, 4, 6, 8, 12, 16], VEC = [8],
           CLUSTER = [1, 2, 4, 8], PARTS = [0]},
          {BM = [8, 16, 32], BN = [16, 32, 64], BK = [256, 512, 1024],
           WARPS = [4, 8, 16], PRODUCERS = [0], STAGES = [1, 2], VEC = [8],
           CLUSTER = [1, 2], PARTS = [4, 8, 16]}
    where ["CLUSTER == 1 or TMA == 1", "PARTS > 0 or TMA + WGMMA == 2", "PARTS == 0 or WAVE == 32", "DT_bytes == 2",
           "K mod VEC == 0", "select(PARTS == 0, N, 0) mod VEC == 0", "BM mod CLUSTER == 0",
           "PARTS > 0 or BN == 16 * WARPS", "WARPS <= 8 or BM <= 144",
           "PARTS > 0 or STAGES * DT_bytes * BK * (BM + BN) >= 49152",
           "PARTS > 0 or max(STAGES * DT_bytes * BK * (BM + BN), 4 * BM * BN) + 2048 <= SMEM",
           "PARTS == 0 or PARTS == WARPS", "PARTS == 0 or BK mod (32 * PARTS) == 0",
           "4 * PARTS * BM * BN <= 49152",
           "PARTS == 0 or DT_bytes * BK * (BM + BN) * STAGES <= 320 * WARPS * WAVE"]
    grid ["(T ceildiv BM) * (N ceildiv BN) * CLUSTER"] runtime ["T", "K", "N"]
    model {m = "N", n = "T", k = "K", tile_m = "BN", tile_n = "BM", tile_k = "BK", split = "CLUSTER",
           registers = "select(PARTS > 0, 0, min(248, select(WARPS == 4, 64 + BM * BN floordiv (WARPS * WAVE), 65536 floordiv ((WARPS + PRODUCERS) * WAVE) floordiv 8 * 8)))"} {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %low = arith.constant -170.0 : f32
  // Below it exp(-y) is infinite even in f64, and the gate is zero.
  %end = arith.constant -709.5 : f32
  %halves = tile.splat %half : f32 -> !wide
  %lows = tile.splat %low : f32 -> !wide
  %ends = tile.splat %end : f32 -> !wide
  %ones = tile.splat %one : f32 -> !wide
  %zeros = tile.splat %zero : f32 -> !wide
  %none = tile.splat %zero : f32 -> !sums
  %depth = tile.size "K"
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %bk = tile.size "BK"
  %cluster = tile.size "CLUSTER"
  %slice = tile.size "BM floordiv CLUSTER"
  %down = tile.size "T ceildiv BM"
  %part = tile.size "(K ceildiv BK ceildiv CLUSTER) * BK"
  %pid = tile.program_id 0
  %item = arith.divui %pid, %cluster : index
  %i = arith.remui %item, %down : index
  %j = arith.divui %item, %down : index
  %first_row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %rank = tile.cluster_rank
  %first = arith.muli %rank, %part : index
  %last = arith.addi %first, %part : index
  %stop = arith.minui %last, %depth : index
  %partial = scf.for %k = %first to %stop step %bk iter_args(%so_far = %none) -> (!sums) {
    %w = tile.load %weight[%col, %k] evict_first : !tile.view<[N, K], !tile.dtype<DT>> -> !w_tile
    %x = tile.load %hidden_states[%first_row, %k] : !tile.view<[T, K], !tile.dtype<DT>> -> !x_tile
    %next = tile.dot %w, %x transposed, %so_far : !w_tile, !x_tile, !sums
    scf.yield %next : !sums
  }
  %turned = tile.transpose %partial : !sums -> !turned
  %sum = tile.cluster_reduce %turned along 0 : !turned -> !wide
  %mine = arith.muli %rank, %slice : index
  %row = arith.addi %first_row, %mine : index
  %bias_narrow = tile.load %bias[%col] : !tile.view<[N], !tile.dtype<DT>> -> !bias
  %bias_row = tile.convert %bias_narrow : !bias -> !bias_wide
  %bias_tile = tile.broadcast %bias_row along 0 : !bias_wide -> !wide
  %biased = arith.addf %sum, %bias_tile : !wide
  %y_narrow = tile.convert %biased : !wide -> !narrow
  %y = tile.convert %y_narrow : !narrow -> !wide
  // Sigmoid is 1 / (1 + q), for negative y times q, where q = exp(-|y|). Its root
  // does not underflow where f32 has a product, as q does.
  %minus = arith.negf %y : !wide
  %closeness = arith.minimumf %y, %minus : !wide
  %bounded = arith.maximumf %closeness, %lows : !wide
  %halved = arith.mulf %bounded, %halves : !wide
  %root = math.exp %halved : !wide
  %q = arith.mulf %root, %root : !wide
  %denominator = arith.addf %ones, %q : !wide
  %scale = arith.divf %ones, %denominator fastmath<arcp> : !wide
  %negative = arith.cmpf olt, %y, %zeros : !wide
  %gone = arith.cmpf olt, %y, %ends : !wide
  %kept = arith.select %gone, %zeros, %root : !kept, !wide
  %factor = arith.select %negative, %kept, %ones : !kept, !wide
  %post_narrow = tile.load %post_mul_mat[%row, %col] : !tile.view<[T, N], !tile.dtype<DT>> -> !narrow
  %post = tile.convert %post_narrow : !narrow -> !wide
  %once = arith.mulf %post, %factor : !wide
  %twice = arith.mulf %once, %factor : !wide
  %gated = arith.mulf %twice, %scale : !wide
  %result = tile.convert %gated : !wide -> !narrow
  tile.store %result to %out[%row, %col] evict_first : !narrow, !tile.view<[T, N], !tile.dtype<DT>>
  tile.return
}
