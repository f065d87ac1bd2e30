// RUN: lathe-opt %s --convert-tile-to-gpu --split-input-file --verify-diagnostics

!x = !tile.view<[M, 96], bf16>
!s = !tile.shared<[64, 96], bf16, <phases = 4, rows = 2>>
tile.kernel @no_swizzle(%x: !x, %M: index) grid ["1"]
    attributes {dims = ["M"], threads = 128 : i64, wave = 32 : i64, shared_bytes = 12352 : i64} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %s = tile.alloc at 0 : !s
  %full = tile.init_mbarriers arrivals 1 at 12288 : !tile.mbarriers<1>
  // expected-error @+1 {{TMA cannot write '!tile.shared<[64, 96], bf16, <phases = 4, rows = 2>>', expected rows as long as the swizzle's phases}}
  tile.copy_async %x[%c0, %c0] to %s signals %full[%z] : !x, !s, !tile.mbarriers<1>
  tile.return
}

// -----

tile.kernel @no_place() grid ["1"] attributes {threads = 128 : i64, wave = 32 : i64} {
  // expected-error @+1 {{has no place in shared memory}}
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  tile.return
}

// -----

!x = !tile.view<[M, 64], bf16>
!s = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @narrow(%x: !x, %M: index) grid ["1"]
    attributes {dims = ["M"], threads = 128 : i64, wave = 32 : i64, alignment = 2 : i64, shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc at 0 : !s
  // expected-error @+1 {{cp.async of 2 bytes at once, expected 4, 8 or 16}}
  tile.copy_async %x[%c0, %c0] to %s : !x, !s
  tile.return
}

// -----

!s = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!acc = tensor<64x64xf32, #tile.mma<m16n8, warps = [4, 1]>>
tile.kernel @no_role(%v: f32) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, shared_bytes = 16384 : i64} {
  %a = tile.alloc at 0 : !s
  %b = tile.alloc at 8192 : !s
  %acc = tile.splat %v : f32 -> !acc
  // expected-error @+1 {{expected fragments of whole warpgroups of a role, at most 256 columns}}
  %d = tile.dot %a, %b transposed, %acc async : !s, !s, !acc
  tile.return
}

// -----

tile.kernel @cut_rows(%v: f32) grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %x = tile.splat %v : f32 -> tensor<4x16xf32, #tile.blocked<vector = [1, 1], threads = [4, 8]>>
  // expected-error @+1 {{cuts a tile that is no accumulator, expected #tile.mma on both sides}}
  %t = tile.columns %x at 8 : tensor<4x16xf32, #tile.blocked<vector = [1, 1], threads = [4, 8]>>
     -> tensor<4x8xf32, #tile.blocked<vector = [1, 1], threads = [4, 8]>>
  tile.return
}

// -----

!wide = tensor<16x32xf32, #tile.mma<m16n8, warps = [1, 2]>>
!part = tensor<16x16xf32, #tile.mma<m16n8, warps = [1, 2]>>
tile.kernel @cut_turn(%v: f32) grid ["1"] attributes {threads = 64 : i64, wave = 32 : i64} {
  %x = tile.splat %v : f32 -> !wide
  // expected-error @+1 {{cuts a tile at column 8, expected a multiple of 16}}
  %t = tile.columns %x at 8 : !wide -> !part
  tile.return
}

// -----

// Of 16 barriers half are of warpgroups.
tile.kernel @many_roles() grid ["1"] attributes {threads = 1024 : i64, wave = 32 : i64} {
  // expected-error @+1 {{8 roles and teams, expected less than 8}}
  tile.roles warps [4, 4, 4, 4, 4, 4, 4, 4] threads [1, 1, 1, 1, 1, 1, 1, 1] registers [0, 0, 0, 0, 0, 0, 0, 0] {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }
  tile.return
}
