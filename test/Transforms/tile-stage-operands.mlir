// RUN: lathe-opt %s --tile-stage-operands | FileCheck %s

// Rows of 64 and of 48 bytes: 4 chunks in phases of 4, 3 chunks that need none.
// CHECK-LABEL: tile.kernel @both
// CHECK-DAG:     %[[A:.+]] = tile.alloc : !tile.shared<[16, 32], bf16, <phases = 4, rows = 2>>
// CHECK-DAG:     %[[B:.+]] = tile.alloc : !tile.shared<[32, 24], bf16, <phases = 1, rows = 8>>
// CHECK:         scf.for
// CHECK:           %[[X:.+]] = tile.load %arg0
// CHECK:           %[[Y:.+]] = tile.load %arg1
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      tile.write_shared %[[X]] to %[[A]]
// CHECK-NEXT:      tile.write_shared %[[Y]] to %[[B]]
// CHECK-NEXT:      tile.barrier
// CHECK-NEXT:      tile.dot %[[A]], %[[B]], %{{.+}} : !tile.shared
tile.kernel @both(%x: !tile.view<[16, 64], bf16>, %y: !tile.view<[64, 24], bf16>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x24xf32>
  %sum = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (tensor<16x24xf32>) {
    %a = tile.load %x[%c0, %k] : !tile.view<[16, 64], bf16> -> tensor<16x32xbf16>
    %b = tile.load %y[%k, %c0] : !tile.view<[64, 24], bf16> -> tensor<32x24xbf16>
    %next = tile.dot %a, %b, %acc : tensor<16x32xbf16>, tensor<32x24xbf16>, tensor<16x24xf32>
    scf.yield %next : tensor<16x24xf32>
  }
  tile.return
}

// What cp.async copies is widened behind shared memory.
// CHECK-LABEL: tile.kernel @widened_late
// CHECK-NOT:     tile.convert
// CHECK:         tile.write_shared {{.+}} : tensor<16x64xf8E4M3FN>
// CHECK:         tile.dot %{{.+}}, %{{.+}} transposed, %{{.+}} as f16 : !tile.shared<[16, 64], f8E4M3FN
// CHECK-LABEL: tile.kernel @widened_early
// CHECK:         tile.write_shared {{.+}} : tensor<16x64xf16>
// CHECK-NOT:     as f16
tile.kernel @widened_late(%x: !tile.view<[16, 64], f8E4M3FN>, %y: !tile.view<[32, 64], f8E5M2>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 3 : i64}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 64], f8E4M3FN> -> tensor<16x64xf8E4M3FN>
  %b = tile.load %y[%c0, %c0] : !tile.view<[32, 64], f8E5M2> -> tensor<32x64xf8E5M2>
  %wa = tile.convert %a : tensor<16x64xf8E4M3FN> -> tensor<16x64xf16>
  %wb = tile.convert %b : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
  %sum = tile.dot %wa, %wb transposed, %zero : tensor<16x64xf16>, tensor<32x64xf16>, tensor<16x32xf32>
  tile.return
}
tile.kernel @widened_early(%x: !tile.view<[16, 64], f8E4M3FN>, %y: !tile.view<[32, 64], f8E5M2>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64, schedule = {STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 64], f8E4M3FN> -> tensor<16x64xf8E4M3FN>
  %b = tile.load %y[%c0, %c0] : !tile.view<[32, 64], f8E5M2> -> tensor<32x64xf8E5M2>
  %wa = tile.convert %a : tensor<16x64xf8E4M3FN> -> tensor<16x64xf16>
  %wb = tile.convert %b : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
  %sum = tile.dot %wa, %wb transposed, %zero : tensor<16x64xf16>, tensor<32x64xf16>, tensor<16x32xf32>
  tile.return
}

// Warps that share K keep what they multiply; a sum goes through a buffer of all
// parts, which slower warps have left.
// CHECK-LABEL: tile.kernel @parts
// CHECK:         %[[BUFFER:.+]] = tile.alloc : !tile.shared<[64, 16], f32, <phases = 4, rows = 2>>
// CHECK-NOT:     tile.alloc
// CHECK:         %[[X:.+]] = tile.load %arg0
// CHECK-NEXT:    %[[Y:.+]] = tile.load %arg1
// CHECK-NEXT:    %[[PART:.+]] = tile.dot %[[X]], %[[Y]] transposed, %{{.+}} : tensor<16x128xbf16>, tensor<16x128xbf16>
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    tile.cluster_reduce %[[PART]] along 0 through %[[BUFFER]]
// CHECK-NOT:     tile.barrier
// CHECK:         tile.return
tile.kernel @parts(%x: !tile.view<[16, 128], bf16>, %y: !tile.view<[16, 128], bf16>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 128], bf16> -> tensor<16x128xbf16>
  %b = tile.load %y[%c0, %c0] : !tile.view<[16, 128], bf16> -> tensor<16x128xbf16>
  %part = tile.dot %a, %b transposed, %zero : tensor<16x128xbf16>, tensor<16x128xbf16>, tensor<16x16xf32>
  %sum = tile.cluster_reduce %part along 0 : tensor<16x16xf32> -> tensor<16x16xf32>
  tile.return
}

