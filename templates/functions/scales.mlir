// What scores are multiplied by to be exponents of 2, and before that by the tanh that
// caps them: capped scores have the scale already.
func.func private @scales(%cap: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %log2e = arith.constant 1.44269504088896341 : f32
  %d = tile.size "D"
  %d_int = arith.index_cast %d : index to i32
  %d_float = arith.sitofp %d_int : i32 to f32
  %root = math.sqrt %d_float : f32
  %inner_cap = arith.mulf %cap, %root : f32
  %inner = arith.divf %one, %inner_cap : f32
  %plain_scale = arith.divf %log2e, %root : f32
  %capped = tile.size "capped"
  %is_capped = arith.cmpi ne, %capped, %c0 : index
  %scale = arith.select %is_capped, %log2e, %plain_scale : f32
  return %scale, %inner : f32, f32
}
