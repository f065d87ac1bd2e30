//===- StorePasses.td - Results that leave ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of Passes.td, which includes it.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TRANSFORMS_STORE_PASSES_TD
#define LATHE_TRANSFORMS_STORE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileSplitStores : Pass<"tile-split-stores", "::mlir::ModuleOp"> {
  let summary = "Finish and store accumulators by parts of columns";
  let description = [{
    What a role of a kernel with `PRODUCERS` does to a finished sum before it stores
    it is done for 32 columns at a time, at the end 16, so that a thread holds little
    beside its accumulators: what the epilogue loads and computes is as narrow. A sum
    that is only converted, or scaled by constants and values of its rows, is stored whole, or,
    where the schedule has `STAGING`, 64 columns at a time.

    Before:
    ```mlir
    %sum = tile.await_dots pending 0, %next : tensor<128x64xf32>
    %r = tile.load %residual[%i, %j] : ... -> tensor<128x64xf32>
    %t = arith.addf %sum, %r : tensor<128x64xf32>
    tile.store %t to %y[%i, %j]
    ```
    After:
    ```mlir
    %sum = tile.await_dots pending 0, %next : tensor<128x64xf32>
    %left = tile.columns %sum at 0 : tensor<128x64xf32> -> tensor<128x32xf32>
    %r0 = tile.load %residual[%i, %j] : ... -> tensor<128x32xf32>
    %t0 = arith.addf %left, %r0 : tensor<128x32xf32>
    tile.store %t0 to %y[%i, %j]
    %right = tile.columns %sum at 32 : tensor<128x64xf32> -> tensor<128x32xf32>
    %j1 = arith.addi %j, %c32
    %r1 = tile.load %residual[%i, %j1] : ... -> tensor<128x32xf32>
    ...
    ```

    **Needs** `tile-specialize-warps`. A store stays whole if its columns are no
    multiple of 16, or if the epilogue loads what the kernel stores, unless it is
    at the same place.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileStageStores : Pass<"tile-stage-stores", "::mlir::ModuleOp"> {
  let summary = "Store matrices through shared memory by TMA";
  let description = [{
    Where the schedule has `STORE = 1`, or has `PRODUCERS` and does not say, roles
    store their matrices of elements of at most 16 bits by the copy engine, which goes
    on while the role begins its next work item. Each store of a block has shared
    memory of its own, which is written when the stores before have been read from it.
    Of a role of several teams each has its own. With `STAGING = n` stores of one type go through n buffers in turn, which leaves more
    memory to the operands; each waits for the store before from its buffer.

    Before:
    ```mlir
    tile.store %t to %y[%row, %col]
    ```
    After:
    ```mlir
    tile.await_stores
    tile.barrier
    tile.write_shared %t to %s
    tile.fence_async
    tile.barrier
    tile.store_async %s to %y[%row, %col]
    ...
    tile.await_stores
    tile.end_role
    ```

    Wider elements are stored as before, and so is what the kernel loads, unless it
    does so before, at the same place, or other columns of the same rows. **Needs** strides and addresses that TMA
    can take, and shared memory for the tile, which the template's conditions
    promise. **Errors:** `STORE = 1` without such a store; rows that are no whole chunks of 16 bytes.
  }];
}

def TileStoreByWarpgroups : Pass<"tile-store-by-warpgroups", "::mlir::ModuleOp"> {
  let summary = "Let warpgroups store what they computed without each other";
  let description = [{
    Where a role of several warpgroups stores by the copy engine, and each warpgroup
    wrote the rows that it stores, the warpgroups need not meet. One that is
    through with a work item's products stores its rows and goes on to the next
    item, while another still multiplies: so the matrix units have work while results
    leave.

    Before:
    ```mlir
    tile.await_stores
    tile.barrier
    tile.write_shared %t to %s
        : tensor<128x256xbf16, #tile.mma<m16n8, warps = [8, 1]>>, ...
    tile.fence_async
    tile.barrier
    tile.store_async %s to %y[%row, %col]
    ```
    After:
    ```mlir
    tile.await_stores warpgroup
    tile.barrier warpgroup
    tile.write_shared %t to %s
    tile.fence_async
    tile.barrier warpgroup
    tile.store_async %s to %y[%row, %col] warpgroup
    ```

    **Needs** `tile-plan-shared`. A role stays as it is if a buffer of its stores has
    another use, or lies where something else does, which needs them all to be through.
  }];
}

#endif // LATHE_TRANSFORMS_STORE_PASSES_TD
