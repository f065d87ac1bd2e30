// Rows of any length: a block takes one row, in steps of ROUNDS * VEC elements
// per thread; one pass adds and sums squares, one reads the
// rounded sum back, each thread what it wrote itself.
!step = tensor<1x?x!tile.dtype<DT>, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>
!wide = tensor<1x?xf32, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>
!weight = tensor<?x!tile.dtype<DT>, #tile.extents<[ROUNDS * VEC * WARPS * WAVE]>>
!wideWeight = tensor<?xf32, #tile.extents<[ROUNDS * VEC * WARPS * WAVE]>>
!stat = tensor<1xf32>

tile.kernel @columns(%x: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>,
                     %residual: !tile.view<[T, H], !tile.dtype<DT>, [RS, 1]>,
                     %weight: !tile.view<[H], !tile.dtype<DT>>,
                     %out: !tile.view<[T, H], !tile.dtype<DT>>,
                     %residual_out: !tile.view<[T, H], !tile.dtype<DT>>, %eps: f32)
    space {WARPS = [1, 4, 8, 16], VEC = [1, 2, 4, 8], ROUNDS = [1, 2, 4], PERSISTENT = [0, 1]}
    where ["H mod VEC == 0", "VEC * DT_bytes <= 16", "ROUNDS * VEC <= 16", "WARPS * WAVE <= 1024"]
    grid ["T"] runtime ["T", "H", "XS", "RS"]
    model {live = "3 * ROUNDS * VEC", passes = "2"}
    attributes {may_alias = array<i64: 1, 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %none = tile.splat %zero : f32 -> !wide
  %row = tile.program_id 0
  %size = tile.size "ROUNDS * VEC * WARPS * WAVE"
  %steps = tile.size "H ceildiv (ROUNDS * VEC * WARPS * WAVE)"
  %squares = scf.for %step = %c0 to %steps step %c1 iter_args(%total = %none) -> (!wide) {
    %col = arith.muli %step, %size : index
    %xt = tile.load %x[%row, %col] evict_first : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> !step
    %rt = tile.load %residual[%row, %col] evict_first : !tile.view<[T, H], !tile.dtype<DT>, [RS, 1]> -> !step
    %xf = tile.convert %xt : !step -> !wide
    %rf = tile.convert %rt : !step -> !wide
    %exact = arith.addf %xf, %rf : !wide
    %added = tile.convert %exact : !wide -> !step
    tile.store %added to %residual_out[%row, %col] : !step, !tile.view<[T, H], !tile.dtype<DT>>
    %a = tile.convert %added : !step -> !wide
    %sq = arith.mulf %a, %a fastmath<contract> : !wide
    %next = arith.addf %total, %sq fastmath<contract> : !wide
    scf.yield %next : !wide
  }
  %sum = tile.reduce <add> %squares along 1 : !wide -> !stat
  %one = arith.constant 1.0 : f32
  %h = tile.size "H"
  %hi = arith.index_cast %h : index to i64
  %hf = arith.sitofp %hi : i64 to f32
  %inverse = arith.divf %one, %hf : f32
  %scale = tile.splat %inverse : f32 -> !stat
  %mean = arith.mulf %sum, %scale : !stat
  %e = tile.splat %eps : f32 -> !stat
  %shifted = arith.addf %mean, %e : !stat
  %rstd = math.rsqrt %shifted : !stat
  %rstds = tile.broadcast %rstd along 1 : !stat -> !wide
  scf.for %step = %c0 to %steps step %c1 {
    %col = arith.muli %step, %size : index
    %at = tile.load %residual_out[%row, %col] : !tile.view<[T, H], !tile.dtype<DT>> -> !step
    %wt = tile.load %weight[%col] : !tile.view<[H], !tile.dtype<DT>> -> !weight
    %a = tile.convert %at : !step -> !wide
    %wf = tile.convert %wt : !weight -> !wideWeight
    %ws = tile.broadcast %wf along 0 : !wideWeight -> !wide
    %normed = arith.mulf %a, %rstds : !wide
    %scaled = arith.mulf %normed, %ws : !wide
    %y = tile.convert %scaled : !wide -> !step
    tile.store %y to %out[%row, %col] evict_first : !step, !tile.view<[T, H], !tile.dtype<DT>>
  }
  tile.return
}
