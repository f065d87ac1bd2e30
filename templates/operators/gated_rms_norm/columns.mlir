// Rows of any length: a block takes one row, in steps of ROUNDS * VEC elements
// per thread; one pass for the mean square, one for the result.
// Options: norm_before_gate 0 = before, 1 = after; activation 0 = silu, 1 = sigmoid.
!step = tensor<1x?x!tile.dtype<DT>, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>
!wide = tensor<1x?xf32, #tile.extents<[1, ROUNDS * VEC * WARPS * WAVE]>>
!weight = tensor<?x!tile.dtype<DT>, #tile.extents<[ROUNDS * VEC * WARPS * WAVE]>>
!wideWeight = tensor<?xf32, #tile.extents<[ROUNDS * VEC * WARPS * WAVE]>>
!stat = tensor<1xf32>

tile.kernel @columns(%x: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>,
                     %z: !tile.view<[T, H], !tile.dtype<DT>, [ZS, 1]>,
                     %weight: !tile.view<[H], !tile.dtype<DT>>,
                     %out: !tile.view<[T, H], !tile.dtype<DT>>, %eps: f32)
    space {WARPS = [1, 4, 8, 16], VEC = [1, 2, 4, 8], ROUNDS = [1, 2, 4], PERSISTENT = [0, 1]}
    where ["H mod VEC == 0", "VEC * DT_bytes <= 16", "ROUNDS * VEC <= 16", "WARPS * WAVE <= 1024"]
    grid ["T"] runtime ["T", "H", "XS", "ZS"]
    model {live = "4 * ROUNDS * VEC", passes = "2"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %none = tile.splat %zero : f32 -> !wide
  %row = tile.program_id 0
  %size = tile.size "ROUNDS * VEC * WARPS * WAVE"
  %steps = tile.size "H ceildiv (ROUNDS * VEC * WARPS * WAVE)"
  %one = arith.constant 1.0 : f32
  %ones = tile.splat %one : f32 -> !wide
  %order = tile.size "norm_before_gate"
  %activation = tile.size "activation"
  %before = arith.cmpi eq, %order, %c0 : index
  %silu = arith.cmpi eq, %activation, %c0 : index
  %squares = scf.for %step = %c0 to %steps step %c1 iter_args(%total = %none) -> (!wide) {
    %col = arith.muli %step, %size : index
    %xt = tile.load %x[%row, %col] : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> !step
    %xf = tile.convert %xt : !step -> !wide
    %a = scf.if %before -> (!wide) {
      scf.yield %xf : !wide
    } else {
      %zt = tile.load %z[%row, %col] : !tile.view<[T, H], !tile.dtype<DT>, [ZS, 1]> -> !step
      %zf = tile.convert %zt : !step -> !wide
      %minus = arith.negf %zf : !wide
      %decay = math.exp %minus : !wide
      %denominator = arith.addf %decay, %ones : !wide
      %gate = scf.if %silu -> (!wide) {
        %g = arith.divf %zf, %denominator fastmath<arcp> : !wide
        scf.yield %g : !wide
      } else {
        %g = arith.divf %ones, %denominator fastmath<arcp> : !wide
        scf.yield %g : !wide
      }
      %gated = arith.mulf %xf, %gate : !wide
      scf.yield %gated : !wide
    }
    %sq = arith.mulf %a, %a fastmath<contract> : !wide
    %next = arith.addf %total, %sq fastmath<contract> : !wide
    scf.yield %next : !wide
  }
  %sum = tile.reduce <add> %squares along 1 : !wide -> !stat
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
    %xt = tile.load %x[%row, %col] evict_first : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> !step
    %zt = tile.load %z[%row, %col] evict_first : !tile.view<[T, H], !tile.dtype<DT>, [ZS, 1]> -> !step
    %wt = tile.load %weight[%col] : !tile.view<[H], !tile.dtype<DT>> -> !weight
    %xf = tile.convert %xt : !step -> !wide
    %zf = tile.convert %zt : !step -> !wide
    %wf = tile.convert %wt : !weight -> !wideWeight
    %ws = tile.broadcast %wf along 0 : !wideWeight -> !wide
    %minus = arith.negf %zf : !wide
    %decay = math.exp %minus : !wide
    %denominator = arith.addf %decay, %ones : !wide
    %gate = scf.if %silu -> (!wide) {
      %g = arith.divf %zf, %denominator fastmath<arcp> : !wide
      scf.yield %g : !wide
    } else {
      %g = arith.divf %ones, %denominator fastmath<arcp> : !wide
      scf.yield %g : !wide
    }
    %result = scf.if %before -> (!wide) {
      %normed = arith.mulf %xf, %rstds : !wide
      %scaled = arith.mulf %normed, %ws : !wide
      %gated = arith.mulf %scaled, %gate : !wide
      scf.yield %gated : !wide
    } else {
      %gated = arith.mulf %xf, %gate : !wide
      %normed = arith.mulf %gated, %rstds : !wide
      %scaled = arith.mulf %normed, %ws : !wide
      scf.yield %scaled : !wide
    }
    %y = tile.convert %result : !wide -> !step
    tile.store %y to %out[%row, %col] evict_first : !step, !tile.view<[T, H], !tile.dtype<DT>>
  }
  tile.return
}
