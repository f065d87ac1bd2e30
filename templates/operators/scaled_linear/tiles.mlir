// A block computes BM x BN of the output, BK of K at a time, by tensor cores.
// Exact sums multiply f16 values, which hold every fp8 value; native ones multiply
// fp8 and move what BK columns add up to into f32. A scale of the whole tensor is
// one that all rows or columns share. Rings of cp.async hold fp8 of either kind.
!x_tile = tensor<?x?x!tile.dtype<XT>, #tile.extents<[BM, BK]>>
!w_tile = tensor<?x?x!tile.dtype<WT>, #tile.extents<[BN, BK]>>
!x_wide = tensor<?x?xf16, #tile.extents<[BM, BK]>>
!w_wide = tensor<?x?xf16, #tile.extents<[BN, BK]>>
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

tile.kernel @tiles(%x: !x_view, %w: !w_view, %x_scale: !x_scales, %w_scale: !w_scales,
                   %bias: !bias_view, %out: !out_view)
    space {BM = [16, 32, 64, 128], BN = [32, 64, 128], BK = [32, 64, 128],
           WARPS = [1, 2, 4, 8], VEC = [1, 2, 4, 8, 16], STAGES = [2]},
          {BM = [16, 32, 64, 128, 256], BN = [32, 64, 128, 256], BK = [64, 128],
           WARPS = [4, 8, 16], VEC = [16], STAGES = [3, 4, 5, 6]}
    where ["accumulate == 0 or FP8", "select(STAGES > 2, K, 0) mod VEC == 0",
           "STAGES == 2 or WAVE == 32",
           "select(STAGES > 2, STAGES, 2 - accumulate) * BK * (BM + BN) <= select(STAGES > 2, SMEM - 1024, 49152)",
           "BK * (BM + BN) <= 32 * VEC * WARPS * WAVE",
           "BM * BN <= select(STAGES == 2, 64, select(WARPS > 8, 64 - 32 * accumulate, 128 - 64 * accumulate)) * WARPS * WAVE", "BM * BN >= select(STAGES > 2, 8, 16) * WARPS * WAVE",
           "BM * BN mod (4 * WARPS * WAVE) == 0"]
    grid ["(M ceildiv BM) * (N ceildiv BN)"]
    runtime ["M", "N", "K", "XS", "WS", "OS"]
    model {m = "M", n = "N", k = "K", tile_m = "BM", tile_n = "BN", tile_k = "BK",
           mma_cost = "select(WGMMA, 2, 2 - accumulate)",
           lane_ops = "accumulate * BM * BN + (1 - accumulate) * select(STAGES > 2, 3, 1) * BK * (BM + BN)",
           live = "(1 + accumulate) * BM * BN ceildiv (WARPS * WAVE)",
           passes = "max(1, (2 * (N * (M ceildiv BM) + M * (N ceildiv BN)) + N + M) floordiv (2 * (N + M)))",
           registers = "48 + (1 + accumulate) * BM * BN ceildiv (WARPS * WAVE) + select(STAGES > 2, 40, BK * (BM + BN) ceildiv (WARPS * WAVE))"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %depth = tile.size "K"
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %bk = tile.size "BK"
  %down = tile.size "M ceildiv BM"
  %accumulate = tile.size "accumulate"
  %x_step = tile.size "x_scaling"
  %w_step = tile.size "w_scaling"
  %exact = arith.cmpi eq, %accumulate, %c0 : index
  %pid = tile.program_id 0
  %i = arith.remui %pid, %down : index
  %j = arith.divui %pid, %down : index
  %row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %sum = scf.for %k = %c0 to %depth step %bk iter_args(%total = %zeros) -> (!sums) {
    %a = tile.load %x[%row, %k] : !x_view -> !x_tile
    %b = tile.load %w[%col, %k] : !w_view -> !w_tile
    %next = scf.if %exact -> (!sums) {
      %a_wide = tile.convert %a : !x_tile -> !x_wide
      %b_wide = tile.convert %b : !w_tile -> !w_wide
      %wide = tile.dot %a_wide, %b_wide transposed, %total : !x_wide, !w_wide, !sums
      scf.yield %wide : !sums
    } else {
      %part = tile.dot %a, %b transposed, %zeros : !x_tile, !w_tile, !sums
      %narrow = arith.addf %total, %part : !sums
      scf.yield %narrow : !sums
    }
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
