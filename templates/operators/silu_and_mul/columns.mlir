// Rows of any length: a block takes one row, in steps of ROUNDS * VEC elements of
// each half per thread.
!step = tensor<1x?x!tile.dtype<DT>, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>
!wide = tensor<1x?xf32, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>

tile.kernel @columns(%x: !tile.view<[T, D], !tile.dtype<DT>, [XS, 1]>,
                     %out: !tile.view<[T, D floordiv 2], !tile.dtype<DT>>)
    space {WARPS = [1, 4, 8, 16], VEC = [1, 2, 4, 8], ROUNDS = [1, 2, 4], PERSISTENT = [0, 1]}
    where ["VEC == 1 or D mod (2 * VEC) == 0", "VEC * DT_bytes <= 16",
           "ROUNDS * VEC <= 16", "WARPS * WAVE <= 1024"]
    grid ["T"] runtime ["T", "D", "XS"]
    model {live = "2 * ROUNDS * VEC", passes = "1"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %ones = tile.splat %one : f32 -> !wide
  %row = tile.program_id 0
  %half = tile.size "D floordiv 2"
  %size = tile.size "ROUNDS * VEC * WARPS * WAVE"
  %steps = tile.size "(D floordiv 2) ceildiv (ROUNDS * VEC * WARPS * WAVE)"
  scf.for %step = %c0 to %steps step %c1 {
    %col = arith.muli %step, %size : index
    %other = arith.addi %half, %col : index
    %gt = tile.load %x[%row, %col] evict_first : !tile.view<[T, D], !tile.dtype<DT>, [XS, 1]> -> !step
    %ut = tile.load %x[%row, %other] evict_first : !tile.view<[T, D], !tile.dtype<DT>, [XS, 1]> -> !step
    %gf = tile.convert %gt : !step -> !wide
    %uf = tile.convert %ut : !step -> !wide
    %minus = arith.negf %gf : !wide
    %decay = math.exp %minus : !wide
    %denominator = arith.addf %decay, %ones : !wide
    %exact = arith.divf %gf, %denominator fastmath<arcp> : !wide
    %rounded = tile.convert %exact : !wide -> !step
    %silu = tile.convert %rounded : !step -> !wide
    %product = arith.mulf %silu, %uf : !wide
    %y = tile.convert %product : !wide -> !step
    tile.store %y to %out[%row, %col] evict_first : !step, !tile.view<[T, D floordiv 2], !tile.dtype<DT>>
  }
  tile.return
}
