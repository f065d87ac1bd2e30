// Scores of the keys from `key` on, lowest where the row sees less: up to its own place
// if `causal`, the first row's being `place`, else up to the last of `keys`; and of those
// no more than the window, if there is one.
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!columns = tensor<?x?xi32, #tile.extents<[BM, BN]>>
!seen = tensor<?x?xi1, #tile.extents<[BM, BN]>>
!places = tensor<?xi32, #tile.extents<[BM]>>
func.func private @mask(%scores: !scores, %key: i32, %keys: i32, %place: i32, %causal: i1)
    -> !scores {
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant 0xFF800000 : f32
  %lowests = tile.splat %lowest : f32 -> !scores
  %own = arith.subi %place, %key : i32
  %owns = tile.splat %own : i32 -> !places
  %r = tile.iota along 0 : !places
  %past = arith.addi %owns, %r : !places
  %left = arith.subi %keys, %key : i32
  %last = arith.subi %left, %c1 : i32
  %lasts = tile.splat %last : i32 -> !places
  %limit = arith.select %causal, %past, %lasts : !places
  %limits = tile.broadcast %limit along 1 : !places -> !columns
  %column = tile.iota along 1 : !columns
  %inside = arith.cmpi sle, %column, %limits : !columns
  %masked = arith.select %inside, %scores, %lowests : !seen, !scores
  %c0 = arith.constant 0 : index
  %window_size = tile.size "select(mask == 1, WINDOW, 0)"
  %has_window = arith.cmpi ne, %window_size, %c0 : index
  %result = scf.if %has_window -> (!scores) {
    %window = arith.index_cast %window_size : index to i32
    %windows = tile.splat %window : i32 -> !columns
    %behind = arith.addi %column, %windows : !columns
    %is_recent = arith.cmpi sgt, %behind, %limits : !columns
    %recent = arith.select %is_recent, %masked, %lowests : !seen, !scores
    scf.yield %recent : !scores
  } else {
    scf.yield %masked : !scores
  }
  return %result : !scores
}
