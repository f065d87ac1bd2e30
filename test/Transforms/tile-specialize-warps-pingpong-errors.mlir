// RUN: lathe-opt %s --tile-specialize-warps --split-input-file --verify-diagnostics

!view = !tile.view<[512, 512], bf16>
!out = !tile.view<[512, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// How much of the ring the other role takes would have to be known beforehand.
tile.kernel @steps_by_item(%x: !view, %y: !out) grid ["8"]
    attributes {threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  %xs = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %first = tile.program_id 0
  %count = tile.size "8"
  %step = tile.num_programs 0
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %item = %first to %count step %step {
    %end = arith.muli %item, %c64 : index
    %sum = scf.for %k = %c0 to %end step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %x[%item, %k] : !view -> tensor<64x64xbf16>
      tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
      tile.barrier
      // expected-error@+1 {{consumers cannot take turns: expected products in a loop over work items, in as many steps for each}}
      %next = tile.dot %xs, %xs transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum to %y[%item, %c0] : tensor<64x64xf32>, !out
  }
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>
!out = !tile.view<[512, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// This loop is of steps, not of work items.
tile.kernel @no_items(%x: !view, %y: !out) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  %xs = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %x[%c0, %k] : !view -> tensor<64x64xbf16>
    tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
    tile.barrier
    // expected-error@+1 {{consumers cannot take turns: expected products in a loop over work items, in as many steps for each}}
    %next = tile.dot %xs, %xs transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum to %y[%c0, %c0] : tensor<64x64xf32>, !out
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>
!out = !tile.view<[512, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// Straight lines in the loop, outside of any loop, or in a branch are no steps.
tile.kernel @no_steps(%x: !view, %y: !out) grid ["8"]
    attributes {threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  %xs = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %first = tile.program_id 0
  %count = tile.size "8"
  %step = tile.num_programs 0
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %item = %first to %count step %step {
    %a = tile.load %x[%item, %c0] : !view -> tensor<64x64xbf16>
    tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
    tile.barrier
    // expected-error@+1 {{consumers cannot take turns: expected products in a loop over work items, in as many steps for each}}
    %sum = tile.dot %xs, %xs transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
    tile.store %sum to %y[%item, %c0] : tensor<64x64xf32>, !out
  }
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>
!out = !tile.view<[512, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @no_loop(%x: !view, %y: !out) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  %xs = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
  tile.barrier
  // expected-error@+1 {{consumers cannot take turns: expected products in a loop over work items, in as many steps for each}}
  %sum = tile.dot %xs, %xs transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
  tile.store %sum to %y[%c0, %c0] : tensor<64x64xf32>, !out
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>
!out = !tile.view<[512, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @branch(%x: !view, %y: !out) grid ["8"]
    attributes {threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  %xs = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %first = tile.program_id 0
  %count = tile.size "8"
  %step = tile.num_programs 0
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %item = %first to %count step %step {
    %some = arith.cmpi ne, %item, %c0 : index
    scf.if %some {
      %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
        %a = tile.load %x[%item, %k] : !view -> tensor<64x64xbf16>
        tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
        tile.barrier
        // expected-error@+1 {{consumers cannot take turns: expected products in a loop over work items, in as many steps for each}}
        %next = tile.dot %xs, %xs transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      tile.store %sum to %y[%item, %c0] : tensor<64x64xf32>, !out
    }
  }
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>
!out = !tile.view<[512, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// What goes from one work item to the next cannot be dealt.
tile.kernel @carried(%x: !view, %y: !out) grid ["8"]
    attributes {threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  %xs = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %first = tile.program_id 0
  %count = tile.size "8"
  %step = tile.num_programs 0
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %all = scf.for %item = %first to %count step %step iter_args(%from = %zero) -> (tensor<64x64xf32>) {
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %from) -> (tensor<64x64xf32>) {
      %a = tile.load %x[%item, %k] : !view -> tensor<64x64xbf16>
      tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
      tile.barrier
      // expected-error@+1 {{consumers cannot take turns: expected products in a loop over work items, in as many steps for each}}
      %next = tile.dot %xs, %xs transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    scf.yield %sum : tensor<64x64xf32>
  }
  tile.store %all to %y[%c0, %c0] : tensor<64x64xf32>, !out
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>
!out = !tile.view<[512, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// Each role has half of the warps, but a work item for itself.
tile.kernel @rows(%x: !view, %y: !out) grid ["8"]
    attributes {threads = 640 : i64, wave = 32 : i64,
                schedule = {WARPS = 16 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  %xs = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
  // expected-error@+1 {{asynchronous product of 64 rows, expected a multiple of 128 for 2 warpgroups}}
  %sum = tile.dot %xs, %xs transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
  tile.store %sum to %y[%c0, %c0] : tensor<64x64xf32>, !out
  tile.return
}

// -----

!view = !tile.view<[512, 512], bf16>
!out = !tile.view<[512, 64], f32>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>

// Both groups would store.
tile.kernel @beside(%x: !view, %y: !out) grid ["8"]
    attributes {threads = 384 : i64, wave = 32 : i64,
                schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  %xs = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %first = tile.program_id 0
  %count = tile.size "8"
  %step = tile.num_programs 0
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{consumers cannot take turns: expected it in the loop over work items}}
  tile.store %zero to %y[%c0, %c0] : tensor<64x64xf32>, !out
  scf.for %item = %first to %count step %step {
    %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %x[%item, %k] : !view -> tensor<64x64xbf16>
      tile.write_shared %a to %xs : tensor<64x64xbf16>, !buffer
      tile.barrier
      %next = tile.dot %xs, %xs transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum to %y[%item, %c0] : tensor<64x64xf32>, !out
  }
  tile.return
}
