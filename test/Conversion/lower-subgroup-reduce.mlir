// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-subgroup-reduce{chip=sm_90a}))' | FileCheck %s --check-prefixes=CHECK,NV
// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-subgroup-reduce{chip=gfx942}))' | FileCheck %s --check-prefixes=CHECK,AMD

gpu.module @kernels {
  // NVIDIA: butterfly shuffles over 32 lanes, while AMD has DPP moves, without LDS traffic.
  // CHECK-LABEL: gpu.func @sum(
  // CHECK-SAME:    %[[X:.+]]: f32
  // NV:            gpu.shuffle xor %[[X]]
  // NV-COUNT-3:    gpu.shuffle xor
  // NV-NOT:        gpu.shuffle
  // AMD:           amdgpu.dpp %[[X]]
  // AMD-COUNT-3:   amdgpu.dpp
  // AMD-NOT:       gpu.shuffle
  // CHECK:         gpu.return
  gpu.func @sum(%x: f32, %p: memref<f32>) kernel {
    %s = gpu.subgroup_reduce add %x cluster(size = 16) : (f32) -> f32
    memref.store %s, %p[] : memref<f32>
    gpu.return
  }

  // A strided cluster has no DPP form.
  // CHECK-LABEL: gpu.func @strided(
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK:         arith.maximumf
  // CHECK-NOT:     amdgpu.dpp
  // CHECK:         gpu.return
  gpu.func @strided(%x: f32, %p: memref<f32>) kernel {
    %s = gpu.subgroup_reduce maximumf %x cluster(size = 4, stride = 8) : (f32) -> f32
    memref.store %s, %p[] : memref<f32>
    gpu.return
  }
}
