// RUN: lathe-opt %s --tile-plan-shared --convert-tile-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Rows of one head: the head moves the start and is asked for once, rows end with the
// sequence or the view. No branch keeps loads apart.
// CHECK-LABEL: gpu.func @along(
// CHECK-SAME:    %[[X:[^:]+]]: !llvm.ptr<1> {{.+}}, %[[T:[^:]+]]: index, %[[H:[^:]+]]: index, %[[END:[^:]+]]: i32)
// CHECK:         %[[HEAD:.+]] = arith.addi %{{.+}}, %c1
// CHECK:         %[[LIMIT:.+]] = arith.index_cast %[[END]]
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[HEAD]], %[[H]]
// CHECK:         %[[START:.+]] = arith.muli %[[HEAD]], %c64
// CHECK:         %[[OWN:.+]] = llvm.getelementptr inbounds %[[X]]
// CHECK:         %[[ROWS:.+]] = arith.minsi %[[T]], %[[LIMIT]]
// CHECK:         %[[BELOW:.+]] = arith.cmpi ult, %{{.+}}, %[[ROWS]]
// CHECK:         %[[BOTH:.+]] = arith.andi %[[INSIDE]], %[[BELOW]]
// CHECK:         %[[AT:.+]] = llvm.getelementptr inbounds %[[OWN]]
// CHECK:         %[[ASKED:.+]] = arith.extui %[[BOTH]]
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "{{.+}} @p ld.global.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4]; }", "=&r,=&r,=&r,=&r,l,r,~{memory}" %[[AT]], %[[ASKED]]
// CHECK:         scf.if %[[BOTH]] {
// CHECK:           llvm.store
!view = !tile.view<[T, H, 64], bf16>
!rows = tensor<4x64xbf16, #tile.blocked<vector = [1, 8], threads = [4, 8]>>
tile.kernel @along(%x: !view, %y: !view, %end: i32, %T: index, %H: index) grid ["H"]
    attributes {dims = ["T", "H"], alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %head = tile.program_id 0
  %next = arith.addi %head, %c1 : index
  %until = arith.index_cast %end : i32 to index
  %a = tile.load %x[%c1, %next, %c0] along [0, 2] until %until : !view -> !rows
  tile.store %a to %y[%c1, %next, %c0] along [0, 2] until %until : !rows, !view
  tile.return
}

// -----

// Vectors of tokens in a page, where the sequence ends amidst one: what is behind is zero.
// CHECK-LABEL: gpu.func @tokens(
// CHECK:         %[[LEFT:.+]] = arith.subi %{{.+}}, %{{.+}} : index
// CHECK:         %[[FEW:.+]] = arith.minsi %[[LEFT]], %c8 : index
// CHECK:         %[[WORD:.+]] = arith.index_cast %[[FEW]] : index to i32
// CHECK:         %[[REST:.+]] = arith.subi %[[WORD]], %c6_i32
// CHECK-NEXT:    %[[SOME:.+]] = arith.maxsi %[[REST]], %c0_i32
// CHECK-NEXT:    %[[KEPT:.+]] = arith.minsi %[[SOME]], %c2_i32
// CHECK-NEXT:    %[[BITS:.+]] = arith.muli %[[KEPT]], %c16_i32
// CHECK-NEXT:    %[[WIDE:.+]] = arith.extui %[[BITS]]
// CHECK-NEXT:    %[[BEHIND:.+]] = arith.shli %c1_i64, %[[WIDE]]
// CHECK-NEXT:    %[[ONES:.+]] = arith.subi %[[BEHIND]], %c1_i64
// CHECK-NEXT:    %[[LAST:.+]] = arith.trunci %[[ONES]]
// CHECK-NEXT:    %[[MASK:.+]] = vector.from_elements %{{.+}}, %{{.+}}, %{{.+}}, %[[LAST]] : vector<4xi32>
// CHECK:         arith.andi %{{.+}}, %[[MASK]] : vector<4xi32>
!values = !tile.view<[NB * 16, D], bf16, [D * 16, 16], split [16, 1], [1, 0]>
!table = !tile.view<[2, 4], i32>
!rows = tensor<8x32xbf16, #tile.blocked<vector = [1, 8], threads = [8, 4]>>
tile.kernel @tokens(%x: !values, %t: !table, %y: !tile.view<[D, 32], bf16>, %end: i32, %NB: index, %D: index) grid ["2"]
    attributes {dims = ["NB", "D"], alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.program_id 0
  %until = arith.index_cast %end : i32 to index
  %a = tile.load %x[%c0, %c0] along [1, 0] until %until through %t[%s] pages "16" : !values through !table -> !rows
  tile.store %a to %y[%c0, %c0] : !rows, !tile.view<[D, 32], bf16>
  tile.return
}

// -----

