// RUN: lathe-opt %s --tile-specialize-reference=dtypes=DT:f16 --split-input-file --verify-diagnostics
// RUN: not lathe-opt %s --tile-specialize-reference=dtypes=DT 2>&1 | FileCheck %s

// CHECK: option 'dtypes' has 'DT', expected variable:type

// expected-error@+1 {{dtype variable 'OT' is not bound}}
module {
  func.func private @unbound(memref<?x!tile.dtype<OT>>)
}

// -----

func.func @other() {
  %f = arith.constant 1.0 : f32
  // expected-error@+1 {{'tile.splat' in a reference, expected tile.convert of an 8, 16, 32 or 64 bit float}}
  %t = tile.splat %f : f32 -> tensor<4xf32>
  return
}

// -----

func.func @tile(%t: tensor<4xf32>) -> tensor<4x!tile.dtype<DT>> {
  // expected-error@+1 {{'tile.convert' in a reference}}
  %c = tile.convert %t : tensor<4xf32> -> tensor<4x!tile.dtype<DT>>
  return %c : tensor<4x!tile.dtype<DT>>
}

// -----

func.func @narrow(%f: f32) -> f8E8M0FNU {
  // expected-error@+1 {{'tile.convert' in a reference}}
  %c = tile.convert %f : f32 -> f8E8M0FNU
  return %c : f8E8M0FNU
}
