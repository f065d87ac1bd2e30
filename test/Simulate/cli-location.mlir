// A fault of a kernel in MLIR names its line there.
// RUN: not lathe simulate %s --arch sm_90a --launch %S/Inputs/location.yaml | FileCheck %s
// RUN: not lathe simulate %s --arch gfx942 --launch %S/Inputs/location.yaml | FileCheck %s
// RUN: not lathe simulate %s --launch %S/Inputs/location.yaml 2>&1 | FileCheck %s --check-prefix=ARCH
// CHECK: out-of-bounds
// CHECK: cli-location.mlir:[[#@LINE+9]]:
// ARCH: no kernel name says the architecture, expected --arch

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %t = gpu.thread_id x
      %n = arith.index_cast %t : index to i32
      %to = llvm.getelementptr %out[%n] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      llvm.store %n, %to : i32, !llvm.ptr<1>
      gpu.return
    }
  }
}
