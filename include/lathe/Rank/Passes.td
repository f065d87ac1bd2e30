//===- Passes.td - From candidates to dispatch --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RANK_PASSES
#define LATHE_RANK_PASSES

include "mlir/Pass/PassBase.td"

def ProblemSelectKernels : Pass<"problem-select-kernels", "::mlir::ModuleOp"> {
  let summary = "Choose candidates under a budget, make dispatch tables";
  let description = [{
    Per architecture, starts from the generic kernel of every entry and adds the
    candidate that saves most weighted time by the model until the budget is
    spent. Open request dims are cut into intervals, each held by one of the
    chosen kernels over its whole extent. Appends one `dispatch.table` per served
    entry: exact cases, buckets (narrow first), the generic case.

    Needs: `problem.candidate`s; uses their `usage` where they were compiled and
    leaves out those that are `rejected`.

    Before:
    ```mlir
    problem.candidate "rms_norm.rows.sm_90a.s_VEC_1.s_WARPS_4.a_2" for "norm" role "generic" ...
    problem.candidate "rms_norm.rows.sm_90a.c_H_128.s_VEC_8.s_WARPS_4.a_16" for "norm" role "bucket" ...
    ```
    After, beside them: one `dispatch.table` for "norm" with a bucket case and a
    generic case.
  }];
  let dependentDialects = ["::lathe::dispatch::DispatchDialect"];
  let options = [
    Option<"maxKernels", "max-kernels", "unsigned", "0",
           "Kernels per architecture; 0: no limit">,
    Option<"maxBytes", "max-bytes", "uint64_t", "0",
           "Bytes of code per architecture; 0: no limit">,
    Option<"tolerance", "tolerance", "double", "0.01",
           "How much slower than the best a bucket's kernel may be">
  ];
}

#endif // LATHE_RANK_PASSES
