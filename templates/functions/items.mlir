// Work items of `count` sequences that end with `tokens`, one spare for each at most.
func.func private @items(%tokens: i32, %count: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %bm_size = tile.size "BM"
  %bm = arith.index_cast %bm_size : index to i32
  %most = arith.subi %bm, %c1 : i32
  %spare = arith.muli %count, %most : i32
  %rounded = arith.addi %tokens, %spare : i32
  %items = arith.divui %rounded, %bm : i32
  return %items : i32
}
