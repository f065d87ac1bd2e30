//===- ProblemAttrs.td - Attributes of the problem dialect --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PROBLEM_ATTRS_TD
#define LATHE_PROBLEM_ATTRS_TD

include "Problem/ProblemDialect.td"

class Problem_Attr<string name, string attrMnemonic>
    : AttrDef<Problem_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Problem_ExprAttr : Problem_Attr<"Expr", "expr"> {
  let summary = "exact arithmetic over named sizes";
  let description = [{
    One expression of the language that `lathe/Support/Expr.h` documents, kept
    as its canonical text, so that equal text is the same attribute.

    ```mlir
    #problem.expr<"T ceildiv ROWS">
    ```
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static ExprAttr get(::mlir::MLIRContext *context, const ::lathe::Expr &expr);
    /// The parsed expression.
    ::lathe::Expr getExpr() const;
  }];
}

def Problem_DimAttr : Problem_Attr<"Dim", "dim"> {
  let summary = "one symbolic dimension of an operator";
  let description = [{
    `kind` is `static` (one kernel per value is fine), `request` (varies from
    request to request), `stride` (row pitch of an input in elements), `list`
    (one value per sequence) or `figure` (length, sum or largest value of a list,
    which kernels take in its place). `init` is the value when a request does not
    say, over earlier dimensions; of a figure it is the value.

    ```mlir
    #problem.dim<name = "XS", kind = "stride", min = 0, max = 4096, init = <"H">>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"symbol">:$name,
    StringRefParameter<"static, request, stride, list or figure">:$kind,
    "int64_t":$min, "int64_t":$max,
    OptionalParameter<"::lathe::problem::ExprAttr">:$init);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Problem_OptionAttr : Problem_Attr<"Option", "option"> {
  let summary = "a static choice among names";
  let description = [{
    In expressions the value of an option is its index in `values`.

    ```mlir
    #problem.option<name = "activation", values = ["silu", "sigmoid"], init = "silu">
    ```
  }];
  let parameters = (ins StringRefParameter<"symbol">:$name,
                        "::mlir::ArrayAttr":$values,
                        StringRefParameter<"default">:$init);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Problem_ScalarAttr : Problem_Attr<"Scalar", "scalar"> {
  let summary = "a number passed to the kernel at run time";
  let description = [{
    ```mlir
    #problem.scalar<name = "eps", dtype = "f32", init = 1.0e-06 : f64>
    ```
  }];
  let parameters = (ins StringRefParameter<"name">:$name,
                        StringRefParameter<"element type">:$dtype,
                        "::mlir::FloatAttr":$init);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Problem_DTypeAttr : Problem_Attr<"DType", "dtype"> {
  let summary = "an element type that the op set chooses";
  let description = [{
    The first of `choices` is the default. `<name>_bytes` is its size in
    expressions.

    ```mlir
    #problem.dtype<name = "DT", choices = ["bf16", "f16", "f32"]>
    ```
  }];
  let parameters = (ins StringRefParameter<"variable">:$name,
                        "::mlir::ArrayAttr":$choices);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Problem_OperandAttr : Problem_Attr<"Operand", "operand"> {
  let summary = "one tensor of an operator";
  let description = [{
    `strides` are in elements; none means dense row-major. `alias` names an
    input that this output may share memory with.

    ```mlir
    #problem.operand<name = "x", dtype = "DT",
      shape = [#problem.expr<"T">, #problem.expr<"H">],
      strides = [#problem.expr<"XS">, #problem.expr<"1">]>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name">:$name,
    StringRefParameter<"element type or variable">:$dtype,
    "::mlir::ArrayAttr":$shape,
    OptionalParameter<"::mlir::ArrayAttr">:$strides,
    OptionalParameter<"::mlir::StringAttr">:$alias);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Problem_FlopsAttr : Problem_Attr<"Flops", "flops"> {
  let summary = "floating-point operations of one element type";
  let description = [{
    ```mlir
    #problem.flops<"bf16", <"T * (3 * H + 1)">>
    ```
  }];
  let parameters = (ins StringRefParameter<"element type">:$dtype,
                        "::lathe::problem::ExprAttr":$count);
  let assemblyFormat = "`<` $dtype `,` $count `>`";
}

def Problem_RooflineAttr : Problem_Attr<"Roofline", "roofline"> {
  let summary = "how fast one target could be on one instance";
  let description = [{
    `time_us` is max(FLOPs/peak over data types, bytes/bandwidth);
    `attainable_us` is the same at measured ceilings, and at least the launch
    floor. `regime` is `compute`, `memory` or `launch`.

    ```mlir
    #problem.roofline<"h200", time_us = 4.4 : f64, attainable_us = 4.9 : f64, regime = "memory">
    ```
  }];
  let parameters = (ins StringRefParameter<"target">:$target,
                        "::mlir::FloatAttr":$time_us,
                        "::mlir::FloatAttr":$attainable_us,
                        StringRefParameter<"regime">:$regime);
  let assemblyFormat =
    "`<` $target `,` struct($time_us, $attainable_us, $regime) `>`";
  let genVerifyDecl = 1;
}

def Problem_GuardAttr : Problem_Attr<"Guard", "guard"> {
  let summary = "closed interval and divisor on one dimension";
  let description = [{
    Holds if lo <= dim <= hi and dim mod multiple == 0.

    ```mlir
    #problem.guard<"T", lo = 1, hi = 4096, multiple = 1>
    ```
  }];
  let parameters = (ins StringRefParameter<"dimension">:$dim, "int64_t":$lo,
                        "int64_t":$hi, "int64_t":$multiple);
  let assemblyFormat = "`<` $dim `,` struct($lo, $hi, $multiple) `>`";
  let genVerifyDecl = 1;
}

def Problem_TensorMapAttr : Problem_Attr<"TensorMap", "tensor_map"> {
  let summary = "a view that a kernel's copy engine reads";
  let description = [{
    The value `lathe::TensorMap` (lathe/Support/TensorMap.h), innermost dimension
    first: the operand by its index, its element type, extents in elements, strides
    of all but the innermost in bytes, the box of one copy in elements, and the bytes
    of the swizzle. The verifier knows the rules of cuTensorMapEncodeTiled (CUDA
    driver API, "Tensor Map Object Management").

    ```mlir
    #problem.tensor_map<operand = 0, "bf16", extents = [<"K">, <"M">],
                        strides = [<"XS * 2">], box = [64, 128], swizzle = 128>
    ```
  }];
  let parameters = (ins "int64_t":$operand,
                        StringRefParameter<"element type">:$dtype,
                        ArrayRefParameter<"::lathe::problem::ExprAttr">:$extents,
                        OptionalArrayRefParameter<"::lathe::problem::ExprAttr">:$strides,
                        ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` `operand` `=` $operand `,` $dtype `,` `extents` `=` `[` $extents `]` `,`
    (`strides` `=` `[` $strides^ `]` `,`)? `box` `=` `[` $box `]` `,`
    `swizzle` `=` $swizzle `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static TensorMapAttr get(::mlir::MLIRContext *context,
                             const ::lathe::TensorMap &map);
    ::lathe::TensorMap getMap() const;
  }];
}

#endif // LATHE_PROBLEM_ATTRS_TD
