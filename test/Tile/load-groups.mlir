// RUN: lathe-opt %s --split-input-file --verify-diagnostics | lathe-opt --split-input-file | FileCheck %s

// CHECK-LABEL: tile.kernel @scales(
// CHECK:         tile.load_groups %{{.+}}[%{{.+}}, %{{.+}}] along 0 groups "GN" : !tile.view<[N ceildiv GN, B], f32> -> tensor<?xf32, #tile.extents<[BN]>>
// CHECK:         tile.load_groups %{{.+}}[%{{.+}}, %{{.+}}] along 1 groups "1" : !tile.view<[N ceildiv GN, B], f32> -> tensor<8xf32>
tile.kernel @scales(%s: !tile.view<[N ceildiv GN, B], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  %a = tile.load_groups %s[%c0, %c0] along 0 groups "GN" : !tile.view<[N ceildiv GN, B], f32> -> tensor<?xf32, #tile.extents<[BN]>>
  %b = tile.load_groups %s[%c0, %c0] along 1 groups "1" : !tile.view<[N ceildiv GN, B], f32> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @offsets(%s: !tile.view<[8, 8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has 1 offsets, expected 2 from its view}}
  %a = tile.load_groups %s[%c0] along 0 groups "1" : !tile.view<[8, 8], f32> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @along(%s: !tile.view<[8, 8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{names dimension 2 of a view of rank 2}}
  %a = tile.load_groups %s[%c0, %c0] along 2 groups "1" : !tile.view<[8, 8], f32> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @rank(%s: !tile.view<[8, 8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has a tile of rank 2, expected 1}}
  %a = tile.load_groups %s[%c0, %c0] along 0 groups "1" : !tile.view<[8, 8], f32> -> tensor<8x1xf32>
  tile.return
}

// -----

tile.kernel @element(%s: !tile.view<[8, 8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has a tile of 'f16', expected 'f32'}}
  %a = tile.load_groups %s[%c0, %c0] along 0 groups "1" : !tile.view<[8, 8], f32> -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @group(%s: !tile.view<[8, 8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has groups of 0, expected at least 1}}
  %a = tile.load_groups %s[%c0, %c0] along 0 groups "0" : !tile.view<[8, 8], f32> -> tensor<8xf32>
  tile.return
}
