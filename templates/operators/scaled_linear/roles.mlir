// Four warps of a block copy by TMA what the others multiply by wgmma, as fp8: BM x
// BN of the output, BK of K at a time, one work item after the other. What BK
// columns add up to moves into f32. A scale of the whole tensor is one that all
// rows or columns share.
!x_tile = tensor<?x?x!tile.dtype<XT>, #tile.extents<[BM, BK]>>
!w_tile = tensor<?x?x!tile.dtype<WT>, #tile.extents<[BN, BK]>>
!rows = tensor<?xf32, #tile.extents<[BM]>>
!columns = tensor<?xf32, #tile.extents<[BN]>>
!bias = tensor<?x!tile.dtype<OT>, #tile.extents<[BN]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!out = tensor<?x?x!tile.dtype<OT>, #tile.extents<[BM, BN]>>
!x_view = !tile.view<[M, K], !tile.dtype<XT>, [XS, 1]>
!w_view = !tile.view<[N, K], !tile.dtype<WT>, [WS, 1]>
!x_scales = !tile.view<[select(x_scaling, M, 1)], f32>
!w_scales = !tile.view<[select(w_scaling, N, 1)], f32>
!bias_view = !tile.view<[with_bias * N], !tile.dtype<OT>>
!out_view = !tile.view<[M, N], !tile.dtype<OT>, [OS, 1]>

tile.kernel @roles(%x: !x_view, %w: !w_view, %x_scale: !x_scales, %w_scale: !w_scales,
                   %bias: !bias_view, %out: !out_view)
    space {BM = [64, 128, 192, 256], BN = [32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208],
           BK = [128], WARPS = [4, 8, 12, 16], PRODUCERS = [4], STAGES = [2, 3, 4, 5, 6, 8], VEC = [16],
           PERSISTENT = [0, 1], STAGING = [0, 1, 2]}
    where ["TMA + WGMMA + FP8 == 3", "accumulate == 1", "select(OT_bytes <= 2, N, 0) mod 8 == 0",
           "BM == 16 * WARPS",
           "BM * BN <= select(WARPS > 12, 48, select(WARPS > 8, 64, 104)) * WARPS * WAVE",
           "STAGING == 0 or OT_bytes <= 2", "STAGING == 0 or PERSISTENT == 1", "STAGING * 32 < BN",
           "STAGES * BK * (BM + BN) + select(OT_bytes <= 2, PERSISTENT, 0) * OT_bytes * BM * select(STAGING, min(STAGING * 32, BN) + BN mod 32, BN) + 1024 <= SMEM"]
    grid ["(M ceildiv BM) * (N ceildiv BN)"]
    runtime ["M", "N", "K", "XS", "WS", "OS"]
    model {m = "M", n = "N", k = "K", tile_m = "BM", tile_n = "BN", tile_k = "BK",
           lane_ops = "BM * BN",
           registers = "min(248, select(WARPS == 4, 64 + 2 * BM * BN floordiv (WARPS * WAVE), 65536 floordiv ((WARPS + PRODUCERS) * WAVE) floordiv 8 * 8))"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %depth = tile.size "K"
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %bk = tile.size "BK"
  %x_step = tile.size "x_scaling"
  %w_step = tile.size "w_scaling"
  %pid = tile.program_id 0
  %i, %j = tile.raster %pid over ("M ceildiv BM", "N ceildiv BN") group "8"
  %row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %sum = scf.for %k = %c0 to %depth step %bk iter_args(%total = %zeros) -> (!sums) {
    %a = tile.load %x[%row, %k] : !x_view -> !x_tile
    %b = tile.load %w[%col, %k] : !w_view -> !w_tile
    %part = tile.dot %a, %b transposed, %zeros : !x_tile, !w_tile, !sums
    %next = arith.addf %total, %part : !sums
    scf.yield %next : !sums
  }
  %x_place = arith.muli %row, %x_step : index
  %w_place = arith.muli %col, %w_step : index
  %x_line = tile.load_groups %x_scale[%x_place] along 0 groups "select(x_scaling, 1, BM)" : !x_scales -> !rows
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
