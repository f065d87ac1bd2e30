// A whole row in the registers of one block, whatever its length: the model does
// not say how many they are, so that the backend has to find out.
!row = tensor<1x?x!tile.dtype<DT>, #tile.extents<[1, H]>>
!wide = tensor<1x?xf32, #tile.extents<[1, H]>>
!stat = tensor<1xf32>

tile.kernel @rows(%x: !tile.view<[T, H], !tile.dtype<DT>>,
                  %out: !tile.view<[T, H], !tile.dtype<DT>>)
    space {WARPS = [16], VEC = [4], PERSISTENT = [0]}
    where ["H mod VEC == 0"]
    grid ["T"] runtime ["T"] model {live = "1", passes = "1"} {
  %c0 = arith.constant 0 : index
  %row = tile.program_id 0
  %v = tile.load %x[%row, %c0] : !tile.view<[T, H], !tile.dtype<DT>> -> !row
  %f = tile.convert %v : !row -> !wide
  %sum = tile.reduce <add> %f along 1 : !wide -> !stat
  %sums = tile.broadcast %sum along 1 : !stat -> !wide
  %d = arith.divf %f, %sums fastmath<arcp> : !wide
  %y = tile.convert %d : !wide -> !row
  tile.store %y to %out[%row, %c0] : !row, !tile.view<[T, H], !tile.dtype<DT>>
  tile.return
}
