// RUN: lathe-opt %s --canonicalize | FileCheck %s

// A convert to the same type goes; a rounding point and its widening stay.
// CHECK-LABEL: tile.kernel @converts
// CHECK-SAME:    %[[X:.+]]: !tile.view<[8], f32>, %[[Y:.+]]: !tile.view<[8], f32>)
// CHECK:         %[[T:.+]] = tile.load %[[X]]
// CHECK-NEXT:    %[[NARROW:.+]] = tile.convert %[[T]] : tensor<8xf32> -> tensor<8xbf16>
// CHECK-NEXT:    %[[WIDE:.+]] = tile.convert %[[NARROW]] : tensor<8xbf16> -> tensor<8xf32>
// CHECK-NEXT:    tile.store %[[WIDE]] to %[[Y]]
tile.kernel @converts(%x: !tile.view<[8], f32>, %y: !tile.view<[8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<[8], f32> -> tensor<8xf32>
  %same = tile.convert %t : tensor<8xf32> -> tensor<8xf32>
  %narrow = tile.convert %same : tensor<8xf32> -> tensor<8xbf16>
  %wide = tile.convert %narrow : tensor<8xbf16> -> tensor<8xf32>
  tile.store %wide to %y[%c0] : tensor<8xf32>, !tile.view<[8], f32>
  tile.return
}

// What nothing uses goes, loads included; stores stay.
// CHECK-LABEL: tile.kernel @unused
// CHECK-NEXT:      grid ["1"] {
// CHECK-NEXT:    tile.return
tile.kernel @unused(%x: !tile.view<[8], f32>) grid ["1"] {
  %i = tile.program_id 0
  %n = tile.num_programs 0
  %h = tile.size "H * 2"
  %t = tile.load %x[%i] : !tile.view<[8], f32> -> tensor<8xf32>
  %m = tile.in_bounds %x[%i] : !tile.view<[8], f32> -> tensor<8xi1>
  %c = tile.convert %t : tensor<8xf32> -> tensor<8xf16>
  %b = tile.broadcast %t along 0 : tensor<8xf32> -> tensor<2x8xf32>
  %s = tile.reduce <add> %b along 0 : tensor<2x8xf32> -> tensor<8xf32>
  tile.return
}

// A branch on a bound option becomes the branch taken.
// CHECK-LABEL: tile.kernel @option
// CHECK:         %[[T:.+]] = tile.load
// CHECK-NEXT:    %[[NEGATED:.+]] = arith.negf %[[T]]
// CHECK-NEXT:    tile.store %[[NEGATED]]
tile.kernel @option(%x: !tile.view<[8], f32>, %y: !tile.view<[8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
  %option = arith.constant 1 : index
  %first = arith.cmpi eq, %option, %c0 : index
  %t = tile.load %x[%c0] : !tile.view<[8], f32> -> tensor<8xf32>
  %r = scf.if %first -> (tensor<8xf32>) {
    scf.yield %t : tensor<8xf32>
  } else {
    %n = arith.negf %t : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  tile.store %r to %y[%c0] : tensor<8xf32>, !tile.view<[8], f32>
  tile.return
}
