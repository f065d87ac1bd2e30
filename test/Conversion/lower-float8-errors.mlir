// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-float8{chip=sm_90a}))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  func.func @other(%x: f8E3M4) -> f32 {
    // expected-error@+1 {{no conversion of 'f8E3M4'}}
    %y = arith.extf %x : f8E3M4 to f32
    return %y : f32
  }
}

// -----

gpu.module @kernels {
  func.func @twice(%x: f64) -> f8E5M2 {
    // expected-error@+1 {{rounds 'f64' to 'f8E5M2', expected f32}}
    %y = arith.truncf %x : f64 to f8E5M2
    return %y : f8E5M2
  }
}

// -----

gpu.module @kernels {
  func.func @down(%x: f32) -> f8E5M2 {
    // expected-error@+1 {{rounds toward_zero, expected to nearest even}}
    %y = arith.truncf %x toward_zero : f32 to f8E5M2
    return %y : f8E5M2
  }
}

// -----

gpu.module @kernels {
  func.func @far(%x: f8E5M2) -> f128 {
    // expected-error@+1 {{widens 'f8E5M2' to 'f128', expected f16, bf16, f32 or f64}}
    %y = arith.extf %x : f8E5M2 to f128
    return %y : f128
  }
}

// -----

gpu.module @kernels {
  func.func @scalable(%x: vector<[4]xf8E5M2>) -> vector<[4]xf32> {
    // expected-error@+1 {{converts 'vector<[4]xf8E5M2>', expected a constant number of elements}}
    %y = arith.extf %x : vector<[4]xf8E5M2> to vector<[4]xf32>
    return %y : vector<[4]xf32>
  }
}
