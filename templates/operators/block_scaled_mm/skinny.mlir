// For few rows of a: weights feed the wide side of wgmma, of what other warps copy by
// TMA. BN rows of b meet BM rows of a; the blocks of a cluster share K, and then the
// rows of the sum. What BK columns add up to is scaled in f32, by scales that were
// loaded a turn before.
!a_tile = tensor<?x?x!tile.dtype<F8>, #tile.extents<[BM, BK]>>
!b_tile = tensor<?x?x!tile.dtype<F8>, #tile.extents<[BN, BK]>>
!a_line = tensor<?xf32, #tile.extents<[BM]>>
!b_line = tensor<?xf32, #tile.extents<[BN]>>
!sums = tensor<?x?xf32, #tile.extents<[BN, BM]>>
!turned = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!out = tensor<?x?xf32, #tile.extents<[BM floordiv CLUSTER, BN]>>
!a_view = !tile.view<[M, K], !tile.dtype<F8>>
!b_view = !tile.view<[N, K], !tile.dtype<F8>>
!a_scales = !tile.view<[M, K ceildiv GK], f32>
!b_scales = !tile.view<[N ceildiv GN, K ceildiv GK], f32>

tile.kernel @skinny(%a: !a_view, %b: !b_view, %a_scales: !a_scales, %b_scales: !b_scales,
                    %out: !tile.view<[M, N], f32>)
    space {BM = [8, 16, 24, 32, 40, 48, 64, 72, 96], BN = [64, 128, 192, 256], BK = [128],
           WARPS = [4, 8, 12, 16], PRODUCERS = [4], STAGES = [2, 3, 4, 6, 8, 12, 16], VEC = [16],
           CLUSTER = [1, 2, 4, 8], PREFETCH = [1]}
    where ["TMA + WGMMA + FP8 == 3", "accumulate == 1", "GK mod BK == 0", "K mod VEC == 0",
           "BM mod CLUSTER == 0", "BN == 16 * WARPS", "BM <= select(WARPS > 12, 40, select(WARPS > 8, 64, 96))",
           "STAGES * BK * (BM + BN) >= 49152",
           "max(STAGES * BK * (BM + BN), 4 * BM * BN) + 2048 <= SMEM"]
    grid ["(M ceildiv BM) * (N ceildiv BN) * CLUSTER"]
    runtime ["M", "N", "K"]
    model {m = "N", n = "M", k = "K", tile_m = "BN", tile_n = "BM", tile_k = "BK", split = "CLUSTER",
           lane_ops = "3 * BM * BN",
           registers = "min(248, select(WARPS == 4, 64 + 2 * BM * BN floordiv (WARPS * WAVE), 65536 floordiv ((WARPS + PRODUCERS) * WAVE) floordiv 8 * 8))"} {
  %zero = arith.constant 0.0 : f32
  %zeros = tile.splat %zero : f32 -> !sums
  %depth = tile.size "K"
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %bk = tile.size "BK"
  %gk = tile.size "GK"
  %cluster = tile.size "CLUSTER"
  %slice = tile.size "BM floordiv CLUSTER"
  %down = tile.size "M ceildiv BM"
  %share = tile.size "(K ceildiv BK ceildiv CLUSTER) * BK"
  %pid = tile.program_id 0
  %item = arith.divui %pid, %cluster : index
  %i = arith.remui %item, %down : index
  %j = arith.divui %item, %down : index
  %first_row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %rank = tile.cluster_rank
  %first = arith.muli %rank, %share : index
  %last = arith.addi %first, %share : index
  %end = arith.minui %last, %depth : index
  %partial = scf.for %k = %first to %end step %bk iter_args(%total = %zeros) -> (!sums) {
    %block = arith.divui %k, %gk : index
    %x_scale = tile.load_groups %a_scales[%first_row, %block] along 0 groups "1" : !a_scales -> !a_line
    %y_scale = tile.load_groups %b_scales[%col, %block] along 0 groups "GN" : !b_scales -> !b_line
    %y = tile.load %b[%col, %k] evict_first : !b_view -> !b_tile
    %x = tile.load %a[%first_row, %k] : !a_view -> !a_tile
    %part = tile.dot %y, %x transposed, %zeros : !b_tile, !a_tile, !sums
    %x_scales = tile.broadcast %x_scale along 0 : !a_line -> !sums
    %y_scales = tile.broadcast %y_scale along 1 : !b_line -> !sums
    %scale = arith.mulf %x_scales, %y_scales : !sums
    %scaled = arith.mulf %part, %scale : !sums
    %next = arith.addf %total, %scaled : !sums
    scf.yield %next : !sums
  }
  %turned = tile.transpose %partial : !sums -> !turned
  %sum = tile.cluster_reduce %turned along 0 : !turned -> !out
  %mine = arith.muli %rank, %slice : index
  %row = arith.addi %first_row, %mine : index
  tile.store %sum to %out[%row, %col] evict_first : !out, !tile.view<[M, N], f32>
  tile.return
}
