//===- TileOps.td - Operations of the tile dialect ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TILE_OPS_TD
#define LATHE_TILE_OPS_TD

include "TileTypes.td"
include "Problem/ProblemAttrs.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

def Tile_ScalarType : AnyTypeOf<[AnyFloat, AnySignlessInteger, Index]>;
def Tile_ConvertibleType
    : AnyTypeOf<[AnyRankedTensor, AnyFloat, Tile_DTypeType]>;

def Tile_KernelOp
    : Tile_Op<"kernel", [IsolatedFromAbove, Symbol, FunctionOpInterface,
                         AutomaticAllocationScope]> {
  let summary = "a kernel, parametric or static";
  let description = [{
    The body is the program of one *work item*; `grid` says how many there are per
    axis. How work items meet blocks is the schedule's choice, not the author's.

    | attribute | meaning |
    |---|---|
    | `space` | schedule parameters and the values each may take; several such spaces, of the same parameters, are searched one after the other |
    | `where` | conditions of a legal schedule, over dimensions, options, schedule, `WAVE`, `SMEM`, and `TMA`, `WGMMA`, `FP8`, `FLUSHES`, which are 1 where the hardware has them |
    | `grid` | work items per axis, 1 to 3 expressions |
    | `runtime` | dimensions that may stay open until run time |
    | `model` | hints for the planner: `live` f32 values per thread, `passes` over the inputs, `registers` per thread where `live` does not tell; of a kernel that is a matrix product `m`, `n`, `k` and a block's `tile_m`, `tile_n`, `tile_k`, where it applies `split` (blocks that share a sum), `cluster_m` and `cluster_n` (blocks of a cluster that copy for each other), `mma_cost` (time over that at the type's peak), `lane_ops` (beside the products, per block and step of K) |
    | `may_alias` | argument positions of views that may share memory with one another; all others are disjoint |
    | `dims` | set by `tile-specialize`: run-time dimensions, passed as trailing `index` arguments |
    | `multiples` | set by `tile-specialize`: divisor that a guard promises, per run-time dimension |
    | `alignment` | set by `tile-specialize`: bytes that a guard promises of every base pointer |
    | `threads` | set by `tile-specialize`: threads per block |
    | `wave` | set by `tile-specialize`: threads per warp or wave |
    | `schedule` | set by `tile-specialize`: the bound point of `space` |
    | `shared_bytes` | set by `tile-plan-shared`: shared memory of its buffers |

    Well-known parameters: `WARPS` (warps per block), `VEC` (elements per memory
    access), `PERSISTENT` (1: blocks loop over work items, or take what the kernel
    deals them by `tile.num_programs`), `STAGES` (turns of a
    loop whose operands are under way or in use), `PRODUCERS` (further warps that
    only copy, by TMA), `STORE` (0: results do not leave by TMA where operands come
    by it), `PREFETCH` (1: loops load a turn ahead what they do not multiply),
    `STAGING` (buffers through which results leave by parts; 0: one for each),
    `PINGPONG` (1: two groups of consumers take work items in turn), `RASTER` (rows
    of tiles that neighbours share), `CLUSTER` (neighbouring blocks that can reach
    each other's shared memory, and of which each copies a part of what producers of
    all of them would copy), `SLOTS` (2: turns alternate between two buffers),
    `WIDEN` (1: products are of f32), `PARTS` (groups of warps that share the K of
    products, whose operands then stay in registers; 0: they do not), `BLOCKS`
    (blocks with producers that are to fit one multiprocessor), `TURNS` (1:
    warpgroups of a role start the products of a turn one after the other, where
    one product takes what another made), `TEAMS` (so many teams of the consumers take
    turns of the innermost loop that loads operands, around which others stay).

    **Preconditions.** Arguments are views, then scalars, in the operator's order.
    **Errors.** A parameter listed twice; an empty value list; a body that does not
    end in `tile.return`; `dims` that do not match the trailing arguments.

    ```mlir
    tile.kernel @rows(%x: !tile.view<[T, H], bf16>, %y: !tile.view<[T, H], bf16>)
        space {ROWS = [1, 2, 4], WARPS = [1, 4]}, {ROWS = [8], WARPS = [8]}
        where ["ROWS * H <= 16384"] grid ["T ceildiv ROWS"] runtime ["T"] {
      ...
      tile.return
    }
    ```
  }];
  let arguments = (ins
      SymbolNameAttr:$sym_name,
      TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<ArrayAttr>:$space,
      OptionalAttr<ArrayAttr>:$where,
      ArrayAttr:$grid,
      OptionalAttr<StrArrayAttr>:$runtime,
      OptionalAttr<DictionaryAttr>:$model,
      OptionalAttr<DenseI64ArrayAttr>:$may_alias,
      OptionalAttr<StrArrayAttr>:$dims,
      OptionalAttr<DictionaryAttr>:$multiples,
      OptionalAttr<I64Attr>:$alignment,
      OptionalAttr<I64Attr>:$threads,
      OptionalAttr<I64Attr>:$wave,
      OptionalAttr<DictionaryAttr>:$schedule,
      OptionalAttr<I64Attr>:$shared_bytes,
      OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Spaces of a kernel's schedules list the same parameters.
    ::llvm::LogicalResult verifySpaces();
    /// Groups of warps that share the K of products, whose operands are then in
    /// registers; 0 where they are staged.
    int64_t getParts() { return getScheduleValue("PARTS").value_or(0); }
    /// Whether further warps only copy what the others multiply.
    bool hasProducers() {
      return getScheduleValue("PRODUCERS").value_or(0) != 0;
    }
    /// Blocks of a cluster.
    int64_t getCluster() {
      return std::max<int64_t>(getScheduleValue("CLUSTER").value_or(1), 1);
    }
    /// Blocks of roles that are to fit one multiprocessor.
    int64_t getBlocks() {
      return std::max<int64_t>(getScheduleValue("BLOCKS").value_or(1), 1);
    }
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    /// True once `tile-specialize` has run.
    bool isStatic() { return getThreads().has_value(); }
    /// Work items per axis.
    ::llvm::SmallVector<::lathe::Expr> getGridExprs();
    ::llvm::SmallVector<::lathe::Expr> getWhereExprs();
    /// The `index` argument that carries run-time dimension `name`, or null.
    ::mlir::Value getDimArgument(::llvm::StringRef name);
    /// The bound value of schedule parameter `name`, if it has one.
    std::optional<int64_t> getScheduleValue(::llvm::StringRef name);
    /// Largest known divisor of `expr` from the promised multiples.
    int64_t getKnownDivisor(const ::lathe::Expr &expr);
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Terminator, Pure, HasParent<"KernelOp">]> {
  let summary = "the end of a kernel";
  let description = [{
    ```mlir
    tile.return
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "this work item's coordinate along a grid axis";
  let description = [{
    Between 0 and the kernel's `grid` expression of that axis. After
    `tile-persist` it is the block's coordinate, where the loop starts.

    ```mlir
    %i = tile.program_id 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure]> {
  let summary = "how many blocks were launched along a grid axis";
  let description = [{
    The step of a persistent kernel's loop.

    ```mlir
    %n = tile.num_programs 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_SizeOp : Tile_Op<"size", [Pure]> {
  let summary = "the value of an expression over parameters";
  let description = [{
    A constant after `tile-specialize` where every symbol was bound, else computed
    from the run-time dimensions.

    ```mlir
    %half = tile.size "D floordiv 2"
    ```
  }];
  let arguments = (ins Problem_ExprAttr:$expr);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<ExprText>($expr) attr-dict";
}

include "TileAccessOps.td"

def Tile_ConvertOp : Tile_Op<"convert", [Pure]> {
  let summary = "another element type, rounded to nearest even";
  let description = [{
    Widening is exact. Narrowing is a *rounding point*: the signature of the
    operator asks for it, so no pass may fold a narrowing and the widening after it.
    The same type on both sides is a no-op, which lets one template serve f32.
    It does not saturate: what rounds beyond the largest finite value becomes
    infinity, or NaN in a type without one. To saturate, clamp first.
    References convert scalars.

    ```mlir
    %f = tile.convert %x : tensor<4x64xbf16> -> tensor<4x64xf32>
    %s = tile.convert %v : !tile.dtype<DT> -> f64
    ```
  }];
  let arguments = (ins Tile_ConvertibleType:$value);
  let results = (outs Tile_ConvertibleType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a tile whose elements are all one scalar";
  let description = [{
    ```mlir
    %e = tile.splat %eps : f32 -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tile_ScalarType:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "a tile repeated along one new dimension";
  let description = [{
    `along` is the position of the new dimension in the result.

    ```mlir
    %w2 = tile.broadcast %w along 0 : tensor<1152xf32> -> tensor<4x1152xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `along` $dim attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "one dimension of a tile combined away";
  let description = [{
    The order of the combination is the compiler's, but fixed for one kernel: two
    runs are bit-equal. `max` and `min` propagate NaN. Inert elements of the
    layout do not take part.

    ```mlir
    %s = tile.reduce <add> %sq along 1 : tensor<4x1152xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, AnyRankedTensor:$value,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $value `along` $dim attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ScalarOp : Tile_Op<"scalar", [Pure]> {
  let summary = "the only element of a tile, for all threads";
  let description = [{
    What a reduction left of a whole tile becomes an offset or a bound: the tokens of
    all sequences before one, say.

    **Preconditions.** One element, of at least 16 bits if it is a float. Lowering needs
    a layout that gives it to every thread, as a reduction over all threads does.

    ```mlir
    %sum = tile.reduce <add> %lengths along 1 : tensor<1x1024xi32> -> tensor<1xi32>
    %begin = tile.scalar %sum : tensor<1xi32> -> i32
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs Tile_ScalarType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "a tile with its two dimensions exchanged";
  let description = [{
    Every thread keeps what it holds.

    ```mlir
    %t = tile.transpose %x : tensor<128x16xf32> -> tensor<16x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ColumnsOp : Tile_Op<"columns", [Pure]> {
  let summary = "neighbouring columns of a tile";
  let description = [{
    As many as the result has, from column `first` on. Every thread keeps what it
    holds, so that accumulators can be cut where all warps begin a turn.

    ```mlir
    %right = tile.columns %sum at 64 : tensor<128x128xf32> -> tensor<128x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$first);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `at` $first attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_DotOperand : AnyTypeOf<[AnyRankedTensor, Tile_SharedType]>;

def Tile_DotOp : Tile_Op<"dot", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "a matrix product added to an accumulator";
  let description = [{
    `result[m, n] = accumulator[m, n] + sum over k of a[m, k] * b[k, n]`. An operand
    that is marked `transposed` has its dimensions the other way round: `a[k, m]`,
    `b[n, k]`. Products of 16-bit floats are exact; sums are in the accumulator's
    type, in an order that is the compiler's but fixed for one kernel.

    Operands are register tiles in a template. `tile-stage-operands` puts them into
    shared memory, whence matrix instructions read them. Where the schedule's
    `PARTS` is not 0, they stay in registers, with K in rows; warps then share K. Sums that
    start at zero may then grow by each other, but only `tile.cluster_reduce` may take
    what they come to.

    With `as f16` 8-bit floats in shared memory, with K in rows, are widened on their
    way to instructions that multiply f16, which holds every one of them.

    An `async` dot is a wgmma: it only starts the product. Its result is there, and
    its operands may be overwritten, after a `tile.await_dots`; until then only
    other dots may take the result, as their accumulator.

    With `depth` only so many elements of K are multiplied; what is behind them,
    and columns of b behind the accumulator's, is there for the sake of copies.

    With `from` the product is with rows of b from there on, a multiple of 8: as many
    as are multiplied. So a tile that is loaded once is multiplied part by part.
    ```mlir
    %scores = tile.dot %q, %all_keys transposed from %key, %zeros
        : tensor<64x128xbf16>, tensor<256x128xbf16>, tensor<64x64xf32>
    ```

    An operand a that was computed from what another product made stays in the
    registers of its warps, which then have whole rows of both products' sums.

    **Preconditions.** Tiles of rank 2; a and b of one element type, or of two 8-bit
    floats; the accumulator is f32 for floats and i32 for i8.

    ```mlir
    %next = tile.dot %x, %w transposed, %sum
        : tensor<64x32xbf16>, tensor<128x32xbf16>, tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Tile_DotOperand:$a, Tile_DotOperand:$b,
                       AnyRankedTensor:$accumulator, Optional<I32>:$first,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$async,
                       OptionalAttr<TypeAttr>:$as, OptionalAttr<Problem_ExprAttr>:$depth);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $a (`transposed` $transpose_a^)? `,` $b (`transposed` $transpose_b^)?
    (`from` $first^)? `,` $accumulator (`depth` custom<ExprText>($depth)^)? (`as` $as^)? (`async` $async^)? attr-dict `:` type($a) `,` type($b) `,` type($accumulator)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements of K that are multiplied, of a static kernel.
    int64_t getStaticDepth();
  }];
}

def Tile_SharedMemory : AnyTypeOf<[Tile_SharedType, Tile_RingType]>;

def Tile_AllocOp : Tile_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "shared memory of this block";
  let description = [{
    Lives as long as the kernel; its contents are undefined at first. `at` is its
    place in bytes in the block's shared memory, set by `tile-plan-shared`.

    ```mlir
    %s = tile.alloc : !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
    %r = tile.alloc at 1024 : !tile.ring<3, <[128, 64], bf16, <phases = 8, rows = 1>>>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_SharedMemory:$result);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` qualified(type($result))";
  let builders = [OpBuilder<(ins "::mlir::Type":$type), [{
    build($_builder, $_state, type, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let extraClassDeclaration = [{
    int64_t getBytes() {
      ::mlir::Type type = getResult().getType();
      if (auto ring = ::llvm::dyn_cast<RingType>(type))
        return ring.getBytes();
      return ::llvm::cast<SharedType>(type).getBytes();
    }
  }];
}

def Tile_SlotOp : Tile_Op<"slot", [Pure, InferTypeOpAdaptor]> {
  let summary = "one slot of a ring";
  let description = [{
    ```mlir
    %s = tile.slot %ring[%i] : !tile.ring<3, <[128, 64], bf16, <phases = 8, rows = 1>>>
    ```
    `i` is at least 0 and less than the ring has slots.
  }];
  let arguments = (ins Tile_RingType:$ring, I32:$index);
  let results = (outs Tile_SharedType:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` qualified(type($ring))";
}

def Tile_WriteSharedOp : Tile_Op<"write_shared", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a tile from registers into shared memory";
  let description = [{
    Other threads see it after the next `tile.barrier`.

    ```mlir
    tile.write_shared %t to %s
        : tensor<64x32xbf16>, !tile.shared<[64, 32], bf16, <phases = 4, rows = 2>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_SharedType:$buffer);
  let assemblyFormat = [{
    $value `to` $buffer attr-dict `:` type($value) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Tile_BarrierOp
    : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the block or role, and their shared memory, meet";
  let description = [{
    Every thread of the block reaches it, or none; in a role, every thread of the
    role. With `warpgroup` those of a warpgroup of the role meet, whatever others do.

    ```mlir
    tile.barrier
    tile.barrier warpgroup
    ```
  }];
  let arguments = (ins UnitAttr:$warpgroup);
  let assemblyFormat = "(`warpgroup` $warpgroup^)? attr-dict";
  let hasVerifier = 1;
}

include "TileAsyncOps.td"

#endif // LATHE_TILE_OPS_TD
