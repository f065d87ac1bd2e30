//===- Passes.td - From a histogram to candidates -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_PASSES
#define LATHE_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def ProblemEvaluateRoofline
    : Pass<"problem-evaluate-roofline", "::mlir::ModuleOp"> {
  let summary = "Give instances their FLOPs, bytes and time bounds";
  let description = [{
    Evaluates the operator's cost formulas at every `problem.instance`, and the
    roofline of every `problem.target` there. Run again, it overwrites its own
    results.

    Before:
    ```mlir
    problem.instance "norm" phase "decode" dims {H = 128 : i64, T = 64 : i64}
      count 1.0 time_us 2.0 weight 0.5
    ```
    After:
    ```mlir
    problem.instance "norm" phase "decode" dims {H = 128 : i64, T = 64 : i64}
      count 1.0 time_us 2.0 weight 0.5
      flops {bf16 = 24640 : i64} read 16640 write 16384
      roofline [#problem.roofline<"h200", time_us = 6.8e-3 : f64, attainable_us = 2.0 : f64, regime = "launch">]
    ```
  }];
}

def ProblemEnumerateCandidates
    : Pass<"problem-enumerate-candidates", "::mlir::ModuleOp"> {
  let summary = "Turn templates and instances into candidate kernels";
  let description = [{
    For every entry, static binding of its instances, and architecture of a
    compilable target: binds all schedules of all templates, drops those that a
    constraint or the hardware forbids and those that the model never prefers,
    and appends the rest as `problem.candidate`s. The generic kernel comes first,
    then buckets, then exact variants for the heaviest instances. An entry
    without a kernel gets a `problem.unserved` that says why.

    Needs: a verified workload. Existing candidates are kept.

    Before:
    ```mlir
    problem.instance "norm" phase "decode" dims {H = 128 : i64, T = 64 : i64} ...
    ```
    After:
    ```mlir
    problem.candidate "rms_norm.rows.sm_90a.s_VEC_1.s_WARPS_4.a_2" for "norm" role "generic" ...
    problem.candidate "rms_norm.rows.sm_90a.c_H_128.s_VEC_8.s_WARPS_4.a_16" for "norm" role "bucket" ...
    ```
  }];
  let options = [
    ListOption<"templates", "templates", "std::string",
               "Template folders; later ones win">,
    ListOption<"archs", "archs", "std::string",
               "Architectures to plan for; default: of all compilable targets">,
    Option<"schedules", "schedules", "unsigned", "8",
           "Schedules kept per entry, static binding and architecture">,
    Option<"exact", "exact", "unsigned", "4",
           "Heaviest instances per static binding that get an exact kernel">,
    Option<"explain", "explain-pruning", "bool", "false",
           "Emit a remark with the reason for every dropped schedule">
  ];
}

#endif // LATHE_PLAN_PASSES
