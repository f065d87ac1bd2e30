// RUN: lathe-opt %s --split-input-file --verify-diagnostics | lathe-opt --split-input-file | FileCheck %s

// CHECK-LABEL: tile.kernel @element(
// CHECK:         tile.load_element %{{.+}}[%{{.+}}, %{{.+}}] : !tile.view<[S, MB], i32> -> i32
tile.kernel @element(%t: !tile.view<[S, MB], i32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  %a = tile.load_element %t[%c0, %c0] : !tile.view<[S, MB], i32> -> i32
  tile.return
}

// -----

tile.kernel @offsets(%t: !tile.view<[8, 8], i32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has 1 offsets, expected 2 from its view}}
  %a = tile.load_element %t[%c0] : !tile.view<[8, 8], i32> -> i32
  tile.return
}

// -----

tile.kernel @type(%t: !tile.view<[8], i32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{loads a 'f32', expected 'i32'}}
  %a = tile.load_element %t[%c0] : !tile.view<[8], i32> -> f32
  tile.return
}

// -----

tile.kernel @narrow(%t: !tile.view<[8], f8E4M3FN>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{loads a 'f8E4M3FN', expected a float of at least 16 bits}}
  %a = tile.load_element %t[%c0] : !tile.view<[8], f8E4M3FN> -> f8E4M3FN
  tile.return
}

// -----

tile.kernel @stored(%t: !tile.view<[8], f32>, %u: !tile.view<[8], f32>) grid ["1"]
    attributes {may_alias = array<i64: 0, 1>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{loads from a view that the kernel stores to, expected one that it only reads}}
  %a = tile.load_element %t[%c0] : !tile.view<[8], f32> -> f32
  %b = tile.splat %a : f32 -> tensor<8xf32>
  tile.store %b to %u[%c0] : tensor<8xf32>, !tile.view<[8], f32>
  tile.return
}
