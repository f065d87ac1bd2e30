// RUN: lathe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-nontemporal))' | FileCheck %s

gpu.module @kernels {
  // A streaming store of 1, 2 or 4 aligned words becomes PTX.
  // CHECK-LABEL: llvm.func @stores(
  // CHECK-SAME:    %[[P:[^:]+]]: !llvm.ptr<1>, %[[V:[^:]+]]: vector<8xbf16>
  // CHECK:         %[[WORDS:.+]] = llvm.bitcast %[[V]] : vector<8xbf16> to vector<4xi32>
  // CHECK-COUNT-4: llvm.extractelement %[[WORDS]]
  // CHECK:         llvm.inline_asm has_side_effects "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}" %[[P]],
  // CHECK:         llvm.inline_asm has_side_effects "st.global.cs.b32 [$0], $1;", "l,r,~{memory}" %[[P]],
  llvm.func @stores(%p: !llvm.ptr<1>, %v: vector<8xbf16>, %f: f32) {
    llvm.store %v, %p {alignment = 16 : i64, nontemporal} : vector<8xbf16>, !llvm.ptr<1>
    llvm.store %f, %p {alignment = 4 : i64, nontemporal} : f32, !llvm.ptr<1>
    llvm.return
  }

  // Others stay: plain, narrow, badly aligned, or not global.
  // CHECK-LABEL: llvm.func @kept(
  // CHECK-COUNT-4: llvm.store
  // CHECK-NOT:     llvm.inline_asm
  // CHECK:         llvm.return
  llvm.func @kept(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %v: vector<8xbf16>, %h: f16) {
    llvm.store %v, %p {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
    llvm.store %h, %p {alignment = 2 : i64, nontemporal} : f16, !llvm.ptr<1>
    llvm.store %v, %p {alignment = 8 : i64, nontemporal} : vector<8xbf16>, !llvm.ptr<1>
    llvm.store %v, %s {alignment = 16 : i64, nontemporal} : vector<8xbf16>, !llvm.ptr<3>
    llvm.return
  }

  // Loads lose the mark.
  // CHECK-LABEL: llvm.func @loads(
  // CHECK:         llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
  llvm.func @loads(%p: !llvm.ptr<1>) -> vector<8xbf16> {
    %v = llvm.load %p {alignment = 16 : i64, nontemporal} : !llvm.ptr<1> -> vector<8xbf16>
    llvm.return %v : vector<8xbf16>
  }
}
