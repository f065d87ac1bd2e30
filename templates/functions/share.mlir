// What a block tells its cluster of the keys that it has seen: the logarithm of the sum
// of their weights, in base 2, and what makes a mean of its own sums; without keys zero.
!row = tensor<?xf32, #tile.extents<[BM]>>
!empty = tensor<?xi1, #tile.extents<[BM]>>
func.func private @share(%m: !row, %l: !row, %scale: f32) -> (!row, !row) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = tile.splat %zero : f32 -> !row
  %ones = tile.splat %one : f32 -> !row
  %row_scale = tile.splat %scale : f32 -> !row
  %sum_log = math.log2 %l : !row
  %max_log = arith.mulf %m, %row_scale : !row
  %log = arith.addf %max_log, %sum_log : !row
  %is_empty = arith.cmpf oeq, %l, %zeros : !row
  %inverse = arith.divf %ones, %l : !row
  %own = arith.select %is_empty, %zeros, %inverse : !empty, !row
  return %log, %own : !row, !row
}
