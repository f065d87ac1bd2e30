// A block computes BM x BN of the output, BK of K at a time, by tensor cores. What
// BK columns add up to is scaled in f32. Exact sums multiply f16 values, which
// hold every fp8 value; native ones multiply fp8. Rings of cp.async hold fp8 of either
// kind.
!a_tile = tensor<?x?x!tile.dtype<F8>, #tile.extents<[BM, BK]>>
!b_tile = tensor<?x?x!tile.dtype<F8>, #tile.extents<[BN, BK]>>
!a_wide = tensor<?x?xf16, #tile.extents<[BM, BK]>>
!b_wide = tensor<?x?xf16, #tile.extents<[BN, BK]>>
!rows = tensor<?xf32, #tile.extents<[BM]>>
!columns = tensor<?xf32, #tile.extents<[BN]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!a_view = !tile.view<[M, K], !tile.dtype<F8>>
!b_view = !tile.view<[N, K], !tile.dtype<F8>>
!a_scales = !tile.view<[M, K ceildiv GK], f32>
!b_scales = !tile.view<[N ceildiv GN, K ceildiv GK], f32>

tile.kernel @tiles(%a: !a_view, %b: !b_view, %a_scales: !a_scales, %b_scales: !b_scales,
                   %out: !tile.view<[M, N], f32>)
    space {BM = [16, 32, 64, 128], BN = [32, 64, 128], BK = [32, 64, 128],
           WARPS = [1, 2, 4, 8], VEC = [1, 2, 4, 8, 16], STAGES = [2]},
          {BM = [16, 32, 64, 128], BN = [32, 64, 128], BK = [64, 128],
           WARPS = [4, 8], VEC = [16], STAGES = [3, 4, 5, 6]}
    where ["accumulate == 0 or FP8", "GK mod BK == 0",
           "VEC == 1 or K mod VEC == 0",
           "STAGES == 2 or WAVE == 32",
           "select(STAGES > 2, STAGES, 2 - accumulate) * BK * (BM + BN) <= select(STAGES > 2, SMEM - 1024, 49152)",
           "BK * (BM + BN) <= 32 * VEC * WARPS * WAVE",
           "BM * BN <= 64 * WARPS * WAVE", "BM * BN >= select(STAGES > 2, 8, 16) * WARPS * WAVE",
           "BM * BN mod (4 * WARPS * WAVE) == 0"]
    grid ["(M ceildiv BM) * (N ceildiv BN)"]
    runtime ["M", "N", "K"]
    model {m = "M", n = "N", k = "K", tile_m = "BM", tile_n = "BN", tile_k = "BK",
           mma_cost = "select(WGMMA, 2, 2 - accumulate)", lane_ops = "2 * BM * BN + (1 - accumulate) * select(STAGES > 2, 3, 1) * BK * (BM + BN)",
           live = "2 * BM * BN ceildiv (WARPS * WAVE)",
           passes = "max(1, (2 * (N * (M ceildiv BM) + M * (N ceildiv BN)) + N + M) floordiv (2 * (N + M)))",
           registers = "48 + 2 * BM * BN ceildiv (WARPS * WAVE) + select(STAGES > 2, 40, BK * (BM + BN) ceildiv (WARPS * WAVE))"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %depth = tile.size "K"
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %bk = tile.size "BK"
  %gk = tile.size "GK"
  %down = tile.size "M ceildiv BM"
  %accumulate = tile.size "accumulate"
  %exact = arith.cmpi eq, %accumulate, %c0 : index
  %pid = tile.program_id 0
  %i = arith.remui %pid, %down : index
  %j = arith.divui %pid, %down : index
  %row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %sum = scf.for %k = %c0 to %depth step %bk iter_args(%total = %zeros) -> (!sums) {
    %block = arith.divui %k, %gk : index
    %x_scale = tile.load_groups %a_scales[%row, %block] along 0 groups "1" : !a_scales -> !rows
    %y_scale = tile.load_groups %b_scales[%col, %block] along 0 groups "GN" : !b_scales -> !columns
    %x = tile.load %a[%row, %k] : !a_view -> !a_tile
    %y = tile.load %b[%col, %k] : !b_view -> !b_tile
    %part = scf.if %exact -> (!sums) {
      %x_wide = tile.convert %x : !a_tile -> !a_wide
      %y_wide = tile.convert %y : !b_tile -> !b_wide
      %wide = tile.dot %x_wide, %y_wide transposed, %zeros : !a_wide, !b_wide, !sums
      scf.yield %wide : !sums
    } else {
      %narrow = tile.dot %x, %y transposed, %zeros : !a_tile, !b_tile, !sums
      scf.yield %narrow : !sums
    }
    %x_scales = tile.broadcast %x_scale along 1 : !rows -> !sums
    %y_scales = tile.broadcast %y_scale along 0 : !columns -> !sums
    %scale = arith.mulf %x_scales, %y_scales : !sums
    %scaled = arith.mulf %part, %scale : !sums
    %next = arith.addf %total, %scaled : !sums
    scf.yield %next : !sums
  }
  tile.store %sum to %out[%row, %col] evict_first : !sums, !tile.view<[M, N], f32>
  tile.return
}
