// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-grid-dim))' | FileCheck %s

gpu.module @kernels {
  // The number of blocks along y is the second word of the implicit arguments.
  // CHECK-LABEL: gpu.func @k(
  // CHECK:         %[[ARGS:.+]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
  // CHECK-NEXT:    %[[P:.+]] = llvm.getelementptr inbounds %[[ARGS]][1] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i32
  // CHECK-NEXT:    %[[W:.+]] = llvm.load %[[P]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
  // CHECK-NEXT:    arith.index_castui %[[W]] : i32 to index
  // CHECK-NOT:     gpu.grid_dim
  gpu.func @k(%p: memref<index>) kernel {
    %n = gpu.grid_dim y
    memref.store %n, %p[] : memref<index>
    gpu.return
  }
}
