// RUN: lathe-opt %s --tile-stage-stores --split-input-file --verify-diagnostics

// expected-error@+1 {{schedule has STORE = 2, expected 0 or 1}}
tile.kernel @value(%y: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {STORE = 2 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has STORE = 1, but no role stores a matrix of elements of at most 16 bits}}
tile.kernel @wide(%y: !tile.view<[64, 64], f32>, %s: f32) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {STORE = 1 : i64}} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4] threads [128] registers [0] {
    %t = tile.splat %s : f32 -> tensor<64x64xf32>
    tile.store %t to %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<[64, 64], f32>
  }
  tile.return
}

// -----

tile.kernel @chunks(%y: !tile.view<[64, 64], bf16>, %s: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {STORE = 1 : i64}} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4] threads [128] registers [0] {
    %t = tile.splat %s : bf16 -> tensor<64x12xbf16>
    // expected-error@+1 {{cannot stage a store: rows have 24 bytes, expected whole groups of 1 chunks of 16 bytes}}
    tile.store %t to %y[%c0, %c0] : tensor<64x12xbf16>, !tile.view<[64, 64], bf16>
  }
  tile.return
}

// -----

// expected-error@+1 {{schedule has STAGING = 9, expected 0 to 8}}
tile.kernel @many(%y: !tile.view<[64, 64], bf16>, %s: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64, STAGING = 9 : i64}} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4] threads [128] registers [0] {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    tile.store %t to %y[%c0, %c0] : tensor<64x64xbf16>, !tile.view<[64, 64], bf16>
  }
  tile.return
}

// -----

// expected-error@+1 {{schedule has STAGING = -1, expected 0 to 8}}
tile.kernel @few(%y: !tile.view<[64, 64], bf16>, %s: bf16) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64, STAGING = -1 : i64}} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4] threads [128] registers [0] {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    tile.store %t to %y[%c0, %c0] : tensor<64x64xbf16>, !tile.view<[64, 64], bf16>
  }
  tile.return
}
