// The last of `count` sequences, which have `slots` items together, whose items begin at
// `slot` or before. Where sequences are about as long as each other it is found near by.
!offsets = !tile.view<[len_LQ + 1], i32>
func.func private @find(%offsets: !offsets, %slot: i32, %slots: i32, %count: index) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c32 = arith.constant 32 : i32
  %count32 = arith.index_cast %count : index to i32
  %slot_float = arith.sitofp %slot : i32 to f32
  %slots_float = arith.sitofp %slots : i32 to f32
  %count_float = arith.sitofp %count32 : i32 to f32
  %each = arith.divf %count_float, %slots_float : f32
  %guess_float = arith.mulf %slot_float, %each : f32
  %guess = arith.fptosi %guess_float : f32 to i32
  %one_less = arith.subi %guess, %c1 : i32
  %two_more = arith.addi %guess, %c2 : i32
  %near_low = arith.maxsi %one_less, %c0 : i32
  %near_high = arith.minsi %two_more, %count32 : i32
  %low_place = arith.index_cast %near_low : i32 to index
  %high_place = arith.index_cast %near_high : i32 to index
  %low_token = tile.load_element %offsets[%low_place] : !offsets -> i32
  %high_token = tile.load_element %offsets[%high_place] : !offsets -> i32
  %low_slot = func.call @items(%low_token, %near_low) : (i32, i32) -> i32
  %high_slot = func.call @items(%high_token, %near_high) : (i32, i32) -> i32
  %is_behind = arith.cmpi sle, %low_slot, %slot : i32
  %is_before = arith.cmpi sgt, %high_slot, %slot : i32
  %is_near = arith.andi %is_behind, %is_before : i1
  %first_low = arith.select %is_near, %near_low, %c0 : i32
  %first_high = arith.select %is_near, %near_high, %count32 : i32
  %range = arith.subi %first_high, %first_low : i32
  %unused = math.ctlz %range : i32
  %halvings = arith.subi %c32, %unused : i32
  %first, %behind = scf.for %i = %c0 to %halvings step %c1
      iter_args(%low = %first_low, %high = %first_high) -> (i32, i32) : i32 {
    %both = arith.addi %low, %high : i32
    %mid = arith.shrui %both, %c1 : i32
    %place = arith.index_cast %mid : i32 to index
    %token = tile.load_element %offsets[%place] : !offsets -> i32
    %begins = func.call @items(%token, %mid) : (i32, i32) -> i32
    %reached = arith.cmpi sle, %begins, %slot : i32
    %next_low = arith.select %reached, %mid, %low : i32
    %next_high = arith.select %reached, %high, %mid : i32
    scf.yield %next_low, %next_high : i32, i32
  }
  return %first : i32
}
