// RUN: lathe-opt %s --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// Pointers, then run-time dims, then scalars. Rows are guarded, since T need not be
// even; accesses are 16 bytes wide, as XS is a multiple of 8.
// CHECK-LABEL: gpu.module @rows
// CHECK:       gpu.func @rows(
// CHECK-SAME:    %[[X:[^:]+]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME:    %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME:    %[[Y:[^:]+]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.writeonly},
// CHECK-SAME:    %[[T:[^:]+]]: index, %[[XS:[^:]+]]: index, %{{.+}}: f32) kernel
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK-DAG:     %[[C32:.+]] = arith.constant 32 : index
// CHECK-DAG:     %[[TID:.+]] = gpu.thread_id x
// CHECK-DAG:     %[[LANE:.+]] = arith.remui %[[TID]], %[[C32]]
// CHECK-DAG:     %[[GROUP:.+]] = arith.divui %[[TID]], %[[C32]]
// CHECK:         %[[ROW:.+]] = arith.addi %[[GROUP]], %{{.+}} : index
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[ROW]], %[[T]]
// CHECK:         %[[V:.+]] = scf.if %[[INSIDE]] -> (vector<8xbf16>) {
// CHECK:           arith.muli %[[ROW]], %[[XS]] : index
// CHECK:           llvm.load %{{.+}} {alignment = 16 : i64, nontemporal} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK:         scf.if %[[INSIDE]] {
// CHECK:           llvm.store %[[V]], %{{.+}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
!rows = tensor<2x256xbf16, #tile.blocked<vector = [1, 8], threads = [2, 32]>>
tile.kernel @rows(%x: !tile.view<[T, 256], bf16, [XS, 1]>, %unused: !tile.view<[256], bf16>,
                  %y: !tile.view<[T, 256], bf16>, %eps: f32, %T: index, %XS: index)
    grid ["T ceildiv 2"]
    attributes {dims = ["T", "XS"], multiples = {XS = 8 : i64}, alignment = 16 : i64, threads = 64 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %i = tile.program_id 0
  %r = arith.muli %i, %c2 : index
  %t = tile.load %x[%r, %c0] evict_first : !tile.view<[T, 256], bf16, [XS, 1]> -> !rows
  tile.store %t to %y[%r, %c0] : !rows, !tile.view<[T, 256], bf16>
  tile.return
}

// One row per work item is proven inside; without a promise on the pitch an access
// is one element wide. Views that may alias carry no promise.
// CHECK-LABEL: gpu.func @narrow(
// CHECK-SAME:    %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 16 : i64},
// CHECK-NOT:     scf.if
// CHECK-COUNT-2: llvm.load %{{.+}} {alignment = 2 : i64} : !llvm.ptr<1> -> vector<1xbf16>
// CHECK-NOT:     llvm.load
// CHECK:         gpu.return
!narrow = tensor<1x64xbf16, #tile.blocked<vector = [1, 2], threads = [1, 32]>>
tile.kernel @narrow(%x: !tile.view<[T, 64], bf16, [XS, 1]>, %y: !tile.view<[T, 64], bf16, [XS, 1]>, %T: index, %XS: index)
    grid ["T"] attributes {dims = ["T", "XS"], alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64, may_alias = array<i64: 0, 1>} {
  %c0 = arith.constant 0 : index
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] : !tile.view<[T, 64], bf16, [XS, 1]> -> !narrow
  tile.store %t to %y[%i, %c0] : !narrow, !tile.view<[T, 64], bf16, [XS, 1]>
  tile.return
}

// The last round of a row of 96 vectors on 64 threads is half inert: it is guarded,
// and inert elements do not take part in the reduction.
// CHECK-LABEL: gpu.func @inert(
// CHECK-SAME:    workgroup(%[[BUFFER:.+]] : memref<2xf32, #gpu.address_space<workgroup>>
// CHECK-DAG:     %[[C64:.+]] = arith.constant 64 : index
// CHECK:         %[[ACTIVE:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : index
// CHECK:         scf.if %[[ACTIVE]] -> (vector<1xf32>)
// CHECK:         arith.select %[[ACTIVE]], %{{.+}}, %{{.+}} : f32
// CHECK:         %[[WARP_SUM:.+]] = gpu.subgroup_reduce add %{{.+}} cluster(size = 32) : (f32) -> f32
// CHECK:         scf.if %{{.+}} {
// CHECK-NEXT:      memref.store %[[WARP_SUM]], %[[BUFFER]]
// CHECK:         gpu.barrier
// CHECK:         memref.load %[[BUFFER]]
// CHECK:         memref.load %[[BUFFER]]
// CHECK:         arith.addf
!inert = tensor<1x96xf32, #tile.blocked<vector = [1, 1], threads = [1, 64]>>
!inertStat = tensor<1xf32, #tile.slice<1, #tile.blocked<vector = [1, 1], threads = [1, 64]>>>
tile.kernel @inert(%x: !tile.view<[T, 96], f32>, %y: !tile.view<[T], f32>, %T: index)
    grid ["T"] attributes {dims = ["T"], alignment = 16 : i64, threads = 64 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] : !tile.view<[T, 96], f32> -> !inert
  %s = tile.reduce <add> %t along 1 : !inert -> !inertStat
  tile.store %s to %y[%i] : !inertStat, !tile.view<[T], f32>
  tile.return
}

