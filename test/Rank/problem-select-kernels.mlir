// RUN: lathe-opt %S/../Plan/Inputs/workload.mlir --problem-enumerate-candidates='templates=%S/../Plan/Inputs/operators' -o %t.mlir
// RUN: lathe-opt %t.mlir --problem-select-kernels | FileCheck %s
// RUN: lathe-opt %t.mlir --problem-select-kernels | lathe-opt | FileCheck %s
// RUN: lathe-opt %t.mlir --problem-select-kernels=max-kernels=1 | FileCheck %s --check-prefix=ONE
// RUN: not lathe-opt %s --problem-select-kernels 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: dispatch.table "scaled" of "scale"
// CHECK: dispatch.case exact "sm_90a"
// CHECK-SAME: T in 16384 to 16384
// CHECK: dispatch.case bucket "sm_90a"
// CHECK: dispatch.case generic "sm_90a" when () align 2
// CHECK-SAME: grid ("min(T, {{[0-9]+}})", "1", "1")
// CHECK-SAME: args (T, H, XS)
// CHECK-NOT: dispatch.table "counted"

// ONE: dispatch.table "scaled"
// ONE-NEXT: dispatch.case generic
// ONE-NOT: dispatch.case

// NONE: entry 'e' has no generic kernel for a: none could be built
problem.workload "a" histogram "b" unshaped 0.0 {
  problem.target "t" vendor "v" arch "a" compilable peaks {}
    facts {bandwidth = 1.0 : f64, multiprocessors = 1 : i64, warpSize = 32 : i64,
           threadsPerSm = 1024 : i64, blocksPerSm = 8 : i64, maxThreadsPerBlock = 1024 : i64}
  problem.operator "op" dims [] inputs [] outputs [] flops [] read <"1"> write <"1"> templates ["x"]
  problem.entry "e" of "op" static {} options {} dtypes {} scalars {} importance 0.0
  problem.candidate "k" for "e" role "generic" op "op" template "x" arch "a"
    constants {} schedule {} dtypes {} multiples {} alignment 1 threads 32
    guards [] grid [#problem.expr<"1">] live <"1"> passes <"1"> model {}
    rejected "it spills"
}