// Without parts the buffer is one tile; one that is there stays as it is.
// CHECK-LABEL: tile.kernel @whole
// CHECK-DAG:     %[[OWN:.+]] = tile.alloc : !tile.shared<[8, 16], f32, <phases = 4, rows = 2>>
// CHECK-DAG:     %[[NEW:.+]] = tile.alloc : !tile.shared<[16, 16], f32, <phases = 4, rows = 2>>
// CHECK:         tile.barrier
// CHECK-NEXT:    tile.cluster_reduce %{{.+}} along 0 through %[[NEW]]
// CHECK-NOT:     tile.barrier
// CHECK:         tile.cluster_reduce %{{.+}} along 0 through %[[OWN]]
tile.kernel @whole(%s: f32) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {PARTS = 0 : i64, CLUSTER = 2 : i64}} {
  %own = tile.alloc : !tile.shared<[8, 16], f32, <phases = 4, rows = 2>>
  %t = tile.splat %s : f32 -> tensor<16x16xf32>
  %sum = tile.cluster_reduce %t along 0 : tensor<16x16xf32> -> tensor<8x16xf32>
  %again = tile.cluster_reduce %sum along 0 through %own : tensor<8x16xf32>, !tile.shared<[8, 16], f32, <phases = 4, rows = 2>> -> tensor<4x16xf32>
  tile.return
}

// -----

// What a loop multiplies again and again is written once, before the loop; what was
// made of another product's sums stays in registers.
// CHECK-LABEL: tile.kernel @chain(
// CHECK-DAG:     %[[Q:.+]] = tile.alloc : !tile.shared<[16, 64]
// CHECK-DAG:     %[[K:.+]] = tile.alloc : !tile.shared<[32, 64]
// CHECK:         %[[A:.+]] = tile.load
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    tile.write_shared %[[A]] to %[[Q]]
// CHECK-NEXT:    tile.barrier
// CHECK:         scf.for
// CHECK-NOT:       tile.write_shared %[[A]]
// CHECK:           tile.dot %[[Q]], %{{.+}} transposed
// CHECK:           %[[P:.+]] = tile.convert
// CHECK:           tile.dot %[[P]], %{{.+}}, %{{.+}} : tensor<16x32xbf16>, !tile.shared<[32, 64]
!x = !tile.view<[16, 64], bf16>
!k = !tile.view<[512, 64], bf16>
tile.kernel @chain(%x: !x, %k: !k) grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %a = tile.load %x[%c0, %c0] : !x -> tensor<16x64xbf16>
  %o = scf.for %i = %c0 to %c512 step %c32 iter_args(%acc = %none) -> (tensor<16x64xf32>) {
    %b = tile.load %k[%i, %c0] : !k -> tensor<32x64xbf16>
    %s = tile.dot %a, %b transposed, %zero : tensor<16x64xbf16>, tensor<32x64xbf16>, tensor<16x32xf32>
    %e = math.exp2 %s : tensor<16x32xf32>
    %p = tile.convert %e : tensor<16x32xf32> -> tensor<16x32xbf16>
    %next = tile.dot %p, %b, %acc : tensor<16x32xbf16>, tensor<32x64xbf16>, tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  }
  tile.return
}

