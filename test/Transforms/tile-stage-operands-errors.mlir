// RUN: lathe-opt %s --tile-stage-operands --split-input-file --verify-diagnostics

tile.kernel @chunks(%x: !tile.view<[16, 12], bf16>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 12], bf16> -> tensor<16x12xbf16>
  // expected-error@+1 {{cannot stage an operand: rows have 24 bytes, expected whole groups of 1 chunks of 16 bytes}}
  %sum = tile.dot %a, %a transposed, %zero : tensor<16x12xbf16>, tensor<16x12xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

// expected-error@+1 {{kernel is not specialized}}
tile.kernel @template(%x: !tile.view<[16, 16], bf16>) grid ["1"] {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 16], bf16> -> tensor<16x16xbf16>
  %sum = tile.dot %a, %a, %zero : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @sum_chunks(%s: f32) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %t = tile.splat %s : f32 -> tensor<16x6xf32>
  // expected-error@+1 {{cannot stage an operand: rows have 24 bytes, expected whole groups of 1 chunks of 16 bytes}}
  %sum = tile.cluster_reduce %t along 0 : tensor<16x6xf32> -> tensor<16x6xf32>
  tile.return
}
