// What the sums of this block, over its own maximum, count for among those of its
// cluster: divided by the sum of all weights, over one maximum.
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!empty = tensor<?xi1, #tile.extents<[BM]>>
!few = tensor<?x8xf32, #tile.extents<[BM, 8]>>
func.func private @share(%m: !row, %l: !row, %scale: f32) -> !row {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %zeros = tile.splat %zero : f32 -> !row
  %no_max = tile.splat %lowest : f32 -> !row
  %row_scale = tile.splat %scale : f32 -> !row
  %maxima = tile.broadcast %m along 1 : !row -> !scores
  %few_maxima = tile.columns %maxima at 0 : !scores -> !few
  %all_maxima = tile.cluster_reduce <max> %few_maxima : !few -> !few
  %all_max = tile.reduce <max> %all_maxima along 1 : !few -> !row
  %is_lowest = arith.cmpf oeq, %all_max, %no_max : !row
  %base = arith.select %is_lowest, %zeros, %all_max : !empty, !row
  %shift = arith.mulf %base, %row_scale : !row
  %old = arith.mulf %m, %row_scale : !row
  %less = arith.subf %old, %shift : !row
  %shrink = math.exp2 %less : !row
  %own = arith.mulf %l, %shrink : !row
  %totals = tile.broadcast %own along 1 : !row -> !scores
  %few_totals = tile.columns %totals at 0 : !scores -> !few
  %all_totals = tile.cluster_reduce %few_totals : !few -> !few
  %total = tile.reduce <max> %all_totals along 1 : !few -> !row
  %share = arith.divf %shrink, %total : !row
  return %share : !row
}
