// Slot t * TOPK + j belongs to expert topk_ids[t, j]. For each expert with slots,
// ascending: its slots ascending, then T * TOPK up to a multiple of BS, and its
// number once a block. Behind the last expert sorted_token_ids is T * TOPK and
// expert_ids is -1; what does not fit in P is left out.
func.func private @put(%list: memref<?xi32>, %position: index, %value: i32) {
  %c0 = arith.constant 0 : index
  %size = memref.dim %list, %c0 : memref<?xi32>
  %fits = arith.cmpi ult, %position, %size : index
  scf.if %fits {
    memref.store %value, %list[%position] : memref<?xi32>
  }
  return
}

func.func @reference(%topk_ids: memref<?x?xi32>,
                     %sorted_token_ids: memref<?xi32>,
                     %expert_ids: memref<?xi32>,
                     %num_tokens_post_pad: memref<1xi32>,
                     %T: index, %TOPK: index, %E: index, %BS: index, %P: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : i32
  %slots = arith.muli %T, %TOPK : index
  %padding = arith.index_cast %slots : index to i32
  %total = scf.for %e = %c0 to %E step %c1 iter_args(%begin = %c0) -> (index) {
    %expert = arith.index_cast %e : index to i32
    %filled = scf.for %t = %c0 to %T step %c1 iter_args(%row = %begin) -> (index) {
      %row_end = scf.for %j = %c0 to %TOPK step %c1 iter_args(%position = %row) -> (index) {
        %id = memref.load %topk_ids[%t, %j] : memref<?x?xi32>
        %is_mine = arith.cmpi eq, %id, %expert : i32
        %next = scf.if %is_mine -> (index) {
          %first = arith.muli %t, %TOPK : index
          %slot_index = arith.addi %first, %j : index
          %slot = arith.index_cast %slot_index : index to i32
          func.call @put(%sorted_token_ids, %position, %slot) : (memref<?xi32>, index, i32) -> ()
          %after = arith.addi %position, %c1 : index
          scf.yield %after : index
        } else {
          scf.yield %position : index
        }
        scf.yield %next : index
      }
      scf.yield %row_end : index
    }
    %blocks_begin = arith.divui %begin, %BS : index
    %blocks_end = arith.ceildivui %filled, %BS : index
    %end = arith.muli %blocks_end, %BS : index
    scf.for %position = %filled to %end step %c1 {
      func.call @put(%sorted_token_ids, %position, %padding) : (memref<?xi32>, index, i32) -> ()
    }
    scf.for %block = %blocks_begin to %blocks_end step %c1 {
      func.call @put(%expert_ids, %block, %expert) : (memref<?xi32>, index, i32) -> ()
    }
    scf.yield %end : index
  }
  %blocks = arith.divui %total, %BS : index
  %room = arith.divui %P, %BS : index
  scf.for %position = %total to %P step %c1 {
    func.call @put(%sorted_token_ids, %position, %padding) : (memref<?xi32>, index, i32) -> ()
  }
  scf.for %block = %blocks to %room step %c1 {
    func.call @put(%expert_ids, %block, %none) : (memref<?xi32>, index, i32) -> ()
  }
  %total_i32 = arith.index_cast %total : index to i32
  memref.store %total_i32, %num_tokens_post_pad[%c0] : memref<1xi32>
  return
}
