// Weights of one turn before they are divided by their sum: 2^(14 + score - maximum), so
// that f16 holds small ones too, and what sums of earlier turns shrink by.
!scores = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!row = tensor<?xf32, #tile.extents<[BM]>>
!empty = tensor<?xi1, #tile.extents<[BM]>>
func.func private @weigh(%scores: !scores, %earlier: !row, %scale: f32)
    -> (!scores, !row, !row, !row) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %zeros = tile.splat %zero : f32 -> !row
  %lowests = tile.splat %lowest : f32 -> !row
  %row_scale = tile.splat %scale : f32 -> !row
  %scales = tile.splat %scale : f32 -> !scores
  %own = tile.reduce <max> %scores along 1 : !scores -> !row
  %max = arith.maximumf %earlier, %own : !row
  %none = arith.cmpf oeq, %max, %lowests : !row
  %base = arith.select %none, %zeros, %max : !empty, !row
  %shift = arith.mulf %base, %row_scale : !row
  %room = arith.constant 14.0 : f32
  %rooms = tile.splat %room : f32 -> !row
  %top = arith.subf %shift, %rooms : !row
  %shifts = tile.broadcast %top along 1 : !row -> !scores
  %scaled = arith.mulf %scores, %scales fastmath<contract> : !scores
  %below = arith.subf %scaled, %shifts fastmath<contract> : !scores
  %weights = math.exp2 %below : !scores
  %old = arith.mulf %earlier, %row_scale : !row
  %less = arith.subf %old, %shift : !row
  %shrink = math.exp2 %less : !row
  %sum = tile.reduce <add> %weights along 1 : !scores -> !row
  return %weights, %max, %shrink, %sum : !scores, !row, !row, !row
}