// Pages of whole panels come to bands of eight rows with all their panels, if the copy
// engine brings them: not those of half a panel, nor what it does not bring.
// CHECK-LABEL: tile.kernel @pages
// CHECK-DAG:     tile.alloc : !tile.shared<[64, 128], bf16, <phases = 8, rows = 1>, panel = 64, band = 8>
// CHECK-DAG:     tile.alloc : !tile.shared<[64, 128], bf16, <phases = 8, rows = 1>, panel = 64>
// CHECK:         tile.return
// CHECK-LABEL: tile.kernel @half_panels
// CHECK-NOT:     band
// CHECK-LABEL: tile.kernel @by_threads
// CHECK-NOT:     band
!cache = !tile.view<[512, 2, 128], bf16>
!narrow = !tile.view<[512, 2, 96], bf16>
!table = !tile.view<[1, 32], i32>
!rows = tensor<64x128xbf16>
tile.kernel @pages(%q: !tile.view<[64, 128], bf16>, %k: !cache, %t: !table) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %q[%c0, %c0] : !tile.view<[64, 128], bf16> -> !rows
  %b = tile.load %k[%c0, %c0, %c0] along [0, 2] through %t[%c0] pages "16" : !cache through !table -> !rows
  %s = tile.dot %a, %b transposed, %zero : !rows, !rows, tensor<64x64xf32>
  tile.return
}
tile.kernel @half_panels(%q: !tile.view<[64, 128], bf16>, %k: !narrow, %t: !table) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %q[%c0, %c0] : !tile.view<[64, 128], bf16> -> !rows
  %b = tile.load %k[%c0, %c0, %c0] along [0, 2] through %t[%c0] pages "16" : !narrow through !table -> !rows
  %s = tile.dot %a, %b transposed, %zero : !rows, !rows, tensor<64x64xf32>
  tile.return
}
tile.kernel @by_threads(%q: !tile.view<[64, 128], bf16>, %k: !cache, %t: !table) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %q[%c0, %c0] : !tile.view<[64, 128], bf16> -> !rows
  %b = tile.load %k[%c0, %c0, %c0] along [0, 2] through %t[%c0] pages "16" : !cache through !table -> !rows
  %s = tile.dot %a, %b transposed, %zero : !rows, !rows, tensor<64x64xf32>
  tile.return
}

// -----

// Where no warp can have whole rows, what was made of another product's sums goes through
// shared memory like any operand. What two products multiply is there once.
// CHECK-LABEL: tile.kernel @across(
// CHECK-DAG:     %[[ONE:.+]] = tile.alloc : !tile.shared<[16, 64]
// CHECK-DAG:     %[[KS:.+]] = tile.alloc : !tile.shared<[64, 64]
// CHECK:         %[[K:.+]] = tile.load %arg1
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    tile.write_shared %[[K]] to %[[KS]]
// CHECK-NEXT:    tile.barrier
// CHECK:         tile.dot %{{.+}}, %[[KS]] transposed, %{{.+}} : !tile.shared
// CHECK-NEXT:    %[[P:.+]] = tile.convert
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    tile.write_shared %[[P]] to %[[PS:.+]] :
// CHECK-NEXT:    tile.barrier
// CHECK-NEXT:    tile.dot %[[PS]], %[[KS]], %{{.+}} : !tile.shared
tile.kernel @across(%x: !tile.view<[16, 64], bf16>, %w: !tile.view<[64, 64], bf16>,
                    %y: !tile.view<[16, 64], f32>) grid ["1"]
    attributes {threads = 128 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<[16, 64], bf16> -> tensor<16x64xbf16>
  %b = tile.load %w[%c0, %c0] : !tile.view<[64, 64], bf16> -> tensor<64x64xbf16>
  %s = tile.dot %a, %b transposed, %none : tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
  %p = tile.convert %s : tensor<16x64xf32> -> tensor<16x64xbf16>
  %o = tile.dot %p, %b, %none : tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
  tile.store %o to %y[%c0, %c0] : tensor<16x64xf32>, !tile.view<[16, 64], f32>
  tile.return
}

// Logarithms of rows lie below the tile.
// CHECK-LABEL: tile.kernel @weighted(
// CHECK:         %[[BUFFER:.+]] = tile.alloc : !tile.shared<[24, 64], f32
// CHECK:         tile.cluster_reduce %{{.+}} weighted %{{.+}} along 0 through %[[BUFFER]]
tile.kernel @weighted(%s: f32, %l: f32) grid ["2"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  %t = tile.splat %s : f32 -> tensor<16x64xf32>
  %logs = tile.splat %l : f32 -> tensor<16xf32>
  %mean = tile.cluster_reduce %t weighted %logs along 0 : tensor<16x64xf32> by tensor<16xf32> -> tensor<8x64xf32>
  tile.return
}

// Of a narrow tile they take more rows.
// CHECK-LABEL: tile.kernel @narrow(
// CHECK:         tile.alloc : !tile.shared<[272, 16], f32
tile.kernel @narrow(%s: f32, %l: f32) grid ["2"]
    attributes {threads = 128 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  %t = tile.splat %s : f32 -> tensor<256x16xf32>
  %logs = tile.splat %l : f32 -> tensor<256xf32>
  %mean = tile.cluster_reduce %t weighted %logs along 0 : tensor<256x16xf32> by tensor<256xf32> -> tensor<128x16xf32>
  tile.return
}
