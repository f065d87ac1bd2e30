// One turn: weights of what its scores show, and values of the turn before added to what
// is shrunk to the new maximum.
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!weights = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
func.func private @attend(%scores: !scores, %grown: !sums, %m_last: !row, %l_last: !row, %scale: f32)
    -> (!weights, !row, !row, !sums) {
  %wide, %m, %shrink, %own = func.call @weigh(%scores, %m_last, %scale)
      : (!scores, !row, f32) -> (!scores, !row, !row, !row)
  %l_old = arith.mulf %l_last, %shrink fastmath<contract> : !row
  %l = arith.addf %l_old, %own fastmath<contract> : !row
  %shrinks = tile.broadcast %shrink along 1 : !row -> !sums
  %o = arith.mulf %grown, %shrinks : !sums
  %weights = tile.convert %wide : !scores -> !weights
  return %weights, %m, %l, %o : !weights, !row, !row, !sums
}
