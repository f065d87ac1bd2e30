// Exact sums on warpgroups: four warps load fp8 and write it to shared memory as f16,
// which holds every fp8 value, and the others multiply that by wgmma: BM x BN of the
// output, twice BK of K at a time, one work item after the other. What two steps of BK
// add up to is scaled in f32, by scales that were loaded a turn before.
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

tile.kernel @wide(%a: !a_view, %b: !b_view, %a_scales: !a_scales, %b_scales: !b_scales,
                  %out: !tile.view<[M, N], f32>)
    space {BM = [64, 128], BN = [64, 96, 128], BK = [64], WARPS = [4, 8], PRODUCERS = [4],
           STAGES = [2, 3, 4, 5], VEC = [16], PERSISTENT = [0, 1], PREFETCH = [1]}
    where ["TMA + WGMMA == 2", "accumulate == 0", "GK mod (2 * BK) == 0", "K mod VEC == 0",
           "BM == 16 * WARPS", "BM * BN <= 64 * WARPS * WAVE", "BM < 128 or GN mod BN == 0",
           "4 * STAGES * BK * (BM + BN) + 1024 <= SMEM"]
    grid ["(M ceildiv BM) * (N ceildiv BN)"]
    runtime ["M", "N", "K"]
    model {m = "M", n = "N", k = "K", tile_m = "BM", tile_n = "BN", tile_k = "2 * BK",
           mma_cost = "2", lane_ops = "3 * BM * BN + 3 * BK * (BM + BN)",
           registers = "65536 floordiv ((WARPS + PRODUCERS) * WAVE) floordiv 8 * 8"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %depth = tile.size "K"
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %bk = tile.size "BK"
  %step = tile.size "2 * BK"
  %gk = tile.size "GK"
  %pid = tile.program_id 0
  %i, %j = tile.raster %pid over ("M ceildiv BM", "N ceildiv BN") group "8"
  %row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %sum = scf.for %k = %c0 to %depth step %step iter_args(%total = %zeros) -> (!sums) {
    %block = arith.divui %k, %gk : index
    %half = arith.addi %k, %bk : index
    %x_scale = tile.load_groups %a_scales[%row, %block] along 0 groups "1" : !a_scales -> !rows
    %y_scale = tile.load_groups %b_scales[%col, %block] along 0 groups "GN" : !b_scales -> !columns
    %x = tile.load %a[%row, %k] : !a_view -> !a_tile
    %y = tile.load %b[%col, %k] : !b_view -> !b_tile
    %x_next = tile.load %a[%row, %half] : !a_view -> !a_tile
    %y_next = tile.load %b[%col, %half] : !b_view -> !b_tile
    %x_wide = tile.convert %x : !a_tile -> !a_wide
    %y_wide = tile.convert %y : !b_tile -> !b_wide
    %x_next_wide = tile.convert %x_next : !a_tile -> !a_wide
    %y_next_wide = tile.convert %y_next : !b_tile -> !b_wide
    %first = tile.dot %x_wide, %y_wide transposed, %zeros : !a_wide, !b_wide, !sums
    %part = tile.dot %x_next_wide, %y_next_wide transposed, %first : !a_wide, !b_wide, !sums
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
