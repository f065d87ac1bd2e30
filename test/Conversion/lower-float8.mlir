// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-float8{chip=sm_90a}))' --split-input-file | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-float8{chip=sm_80}))' --split-input-file | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-float8{chip=gfx942}))' --split-input-file | FileCheck %s --check-prefixes=CHECK,GFX942

gpu.module @kernels {
  // Three elements are two pairs, of which the last half is dropped.
  // CHECK-LABEL:  func.func @widen(
  // SM90-COUNT-2: llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"({{.+}}) : (i16) -> vector<2xf16>
  // SM90:         vector.extract_strided_slice {{.+}} {offsets = [0], sizes = [3], strides = [1]} : vector<4xf16> to vector<3xf16>
  // SM90:         arith.extf {{.+}} : vector<3xf16> to vector<3xf32>
  // SM80-NOT:     call_intrinsic
  // GFX942-NOT:   call_intrinsic
  // CHECK-NOT:    arith.extf {{.*}}f8E4M3FN>
  // CHECK:        return {{.+}} : vector<3xf32>
  func.func @widen(%x: vector<3xf8E4M3FN>) -> vector<3xf32> {
    %y = arith.extf %x : vector<3xf8E4M3FN> to vector<3xf32>
    return %y : vector<3xf32>
  }

  // E5M2 is the upper byte of an f16.
  // CHECK-LABEL:  func.func @shift(
  // SM90:         llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"
  // SM80:         arith.extui {{.+}} : vector<2xi8> to vector<2xi16>
  // SM80-NEXT:    arith.constant dense<8>
  // SM80-NEXT:    arith.shli
  // SM80-NEXT:    arith.bitcast {{.+}} : vector<2xi16> to vector<2xf16>
  // SM80-NOT:     arith.extf
  // CHECK:        return {{.+}} : vector<2xf16>
  func.func @shift(%x: vector<2xf8E5M2>) -> vector<2xf16> {
    %y = arith.extf %x : vector<2xf8E5M2> to vector<2xf16>
    return %y : vector<2xf16>
  }

  // PTX has the second operand in the lower byte; saturation is undone.
  // CHECK-LABEL:  func.func @narrow(
  // CHECK-SAME:     %[[X:.+]]: f32
  // SM90:         arith.cmpi uge, {{.+}} : vector<1xi32>
  // SM90-NEXT:    arith.constant dense<0x7FC00000> : vector<1xf32>
  // SM90-NEXT:    arith.select
  // SM90:         llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"({{.+}}) : (f32, f32) -> i16
  // CHECK:        return {{.+}} : f8E4M3FN
  func.func @narrow(%x: f32) -> f8E4M3FN {
    %y = arith.truncf %x : f32 to f8E4M3FN
    return %y : f8E4M3FN
  }

  // CHECK-LABEL:    func.func @fnuz(
  // GFX942-COUNT-2: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.fp8.f32"
  // GFX942-COUNT-2: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.f32.fp8"
  // SM90-NOT:       call_intrinsic
  // CHECK:          return {{.+}} : vector<2x2xbf16>
  func.func @fnuz(%x: vector<2x2xf32>) -> vector<2x2xbf16> {
    %y = arith.truncf %x : vector<2x2xf32> to vector<2x2xf8E4M3FNUZ>
    %z = arith.extf %y : vector<2x2xf8E4M3FNUZ> to vector<2x2xbf16>
    return %z : vector<2x2xbf16>
  }

  // Other conversions stay.
  // CHECK-LABEL: func.func @others(
  // CHECK-NEXT:  arith.extf {{.+}} : f16 to f32
  // CHECK-NEXT:  return
  func.func @others(%x: f16) -> f32 {
    %y = arith.extf %x : f16 to f32
    return %y : f32
  }
}
