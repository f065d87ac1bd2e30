// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --mlir-print-op-generic | lathe-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @template(
// CHECK-SAME:    %[[X:.+]]: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>,
// CHECK-SAME:    %[[W:.+]]: !tile.view<[H], !tile.dtype<DT>>, %[[Y:.+]]: !tile.view<[T, H], !tile.dtype<DT>>,
// CHECK-SAME:    %[[EPS:.+]]: f32)
// CHECK-NEXT:      space {ROWS = [1, 2, 4], VEC = [8], WARPS = [1, 4]}
// CHECK-NEXT:      where ["ROWS * H <= 16384", "H mod VEC == 0 or H == 1"]
// CHECK-NEXT:      grid ["T ceildiv ROWS", "2"] runtime ["T", "XS"]
// CHECK-NEXT:      model {live = "ROWS * H ceildiv 128", passes = "1"} attributes {may_alias = array<i64: 0, 2>} {
!rows = tensor<?x?x!tile.dtype<DT>, #tile.extents<[ROWS, H]>>
!wide = tensor<?x?xf32, #tile.extents<[ROWS, H]>>
!stat = tensor<?xf32, #tile.extents<[ROWS]>>
tile.kernel @template(%x: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>,
                      %w: !tile.view<[H], !tile.dtype<DT>>,
                      %y: !tile.view<[T, H], !tile.dtype<DT>>, %eps: f32)
    space {ROWS = [1, 2, 4], WARPS = [1, 4], VEC = [8]}
    where ["ROWS * H <= 16384", "H mod VEC == 0 or H == 1"]
    grid ["T ceildiv ROWS", "2"] runtime ["T", "XS"]
    model {live = "ROWS * H ceildiv 128", passes = "1"}
    attributes {may_alias = array<i64: 0, 2>} {
  // CHECK: %[[PID:.+]] = tile.program_id 0
  %pid = tile.program_id 0
  // CHECK: tile.num_programs 1
  %num = tile.num_programs 1
  // CHECK: %[[ROWS:.+]] = tile.size "ROWS"
  %rows = tile.size "ROWS"
  // CHECK: tile.size "max(H floordiv 2, 1) + (H - 1) * 2"
  %other = tile.size "max(H floordiv 2, 1) + (H - 1) * 2"
  %c0 = arith.constant 0 : index
  %row = arith.muli %pid, %rows : index
  // CHECK: %[[XT:.+]] = tile.load %[[X]][%[[ROW:.+]], %[[C0:.+]]] evict_first : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> tensor<?x?x!tile.dtype<DT>, #tile.extents<[ROWS, H]>>
  %xt = tile.load %x[%row, %c0] evict_first : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> !rows
  // CHECK: tile.load %[[W]][%[[C0]]] : !tile.view<[H], !tile.dtype<DT>> -> tensor<?x!tile.dtype<DT>, #tile.extents<[H]>>
  %wt = tile.load %w[%c0] : !tile.view<[H], !tile.dtype<DT>> -> tensor<?x!tile.dtype<DT>, #tile.extents<[H]>>
  // CHECK: tile.in_bounds %[[X]][%[[ROW]], %[[C0]]] : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> tensor<?x?xi1, #tile.extents<[ROWS, H]>>
  %in = tile.in_bounds %x[%row, %c0] : !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]> -> tensor<?x?xi1, #tile.extents<[ROWS, H]>>
  // CHECK: %[[XF:.+]] = tile.convert %[[XT]] : tensor<?x?x!tile.dtype<DT>, #tile.extents<[ROWS, H]>> -> tensor<?x?xf32, #tile.extents<[ROWS, H]>>
  %xf = tile.convert %xt : !rows -> !wide
  // CHECK: tile.reduce <add> %[[XF]] along 1 : tensor<?x?xf32, #tile.extents<[ROWS, H]>> -> tensor<?xf32, #tile.extents<[ROWS]>>
  %sum = tile.reduce <add> %xf along 1 : !wide -> !stat
  // CHECK: tile.reduce <max> %[[XF]] along 0
  %max = tile.reduce <max> %xf along 0 : !wide -> tensor<?xf32, #tile.extents<[H]>>
  // CHECK: tile.reduce <min> %[[XF]] along 1
  %min = tile.reduce <min> %xf along 1 : !wide -> !stat
  // CHECK: %[[E:.+]] = tile.splat %[[EPS]] : f32 -> tensor<?xf32, #tile.extents<[ROWS]>>
  %e = tile.splat %eps : f32 -> !stat
  // CHECK: tile.broadcast %[[E]] along 1 : tensor<?xf32, #tile.extents<[ROWS]>> -> tensor<?x?xf32, #tile.extents<[ROWS, H]>>
  %wide = tile.broadcast %e along 1 : !stat -> !wide
  %back = tile.convert %wide : !wide -> !rows
  // CHECK: tile.store %{{.+}} to %[[Y]][%[[ROW]], %[[C0]]] : tensor<?x?x!tile.dtype<DT>, #tile.extents<[ROWS, H]>>, !tile.view<[T, H], !tile.dtype<DT>>
  tile.store %back to %y[%row, %c0] : !rows, !tile.view<[T, H], !tile.dtype<DT>>
  // CHECK: tile.store %{{.+}} to %[[Y]][%[[ROW]], %[[C0]]] evict_first :
  tile.store %back to %y[%row, %c0] evict_first : !rows, !tile.view<[T, H], !tile.dtype<DT>>
  // CHECK: tile.return
  tile.return
}

