// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(expand-math{chip=sm_80}))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  func.func @tan(%x: f32) -> f32 {
    // expected-error@+1 {{no expansion of 'math.tan' for sm_80}}
    %t = math.tan %x : f32
    return %t : f32
  }
}

// -----

gpu.module @kernels {
  func.func @exp(%x: f64) -> f64 {
    // expected-error@+1 {{'math.exp' of 'f64', expected f32}}
    %t = math.exp %x : f64
    return %t : f64
  }
}
