// RUN: lathe-opt %s --tile-stage-stores --split-input-file | FileCheck %s

!view = !tile.view<[512, 512], bf16>

// One buffer for all parts of a type: each waits for the part before it, but not for
// what went from another buffer since, in this turn or the one before.
// CHECK-LABEL: tile.kernel @one_buffer(
// CHECK:         %[[REST:.+]] = tile.alloc : !tile.shared<[64, 16],
// CHECK-NEXT:    %[[PART:.+]] = tile.alloc : !tile.shared<[64, 64],
// CHECK-NOT:     tile.alloc
// CHECK:           scf.for
// CHECK-NEXT:        tile.await_stores pending 1{{$}}
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %[[T:.+]] to %[[PART]]
// CHECK-NEXT:        tile.fence_async
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.store_async %[[PART]]
// CHECK-NEXT:        tile.await_stores{{$}}
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %[[T]] to %[[PART]]
// CHECK-NEXT:        tile.fence_async
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.store_async %[[PART]]
// CHECK-NEXT:        tile.await_stores pending 2{{$}}
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %{{.+}} to %[[REST]]
// CHECK-NEXT:        tile.fence_async
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.store_async %[[REST]]
// CHECK-NEXT:      }
// CHECK-NEXT:      tile.await_stores{{$}}
// CHECK-NEXT:    }
tile.kernel @one_buffer(%y: !view, %s: bf16) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64, STAGING = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    %u = tile.splat %s : bf16 -> tensor<64x16xbf16>
    scf.for %i = %c0 to %c512 step %c64 {
      tile.store %t to %y[%i, %c0] : tensor<64x64xbf16>, !view
      tile.store %t to %y[%i, %c64] : tensor<64x64xbf16>, !view
      tile.store %u to %y[%i, %c128] : tensor<64x16xbf16>, !view
    }
  }
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>

// Three parts and two buffers: the first buffer is used twice in a turn.
// CHECK-LABEL: tile.kernel @two_buffers(
// CHECK:         %[[REST:.+]] = tile.alloc : !tile.shared<[64, 16],
// CHECK-NEXT:    %[[B:.+]] = tile.alloc : !tile.shared<[64, 64],
// CHECK-NEXT:    %[[A:.+]] = tile.alloc : !tile.shared<[64, 64],
// CHECK-NOT:     tile.alloc
// CHECK:           scf.for
// CHECK-NEXT:        tile.await_stores pending 1{{$}}
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %{{.+}} to %[[A]]
// CHECK:             tile.store_async %[[A]]
// CHECK-NEXT:        tile.await_stores pending 3{{$}}
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %{{.+}} to %[[B]]
// CHECK:             tile.store_async %[[B]]
// CHECK-NEXT:        tile.await_stores pending 1{{$}}
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %{{.+}} to %[[A]]
// CHECK:             tile.store_async %[[A]]
// CHECK-NEXT:        tile.await_stores pending 3{{$}}
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %{{.+}} to %[[REST]]
// CHECK:             tile.store_async %[[REST]]
// CHECK-NEXT:      }
// CHECK-NEXT:      tile.await_stores{{$}}
tile.kernel @two_buffers(%y: !view, %s: bf16) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64, STAGING = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %c512 = arith.constant 512 : index
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    %u = tile.splat %s : bf16 -> tensor<64x16xbf16>
    scf.for %i = %c0 to %c512 step %c64 {
      tile.store %t to %y[%i, %c0] : tensor<64x64xbf16>, !view
      tile.store %t to %y[%i, %c64] : tensor<64x64xbf16>, !view
      tile.store %t to %y[%i, %c128] : tensor<64x64xbf16>, !view
      tile.store %u to %y[%i, %c192] : tensor<64x16xbf16>, !view
    }
  }
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>

// Two blocks of a role do not know of each other's turns: each store waits for all.
// CHECK-LABEL: tile.kernel @blocks(
// CHECK-COUNT-2: tile.alloc
// CHECK-NOT:     tile.alloc
// CHECK-NOT:     pending
// CHECK-COUNT-4: tile.await_stores{{$}}
// CHECK-NOT:     tile.await_stores
tile.kernel @blocks(%y: !view, %s: bf16, %p: i1) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64, STAGING = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.roles warps [4] threads [128] registers [0] {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    scf.if %p {
      tile.store %t to %y[%c64, %c0] : tensor<64x64xbf16>, !view
    }
    tile.store %t to %y[%c0, %c0] : tensor<64x64xbf16>, !view
    tile.store %t to %y[%c0, %c64] : tensor<64x64xbf16>, !view
  }
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>

