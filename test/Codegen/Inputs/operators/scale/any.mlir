// The generic template: steps through a row, twice.
!step = tensor<1x?x!tile.dtype<DT>, #tile.extents<[1, VEC * WARPS * WAVE]>>
!wide = tensor<1x?xf32, #tile.extents<[1, VEC * WARPS * WAVE]>>
!stat = tensor<1xf32>

tile.kernel @any(%x: !tile.view<[T, H], !tile.dtype<DT>>,
                 %out: !tile.view<[T, H], !tile.dtype<DT>>)
    space {WARPS = [4], VEC = [1], PERSISTENT = [0, 1]}
    grid ["T"] runtime ["T", "H"] model {live = "1", passes = "8"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %none = tile.splat %zero : f32 -> !wide
  %row = tile.program_id 0
  %size = tile.size "VEC * WARPS * WAVE"
  %steps = tile.size "H ceildiv (VEC * WARPS * WAVE)"
  %total = scf.for %step = %c0 to %steps step %c1 iter_args(%t = %none) -> (!wide) {
    %col = arith.muli %step, %size : index
    %v = tile.load %x[%row, %col] : !tile.view<[T, H], !tile.dtype<DT>> -> !step
    %f = tile.convert %v : !step -> !wide
    %next = arith.addf %t, %f : !wide
    scf.yield %next : !wide
  }
  %sum = tile.reduce <add> %total along 1 : !wide -> !stat
  %sums = tile.broadcast %sum along 1 : !stat -> !wide
  scf.for %step = %c0 to %steps step %c1 {
    %col = arith.muli %step, %size : index
    %v = tile.load %x[%row, %col] : !tile.view<[T, H], !tile.dtype<DT>> -> !step
    %f = tile.convert %v : !step -> !wide
    %d = arith.divf %f, %sums fastmath<arcp> : !wide
    %y = tile.convert %d : !wide -> !step
    tile.store %y to %out[%row, %col] : !step, !tile.view<[T, H], !tile.dtype<DT>>
  }
  tile.return
}
