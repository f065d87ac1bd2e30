dispatch.table "rms_norm" of "rms_norm"
    dims (T: 0 to 1099511627776, H: 1 to 1048576, XS: 1 to 1099511627776 = "H")
    operands (x: bf16, weight: bf16) -> (out: bf16)
    scalars (eps: f32 = 1.0e-06) options () dtypes (DT = bf16) {
  dispatch.case exact "sm_90a" when (T in 17 to 17, H in 2048 to 2048, XS multiple 8) align 16
    kernel "rms_norm.rows.sm_90a.c_H_2048.c_T_17.s_WARPS_4.a_16" symbol "exact_2048"
    grid ("17", "1", "1") threads 128 shared 0 args (XS)
    {origin = "model", usage = {registers = 40}, verdict = "unproven", model_us = 2.5 : f64}
  dispatch.case bucket "sm_90a" when (T in 1 to 64, H in 2048 to 2048, XS multiple 8) align 16
    kernel "rms_norm.rows.sm_90a.c_H_2048.s_WARPS_4.a_16" symbol "bucket_2048"
    grid ("T ceildiv 4", "1", "1") threads 128 shared 1024 args (T, XS)
    {origin = "model", usage = {registers = 32, shared_bytes = 16}, verdict = "unproven"}
  dispatch.case generic "sm_90a" when () align 2
    kernel "rms_norm.rows.sm_90a.s_WARPS_8.a_2" symbol "generic"
    grid ("min(T, 1056)", "1", "1") threads 256 shared 0 args (T, H, XS)
  dispatch.case generic "gfx942" when () align 1
    kernel "rms_norm.rows.gfx942.s_WARPS_4.a_1" symbol "generic"
    grid ("T", "1", "1") threads 256 shared 0 args (T, H, XS)
}

dispatch.table "silu_and_mul" of "silu_and_mul"
    dims (T: 0 to 1099511627776, D: 2 to 1048576)
    operands (x: bf16) -> (out: bf16)
    scalars () options (activation = silu) dtypes (DT = bf16) {
  dispatch.case generic "sm_90a" when () align 1
    kernel "silu_and_mul.rows.sm_90a.s_WARPS_4.a_1" symbol "generic"
    grid ("T", "1", "1") threads 128 shared 0 args (T, D)
}
