// RUN: lathe-opt %s --tile-widen-operands --split-input-file --verify-diagnostics

// expected-error@+1 {{schedule has WIDEN = 2, expected 0 or 1}}
tile.kernel @twice(%s: bf16) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {WIDEN = 2 : i64}} {
  tile.return
}

// -----

tile.kernel @integers(%s: i8, %z: i32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {WIDEN = 1 : i64}} {
  %a = tile.splat %s : i8 -> tensor<16x16xi8>
  %c = tile.splat %z : i32 -> tensor<16x16xi32>
  // expected-error@+1 {{cannot widen an operand of 'tensor<16x16xi8>', expected a tile of floats}}
  %r = tile.dot %a, %a, %c : tensor<16x16xi8>, tensor<16x16xi8>, tensor<16x16xi32>
  tile.return
}

// -----

tile.kernel @shared(%z: f32) grid ["1"]
    attributes {threads = 64 : i64, wave = 64 : i64, schedule = {WIDEN = 1 : i64}} {
  %a = tile.alloc : !tile.shared<[16, 16], bf16, <phases = 2, rows = 4>>
  %c = tile.splat %z : f32 -> tensor<16x16xf32>
  // expected-error@+1 {{cannot widen an operand of '!tile.shared}}
  %r = tile.dot %a, %a, %c : !tile.shared<[16, 16], bf16, <phases = 2, rows = 4>>, !tile.shared<[16, 16], bf16, <phases = 2, rows = 4>>, tensor<16x16xf32>
  tile.return
}
