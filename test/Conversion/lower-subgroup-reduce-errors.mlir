// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-subgroup-reduce{chip=gfx}))' --verify-diagnostics

// expected-error@+1 {{option 'chip' is 'gfx', expected gfx and a number}}
gpu.module @kernels {
}
