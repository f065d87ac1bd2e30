// The weighted mean of values, zero where rows see none: all of them without keys, and
// causal ones before the first, `place` being the key that is the first row's own.
!row = tensor<?xf32, #tile.extents<[BM]>>
!places = tensor<?xi32, #tile.extents<[BM]>>
!sums = tensor<?x?xf32, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!sum_places = tensor<?x?xi32, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
!sum_seen = tensor<?x?xi1, #tile.extents<[BM, select(PRODUCERS, 8, 16) * (D ceildiv select(PRODUCERS, 8, 16))]>>
func.func private @mean(%total: !sums, %l: !row, %has_keys: i1, %place: i32) -> !sums {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ones = tile.splat %one : f32 -> !row
  %zeros = tile.splat %zero : f32 -> !row
  %quotient = arith.divf %ones, %l : !row
  %inverse = arith.select %has_keys, %quotient, %zeros : !row
  %inverses = tile.broadcast %inverse along 1 : !row -> !sums
  %mean = arith.mulf %total, %inverses : !sums
  %mask = tile.size "mask"
  %always_causal = arith.cmpi ne, %mask, %c0 : index
  %shown = scf.if %always_causal -> (!sums) {
    %r = tile.iota along 0 : !places
    %places = tile.splat %place : i32 -> !places
    %own = arith.addi %r, %places : !places
    %owns = tile.broadcast %own along 1 : !places -> !sum_places
    %nothing = tile.splat %none : i32 -> !sum_places
    %sees = arith.cmpi sge, %owns, %nothing : !sum_places
    %no_sums = tile.splat %zero : f32 -> !sums
    %kept = arith.select %sees, %mean, %no_sums : !sum_seen, !sums
    scf.yield %kept : !sums
  } else {
    scf.yield %mean : !sums
  }
  return %shown : !sums
}
