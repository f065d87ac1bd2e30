// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(expand-math{chip=sm_90a}))' | FileCheck %s --check-prefixes=CHECK,NV
// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(expand-math{chip=gfx942}))' | FileCheck %s --check-prefixes=CHECK,AMD

gpu.module @kernels {
  // CHECK-LABEL: func.func @exp(
  // CHECK-SAME:    %[[X:.+]]: f32
  // CHECK:         %[[LOG2E:.+]] = arith.constant 1.44269{{.*}} : f32
  // CHECK:         %[[T:.+]] = arith.mulf %[[X]], %[[LOG2E]] : f32
  // NV-NEXT:       llvm.call_intrinsic "llvm.nvvm.ex2.approx"(%[[T]])
  // AMD-NEXT:      llvm.call_intrinsic "llvm.amdgcn.exp2"(%[[T]])
  func.func @exp(%x: f32) -> f32 {
    %e = math.exp %x : f32
    return %e : f32
  }

  // CHECK-LABEL: func.func @exp2(
  // CHECK-SAME:    %[[X:.+]]: f32
  // NV-NEXT:       llvm.call_intrinsic "llvm.nvvm.ex2.approx"(%[[X]])
  // AMD-NEXT:      llvm.call_intrinsic "llvm.amdgcn.exp2"(%[[X]])
  func.func @exp2(%x: f32) -> f32 {
    %e = math.exp2 %x : f32
    return %e : f32
  }

  // CHECK-LABEL: func.func @log2(
  // CHECK-SAME:    %[[X:.+]]: f32
  // NV-NEXT:       llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%[[X]])
  // AMD-NEXT:      llvm.call_intrinsic "llvm.amdgcn.log"(%[[X]])
  func.func @log2(%x: f32) -> f32 {
    %e = math.log2 %x : f32
    return %e : f32
  }

  // CHECK-LABEL: func.func @extremes(
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.maximum"
  // CHECK:         llvm.call_intrinsic "llvm.minimum"
  func.func @extremes(%x: vector<2xf32>, %y: f32, %z: f32) -> (vector<2xf32>, f32) {
    %a = arith.maximumf %x, %x : vector<2xf32>
    %b = arith.minimumf %y, %z : f32
    return %a, %b : vector<2xf32>, f32
  }

  // CHECK-LABEL: func.func @zeros(
  // CHECK-NEXT:    "llvm.intr.ctlz"(%{{.+}}) <{is_zero_poison = false}> : (i64) -> i64
  func.func @zeros(%x: i64) -> i64 {
    %n = math.ctlz %x : i64
    return %n : i64
  }

  // CHECK-LABEL: func.func @rsqrt(
  // NV-COUNT-4:    llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  // AMD-COUNT-4:   llvm.call_intrinsic "llvm.amdgcn.rsq"
  // CHECK:         vector.from_elements {{.*}} : vector<2x2xf32>
  func.func @rsqrt(%x: vector<2x2xf32>) -> vector<2x2xf32> {
    %r = math.rsqrt %x : vector<2x2xf32>
    return %r : vector<2x2xf32>
  }

  // Only division that allows it goes over a reciprocal.
  // CHECK-LABEL: func.func @divide(
  // CHECK-SAME:    %[[A:.+]]: f32, %[[B:.+]]: f32
  // NV:            %[[R:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[B]])
  // AMD:           %[[R:.+]] = llvm.call_intrinsic "llvm.amdgcn.rcp"(%[[B]])
  // CHECK-NEXT:    %[[Q:.+]] = arith.mulf %[[A]], %[[R]] : f32
  // CHECK-NEXT:    arith.divf %[[Q]], %[[B]] : f32
  func.func @divide(%a: f32, %b: f32) -> f32 {
    %q = arith.divf %a, %b fastmath<arcp> : f32
    %exact = arith.divf %q, %b : f32
    return %exact : f32
  }

  // Both backends have instructions for these, NVIDIA's as intrinsics only.
  // CHECK-LABEL: func.func @selected(
  // NV-NEXT:     llvm.call_intrinsic "llvm.fabs"
  // NV-NEXT:     llvm.call_intrinsic "llvm.sqrt"
  // NV-NEXT:     llvm.call_intrinsic "llvm.fma"({{.+}}, {{.+}}, {{.+}})
  // AMD-NEXT:    math.absf
  // AMD-NEXT:    math.sqrt
  // AMD-NEXT:    math.fma
  func.func @selected(%x: f32) -> f32 {
    %a = math.absf %x : f32
    %s = math.sqrt %a : f32
    %f = math.fma %a, %s, %x : f32
    return %f : f32
  }

  // Two forms, chosen without a branch.
  // CHECK-LABEL: func.func @tanh(
  // CHECK-SAME:    %[[X:.+]]: f32
  // CHECK:         arith.mulf %[[X]], %[[X]] : f32
  // CHECK-COUNT-4: arith.addf {{.+}} fastmath<contract> : f32
  // NV:            llvm.call_intrinsic "llvm.nvvm.ex2.approx"
  // NV:            llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // AMD:           llvm.call_intrinsic "llvm.amdgcn.exp2"
  // AMD:           llvm.call_intrinsic "llvm.amdgcn.rcp"
  // CHECK:         arith.constant 6.250000e-01 : f32
  // CHECK-NEXT:    %[[SMALL:.+]] = arith.cmpf olt, {{.+}} : f32
  // CHECK-NEXT:    arith.select %[[SMALL]]
  // CHECK-NEXT:    return
  func.func @tanh(%x: f32) -> f32 {
    %t = math.tanh %x : f32
    return %t : f32
  }

  // CHECK-LABEL: func.func @erf(
  // NV-COUNT-2:    llvm.call_intrinsic "llvm.nvvm.ex2.approx"
  // CHECK:         return {{.+}} : vector<2xf32>
  func.func @erf(%x: vector<2xf32>) -> vector<2xf32> {
    %e = math.erf %x : vector<2xf32>
    %c = math.erfc %e : vector<2xf32>
    return %c : vector<2xf32>
  }
}
