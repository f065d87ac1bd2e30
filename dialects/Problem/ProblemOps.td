//===- ProblemOps.td - Operations of the problem dialect ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PROBLEM_OPS_TD
#define LATHE_PROBLEM_OPS_TD

include "ProblemAttrs.td"

class Problem_Op<string mnemonic, list<Trait> traits = []>
    : Op<Problem_Dialect, mnemonic, traits>;

def Problem_WorkloadOp : Problem_Op<"workload",
    [NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "an op set, the shapes it runs at, and the targets";
  let description = [{
    Holds all that one compilation is asked for. Names are unique per kind, and
    every operator, entry and target that is referred to is in the workload.
    `unshaped` is the share of GPU time for which no shape was recorded.

    ```mlir
    problem.workload "atrex" histogram "atrex" unshaped 0.0 {
      problem.target "h200" ...
      problem.operator "rms_norm" ...
      problem.entry "rms_norm" ...
      problem.instance "rms_norm" ...
    }
    ```
  }];
  let arguments = (ins StrAttr:$opset, StrAttr:$histogram, F64Attr:$unshaped);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
    "$opset `histogram` $histogram `unshaped` $unshaped attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Problem_TargetOp : Problem_Op<"target", [HasParent<"WorkloadOp">]> {
  let summary = "one GPU: its ceilings and limits";
  let description = [{
    `peaks` is dense FLOP/s by element type; `facts` the other figures, by the
    names of the fields of `lathe::Hardware`, and 1 for each of its features. `compilable` says that kernels
    can be generated for `arch`; other targets get a roofline only.

    ```mlir
    problem.target "h200" vendor "nvidia" arch "sm_90a" compilable
      peaks {bf16 = 9.89e+14 : f64} facts {bandwidth = 4.8e+12 : f64, warpSize = 32 : i64}
    ```
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$vendor, StrAttr:$arch,
                       UnitAttr:$compilable, DictionaryAttr:$peaks,
                       DictionaryAttr:$facts);
  let assemblyFormat = [{
    $name `vendor` $vendor `arch` $arch (`compilable` $compilable^)?
    `peaks` $peaks `facts` $facts attr-dict
  }];
  let hasVerifier = 1;
}

def Problem_OperatorOp : Problem_Op<"operator", [HasParent<"WorkloadOp">]> {
  let summary = "a named computation: signature and cost";
  let description = [{
    `dims` are in the order of the kernel's arguments. `flops`, `read` and
    `write` are exact for any binding of dims, options and `<dtype>_bytes`.
    `templates` names the files that compute it; with none it has costs only.

    ```mlir
    problem.operator "l2_norm"
      dims [#problem.dim<name = "T", kind = "request", min = 0, max = 1024>]
      inputs [...] outputs [...]
      flops [#problem.flops<"bf16", <"T * 3">>] read <"T * 2"> write <"T * 2">
      templates ["rows"]
    ```
  }];
  let arguments = (ins StrAttr:$name,
    TypedArrayAttrBase<Problem_DimAttr, "dims">:$dims,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<Problem_OptionAttr, "options">,
                              "{}">:$options,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<Problem_ScalarAttr, "scalars">,
                              "{}">:$scalars,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<Problem_DTypeAttr, "dtypes">,
                              "{}">:$dtypes,
    TypedArrayAttrBase<Problem_OperandAttr, "operands">:$inputs,
    TypedArrayAttrBase<Problem_OperandAttr, "operands">:$outputs,
    TypedArrayAttrBase<Problem_FlopsAttr, "flops">:$flops,
    Problem_ExprAttr:$read, Problem_ExprAttr:$write,
    StrArrayAttr:$templates);
  let assemblyFormat = [{
    $name `dims` $dims (`options` $options^)? (`scalars` $scalars^)?
    (`dtypes` $dtypes^)? `inputs` $inputs `outputs` $outputs
    `flops` $flops `read` $read `write` $write `templates` $templates attr-dict
  }];
  let hasVerifier = 1;
}

def Problem_EntryOp : Problem_Op<"entry", [HasParent<"WorkloadOp">]> {
  let summary = "one operator as a model uses it";
  let description = [{
    Binds static dims (each to one or more values), options and dtypes of the
    operator. Callers look kernels up by the entry's name.

    ```mlir
    problem.entry "q_norm" of "rms_norm" static {H = array<i64: 128, 256>}
      options {} dtypes {DT = "bf16"} scalars {eps = 1.0e-06 : f64} importance 0.02
    ```
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$op, DictionaryAttr:$statics,
                       DictionaryAttr:$options, DictionaryAttr:$dtypes,
                       DictionaryAttr:$scalars, F64Attr:$importance);
  let assemblyFormat = [{
    $name `of` $op `static` $statics `options` $options `dtypes` $dtypes
    `scalars` $scalars `importance` $importance attr-dict
  }];
  let hasVerifier = 1;
}

def Problem_InstanceOp : Problem_Op<"instance", [HasParent<"WorkloadOp">]> {
  let summary = "one entry at one hot shape, with its weight";
  let description = [{
    `dims` binds every dim of the operator: an integer, or an array for a list.
    `weight` is the share of the histogram's GPU time. `problem-evaluate-roofline`
    adds FLOPs by element type, bytes, and one roofline per target.

    ```mlir
    problem.instance "q_norm" phase "decode" dims {T = 64 : i64, H = 128 : i64, XS = 128 : i64}
      count 100.0 time_us 250.0 weight 0.01
    ```
  }];
  let arguments = (ins StrAttr:$entry, StrAttr:$phase, DictionaryAttr:$dims,
    F64Attr:$count, F64Attr:$time_us, F64Attr:$weight,
    OptionalAttr<DictionaryAttr>:$flops, OptionalAttr<I64Attr>:$read,
    OptionalAttr<I64Attr>:$write,
    OptionalAttr<TypedArrayAttrBase<Problem_RooflineAttr, "rooflines">>:$roofline);
  let assemblyFormat = [{
    $entry `phase` $phase `dims` $dims `count` $count `time_us` $time_us
    `weight` $weight
    (`flops` $flops^ `read` $read `write` $write `roofline` $roofline)? attr-dict
  }];
  let hasVerifier = 1;
}

def Problem_CandidateOp : Problem_Op<"candidate", [HasParent<"WorkloadOp">]> {
  let summary = "one kernel that could be built for an entry";
  let description = [{
    template x schedule x constants x architecture. `role` is `generic` (takes
    every dim at run time), `bucket` (static dims fixed) or `exact` (request
    dims fixed too). `guards` is all that must hold of the dims for the kernel
    to be right; `grid` counts its work items per axis, `live` and `passes` are
    the template's hints, all over the dims that are left. `model` is the
    planner's answer at the heaviest instance. After compilation `usage` holds
    the binary's figures, its dynamic shared memory among them, and `maps` the
    tensor maps that follow its other arguments; or `rejected` says why it may not
    be launched.

    ```mlir
    problem.candidate "rms_norm.rows.sm_90a.c_H_128.t_DT_bf16.s_VEC_8.s_WARPS_4.m_XS_8.a_16"
      for "q_norm" role "bucket" op "rms_norm" template "rows" arch "sm_90a"
      constants {H = 128 : i64} schedule {VEC = 8 : i64, WARPS = 4 : i64}
      dtypes {DT = "bf16"} multiples {XS = 8 : i64} alignment 16 threads 128
      guards [#problem.guard<"XS", lo = 0, hi = 4096, multiple = 8>]
      grid [#problem.expr<"T">] live <"1"> passes <"1"> model {us = 2.1 : f64}
    ```
  }];
  let arguments = (ins StrAttr:$kernel, StrAttr:$entry, StrAttr:$role,
    StrAttr:$op, StrAttr:$template_name, StrAttr:$arch,
    DictionaryAttr:$constants, DictionaryAttr:$schedule, DictionaryAttr:$dtypes,
    DictionaryAttr:$multiples, I64Attr:$alignment, I64Attr:$threads,
    TypedArrayAttrBase<Problem_GuardAttr, "guards">:$guards,
    TypedArrayAttrBase<Problem_ExprAttr, "expressions">:$grid,
    Problem_ExprAttr:$live, Problem_ExprAttr:$passes, DictionaryAttr:$model,
    OptionalAttr<DictionaryAttr>:$usage,
    OptionalAttr<TypedArrayAttrBase<Problem_TensorMapAttr, "tensor maps">>:$maps,
    OptionalAttr<StrAttr>:$rejected);
  let assemblyFormat = [{
    $kernel `for` $entry `role` $role `op` $op `template` $template_name
    `arch` $arch `constants` $constants `schedule` $schedule `dtypes` $dtypes
    `multiples` $multiples `alignment` $alignment `threads` $threads
    `guards` $guards `grid` $grid `live` $live `passes` $passes `model` $model
    (`usage` $usage^)? (`maps` $maps^)? (`rejected` $rejected^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Problem_UnservedOp : Problem_Op<"unserved", [HasParent<"WorkloadOp">]> {
  let summary = "an entry without a kernel on one architecture, and why";
  let description = [{
    Kept in the module so that reports never drop an entry silently.

    ```mlir
    problem.unserved "paged_attention" arch "sm_90a" because "operator has no template"
    ```
  }];
  let arguments = (ins StrAttr:$entry, StrAttr:$arch, StrAttr:$reason);
  let assemblyFormat = "$entry `arch` $arch `because` $reason attr-dict";
}

#endif // LATHE_PROBLEM_OPS_TD