// Each row's page comes from the table, or is the first where that has none.
// CHECK-LABEL: gpu.func @paged(
// CHECK-SAME:    %[[X:[^:]+]]: !llvm.ptr<1> {{.+}}, %[[TABLE:[^:]+]]: !llvm.ptr<1>
// CHECK:         %[[ROW:.+]] = arith.addi %{{.+}}, %c32
// CHECK:         %[[NUMBER:.+]] = arith.divui %[[ROW]], %c16
// CHECK:         %[[IN:.+]] = arith.remui %[[ROW]], %c16
// CHECK:         %[[HAS:.+]] = arith.cmpi ult, %[[NUMBER]], %c4
// CHECK:         %[[ASKED:.+]] = arith.extui %[[HAS]]
// CHECK:         %[[ENTRY:.+]] = llvm.inline_asm has_side_effects asm_dialect = att "{{.+}} @p ld.global.b32 $0, [$1]; }", {{.+}}, %[[ASKED]]
// CHECK:         %[[PAGE:.+]] = arith.index_cast %[[ENTRY]]
// CHECK:         %[[FIRST:.+]] = arith.muli %[[PAGE]], %c16
// CHECK:         arith.addi %[[FIRST]], %[[IN]]
// CHECK:         llvm.inline_asm has_side_effects {{.+}}v4.b32
!view = !tile.view<[1024, 64], bf16>
!table = !tile.view<[2, 4], i32>
!rows = tensor<4x64xbf16, #tile.blocked<vector = [1, 8], threads = [4, 8]>>
tile.kernel @paged(%x: !view, %t: !table, %y: !view) grid ["2"]
    attributes {alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.program_id 0
  %a = tile.load %x[%c32, %c0] through %t[%s] pages "16" : !view through !table -> !rows
  tile.store %a to %y[%c32, %c0] : !rows, !view
  tile.return
}

// -----

// The copy engine takes a page at a time: places first, then copies of 16 rows of both
// panels, from the head's columns alone.
// CHECK-LABEL: gpu.func @copy_pages(
// CHECK-SAME:    tile.tensor_maps = [#tile.tensor_map<operand = 0, bf16, extents = [128, H, 1024], strides = [256, H * 128 * 2], box = [64, 1, 16], swizzle = 128>]
// CHECK-COUNT-2: llvm.inline_asm {{.+}}ld.global.b32
// CHECK-NOT:     inline_asm
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.3d"
// CHECK-NOT:     g2s
!view = !tile.view<[1024, H, 128], bf16>
!table = !tile.view<[2, 4], i32>
!buffer = !tile.shared<[32, 128], bf16, <phases = 8, rows = 1>, panel = 64>
tile.kernel @copy_pages(%x: !view, %t: !table, %H: index) grid ["2"]
    attributes {dims = ["H"], threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0 : i32
  %s = tile.program_id 0
  %at = arith.muli %s, %c32 : index
  %b = tile.alloc : !buffer
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    tile.copy_async %x[%at, %c0, %c0] along [0, 2] through %t[%s] pages "16" to %b signals %full[%z] : !view through !table, !buffer, !tile.mbarriers<1>
  }, {
    %g = tile.warpgroup_id
    tile.clear_rows %b from %g : !buffer
  }
  tile.return
}

// -----

!view = !tile.view<[1024, 128], bf16>
!table = !tile.view<[2, 4], i32>
!buffer = !tile.shared<[32, 128], bf16, <phases = 8, rows = 1>, panel = 64>
tile.kernel @narrow_pages(%x: !view, %t: !table) grid ["2"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.alloc : !buffer
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    // expected-error@+1 {{TMA cannot write 4 rows in boxes of 4, expected pages of whole groups of 8}}
    tile.copy_async %x[%c0, %c0] through %t[%c0] pages "4" to %b signals %full[%z] : !view through !table, !buffer, !tile.mbarriers<1>
  }, {
  }
  tile.return
}

// -----

!view = !tile.view<[1024, 64], bf16, [1024, 128], split [16, 8], [8, 1]>
!buffer = !tile.shared<[32, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @runs(%x: !view) grid ["2"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.alloc : !buffer
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    // expected-error@+1 {{TMA cannot move a tile that runs along [0, 1] of '!tile.view<[1024, 64], bf16, [1024, 128], split [16, 8], [8, 1]>', expected rising dimensions of a view without splits}}
    tile.copy_async %x[%c0, %c0] to %b signals %full[%z] : !view, !buffer, !tile.mbarriers<1>
  }, {
  }
  tile.return
}

// -----

!view = !tile.view<[1024, 128], bf16>
!table = !tile.view<[2, 4], i32>
!buffer = !tile.shared<[32, 128], bf16, <phases = 8, rows = 1>, panel = 64>
tile.kernel @amidst(%x: !view, %t: !table) grid ["2"]
    attributes {threads = 256 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %at = tile.program_id 0
  %b = tile.alloc : !buffer
  %full = tile.init_mbarriers arrivals 1 : !tile.mbarriers<1>
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    // expected-error@+1 {{rows of pages do not begin at multiples of 16}}
    tile.copy_async %x[%at, %c0] through %t[%c0] pages "16" to %b signals %full[%z] : !view through !table, !buffer, !tile.mbarriers<1>
  }, {
  }
  tile.return
}

// -----

// A thread's own places along a dimension; 16 bytes of zeros from the first row on.
// CHECK-LABEL: gpu.func @iota(
// CHECK:         %[[BASE:.+]] = arith.index_cast
// CHECK:         %[[ALL:.+]] = vector.broadcast %[[BASE]] : i32 to vector<1x2xi32>
// CHECK:         arith.addi %[[ALL]], %{{.+}} : vector<1x2xi32>
!tile = tensor<4x16xi32, #tile.blocked<vector = [1, 2], threads = [4, 8]>>
tile.kernel @iota(%y: !tile.view<[4, 16], i32>) grid ["1"]
    attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %i = tile.iota along 1 : !tile
  tile.store %i to %y[%c0, %c0] : !tile, !tile.view<[4, 16], i32>
  tile.return
}
