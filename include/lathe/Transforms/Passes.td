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

    A kernel that asks for `tile.num_programs` itself deals its items as it likes, and
    stays as it is.

    Blocks of a cluster stay together: with `CLUSTER` the loop goes from
    `tile.cluster_id` on by clusters, and `tile.program_id` counts their blocks.

    **Needs** a static kernel. **Errors:** a persistent kernel with more than one
    grid axis, or a grid that is no multiple of its clusters.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileWidenOperands : Pass<"tile-widen-operands", "::mlir::ModuleOp"> {
  let summary = "Multiply in f32 where the schedule says so";
  let description = [{
    Matrix instructions of CDNA2 take denormals of 16-bit floats for zero (AMD MI200
    ISA), those of f32 do not, at a quarter of the rate. Where the schedule has
    `WIDEN = 1`, register operands of `tile.dot` become f32, in which products of
    16-bit floats are exact.

    Before:
    ```mlir
    %next = tile.dot %x, %w transposed, %sum
        : tensor<64x32xbf16>, tensor<128x32xbf16>, tensor<64x128xf32>
    ```
    After:
    ```mlir
    %xf = tile.convert %x : tensor<64x32xbf16> -> tensor<64x32xf32>
    %wf = tile.convert %w : tensor<128x32xbf16> -> tensor<128x32xf32>
    %next = tile.dot %xf, %wf transposed, %sum
        : tensor<64x32xf32>, tensor<128x32xf32>, tensor<64x128xf32>
    ```

    **Needs** operands in registers. **Errors:** integers; another value of `WIDEN`.
  }];
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
    What inner loops multiply again and again, or several products, is written once, before
    the first of them. Pages that the copy engine will bring come in
    bands of eight rows with all their panels, if those are whole: one copy each. An
    operand a, not transposed, that was computed element by element from the sums of
    another product stays in registers, where its rows already are, unless warps are more
    than have 16 of them each.

    Each `tile.cluster_reduce` gets a buffer too, of as many tiles as the schedule has
    `PARTS` and of rows for logarithms, and a barrier before it: then `tile-plan-shared`
    may give it memory that others are done with. Operands of such schedules stay in
    registers.

    Where the schedule has `STAGES > 2` and no `PRODUCERS`, 8-bit floats that are widened
    to f16 to be multiplied are staged as they were loaded, so that `cp.async` can copy
    them, and the product is one `as f16`.

    **Needs** a static kernel. **Guarantees** dots of shared operands, or none where
    warps share K. **Errors:** rows that are no whole chunks of 16 bytes.
  }];
}

