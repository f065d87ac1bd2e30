// RUN: lathe-opt %s --tile-stage-operands --tile-specialize-warps --split-input-file --verify-diagnostics | FileCheck %s

// Teams take turns of the loop that loads queries, each in slots of its own. Keys and
// values stay for all of them: prefetched before they are awaited, and given back by all,
// also by a team without a turn once they came. Each turn awaits keys where it multiplies
// them; values are cleared behind the end, by the first team alone. Of a tile that stays a
// product takes a part of the rows.
// CHECK-LABEL: tile.kernel @teams(
// CHECK:         %[[K:.+]] = tile.alloc : !tile.ring<1, <[128, 64]
// CHECK-NEXT:    %[[KFULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
// CHECK-NEXT:    %[[KEMPTY:.+]] = tile.init_mbarriers arrivals 2 : !tile.mbarriers<1>
// CHECK-NEXT:    %[[V:.+]] = tile.alloc : !tile.ring<1, <[128, 64]
// CHECK-NEXT:    %[[VFULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
// CHECK-NEXT:    %[[CLEARED:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
// CHECK-NEXT:    %[[VEMPTY:.+]] = tile.init_mbarriers arrivals 2 : !tile.mbarriers<1>
// CHECK-NEXT:    %[[Q:.+]] = tile.alloc : !tile.ring<2, <[64, 64]
// CHECK-NEXT:    %[[QFULL:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<2>
// CHECK-NEXT:    %[[QEMPTY:.+]] = tile.init_mbarriers arrivals 1 : !tile.mbarriers<2>
// CHECK:         tile.roles warps [4, 8] threads [1, 128] teams [1, 2] registers [40, 232] {
// CHECK:           scf.for
// CHECK:             tile.prefetch %[[KV:.+]][%{{.+}}, %{{.+}}] for !tile.shared<[128, 64]
// CHECK:             tile.prefetch %[[VV:.+]][%{{.+}}, %{{.+}}] for !tile.shared<[128, 64]
// CHECK:             tile.mbarrier_wait %[[KEMPTY]]
// CHECK:             tile.copy_async %[[KV]]
// CHECK:             tile.mbarrier_wait %[[VEMPTY]]
// CHECK:             tile.copy_async %[[VV]]
// CHECK:             scf.for
// CHECK:               tile.prefetch
// CHECK:               tile.mbarrier_wait %[[QEMPTY]]
// CHECK:               tile.copy_async
// CHECK:         }, {
// CHECK:           %[[TEAM:.+]] = tile.team_id
// CHECK:           scf.for %{{.+}} = {{.+}} iter_args(%[[KSLOT:[^ ]+]] = %{{.+}}, %[[KPHASE:[^ ]+]] = %{{.+}}, %[[VSLOT:[^ ]+]] = %{{.+}}, %[[VPHASE:[^ ]+]] = %{{.+}}, %[[QSLOT:[^ ]+]] = %{{.+}}, %[[QPHASE:[^ ]+]] = %{{.+}}) -> (i32, i32, i32, i32, i32, i32)
// CHECK:             tile.mbarrier_wait %[[VFULL]][%[[VSLOT]]] parity %[[VPHASE]]
// CHECK:             arith.cmpi eq, %[[TEAM]], %{{.+}} : i32
// CHECK:             scf.if
// CHECK:               tile.clear_rows
// CHECK-NEXT:          tile.fence_async
// CHECK-NEXT:          tile.barrier
// CHECK:             tile.mbarrier_arrive %[[CLEARED]][%[[VSLOT]]] if %{{.+}}
// CHECK-NEXT:        tile.mbarrier_wait %[[CLEARED]][%[[VSLOT]]] parity %[[VPHASE]]
// CHECK:             %[[AHEAD:.+]] = arith.subi %{{.+}}, %[[QSLOT]]
// CHECK:             arith.remui %[[AHEAD]]
// CHECK:             %[[STRIDE:.+]] = arith.muli %{{.+}}, %c2
// CHECK:             scf.for %{{.+}} = %{{.+}} to %{{.+}} step %[[STRIDE]] {
// CHECK:               tile.mbarrier_wait %[[QFULL]]
// CHECK:               tile.mbarrier_wait %[[KFULL]][%[[KSLOT]]] parity %[[KPHASE]]
// CHECK-NEXT:          tile.dot %{{.+}}, %{{.+}} transposed from %{{.+}} async
// CHECK:               tile.mbarrier_arrive %[[QEMPTY]]
// CHECK-NOT:           tile.mbarrier_wait %[[VFULL]]
// CHECK:               tile.dot %{{.+}}, %{{.+}} from %{{.+}} async
// CHECK:             tile.mbarrier_wait %[[KFULL]][%[[KSLOT]]] parity %[[KPHASE]]
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.mbarrier_arrive %[[KEMPTY]]
// CHECK:             tile.barrier
// CHECK-NEXT:        tile.mbarrier_arrive %[[VEMPTY]]
!x = !tile.view<[N, 64], bf16>
!q = tensor<64x64xbf16>
!held = tensor<128x64xbf16>
!sums = tensor<64x64xf32>
tile.kernel @teams(%x: !x, %k: !x, %v: !x, %y: !tile.view<[N, 64], f32>, %end: i32, %N: index)
    grid ["1"] attributes {dims = ["N"], threads = 384 : i64, wave = 32 : i64,
                           schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 1 : i64, TEAMS = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %n = tile.size "N"
  %until = arith.index_cast %end : i32 to index
  %part = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : !sums
  scf.for %p = %c0 to %n step %c128 {
    %keys = tile.load %k[%p, %c0] : !x -> !held
    %values = tile.load %v[%p, %c0] until %until : !x -> !held
    scf.for %i = %c0 to %n step %c64 {
      %a = tile.load %x[%i, %c0] : !x -> !q
      %s = tile.dot %a, %keys transposed from %part, %zero : !q, !held, !sums
      %w = tile.convert %s : !sums -> !q
      %o = tile.dot %w, %values from %part, %zero : !q, !held, !sums
      tile.store %o to %y[%i, %c0] : !sums, !tile.view<[N, 64], f32>
    }
  }
  tile.return
}

