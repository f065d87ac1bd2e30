// Scores as they are, or, of `inner` times those, the tanh times `outer`.
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
func.func private @bend(%scores: !scores, %inner: f32, %outer: f32) -> !scores {
  %c0 = arith.constant 0 : index
  %capped = tile.size "capped"
  %is_capped = arith.cmpi ne, %capped, %c0 : index
  %result = scf.if %is_capped -> (!scores) {
    %inners = tile.splat %inner : f32 -> !scores
    %outers = tile.splat %outer : f32 -> !scores
    %shares = arith.mulf %scores, %inners : !scores
    %bent = math.tanh %shares : !scores
    %less = arith.mulf %bent, %outers : !scores
    scf.yield %less : !scores
  } else {
    scf.yield %scores : !scores
  }
  return %result : !scores
}
