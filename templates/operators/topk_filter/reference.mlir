// With m the K-th largest value of the row, repeats counted and NaN above all
// others: out = -inf where x < m, else x. A row of at most K values stays.
// Orders as the values do, -0 just below 0, NaN above all.
func.func private @key(%value: f32) -> i32 {
  %zero = arith.constant 0 : i32
  %ones = arith.constant -1 : i32
  %sign = arith.constant 0x80000000 : i32
  %bits = arith.bitcast %value : f32 to i32
  %is_negative = arith.cmpi slt, %bits, %zero : i32
  %flip = arith.select %is_negative, %ones, %sign : i32
  %ordered = arith.xori %bits, %flip : i32
  %is_nan = arith.cmpf uno, %value, %value : f32
  %key = arith.select %is_nan, %ones, %ordered : i32
  return %key : i32
}

func.func private @value(%key: i32) -> f32 {
  %zero = arith.constant 0 : i32
  %ones = arith.constant -1 : i32
  %sign = arith.constant 0x80000000 : i32
  %was_positive = arith.cmpi slt, %key, %zero : i32
  %flip = arith.select %was_positive, %sign, %ones : i32
  %bits = arith.xori %key, %flip : i32
  %value = arith.bitcast %bits : i32 to f32
  return %value : f32
}

func.func @reference(%logits: memref<?x?xf32, strided<[?, 1]>>,
                     %out: memref<?x?xf32>,
                     %T: index, %V: index, %K: index, %XS: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  %sign = arith.constant 0x80000000 : i32
  %minus_inf = arith.constant 0xFF800000 : f32
  %wanted = arith.minui %K, %V : index
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    // Bit by bit the largest key that at least K values reach.
    %key, %unused = scf.for %n = %c0 to %c32 step %c1
        iter_args(%prefix = %zero, %bit = %sign) -> (i32, i32) {
      %trial = arith.ori %prefix, %bit : i32
      %reach = scf.for %v = %c0 to %V step %c1 iter_args(%count = %c0) -> (index) {
        %x = memref.load %logits[%t, %v] : memref<?x?xf32, strided<[?, 1]>>
        %key_of_x = func.call @key(%x) : (f32) -> i32
        %reaches = arith.cmpi uge, %key_of_x, %trial : i32
        %one_more = arith.addi %count, %c1 : index
        %next = arith.select %reaches, %one_more, %count : index
        scf.yield %next : index
      }
      %enough = arith.cmpi uge, %reach, %wanted : index
      %next = arith.select %enough, %trial, %prefix : i32
      %one = arith.constant 1 : i32
      %next_bit = arith.shrui %bit, %one : i32
      scf.yield %next, %next_bit : i32, i32
    }
    %m = func.call @value(%key) : (i32) -> f32
    scf.for %v = %c0 to %V step %c1 {
      %x = memref.load %logits[%t, %v] : memref<?x?xf32, strided<[?, 1]>>
      %is_less = arith.cmpf olt, %x, %m : f32
      %result = arith.select %is_less, %minus_inf, %x : f32
      memref.store %result, %out[%t, %v] : memref<?x?xf32>
    }
    scf.reduce
  }
  return
}
