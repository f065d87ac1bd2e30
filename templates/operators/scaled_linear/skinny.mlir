// For few rows of x: weights feed the wide side of matrix instructions. BN rows of w
// meet BM rows of x; the blocks of a cluster share K, and then the rows of the sum.
// Either TMA feeds wgmma, or warps that share K too load what they multiply. What 128
// columns add up to moves into f32. A scale of the whole tensor is one that all rows
// or columns share.
!x_tile = tensor<?x?x!tile.dtype<XT>, #tile.extents<[BM, BK]>>
!w_tile = tensor<?x?x!tile.dtype<WT>, #tile.extents<[BN, BK]>>
!rows = tensor<?xf32, #tile.extents<[BM floordiv CLUSTER]>>
!columns = tensor<?xf32, #tile.extents<[BN]>>
!bias = tensor<?x!tile.dtype<OT>, #tile.extents<[BN]>>
!parts = tensor<?x?xf32, #tile.extents<[BN, BM]>>
!turned = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!sums = tensor<?x?xf32, #tile.extents<[BM floordiv CLUSTER, BN]>>
!out = tensor<?x?x!tile.dtype<OT>, #tile.extents<[BM floordiv CLUSTER, BN]>>
!x_view = !tile.view<[M, K], !tile.dtype<XT>, [XS, 1]>
!w_view = !tile.view<[N, K], !tile.dtype<WT>, [WS, 1]>
!x_scales = !tile.view<[select(x_scaling, M, 1)], f32>
!w_scales = !tile.view<[select(w_scaling, N, 1)], f32>
!bias_view = !tile.view<[with_bias * N], !tile.dtype<OT>>
!out_view = !tile.view<[M, N], !tile.dtype<OT>, [OS, 1]>

tile.kernel @skinny(%x: !x_view, %w: !w_view, %x_scale: !x_scales, %w_scale: !w_scales,
                    %bias: !bias_view, %out: !out_view)
    space {BM = [8, 16, 24, 32, 40, 48, 64, 72, 96, 128, 136, 144, 160, 192], BN = [64, 128, 192, 256], BK = [128],
           WARPS = [4, 8, 12, 16], PRODUCERS = [4], STAGES = [2, 3, 4, 6, 8, 12, 16], VEC = [16],
           CLUSTER = [1, 2, 4, 8], PARTS = [0]},
          {BM = [8, 16, 32], BN = [16, 32, 64], BK = [256, 512, 1024, 2048],
           WARPS = [4, 8, 16], PRODUCERS = [0], STAGES = [1, 2], VEC = [16],
           CLUSTER = [1, 2], PARTS = [4, 8, 16]}
    where ["PARTS > 0 or TMA + WGMMA == 2", "PARTS == 0 or WAVE == 32", "accumulate + FP8 == 2",
           "BM mod CLUSTER == 0", "select(OT_bytes <= 2 and PARTS == 0, N, 0) mod 8 == 0",
           "select(PARTS == 0, 0, K) mod VEC == 0", "PARTS > 0 or BN == 16 * WARPS",
           "BM <= select(WARPS > 12, 96, select(WARPS > 8, 128, 192))",
           "PARTS > 0 or STAGES * BK * (BM + BN) >= 49152",
           "PARTS > 0 or max(STAGES * BK * (BM + BN), 4 * BM * BN) + 2048 <= SMEM",
           "PARTS == 0 or PARTS == WARPS",
           "PARTS == 0 or BK == 64 * PARTS or BK == 128 * PARTS",
           "4 * PARTS * BM * BN <= 49152",
           "PARTS == 0 or BK * (BM + BN) * STAGES <= 320 * WARPS * WAVE"]
    grid ["(M ceildiv BM) * (N ceildiv BN) * CLUSTER"]
    runtime ["M", "N", "K", "XS", "WS", "OS"]
    model {m = "N", n = "M", k = "K", tile_m = "BN", tile_n = "BM", tile_k = "BK", split = "CLUSTER",
           lane_ops = "BM * BN * max(PARTS, 1)",
           registers = "select(PARTS > 0, 0, min(248, select(WARPS == 4, 64 + 2 * BM * BN floordiv (WARPS * WAVE), 65536 floordiv ((WARPS + PRODUCERS) * WAVE) floordiv 8 * 8)))"} {
  %zero = arith.constant 0.0 : f32
  %none = tile.splat %zero : f32 -> !parts
  %depth = tile.size "K"
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %bk = tile.size "BK"
  %cluster = tile.size "CLUSTER"
  %slice = tile.size "BM floordiv CLUSTER"
  %down = tile.size "M ceildiv BM"
  %part = tile.size "(K ceildiv BK ceildiv CLUSTER) * BK"
  %x_step = tile.size "x_scaling"
  %w_step = tile.size "w_scaling"
  %pid = tile.program_id 0
  %item = arith.divui %pid, %cluster : index
  %i = arith.remui %item, %down : index
  %j = arith.divui %item, %down : index
  %first_row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %rank = tile.cluster_rank
  %first = arith.muli %rank, %part : index
  %last = arith.addi %first, %part : index
  %end = arith.minui %last, %depth : index
  %partial = scf.for %k = %first to %end step %bk iter_args(%so_far = %none) -> (!parts) {
    %a = tile.load %w[%col, %k] evict_first : !w_view -> !w_tile
    %b = tile.load %x[%first_row, %k] : !x_view -> !x_tile
    %turn = tile.dot %a, %b transposed, %none : !w_tile, !x_tile, !parts
    %next = arith.addf %so_far, %turn : !parts
    scf.yield %next : !parts
  }
  %turned = tile.transpose %partial : !parts -> !turned
  %sum = tile.cluster_reduce %turned along 0 : !turned -> !sums
  %mine = arith.muli %rank, %slice : index
  %row = arith.addi %first_row, %mine : index
  %x_place = arith.muli %row, %x_step : index
  %w_place = arith.muli %col, %w_step : index
  %x_line = tile.load_groups %x_scale[%x_place] along 0 groups "select(x_scaling, 1, BM floordiv CLUSTER)" : !x_scales -> !rows
  %w_line = tile.load_groups %w_scale[%w_place] along 0 groups "select(w_scaling, 1, BN)" : !w_scales -> !columns
  %x_all = tile.broadcast %x_line along 1 : !rows -> !sums
  %w_all = tile.broadcast %w_line along 0 : !columns -> !sums
  %scale = arith.mulf %x_all, %w_all : !sums
  %scaled = arith.mulf %sum, %scale : !sums
  %bias_narrow = tile.load %bias[%col] : !bias_view -> !bias
  %bias_line = tile.convert %bias_narrow : !bias -> !columns
  %bias_all = tile.broadcast %bias_line along 0 : !columns -> !sums
  %biased = arith.addf %scaled, %bias_all : !sums
  %result = tile.convert %biased : !sums -> !out
  tile.store %result to %out[%row, %col] evict_first : !out, !out_view
  tile.return
}