// CHECK-LABEL: tile.kernel @static(
// CHECK-SAME:    %{{.+}}: !tile.view<[T, 64], bf16>, %{{.+}}: f32, %{{.+}}: index)
// CHECK-NEXT:      grid ["T ceildiv 2"] attributes {alignment = 16 : i64, dims = ["T"], multiples = {XS = 8 : i64}, schedule = {ROWS = 2 : i64}, threads = 64 : i64, wave = 32 : i64} {
tile.kernel @static(%x: !tile.view<[T, 64], bf16>, %scale: f32, %T: index)
    grid ["T ceildiv 2"]
    attributes {dims = ["T"], multiples = {XS = 8 : i64}, alignment = 16 : i64,
                threads = 64 : i64, wave = 32 : i64, schedule = {ROWS = 2 : i64}} {
  %c0 = arith.constant 0 : index
  // CHECK: -> tensor<2x64xbf16, #tile.blocked<vector = [1, 2], threads = [2, 32]>>
  %t = tile.load %x[%c0, %c0] : !tile.view<[T, 64], bf16>
    -> tensor<2x64xbf16, #tile.blocked<vector = [1, 2], threads = [2, 32]>>
  %f = tile.convert %t : tensor<2x64xbf16, #tile.blocked<vector = [1, 2], threads = [2, 32]>>
    -> tensor<2x64xf32, #tile.blocked<vector = [1, 2], threads = [2, 32]>>
  // CHECK: -> tensor<2xf32, #tile.slice<1, #tile.blocked<vector = [1, 2], threads = [2, 32]>>>
  %s = tile.reduce <add> %f along 1 : tensor<2x64xf32, #tile.blocked<vector = [1, 2], threads = [2, 32]>>
    -> tensor<2xf32, #tile.slice<1, #tile.blocked<vector = [1, 2], threads = [2, 32]>>>
  tile.return
}

// Extents that fold to constants need no encoding; mixed ones keep it.
// CHECK-LABEL: tile.kernel @extents
// CHECK-SAME:    !tile.view<[min(T, 4), H * (T - 1), (H + 1) * 2], i32, [(H + 1) * 2 * T, (H + 1) * 2, 1]>
tile.kernel @extents(%x: !tile.view<[min(T, 4), H * (T - 1), (H + 1) * 2], i32, [(H + 1) * 2 * T, (H + 1) * 2, 1]>)
    grid ["1"] {
  %c = arith.constant 1 : i32
  // CHECK: tile.splat %{{.+}} : i32 -> tensor<1x?xi32, #tile.extents<[1, H]>>
  %a = tile.splat %c : i32 -> tensor<1x?xi32, #tile.extents<[1, H]>>
  // CHECK: tile.splat %{{.+}} : i32 -> tensor<4xi32>
  %b = tile.splat %c : i32 -> tensor<4xi32>
  tile.return
}

