// Whole rows in registers: one read, one write. ROWS rows share a block, each
// with WARPS * WAVE / ROWS threads: whole waves, or a power of two inside one.
!rows = tensor<?x?x!tile.dtype<DT>, #tile.extents<[ROWS, H]>>
!wide = tensor<?x?xf32, #tile.extents<[ROWS, H]>>
!weight = tensor<?x!tile.dtype<DT>, #tile.extents<[H]>>
!wideWeight = tensor<?xf32, #tile.extents<[H]>>
!stat = tensor<?xf32, #tile.extents<[ROWS]>>

tile.kernel @rows(%x: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>,
                  %weight: !tile.view<[H], !tile.dtype<DT>>, %bias: !tile.view<[H], !tile.dtype<DT>>,
                  %out: !tile.view<[T, H], !tile.dtype<DT>>, %eps: f32)
    space {ROWS = [1, 2, 4, 8, 16, 32, 64],
           WARPS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32],
           VEC = [1, 2, 4, 8], PERSISTENT = [0, 1]}
    where ["H mod VEC == 0", "VEC * DT_bytes <= 16",
           "VEC * DT_bytes >= 8 or H mod (2 * VEC) != 0",
           "WARPS * WAVE <= 1024", "ROWS * H <= 64 * WARPS * WAVE",
           "WARPS mod ROWS == 0 or ROWS mod WARPS == 0 and ROWS <= WARPS * WAVE",
           "ROWS * H > VEC * (WARPS - 1) * WAVE",
           "ROWS == 1 or 2 * ROWS * H > VEC * WARPS * WAVE"]
    grid ["T ceildiv ROWS"] runtime ["T", "XS"]
    model {live = "ROWS * H ceildiv (WARPS * WAVE)", passes = "1",
           registers = "20 + 3 * ROWS * H ceildiv (2 * WARPS * WAVE)"} {
  %c0 = arith.constant 0 : index
  %pid = tile.program_id 0
  %rows = tile.size "ROWS"
  %row = arith.muli %pid, %rows : index
  %xt = tile.load %x[%row, %c0] evict_first : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> !rows
  %wt = tile.load %weight[%c0] : !tile.view<[H], !tile.dtype<DT>> -> !weight
  %bt = tile.load %bias[%c0] : !tile.view<[H], !tile.dtype<DT>> -> !weight
  %xf = tile.convert %xt : !rows -> !wide
  %one = arith.constant 1.0 : f32
  %h = tile.size "H"
  %hi = arith.index_cast %h : index to i64
  %hf = arith.sitofp %hi : i64 to f32
  %inverse = arith.divf %one, %hf : f32
  %scale = tile.splat %inverse : f32 -> !stat
  %sum = tile.reduce <add> %xf along 1 : !wide -> !stat
  %mean = arith.mulf %sum, %scale : !stat
  %means = tile.broadcast %mean along 1 : !stat -> !wide
  %centred = arith.subf %xf, %means : !wide
  %sq = arith.mulf %centred, %centred fastmath<contract> : !wide
  %spread = tile.reduce <add> %sq along 1 : !wide -> !stat
  %variance = arith.mulf %spread, %scale : !stat
  %e = tile.splat %eps : f32 -> !stat
  %shifted = arith.addf %variance, %e : !stat
  %rstd = math.rsqrt %shifted : !stat
  %rstds = tile.broadcast %rstd along 1 : !stat -> !wide
  %wf = tile.convert %wt : !weight -> !wideWeight
  %bf = tile.convert %bt : !weight -> !wideWeight
  %ws = tile.broadcast %wf along 0 : !wideWeight -> !wide
  %bs = tile.broadcast %bf along 0 : !wideWeight -> !wide
  %normed = arith.mulf %centred, %rstds : !wide
  %scaled = arith.mulf %normed, %ws fastmath<contract> : !wide
  %moved = arith.addf %scaled, %bs fastmath<contract> : !wide
  %y = tile.convert %moved : !wide -> !rows
  tile.store %y to %out[%row, %c0] evict_first : !rows, !tile.view<[T, H], !tile.dtype<DT>>
  tile.return
}
