// RUN: lathe-opt %s --tile-specialize="constants=H:8 schedule=ROWS:4,WARPS:1" --split-input-file --verify-diagnostics | FileCheck %s

// Bodies take the place of calls, those of functions that functions call too, with
// what calls pass and give; no function is left.
// CHECK-LABEL: tile.kernel @rows(
// CHECK:         %[[X:.+]] = tile.load {{.+}} -> tensor<4x8xf32>
// CHECK:         %[[A:.+]] = arith.mulf %[[X]], %[[X]] : tensor<4x8xf32>
// CHECK:         %[[B:.+]] = arith.addf %[[A]], %[[X]] : tensor<4x8xf32>
// CHECK:         %[[C:.+]] = arith.mulf %[[B]], %[[B]] : tensor<4x8xf32>
// CHECK:         tile.store %[[C]]
// CHECK-NOT:     func.
!rows = tensor<?x?xf32, #tile.extents<[ROWS, H]>>
!view = !tile.view<[16, H], f32>
func.func private @square(%x: !rows) -> !rows {
  %y = arith.mulf %x, %x : !rows
  return %y : !rows
}
func.func private @more(%x: !rows) -> (!rows, !rows) {
  %y = func.call @square(%x) : (!rows) -> !rows
  %z = arith.addf %y, %x : !rows
  return %x, %z : !rows, !rows
}
tile.kernel @rows(%x: !view, %y: !view) space {ROWS = [2, 4], WARPS = [1]} grid ["16 ceildiv ROWS"] {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !view -> !rows
  %b, %c = func.call @more(%a) : (!rows) -> (!rows, !rows)
  %d = func.call @square(%c) : (!rows) -> !rows
  tile.store %d to %y[%c0, %c0] : !rows, !view
  tile.return
}

// -----

func.func private @again(%x: index) -> index {
  // expected-error@+1 {{is one of more than 1000 calls, expected no recursion}}
  %y = func.call @again(%x) : (index) -> index
  return %y : index
}
tile.kernel @recursion(%x: !tile.view<[16, H], f32>) space {ROWS = [4], WARPS = [1]} grid ["1"] {
  %c0 = arith.constant 0 : index
  %y = func.call @again(%c0) : (index) -> index
  tile.return
}

// -----

func.func private @elsewhere(index) -> index
tile.kernel @declared(%x: !tile.view<[16, H], f32>) space {ROWS = [4], WARPS = [1]} grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{calls 'elsewhere', expected a function of one block in the template}}
  %y = func.call @elsewhere(%c0) : (index) -> index
  tile.return
}
