//===- DispatchAttrs.td - Attributes of the dispatch dialect -*- tablegen -*-=//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside the operations these print in a shorter form, without their names.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DISPATCH_ATTRS_TD
#define LATHE_DISPATCH_ATTRS_TD

include "Dispatch/DispatchDialect.td"

class Dispatch_Attr<string name, string attrMnemonic>
    : AttrDef<Dispatch_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Dispatch_DimAttr : Dispatch_Attr<"Dim", "dim"> {
  let summary = "a size that a request states";
  let description = [{
    `min` and `max` are included. `init` is the value where a request states
    none, over earlier dims.

    ```mlir
    #dispatch.dim<name = "XS", min = 1, max = 4096, init = <"H">>
    ```
  }];
  let parameters = (ins StringRefParameter<"symbol">:$name, "int64_t":$min,
                        "int64_t":$max,
                        OptionalParameter<"::lathe::problem::ExprAttr">:$init);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Dispatch_OperandAttr : Dispatch_Attr<"Operand", "operand"> {
  let summary = "a pointer that a request states";
  let description = [{
    ```mlir
    #dispatch.operand<name = "out", dtype = "bf16", output = true>
    ```
  }];
  let parameters = (ins StringRefParameter<"name">:$name,
                        StringRefParameter<"element type">:$dtype,
                        "bool":$output);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Dispatch_ScalarAttr : Dispatch_Attr<"Scalar", "scalar"> {
  let summary = "a number that a request states";
  let description = [{
    ```mlir
    #dispatch.scalar<name = "eps", dtype = "f32", init = 1.0e-06 : f64>
    ```
  }];
  let parameters = (ins StringRefParameter<"name">:$name,
                        StringRefParameter<"f32, f64, i32 or i64">:$dtype,
                        "::mlir::FloatAttr":$init);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Dispatch_BindingAttr : Dispatch_Attr<"Binding", "binding"> {
  let summary = "what was chosen at compile time";
  let description = [{
    ```mlir
    #dispatch.binding<name = "activation", value = "silu">
    ```
  }];
  let parameters = (ins StringRefParameter<"option or dtype variable">:$name,
                        StringRefParameter<"choice">:$value);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Dispatch_GuardAttr : Dispatch_Attr<"Guard", "guard"> {
  let summary = "closed interval and divisor on one dim";
  let description = [{
    Holds if lo <= dim <= hi and dim mod multiple == 0.

    ```mlir
    #dispatch.guard<dim = "T", lo = 1, hi = 64, multiple = 1>
    ```
  }];
  let parameters = (ins StringRefParameter<"symbol">:$dim, "int64_t":$lo,
                        "int64_t":$hi, "int64_t":$multiple);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // LATHE_DISPATCH_ATTRS_TD
