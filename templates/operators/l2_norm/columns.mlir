// Rows of any length: a block takes one row, in steps of ROUNDS * VEC elements
// per thread; one pass for the sum of squares, one for the result.
!step = tensor<1x?x!tile.dtype<DT>, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>
!wide = tensor<1x?xf32, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>
!stat = tensor<1xf32>

tile.kernel @columns(%x: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>,
                     %out: !tile.view<[T, H], !tile.dtype<DT>>, %eps: f32)
    space {WARPS = [1, 4, 8, 16], VEC = [1, 2, 4, 8], ROUNDS = [1, 2, 4], PERSISTENT = [0, 1]}
    where ["H mod VEC == 0", "VEC * DT_bytes <= 16", "ROUNDS * VEC <= 16", "WARPS * WAVE <= 1024"]
    grid ["T"] runtime ["T", "H", "XS"]
    model {live = "2 * ROUNDS * VEC", passes = "2"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %none = tile.splat %zero : f32 -> !wide
  %row = tile.program_id 0
  %size = tile.size "ROUNDS * VEC * WARPS * WAVE"
  %steps = tile.size "H ceildiv (ROUNDS * VEC * WARPS * WAVE)"
  %squares = scf.for %step = %c0 to %steps step %c1 iter_args(%total = %none) -> (!wide) {
    %col = arith.muli %step, %size : index
    %xt = tile.load %x[%row, %col] : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> !step
    %xf = tile.convert %xt : !step -> !wide
    %sq = arith.mulf %xf, %xf fastmath<contract> : !wide
    %next = arith.addf %total, %sq fastmath<contract> : !wide
    scf.yield %next : !wide
  }
  %sum = tile.reduce <add> %squares along 1 : !wide -> !stat
  %e = tile.splat %eps : f32 -> !stat
  %shifted = arith.addf %sum, %e : !stat
  %rstd = math.rsqrt %shifted : !stat
  %rstds = tile.broadcast %rstd along 1 : !stat -> !wide
  scf.for %step = %c0 to %steps step %c1 {
    %col = arith.muli %step, %size : index
    %xt = tile.load %x[%row, %col] evict_first : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> !step
    %xf = tile.convert %xt : !step -> !wide
    %normed = arith.mulf %xf, %rstds : !wide
    %y = tile.convert %normed : !wide -> !step
    tile.store %y to %out[%row, %col] evict_first : !step, !tile.view<[T, H], !tile.dtype<DT>>
  }
  tile.return
}
