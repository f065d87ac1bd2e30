// Every dim at run time: one kernel of each schedule serves all shapes.
tile.kernel @tiles(%a: !tile.view<[M, K], !tile.dtype<DT>>,
                   %b: !tile.view<[N, K], !tile.dtype<DT>>,
                   %out: !tile.view<[M, N], !tile.dtype<DT>>)
    space {BM = [64, 128, 256], BN = [32, 64, 128, 256], BK = [64], WARPS = [4, 8],
           PRODUCERS = [0, 4], STAGES = [2, 4], VEC = [1, 8], PERSISTENT = [0, 1],
           RASTER = [8]}
    where ["VEC == 1 or K mod VEC == 0", "PRODUCERS == 0 or TMA == 1 and VEC == 8",
           "PRODUCERS == 0 or STAGES > 2 and BM mod (16 * WARPS) == 0",
           "BM * BN <= 128 * WARPS * WAVE", "BM * BN >= 16 * WARPS * WAVE",
           "STAGES * BK * (BM + BN) * DT_bytes <= SMEM"]
    grid ["(M ceildiv BM) * (N ceildiv BN)"] runtime ["M", "N", "K"]
    model {live = "BM * BN ceildiv (WARPS * WAVE)", m = "M", n = "N", k = "K",
           tile_m = "BM", tile_n = "BN", tile_k = "BK",
           registers = "40 + BM * BN ceildiv (WARPS * WAVE)"} {
  tile.return
}
