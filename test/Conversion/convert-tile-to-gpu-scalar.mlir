// RUN: lathe-opt %s --convert-tile-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// What all threads hold of a reduction is a scalar as it is.
// CHECK-LABEL: gpu.func @begin(
// CHECK:         %[[ALL:.+]] = gpu.subgroup_reduce add
// CHECK:         %[[BEGIN:.+]] = arith.index_cast %[[ALL]] : i32 to index
// CHECK:         arith.addi %[[BEGIN]]
!some = tensor<1x256xi32, #tile.blocked<vector = [1, 8], threads = [1, 32]>>
!line = tensor<32xi32, #tile.blocked<vector = [1], threads = [32]>>
tile.kernel @begin(%t: !tile.view<[1, 256], i32>, %y: !tile.view<[T], i32>, %T: index)
    grid ["1"] attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %t[%c0, %c0] : !tile.view<[1, 256], i32> -> !some
  %b = tile.reduce <add> %a along 1 : !some -> tensor<1xi32, #tile.slice<1, #tile.blocked<vector = [1, 8], threads = [1, 32]>>>
  %c = tile.scalar %b : tensor<1xi32, #tile.slice<1, #tile.blocked<vector = [1, 8], threads = [1, 32]>>> -> i32
  %begin = arith.index_cast %c : i32 to index
  %one = arith.constant dense<1> : !line
  tile.store %one to %y[%begin] : !line, !tile.view<[T], i32>
  tile.return
}

// -----

!one = tensor<1xi32, #tile.blocked<vector = [1], threads = [32]>>
tile.kernel @one_thread(%t: !tile.view<[1], i32>) grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %t[%c0] : !tile.view<[1], i32> -> !one
  // expected-error@+1 {{takes an element that not all threads have of 'tensor<1xi32, #tile.blocked<vector = [1], threads = [32]>>', expected what a reduction over all leaves}}
  %b = tile.scalar %a : !one -> i32
  tile.return
}