// Roles have buffers of their own and end when their own stores do. What the other
// one loads before it stores there itself are other work items.
// CHECK-LABEL: tile.kernel @two_roles(
// CHECK:         %[[B:.+]] = tile.alloc : !tile.shared<[64, 64],
// CHECK-NEXT:    %[[A:.+]] = tile.alloc : !tile.shared<[64, 64],
// CHECK-NOT:     tile.alloc
// CHECK:         tile.roles
// CHECK-NEXT:    }, {
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        tile.load
// CHECK-NEXT:        tile.await_stores{{$}}
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %{{.+}} to %[[A]]
// CHECK-NEXT:        tile.fence_async
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.store_async %[[A]]
// CHECK-NEXT:      }
// CHECK-NEXT:      tile.await_stores{{$}}
// CHECK-NEXT:    }, {
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        tile.load
// CHECK-NEXT:        tile.await_stores{{$}}
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.write_shared %{{.+}} to %[[B]]
// CHECK-NEXT:        tile.fence_async
// CHECK-NEXT:        tile.barrier
// CHECK-NEXT:        tile.store_async %[[B]]
// CHECK-NEXT:      }
// CHECK-NEXT:      tile.await_stores{{$}}
// CHECK-NEXT:    }
tile.kernel @two_roles(%r: !view, %y: !view) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, may_alias = array<i64: 0, 1>, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  tile.roles warps [4, 4, 4] threads [1, 128, 128] registers [0, 0, 0] {
  }, {
    scf.for %i = %c0 to %c512 step %c128 {
      %t = tile.load %r[%i, %c0] : !view -> tensor<64x64xbf16>
      tile.store %t to %y[%i, %c0] : tensor<64x64xbf16>, !view
    }
  }, {
    scf.for %i = %c64 to %c512 step %c128 {
      %t = tile.load %r[%i, %c0] : !view -> tensor<64x64xbf16>
      tile.store %t to %y[%i, %c0] : tensor<64x64xbf16>, !view
    }
  }
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>

// Buffers in turn are a role's own too: each waits for one of its two parts.
// CHECK-LABEL: tile.kernel @turns_of_roles(
// CHECK-COUNT-4: tile.alloc
// CHECK-NOT:     tile.alloc
// CHECK:         }, {
// CHECK-COUNT-2:     tile.await_stores pending 1{{$}}
// CHECK:           }
// CHECK-NEXT:      tile.await_stores{{$}}
// CHECK-NEXT:    }, {
// CHECK-COUNT-2:     tile.await_stores pending 1{{$}}
// CHECK:           }
// CHECK-NEXT:      tile.await_stores{{$}}
tile.kernel @turns_of_roles(%y: !view, %s: bf16) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {PRODUCERS = 4 : i64, STAGING = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  tile.roles warps [4, 4, 4] threads [1, 128, 128] registers [0, 0, 0] {
  }, {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    scf.for %i = %c0 to %c512 step %c128 {
      tile.store %t to %y[%i, %c0] : tensor<64x64xbf16>, !view
      tile.store %t to %y[%i, %c64] : tensor<64x64xbf16>, !view
    }
  }, {
    %t = tile.splat %s : bf16 -> tensor<64x64xbf16>
    scf.for %i = %c64 to %c512 step %c128 {
      tile.store %t to %y[%i, %c0] : tensor<64x64xbf16>, !view
      tile.store %t to %y[%i, %c64] : tensor<64x64xbf16>, !view
    }
  }
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>

// A role that only loads may want what the other one stores.
// CHECK-LABEL: tile.kernel @reader(
// CHECK-NOT:     tile.store_async
// CHECK:         tile.store %
// CHECK-NOT:     tile.await_stores
tile.kernel @reader(%r: !view, %y: !view, %z: !view) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, may_alias = array<i64: 0, 1>, schedule = {PRODUCERS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.roles warps [4, 4, 4] threads [1, 128, 128] registers [0, 0, 0] {
  }, {
    %t = tile.load %r[%c64, %c0] : !view -> tensor<64x64xbf16>
    %sum = tile.reduce <add> %t along 1 : tensor<64x64xbf16> -> tensor<64xbf16>
  }, {
    %t = tile.load %z[%c0, %c0] : !view -> tensor<64x64xbf16>
    tile.store %t to %y[%c0, %c0] : tensor<64x64xbf16>, !view
  }
  tile.return
}
