// RUN: lathe-opt %s --problem-evaluate-roofline | FileCheck %s
// RUN: lathe-opt %s --problem-evaluate-roofline --problem-evaluate-roofline | FileCheck %s
// RUN: not lathe-opt %S/Inputs/empty.mlir --problem-evaluate-roofline 2>&1 | FileCheck %s --check-prefix=EMPTY

// EMPTY: expected one problem.workload in the module, found 0

problem.workload "demo" histogram "day" unshaped 0.0 {
  problem.target "fast" vendor "v" arch "a" peaks {bf16 = 1.0e12 : f64}
    facts {bandwidth = 1.0e12 : f64, achievedBandwidth = 5.0e11 : f64, launchFloorUs = 2.0 : f64}
  problem.target "slow" vendor "v" arch "b" peaks {bf16 = 1.0e9 : f64}
    facts {bandwidth = 1.0e12 : f64, launchFloorUs = 2.0 : f64}
  problem.operator "norm"
    dims [#problem.dim<name = "T", kind = "request", min = 0, max = 1000000>,
          #problem.dim<name = "H", kind = "static", min = 1, max = 4096>]
    dtypes [#problem.dtype<name = "DT", choices = ["bf16", "f32"]>]
    inputs [] outputs []
    flops [#problem.flops<"DT", <"T * H">>]
    read <"T * H * DT_bytes"> write <"T * H * DT_bytes"> templates []
  problem.entry "q_norm" of "norm" static {H = array<i64: 100>}
    options {} dtypes {DT = "bf16"} scalars {} importance 1.0

  // 4 MB at 1 TB/s.
  // CHECK: problem.instance "q_norm" phase "prefill"
  // CHECK-SAME: flops {bf16 = 1000000 : i64} read 2000000 write 2000000
  // CHECK-SAME: <"fast", time_us = 4.000000e+00 : f64, attainable_us = 8.000000e+00 : f64, regime = "memory">
  // CHECK-SAME: <"slow", time_us = 1.000000e+03 : f64, attainable_us = 1.000000e+03 : f64, regime = "compute">
  problem.instance "q_norm" phase "prefill" dims {T = 10000 : i64, H = 100 : i64}
    count 1.0 time_us 1.0 weight 0.5
  // CHECK: problem.instance "q_norm" phase "decode"
  // CHECK-SAME: <"fast", time_us = {{.*}}, attainable_us = 2.000000e+00 : f64, regime = "launch">
  problem.instance "q_norm" phase "decode" dims {T = 1 : i64, H = 100 : i64}
    count 1.0 time_us 1.0 weight 0.5
}
