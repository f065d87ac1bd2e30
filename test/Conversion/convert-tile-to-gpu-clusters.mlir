// RUN: lathe-opt %s --convert-tile-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

// Block r brings rows 64 r to 64 r + 63 of both panels to both blocks, in boxes of so
// many rows; a copy without multicast has a map of its own. A thread for each block
// of the cluster arrives there. Clusters count blocks by two, and threads meet in them
// one by one.
// CHECK-LABEL: gpu.func @multicast
// CHECK-SAME:    %[[PART:[^ ]+]]: !llvm.ptr, %[[WHOLE:[^ ]+]]: !llvm.ptr) kernel
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME:    tile.tensor_maps = [#tile.tensor_map<operand = 0, bf16, extents = [128, M], strides = [256], box = [64, 64], swizzle = 128>,
// CHECK-SAME:    #tile.tensor_map<operand = 0, bf16, extents = [128, M], strides = [256], box = [64, 128], swizzle = 128>]
// CHECK-DAG:     %[[C2:.+]] = arith.constant 2 : index
// CHECK:         %[[SHARED:.+]] = llvm.mlir.addressof
// CHECK:         %[[FULL:.+]] = llvm.getelementptr inbounds %[[SHARED]][65536]
// CHECK:         %[[EMPTY:.+]] = llvm.getelementptr inbounds %[[SHARED]][65552]
// CHECK:         llvm.call_intrinsic "llvm.nvvm.barrier.cluster.arrive"()
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.barrier.cluster.wait"()
// CHECK-NEXT:    %[[BLOCK:.+]] = gpu.block_id x
// CHECK-NEXT:    %[[ID:.+]] = arith.divui %[[BLOCK]], %[[C2]]
// CHECK:         %[[RANK:.+]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.cluster.ctarank"()
// CHECK-NEXT:    %[[WIDE:.+]] = arith.index_castui %[[RANK]]
// CHECK-NEXT:    %[[R:.+]] = arith.index_cast %[[WIDE]]
// CHECK-NEXT:    %[[ROWS:.+]] = arith.muli %[[R]], %c64_i32
// CHECK-NEXT:    %[[BYTES:.+]] = arith.muli %[[R]], %c8192_i32
// CHECK-NEXT:    %[[TO:.+]] = llvm.getelementptr inbounds %[[SHARED]][%[[BYTES]]]
// CHECK-NEXT:    %[[FIRST:.+]] = arith.index_cast %[[ID]]
// CHECK-NEXT:    %[[ROW:.+]] = arith.addi %[[FIRST]], %[[ROWS]]
// CHECK-NEXT:    %[[THERE:.+]] = llvm.addrspacecast %[[TO]] : !llvm.ptr<3> to !llvm.ptr<7>
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d"(%[[THERE]], %[[FULL]], %[[PART]], %c0_i32, %[[ROW]], %c3_i16, %c0_i64, %true, %false, %c0_i32)
// CHECK-NEXT:    %[[PANEL:.+]] = llvm.getelementptr inbounds %[[TO]][16384]
// CHECK-NEXT:    %[[BESIDE:.+]] = llvm.addrspacecast %[[PANEL]]
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d"(%[[BESIDE]], %[[FULL]], %[[PART]], %c64_i32, %[[ROW]], %c3_i16, %c0_i64, %true, %false, %c0_i32)
// CHECK-COUNT-2: "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d"({{.+}}, %[[FULL]], %[[WHOLE]], %{{.+}}, %[[FIRST]], %c0_i16, %c0_i64, %false, %false, %c0_i32)
// CHECK:         %[[THREAD:.+]] = arith.remui %{{.+}}, %c128_i32
// CHECK-NEXT:    %[[LEADS:.+]] = arith.cmpi ult, %[[THREAD]], %c2_i32
// CHECK-NEXT:    %[[BOTH:.+]] = arith.andi %[[LEADS]], %{{.+}} : i1
// CHECK-NEXT:    %[[ARRIVES:.+]] = arith.extui %[[BOTH]]
// CHECK-NEXT:    %[[AT:.+]] = llvm.ptrtoint %[[EMPTY]]
// CHECK-NEXT:    llvm.inline_asm {{.+}} "{\0A.reg .pred leads;\0A.reg .b32 there;\0Asetp.ne.b32 leads, $1, 0;\0A@leads mapa.shared::cluster.u32 there, $0, $2;\0A@leads mbarrier.arrive.shared::cluster.b64 _, [there];\0A}", "r,r,r,~{memory}" %[[AT]], %[[ARRIVES]], %[[THREAD]]
// CHECK-NEXT:    %[[ONE:.+]] = arith.cmpi ult, %[[THREAD]], %c1_i32
// CHECK-NEXT:    %[[ALONE:.+]] = arith.extui %[[ONE]]
// CHECK-NEXT:    llvm.inline_asm {{.+}} "{\0A.reg .pred leads;\0Asetp.ne.b32 leads, $1, 0;\0A@leads mbarrier.arrive.shared::cta.b64 _, [$0];\0A}", "r,r,~{memory}" %[[AT]], %[[ALONE]]
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.barrier.cluster.arrive"()
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.barrier.cluster.wait"()
// CHECK-NEXT:    gpu.return
!view = !tile.view<[M, 128], bf16>
!buffer = !tile.shared<[128, 128], bf16, <phases = 8, rows = 1>, panel = 64>
!ring = !tile.ring<2, <[128, 128], bf16, <phases = 8, rows = 1>, panel = 64>>
tile.kernel @multicast(%x: !view, %M: index) grid ["(M ceildiv 128) * 2"]
    attributes {dims = ["M"], threads = 256 : i64, wave = 32 : i64, shared_bytes = 65568 : i64,
                alignment = 16 : i64, schedule = {CLUSTER = 2 : i64}} {
  %ring = tile.alloc at 0 : !ring
  %full = tile.init_mbarriers arrivals 1 at 65536 : !tile.mbarriers<2>
  %empty = tile.init_mbarriers arrivals 2 at 65552 : !tile.mbarriers<2>
  tile.cluster_barrier
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %id = tile.cluster_id
  tile.roles warps [4, 4] threads [1, 128] registers [0, 0] {
    %s = tile.slot %ring[%z] : !ring
    tile.copy_async %x[%id, %c0] to %s signals %full[%z] multicast : !view, !buffer, !tile.mbarriers<2>
    tile.copy_async %x[%id, %c0] to %s signals %full[%z] : !view, !buffer, !tile.mbarriers<2>
  }, {
    %some = arith.cmpi ne, %id, %c0 : index
    tile.mbarrier_arrive %empty[%z] cluster if %some : !tile.mbarriers<2>
    tile.mbarrier_arrive %empty[%z] : !tile.mbarriers<2>
  }
  tile.cluster_barrier
  tile.return
}

// -----

// Without clusters a block is one.
// CHECK-LABEL: gpu.func @alone
// CHECK-SAME:    kernel attributes {known_block_size = array<i32: 128, 1, 1>, tile.tensor_maps = [{{.+}} box = [64, 128], swizzle = 128>]}
// CHECK-NOT:     cluster.arrive
// CHECK:         gpu.barrier
// CHECK-NEXT:    %[[BLOCK:.+]] = gpu.block_id x
// CHECK-NOT:     ctarank
// CHECK:         %[[ROW:.+]] = arith.index_cast %[[BLOCK]]
// CHECK:         "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d"({{.+}}, %c0_i32, %[[ROW]],
// CHECK-NOT:     mapa
// CHECK:         @leads mbarrier.arrive.shared::cta.b64 _, [$0];
!view = !tile.view<[M, 128], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @alone(%x: !view, %M: index) grid ["M ceildiv 128"]
    attributes {dims = ["M"], threads = 128 : i64, wave = 32 : i64, shared_bytes = 16392 : i64, alignment = 16 : i64} {
  %full = tile.init_mbarriers arrivals 1 at 16384 : !tile.mbarriers<1>
  tile.cluster_barrier
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %s = tile.alloc at 0 : !buffer
  %id = tile.cluster_id
  %rank = tile.cluster_rank
  %row = arith.addi %id, %rank : index
  tile.copy_async %x[%row, %c0] to %s signals %full[%z] : !view, !buffer, !tile.mbarriers<1>
  tile.mbarrier_arrive %full[%z] cluster : !tile.mbarriers<1>
  tile.return
}

// -----

// The first thread of each of two warpgroups stores 64 rows of every 128, two panels
// each; it waits for what it started itself. Warpgroups meet at one of the last
// barriers, by their number in the block, and the role at its own.
// CHECK-LABEL: gpu.func @stores
// CHECK-SAME:    %[[MAP:[^ ]+]]: !llvm.ptr) kernel
// CHECK-SAME:    tile.tensor_maps = [#tile.tensor_map<operand = 0, bf16, extents = [128, M], strides = [256], box = [32, 64], swizzle = 64>]
// CHECK:         %[[SHARED:.+]] = llvm.mlir.addressof
// CHECK:         %[[GROUP:.+]] = llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
// CHECK:         %[[TID:.+]] = arith.subi %{{.+}}, %c128 : index
// CHECK-NEXT:    %[[OWN:.+]] = arith.subi %[[GROUP]], %c1_i32
// CHECK-NEXT:    %[[IN:.+]] = arith.remui %[[TID]], %c128 : index
// CHECK-NEXT:    %[[LEADS:.+]] = arith.cmpi eq, %[[IN]], %c0
// CHECK-NEXT:    scf.if %[[LEADS]] {
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.wait.group.read"(%c2_i32)
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[NUMBER:.+]] = arith.addi %[[GROUP]], %c8_i32
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%[[NUMBER]], %c128_i32)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%c2_i32, %c256_i32)
// CHECK-NEXT:    scf.if %[[LEADS]] {
// CHECK-NEXT:      %[[AT:.+]] = arith.muli %[[OWN]], %c64_i32
// CHECK-NEXT:      %[[BYTES:.+]] = arith.muli %[[OWN]], %c4096_i32
// CHECK-NEXT:      %[[FROM:.+]] = llvm.getelementptr inbounds %[[SHARED]][%[[BYTES]]]
// CHECK-NEXT:      %[[ROW:.+]] = arith.addi %[[AT]], %c32_i32
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d"(%[[FROM]], %[[MAP]], %c0_i32, %[[ROW]], %c0_i64, %false)
// CHECK-NEXT:      %[[PANEL:.+]] = llvm.getelementptr inbounds %[[FROM]][16384]
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d"(%[[PANEL]], %[[MAP]], %c32_i32, %[[ROW]], %c0_i64, %false)
// CHECK-NEXT:      %[[LATER:.+]] = arith.addi %[[AT]], %c128_i32
// CHECK-NEXT:      %[[BYTES1:.+]] = arith.muli %[[LATER]], %c64_i32
// CHECK-NEXT:      %[[FROM1:.+]] = llvm.getelementptr inbounds %[[SHARED]][%[[BYTES1]]]
// CHECK-NEXT:      %[[ROW1:.+]] = arith.addi %[[AT]], %c160_i32
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d"(%[[FROM1]], %[[MAP]], %c0_i32, %[[ROW1]], %c0_i64, %false)
// CHECK-NEXT:      %[[PANEL1:.+]] = llvm.getelementptr inbounds %[[FROM1]][16384]
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d"(%[[PANEL1]], %[[MAP]], %c32_i32, %[[ROW1]], %c0_i64, %false)
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.commit.group"()
// CHECK-NEXT:    }
// CHECK:         "llvm.nvvm.barrier.cta.sync.aligned.count"(%c3_i32, %c128_i32)
// CHECK-NEXT:    %[[FIRST:.+]] = arith.cmpi eq
// CHECK-NEXT:    scf.if %[[FIRST]] {
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.wait.group.read"(%c1_i32)
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %[[FIRST]] {
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.cp.async.bulk.wait.group.read"(%c0_i32)
!view = !tile.view<[M, 128], bf16>
!buffer = !tile.shared<[256, 64], bf16, <phases = 4, rows = 2>, panel = 32>
tile.kernel @stores(%y: !view, %M: index) grid ["1"]
    attributes {dims = ["M"], threads = 512 : i64, wave = 32 : i64, shared_bytes = 32768 : i64, alignment = 16 : i64} {
  %s = tile.alloc at 0 : !buffer
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  tile.roles warps [4, 8, 4] threads [1, 256, 128] registers [0, 0, 0] {
  }, {
    tile.await_stores pending 2 warpgroup
    tile.barrier warpgroup
    tile.barrier
    tile.store_async %s to %y[%c32, %c0] warpgroup : !buffer, !view
  }, {
    tile.barrier warpgroup
    tile.await_stores pending 1
    tile.await_stores
  }
  tile.return
}
