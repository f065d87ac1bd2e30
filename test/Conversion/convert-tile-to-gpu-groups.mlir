// RUN: lathe-opt %s --tile-plan-shared --convert-tile-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// A tile that no group's end cuts needs one element, guarded only by what is not
// proven; the other tile an element per column, each group found by a division.
// CHECK-LABEL: gpu.func @groups
// CHECK:         arith.divui
// CHECK-COUNT-1: llvm.load {{.+}} : !llvm.ptr<1> -> vector<1xf32>
// CHECK:         vector.broadcast {{.+}} : f32 to vector<2xf32>
// CHECK-COUNT-2: llvm.load {{.+}} : !llvm.ptr<1> -> vector<1xf32>
// CHECK:         vector.from_elements
// CHECK-NOT:     llvm.load
!line = tensor<64xf32, #tile.blocked<vector = [1], threads = [32]>>
tile.kernel @groups(%s: !tile.view<[3, 4], f32>, %y: !tile.view<[256], f32>)
    grid ["4"] attributes {alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %i = tile.program_id 0
  %o = arith.muli %i, %c64 : index
  %a = tile.load_groups %s[%o, %c1] along 0 groups "128" : !tile.view<[3, 4], f32> -> !line
  %b = tile.load_groups %s[%o, %c1] along 0 groups "96" : !tile.view<[3, 4], f32> -> !line
  %c = arith.addf %a, %b : !line
  tile.store %c to %y[%o] : !line, !tile.view<[256], f32>
  tile.return
}

// -----

!line = tensor<64xf32, #tile.blocked<vector = [1], threads = [32]>>
tile.kernel @open(%s: !tile.view<[3], f32>) grid ["4"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{cannot compute 'G' at run time}}
  %a = tile.load_groups %s[%c0] along 0 groups "G" : !tile.view<[3], f32> -> !line
  tile.return
}

// -----

// 8-bit floats are held as bits, and converted before they are computed with.
// CHECK-LABEL: gpu.func @bytes
// CHECK:         llvm.load {{.+}} : !llvm.ptr<1> -> vector<4xi8>
// CHECK:         arith.bitcast {{.+}} : vector<4xi8> to vector<4xf8E4M3FN>
// CHECK-NEXT:    arith.extf {{.+}} : vector<4xf8E4M3FN> to vector<4xf32>
// CHECK:         arith.truncf {{.+}} : vector<4xf32> to vector<4xf8E5M2>
// CHECK-NEXT:    arith.bitcast {{.+}} : vector<4xf8E5M2> to vector<4xi8>
// CHECK:         llvm.store {{.+}} : vector<4xi8>, !llvm.ptr<1>
!narrow = tensor<128xf8E4M3FN, #tile.blocked<vector = [4], threads = [32]>>
!other = tensor<128xf8E5M2, #tile.blocked<vector = [4], threads = [32]>>
tile.kernel @bytes(%x: !tile.view<[128], f8E4M3FN>, %y: !tile.view<[128], f8E5M2>)
    grid ["1"] attributes {alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<[128], f8E4M3FN> -> !narrow
  %b = tile.convert %a : !narrow -> !other
  tile.store %b to %y[%c0] : !other, !tile.view<[128], f8E5M2>
  tile.return
}

// -----

!narrow = tensor<128xf8E4M3FN, #tile.blocked<vector = [4], threads = [32]>>
tile.kernel @sum(%x: !tile.view<[128], f8E4M3FN>)
    grid ["1"] attributes {alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<[128], f8E4M3FN> -> !narrow
  // expected-error@+1 {{'arith.addf' of 'f8E4M3FN', expected a wider type from tile.convert}}
  %b = arith.addf %a, %a : !narrow
  tile.return
}

// -----

!narrow = tensor<2x64xf8E5M2, #tile.blocked<vector = [1, 4], threads = [2, 16]>>
!line = tensor<2xf8E5M2, #tile.slice<1, #tile.blocked<vector = [1, 4], threads = [2, 16]>>>
tile.kernel @reduce(%x: !tile.view<[2, 64], f8E5M2>)
    grid ["1"] attributes {alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<[2, 64], f8E5M2> -> !narrow
  // expected-error@+1 {{reduces 'f8E5M2', expected a wider type from tile.convert}}
  %b = tile.reduce <max> %a along 1 : !narrow -> !line
  tile.return
}

// -----

!wide = tensor<128xf64, #tile.blocked<vector = [4], threads = [32]>>
!narrow = tensor<128xf8E5M2, #tile.blocked<vector = [4], threads = [32]>>
tile.kernel @twice(%x: !tile.view<[128], f64>)
    grid ["1"] attributes {alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<[128], f64> -> !wide
  // expected-error@+1 {{no conversion from 'f64' to 'f8E5M2' on this target}}
  %b = tile.convert %a : !wide -> !narrow
  tile.return
}
