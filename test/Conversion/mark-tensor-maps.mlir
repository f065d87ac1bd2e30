// RUN: lathe-opt %s --pass-pipeline="builtin.module(gpu.module(mark-tensor-maps))" --split-input-file --verify-diagnostics | FileCheck %s

#x = #tile.tensor_map<operand = 0, bf16, extents = [K, M], strides = [XS * 2], box = [64, 128], swizzle = 128>

gpu.module @marked {
  // CHECK: llvm.func @kernel(%{{[^ ]+}}: !llvm.ptr<1>, %{{[^ ]+}}: i64,
  // CHECK-SAME: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
  llvm.func @kernel(%x: !llvm.ptr<1>, %m: i64, %map: !llvm.ptr)
      attributes {nvvm.kernel, tile.tensor_maps = [#x]} {
    llvm.return
  }
  // CHECK: llvm.func @plain(%{{[^ ]+}}: !llvm.ptr) attributes {nvvm.kernel}
  llvm.func @plain(%x: !llvm.ptr) attributes {nvvm.kernel} {
    llvm.return
  }
}

// -----

#x = #tile.tensor_map<operand = 0, bf16, extents = [K, M], strides = [XS * 2], box = [64, 128], swizzle = 128>

gpu.module @short {
  // expected-error @+1 {{has 2 tensor maps, expected at most the 1 parameters}}
  llvm.func @kernel(%map: !llvm.ptr) attributes {nvvm.kernel, tile.tensor_maps = [#x, #x]} {
    llvm.return
  }
}

// -----

#x = #tile.tensor_map<operand = 0, bf16, extents = [K, M], strides = [XS * 2], box = [64, 128], swizzle = 128>

gpu.module @wrong {
  // expected-error @+1 {{parameter 0 is '!llvm.ptr<1>', expected a generic pointer to a tensor map}}
  llvm.func @kernel(%map: !llvm.ptr<1>) attributes {nvvm.kernel, tile.tensor_maps = [#x]} {
    llvm.return
  }
}
