// RUN: lathe-opt %s | FileCheck %s
// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s -mlir-print-op-generic | lathe-opt | FileCheck %s

// CHECK: dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 1048576, XS: 1 to 9223372036854775807 = "H")
// CHECK-SAME: operands (x: bf16, weight: bf16) -> (out: bf16)
// CHECK-SAME: scalars (eps: f32 = 9.9999999999999995E-7)
// CHECK-SAME: options (activation = silu)
// CHECK-SAME: dtypes (DT = bf16)
dispatch.table "norm" of "rms_norm"
    dims (T: 0 to 1099511627776, H: 1 to 1048576, XS: 1 to 9223372036854775807 = "H")
    operands (x: bf16, weight: bf16) -> (out: bf16)
    scalars (eps: f32 = 1.0e-06) options (activation = silu) dtypes (DT = bf16) {
  // CHECK: dispatch.case exact "sm_90a" when (T in 17 to 17, XS multiple 8) align 16
  // CHECK-SAME: kernel "rms_norm.rows.sm_90a" symbol "rms_norm__rows__sm_90a"
  // CHECK-SAME: grid ("T ceildiv 4", "1", "1") threads 128 shared 1024 args (T, XS)
  // CHECK-SAME: {model_us = 2.500000e+00 : f64, origin = "model", usage = {registers = 32 : i64}, verdict = "unproven"}
  dispatch.case exact "sm_90a" when (T in 17 to 17, XS multiple 8) align 16
    kernel "rms_norm.rows.sm_90a" symbol "rms_norm__rows__sm_90a"
    grid ("T ceildiv 4", "1", "1") threads 128 shared 1024 args (T, XS)
    {origin = "model", usage = {registers = 32 : i64}, verdict = "unproven", model_us = 2.5 : f64}
  // CHECK: dispatch.case bucket "sm_90a" when (T in 1 to 64 multiple 4) align 1
  dispatch.case bucket "sm_90a" when (T in 1 to 64 multiple 4) align 1
    kernel "k2" symbol "k2" grid ("T", "H", "2") threads 1 shared 0 args ()
  // CHECK: dispatch.case bucket "sm_90a" when (T in 0 to 4294967295, XS in 1 to 4096 multiple 8) align 16
  // CHECK-SAME: args (T, H, XS) maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 128], swizzle = 128>, <operand = 1, "bf16", extents = [<"H">], box = [64], swizzle = 0>)
  // CHECK-SAME: {origin = "model"}
  dispatch.case bucket "sm_90a" when (T in 0 to 4294967295, XS in 1 to 4096 multiple 8) align 16
    kernel "k4" symbol "k4" grid ("T", "H", "2") threads 384 shared 200000 args (T, H, XS)
    maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 128], swizzle = 128>,
          <operand = 1, "bf16", extents = [<"H">], box = [64], swizzle = 0>)
    {origin = "model"}
  // CHECK: dispatch.case generic "sm_90a" when () align 2
  dispatch.case generic "sm_90a" when () align 2
    kernel "k3" symbol "k3" grid ("min(T, 1056)", "1", "1") threads 1024 shared 0 args (T, H, XS)
}