def TileSpecializeWarps : Pass<"tile-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "Let some warps copy what the others multiply";
  let description = [{
    Where the schedule has `PRODUCERS = 4`, four warps of the block copy by TMA, and
    `WARPS` warps multiply by wgmma and do all else. Between them each staged operand
    has a ring of `STAGES` slots. A slot goes round: the producer waits until it is
    empty, and its copies signal that it is full; the consumer waits for that,
    multiplies, and says that it is empty. Where the ring stands goes on from one
    work item of a persistent kernel to the next.

    Products that only add to their sum run into the next turn, so that a slot is
    given back a turn later; where a sum is used in its turn, it is waited for.

    Before:
    ```mlir
    %sum = scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero) {
      %x = tile.load %in[%i, %k]
      %w = tile.load %weight[%j, %k]
      tile.barrier
      tile.write_shared %x to %xs
      tile.write_shared %w to %ws
      tile.barrier
      %next = tile.dot %xs, %ws transposed, %acc
      scf.yield %next
    }
    ```
    After:
    ```mlir
    %xs, %ws = tile.alloc : !tile.ring<STAGES, ...>
    %full = tile.init_mbarriers arrivals 1
    %empty = tile.init_mbarriers arrivals 2
    tile.barrier
    tile.roles warps [4, 8] threads [1, 256] registers [40, 232] {
      scf.for %k = %c0 to %K step %bk iter_args(%slot = %zero, %phase = %zero) {
        tile.mbarrier_wait %empty[%slot] parity (%phase xor 1)
        tile.mbarrier_expect %full[%slot] bytes 49152
        tile.copy_async %in[%i, %k] to (tile.slot %xs[%slot]) signals %full[%slot]
        tile.copy_async %weight[%j, %k] to (tile.slot %ws[%slot]) signals %full[%slot]
        scf.yield (next slot), (its phase)
      }
    }, {
      %sum = scf.for %k = %c0 to %K step %bk
          iter_args(%acc = %zero, %slot = %zero, %phase = %zero, %last = %zero) {
        tile.mbarrier_wait %full[%slot] parity %phase
        %next = tile.dot (tile.slot %xs[%slot]), (tile.slot %ws[%slot]) transposed, %acc async
        %running = tile.await_dots pending 1, %next
        tile.mbarrier_arrive %empty[%last] if (%k != %c0)
        scf.yield %running, (next slot), (its phase), %slot
      }
      %done = tile.await_dots pending 0, %sum
      tile.mbarrier_arrive %empty[%last] if (%c0 < %K)
    }
    ```

    Operands that a `tile.convert` widens, such as 8-bit floats to f16, go through
    registers: all threads of the copying warps load, widen and write to the slot, and
    one of them says that it is full. `tile-pipeline-loops` has them load a turn ahead.

    ```mlir
      tile.mbarrier_wait %empty[%slot] parity (%phase xor 1)
      %x = tile.load %in[%i, %k]
      %wide = tile.convert %x
      tile.write_shared %wide to (tile.slot %xs[%slot])
      tile.fence_async
      tile.barrier
      tile.mbarrier_arrive %full[%slot]
    ```

    With `PINGPONG = 1` the multiplying warps are two roles, which take the work items of
    a persistent kernel in turn: while one multiplies, the other finishes and stores what
    it has. Each skips what the other takes of the rings. A parity tells a phase from the
    next alone, so a role begins its products when the other is through with its own:

    ```mlir
    %order = tile.init_mbarriers arrivals 1 : !tile.mbarriers<2>
    tile.roles warps [4, 4, 4] threads [1, 128, 128] registers [40, 232, 232] {
      ...
    }, {
      scf.for %item = %first to %count step (2 * %step) iter_args(..., %parity = 1) {
        tile.mbarrier_wait %order[0] parity %parity
        %sum = scf.for %k = ...
        tile.mbarrier_arrive %order[1]
        ...
    }, {
      scf.for %item = (%first + %step) to %count step (2 * %step) iter_args(..., %parity = 0) {
        tile.mbarrier_wait %order[1] parity %parity
    ```

    Operands of one block that no product multiplies together have a ring each, and
    what inner loops multiply again and again is given back behind the loops; its ring has
    one slot if they load operands of their own. Products that nothing waits for run beside what is computed
    between them: each is awaited where its sum is first used. An operand that a product
    takes from registers needs no ring. What a load of `until` leaves out is cleared
    in its slot.

    With `TURNS = 1` the warpgroups of a role start the products of a turn one after the
    other, in loops where the last takes what was made of the first one's sums: between
    a wait for `%turn[%own]` and an arrival at `%turn[%next]`.

    With `TEAMS = n` the multiplying warps are teams that take turns of the innermost loop
    that loads operands in each turn, one turn after the other, each in slots of its own
    and without waiting for another. What is loaded around that loop stays for all of
    them: it is prefetched into the cache before its slot is free, awaited where a turn
    first multiplies it (what is cleared behind its end: by all, before the loop), and given
    back by all, who then have awaited it and met. So is a slot that a team has alone
    (`STAGES = 1`).

    ```mlir
    tile.roles warps [4, 8] threads [1, 128] teams [1, 2] registers [40, 232] {
      ...
    }, {
      %team = tile.team_id
      scf.for %p = ... {
        // from the turn that is this team's on
        scf.for %i = %first to %end step (2 * %step) {
          tile.mbarrier_wait %full[%slot] parity %phase
          tile.mbarrier_wait %kept[%0] parity %held
          %s = tile.dot (tile.slot %xs[%slot]), (tile.slot %ks[%0]) transposed from %row, %zero async
    ```

    With `CLUSTER`, an operand that all blocks of a cluster load from the same place,
    in the same turns, is copied by multicast: each block brings a part of its rows
    to all. That holds where neither the place nor the loops and branches around it
    depend on `tile.cluster_rank` or `tile.program_id`. A slot is then empty when the
    consumers of every block have said so, and the cluster meets before the first copy
    and after the last.

    ```mlir
    tile.cluster_barrier
    tile.roles ... {
      ...
        tile.copy_async %weight[%j, %k] to (tile.slot %ws[%slot]) signals %full[%slot] multicast
    }, {
      ...
        tile.mbarrier_arrive %empty[%last] cluster if (%k != %c0)
    }
    tile.cluster_barrier
    ```

    **Needs** a static kernel after `tile-stage-operands`; strides and addresses
    that TMA can take, which the template's conditions promise. **Errors:** operands
    that are not loaded as they are or wider from views that the kernel only reads,
    at places that scalars tell; products that wgmma has not; a schedule without two
    slots or whole warpgroups; consumers that cannot take turns, since the steps of
    their products depend on the work item; teams that have no one loop to share, or
    stores beside it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TilePipelineLoops : Pass<"tile-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "Load what later turns multiply while this one does";
  let description = [{
    Where the schedule has `STAGES = 2`, a loop's loads of operands move a turn ahead,
    also where they stay in registers: the first turn's before the loop, each next
    turn's before the products that hide their latency. What waits is in registers.
    So do loads of what a role widens for others. The last turn loads past the loop's
    end, which at the view's edge reads nothing; loads that go through a table or end
    early, it leaves out. The first turn's also come before what else the loop multiplies
    is written. With `PREFETCH = 1` other loads of loops that multiply do so too.

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

    With more stages, what waits is in a ring of so many slots in shared memory,
    whither `cp.async` copies it `STAGES - 1` turns ahead. Each turn commits one
    group of copies, empty ones past the loop's end:
    ```mlir
    scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero, %read = %0, %fill = %2) {
      tile.await_copies pending 1
      tile.barrier
      scf.if (%k + 2 * %bk < %K) {
        tile.copy_async %in[%i, %k + 2 * %bk] to (tile.slot %ring[%fill])
      }
      tile.commit_copies
      %next = tile.dot (tile.slot %ring[%read]), ...
    ```

    **Needs** `tile-stage-operands`. A kernel with `PRODUCERS` has its stages from
    `tile-specialize-warps` already. Loads of views that the kernel stores to, or
    whose place is not computed from the loop's index alone, stay, and rings are not
    for loops that stage such. **Errors:** another number of stages than 1 to 9.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileAlternateBuffers : Pass<"tile-alternate-buffers", "::mlir::ModuleOp"> {
  let summary = "Stage operands in two buffers that alternate";
  let description = [{
    Where the schedule has `SLOTS = 2`, buffers that a loop writes and reads in each
    turn become rings of two. A turn then writes what the turn before the last has
    read, so that of its two barriers the first goes, and writes of one warp run
    beside products of another. Twice the shared memory.

    Before:
    ```mlir
    %xs = tile.alloc : !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
    scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero, %x = %x0) {
      tile.barrier
      tile.write_shared %x to %xs
      tile.barrier
      %next = tile.dot %xs, ...
    ```
    After:
    ```mlir
    %ring = tile.alloc : !tile.ring<2, <[64, 32], bf16, <phases = 4, rows = 2>>>
    scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero, %x = %x0, %i = %zero_i32) {
      %xs = tile.slot %ring[%i]
      tile.write_shared %x to %xs
      tile.barrier
      %next = tile.dot %xs, ...
      %other = arith.xori %i, %one_i32
    ```

    **Needs** `tile-stage-operands`; buffers that something else uses stay. A loop
    inside another one gets a barrier before it. **Errors:** another number of slots.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileInferLayouts : Pass<"tile-infer-layouts", "::mlir::ModuleOp"> {
  let summary = "Give every tile the layout that its accesses want";
  let description = [{
    Layouts that are stated stay. From them, and from a default for tiles that nothing
    constrains, layouts spread through elementwise operations, loops and branches; a
    reduction's result and a broadcast's operand get the slice of the wider tile, which
    takes another's layout that has the same slice. Accumulators of `tile.dot` get
    `#tile.mma` over a grid of warps that reads few operands, one for all products whose
    rows meet, or, where one product multiplies what another made from registers, gives
    each warp whole rows of both; what is written to shared memory is dealt along rows
    first, or along columns where the memory that it was loaded from runs so. The default
    deals rows to thread groups, and in a row `VEC` elements to each thread in turn, so that
    neighbouring threads touch neighbouring memory. Where rows share a wave, a row takes as
    many of its lanes as it has vectors and further rows follow in rounds, so that what all
    rows read is read once. In `tile.roles`, tiles are dealt to the threads of their role. An `async`
    dot's accumulator gives each warpgroup 64 rows and all columns, as wgmma does. Where
    warps share K, what accumulators have in parts adds up to their values: they start
    at zero, and are only added to each other before `tile.cluster_reduce`.

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
    divide among the warps; a tile of two roles; a sum that warps share K of and that
    does not start at zero, or is taken for the whole.
  }];
}

def TilePlanShared : Pass<"tile-plan-shared", "::mlir::ModuleOp"> {
  let summary = "Give buffers and mbarriers their places";
  let description = [{
    Sets `at` of every `tile.alloc` and `tile.init_mbarriers`, and the kernel's
    `shared_bytes`, which is where the last of them ends. Buffers lie at multiples
    of 1024 bytes, as swizzles of TMA and wgmma count from there; mbarriers at
    multiples of 8.

    Two buffers share a place if one is done with before the other begins: between
    operations of the kernel's body, or of one role's, with a `tile.barrier` before
    each use of the later one. What TMA stores from, or other blocks of a cluster read,
    shares with nothing later. A ring between roles is done with where the role that
    multiplies has awaited its last product, unless the kernel is persistent: then the
    producer is ahead.

    Before:
    ```mlir
    %s = tile.alloc : !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
    %r = tile.alloc : !tile.ring<3, <[128, 64], bf16, <phases = 8, rows = 1>>>
    %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<3>
    ```
    After, in a kernel with `shared_bytes = 53272`:
    ```mlir
    %s = tile.alloc at 0 : !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
    %r = tile.alloc at 4096 : !tile.ring<3, <[128, 64], bf16, <phases = 8, rows = 1>>>
    %full = tile.init_mbarriers arrivals 1 at 53248 : !tile.mbarriers<3>
    ```

    A kernel without shared memory stays as it is. Whether a block may have so much
    is the template's to promise, over `SMEM`.
  }];
}

include "lathe/Transforms/StorePasses.td"

#endif // LATHE_TRANSFORMS_PASSES_TD
