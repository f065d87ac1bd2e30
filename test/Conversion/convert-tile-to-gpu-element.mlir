// RUN: lathe-opt %s --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// All threads load the same element, which is zero outside the view; where the
// place is known to be inside, nothing is asked.
// CHECK-LABEL: gpu.func @element
// CHECK-SAME:    (%[[T:.+]]: !llvm.ptr<1> {{{.*}}llvm.readonly}, %[[U:.+]]: !llvm.ptr<1> {{{.*}}}, %{{.+}}: !llvm.ptr<1> {{{.*}}}, %[[S:.+]]: index)
// CHECK:         %[[ID:.+]] = gpu.block_id
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[ID]], %[[S]]
// CHECK:         %[[AT:.+]] = llvm.getelementptr inbounds %[[T]]
// CHECK:         %[[ASKED:.+]] = arith.extui %[[INSIDE]] : i1 to i32
// CHECK:         llvm.inline_asm asm_dialect = att "{ .reg .pred p; setp.ne.b32 p, $2, 0; mov.b32 $0, 0; @p ld.global.b32 $0, [$1]; }", "=&r,l,r" %[[AT]], %[[ASKED]]
// CHECK-NOT:     scf.if
// CHECK-NOT:     inline_asm
// CHECK:         llvm.load %[[U]]
!line = tensor<32xi32, #tile.blocked<vector = [1], threads = [32]>>
tile.kernel @element(%t: !tile.view<[S, 4], i32>, %u: !tile.view<[32], i32>,
                     %y: !tile.view<[32], i32>, %S: index)
    grid ["4"] attributes {dims = ["S"], threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %i = tile.program_id 0
  %a = tile.load_element %t[%i, %c3] : !tile.view<[S, 4], i32> -> i32
  %b = tile.load_element %u[%c0] : !tile.view<[32], i32> -> i32
  %c = arith.addi %a, %b : i32
  %d = tile.splat %c : i32 -> !line
  tile.store %d to %y[%c0] : !line, !tile.view<[32], i32>
  tile.return
}
