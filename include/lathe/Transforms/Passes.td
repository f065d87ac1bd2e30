//===- Passes.td - From tile to tile ------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TRANSFORMS_PASSES_TD
#define LATHE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TilePersist : Pass<"tile-persist", "::mlir::ModuleOp"> {
  let summary = "Loop blocks over work items where the schedule says so";
  let description = [{
    A kernel whose schedule has `PERSISTENT = 1` is launched with fewer blocks than
    work items; each block takes every n-th. Loads that no store of the kernel can
    change and that do not depend on the work item stay before the loop.

    Before:
    ```mlir
    tile.kernel @k(...) grid ["T"] attributes {schedule = {PERSISTENT = 1}, ...} {
      %w = tile.load %weight[%c0]
      %i = tile.program_id 0
      %x = tile.load %in[%i, %c0]
    ```
    After:
    ```mlir
      %w = tile.load %weight[%c0]
      %i0 = tile.program_id 0
      %n = tile.size "T"
      %step = tile.num_programs 0
      scf.for %i = %i0 to %n step %step {
        %x = tile.load %in[%i, %c0]
    ```

    **Needs** a static kernel. **Errors:** a persistent kernel with more than one
    grid axis.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def TileStageOperands : Pass<"tile-stage-operands", "::mlir::ModuleOp"> {
  let summary = "Put operands of matrix products into shared memory";
  let description = [{
    Each register operand of a `tile.dot` gets a buffer for the whole kernel, swizzled
    so that matrix loads meet no bank conflict. Barriers before and after the writes
    keep them apart from the reads of the last turn and of this one.

    Before:
    ```mlir
    %next = tile.dot %x, %w transposed, %sum
        : tensor<64x32xbf16>, tensor<128x32xbf16>, tensor<64x128xf32>
    ```
    After:
    ```mlir
    %xs = tile.alloc : !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
    %ws = tile.alloc : !tile.shared<[128, 32], bf16, <phases = 4, rows = 2>>
    ...
    tile.barrier
    tile.write_shared %x to %xs
    tile.write_shared %w to %ws
    tile.barrier
    %next = tile.dot %xs, %ws transposed, %sum
    ```

    **Needs** a static kernel. **Guarantees** dots of shared operands.
    **Errors:** rows that are no whole chunks of 16 bytes.
  }];
}

def TilePipelineLoops : Pass<"tile-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "Load what the next turn multiplies while this one does";
  let description = [{
    Where the schedule has `STAGES = 2`, a loop's loads into shared memory move a turn
    ahead: the first turn's before the loop, each next turn's behind the last barrier,
    before the products that hide their latency. What waits is in registers. The last
    turn loads past the loop's end, which at the view's edge reads nothing.

    Before:
    ```mlir
    scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero) {
      %x = tile.load %in[%i, %k]
      tile.barrier
      tile.write_shared %x to %xs
      tile.barrier
      %next = tile.dot %xs, ...
    ```
    After:
    ```mlir
    %x0 = tile.load %in[%i, %c0]
    scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero, %x = %x0) {
      tile.barrier
      tile.write_shared %x to %xs
      tile.barrier
      %k1 = arith.addi %k, %bk
      %x1 = tile.load %in[%i, %k1]
      %next = tile.dot %xs, ...
    ```

    **Needs** `tile-stage-operands`. Loads of views that the kernel stores to, or whose
    place is computed in the loop, stay. **Errors:** another number of stages.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileInferLayouts : Pass<"tile-infer-layouts", "::mlir::ModuleOp"> {
  let summary = "Give every tile the layout that its accesses want";
  let description = [{
    Layouts that are stated stay. From them, and from a default for tiles that
    nothing constrains, layouts spread through elementwise operations, loops and
    branches; a reduction's result and a broadcast's operand get the slice of the
    wider tile. Accumulators of `tile.dot` get `#tile.mma` over a grid of warps that
    reads few operands; what is written to shared memory is dealt along rows first.
    The default deals rows to thread groups, and in a row `VEC` elements
    to each thread in turn, so that neighbouring threads touch neighbouring memory.
    Where rows share a wave, a row takes as many of its lanes as it has vectors and
    further rows follow in rounds, so that what all rows read is read once.

    Before:
    ```mlir
    %x = tile.load %in[%i, %c0] : !tile.view<[T, 1152], bf16> -> tensor<4x1152xbf16>
    ```
    After, with 128 threads and `VEC = 8`:
    ```mlir
    %x = tile.load %in[%i, %c0] : !tile.view<[T, 1152], bf16>
       -> tensor<4x1152xbf16, #tile.blocked<vector = [1, 8], threads = [4, 32]>>
    ```

    **Needs** a static kernel. **Guarantees** a layout on every tile.
    **Errors:** two layouts meet in one value; an accumulator that fragments do not
    divide among the warps.
  }];
}

#endif // LATHE_TRANSFORMS_PASSES_TD
