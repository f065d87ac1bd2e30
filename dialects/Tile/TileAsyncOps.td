//===- TileAsyncOps.td - Copies, products, roles, clusters --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of TileOps.td, which includes it.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TILE_ASYNC_OPS_TD
#define LATHE_TILE_ASYNC_OPS_TD

//===----------------------------------------------------------------------===//
// Asynchronous copies and products
//===----------------------------------------------------------------------===//

class Tile_SyncOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)>;

def Tile_CopyAsyncOp : Tile_SyncOp<"copy_async", [AttrSizedOperandSegments]> {
  let summary = "a piece of a view into shared memory, while the block goes on";
  let description = [{
    Element `e` of the buffer becomes the view's element at `offsets + e`, or zero
    outside the view.

    With `signals` it is a copy by TMA, which one thread of the role starts and
    which counts its bytes (those outside the view too) on the mbarrier. Without, it
    is a `cp.async` of all threads, which `tile.await_copies` waits for.

    With `multicast` all blocks of the cluster copy the same piece at the same place:
    block `r` of `CLUSTER` brings the r-th part of the buffer's rows to all of them, and
    counts those bytes on the mbarrier of each (PTX ISA, "cp.async.bulk.tensor",
    `.multicast::cluster`). Each block's mbarrier so hears of the whole buffer.

    `along`, and for those with `signals` `through` and `pages`, are those of
    `tile.load`; what copies bring from behind the table's end is left open.

    ```mlir
    tile.copy_async %x[%row, %k] to %s signals %full[%i] multicast
        : !tile.view<[M, K], bf16>, !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>,
          !tile.mbarriers<3>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets,
      Tile_SharedType:$buffer, Optional<Tile_MbarriersType>:$mbarriers,
      Optional<I32>:$slot, Optional<Tile_ViewType>:$table, Variadic<Index>:$row,
      OptionalAttr<Problem_ExprAttr>:$page, OptionalAttr<DenseI64ArrayAttr>:$along,
      UnitAttr:$multicast);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`along` $along^)?
    (`through` $table^ `[` $row `]` `pages` custom<ExprText>($page))?
    `to` $buffer (`signals` $mbarriers^ `[` $slot `]`)?
    (`multicast` $multicast^)? attr-dict `:` qualified(type($view))
    (`through` qualified(type($table))^)? `,` qualified(type($buffer))
    (`,` qualified(type($mbarriers))^)?
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$view, "::mlir::ValueRange":$offsets,
                                 "::mlir::Value":$buffer), [{
    build($_builder, $_state, view, offsets, buffer, /*mbarriers=*/{}, /*slot=*/{},
          /*table=*/{}, /*row=*/{}, /*page=*/{}, /*along=*/{}, /*multicast=*/{});
  }]>];
}

def Tile_PrefetchOp : Tile_SyncOp<"prefetch", [AttrSizedOperandSegments]> {
  let summary = "a piece of a view into the cache that all blocks share";
  let description = [{
    What a `tile.copy_async` of the same piece to such a buffer will read, so that it
    need not wait for memory. One thread of the role asks for it; nothing else changes.

    ```mlir
    tile.prefetch %x[%row, %k] for !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
        : !tile.view<[M, K], bf16>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets,
      Optional<Tile_ViewType>:$table, Variadic<Index>:$row,
      OptionalAttr<Problem_ExprAttr>:$page, OptionalAttr<DenseI64ArrayAttr>:$along,
      TypeAttrOf<Tile_SharedType>:$buffer);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`along` $along^)?
    (`through` $table^ `[` $row `]` `pages` custom<ExprText>($page))?
    `for` $buffer attr-dict `:` qualified(type($view))
    (`through` qualified(type($table))^)?
  }];
  let hasVerifier = 1;
}

