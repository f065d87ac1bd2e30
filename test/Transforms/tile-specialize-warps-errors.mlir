// RUN: lathe-opt %s --tile-specialize-warps --split-input-file --verify-diagnostics

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @computed(%x: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  %u = arith.addf %t, %t : tensor<64x64xbf16>
  // expected-error@+1 {{stages what is not loaded as it is or wider, expected the result of tile.load, or of a tile.convert of that}}
  tile.write_shared %u to %a : tensor<64x64xbf16>, !buffer
  %sum = tile.dot %a, %a transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
  tile.return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @stored(%x: !view, %y: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, may_alias = array<i64: 0, 1>,
                schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{reads a view that the kernel stores to ahead of time, expected one that it only reads}}
  %t = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  tile.write_shared %t to %a : tensor<64x64xbf16>, !buffer
  %sum = tile.dot %a, %a transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
  tile.store %t to %y[%c0, %c0] : tensor<64x64xbf16>, !view
  tile.return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @ring(%x: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %r = tile.alloc : !tile.ring<2, <[64, 64], bf16, <phases = 8, rows = 1>>>
  %a = tile.slot %r[%i] : !tile.ring<2, <[64, 64], bf16, <phases = 8, rows = 1>>>
  %t = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  // expected-error@+1 {{stages into what is no buffer of its own, expected the result of tile.alloc}}
  tile.write_shared %t to %a : tensor<64x64xbf16>, !buffer
  tile.return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @twice(%x: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !buffer
  %t = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  tile.write_shared %t to %a : tensor<64x64xbf16>, !buffer
  // expected-error@+1 {{uses a buffer apart from the products behind its only write, expected none}}
  tile.write_shared %t to %a : tensor<64x64xbf16>, !buffer
  tile.return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @not_multiplied(%x: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !buffer
  %t = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  // expected-error@+1 {{stages what nothing multiplies, expected a tile.dot}}
  tile.write_shared %t to %a : tensor<64x64xbf16>, !buffer
  tile.return
}

// -----

tile.kernel @registers(%s: bf16) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.splat %s : bf16 -> tensor<64x64xbf16>
  // expected-error@+1 {{multiplies what nothing around it stages, expected operands that it loads}}
  %sum = tile.dot %a, %a transposed, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  tile.return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @place(%x: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %zero, %at = %c0) -> (tensor<64x64xf32>, index) {
    // expected-error@+1 {{copying warps cannot compute where its operands are, expected arithmetic on loop indices, sizes and constants}}
    %t = tile.load %x[%at, %c0] : !view -> tensor<64x64xbf16>
    tile.write_shared %t to %a : tensor<64x64xbf16>, !buffer
    %next = tile.dot %a, %a transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
    %more = arith.addi %at, %c1 : index
    scf.yield %next, %more : tensor<64x64xf32>, index
  }
  tile.return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @between(%x: !view) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !buffer
  %b = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.alloc : !buffer
  %t = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  %s = tile.load %x[%c1, %c0] : !view -> tensor<64x64xbf16>
  tile.write_shared %t to %a : tensor<64x64xbf16>, !buffer
  // expected-error@+1 {{multiplies between the operands of a turn, expected that before or after}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %u = tile.load %x[%i, %c0] : !view -> tensor<64x64xbf16>
    tile.write_shared %u to %b : tensor<64x64xbf16>, !buffer
    %next = tile.dot %b, %b transposed, %acc : !buffer, !buffer, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.write_shared %s to %d : tensor<64x64xbf16>, !buffer
  %sum = tile.dot %a, %d transposed, %r : !buffer, !buffer, tensor<64x64xf32>
  tile.return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @while(%x: !view, %p: i1) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{'scf.while' around a product, expected scf.for or scf.if}}
  scf.while : () -> () {
    scf.condition(%p)
  } do {
    %t = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
    tile.write_shared %t to %a : tensor<64x64xbf16>, !buffer
    %sum = tile.dot %a, %a transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
    scf.yield
  }
  tile.return
}

// -----

!buffer = !tile.shared<[64, 64], f32, <phases = 8, rows = 1>, panel = 32>
tile.kernel @element(%x: !tile.view<[64, 64], f32>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tile.load %x[%c0, %c0] : !tile.view<[64, 64], f32> -> tensor<64x64xf32>
  tile.write_shared %t to %a : tensor<64x64xf32>, !buffer
  // expected-error@+1 {{asynchronous product of 'f32', expected bf16, f16, f8E4M3FN or f8E5M2}}
  %sum = tile.dot %a, %a transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
  tile.return
}

// -----

!view = !tile.view<[64, 64], bf16>
!buffer = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @rows(%x: !view) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tile.load %x[%c0, %c0] : !view -> tensor<64x64xbf16>
  tile.write_shared %t to %a : tensor<64x64xbf16>, !buffer
  // expected-error@+1 {{asynchronous product of 64 rows, expected a multiple of 128 for 2 warpgroups}}
  %sum = tile.dot %a, %a transposed, %zero : !buffer, !buffer, tensor<64x64xf32>
  tile.return
}

