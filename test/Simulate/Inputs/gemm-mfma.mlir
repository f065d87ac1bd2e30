// A GEMM with the mechanisms of CDNA 3, small enough to change: C[M, N] =
// A[M, K] * B[N, K]^T, f16 in, f32 out, K a multiple of 32, M and N any size.
// Four waves in a square multiply 32 x 32 each by MFMA 32x32x8. Two buffers of
// LDS alternate: while one is multiplied, the next tile travels through
// registers into the other.
// Launch: grid (ceil(N / 64), ceil(M / 64)), block 256.
!half4 = vector<4xf16>
!half8 = vector<8xf16>
!acc = vector<16xf32>
gpu.module @gemm_mfma {
  // Two buffers, each 64 rows of A and 64 of B; rows of 32 halves lie 36 apart.
  llvm.mlir.global internal @lds() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<9216 x f16>

  gpu.func @gemm_mfma(%a: !llvm.ptr<1> {llvm.noalias}, %b: !llvm.ptr<1> {llvm.noalias}, %c: !llvm.ptr<1> {llvm.noalias}, %m: i32, %n: i32, %k: i32)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c5 = arith.constant 5 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    %c63 = arith.constant 63 : i32
    %c64 = arith.constant 64 : i32
    %pitch = arith.constant 36 : i32
    %half_tile = arith.constant 2304 : i32 // 64 rows
    %buffer_size = arith.constant 4608 : i32
    %zero8 = arith.constant dense<0.0> : !half8
    %zeros = arith.constant dense<0.0> : !acc
    %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>

    %tx = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %t = arith.index_cast %tx : index to i32
    %block_n = arith.index_cast %bx : index to i32
    %block_m = arith.index_cast %by : index to i32
    %tile_m = arith.muli %block_m, %c64 : i32
    %tile_n = arith.muli %block_n, %c64 : i32

    // Copying: a thread moves 8 halves of one row of A and one of B.
    %copy_row = arith.shrui %t, %c2 : i32
    %part = arith.andi %t, %c3 : i32
    %copy_k = arith.muli %part, %c8 : i32
    %row_a = arith.addi %tile_m, %copy_row : i32
    %row_b = arith.addi %tile_n, %copy_row : i32
    // bound: rows outside read as zeros
    %has_a = arith.cmpi slt, %row_a, %m : i32
    %has_b = arith.cmpi slt, %row_b, %n : i32
    %row_a64 = arith.extsi %row_a : i32 to i64
    %row_b64 = arith.extsi %row_b : i32 to i64
    %k64 = arith.extsi %k : i32 to i64
    %copy_k64 = arith.extsi %copy_k : i32 to i64
    %a_row_at = arith.muli %row_a64, %k64 : i64
    %b_row_at = arith.muli %row_b64, %k64 : i64
    %a_first = arith.addi %a_row_at, %copy_k64 : i64
    %b_first = arith.addi %b_row_at, %copy_k64 : i64
    %copy_row_at = arith.muli %copy_row, %pitch : i32
    %copy_at = arith.addi %copy_row_at, %copy_k : i32

    // Multiplying: the wave's square, the lane's row in it and its half of k.
    %wave_all = arith.divui %t, %c64 : i32
    %wave_m = arith.shrui %wave_all, %c1 : i32
    %wave_n = arith.andi %wave_all, %c1 : i32
    %lane = arith.andi %t, %c63 : i32
    %lane_row = arith.andi %lane, %c31 : i32
    %lane_half = arith.shrui %lane, %c5 : i32
    %lane_k = arith.muli %lane_half, %c4 : i32
    %square_m = arith.muli %wave_m, %c32 : i32
    %square_n = arith.muli %wave_n, %c32 : i32
    %frag_row_a = arith.addi %square_m, %lane_row : i32
    %frag_row_b = arith.addi %square_n, %lane_row : i32
    %frag_a_row_at = arith.muli %frag_row_a, %pitch : i32
    %frag_b_row_at = arith.muli %frag_row_b, %pitch : i32
    %frag_a_at = arith.addi %frag_a_row_at, %lane_k : i32
    %frag_b_tile = arith.addi %frag_b_row_at, %half_tile : i32
    %frag_b_at = arith.addi %frag_b_tile, %lane_k : i32

    // step: first tile into the first buffer
    %a0 = scf.if %has_a -> !half8 {
      %p = llvm.getelementptr %a[%a_first] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
      %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> !half8
      scf.yield %v : !half8
    } else {
      scf.yield %zero8 : !half8
    }
    %b0 = scf.if %has_b -> !half8 {
      %p = llvm.getelementptr %b[%b_first] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
      %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> !half8
      scf.yield %v : !half8
    } else {
      scf.yield %zero8 : !half8
    }
    %to_a0 = llvm.getelementptr %lds[%copy_at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    llvm.store %a0, %to_a0 {alignment = 8 : i64} : !half8, !llvm.ptr<3>
    %copy_b_at = arith.addi %copy_at, %half_tile : i32
    %to_b0 = llvm.getelementptr %lds[%copy_b_at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    llvm.store %b0, %to_b0 {alignment = 8 : i64} : !half8, !llvm.ptr<3>
    // step: first tile visible
    gpu.barrier

    %steps = arith.divui %k, %c32 : i32
    %last = arith.subi %steps, %c1 : i32
    %sum = scf.for %step = %c0 to %steps step %c1 iter_args(%acc = %zeros) -> (!acc) : i32 {
      %next = arith.addi %step, %c1 : i32
      %parity = arith.andi %step, %c1 : i32
      %next_parity = arith.andi %next, %c1 : i32
      %buffer = arith.muli %parity, %buffer_size : i32
      %next_buffer = arith.muli %next_parity, %buffer_size : i32
      %more = arith.cmpi slt, %step, %last : i32
      %next_k = arith.muli %next, %c32 : i32
      %next_k64 = arith.extsi %next_k : i32 to i64

      // step: next tile into registers
      %take_a = arith.andi %more, %has_a : i1
      %take_b = arith.andi %more, %has_b : i1
      %an = scf.if %take_a -> !half8 {
        %at = arith.addi %a_first, %next_k64 : i64
        %p = llvm.getelementptr %a[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
        %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> !half8
        scf.yield %v : !half8
      } else {
        scf.yield %zero8 : !half8
      }
      %bn = scf.if %take_b -> !half8 {
        %at = arith.addi %b_first, %next_k64 : i64
        %p = llvm.getelementptr %b[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
        %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> !half8
        scf.yield %v : !half8
      } else {
        scf.yield %zero8 : !half8
      }

      // step: multiply the current buffer
      %product = scf.for %kk = %c0 to %c32 step %c8 iter_args(%partial = %acc) -> (!acc) : i32 {
        %a_k = arith.addi %frag_a_at, %kk : i32
        %b_k = arith.addi %frag_b_at, %kk : i32
        %a_at = arith.addi %a_k, %buffer : i32
        %b_at = arith.addi %b_k, %buffer : i32
        %pa = llvm.getelementptr %lds[%a_at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
        %pb = llvm.getelementptr %lds[%b_at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
        %va = llvm.load %pa {alignment = 8 : i64} : !llvm.ptr<3> -> !half4
        %vb = llvm.load %pb {alignment = 8 : i64} : !llvm.ptr<3> -> !half4
        %r = rocdl.mfma.f32.32x32x8f16 %va, %vb, %partial, %c0, %c0, %c0 : (!half4, !half4, !acc, i32, i32, i32) -> !acc
        scf.yield %r : !acc
      }

      // step: next tile into the other buffer
      %an_at = arith.addi %copy_at, %next_buffer : i32
      %bn_at = arith.addi %copy_b_at, %next_buffer : i32
      %to_a = llvm.getelementptr %lds[%an_at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      llvm.store %an, %to_a {alignment = 8 : i64} : !half8, !llvm.ptr<3>
      %to_b = llvm.getelementptr %lds[%bn_at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      llvm.store %bn, %to_b {alignment = 8 : i64} : !half8, !llvm.ptr<3>
      // step: next tile visible, current buffer free
      gpu.barrier
      scf.yield %product : !acc
    }

    // step: store; register r of a lane is row 8 * (r / 4) + 4 * half + r % 4
    %col_square = arith.addi %tile_n, %square_n : i32
    %col = arith.addi %col_square, %lane_row : i32
    %has_col = arith.cmpi slt, %col, %n : i32
    %row_square = arith.addi %tile_m, %square_m : i32
    %row_first = arith.addi %row_square, %lane_k : i32
    %n64 = arith.extsi %n : i32 to i64
    %col64 = arith.extsi %col : i32 to i64
    scf.for %r = %c0 to %c16 step %c1 : i32 {
      %band = arith.shrui %r, %c2 : i32
      %band_row = arith.muli %band, %c8 : i32
      %in_band = arith.andi %r, %c3 : i32
      %row_in = arith.addi %band_row, %in_band : i32
      %row = arith.addi %row_first, %row_in : i32
      %has_row = arith.cmpi slt, %row, %m : i32
      %has = arith.andi %has_row, %has_col : i1
      %value = llvm.extractelement %sum[%r : i32] : !acc
      scf.if %has {
        %row64 = arith.extsi %row : i32 to i64
        %row_at = arith.muli %row64, %n64 : i64
        %at = arith.addi %row_at, %col64 : i64
        %p = llvm.getelementptr %c[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        llvm.store %value, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
      }
    }
    gpu.return
  }
}
