// RUN: lathe-opt %s --tile-persist | FileCheck %s

// What depends on the work item moves into the loop; other loads stay before it.
// CHECK-LABEL: tile.kernel @rows(
// CHECK-SAME:    %[[X:.+]]: !tile.view<[T, 64], f32>, %[[W:.+]]: !tile.view<[64], f32>, %[[Y:.+]]: !tile.view<[T, 64], f32>
// CHECK:         %[[WT:.+]] = tile.load %[[W]]
// CHECK:         %[[FIRST:.+]] = tile.program_id 0
// CHECK-NEXT:    %[[COUNT:.+]] = tile.size "T"
// CHECK-NEXT:    %[[STEP:.+]] = tile.num_programs 0
// CHECK-NEXT:    scf.for %[[I:.+]] = %[[FIRST]] to %[[COUNT]] step %[[STEP]] {
// CHECK-NEXT:      %[[XT:.+]] = tile.load %[[X]][%[[I]], %{{.+}}]
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[XT]], %{{.+}}
// CHECK-NEXT:      tile.store %[[P]] to %[[Y]][%[[I]], %{{.+}}]
// CHECK-NEXT:    }
// CHECK-NEXT:    tile.return
tile.kernel @rows(%x: !tile.view<[T, 64], f32>, %w: !tile.view<[64], f32>,
                  %y: !tile.view<[T, 64], f32>, %T: index) grid ["T"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %i = tile.program_id 0
  %xt = tile.load %x[%i, %c0] : !tile.view<[T, 64], f32> -> tensor<1x64xf32>
  %wt = tile.load %w[%c0] : !tile.view<[64], f32> -> tensor<64xf32>
  %w2 = tile.broadcast %wt along 0 : tensor<64xf32> -> tensor<1x64xf32>
  %p = arith.mulf %xt, %w2 : tensor<1x64xf32>
  tile.store %p to %y[%i, %c0] : tensor<1x64xf32>, !tile.view<[T, 64], f32>
  tile.return
}