// -----

!a = !tile.shared<[64, 64], bf16, <phases = 8, rows = 1>>
!b = !tile.shared<[320, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @columns(%x: !tile.view<[64, 64], bf16>, %w: !tile.view<[320, 64], bf16>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %zero = arith.constant dense<0.0> : tensor<64x320xf32>
  %t = tile.load %x[%c0, %c0] : !tile.view<[64, 64], bf16> -> tensor<64x64xbf16>
  %u = tile.load %w[%c0, %c0] : !tile.view<[320, 64], bf16> -> tensor<320x64xbf16>
  tile.write_shared %t to %a : tensor<64x64xbf16>, !a
  tile.write_shared %u to %b : tensor<320x64xbf16>, !b
  // expected-error@+1 {{asynchronous product of 320 columns, expected a multiple of 8 up to 256}}
  %sum = tile.dot %a, %b transposed, %zero : !a, !b, tensor<64x320xf32>
  tile.return
}

// -----

!a = !tile.shared<[64, 8], bf16, <phases = 1, rows = 8>>
tile.kernel @depth(%x: !tile.view<[64, 8], bf16>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !a
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tile.load %x[%c0, %c0] : !tile.view<[64, 8], bf16> -> tensor<64x8xbf16>
  tile.write_shared %t to %a : tensor<64x8xbf16>, !a
  // expected-error@+1 {{asynchronous product over 16 bytes, expected a multiple of 32}}
  %sum = tile.dot %a, %a transposed, %zero : !a, !a, tensor<64x64xf32>
  tile.return
}

// -----

!a = !tile.shared<[64, 64], f8E4M3FN, <phases = 4, rows = 2>>
tile.kernel @bytes_along_columns(%x: !tile.view<[64, 64], f8E4M3FN>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !a
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tile.load %x[%c0, %c0] : !tile.view<[64, 64], f8E4M3FN> -> tensor<64x64xf8E4M3FN>
  tile.write_shared %t to %a : tensor<64x64xf8E4M3FN>, !a
  // expected-error@+1 {{asynchronous product of 'f8E4M3FN' with an operand along rows or columns, expected both along the depth}}
  %sum = tile.dot %a, %a, %zero : !a, !a, tensor<64x64xf32>
  tile.return
}

// -----

!a = !tile.shared<[64, 48], bf16, <phases = 2, rows = 4>>
tile.kernel @buffer(%x: !tile.view<[64, 48], bf16>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !a
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{with rows of 96 bytes, expected 32, 64 or 128, all chunks of which are swizzled}}
  %t = tile.load %x[%c0, %c0] : !tile.view<[64, 48], bf16> -> tensor<64x48xbf16>
  tile.write_shared %t to %a : tensor<64x48xbf16>, !a
  %sum = tile.dot %a, %a transposed, %zero : !a, !a, tensor<64x64xf32>
  tile.return
}
