// RUN: lathe-opt %s --split-input-file --verify-diagnostics | lathe-opt --split-input-file | FileCheck %s

// CHECK-LABEL: tile.kernel @pieces(
// CHECK:         tile.load %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] along [0, 2] : !tile.view<[T, H, 64], bf16> -> tensor<64x64xbf16>
// CHECK:         tile.load %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] along [0, 2] until %{{.+}} through %{{.+}}[%{{.+}}] pages "BS" evict_first : !tile.view<[T, H, 64], bf16> through !tile.view<[S, MB], i32> -> tensor<64x64xbf16>
// CHECK:         tile.iota along 1 : tensor<64x64xi32>
// CHECK:         tile.dot %{{.+}}, %{{.+}} transposed, %{{.+}} depth "48" : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
// CHECK:         tile.store %{{.+}} to %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] along [0, 2] until %{{.+}} : tensor<64x64xbf16>, !tile.view<[T, H, 64], bf16>
!view = !tile.view<[T, H, 64], bf16>
!table = !tile.view<[S, MB], i32>
tile.kernel @pieces(%x: !view, %t: !table, %y: !view) grid ["1"] {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0, %c0] along [0, 2] : !view -> tensor<64x64xbf16>
  %b = tile.load %x[%c0, %c0, %c0] along [0, 2] until %c0 through %t[%c0] pages "BS" evict_first : !view through !table -> tensor<64x64xbf16>
  %i = tile.iota along 1 : tensor<64x64xi32>
  %s = tile.dot %a, %b transposed, %zero depth "48" : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  tile.store %a to %y[%c0, %c0, %c0] along [0, 2] until %c0 : tensor<64x64xbf16>, !view
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @shared(
// CHECK:         tile.copy_async %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] along [0, 2] through %{{.+}}[%{{.+}}] pages "16" to %{{.+}} signals %{{.+}}[%{{.+}}] : !tile.view<[T, H, 64], bf16> through !tile.view<[S, MB], i32>, !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>, !tile.mbarriers<1>
// CHECK:         tile.warpgroup_id
// CHECK:         tile.clear_rows %{{.+}} from %{{.+}} : !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
// CHECK:         tile.await_dots pending 1 done, %{{.+}} : tensor<64x64xf32>
!view = !tile.view<[T, H, 64], bf16>
!table = !tile.view<[S, MB], i32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @shared(%x: !view, %t: !table) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = tile.alloc : !buffer
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    tile.copy_async %x[%c0, %c0, %c0] along [0, 2] through %t[%c0] pages "16" to %s signals %full[%z] : !view through !table, !buffer, !tile.mbarriers<1>
  }, {
    %g = tile.warpgroup_id
    tile.clear_rows %s from %g : !buffer
    %a = tile.dot %s, %s transposed, %zero async : !buffer, !buffer, tensor<64x64xf32>
    %b = tile.dot %s, %s transposed, %zero async : !buffer, !buffer, tensor<64x64xf32>
    %done = tile.await_dots pending 1 done, %a : tensor<64x64xf32>
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @runs(
// CHECK-SAME:    !tile.view<[NB * 16, H, D], bf16, [H * D * 16, D * 16, 128], split [16, 1, 8], [8, 0, 1]>
// CHECK:         tile.load %{{.+}} along [1, 0, 2] : !tile.view<[NB * 16, H, D], bf16, [H * D * 16, D * 16, 128], split [16, 1, 8], [8, 0, 1]> -> tensor<1x64x64xbf16>
// CHECK:         tile.load %{{.+}} along [2, 0] through %{{.+}}[%{{.+}}] pages "16" : !tile.view<[NB * 16, H, D], bf16, [H * D * 16, D * 16, 16], split [16, 1, 1], [1, 0, 0]> through
!packed = !tile.view<[NB * 16, H, D], bf16, [H * D * 16, D * 16, 128], split [16, 1, 8], [8, 0, 1]>
!turned = !tile.view<[NB * 16, H, D], bf16, [H * D * 16, D * 16, 16], split [16, 1, 1], [1, 0, 0]>
!table = !tile.view<[S, MB], i32>
tile.kernel @runs(%x: !packed, %y: !turned, %t: !table) grid ["1"] {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0, %c0] along [1, 0, 2] : !packed -> tensor<1x64x64xbf16>
  %b = tile.load %y[%c0, %c0, %c0] along [2, 0] through %t[%c0] pages "16" : !turned through !table -> tensor<64x64xbf16>
  tile.return
}

// -----

!turned = !tile.view<[NB * 16, H, D], bf16, [H * D * 16, D * 16, 16], split [16, 1, 1], [1, 0, 0]>
tile.kernel @apart(%y: !turned) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{runs along [0, 2], expected different dimensions of the view, the last of them contiguous}}
  %b = tile.load %y[%c0, %c0, %c0] along [0, 2] : !turned -> tensor<64x64xbf16>
  tile.return
}