// Inside one wave a strided cluster serves a reduction along the rows; maxima
// propagate NaN.
// CHECK-LABEL: gpu.func @strided(
// CHECK-NOT:     workgroup
// CHECK:         gpu.subgroup_reduce maximumf %{{.+}} cluster(size = 4, stride = 8) : (f32) -> f32
!strided = tensor<4x8xf32, #tile.blocked<vector = [1, 1], threads = [4, 8]>>
!column = tensor<8xf32, #tile.slice<0, #tile.blocked<vector = [1, 1], threads = [4, 8]>>>
tile.kernel @strided(%x: !tile.view<[4, 8], f32>, %y: !tile.view<[8], f32>)
    grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<[4, 8], f32> -> !strided
  %m = tile.reduce <max> %t along 0 : !strided -> !column
  tile.store %m to %y[%c0] : !column, !tile.view<[8], f32>
  tile.return
}

// Bounds of a run-time row are checked per vector; the mask is the load's guard.
// CHECK-LABEL: gpu.func @columns(
// CHECK-SAME:    %{{[^:]+}}: !llvm.ptr<1> {{[^,]+}}, llvm.noalias}, %[[T:[^:]+]]: index, %[[H:[^:]+]]: index)
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK:           %[[IN:.+]] = arith.cmpi ult, %{{.+}}, %[[H]]
// CHECK:           scf.if %[[IN]] -> (vector<4xf32>)
// CHECK:           arith.select %{{.+}}, %{{.+}}, %{{.+}} : vector<1x4xi1>, vector<1x4xf32>
// CHECK:           scf.if %[[IN]]
// CHECK:             llvm.store %{{.+}} : vector<4xf32>
!step = tensor<1x128xf32, #tile.blocked<vector = [1, 4], threads = [1, 32]>>
!mask = tensor<1x128xi1, #tile.blocked<vector = [1, 4], threads = [1, 32]>>
tile.kernel @columns(%x: !tile.view<[T, H], f32>, %T: index, %H: index)
    grid ["T"] attributes {dims = ["T", "H"], multiples = {H = 4 : i64}, alignment = 16 : i64, threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant dense<1.0> : !step
  %i = tile.program_id 0
  %n = tile.size "H ceildiv 128"
  scf.for %b = %c0 to %n step %c1 {
    %col = arith.muli %b, %c128 : index
    %t = tile.load %x[%i, %col] : !tile.view<[T, H], f32> -> !step
    %m = tile.in_bounds %x[%i, %col] : !tile.view<[T, H], f32> -> !mask
    %v = arith.select %m, %t, %one : !mask, !step
    tile.store %v to %x[%i, %col] : !step, !tile.view<[T, H], f32>
  }
  tile.return
}

// A tile may begin before its view: positions below 0 are outside as well.
// CHECK-LABEL: gpu.func @before(
// CHECK:         scf.for
// CHECK:           arith.cmpi ult
// CHECK:           scf.if
// CHECK:         gpu.return
!window = tensor<32xf32, #tile.blocked<vector = [1], threads = [32]>>
tile.kernel @before(%x: !tile.view<[64], f32>, %y: !tile.view<[64], f32>)
    grid ["1"] attributes {threads = 32 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %before = arith.constant -1 : index
  scf.for %i = %before to %c2 step %c1 {
    %at = arith.muli %i, %c32 : index
    %t = tile.load %x[%at] : !tile.view<[64], f32> -> !window
    tile.store %t to %y[%c0] : !window, !tile.view<[64], f32>
  }
  tile.return
}
