// out[t, h] = round(routed_scaling_factor * sum over j of expert_outputs[t, j, h]).
func.func @reference(%expert_outputs: memref<?x?x?x!tile.dtype<DT>>,
                     %out: memref<?x?x!tile.dtype<DT>>,
                     %T: index, %TOPK: index, %H: index,
                     %routed_scaling_factor: f32)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %factor = arith.extf %routed_scaling_factor : f32 to f64
  scf.parallel (%t, %h) = (%c0, %c0) to (%T, %H) step (%c1, %c1) {
    %sum = scf.for %j = %c0 to %TOPK step %c1 iter_args(%total = %zero) -> (f64) {
      %v_narrow = memref.load %expert_outputs[%t, %j, %h] : memref<?x?x?x!tile.dtype<DT>>
      %v = tile.convert %v_narrow : !tile.dtype<DT> -> f64
      %next = arith.addf %total, %v : f64
      scf.yield %next : f64
    }
    %scaled = arith.mulf %sum, %factor : f64
    %rounded = tile.convert %scaled : f64 -> !tile.dtype<DT>
    memref.store %rounded, %out[%t, %h] : memref<?x?x!tile.dtype<DT>>
    scf.reduce
  }
  return
}
