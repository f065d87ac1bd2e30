// RUN: lathe-opt %s --tile-plan-shared | FileCheck %s

!ring = !tile.ring<2, <[64, 64], bf16, <phases = 8, rows = 1>>>
!slot = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!x = !tile.view<[64, 512], bf16>
!y = !tile.view<[64, 64], bf16>
!full = !tile.mbarriers<2>
!sum = tensor<64x64xf32>
!out = tensor<64x64xbf16>

// The last product is awaited: what is stored lies where the ring was.
// CHECK-LABEL: tile.kernel @done
// CHECK-NEXT:    shared_bytes = 16400
// CHECK:         tile.alloc at 0 : !tile.ring
// CHECK:         tile.alloc at 0 : !tile.shared
tile.kernel @done(%x: !x, %y: !y, %s: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %i0 = arith.constant 0 : i32
  %zero = tile.splat %s : f32 -> !sum
  %ring = tile.alloc : !ring
  %buffer = tile.alloc : !slot
  %full = tile.init_mbarriers arrivals 1 : !full
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    scf.for %k = %c0 to %c512 step %c64 {
      %to = tile.slot %ring[%i0] : !ring
      tile.copy_async %x[%c0, %k] to %to signals %full[%i0] : !x, !slot, !full
    }
  }, {
    %turns = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (!sum) {
      %from = tile.slot %ring[%i0] : !ring
      %next = tile.dot %from, %from transposed, %acc async : !slot, !slot, !sum
      scf.yield %next : !sum
    }
    %done = tile.await_dots pending 0, %turns : !sum
    tile.barrier
    %narrow = tile.convert %done : !sum -> !out
    tile.write_shared %narrow to %buffer : !out, !slot
    tile.store_async %buffer to %y[%c0, %c0] : !slot, !y
  }
  tile.return
}

// A warp may still multiply what another overwrites.
// CHECK-LABEL: tile.kernel @no_barrier
// CHECK-NEXT:    shared_bytes = 24592
// CHECK:         tile.alloc at 0 : !tile.ring
// CHECK:         tile.alloc at 16384 : !tile.shared
tile.kernel @no_barrier(%x: !x, %y: !y, %s: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %i0 = arith.constant 0 : i32
  %zero = tile.splat %s : f32 -> !sum
  %ring = tile.alloc : !ring
  %buffer = tile.alloc : !slot
  %full = tile.init_mbarriers arrivals 1 : !full
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    scf.for %k = %c0 to %c512 step %c64 {
      %to = tile.slot %ring[%i0] : !ring
      tile.copy_async %x[%c0, %k] to %to signals %full[%i0] : !x, !slot, !full
    }
  }, {
    %turns = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (!sum) {
      %from = tile.slot %ring[%i0] : !ring
      %next = tile.dot %from, %from transposed, %acc async : !slot, !slot, !sum
      scf.yield %next : !sum
    }
    %done = tile.await_dots pending 0, %turns : !sum
    %narrow = tile.convert %done : !sum -> !out
    tile.write_shared %narrow to %buffer : !out, !slot
    tile.store_async %buffer to %y[%c0, %c0] : !slot, !y
  }
  tile.return
}

// Not awaited yet.
// CHECK-LABEL: tile.kernel @before
// CHECK-NEXT:    shared_bytes = 24592
// CHECK:         tile.alloc at 0 : !tile.ring
// CHECK:         tile.alloc at 16384 : !tile.shared
tile.kernel @before(%x: !x, %y: !y, %s: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %i0 = arith.constant 0 : i32
  %zero = tile.splat %s : f32 -> !sum
  %ring = tile.alloc : !ring
  %buffer = tile.alloc : !slot
  %full = tile.init_mbarriers arrivals 1 : !full
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    scf.for %k = %c0 to %c512 step %c64 {
      %to = tile.slot %ring[%i0] : !ring
      tile.copy_async %x[%c0, %k] to %to signals %full[%i0] : !x, !slot, !full
    }
  }, {
    %turns = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (!sum) {
      %from = tile.slot %ring[%i0] : !ring
      %next = tile.dot %from, %from transposed, %acc async : !slot, !slot, !sum
      scf.yield %next : !sum
    }
    tile.barrier
    %narrow = tile.convert %zero : !sum -> !out
    tile.write_shared %narrow to %buffer : !out, !slot
    tile.store_async %buffer to %y[%c0, %c0] : !slot, !y
    %done = tile.await_dots pending 0, %turns : !sum
  }
  tile.return
}

