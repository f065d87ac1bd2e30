// out = max(x, 0)^2, rounded once.
func.func @reference(%x: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %out: memref<?x?x!tile.dtype<DT>>,
                     %T: index, %H: index, %XS: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%t, %h) = (%c0, %c0) to (%T, %H) step (%c1, %c1) {
    %v = memref.load %x[%t, %h] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
    %f = tile.convert %v : !tile.dtype<DT> -> f64
    %positive = arith.maximumf %f, %zero : f64
    %square = arith.mulf %positive, %positive : f64
    %rounded = tile.convert %square : f64 -> !tile.dtype<DT>
    memref.store %rounded, %out[%t, %h] : memref<?x?x!tile.dtype<DT>>
    scf.reduce
  }
  return
}