// -----

!turned = !tile.view<[NB * 16, 64], bf16, [1024, 16], split [16, 1], [1, 0]>
tile.kernel @whole(%y: !turned) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{runs along all of '!tile.view<[NB * 16, 64], bf16, [1024, 16], split [16, 1], [1, 0]>', expected its last dimension contiguous}}
  %b = tile.load %y[%c0, %c0] : !turned -> tensor<64x64xbf16>
  tile.return
}

// -----

!view = !tile.view<[T, H, 64], bf16>
tile.kernel @last(%x: !view) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{runs along [0, 1], expected different dimensions of the view, the last of them contiguous}}
  %a = tile.load %x[%c0, %c0, %c0] along [0, 1] : !view -> tensor<64x64xbf16>
  tile.return
}

// -----

!view = !tile.view<[T, H, 64], bf16>
tile.kernel @twice(%x: !view) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{runs along [2, 0, 2], expected different dimensions of the view, the last of them contiguous}}
  %a = tile.load %x[%c0, %c0, %c0] along [2, 0, 2] : !view -> tensor<1x64x64xbf16>
  tile.return
}

// -----

!view = !tile.view<[T, H, 64], bf16>
tile.kernel @rank(%x: !view) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has a tile of rank 3, expected 2}}
  %a = tile.load %x[%c0, %c0, %c0] along [0, 2] : !view -> tensor<64x1x64xbf16>
  tile.return
}

// -----

!view = !tile.view<[T, H, 64], bf16>
!table = !tile.view<[S, MB], i64>
tile.kernel @table(%x: !view, %t: !table) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{goes through '!tile.view<[S, MB], i64>' at 1 places, expected i32 and one for all but its last dimension}}
  %a = tile.load %x[%c0, %c0, %c0] along [0, 2] through %t[%c0] pages "16" : !view through !table -> tensor<64x64xbf16>
  tile.return
}

// -----

!view = !tile.view<[T, H, 64], bf16>
!table = !tile.view<[S, MB], i32>
tile.kernel @rows(%x: !view, %t: !table) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has pages of rows that its tile does not run along, expected dimension 0}}
  %a = tile.load %x[%c0, %c0, %c0] along [1, 2] through %t[%c0] pages "16" : !view through !table -> tensor<64x64xbf16>
  tile.return
}

// -----

!view = !tile.view<[T, H, 64], bf16>
!table = !tile.view<[S, MB], i32>
tile.kernel @page(%x: !view, %t: !table) grid ["1"] {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has pages of 0 rows, expected at least 1}}
  %a = tile.load %x[%c0, %c0, %c0] along [0, 2] through %t[%c0] pages "0" : !view through !table -> tensor<64x64xbf16>
  tile.return
}

// -----

!view = !tile.view<[T, H, 64], bf16>
!table = !tile.view<[S, MB], i32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @threads(%x: !view, %t: !table) grid ["1"] {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : !buffer
  // expected-error@+1 {{goes through a table, but signals no mbarrier}}
  tile.copy_async %x[%c0, %c0, %c0] along [0, 2] through %t[%c0] pages "16" to %s : !view through !table, !buffer
  tile.return
}

// -----

tile.kernel @iota(%x: !tile.view<[8], f32>) grid ["1"] {
  // expected-error@+1 {{names dimension 1 of a tile of rank 1}}
  %i = tile.iota along 1 : tensor<8xi32>
  tile.return
}

// -----

tile.kernel @depth(%x: !tile.view<[64, 64], bf16>, %z: f32) grid ["1"] {
  %c0 = arith.constant 0 : index
  %zero = tile.splat %z : f32 -> tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<[64, 64], bf16> -> tensor<64x64xbf16>
  // expected-error@+1 {{multiplies 80 of 64 and 64 elements of K to 64 of 64 columns, expected no more}}
  %s = tile.dot %a, %a transposed, %zero depth "80" : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @nowhere(%x: !tile.view<[8], f32>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64} {
  // expected-error@+1 {{is of warpgroups, expected it in a role of them}}
  %g = tile.warpgroup_id
  tile.return
}
