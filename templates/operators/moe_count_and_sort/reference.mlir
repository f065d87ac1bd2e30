// For each expert, ascending: its slots t * TOPK + j, ascending. Slots whose id is
// not in [0, E) are left out; what they leave free at the end is T * TOPK.
func.func @reference(%topk_ids: memref<?x?xi32>,
                     %sorted_token_ids: memref<?xi32>,
                     %expert_token_counts: memref<?xi32>,
                     %cumsum: memref<?xi32>,
                     %T: index, %TOPK: index, %E: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slots = arith.muli %T, %TOPK : index
  %nobody = arith.index_cast %slots : index to i32
  %zero = arith.constant 0 : i32
  memref.store %zero, %cumsum[%c0] : memref<?xi32>
  %total = scf.for %e = %c0 to %E step %c1 iter_args(%begin = %c0) -> (index) {
    %expert = arith.index_cast %e : index to i32
    %end = scf.for %t = %c0 to %T step %c1 iter_args(%row = %begin) -> (index) {
      %row_end = scf.for %j = %c0 to %TOPK step %c1 iter_args(%position = %row) -> (index) {
        %id = memref.load %topk_ids[%t, %j] : memref<?x?xi32>
        %is_mine = arith.cmpi eq, %id, %expert : i32
        %next = scf.if %is_mine -> (index) {
          %first = arith.muli %t, %TOPK : index
          %slot_index = arith.addi %first, %j : index
          %slot = arith.index_cast %slot_index : index to i32
          memref.store %slot, %sorted_token_ids[%position] : memref<?xi32>
          %after = arith.addi %position, %c1 : index
          scf.yield %after : index
        } else {
          scf.yield %position : index
        }
        scf.yield %next : index
      }
      scf.yield %row_end : index
    }
    %count_index = arith.subi %end, %begin : index
    %count = arith.index_cast %count_index : index to i32
    memref.store %count, %expert_token_counts[%e] : memref<?xi32>
    %following = arith.addi %e, %c1 : index
    %sum = arith.index_cast %end : index to i32
    memref.store %sum, %cumsum[%following] : memref<?xi32>
    scf.yield %end : index
  }
  scf.for %position = %total to %slots step %c1 {
    memref.store %nobody, %sorted_token_ids[%position] : memref<?xi32>
  }
  return
}
