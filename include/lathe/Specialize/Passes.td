//===- Passes.td - Binding templates ------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SPECIALIZE_PASSES_TD
#define LATHE_SPECIALIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileSpecialize : Pass<"tile-specialize", "::mlir::ModuleOp"> {
  let summary = "Bind a template's parameters; leave none behind";
  let description = [{
    Turns the one `tile.kernel` of a template into a static kernel: substitutes
    constants, options and one point of the schedule space into every type,
    extent and grid expression, binds dtype variables, and appends the operator's
    open dimensions as `index` arguments, in the order of `dims`.

    Before:
    ```mlir
    tile.kernel @rows(%x: !tile.view<[T, H], !tile.dtype<DT>>)
        space {ROWS = [1, 2, 4]} grid ["T ceildiv ROWS"] runtime ["T"] {
      %h = tile.size "H"
    ```
    After `constants=H:128 dims=T,H schedule=ROWS:2,WARPS:4 dtypes=DT:bf16 wave=32`:
    ```mlir
    tile.kernel @rows(%x: !tile.view<[T, 128], bf16>, %T: index)
        grid ["T ceildiv 2"] attributes {dims = ["T"], threads = 128, ...} {
      %h = arith.constant 128 : index
    ```

    Functions of the template are put in the place of their calls.

    A constraint over open dimensions only is left to the guards that are checked
    before a launch; the divisors that it states count as promised.

    **Guarantees.** No `#tile.extents`, no `!tile.dtype`, no `where` and no `space`
    remain; every symbol left names a run-time dimension.
    **Errors** name the parameter: one not bound, a value outside the space, a
    constraint that does not hold, a dimension left open that the template does
    not accept at run time, a tile whose extent stays open.
  }];
  let options = [
    ListOption<"constants", "constants", "std::string",
               "name:value of dimensions and options fixed at compile time">,
    ListOption<"schedule", "schedule", "std::string",
               "name:value of every parameter of the space">,
    ListOption<"dtypes", "dtypes", "std::string",
               "variable:type of dtype variables">,
    ListOption<"dims", "dims", "std::string",
               "all dimensions of the operator, in declaration order">,
    ListOption<"multiples", "multiples", "std::string",
               "name:divisor that guards promise of open dimensions">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"1",
           "bytes that guards promise of every base pointer">,
    Option<"wave", "wave", "int64_t", /*default=*/"32",
           "threads of a warp or wave">,
    Option<"sharedMemory", "shared-memory", "int64_t", /*default=*/"49152",
           "bytes of shared memory that a block may use">,
    ListOption<"features", "features", "std::string",
               "units that the hardware has: tma, wgmma, fp8, flushes">,
    Option<"kernelName", "kernel-name", "std::string", /*default=*/"\"\"",
           "new symbol of the kernel; empty keeps the template's">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect"];
}

def TileSpecializeReference
    : Pass<"tile-specialize-reference", "::mlir::ModuleOp"> {
  let summary = "Bind the dtype variables of a reference";
  let description = [{
    Turns a `reference.mlir` into plain `func`, `scf`, `memref`, `arith` and `math`:
    dtype variables become element types, and each `tile.convert` of a scalar
    becomes `arith` operations that round once, to nearest even. From f64 to 16
    bits that takes a step over f32 rounded to odd, as the direct conversion is
    a library call on many hosts. The FP8 types are library calls:
    `lathe_<type>_encode(f64) -> i32` and `lathe_<type>_decode(i32) -> f32`, the
    low byte of the integer being the element. They do not saturate: what rounds
    beyond the largest finite value becomes infinity, or NaN where there is none.
    A reference that saturates clamps first.

    Before:
    ```mlir
    func.func @reference(%x: memref<?x!tile.dtype<DT>>, ...) {
      %v = memref.load %x[%i] : memref<?x!tile.dtype<DT>>
      %f = tile.convert %v : !tile.dtype<DT> -> f64
    ```
    After `dtypes=DT:bf16`:
    ```mlir
    func.func @reference(%x: memref<?xbf16>, ...) {
      %v = memref.load %x[%i] : memref<?xbf16>
      %w = arith.extf %v : bf16 to f32
      %f = arith.extf %w : f32 to f64
    ```

    and from `dtypes=DT:f8E4M3FN`:
    ```mlir
      %b = arith.bitcast %v : f8E4M3FN to i8
      %i = arith.extui %b : i8 to i32
      %w = call @lathe_f8E4M3FN_decode(%i) : (i32) -> f32
      %f = arith.extf %w : f32 to f64
    ```

    **Guarantees.** No `!tile.dtype` and no operation of the tile dialect remain.
    **Errors** name the variable that is not bound, or what else of the tile
    dialect the reference uses.
  }];
  let options = [
    ListOption<"dtypes", "dtypes", "std::string",
               "variable:type of dtype variables">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect"];
}

#endif // LATHE_SPECIALIZE_PASSES_TD