// Few rows and many: spaces of the same parameters.
// CHECK-LABEL: tile.kernel @spaces(
// CHECK-NEXT:    space {ROWS = [1, 2], WARPS = [1]}, {ROWS = [8], WARPS = [4, 8]}
// CHECK-NEXT:    grid ["1"]
tile.kernel @spaces(%x: !tile.view<[8], f32>)
    space {ROWS = [1, 2], WARPS = [1]}, {WARPS = [4, 8], ROWS = [8]} grid ["1"] {
  tile.return
}

// References convert scalars and keep dtype variables in memrefs.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME:    %[[X:.+]]: memref<?x!tile.dtype<DT>>
func.func @scalars(%x: memref<?x!tile.dtype<DT>>, %i: index) -> f64 {
  // CHECK: %[[V:.+]] = memref.load %[[X]]
  %v = memref.load %x[%i] : memref<?x!tile.dtype<DT>>
  // CHECK: tile.convert %[[V]] : !tile.dtype<DT> -> f64
  %d = tile.convert %v : !tile.dtype<DT> -> f64
  return %d : f64
}

// Clusters share copies and mbarriers; warpgroups of a role store alone.
// CHECK-LABEL: tile.kernel @clusters(
// CHECK-SAME:    %[[X:[^:]+]]: !tile.view<[M, 64], bf16>, %[[Y:[^:]+]]: !tile.view
!view = !tile.view<[M, 64], bf16>
!buffer = !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>
tile.kernel @clusters(%x: !view, %y: !view, %M: index) grid ["M ceildiv 128"]
    attributes {dims = ["M"], threads = 384 : i64, wave = 32 : i64, schedule = {CLUSTER = 2 : i64}} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %s = tile.alloc : !buffer
  %b = tile.init_mbarriers arrivals 4 : !tile.mbarriers<3>
  // CHECK: %[[ID:.+]] = tile.cluster_id
  // CHECK-NEXT: %[[RANK:.+]] = tile.cluster_rank
  %id = tile.cluster_id
  %rank = tile.cluster_rank
  // CHECK-NEXT: tile.cluster_barrier
  tile.cluster_barrier
  // CHECK-NEXT: tile.barrier{{$}}
  tile.barrier
  tile.roles warps [4, 8] threads [1, 256] registers [40, 232] {
    // CHECK: tile.copy_async %[[X]][%[[ID]], %[[RANK]]] to %[[S:.+]] signals %[[B:.+]][%[[Z:.+]]] multicast : !tile.view<[M, 64], bf16>, !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>, !tile.mbarriers<3>
    tile.copy_async %x[%id, %rank] to %s signals %b[%z] multicast : !view, !buffer, !tile.mbarriers<3>
    // CHECK-NEXT: tile.copy_async %[[X]][%[[ID]], %[[RANK]]] to %[[S]] signals %[[B]][%[[Z]]] : !tile.view
    tile.copy_async %x[%id, %rank] to %s signals %b[%z] : !view, !buffer, !tile.mbarriers<3>
    // CHECK-NEXT: tile.copy_async %[[X]][%[[ID]], %[[RANK]]] to %[[S]] : !tile.view
    tile.copy_async %x[%id, %rank] to %s : !view, !buffer
  }, {
    // CHECK: tile.mbarrier_arrive %[[B]][%[[Z]]] cluster if %[[TRUE:.+]] : !tile.mbarriers<3>
    tile.mbarrier_arrive %b[%z] cluster if %true : !tile.mbarriers<3>
    // CHECK-NEXT: tile.mbarrier_arrive %[[B]][%[[Z]]] cluster : !tile.mbarriers<3>
    tile.mbarrier_arrive %b[%z] cluster : !tile.mbarriers<3>
    // CHECK-NEXT: tile.mbarrier_arrive %[[B]][%[[Z]]] if %[[TRUE]] : !tile.mbarriers<3>
    tile.mbarrier_arrive %b[%z] if %true : !tile.mbarriers<3>
    // CHECK-NEXT: tile.await_stores pending 1 warpgroup{{$}}
    tile.await_stores pending 1 warpgroup
    // CHECK-NEXT: tile.barrier warpgroup{{$}}
    tile.barrier warpgroup
    // CHECK-NEXT: tile.store_async %[[S]] to %[[Y]][%[[ID]], %{{.+}}] warpgroup : !tile.shared<[128, 64], bf16, <phases = 8, rows = 1>>, !tile.view<[M, 64], bf16>
    tile.store_async %s to %y[%id, %c0] warpgroup : !buffer, !view
    // CHECK-NEXT: tile.store_async %[[S]] to %[[Y]][%[[ID]], %{{.+}}] : !tile.shared
    tile.store_async %s to %y[%id, %c0] : !buffer, !view
    // CHECK-NEXT: tile.await_stores pending 63{{$}}
    tile.await_stores pending 63
    // CHECK-NEXT: tile.await_stores warpgroup{{$}}
    tile.await_stores warpgroup
    // CHECK-NEXT: tile.await_stores{{$}}
    tile.await_stores pending 0
  }
  tile.return
}

