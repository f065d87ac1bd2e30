//===- DispatchOps.td - Operations of the dispatch dialect --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DISPATCH_OPS_TD
#define LATHE_DISPATCH_OPS_TD

include "Dispatch/DispatchAttrs.td"
include "Problem/ProblemAttrs.td"

class Dispatch_Op<string mnemonic, list<Trait> traits = []>
    : Op<Dispatch_Dialect, mnemonic, traits>;

def Dispatch_DimArray : TypedArrayAttrBase<Dispatch_DimAttr, "dims">;
def Dispatch_OperandArray
    : TypedArrayAttrBase<Dispatch_OperandAttr, "operands">;
def Dispatch_ScalarArray : TypedArrayAttrBase<Dispatch_ScalarAttr, "scalars">;
def Dispatch_BindingArray
    : TypedArrayAttrBase<Dispatch_BindingAttr, "bindings">;
def Dispatch_GuardArray : TypedArrayAttrBase<Dispatch_GuardAttr, "guards">;
def Dispatch_ExprArray : TypedArrayAttrBase<Problem_ExprAttr, "expressions">;
def Dispatch_MapArray
    : TypedArrayAttrBase<Problem_TensorMapAttr, "tensor maps">;

def Dispatch_TableOp : Dispatch_Op<"table",
    [NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "all kernels of one op set entry, over all architectures";
  let description = [{
    States what a request consists of (dims, operands, scalars) and what was
    chosen at compile time (options, dtypes), then the cases in the order of
    trial. A case is skipped on devices of another architecture.

    The verifier rejects a case that repeats or is hidden by an earlier one, a
    last case (per architecture) that does not take every declared value of
    every dim at element alignment, and a kernel that serves an architecture
    it was not built for.

    ```mlir
    dispatch.table "rms_norm" of "rms_norm"
        dims (T: 0 to 1099511627776, H: 1 to 1048576, XS: 1 to 4194304 = "H")
        operands (x: bf16, weight: bf16) -> (out: bf16)
        scalars (eps: f32 = 1.0e-06) options () dtypes (DT = bf16) {
      dispatch.case exact "sm_90a" when (T in 17 to 17, H in 2048 to 2048) ...
      dispatch.case generic "sm_90a" when () ...
    }
    ```
  }];
  let arguments = (ins StrAttr:$entry, StrAttr:$op, Dispatch_DimArray:$dims,
                       Dispatch_OperandArray:$operands,
                       Dispatch_ScalarArray:$scalars,
                       Dispatch_BindingArray:$options,
                       Dispatch_BindingArray:$dtypes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $entry `of` $op `dims` custom<Dims>($dims)
    `operands` custom<Operands>($operands) `scalars` custom<Scalars>($scalars)
    `options` custom<Bindings>($options) `dtypes` custom<Bindings>($dtypes)
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Dispatch_CaseOp : Dispatch_Op<"case", [HasParent<"TableOp">]> {
  let summary = "one kernel and the requests it serves";
  let description = [{
    Applies if every guard holds and every operand's base address is a
    multiple of `align` bytes. Then `symbol` of the image that holds `kernel`
    is launched with the three `grid` expressions, blocks of `threads` threads
    and `shared` bytes of dynamic shared memory. Its arguments are the operand
    pointers, the dims of `args` as i64 in that order, the scalars, and the tensor
    maps of `maps` (see `#problem.tensor_map`), which only NVIDIA's kernels have.
    The guards must keep a map's extents and strides within what the copy engine
    takes, and `align` its base.

    `usage` (registers, spills, ...), `origin` (template, model, measured),
    `verdict` and `model_us` (predicted time) are for people.

    ```mlir
    dispatch.case bucket "sm_90a" when (T in 1 to 64, XS multiple 8) align 16
        kernel "rms_norm.rows.sm_90a.H_2048" symbol "rms_norm__rows__sm_90a__H_2048"
        grid ("T ceildiv 4", "1", "1") threads 128 shared 0 args (T, XS)
        maps (<operand = 0, "bf16", extents = [<"H">, <"T">],
               strides = [<"XS * 2">], box = [64, 4], swizzle = 128>)
        {verdict = "unproven"}
    ```
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$arch, Dispatch_GuardArray:$guards,
                       I64Attr:$alignment, StrAttr:$kernel, StrAttr:$symbol,
                       Dispatch_ExprArray:$grid, I64Attr:$threads,
                       I64Attr:$shared, StrArrayAttr:$args,
                       OptionalAttr<Dispatch_MapArray>:$maps,
                       OptionalAttr<DictionaryAttr>:$usage,
                       OptionalAttr<StrAttr>:$origin,
                       OptionalAttr<StrAttr>:$verdict,
                       OptionalAttr<F64Attr>:$model_us);
  let assemblyFormat = [{
    custom<CaseKind>($kind) $arch `when` custom<Guards>($guards)
    `align` custom<Int>($alignment) `kernel` $kernel `symbol` $symbol
    `grid` custom<Grid>($grid) `threads` custom<Int>($threads)
    `shared` custom<Int>($shared) `args` custom<Names>($args)
    (`maps` custom<Maps>($maps)^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // LATHE_DISPATCH_OPS_TD