// One product may still run.
// CHECK-LABEL: tile.kernel @running
// CHECK-NEXT:    shared_bytes = 24592
// CHECK:         tile.alloc at 0 : !tile.ring
// CHECK:         tile.alloc at 16384 : !tile.shared
tile.kernel @running(%x: !x, %y: !y, %s: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %i0 = arith.constant 0 : i32
  %zero = tile.splat %s : f32 -> !sum
  %ring = tile.alloc : !ring
  %buffer = tile.alloc : !slot
  %full = tile.init_mbarriers arrivals 1 : !full
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    scf.for %k = %c0 to %c512 step %c64 {
      %to = tile.slot %ring[%i0] : !ring
      tile.copy_async %x[%c0, %k] to %to signals %full[%i0] : !x, !slot, !full
    }
  }, {
    %turns = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (!sum) {
      %from = tile.slot %ring[%i0] : !ring
      %next = tile.dot %from, %from transposed, %acc async : !slot, !slot, !sum
      scf.yield %next : !sum
    }
    %most = tile.await_dots pending 1, %turns : !sum
    tile.barrier
    %narrow = tile.convert %most : !sum -> !out
    tile.write_shared %narrow to %buffer : !out, !slot
    tile.store_async %buffer to %y[%c0, %c0] : !slot, !y
  }
  tile.return
}

// The producer already copies for the next work item.
// CHECK-LABEL: tile.kernel @persistent
// CHECK-NEXT:    shared_bytes = 24592
// CHECK:         tile.alloc at 0 : !tile.ring
// CHECK:         tile.alloc at 16384 : !tile.shared
tile.kernel @persistent(%x: !x, %y: !y, %s: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %i0 = arith.constant 0 : i32
  %zero = tile.splat %s : f32 -> !sum
  %ring = tile.alloc : !ring
  %buffer = tile.alloc : !slot
  %full = tile.init_mbarriers arrivals 1 : !full
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    scf.for %k = %c0 to %c512 step %c64 {
      %to = tile.slot %ring[%i0] : !ring
      tile.copy_async %x[%c0, %k] to %to signals %full[%i0] : !x, !slot, !full
    }
  }, {
    scf.for %item = %c0 to %c512 step %c64 {
      %turns = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (!sum) {
        %from = tile.slot %ring[%i0] : !ring
        %next = tile.dot %from, %from transposed, %acc async : !slot, !slot, !sum
        scf.yield %next : !sum
      }
      %done = tile.await_dots pending 0, %turns : !sum
      tile.barrier
      %narrow = tile.convert %done : !sum -> !out
      tile.write_shared %narrow to %buffer : !out, !slot
      tile.store_async %buffer to %y[%c0, %c0] : !slot, !y
    }
  }
  tile.return
}

