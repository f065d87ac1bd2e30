// RUN: lathe-opt %s --tile-specialize-reference=dtypes=DT:bf16 | FileCheck %s
// RUN: lathe-opt %s --tile-specialize-reference=dtypes=DT:f32 | FileCheck %s --check-prefix=F32
// RUN: lathe-opt %s --tile-specialize-reference=dtypes=DT:f64 | FileCheck %s --check-prefix=F64
// RUN: lathe-opt %s --tile-specialize-reference=dtypes=DT:f8E4M3FNUZ | FileCheck %s --check-prefix=FP8
// RUN: lathe-opt %s --tile-specialize-reference=dtypes=DT:bf16 | %run_on_host | FileCheck %s --check-prefix=HOST

// FP8 is converted by the host's library, declared once.
// FP8-COUNT-1: func.func private @lathe_f8E4M3FNUZ_encode(f64) -> i32
// FP8-COUNT-1: func.func private @lathe_f8E4M3FNUZ_decode(i32) -> f32
// FP8-NOT:     func.func private

// Dtype variables become element types; converts become arith operations.
// CHECK-LABEL: func.func @widen(
// CHECK-SAME:    %[[X:.+]]: memref<?xbf16, strided<[?]>>, %[[I:.+]]: index) -> f64
// CHECK-NEXT:    %[[V:.+]] = memref.load %[[X]][%[[I]]] : memref<?xbf16, strided<[?]>>
// CHECK-NEXT:    %[[F:.+]] = arith.extf %[[V]] : bf16 to f32
// CHECK-NEXT:    %[[D:.+]] = arith.extf %[[F]] : f32 to f64
// CHECK-NEXT:    return %[[D]]
// F32-LABEL:   func.func @widen(
// F32:           arith.extf %{{.+}} : f32 to f64
// F64-LABEL:   func.func @widen(
// F64-NEXT:      %[[V:.+]] = memref.load
// F64-NEXT:      return %[[V]]
// FP8-LABEL:   func.func @widen(
// FP8:           %[[V:.+]] = memref.load %{{.+}} : memref<?xf8E4M3FNUZ, strided<[?]>>
// FP8-NEXT:      %[[BYTE:.+]] = arith.bitcast %[[V]] : f8E4M3FNUZ to i8
// FP8-NEXT:      %[[BITS:.+]] = arith.extui %[[BYTE]] : i8 to i32
// FP8-NEXT:      %[[F:.+]] = call @lathe_f8E4M3FNUZ_decode(%[[BITS]]) : (i32) -> f32
// FP8-NEXT:      arith.extf %[[F]] : f32 to f64
func.func @widen(%x: memref<?x!tile.dtype<DT>, strided<[?]>>, %i: index) -> f64 {
  %v = memref.load %x[%i] : memref<?x!tile.dtype<DT>, strided<[?]>>
  %d = tile.convert %v : !tile.dtype<DT> -> f64
  return %d : f64
}

// From f64 to 16 bits over an f32 rounded to odd.
// CHECK-LABEL: func.func @narrow(
// CHECK:         %[[NEAREST:.+]] = arith.truncf %{{.+}} : f64 to f32
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[NEAREST]] : f32 to i32
// CHECK:         %[[ODD:.+]] = arith.select %{{.+}}, %{{.+}}, %[[BITS]] : i32
// CHECK:         %[[F:.+]] = arith.bitcast %[[ODD]] : i32 to f32
// CHECK:         arith.truncf %[[F]] : f32 to bf16
// F32-LABEL:   func.func @narrow(
// F32-NEXT:      arith.truncf %{{.+}} : f64 to f32
// F32-NEXT:      return
// FP8-LABEL:   func.func @narrow(
// FP8-NEXT:      %[[BITS:.+]] = call @lathe_f8E4M3FNUZ_encode(%{{.+}}) : (f64) -> i32
// FP8-NEXT:      %[[BYTE:.+]] = arith.trunci %[[BITS]] : i32 to i8
// FP8-NEXT:      arith.bitcast %[[BYTE]] : i8 to f8E4M3FNUZ
func.func @narrow(%d: f64) -> !tile.dtype<DT> {
  %v = tile.convert %d : f64 -> !tile.dtype<DT>
  return %v : !tile.dtype<DT>
}

func.func @print(%d: f64) {
  %v = call @narrow(%d) : (f64) -> !tile.dtype<DT>
  %f = tile.convert %v : !tile.dtype<DT> -> f32
  vector.print %f : f32
  return
}

// 1 + 2^-8 is a tie between bf16 values: down to 1, but up with 2^-40 more, and a
// negative one alike. Just below the tie, f32 alone would round up to it.
func.func @main() {
  // HOST:      {{^}}1{{$}}
  %tie = arith.constant 1.00390625 : f64
  call @print(%tie) : (f64) -> ()
  // HOST-NEXT: {{^}}1.00781{{$}}
  %more = arith.constant 1.00390625000090949470177292823791503906 : f64
  call @print(%more) : (f64) -> ()
  // HOST-NEXT: {{^}}-1.00781{{$}}
  %negative = arith.constant -1.00390625000090949470177292823791503906 : f64
  call @print(%negative) : (f64) -> ()
  // 1 + 3 * 2^-8 - 2^-40, between 1 + 2^-7 and 1 + 2^-6: up would be 1.01562
  // HOST-NEXT: {{^}}1.00781{{$}}
  %less = arith.constant 1.01171874999909050529822707176208496094 : f64
  call @print(%less) : (f64) -> ()
  // HOST-NEXT: {{^}}inf{{$}}
  %large = arith.constant 1.0e300 : f64
  call @print(%large) : (f64) -> ()
  // HOST-NEXT: {{^}}-0{{$}}
  %tiny = arith.constant -1.0e-300 : f64
  call @print(%tiny) : (f64) -> ()
  // HOST-NEXT: {{^}}{{-?}}nan{{$}}
  %nan = arith.constant 0x7FF8000000000000 : f64
  call @print(%nan) : (f64) -> ()
  return
}