// -----

!x = !tile.view<[N, 64], bf16>
!q = tensor<64x64xbf16>
!sums = tensor<64x64xf32>
tile.kernel @carried(%x: !x, %k: !x, %y: !tile.view<[64, 64], f32>, %N: index)
    grid ["1"] attributes {dims = ["N"], threads = 384 : i64, wave = 32 : i64,
                           schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, TEAMS = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.size "N"
  %zero = arith.constant dense<0.0> : !sums
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (!sums) {
    %a = tile.load %x[%i, %c0] : !x -> !q
    %b = tile.load %k[%i, %c0] : !x -> !q
    // expected-error@+1 {{teams cannot take turns: expected one loop that loads its operands in each turn and yields nothing}}
    %next = tile.dot %a, %b transposed, %acc : !q, !q, !sums
    scf.yield %next : !sums
  }
  tile.store %sum to %y[%c0, %c0] : !sums, !tile.view<[64, 64], f32>
  tile.return
}

// -----

!x = !tile.view<[N, 64], bf16>
!q = tensor<64x64xbf16>
!sums = tensor<64x64xf32>
tile.kernel @beside(%x: !x, %k: !x, %y: !tile.view<[64, 64], f32>, %N: index)
    grid ["1"] attributes {dims = ["N"], threads = 384 : i64, wave = 32 : i64,
                           schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, TEAMS = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.size "N"
  %zero = arith.constant dense<0.0> : !sums
  // expected-error@+1 {{teams cannot take turns: expected it in the loop that they share}}
  tile.store %zero to %y[%c0, %c0] : !sums, !tile.view<[64, 64], f32>
  scf.for %i = %c0 to %n step %c64 {
    %a = tile.load %x[%i, %c0] : !x -> !q
    %b = tile.load %k[%i, %c0] : !x -> !q
    %s = tile.dot %a, %b transposed, %zero : !q, !q, !sums
    tile.store %s to %y[%i, %c0] : !sums, !tile.view<[64, 64], f32>
  }
  tile.return
}
