// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --mlir-print-op-generic | lathe-opt | FileCheck %s

// CHECK-LABEL: problem.workload "demo" histogram "day" unshaped 1.000000e-01
problem.workload "demo" histogram "day" unshaped 0.1 {
  // CHECK: problem.target "h200" vendor "nvidia" arch "sm_90a" compilable
  // CHECK-SAME: peaks {bf16 = 9.890000e+14 : f64} facts {bandwidth = 4.800000e+12 : f64
  problem.target "h200" vendor "nvidia" arch "sm_90a" compilable
    peaks {bf16 = 9.89e14 : f64}
    facts {bandwidth = 4.8e12 : f64, multiprocessors = 132 : i64,
           warpSize = 32 : i64, threadsPerSm = 2048 : i64,
           blocksPerSm = 32 : i64, maxThreadsPerBlock = 1024 : i64}
  // CHECK: problem.target "paper" vendor "none" arch "none" peaks {}
  problem.target "paper" vendor "none" arch "none" peaks {}
    facts {bandwidth = 1.0e12 : f64}

  // CHECK: problem.operator "norm" dims [#problem.dim<name = "T", kind = "request", min = 0, max = 1024>
  // CHECK-SAME: #problem.dim<name = "XS", kind = "stride", min = 0, max = 4096, init = <"H">>]
  // CHECK-SAME: options [#problem.option<name = "activation", values = ["silu", "sigmoid"], init = "silu">]
  // CHECK-SAME: scalars [#problem.scalar<name = "eps", dtype = "f32", init = {{.*}} : f64>]
  // CHECK-SAME: dtypes [#problem.dtype<name = "DT", choices = ["bf16", "f32"]>]
  // CHECK-SAME: inputs [#problem.operand<name = "x"
  // CHECK-SAME: alias = "x">
  // CHECK-SAME: flops [#problem.flops<"DT", <"T * (3 * H + 1)">>]
  problem.operator "norm"
    dims [#problem.dim<name = "T", kind = "request", min = 0, max = 1024>,
          #problem.dim<name = "H", kind = "static", min = 1, max = 4096>,
          #problem.dim<name = "XS", kind = "stride", min = 0, max = 4096, init = <"H">>]
    options [#problem.option<name = "activation", values = ["silu", "sigmoid"], init = "silu">]
    scalars [#problem.scalar<name = "eps", dtype = "f32", init = 1.0e-6 : f64>]
    dtypes [#problem.dtype<name = "DT", choices = ["bf16", "f32"]>]
    inputs [#problem.operand<name = "x", dtype = "DT",
              shape = [#problem.expr<"T">, #problem.expr<"H">],
              strides = [#problem.expr<"XS">, #problem.expr<"1">]>]
    outputs [#problem.operand<name = "out", dtype = "DT",
              shape = [#problem.expr<"T">, #problem.expr<"H">], alias = "x">]
    flops [#problem.flops<"DT", <"T * (3 * H + 1)">>]
    read <"T * H * DT_bytes"> write <"T * H * DT_bytes"> templates ["rows"]

  // CHECK: problem.entry "q_norm" of "norm" static {H = array<i64: 128, 256>}
  problem.entry "q_norm" of "norm" static {H = array<i64: 128, 256>}
    options {activation = "sigmoid"} dtypes {DT = "bf16"}
    scalars {eps = 1.0e-6 : f64} importance 0.02

  // CHECK: problem.instance "q_norm" phase "decode"
  // CHECK-SAME: flops {bf16 = 24640 : i64} read 16384 write 16384
  // CHECK-SAME: #problem.roofline<"h200", time_us = {{.*}}, attainable_us = {{.*}}, regime = "launch">
  problem.instance "q_norm" phase "decode"
    dims {T = 64 : i64, H = 128 : i64, XS = 128 : i64}
    count 100.0 time_us 250.0 weight 0.5
    flops {bf16 = 24640 : i64} read 16384 write 16384
    roofline [#problem.roofline<"h200", time_us = 0.0068 : f64, attainable_us = 3.2 : f64, regime = "launch">]
  // CHECK: problem.instance "q_norm" phase "prefill"
  // CHECK-NOT: flops
  problem.instance "q_norm" phase "prefill"
    dims {T = 512 : i64, H = 128 : i64, XS = 128 : i64}
    count 0.0 time_us 0.0 weight 0.4

  // CHECK: problem.candidate "norm.rows.sm_90a.c_H_128.s_WARPS_4.a_16" for "q_norm" role "bucket"
  // CHECK-SAME: guards [#problem.guard<"H", lo = 128, hi = 128, multiple = 1>]
  // CHECK-SAME: grid [#problem.expr<"T">] live <"4"> passes <"1">
  // CHECK-SAME: usage {registers = 32 : i64}
  problem.candidate "norm.rows.sm_90a.c_H_128.s_WARPS_4.a_16" for "q_norm"
    role "bucket" op "norm" template "rows" arch "sm_90a"
    constants {H = 128 : i64} schedule {WARPS = 4 : i64} dtypes {DT = "bf16"}
    multiples {} alignment 16 threads 128
    guards [#problem.guard<"H", lo = 128, hi = 128, multiple = 1>]
    grid [#problem.expr<"T">] live <"4"> passes <"1"> model {us = 2.1 : f64}
    usage {registers = 32 : i64}
  // CHECK: problem.candidate "norm.rows.sm_90a.s_WARPS_4.a_16"
  // CHECK-SAME: usage {dynamic_shared_bytes = 131072 : i64}
  // CHECK-SAME: maps [#problem.tensor_map<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 128], swizzle = 128>,
  // CHECK-SAME: #problem.tensor_map<operand = 1, "bf16", extents = [<"H">], box = [64], swizzle = 0>]
  problem.candidate "norm.rows.sm_90a.s_WARPS_4.a_16" for "q_norm"
    role "bucket" op "norm" template "rows" arch "sm_90a"
    constants {} schedule {WARPS = 4 : i64} dtypes {DT = "bf16"}
    multiples {} alignment 16 threads 128
    guards [] grid [#problem.expr<"T">] live <"4"> passes <"1"> model {}
    usage {dynamic_shared_bytes = 131072 : i64}
    maps [#problem.tensor_map<operand = 0, "bf16", extents = [<"H">, <"T">],
                              strides = [<"XS * 2">], box = [64, 128], swizzle = 128>,
          #problem.tensor_map<operand = 1, "bf16", extents = [<"H">], box = [64], swizzle = 0>]

  // CHECK: problem.unserved "q_norm" arch "gfx942" because "no template"
  problem.unserved "q_norm" arch "gfx942" because "no template"
}
