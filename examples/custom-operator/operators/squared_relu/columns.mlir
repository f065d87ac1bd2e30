// A block takes one row, in steps of ROUNDS * VEC elements per thread.
!step = tensor<1x?x!tile.dtype<DT>, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>
!wide = tensor<1x?xf32, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>

tile.kernel @columns(%x: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>,
                     %out: !tile.view<[T, H], !tile.dtype<DT>>)
    space {WARPS = [1, 4, 8, 16], VEC = [1, 2, 4, 8], ROUNDS = [1, 2, 4], PERSISTENT = [0, 1]}
    where ["H mod VEC == 0", "VEC * DT_bytes <= 16", "ROUNDS * VEC <= 16", "WARPS * WAVE <= 1024"]
    grid ["T"] runtime ["T", "H", "XS"]
    model {live = "ROUNDS * VEC", passes = "1"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %floor = tile.splat %zero : f32 -> !wide
  %row = tile.program_id 0
  %size = tile.size "ROUNDS * VEC * WARPS * WAVE"
  %steps = tile.size "H ceildiv (ROUNDS * VEC * WARPS * WAVE)"
  scf.for %step = %c0 to %steps step %c1 {
    %col = arith.muli %step, %size : index
    %xt = tile.load %x[%row, %col] evict_first : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> !step
    %xf = tile.convert %xt : !step -> !wide
    %positive = arith.maximumf %xf, %floor : !wide
    %square = arith.mulf %positive, %positive : !wide
    %y = tile.convert %square : !wide -> !step
    tile.store %y to %out[%row, %col] evict_first : !step, !tile.view<[T, H], !tile.dtype<DT>>
  }
  tile.return
}