// Threads that read a slot themselves await nothing.
// CHECK-LABEL: tile.kernel @by_threads
// CHECK-NEXT:    shared_bytes = 24592
// CHECK:         tile.alloc at 0 : !tile.ring
// CHECK:         tile.alloc at 16384 : !tile.shared
tile.kernel @by_threads(%x: !x, %y: !y, %s: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %i0 = arith.constant 0 : i32
  %zero = tile.splat %s : f32 -> !sum
  %ring = tile.alloc : !ring
  %buffer = tile.alloc : !slot
  %full = tile.init_mbarriers arrivals 1 : !full
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    scf.for %k = %c0 to %c512 step %c64 {
      %to = tile.slot %ring[%i0] : !ring
      tile.copy_async %x[%c0, %k] to %to signals %full[%i0] : !x, !slot, !full
    }
  }, {
    %turns = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (!sum) {
      %from = tile.slot %ring[%i0] : !ring
      %next = tile.dot %from, %from transposed, %acc : !slot, !slot, !sum
      scf.yield %next : !sum
    }
    tile.barrier
    %narrow = tile.convert %turns : !sum -> !out
    tile.write_shared %narrow to %buffer : !out, !slot
    tile.store_async %buffer to %y[%c0, %c0] : !slot, !y
  }
  tile.return
}

// Two loops one after the other: the ring is done after the second.
// CHECK-LABEL: tile.kernel @twice
// CHECK-NEXT:    shared_bytes = 24592
// CHECK:         tile.alloc at 0 : !tile.ring
// CHECK:         tile.alloc at 16384 : !tile.shared
// CHECK:         tile.alloc at 0 : !tile.shared
tile.kernel @twice(%x: !x, %y: !y, %s: f32) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %i0 = arith.constant 0 : i32
  %zero = tile.splat %s : f32 -> !sum
  %ring = tile.alloc : !ring
  %between = tile.alloc : !slot
  %buffer = tile.alloc : !slot
  %full = tile.init_mbarriers arrivals 1 : !full
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
  }, {
    %turns = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (!sum) {
      %from = tile.slot %ring[%i0] : !ring
      %next = tile.dot %from, %from transposed, %acc async : !slot, !slot, !sum
      scf.yield %next : !sum
    }
    %half = tile.await_dots pending 0, %turns : !sum
    tile.barrier
    %early = tile.convert %half : !sum -> !out
    tile.write_shared %early to %between : !out, !slot
    %more = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (!sum) {
      %from = tile.slot %ring[%i0] : !ring
      %next = tile.dot %from, %from transposed, %acc async : !slot, !slot, !sum
      scf.yield %next : !sum
    }
    %done = tile.await_dots pending 0, %more : !sum
    tile.barrier
    %narrow = tile.convert %done : !sum -> !out
    tile.write_shared %narrow to %buffer : !out, !slot
    tile.store_async %buffer to %y[%c0, %c0] : !slot, !y
  }
  tile.return
}

// A sum over warps or blocks takes the place of what threads have left; what TMA may
// still read keeps its own.
// CHECK-LABEL: tile.kernel @sums
// CHECK-NEXT:    shared_bytes = 12288
// CHECK:         tile.alloc at 0 : !tile.shared<[64, 64], bf16
// CHECK:         tile.alloc at 0 : !tile.shared<[32, 32], f32
// CHECK:         tile.alloc at 0 : !tile.shared<[64, 64], bf16
// CHECK:         tile.alloc at 8192 : !tile.shared<[32, 32], f32
!part = tensor<32x32xf32>
!parts = !tile.shared<[32, 32], f32, <phases = 8, rows = 1>>
tile.kernel @sums(%y: !y, %s: f32, %h: bf16) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.splat %h : bf16 -> !out
  %p = tile.splat %s : f32 -> !part
  %a = tile.alloc : !slot
  %b = tile.alloc : !parts
  %c = tile.alloc : !slot
  %d = tile.alloc : !parts
  tile.write_shared %t to %a : !out, !slot
  tile.barrier
  %first = tile.cluster_reduce %p along 0 through %b : !part, !parts -> !part
  tile.barrier
  tile.write_shared %t to %c : !out, !slot
  tile.store_async %c to %y[%c0, %c0] : !slot, !y
  tile.barrier
  %second = tile.cluster_reduce %first along 0 through %d : !part, !parts -> !part
  tile.return
}
