// RUN: lathe-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{ring of 0 slots, expected 1 to 64}}
!r = !tile.ring<0, <[64, 64], bf16, <phases = 8, rows = 1>>>

// -----

// expected-error @+1 {{panels of 48 columns, expected a part of the 64 columns}}
!r = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>, panel = 48>

// -----

// expected-error @+1 {{0 mbarriers, expected 1 to 64}}
!b = !tile.mbarriers<0>

// -----

tile.kernel @rank(%x: !tile.view<[64], bf16>) grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
  // expected-error @+1 {{moves a view of rank 1, expected rank 2 as its buffer has}}
  tile.copy_async %x[%c0] to %s : !tile.view<[64], bf16>, !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
  tile.return
}

// -----

tile.kernel @elements(%x: !tile.view<[64, 64], f16>) grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
  // expected-error @+1 {{moves elements of 'f16', expected the buffer's 'bf16'}}
  tile.store_async %s to %x[%c0, %c0] : !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>, !tile.view<[64, 64], f16>
  tile.return
}

// -----

tile.kernel @threads() grid ["1"] attributes {threads = 256 : i64, wave = 32 : i64} {
  // expected-error @+1 {{has roles of 384 threads, expected the 256 of the block}}
  tile.roles warps [4, 8] threads [1, 256] registers [40, 232] {
  }, {
  }
  tile.return
}

// -----

tile.kernel @warpgroups() grid ["1"] attributes {threads = 96 : i64, wave = 32 : i64} {
  // expected-error @+1 {{has a role of 3 warps, expected whole warpgroups of 4}}
  tile.roles warps [3] threads [96] registers [0] {
  }
  tile.return
}

// -----

tile.kernel @registers() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  // expected-error @+1 {{has a role of 20 registers, expected a multiple of 8 from 24 to 256, or 0}}
  tile.roles warps [4] threads [128] registers [20] {
  }
  tile.return
}

// -----

tile.kernel @counts() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  // expected-error @+1 {{has 1 roles, 2 warp counts, 1 thread counts and 1 register counts, expected one of each per role}}
  tile.roles warps [4, 4] threads [128] registers [0] {
  }
  tile.return
}

// -----

// expected-error @+1 {{tensor map of 2 extents, 2 strides and a box of rank 2, expected ranks 1 to 5 and a stride less}}
#m = #tile.tensor_map<operand = 0, bf16, extents = [K, M], strides = [XS * 2, 2], box = [64, 128], swizzle = 128>

// -----

// expected-error @+1 {{box of 257, expected 1 to 256}}
#m = #tile.tensor_map<operand = 0, bf16, extents = [K, M], strides = [XS * 2], box = [64, 257], swizzle = 128>

// -----

// expected-error @+1 {{swizzle of 16 bytes, expected 0, 32, 64 or 128}}
#m = #tile.tensor_map<operand = 0, bf16, extents = [K, M], strides = [XS * 2], box = [64, 128], swizzle = 16>

// -----

func.func @transpose(%x: tensor<8x16xf32>) {
  // expected-error @+1 {{expected the same elements with both dimensions exchanged}}
  %t = tile.transpose %x : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

tile.kernel @slices(%v: f32) grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  %x = tile.splat %v : f32 -> tensor<8x16xf32>
  // expected-error @+1 {{expected one slice for each block of the cluster}}
  %t = tile.cluster_reduce %x along 0 : tensor<8x16xf32> -> tensor<8x16xf32>
  tile.return
}

// -----

tile.kernel @all(%v: f32) grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  %x = tile.splat %v : f32 -> tensor<8x16xf32>
  // expected-error @+1 {{reduces 'tensor<8x16xf32>' to 'tensor<4x16xf32>', expected the same extents}}
  %t = tile.cluster_reduce <min> %x : tensor<8x16xf32> -> tensor<4x16xf32>
  tile.return
}

// -----

tile.kernel @kind(%v: f32) grid ["1"] {
  %x = tile.splat %v : f32 -> tensor<8x16xf32>
  // expected-error @+1 {{found 'mean', expected add, max or min}}
  %t = tile.cluster_reduce <mean> %x : tensor<8x16xf32> -> tensor<8x16xf32>
  tile.return
}

// -----

