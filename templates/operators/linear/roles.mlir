// Four warps of a block copy by TMA what the others multiply by wgmma: BM x BN of
// the output, BK of K at a time, one work item after the other. Blocks of a cluster
// lie below each other and share rows of w, or, ALONG rows, side by side and share x.
// Without bias or residual their views are empty, and empty views read as zero.
!x_rows = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BK]>>
!x_columns = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BK, BM]>>
!w_rows = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, BK]>>
!w_columns = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BK, BN]>>
!bias = tensor<?x!tile.dtype<DT>, #tile.extents<[BN]>>
!bias_wide = tensor<?xf32, #tile.extents<[BN]>>
!out = tensor<?x?x!tile.dtype<OT>, #tile.extents<[BM, BN]>>
!wide = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!kept = tensor<?x?xi1, #tile.extents<[BM, BN]>>
!x_view = !tile.view<[select(x_layout, K, M), select(x_layout, M, K)], !tile.dtype<DT>, [XS, 1]>
!w_view = !tile.view<[select(w_layout, K, N), select(w_layout, N, K)], !tile.dtype<DT>, [WS, 1]>

tile.kernel @roles(%x: !x_view, %w: !w_view,
                   %bias: !tile.view<[with_bias * N], !tile.dtype<DT>>,
                   %residual: !tile.view<[with_residual * M, N], !tile.dtype<OT>, [RS, 1]>,
                   %out: !tile.view<[M, N], !tile.dtype<OT>, [OS, 1]>)
    space {BM = [64, 128, 192, 256], BN = [32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256],
           BK = [64, 128], WARPS = [4, 8, 12, 16], PRODUCERS = [4], STAGES = [2, 3, 4, 5, 6, 8], VEC = [8],
           PERSISTENT = [0, 1], STAGING = [0, 1, 2], PINGPONG = [0], BLOCKS = [1], CLUSTER = [1], ALONG = [0]},
          {BM = [64, 128], BN = [64, 96, 112, 128, 144, 160, 176, 192, 224, 256],
           BK = [64], WARPS = [8], PRODUCERS = [4], STAGES = [3, 4, 5, 6, 8], VEC = [8],
           PERSISTENT = [1], STAGING = [0, 1, 2], PINGPONG = [1], BLOCKS = [1], CLUSTER = [1], ALONG = [0]},
          {BM = [128, 192, 256], BN = [96, 128, 160, 176, 192, 208, 224, 256],
           BK = [64], WARPS = [8, 12, 16], PRODUCERS = [4], STAGES = [3, 4, 5, 6], VEC = [8],
           PERSISTENT = [0, 1], STAGING = [0, 1], PINGPONG = [0], BLOCKS = [1], CLUSTER = [2], ALONG = [0, 1]},
          {BM = [128], BN = [64, 80, 96],
           BK = [64], WARPS = [8], PRODUCERS = [4], STAGES = [2, 3, 4], VEC = [8],
           PERSISTENT = [0, 1], STAGING = [0], PINGPONG = [0], BLOCKS = [2], CLUSTER = [1], ALONG = [0]}
    where ["TMA + WGMMA == 2", "DT_bytes == 2", "select(OT_bytes <= 2, N, 0) mod 8 == 0",
           "PINGPONG == 1 or BM == 16 * WARPS", "CLUSTER > 1 or ALONG == 0",
           "select(x_layout + w_layout == 0, select(ALONG, BM, BN), BK) mod (8 * CLUSTER) == 0",
           "STAGING == 0 or OT_bytes <= 2", "STAGING == 0 or PERSISTENT == 1", "STAGING * 64 < BN",
           "BK == 64 or PERSISTENT == 0", "BK == 64 or BM * BN <= 64 * 128",
           "PERSISTENT == 0 or STAGING > 0 or OT_bytes > 2 or BM * BN <= 128 * 160",
           "PERSISTENT == 0 or BLOCKS > 1 or STAGES >= 6 or (STAGES + 1) * DT_bytes * BK * (BM + BN) + select(OT_bytes <= 2, PERSISTENT + PINGPONG, 0) * OT_bytes * BM * select(STAGING, min(STAGING * 64, BN) + BN mod 64, BN) + 2048 > SMEM + 1024",
           "BM * BN <= select(PINGPONG, 88 - 24 * min(STAGING, 1), select(BLOCKS > 1, 48, select(WARPS > 12, 64 - 8 * PERSISTENT, select(WARPS > 8, 96, 128)))) * WARPS * WAVE",
           "BLOCKS * (STAGES * DT_bytes * BK * (BM + BN) + select(OT_bytes <= 2, PERSISTENT + PINGPONG, 0) * OT_bytes * BM * select(STAGING, min(STAGING * 64, BN) + BN mod 64, BN) + 2048) <= SMEM + 1024"]
    grid ["(M ceildiv (BM * select(ALONG, 1, CLUSTER))) * (N ceildiv (BN * select(ALONG, CLUSTER, 1))) * CLUSTER"]
    runtime ["M", "N", "K", "XS", "WS", "RS", "OS"]
    model {m = "M", n = "N", k = "K", tile_m = "BM", tile_n = "BN", tile_k = "BK",
           cluster_m = "select(ALONG, 1, CLUSTER)", cluster_n = "select(ALONG, CLUSTER, 1)",
           registers = "select(WARPS == 4, 32 + 16 * PERSISTENT + BM * BN floordiv (WARPS * WAVE), 65536 floordiv ((WARPS + PRODUCERS) * WAVE * BLOCKS) floordiv 8 * 8)"}
    attributes {may_alias = array<i64: 3, 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %root = arith.constant -0.70710678118654752 : f32
  %linear_share = arith.constant -1.5957691216057307 : f32
  %cubic_share = arith.constant -0.0713548162726009 : f32
  %zeros = tile.splat %zero : f32 -> !wide
  %halves = tile.splat %half : f32 -> !wide
  %ones = tile.splat %one : f32 -> !wide
  %depth = tile.size "K"
  %bk = tile.size "BK"
  %x_layout = tile.size "x_layout"
  %w_layout = tile.size "w_layout"
  %activation = tile.size "activation"
  %with_bias = tile.size "with_bias"
  %with_residual = tile.size "with_residual"
  %cluster_rows = tile.size "BM * select(ALONG, 1, CLUSTER)"
  %cluster_columns = tile.size "BN * select(ALONG, CLUSTER, 1)"
  %block_rows = tile.size "select(ALONG, 0, BM)"
  %block_columns = tile.size "select(ALONG, BN, 0)"
  %cluster = tile.cluster_id
  %rank = tile.cluster_rank
  %i, %j = tile.raster %cluster over ("M ceildiv (BM * select(ALONG, 1, CLUSTER))", "N ceildiv (BN * select(ALONG, CLUSTER, 1))")
      group "8 floordiv select(ALONG, 1, CLUSTER)"
  %first_row = arith.muli %i, %cluster_rows : index
  %first_column = arith.muli %j, %cluster_columns : index
  %below = arith.muli %rank, %block_rows : index
  %beside = arith.muli %rank, %block_columns : index
  %row = arith.addi %first_row, %below : index
  %col = arith.addi %first_column, %beside : index
  %x_by_rows = arith.cmpi eq, %x_layout, %c0 : index
  %w_by_rows = arith.cmpi eq, %w_layout, %c0 : index
  %both = arith.andi %x_by_rows, %w_by_rows : i1
  %sum = scf.if %both -> (!wide) {
    %rows_rows = scf.for %k = %c0 to %depth step %bk iter_args(%total = %zeros) -> (!wide) {
      %a = tile.load %x[%row, %k] : !x_view -> !x_rows
      %b = tile.load %w[%col, %k] : !w_view -> !w_rows
      %next = tile.dot %a, %b transposed, %total : !x_rows, !w_rows, !wide
      scf.yield %next : !wide
    }
    scf.yield %rows_rows : !wide
  } else {
    %others = scf.if %x_by_rows -> (!wide) {
    %rows_columns = scf.for %k = %c0 to %depth step %bk iter_args(%total = %zeros) -> (!wide) {
      %a = tile.load %x[%row, %k] : !x_view -> !x_rows
      %b = tile.load %w[%k, %col] : !w_view -> !w_columns
      %next = tile.dot %a, %b, %total : !x_rows, !w_columns, !wide
      scf.yield %next : !wide
    }
    scf.yield %rows_columns : !wide
    } else {
    %columns = scf.if %w_by_rows -> (!wide) {
    %columns_rows = scf.for %k = %c0 to %depth step %bk iter_args(%total = %zeros) -> (!wide) {
      %a = tile.load %x[%k, %row] : !x_view -> !x_columns
      %b = tile.load %w[%col, %k] : !w_view -> !w_rows
      %next = tile.dot %a transposed, %b transposed, %total : !x_columns, !w_rows, !wide
      scf.yield %next : !wide
    }
    scf.yield %columns_rows : !wide
    } else {
    %columns_columns = scf.for %k = %c0 to %depth step %bk iter_args(%total = %zeros) -> (!wide) {
      %a = tile.load %x[%k, %row] : !x_view -> !x_columns
      %b = tile.load %w[%k, %col] : !w_view -> !w_columns
      %next = tile.dot %a transposed, %b, %total : !x_columns, !w_columns, !wide
      scf.yield %next : !wide
    }
    scf.yield %columns_columns : !wide
    }
    scf.yield %columns : !wide
    }
    scf.yield %others : !wide
  }
  %has_bias = arith.cmpi ne, %with_bias, %c0 : index
  %biased = scf.if %has_bias -> (!wide) {
    %narrow = tile.load %bias[%col] : !tile.view<[with_bias * N], !tile.dtype<DT>> -> !bias
    %bias_row = tile.convert %narrow : !bias -> !bias_wide
    %bias_tile = tile.broadcast %bias_row along 0 : !bias_wide -> !wide
    %added = arith.addf %sum, %bias_tile : !wide
    scf.yield %added : !wide
  } else {
    scf.yield %sum : !wide
  }
  %is_relu = arith.cmpi eq, %activation, %c1 : index
  %is_silu = arith.cmpi eq, %activation, %c2 : index
  %is_gelu = arith.cmpi eq, %activation, %c3 : index
  %is_gelu_tanh = arith.cmpi eq, %activation, %c4 : index
  %is_sigmoid = arith.cmpi eq, %activation, %c5 : index
  %cut = scf.if %is_relu -> (!wide) {
    %positive = arith.maximumf %biased, %zeros : !wide
    scf.yield %positive : !wide
  } else {
    scf.yield %biased : !wide
  }
  // x / 2 * (1 + erf(x / sqrt 2)) without its cancellation.
  %bent = scf.if %is_gelu -> (!wide) {
    %roots = tile.splat %root : f32 -> !wide
    %scaled = arith.mulf %biased, %roots : !wide
    %share = math.erfc %scaled : !wide
    %halved = arith.mulf %biased, %halves : !wide
    %gelu = arith.mulf %halved, %share : !wide
    scf.yield %gelu : !wide
  } else {
    scf.yield %cut : !wide
  }
  // The others are 1 or x over 1 + exp(-y); half of 1 + tanh(u) is that of y = 2 u.
  %exponent = scf.if %is_gelu_tanh -> (!wide) {
    %linears = tile.splat %linear_share : f32 -> !wide
    %cubics = tile.splat %cubic_share : f32 -> !wide
    %square = arith.mulf %biased, %biased : !wide
    %curved = arith.mulf %square, %cubics : !wide
    %factor = arith.addf %linears, %curved : !wide
    %y = arith.mulf %biased, %factor : !wide
    scf.yield %y : !wide
  } else {
    %minus = arith.negf %biased : !wide
    scf.yield %minus : !wide
  }
  %is_product = arith.ori %is_silu, %is_gelu_tanh : i1
  %gated = arith.ori %is_product, %is_sigmoid : i1
  %active = scf.if %gated -> (!wide) {
    // 1 / (1 + exp(e)) is 1 / (1 + q), for positive e times q = exp(-|e|), whose root
    // does not underflow where the product with it does not.
    %inverse = arith.negf %exponent : !wide
    %closeness = arith.minimumf %exponent, %inverse : !wide
    %halved = arith.mulf %closeness, %halves : !wide
    %decay = math.exp %halved : !wide
    %q = arith.mulf %decay, %decay : !wide
    %denominator = arith.addf %ones, %q : !wide
    %scale = arith.divf %ones, %denominator fastmath<arcp> : !wide
    %decays = arith.cmpf ogt, %exponent, %zeros : !wide
    %factor = arith.select %decays, %decay, %ones : !kept, !wide
    %numerator = scf.if %is_product -> (!wide) {
      scf.yield %biased : !wide
    } else {
      scf.yield %ones : !wide
    }
    %once = arith.mulf %numerator, %factor : !wide
    %twice = arith.mulf %once, %factor : !wide
    %gate = arith.mulf %twice, %scale : !wide
    scf.yield %gate : !wide
  } else {
    scf.yield %bent : !wide
  }
  %has_residual = arith.cmpi ne, %with_residual, %c0 : index
  %total = scf.if %has_residual -> (!wide) {
    %narrow = tile.load %residual[%row, %col] : !tile.view<[with_residual * M, N], !tile.dtype<OT>, [RS, 1]> -> !out
    %residual_tile = tile.convert %narrow : !out -> !wide
    %added = arith.addf %active, %residual_tile : !wide
    scf.yield %added : !wide
  } else {
    scf.yield %active : !wide
  }
  %result = tile.convert %total : !wide -> !out
  tile.store %result to %out[%row, %col] evict_first : !out, !tile.view<[M, N], !tile.dtype<OT>, [OS, 1]>
  tile.return
}
