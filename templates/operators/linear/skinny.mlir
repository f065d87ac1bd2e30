// For few rows of x: weights feed the wide side of matrix instructions. BN rows of w
// meet BM rows of x; the blocks of a cluster share K, and then the rows of the sum.
// Either TMA feeds wgmma, or warps that share K too load what they multiply.
// Without bias or residual their views are empty, and empty views read as zero.
!x_rows = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BM, BK]>>
!w_rows = tensor<?x?x!tile.dtype<DT>, #tile.extents<[BN, BK]>>
!bias = tensor<?x!tile.dtype<DT>, #tile.extents<[BN]>>
!bias_wide = tensor<?xf32, #tile.extents<[BN]>>
!sums = tensor<?x?xf32, #tile.extents<[BN, BM]>>
!turned = tensor<?x?xf32, #tile.extents<[BM, BN]>>
!out = tensor<?x?x!tile.dtype<OT>, #tile.extents<[BM floordiv CLUSTER, BN]>>
!wide = tensor<?x?xf32, #tile.extents<[BM floordiv CLUSTER, BN]>>
!kept = tensor<?x?xi1, #tile.extents<[BM floordiv CLUSTER, BN]>>
!x_view = !tile.view<[select(x_layout, K, M), select(x_layout, M, K)], !tile.dtype<DT>, [XS, 1]>
!w_view = !tile.view<[select(w_layout, K, N), select(w_layout, N, K)], !tile.dtype<DT>, [WS, 1]>

tile.kernel @skinny(%x: !x_view, %w: !w_view,
                    %bias: !tile.view<[with_bias * N], !tile.dtype<DT>>,
                    %residual: !tile.view<[with_residual * M, N], !tile.dtype<OT>, [RS, 1]>,
                    %out: !tile.view<[M, N], !tile.dtype<OT>, [OS, 1]>)
    space {BM = [8, 16, 24, 32, 40, 48, 64, 72, 96, 136, 144, 192, 256], BN = [64, 128, 192, 256], BK = [64, 128],
           WARPS = [4, 8, 12, 16], PRODUCERS = [4], STAGES = [2, 3, 4, 6, 8, 12, 16], VEC = [8],
           CLUSTER = [1, 2, 4, 8], PARTS = [0], BLOCKS = [1]},
          {BM = [48, 64, 72, 96], BN = [128], BK = [64], WARPS = [8], PRODUCERS = [4],
           STAGES = [2, 3, 4], VEC = [8], CLUSTER = [1, 2], PARTS = [0], BLOCKS = [2]},
          {BM = [8, 16, 32], BN = [16, 32, 64], BK = [256, 512, 1024],
           WARPS = [4, 8, 16], PRODUCERS = [0], STAGES = [1, 2], VEC = [8],
           CLUSTER = [1, 2], PARTS = [4, 8, 16], BLOCKS = [1]}
    where ["CLUSTER == 1 or TMA == 1", "PARTS > 0 or TMA + WGMMA == 2", "PARTS == 0 or WAVE == 32", "DT_bytes == 2",
           "x_layout + w_layout == 0", "BM mod CLUSTER == 0",
           "select(OT_bytes <= 2 and PARTS == 0, N, 0) mod 8 == 0",
           "select(PARTS == 0, 0, K) mod 8 == 0", "PARTS > 0 or BN == 16 * WARPS",
           "PARTS > 0 or BM * BN <= select(BLOCKS > 1, 48, select(WARPS > 12, 68, select(WARPS > 8, 96, 128))) * WARPS * WAVE",
           "PARTS > 0 or STAGES * DT_bytes * BK * (BM + BN) >= 49152",
           "PARTS > 0 or BLOCKS * (max(STAGES * DT_bytes * BK * (BM + BN), 4 * BM * BN) + 3072) <= SMEM + 1024",
           "PARTS == 0 or PARTS == WARPS", "PARTS == 0 or BK mod (32 * PARTS) == 0",
           "4 * PARTS * BM * BN <= 49152",
           "PARTS == 0 or DT_bytes * BK * (BM + BN) * STAGES <= 320 * WARPS * WAVE"]
    grid ["(M ceildiv BM) * (N ceildiv BN) * CLUSTER"]
    runtime ["M", "N", "K", "XS", "WS", "RS", "OS"]
    model {m = "N", n = "M", k = "K", tile_m = "BN", tile_n = "BM", tile_k = "BK", split = "CLUSTER",
           registers = "select(PARTS > 0, 0, select(WARPS == 4, 32 + BM * BN floordiv (WARPS * WAVE), 65536 floordiv ((WARPS + PRODUCERS) * WAVE * BLOCKS) floordiv 8 * 8))"}
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
  %bm = tile.size "BM"
  %bn = tile.size "BN"
  %bk = tile.size "BK"
  %activation = tile.size "activation"
  %with_bias = tile.size "with_bias"
  %with_residual = tile.size "with_residual"
  %cluster = tile.size "CLUSTER"
  %slice = tile.size "BM floordiv CLUSTER"
  %down = tile.size "M ceildiv BM"
  %part = tile.size "(K ceildiv BK ceildiv CLUSTER) * BK"
  %none = tile.splat %zero : f32 -> !sums
  %pid = tile.program_id 0
  %item = arith.divui %pid, %cluster : index
  %i = arith.remui %item, %down : index
  %j = arith.divui %item, %down : index
  %first_row = arith.muli %i, %bm : index
  %col = arith.muli %j, %bn : index
  %rank = tile.cluster_rank
  %first = arith.muli %rank, %part : index
  %last = arith.addi %first, %part : index
  %end = arith.minui %last, %depth : index
  %partial = scf.for %k = %first to %end step %bk iter_args(%so_far = %none) -> (!sums) {
    %a = tile.load %w[%col, %k] evict_first : !w_view -> !w_rows
    %b = tile.load %x[%first_row, %k] : !x_view -> !x_rows
    %next = tile.dot %a, %b transposed, %so_far : !w_rows, !x_rows, !sums
    scf.yield %next : !sums
  }
  %turned = tile.transpose %partial : !sums -> !turned
  %sum = tile.cluster_reduce %turned along 0 : !turned -> !wide
  %mine = arith.muli %rank, %slice : index
  %row = arith.addi %first_row, %mine : index
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
