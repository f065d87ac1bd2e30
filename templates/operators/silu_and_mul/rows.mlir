// Whole rows in registers; ROWS rows share a block, each with WARPS * WAVE / ROWS
// threads. The halves of a row meet in one thread.
!half = tensor<?x?x!tile.dtype<DT>, #tile.extents<[ROWS, D floordiv 2]>>
!wide = tensor<?x?xf32, #tile.extents<[ROWS, D floordiv 2]>>

tile.kernel @rows(%x: !tile.view<[T, D], !tile.dtype<DT>, [XS, 1]>,
                  %out: !tile.view<[T, D floordiv 2], !tile.dtype<DT>>)
    space {ROWS = [1, 2, 4, 8, 16, 32],
           WARPS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32],
           VEC = [1, 2, 4, 8], PERSISTENT = [0, 1]}
    where ["D >= 2", "D floordiv 2 mod VEC == 0", "VEC * DT_bytes <= 16",
           "VEC * DT_bytes >= 8 or D floordiv 2 mod (2 * VEC) != 0",
           "WARPS * WAVE <= 1024", "ROWS * D <= 64 * WARPS * WAVE",
           "WARPS * WAVE mod ROWS == 0",
           "ROWS * (D floordiv 2) > VEC * (WARPS - 1) * WAVE",
           "ROWS == 1 or ROWS * D > VEC * WARPS * WAVE"]
    grid ["T ceildiv ROWS"] runtime ["T", "XS"]
    model {live = "ROWS * D ceildiv (WARPS * WAVE)", passes = "1",
           registers = "22 + ROWS * D ceildiv (4 * WARPS * WAVE)"} {
  %c0 = arith.constant 0 : index
  %pid = tile.program_id 0
  %rows = tile.size "ROWS"
  %row = arith.muli %pid, %rows : index
  %half = tile.size "D floordiv 2"
  %one = arith.constant 1.0 : f32
  %ones = tile.splat %one : f32 -> !wide
  %gt = tile.load %x[%row, %c0] evict_first : !tile.view<[T, D], !tile.dtype<DT>, [XS, 1]> -> !half
  %ut = tile.load %x[%row, %half] evict_first : !tile.view<[T, D], !tile.dtype<DT>, [XS, 1]> -> !half
  %gf = tile.convert %gt : !half -> !wide
  %uf = tile.convert %ut : !half -> !wide
  %minus = arith.negf %gf : !wide
  %decay = math.exp %minus : !wide
  %denominator = arith.addf %decay, %ones : !wide
  %exact = arith.divf %gf, %denominator fastmath<arcp> : !wide
  %rounded = tile.convert %exact : !wide -> !half
  %silu = tile.convert %rounded : !half -> !wide
  %product = arith.mulf %silu, %uf : !wide
  %y = tile.convert %product : !wide -> !half
  tile.store %y to %out[%row, %c0] evict_first : !half, !tile.view<[T, D floordiv 2], !tile.dtype<DT>>
  tile.return
}