def Tile_PrefetchElementsOp : Tile_SyncOp<"prefetch_elements"> {
  let summary = "some elements of a row into the nearest cache";
  let description = [{
    `count` elements along the last dimension from `offsets` on, those in the view, so
    that who reads them once it knows more need not wait for memory: a table, while
    lengths are under way. Nothing else changes; where an architecture cannot, nothing
    at all.

    ```mlir
    tile.prefetch_elements %table[%s, %c0] count "BN ceildiv BS" : !tile.view<[len_L, MB], i32>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets,
                       Problem_ExprAttr:$count);
  let assemblyFormat = [{
    $view `[` $offsets `]` `count` custom<ExprText>($count) attr-dict
    `:` qualified(type($view))
  }];
  let hasVerifier = 1;
}

def Tile_CommitCopiesOp : Tile_SyncOp<"commit_copies"> {
  let summary = "the end of a group of cp.async copies";
  let description = [{
    ```mlir
    tile.commit_copies
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AwaitCopiesOp : Tile_SyncOp<"await_copies"> {
  let summary = "all but the last groups of this thread's copies are there";
  let description = [{
    Other threads' copies need a `tile.barrier` after it.

    ```mlir
    tile.await_copies pending 2
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<7>]>:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
}

def Tile_InitMbarriersOp : Tile_SyncOp<"init_mbarriers"> {
  let summary = "mbarriers in their first phase";
  let description = [{
    A phase ends when `arrivals` have arrived and all expected bytes have come.
    Visible to other threads after the next `tile.barrier`. `at` is their place in
    bytes, set by `tile-plan-shared`.

    ```mlir
    %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<3>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<1>, IntMaxValue<1024>]>:$arrivals,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_MbarriersType:$result);
  let assemblyFormat = [{
    `arrivals` $arrivals (`at` $offset^)? attr-dict
    `:` qualified(type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "int64_t":$arrivals), [{
    build($_builder, $_state, type, $_builder.getI64IntegerAttr(arrivals),
          /*offset=*/::mlir::IntegerAttr());
  }]>];
}

def Tile_MbarrierExpectOp : Tile_SyncOp<"mbarrier_expect"> {
  let summary = "one arrival, and bytes that copies will bring";
  let description = [{
    By one thread of the role.

    ```mlir
    tile.mbarrier_expect %full[%i] bytes 49152 : !tile.mbarriers<3>
    ```
  }];
  let arguments = (ins Tile_MbarriersType:$mbarriers, I32:$slot,
                       ConfinedAttr<I64Attr, [IntMinValue<1>, IntMaxValue<1048575>]>:$bytes);
  let assemblyFormat = [{
    $mbarriers `[` $slot `]` `bytes` $bytes attr-dict `:` qualified(type($mbarriers))
  }];
}

def Tile_MbarrierArriveOp : Tile_SyncOp<"mbarrier_arrive"> {
  let summary = "one arrival for each warpgroup of the role";
  let description = [{
    By the first thread of each four warps, where `condition` holds. With `cluster`, at
    that mbarrier of every block of the cluster, by as many threads.

    ```mlir
    tile.mbarrier_arrive %empty[%i] if %later : !tile.mbarriers<3>
    tile.mbarrier_arrive %empty[%i] cluster if %later : !tile.mbarriers<3>
    ```
  }];
  let arguments = (ins Tile_MbarriersType:$mbarriers, I32:$slot, Optional<I1>:$condition,
                       UnitAttr:$cluster);
  let assemblyFormat = [{
    $mbarriers `[` $slot `]` (`cluster` $cluster^)? (`if` $condition^)? attr-dict
    `:` qualified(type($mbarriers))
  }];
  let hasVerifier = 1;
}

def Tile_MbarrierWaitOp : Tile_SyncOp<"mbarrier_wait"> {
  let summary = "until the phase of that parity is over";
  let description = [{
    A fresh mbarrier is in a phase of parity 0, so waiting for parity 1 returns at
    once: so a producer passes over slots that were never used.

    ```mlir
    tile.mbarrier_wait %full[%i] parity %p : !tile.mbarriers<3>
    ```
  }];
  let arguments = (ins Tile_MbarriersType:$mbarriers, I32:$slot, I32:$parity);
  let assemblyFormat = [{
    $mbarriers `[` $slot `]` `parity` $parity attr-dict `:` qualified(type($mbarriers))
  }];
}

def Tile_AwaitDotsOp : Tile_SyncOp<"await_dots", [
    AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "all but the last `pending` asynchronous dots are done";
  let description = [{
    With `pending 0` the result is the finished sum, and with `done`, where the last
    `pending` dots are others; else it still is under way.

    ```mlir
    %sum = tile.await_dots pending 0, %next : tensor<128x256xf32>
    %scores = tile.await_dots pending 1 done, %started : tensor<128x128xf32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<7>]>:$pending,
                       AnyRankedTensor:$accumulator, UnitAttr:$done);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "`pending` $pending (`done` $done^)? `,` $accumulator attr-dict `:` type($accumulator)";
  let extraClassDeclaration = [{
    /// Whether the result is all that was to be added up.
    bool isFinished() { return getDone() || getPending() == 0; }
  }];
}

def Tile_ClearRowsOp : Tile_SyncOp<"clear_rows"> {
  let summary = "zeros in rows of shared memory that a copy left open";
  let description = [{
    Rows from `first` on, where a copy brought what is behind the end of a sequence.
    By all threads of the role; others see it after a `tile.fence_async` and a
    `tile.barrier`. `first` is not negative.

    ```mlir
    tile.clear_rows %s from %valid : !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
    ```
  }];
  let arguments = (ins Tile_SharedType:$buffer, I32:$first);
  let assemblyFormat = "$buffer `from` $first attr-dict `:` qualified(type($buffer))";
}

def Tile_FenceAsyncOp : Tile_SyncOp<"fence_async"> {
  let summary = "this thread's writes to shared memory, for the copy engine";
  let description = [{
    Before the barrier after which TMA or wgmma read what threads wrote (PTX ISA,
    "fence.proxy.async").

    ```mlir
    tile.fence_async
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_StoreAsyncOp : Tile_SyncOp<"store_async"> {
  let summary = "shared memory into a view, while the block goes on";
  let description = [{
    By TMA, started by the first thread of the role. Elements outside the view are
    dropped, but a chunk of 16 bytes that a row ends in is written whole, with zeros.

    With `warpgroup` the first thread of each warpgroup starts what stores the rows of
    its own: 64 of every 64 per warpgroup, as the sums of its products lie.

    ```mlir
    tile.store_async %s to %y[%row, %col]
        : !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>, !tile.view<[M, N], bf16>
    ```
  }];
  let arguments = (ins Tile_SharedType:$buffer, Tile_ViewType:$view,
                       Variadic<Index>:$offsets, UnitAttr:$warpgroup);
  let assemblyFormat = [{
    $buffer `to` $view `[` $offsets `]` (`warpgroup` $warpgroup^)? attr-dict
    `:` qualified(type($buffer)) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
}

def Tile_AwaitStoresOp : Tile_SyncOp<"await_stores"> {
  let summary = "asynchronous stores have read their shared memory";
  let description = [{
    All but the last `pending` of them. By the thread that started them, or with
    `warpgroup` the first thread of each warpgroup; others need a `tile.barrier` after
    it.

    ```mlir
    tile.await_stores
    tile.await_stores pending 1 warpgroup
    ```
  }];
  let arguments = (ins
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<63>]>, "0">:$pending,
      UnitAttr:$warpgroup);
  let assemblyFormat = "(`pending` $pending^)? (`warpgroup` $warpgroup^)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

def Tile_ClusterRankOp : Tile_Op<"cluster_rank", [Pure]> {
  let summary = "this block's number among the blocks of its cluster";
  let description = [{
    At least 0 and less than the schedule's `CLUSTER`, 0 without clusters. Blocks of a
    cluster are neighbours in the grid.

    ```mlir
    %r = tile.cluster_rank
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_ClusterIdOp : Tile_Op<"cluster_id", [Pure]> {
  let summary = "the number of this block's cluster along the first grid axis";
  let description = [{
    The first `tile.program_id` over `CLUSTER`: the same in all blocks of a cluster, so
    that what is computed from it and not from `tile.cluster_rank` is, too. Loops of
    persistent kernels take cluster after cluster.

    ```mlir
    %c = tile.cluster_id
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_ClusterBarrierOp : Tile_SyncOp<"cluster_barrier"> {
  let summary = "all threads of the cluster's blocks, and their shared memory, meet";
  let description = [{
    Every thread of every block of the cluster reaches it, outside of roles.

    ```mlir
    tile.cluster_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_ClusterReduceOp
    : Tile_SyncOp<"cluster_reduce", [AttrSizedOperandSegments]> {
  let summary = "a tile combined over the blocks that share it";
  let description = [{
    Block `r` of `CLUSTER` gets elements `r * n` to `(r + 1) * n - 1` along `dim`, where
    `n` is the result's extent; without `along` every block gets all, in the layout of
    its own. Blocks are combined in order of rank, by default added, so that two runs
    are bit-equal; `max` and `min` propagate NaN. All blocks of the cluster reach it, or
    none. Without clusters it deals the tile to threads anew. Of a tile with `parts`,
    those of a block are combined first, in their order.

    With `weighted`, rows are averaged: row `i` of a block counts for `2^logs[i]` of the
    sum of that over all blocks. So blocks that share the keys of a softmax merge their
    means by the logarithms of their sums. A block without keys has minus infinity
    there, and should have zeros in its row; where all have, the row is NaN.

    The tile travels through `buffer`, which `tile-stage-operands` allocates: the
    parts of a tile one below the other, then whole eights of rows for logarithms, if any.

    ```mlir
    %sum = tile.cluster_reduce %partial along 0
         : tensor<16x128xf32> -> tensor<4x128xf32>
    %all = tile.cluster_reduce <max> %own : tensor<16x8xf32> -> tensor<16x8xf32>
    %mean = tile.cluster_reduce %own_mean weighted %logs along 0
          : tensor<16x128xf32> by tensor<16xf32> -> tensor<4x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Optional<AnyRankedTensor>:$logs,
      Optional<Tile_SharedType>:$buffer,
      OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<1>]>>:$dim,
      DefaultValuedAttr<Tile_ReduceKindAttr, "::lathe::tile::ReduceKind::Add">:$kind);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    custom<Kind>($kind) $value (`weighted` $logs^)? (`along` $dim^)?
    (`through` $buffer^)? attr-dict `:` type($value) (`by` type($logs)^)?
    (`,` qualified(type($buffer))^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of the buffer below the parts for a logarithm of each row, eights as
    /// panels take them.
    int64_t getLogRows();
  }];
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

def Tile_RolesOp : Tile_Op<"roles", [
    SingleBlockImplicitTerminator<"EndRoleOp">, HasParent<"KernelOp">,
    NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "warps of a block that do different things";
  let description = [{
    Role `r` is run by the next `warps[r]` warps of the block: all of their threads,
    or one where `threads[r]` is 1. With `teams`, so many teams of `threads[r]` run it
    each on its own, and `tile.team_id` says which it is: teams of whole warpgroups.
    Layouts and barriers inside are of one team. `registers[r]` is what each thread of the role may use from then on
    (PTX ISA, "setmaxnreg"); 0 leaves it.

    ```mlir
    tile.roles warps [4, 8] threads [1, 256] registers [40, 232] {
      // one thread copies
    }, {
      // 256 threads multiply
    }
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$warps, DenseI64ArrayAttr:$threads,
                       DenseI64ArrayAttr:$registers,
                       OptionalAttr<DenseI64ArrayAttr>:$teams);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let assemblyFormat = [{
    `warps` $warps `threads` $threads (`teams` $teams^)? `registers` $registers
    attr-dict-with-keyword $bodies
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many teams run a role.
    int64_t getNumTeams(size_t role) {
      return getTeams() ? (*getTeams())[role] : 1;
    }
  }];
}

def Tile_WarpgroupIdOp : Tile_Op<"warpgroup_id", [Pure]> {
  let summary = "this warpgroup's number in its role or team";
  let description = [{
    The same in all threads of a warpgroup. Within roles of whole warpgroups.

    ```mlir
    %g = tile.warpgroup_id
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_TeamIdOp : Tile_Op<"team_id", [Pure]> {
  let summary = "this team's number in its role";
  let description = [{
    The same in all threads of a team; 0 in a role that is one. Within roles of whole
    warpgroups.

    ```mlir
    %t = tile.team_id
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_EndRoleOp : Tile_Op<"end_role", [Terminator, Pure, HasParent<"RolesOp">]> {
  let summary = "the end of a role";
  let description = [{
    ```mlir
    tile.end_role
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_RasterOp : Tile_Op<"raster", [Pure]> {
  let summary = "the tile of a matrix that a work item makes";
  let description = [{
    Tiles in an order whose neighbours share operands: bands of `group` rows of
    tiles, each walked column by column. Work item `item` of `rows * columns` gets
    row `row < rows` and column `column < columns`, each pair once.

    ```mlir
    %i, %j = tile.raster %item over ("M ceildiv BM", "N ceildiv BN") group "RASTER"
    ```
  }];
  let arguments = (ins Index:$item, Problem_ExprAttr:$rows, Problem_ExprAttr:$columns,
                       Problem_ExprAttr:$group);
  let results = (outs Index:$row, Index:$column);
  let assemblyFormat = [{
    $item `over` `(` custom<ExprText>($rows) `,` custom<ExprText>($columns) `)`
    `group` custom<ExprText>($group) attr-dict
  }];
}

#endif // LATHE_TILE_ASYNC_OPS_TD