// A view that a store may change is read again for each work item.
// CHECK-LABEL: tile.kernel @aliases
// CHECK-NOT:     tile.load
// CHECK:         scf.for
// CHECK-NEXT:      tile.load
// CHECK-NEXT:      tile.load
// CHECK-NEXT:      tile.load
tile.kernel @aliases(%x: !tile.view<[64], f32>, %y: !tile.view<[64], f32>,
                     %z: !tile.view<[64], f32>, %T: index) grid ["T"]
    attributes {dims = ["T"], may_alias = array<i64: 0, 1>, threads = 32 : i64, wave = 32 : i64,
                schedule = {PERSISTENT = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %i = tile.program_id 0
  %a = tile.load %x[%c0] : !tile.view<[64], f32> -> tensor<64xf32>
  %b = tile.load %y[%c0] : !tile.view<[64], f32> -> tensor<64xf32>
  %c = tile.load %z[%i] : !tile.view<[64], f32> -> tensor<64xf32>
  %d = arith.addf %a, %b : tensor<64xf32>
  %e = arith.addf %d, %c : tensor<64xf32>
  tile.store %e to %y[%c0] : tensor<64xf32>, !tile.view<[64], f32>
  tile.return
}

// A region that captures the work item moves with it, and so does one that asks.
// CHECK-LABEL: tile.kernel @captures
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK:           scf.if %{{.+}} -> (index) {
// CHECK-NEXT:        scf.yield %[[I]]
// CHECK:           scf.if %{{.+}} -> (index) {
// CHECK-NEXT:        scf.yield %[[I]]
tile.kernel @captures(%x: !tile.view<[T], f32>, %T: index) grid ["T"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %many = arith.cmpi sgt, %T, %c0 : index
  %i = tile.program_id 0
  %a = scf.if %many -> (index) {
    scf.yield %i : index
  } else {
    scf.yield %c0 : index
  }
  %b = scf.if %many -> (index) {
    %j = tile.program_id 0
    scf.yield %j : index
  } else {
    scf.yield %c0 : index
  }
  %at = arith.addi %a, %b : index
  %t = tile.load %x[%at] : !tile.view<[T], f32> -> tensor<32xf32>
  tile.store %t to %x[%at] : tensor<32xf32>, !tile.view<[T], f32>
  tile.return
}

// Which tile of a matrix a block makes is asked for each work item.
// CHECK-LABEL: tile.kernel @raster
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK-NEXT:      %[[ROW:.+]], %[[COLUMN:.+]] = tile.raster %[[I]] over
// CHECK-NEXT:      tile.load %{{.+}}[%[[ROW]], %[[COLUMN]]]
tile.kernel @raster(%x: !tile.view<[M, N], f32>, %M: index, %N: index) grid ["M * N"]
    attributes {dims = ["M", "N"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64}} {
  %item = tile.program_id 0
  %row, %column = tile.raster %item over ("M", "N") group "8"
  %t = tile.load %x[%row, %column] : !tile.view<[M, N], f32> -> tensor<1x32xf32>
  tile.store %t to %x[%column, %row] : tensor<1x32xf32>, !tile.view<[M, N], f32>
  tile.return
}

// Clusters take work items together: the loop counts clusters, and a program is one
// of their blocks.
// CHECK-LABEL: tile.kernel @clusters(
// CHECK-SAME:    %[[X:[^:]+]]: !tile.view<[M, 64], f32>, %[[Y:[^:]+]]:
// CHECK-DAG:     %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG:     %[[RANK:.+]] = tile.cluster_rank
// CHECK:         %[[FIRST:.+]] = tile.cluster_id
// CHECK-NEXT:    %[[COUNT:.+]] = tile.size "M ceildiv 4 * 2 floordiv 2"
// CHECK-NEXT:    %[[BLOCKS:.+]] = tile.num_programs 0
// CHECK-NEXT:    %[[C2:.+]] = arith.constant 2 : index
// CHECK-NEXT:    %[[STEP:.+]] = arith.divui %[[BLOCKS]], %[[C2]]
// CHECK-NEXT:    scf.for %[[I:.+]] = %[[FIRST]] to %[[COUNT]] step %[[STEP]] {
// CHECK-NEXT:      %[[TWO:.+]] = arith.constant 2 : index
// CHECK-NEXT:      %[[PAIR:.+]] = arith.muli %[[I]], %[[TWO]]
// CHECK-NEXT:      %[[OWN:.+]] = tile.cluster_rank
// CHECK-NEXT:      %[[PROGRAM:.+]] = arith.addi %[[PAIR]], %[[OWN]]
// CHECK-NEXT:      %[[AT:.+]] = arith.muli %[[I]], %[[C4]]
// CHECK-NEXT:      %[[ROW:.+]] = arith.addi %[[AT]], %[[RANK]]
// CHECK-NEXT:      tile.load %[[X]][%[[ROW]], %{{.+}}]
// CHECK-NEXT:      tile.store %{{.+}} to %[[Y]][%[[PROGRAM]], %{{.+}}]
// CHECK-NEXT:    }
// CHECK-NEXT:    tile.return
!view = !tile.view<[M, 64], f32>
tile.kernel @clusters(%x: !view, %y: !view, %M: index) grid ["(M ceildiv 4) * 2"]
    attributes {dims = ["M"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64, CLUSTER = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %cluster = tile.cluster_id
  %rank = tile.cluster_rank
  %program = tile.program_id 0
  %first = arith.muli %cluster, %c4 : index
  %row = arith.addi %first, %rank : index
  %t = tile.load %x[%row, %c0] : !view -> tensor<1x64xf32>
  tile.store %t to %y[%program, %c0] : tensor<1x64xf32>, !view
  tile.return
}

// A region that asks for its cluster moves with the work item.
// CHECK-LABEL: tile.kernel @cluster_region
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK-NEXT:      scf.if %{{.+}} -> (index) {
// CHECK-NEXT:        scf.yield %[[I]]
tile.kernel @cluster_region(%x: !tile.view<[T], f32>, %T: index) grid ["T * 2"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64, CLUSTER = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %many = arith.cmpi sgt, %T, %c0 : index
  %at = scf.if %many -> (index) {
    %id = tile.cluster_id
    scf.yield %id : index
  } else {
    scf.yield %c0 : index
  }
  %t = tile.load %x[%at] : !tile.view<[T], f32> -> tensor<32xf32>
  tile.store %t to %x[%at] : tensor<32xf32>, !tile.view<[T], f32>
  tile.return
}

// A cluster of one block is that block.
// CHECK-LABEL: tile.kernel @alone
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK-NEXT:      tile.load %{{.+}}[%[[I]], %{{.+}}]
// CHECK-NEXT:      tile.store %{{.+}} to %{{.+}}[%[[I]], %{{.+}}]
tile.kernel @alone(%x: !view, %M: index) grid ["M"]
    attributes {dims = ["M"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64, CLUSTER = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %cluster = tile.cluster_id
  %program = tile.program_id 0
  %t = tile.load %x[%cluster, %c0] : !view -> tensor<1x64xf32>
  tile.store %t to %x[%program, %c0] : tensor<1x64xf32>, !view
  tile.return
}

// Other schedules stay as they are.
// CHECK-LABEL: tile.kernel @once
// CHECK-NOT:     scf.for
tile.kernel @once(%x: !tile.view<[T], f32>, %T: index) grid ["T", "2"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 0 : i64}} {
  %i = tile.program_id 0
  tile.return
}

// Who asks for the number of blocks deals items as it likes.
// CHECK-LABEL: tile.kernel @deals
// CHECK:         %[[ID:.+]] = tile.program_id 0
// CHECK-NEXT:    %[[N:.+]] = tile.num_programs 0
// CHECK-NEXT:    %[[T:.+]] = tile.size "T"
// CHECK-NEXT:    scf.for %{{.+}} = %[[ID]] to %[[T]] step %[[N]]
// CHECK-NOT:     scf.for
tile.kernel @deals(%x: !tile.view<[T, 64], f32>, %y: !tile.view<[T, 64], f32>, %T: index) grid ["T"]
    attributes {dims = ["T"], threads = 32 : i64, wave = 32 : i64, schedule = {PERSISTENT = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %i0 = tile.program_id 0
  %n = tile.num_programs 0
  %count = tile.size "T"
  scf.for %i = %i0 to %count step %n {
    %xt = tile.load %x[%i, %c0] : !tile.view<[T, 64], f32> -> tensor<1x64xf32>
    tile.store %xt to %y[%i, %c0] : tensor<1x64xf32>, !tile.view<[T, 64], f32>
  }
  tile.return
}
