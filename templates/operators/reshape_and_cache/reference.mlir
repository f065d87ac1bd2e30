// Slot b * BS + o of both caches takes the last token that is mapped to it, or
// stays; negative slots are nobody's.
func.func @reference(%key: memref<?x?x?x!tile.dtype<DT>>,
                     %value: memref<?x?x?x!tile.dtype<DT>>,
                     %key_cache: memref<?x?x?x?x!tile.dtype<DT>>,
                     %value_cache: memref<?x?x?x?x!tile.dtype<DT>>,
                     %slot_mapping: memref<?xi64>,
                     %key_cache_out: memref<?x?x?x?x!tile.dtype<DT>>,
                     %value_cache_out: memref<?x?x?x?x!tile.dtype<DT>>,
                     %T: index, %NH: index, %D: index, %BS: index, %NB: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : index
  scf.parallel (%b, %o) = (%c0, %c0) to (%NB, %BS) step (%c1, %c1) {
    %first = arith.muli %b, %BS : index
    %slot_index = arith.addi %first, %o : index
    %slot = arith.index_cast %slot_index : index to i64
    %writer = scf.for %t = %c0 to %T step %c1 iter_args(%last = %none) -> (index) {
      %mapped = memref.load %slot_mapping[%t] : memref<?xi64>
      %is_mine = arith.cmpi eq, %mapped, %slot : i64
      %next = arith.select %is_mine, %t, %last : index
      scf.yield %next : index
    }
    %stays = arith.cmpi eq, %writer, %none : index
    scf.for %h = %c0 to %NH step %c1 {
      scf.for %d = %c0 to %D step %c1 {
        %k, %v = scf.if %stays -> (!tile.dtype<DT>, !tile.dtype<DT>) {
          %k_old = memref.load %key_cache[%b, %o, %h, %d] : memref<?x?x?x?x!tile.dtype<DT>>
          %v_old = memref.load %value_cache[%b, %o, %h, %d] : memref<?x?x?x?x!tile.dtype<DT>>
          scf.yield %k_old, %v_old : !tile.dtype<DT>, !tile.dtype<DT>
        } else {
          %k_new = memref.load %key[%writer, %h, %d] : memref<?x?x?x!tile.dtype<DT>>
          %v_new = memref.load %value[%writer, %h, %d] : memref<?x?x?x!tile.dtype<DT>>
          scf.yield %k_new, %v_new : !tile.dtype<DT>, !tile.dtype<DT>
        }
        memref.store %k, %key_cache_out[%b, %o, %h, %d] : memref<?x?x?x?x!tile.dtype<DT>>
        memref.store %v, %value_cache_out[%b, %o, %h, %d] : memref<?x?x?x?x!tile.dtype<DT>>
      }
    }
    scf.reduce
  }
  return
}
