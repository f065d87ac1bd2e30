// RUN: lathe-opt %s --split-input-file --verify-diagnostics | lathe-opt --split-input-file | FileCheck %s

// CHECK-LABEL: tile.kernel @scalar(
// CHECK:         tile.scalar %{{.+}} : tensor<1xi32> -> i32
tile.kernel @scalar(%t: !tile.view<[1, 64], i32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  %a = tile.load %t[%c0, %c0] : !tile.view<[1, 64], i32> -> tensor<1x64xi32>
  %b = tile.reduce <add> %a along 1 : tensor<1x64xi32> -> tensor<1xi32>
  %c = tile.scalar %b : tensor<1xi32> -> i32
  tile.return
}

// -----

tile.kernel @many(%a: f32) grid ["1"] {
  %t = tile.splat %a : f32 -> tensor<1x2xf32>
  // expected-error@+1 {{takes a tile of extent 2, expected one element}}
  %b = tile.scalar %t : tensor<1x2xf32> -> f32
  tile.return
}

// -----

tile.kernel @type(%a: f32) grid ["1"] {
  %t = tile.splat %a : f32 -> tensor<1xf32>
  // expected-error@+1 {{gives a 'i32', expected 'f32'}}
  %b = tile.scalar %t : tensor<1xf32> -> i32
  tile.return
}

// -----

tile.kernel @narrow(%t: !tile.view<[1], f8E5M2>) grid ["1"] {
  %c0 = arith.constant 0 : index
  %a = tile.load %t[%c0] : !tile.view<[1], f8E5M2> -> tensor<1xf8E5M2>
  // expected-error@+1 {{gives a 'f8E5M2', expected a float of at least 16 bits}}
  %b = tile.scalar %a : tensor<1xf8E5M2> -> f8E5M2
  tile.return
}
