// The workload is Inputs/workload.mlir, the templates are Inputs/operators.

// RUN: lathe-opt %S/Inputs/workload.mlir --problem-enumerate-candidates='templates=%S/Inputs/operators' > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: lathe-opt %t.mlir | FileCheck %s
// RUN: lathe-opt %S/Inputs/workload.mlir --problem-enumerate-candidates='templates=%S/Inputs/operators schedules=1 exact=0' | FileCheck %s --check-prefix=FEW
// RUN: lathe-opt %S/Inputs/workload.mlir --problem-enumerate-candidates='templates=%S/Inputs/operators explain-pruning' 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RUN: not lathe-opt %S/Inputs/workload.mlir --problem-enumerate-candidates='templates=%S/Inputs/operators archs=sm_80' 2>&1 | FileCheck %s --check-prefix=ARCH

// The generic kernel comes first and takes every dim.
// CHECK: problem.candidate "scale.any.sm_90a.t_DT_bf16.s_PERSISTENT_1.s_VEC_1.s_WARPS_[[W:[0-9]+]].a_2" for "scaled" role "generic"
// CHECK-SAME: constants {} schedule {PERSISTENT = 1 : i64, VEC = 1 : i64, WARPS = [[W]] : i64}
// CHECK-SAME: multiples {} alignment 2
// CHECK-SAME: guards [] grid [#problem.expr<"T">]

// Wide accesses guard strides and bases.
// CHECK: role "bucket" op "scale" template "rows"
// CHECK-SAME: constants {H = 1024 : i64}
// CHECK-SAME: multiples {XS = 8 : i64} alignment 16
// CHECK-SAME: guards [#problem.guard<"H", lo = 1024, hi = 1024, multiple = 1>, #problem.guard<"XS", lo = 0, hi = 9223372036854775807, multiple = 8>]

// CHECK: role "exact"
// CHECK-SAME: constants {H = 1024 : i64, T = 16384 : i64}

// 4002 has no wide access.
// CHECK: constants {H = 4002 : i64}
// CHECK-SAME: multiples {} alignment 2

// CHECK: problem.unserved "counted" arch "sm_90a" because "operator has no template"

// FEW-COUNT-3: problem.candidate
// FEW-NOT: problem.candidate

// WHY-DAG: scaled: scale.rows.{{.*}}c_H_4002{{.*}}: constraint 'H mod VEC == 0' is false at H = 4002, VEC = 8
// WHY-DAG: scaled: {{.*}}: no faster than {{.*}} at any of 1 hot shape(s)

// ARCH: no compilable target has architecture 'sm_80'
