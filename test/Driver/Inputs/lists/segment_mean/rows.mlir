!x_view = !tile.view<[sum_L, H], f32>
!offsets = !tile.view<[len_L + 1], i32>
!out_view = !tile.view<[len_L, H], f32>
!row = tensor<1x?xf32, #tile.extents<[1, VEC * WARPS * WAVE]>>

tile.kernel @rows(%x: !x_view, %offsets: !offsets, %out: !out_view)
    space {WARPS = [1, 2], VEC = [1, 4]} where ["H mod VEC == 0", "VEC == 1 or max_L >= 16"]
    grid ["len_L * (H ceildiv (VEC * WARPS * WAVE))"] runtime ["len_L", "sum_L", "max_L", "H", "P"]
    model {live = "2 * VEC", passes = "max_L"} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %width = tile.size "VEC * WARPS * WAVE"
  %parts = tile.size "H ceildiv (VEC * WARPS * WAVE)"
  %pid = tile.program_id 0
  %s = arith.divui %pid, %parts : index
  %part = arith.remui %pid, %parts : index
  %col = arith.muli %part, %width : index
  %after = arith.addi %s, %c1 : index
  %first = tile.load_element %offsets[%s] : !offsets -> i32
  %last = tile.load_element %offsets[%after] : !offsets -> i32
  %begin = arith.index_cast %first : i32 to index
  %end = arith.index_cast %last : i32 to index
  %none = tile.splat %zero : f32 -> !row
  %sum = scf.for %t = %begin to %end step %c1 iter_args(%total = %none) -> (!row) {
    %value = tile.load %x[%t, %col] : !x_view -> !row
    %next = arith.addf %total, %value : !row
    scf.yield %next : !row
  }
  %rows = arith.subi %last, %first : i32
  %count = arith.sitofp %rows : i32 to f32
  %divisor = arith.maximumf %count, %one : f32
  %divisors = tile.splat %divisor : f32 -> !row
  %mean = arith.divf %sum, %divisors : !row
  tile.store %mean to %out[%s, %col] : !row, !out_view
  tile.return
}
