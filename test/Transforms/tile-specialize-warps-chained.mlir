// RUN: lathe-opt %s --tile-stage-operands --tile-specialize-warps --split-input-file --verify-diagnostics | FileCheck %s

// What inner loops multiply has a ring of one slot, given back behind them; keys of
// both places share a ring, values have their own. In a turn the products with values
// run while the scores, awaited first, are computed with. Where a copy brought what is
// behind the end, its rows are cleared before anybody's turn.
// CHECK-LABEL: tile.kernel @chain(
// CHECK:         %[[Q:.+]] = tile.alloc : !tile.ring<1, <[128, 64]
// CHECK-NEXT:    %[[QFULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
// CHECK-NEXT:    %[[QEMPTY:.+]] = tile.init_mbarriers arrivals 2 : !tile.mbarriers<1>
// CHECK-NEXT:    %[[K:.+]] = tile.alloc : !tile.ring<2, <[64, 64]
// CHECK-NEXT:    %[[KFULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<2>
// CHECK-NEXT:    %[[KEMPTY:.+]] = tile.init_mbarriers arrivals 2 : !tile.mbarriers<2>
// CHECK-NEXT:    %[[V:.+]] = tile.alloc : !tile.ring<2, <[64, 64]
// CHECK-NEXT:    %[[VFULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<2>
// CHECK-NEXT:    %[[VEMPTY:.+]] = tile.init_mbarriers arrivals 2 : !tile.mbarriers<2>
// CHECK-NEXT:    %[[TURN:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<2>
// CHECK:         tile.roles warps [4, 8] threads [1, 256] registers [56, 224] {
// CHECK:           tile.mbarrier_expect %[[QFULL]][%{{.+}}] bytes 16384
// CHECK:           tile.mbarrier_expect %[[KFULL]][%{{.+}}] bytes 8192
// CHECK:           scf.for
// CHECK:             tile.mbarrier_wait %[[KEMPTY]]
// CHECK:             tile.copy_async %{{.+}} through %{{.+}}[%{{.+}}] pages "16" to %{{.+}} signals %[[KFULL]]
// CHECK:             tile.mbarrier_wait %[[VEMPTY]]
// CHECK:             tile.copy_async %{{.+}} signals %[[VFULL]]
// CHECK:         }, {
// CHECK:           %[[GROUP:.+]] = tile.warpgroup_id
// CHECK:           tile.mbarrier_wait %[[KFULL]]
// CHECK:           tile.mbarrier_wait %[[QFULL]]
// CHECK-NEXT:      tile.dot {{.+}} async
// CHECK-NEXT:      tile.await_dots pending 0
// CHECK-NEXT:      tile.mbarrier_arrive %[[KEMPTY]]
// CHECK-NOT:       %[[QEMPTY]]
// CHECK:           scf.for
// CHECK:             tile.mbarrier_wait %[[KFULL]]
// CHECK:             tile.mbarrier_wait %[[VFULL]]
// CHECK:             scf.if
// CHECK:               tile.clear_rows
// CHECK-NEXT:          tile.fence_async
// CHECK-NEXT:          tile.barrier
// CHECK:             tile.mbarrier_wait %[[TURN]][%[[GROUP]]]
// CHECK-NEXT:        %[[S:.+]] = tile.dot {{.+}} async
// CHECK-NEXT:        %[[O:.+]] = tile.dot {{.+}} async
// CHECK:             tile.mbarrier_arrive %[[TURN]]
// CHECK:             %[[SCORES:.+]] = tile.await_dots pending 1 done, %[[S]]
// CHECK-NEXT:        tile.mbarrier_arrive %[[KEMPTY]]
// CHECK:             arith.mulf %[[SCORES]], %[[SCORES]]
// CHECK:             %[[SUM:.+]] = tile.await_dots pending 0, %[[O]]
// CHECK-NEXT:        tile.mbarrier_arrive %[[VEMPTY]]
// CHECK:             arith.addf %[[SUM]]
// CHECK:           }
// CHECK:           tile.mbarrier_arrive %[[QEMPTY]]
!x = !tile.view<[128, 64], bf16>
!cache = !tile.view<[N, 64], bf16>
!table = !tile.view<[1, N], i32>
!q = tensor<128x64xbf16>
!keys = tensor<64x64xbf16>
!scores = tensor<128x64xf32>
!weights = tensor<128x64xbf16>
tile.kernel @chain(%x: !x, %k: !cache, %v: !cache, %t: !table, %y: !tile.view<[128, 64], f32>, %end: i32, %N: index)
    grid ["1"] attributes {dims = ["N"], threads = 384 : i64, wave = 32 : i64,
                           schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, TURNS = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.size "N"
  %until = arith.index_cast %end : i32 to index
  %zero = arith.constant dense<0.0> : !scores
  %a = tile.load %x[%c0, %c0] : !x -> !q
  %k0 = tile.load %k[%c0, %c0] through %t[%c0] pages "16" : !cache through !table -> !keys
  %s0 = tile.dot %a, %k0 transposed, %zero : !q, !keys, !scores
  %m0 = arith.mulf %s0, %s0 : !scores
  %p0 = tile.convert %m0 : !scores -> !weights
  %p, %o = scf.for %i = %c64 to %n step %c64 iter_args(%last = %p0, %acc = %zero) -> (!weights, !scores) {
    %ki = tile.load %k[%i, %c0] through %t[%c0] pages "16" : !cache through !table -> !keys
    %s = tile.dot %a, %ki transposed, %zero : !q, !keys, !scores
    %before = arith.subi %i, %c64 : index
    %vi = tile.load %v[%before, %c0] until %until : !cache -> !keys
    %grown = tile.dot %last, %vi, %acc : !weights, !keys, !scores
    %m = arith.mulf %s, %s : !scores
    %next = arith.addf %grown, %m : !scores
    %pn = tile.convert %m : !scores -> !weights
    scf.yield %pn, %next : !weights, !scores
  }
  tile.store %o to %y[%c0, %c0] : !scores, !tile.view<[128, 64], f32>
  tile.return
}

// -----

!x = !tile.view<[128, 64], bf16>
// expected-error@+1 {{schedule has TURNS = 1, expected a loop with a product that takes what another made}}
tile.kernel @no_chain(%x: !x, %y: !tile.view<[128, 128], f32>)
    grid ["1"] attributes {threads = 384 : i64, wave = 32 : i64,
                           schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, TURNS = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = tile.load %x[%c0, %c0] : !x -> tensor<128x64xbf16>
  %s = tile.dot %a, %a transposed, %zero : tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x128xf32>
  tile.store %s to %y[%c0, %c0] : tensor<128x128xf32>, !tile.view<[128, 128], f32>
  tile.return
}