!parts = tensor<16x16xf32, #tile.mma<m16n8, warps = [1, 1], parts = 2>>
tile.kernel @greatest_part(%v: f32) grid ["1"] attributes {threads = 64 : i64, wave = 32 : i64} {
  %x = tile.splat %v : f32 -> !parts
  // expected-error @+1 {{combines parts of sums otherwise than by adding them}}
  %t = tile.cluster_reduce <max> %x along 0 : !parts -> tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @open_parts(%v: f32) grid ["1"] attributes {threads = 64 : i64, wave = 32 : i64} {
  %buffer = tile.alloc : !tile.shared<[24, 16], f32, <phases = 4, rows = 2>>
  %x = tile.splat %v : f32 -> tensor<16x16xf32>
  // expected-error @+1 {{goes through '!tile.shared<[24, 16], f32, <phases = 4, rows = 2>>', expected the extents and elements of 'tensor<16x16xf32>' for each of its parts}}
  %t = tile.cluster_reduce %x along 0 through %buffer : tensor<16x16xf32>, !tile.shared<[24, 16], f32, <phases = 4, rows = 2>> -> tensor<16x16xf32>
  tile.return
}

// -----

!parts = tensor<16x16xf32, #tile.mma<m16n8, warps = [1, 1], parts = 2>>
tile.kernel @few_parts(%v: f32) grid ["1"] attributes {threads = 64 : i64, wave = 32 : i64} {
  %buffer = tile.alloc : !tile.shared<[48, 16], f32, <phases = 4, rows = 2>>
  %x = tile.splat %v : f32 -> !parts
  // expected-error @+1 {{goes through '!tile.shared<[48, 16], f32, <phases = 4, rows = 2>>', expected the extents}}
  %t = tile.cluster_reduce %x along 0 through %buffer : !parts, !tile.shared<[48, 16], f32, <phases = 4, rows = 2>> -> tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @no_rows(%v: f32) grid ["1"] attributes {threads = 64 : i64, wave = 32 : i64} {
  %buffer = tile.alloc : !tile.shared<[16, 16], f32, <phases = 4, rows = 2>>
  %x = tile.splat %v : f32 -> tensor<0x16xf32>
  // expected-error @+1 {{expected the extents and elements of 'tensor<0x16xf32>' for each of its parts}}
  %t = tile.cluster_reduce %x along 0 through %buffer : tensor<0x16xf32>, !tile.shared<[16, 16], f32, <phases = 4, rows = 2>> -> tensor<0x16xf32>
  tile.return
}

// -----

func.func @column_rows(%x: tensor<8x16xf32>) {
  // expected-error @+1 {{takes 'tensor<4x8xf32>' of 'tensor<8x16xf32>', expected the same rows and elements}}
  %t = tile.columns %x at 0 : tensor<8x16xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @column_end(%x: tensor<8x16xf32>) {
  // expected-error @+1 {{takes 8 columns from column 12 on, expected them among 16}}
  %t = tile.columns %x at 12 : tensor<8x16xf32> -> tensor<8x8xf32>
  return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @multicast_alone(%x: !view) grid ["2"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !buffer
  // expected-error @+1 {{'tile.copy_async' op multicasts, but signals no mbarrier}}
  tile.copy_async %x[%c0, %c0] to %s multicast : !view, !buffer
  tile.return
}

// -----

!view = !tile.view<[80, 64], bf16>
!buffer = !tile.shared<[80, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @multicast_rows(%x: !view) grid ["4"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %s = tile.alloc : !buffer
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  // expected-error @+1 {{'tile.copy_async' op multicasts '!tile.shared<[80, 64], bf16, <phases = 8, rows = 1>>', expected rows in parts of a multiple of 8 for each of the cluster's 4 blocks}}
  tile.copy_async %x[%c0, %c0] to %s signals %full[%z] multicast : !view, !buffer, !tile.mbarriers<1>
  tile.return
}

// -----

!view = !tile.view<[128, 64], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @multicast_many(%x: !view) grid ["16"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 16 : i64}} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %s = tile.alloc : !buffer
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  // expected-error @+1 {{'tile.copy_async' op multicasts to 16 blocks, expected at most 8}}
  tile.copy_async %x[%c0, %c0] to %s signals %full[%z] multicast : !view, !buffer, !tile.mbarriers<1>
  tile.return
}

// -----

tile.kernel @arrival_of_one() grid ["2"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  %b = tile.init_mbarriers arrivals 2 : !tile.mbarriers<1>
  %z = arith.constant 0 : i32
  tile.roles warps [4] threads [1] registers [0] {
    // expected-error @+1 {{'tile.mbarrier_arrive' op is of 1 threads, expected one for each of the cluster's 2 blocks}}
    tile.mbarrier_arrive %b[%z] cluster : !tile.mbarriers<1>
  }
  tile.return
}

// -----

tile.kernel @cluster_role() grid ["2"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  tile.roles warps [4] threads [128] registers [0] {
    // expected-error @+1 {{'tile.cluster_barrier' op is in a role, which other threads of the cluster do not run}}
    tile.cluster_barrier
  }
  tile.return
}

// -----

// Outside of roles no warps are told apart.
tile.kernel @warpgroup_block() grid ["1"] attributes {threads = 256 : i64, wave = 32 : i64} {
  // expected-error @+1 {{'tile.barrier' op is of warpgroups, expected it in a role of them}}
  tile.barrier warpgroup
  tile.return
}

// -----

tile.kernel @warpgroup_thread() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  tile.roles warps [4] threads [1] registers [0] {
    // expected-error @+1 {{'tile.barrier' op is of warpgroups, expected it in a role of them}}
    tile.barrier warpgroup
  }
  tile.return
}

// -----

tile.kernel @await_thread() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  tile.roles warps [4] threads [1] registers [0] {
    // expected-error @+1 {{'tile.await_stores' op is of warpgroups, expected it in a role of them}}
    tile.await_stores pending 1 warpgroup
  }
  tile.return
}

// -----

tile.kernel @pending() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  // expected-error @+1 {{attribute 'pending' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0 whose maximum value is 63}}
  tile.await_stores pending 64
  tile.return
}

