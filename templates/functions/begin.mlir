// Weights of the first turn, the maximum and the sum so far. The head's sink is a score
// that no turn has.
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!weights = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!sinks = !tile.view<[with_sinks * HQ], f32>
func.func private @begin(%scores: !scores, %sinks: !sinks, %head: index, %scale: f32)
    -> (!weights, !row, !row) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504088896341 : f32
  %with_sinks = tile.size "with_sinks"
  %has_sinks = arith.cmpi ne, %with_sinks, %c0 : index
  %sink = tile.load_element %sinks[%head] : !sinks -> f32
  %sink_log2 = arith.mulf %sink, %log2e : f32
  %sink_score = arith.divf %sink_log2, %scale : f32
  %own_score = arith.select %has_sinks, %sink_score, %lowest : f32
  %own_max = tile.splat %own_score : f32 -> !row
  %wide, %max, %shrink, %own_sum = func.call @weigh(%scores, %own_max, %scale)
      : (!scores, !row, f32) -> (!scores, !row, !row, !row)
  %unit = arith.constant 16384.0 : f32
  %own_weight = arith.select %has_sinks, %unit, %zero : f32
  %own_weights = tile.splat %own_weight : f32 -> !row
  %sink_sum = arith.mulf %own_weights, %shrink : !row
  %sum = arith.addf %own_sum, %sink_sum : !row
  %weights = tile.convert %wide : !scores -> !weights
  return %weights, %max, %sum : !weights, !row, !row
}
