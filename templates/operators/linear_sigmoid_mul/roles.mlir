// Four warps of a block copy by TMA what the others multiply by wgmma: BM x BN of
// the output, BK of K at a time, one work item after the other.
!a_tile = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BK]>>
!b_tile = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, BK]>>
!bias = tensor<?x!tile.dtype<DT>, #tile.extents<[BN]>>
!bias_wide = tensor<?xf32, #tile.extents<[BN]>>
!narrow = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!wide = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!kept = tensor<?x?xi1, #tile.extents<[BM, BN]>>

tile.kernel @roles(%hidden_states: !tile.view<[T, K], !tile.dtype<DT>>,
                   %weight: !tile.view<[N, K], !tile.dtype<DT>>,
                   %bias: !tile.view<[N], !tile.dtype<DT>>,
                   %post_mul_mat: !tile.view<[T, N], !tile.dtype<DT>>,
                   %out: !tile.view<[T, N], !tile.dtype<DT>>)
    space {BM = [64, 128, 192, 256], BN = [32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256],
           BK = [64, 128], WARPS = [4, 8, 12, 16], PRODUCERS = [4], STAGES = [2, 3, 4, 5, 6, 8],
           VEC = [8], PERSISTENT = [0, 1], STAGING = [0, 1, 2], PINGPONG = [0]},
          {BM = [64], BN = [256], BK = [64], WARPS = [8], PRODUCERS = [4], STAGES = [3, 4, 5], VEC = [8], PERSISTENT = [1], STAGING = [0, 1, 2], PINGPONG = [1]}
    where ["TMA + WGMMA == 2", "DT_bytes == 2", "K mod VEC == 0", "N mod VEC == 0",
           "PINGPONG == 1 or BM == 16 * WARPS", "STAGING == 0 or PERSISTENT == 1", "STAGING * 32 < BN",
           "BM * BN <= select(WARPS > 12, 64, select(WARPS > 8, 80 - 8 * min(STAGING, 1), 128)) * WARPS * WAVE",
           "PERSISTENT == 0 or WARPS > 8 or BN == 256 or BM * BN <= 64 * WARPS * WAVE",
           "STAGES * DT_bytes * BK * (BM + BN) + (PERSISTENT + PINGPONG) * DT_bytes * BM * select(STAGING, min(STAGING * 32, BN) + BN mod 32, BN) + 1024 <= SMEM"]
    grid ["(T ceildiv BM) * (N ceildiv BN)"] runtime ["T", "K", "N"]
    model {m = "T", n = "N", k = "K", tile_m = "BM", tile_n = "BN", tile_k = "BK",
           registers = "min(248, select(WARPS == 4, 64 + BM * BN floordiv (WARPS * WAVE), 65536 floordiv ((WARPS + PRODUCERS) * WAVE) floordiv 8 * 8))"} {
  %c0 = arith.constant 0 : index
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
  %depth = tile.size "K"
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %bk = tile.size "BK"
  %pid = tile.program_id 0
  %i, %j = tile.raster %pid over ("T ceildiv BM", "N ceildiv BN") group "8"
  %row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %sum = scf.for %k = %c0 to %depth step %bk iter_args(%total = %zeros) -> (!wide) {
    %x = tile.load %hidden_states[%row, %k] : !tile.view<[T, K], !tile.dtype<DT>> -> !a_tile
    %w = tile.load %weight[%col, %k] : !tile.view<[N, K], !tile.dtype<DT>> -> !b_tile
    %next = tile.dot %x, %w transposed, %total : !a_tile, !b_tile, !wide
    scf.yield %next : !wide
  }
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
