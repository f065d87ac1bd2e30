// A block computes BM x BN of the output, one column of both factors at a time:
// for groups of any size, of any alignment. Products of fp8 and their sums are
// exact in f64.
!a_line = tensor<?x!tile.dtype<F8>, #tile.extents<[BM]>>
!b_line = tensor<?x!tile.dtype<F8>, #tile.extents<[BN]>>
!rows = tensor<?xf32, #tile.extents<[BM]>>
!columns = tensor<?xf32, #tile.extents<[BN]>>
!rows_wide = tensor<?xf64, #tile.extents<[BM]>>
!columns_wide = tensor<?xf64, #tile.extents<[BN]>>
!sums = tensor<?x?xf64, #tile.extents<[BM, BN]>>
!out = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!a_view = !tile.view<[M, K], !tile.dtype<F8>>
!b_view = !tile.view<[N, K], !tile.dtype<F8>>
!a_scales = !tile.view<[M, K ceildiv GK], f32>
!b_scales = !tile.view<[N ceildiv GN, K ceildiv GK], f32>

tile.kernel @sums(%a: !a_view, %b: !b_view, %a_scales: !a_scales, %b_scales: !b_scales,
                  %out: !tile.view<[M, N], f32>)
    space {BM = [8, 16, 32], BN = [16, 32, 64], WARPS = [1, 2, 4], VEC = [1]}
    where ["BM * BN <= 8 * WARPS * WAVE", "BM * BN >= 2 * WARPS * WAVE"]
    grid ["(M ceildiv BM) * (N ceildiv BN)"]
    runtime ["M", "N", "K", "GN", "GK"]
    model {m = "M", n = "N", k = "K", tile_m = "BM", tile_n = "BN", tile_k = "1", mma_cost = "0",
           lane_ops = "4096 + 64 * BM * BN", live = "4 * BM * BN ceildiv (WARPS * WAVE)",
           passes = "max(1, (2 * (N * (M ceildiv BM) + M * (N ceildiv BN)) + N + M) floordiv (2 * (N + M)))"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %zeros = tile.splat %zero : f64 -> !sums
  %depth = tile.size "K"
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %gk = tile.size "GK"
  %down = tile.size "M ceildiv BM"
  %pid = tile.program_id 0
  %i = arith.remui %pid, %down : index
  %j = arith.divui %pid, %down : index
  %row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %sum = scf.for %begin = %c0 to %depth step %gk iter_args(%total = %zeros) -> (!sums) {
    %block = arith.divui %begin, %gk : index
    %full = arith.addi %begin, %gk : index
    %end = arith.minui %full, %depth : index
    %part = scf.for %k = %begin to %end step %c1 iter_args(%held = %zeros) -> (!sums) {
      %x_narrow = tile.load_groups %a[%row, %k] along 0 groups "1" : !a_view -> !a_line
      %y_narrow = tile.load_groups %b[%col, %k] along 0 groups "1" : !b_view -> !b_line
      %x = tile.convert %x_narrow : !a_line -> !rows_wide
      %y = tile.convert %y_narrow : !b_line -> !columns_wide
      %x_all = tile.broadcast %x along 1 : !rows_wide -> !sums
      %y_all = tile.broadcast %y along 0 : !columns_wide -> !sums
      %product = arith.mulf %x_all, %y_all : !sums
      %next = arith.addf %held, %product : !sums
      scf.yield %next : !sums
    }
    %x_scale = tile.load_groups %a_scales[%row, %block] along 0 groups "1" : !a_scales -> !rows
    %y_scale = tile.load_groups %b_scales[%col, %block] along 0 groups "GN" : !b_scales -> !columns
    %x_scale_wide = tile.convert %x_scale : !rows -> !rows_wide
    %y_scale_wide = tile.convert %y_scale : !columns -> !columns_wide
    %x_scales = tile.broadcast %x_scale_wide along 1 : !rows_wide -> !sums
    %y_scales = tile.broadcast %y_scale_wide along 0 : !columns_wide -> !sums
    %half = arith.mulf %part, %x_scales : !sums
    %scaled = arith.mulf %half, %y_scales : !sums
    %grown = arith.addf %total, %scaled : !sums
    scf.yield %grown : !sums
  }
  %result = tile.convert %sum : !sums -> !out
  tile.store %result to %out[%row, %col] evict_first : !out, !tile.view<[M, N], f32>
  tile.return
}