// Teams that run a role each on its own; bands of rows; what is wanted in the cache.
// CHECK-LABEL: tile.kernel @teams
// CHECK:         tile.roles warps [4, 8] threads [1, 128] teams [1, 2] registers [40, 232] {
// CHECK-NEXT:      tile.prefetch %{{.+}}[%{{.+}}, %{{.+}}] through %{{.+}}[%{{.+}}] pages "16" for !tile.shared<[64, 128], bf16, <phases = 8, rows = 1>, panel = 64, band = 8> : !tile.view<[64, 128], bf16> through !tile.view<[1, 4], i32>
// CHECK:           tile.team_id
tile.kernel @teams(%x: !tile.view<[64, 128], bf16>, %t: !tile.view<[1, 4], i32>, %y: !tile.view<[64], i32>) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64} {
  %c0 = arith.constant 0 : index
  tile.roles warps [4, 8] threads [1, 128] teams [1, 2] registers [40, 232] {
    tile.prefetch %x[%c0, %c0] through %t[%c0] pages "16" for !tile.shared<[64, 128], bf16, <phases = 8, rows = 1>, panel = 64, band = 8> : !tile.view<[64, 128], bf16> through !tile.view<[1, 4], i32>
  }, {
    %team = tile.team_id
    %s = tile.splat %team : i32 -> tensor<64xi32>
    tile.store %s to %y[%c0] : tensor<64xi32>, !tile.view<[64], i32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @ahead
// CHECK:         tile.prefetch_elements %{{.+}}[%{{.+}}, %{{.+}}] count "N ceildiv 8" : !tile.view<[4, N], i32>
// CHECK:         tile.cluster_reduce {{.*}} weighted %{{.+}} along 0 : tensor<8x16xf32> by tensor<8xf32> -> tensor<8x16xf32>
tile.kernel @ahead(%x: !tile.view<[4, N], i32>, %v: f32) grid ["1"] {
  %c0 = arith.constant 0 : index
  tile.prefetch_elements %x[%c0, %c0] count "N ceildiv 8" : !tile.view<[4, N], i32>
  %t = tile.splat %v : f32 -> tensor<8x16xf32>
  %l = tile.splat %v : f32 -> tensor<8xf32>
  %m = tile.cluster_reduce %t weighted %l along 0 : tensor<8x16xf32> by tensor<8xf32> -> tensor<8x16xf32>
  tile.return
}