// -----

!view = !tile.view<[128, 64], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @store_block(%y: !view) grid ["1"] attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !buffer
  // expected-error @+1 {{'tile.store_async' op is of warpgroups, expected it in a role of them}}
  tile.store_async %s to %y[%c0, %c0] warpgroup : !buffer, !view
  tile.return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @store_rows(%y: !view) grid ["1"] attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !buffer
  tile.roles warps [8] threads [256] registers [0] {
    // expected-error @+1 {{'tile.store_async' op is of 2 warpgroups and 64 rows, expected a multiple of 64 for each}}
    tile.store_async %s to %y[%c0, %c0] warpgroup : !buffer, !view
  }
  tile.return
}

// -----

tile.kernel @team_count() grid ["1"] attributes {threads = 384 : i64, wave = 32 : i64} {
  // expected-error @+1 {{has 2 roles and 1 counts of teams, expected one for each}}
  tile.roles warps [4, 8] threads [1, 128] teams [2] registers [0, 0] {
  }, {
  }
  tile.return
}

// -----

tile.kernel @team_size() grid ["1"] attributes {threads = 384 : i64, wave = 32 : i64} {
  // expected-error @+1 {{has a role of 1 teams of 128 threads, expected one thread, or all 256 in teams of whole warpgroups}}
  tile.roles warps [4, 8] threads [1, 128] registers [0, 0] {
  }, {
  }
  tile.return
}

// -----

tile.kernel @team_of_warps() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  // expected-error @+1 {{has a role of 2 teams of 64 threads, expected one thread, or all 128 in teams of whole warpgroups}}
  tile.roles warps [4] threads [64] teams [2] registers [0] {
  }
  tile.return
}

// -----

tile.kernel @no_team() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  // expected-error @+1 {{'tile.team_id' op is of warpgroups, expected it in a role of them}}
  %t = tile.team_id
  tile.return
}

// -----

!view = !tile.view<[64, 64], f16>
tile.kernel @prefetch(%x: !view) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.prefetch' op moves elements of 'f16', expected the buffer's 'bf16'}}
  tile.prefetch %x[%c0, %c0] for !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>> : !view
  tile.return
}

// -----

// expected-error @+1 {{bands of 4 of 64 rows, expected whole ones of 8}}
func.func private @bands(!tile.shared<[64, 128], bf16, <phases = 8, rows = 1>, panel = 64, band = 4>)

// -----

// expected-error @+1 {{bands of 8 of 60 rows, expected whole ones of 8}}
func.func private @rest(!tile.shared<[60, 128], bf16, <phases = 8, rows = 1>, panel = 64, band = 8>)

// -----

tile.kernel @logs(%v: f32) grid ["1"] {
  %x = tile.splat %v : f32 -> tensor<8x16xf32>
  %l = tile.splat %v : f32 -> tensor<4xf32>
  // expected-error @+1 {{weighs rows of 'tensor<8x16xf32>' by 'tensor<4xf32>', expected an f32 for each}}
  %t = tile.cluster_reduce %x weighted %l along 0 : tensor<8x16xf32> by tensor<4xf32> -> tensor<8x16xf32>
  tile.return
}

// -----

tile.kernel @weighted_max(%v: f32) grid ["1"] {
  %x = tile.splat %v : f32 -> tensor<8x16xf32>
  %l = tile.splat %v : f32 -> tensor<8xf32>
  // expected-error @+1 {{weighs what it does not add along 0, or parts}}
  %t = tile.cluster_reduce <max> %x weighted %l along 0 : tensor<8x16xf32> by tensor<8xf32> -> tensor<8x16xf32>
  tile.return
}

// -----

tile.kernel @no_place_for_logs(%v: f32) grid ["1"] {
  %buffer = tile.alloc : !tile.shared<[8, 16], f32, <phases = 4, rows = 2>>
  %x = tile.splat %v : f32 -> tensor<8x16xf32>
  %l = tile.splat %v : f32 -> tensor<8xf32>
  // expected-error @+1 {{goes through '!tile.shared<[8, 16], f32, <phases = 4, rows = 2>>', expected the extents}}
  %t = tile.cluster_reduce %x weighted %l along 0 through %buffer : tensor<8x16xf32> by tensor<8xf32>, !tile.shared<[8, 16], f32, <phases = 4, rows = 2>> -> tensor<8x16xf32>
  tile.return
}

// -----

tile.kernel @prefetch_nothing(%x: !tile.view<[4, 8], i32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{asks for '0' elements of '!tile.view<[4, 8], i32>', expected at least one of a row}}
  tile.prefetch_elements %x[%c0, %c0] count "0" : !tile.view<[4, 8], i32>
  tile.return
}

// -----

tile.kernel @prefetch_where(%x: !tile.view<[4, 8], i32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{has 1 offsets, expected 2}}
  tile.prefetch_elements %x[%c0] count "1" : !tile.view<[4, 8], i32>
  tile.return
}
