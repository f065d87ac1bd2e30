func.func @reference(%x: memref<?x?xf32>, %offsets: memref<?xi32>, %out: memref<?x?xf32>,
                     %H: index, %P: index) attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %sequences = memref.dim %out, %c0 : memref<?x?xf32>
  scf.parallel (%s, %h) = (%c0, %c0) to (%sequences, %H) step (%c1, %c1) {
    %after = arith.addi %s, %c1 : index
    %first = memref.load %offsets[%s] : memref<?xi32>
    %last = memref.load %offsets[%after] : memref<?xi32>
    %begin = arith.index_cast %first : i32 to index
    %end = arith.index_cast %last : i32 to index
    %sum = scf.for %t = %begin to %end step %c1 iter_args(%total = %zero) -> (f64) {
      %narrow = memref.load %x[%t, %h] : memref<?x?xf32>
      %wide = arith.extf %narrow : f32 to f64
      %next = arith.addf %total, %wide : f64
      scf.yield %next : f64
    }
    %rows = arith.subi %last, %first : i32
    %count = arith.sitofp %rows : i32 to f64
    %divisor = arith.maximumf %count, %one : f64
    %mean = arith.divf %sum, %divisor : f64
    %result = arith.truncf %mean : f64 to f32
    memref.store %result, %out[%s, %h] : memref<?x?xf32>
    scf.reduce
  }
  return
}
