// RUN: lathe-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{kind is 'fast' when it should be static, request, stride, list or figure}}
module attributes {a = #problem.dim<name = "T", kind = "fast", min = 0, max = 1>} {}

// -----

// expected-error@+1 {{dim 'T' has no value in [5, 1]}}
module attributes {a = #problem.dim<name = "T", kind = "request", min = 5, max = 1>} {}

// -----

// expected-error@+1 {{stride dim 'XS' has no init}}
module attributes {a = #problem.dim<name = "XS", kind = "stride", min = 0, max = 1>} {}

// -----

// expected-error@+1 {{init 'relu' is not a value of option 'act'}}
module attributes {a = #problem.option<name = "act", values = ["silu"], init = "relu">} {}

// -----

// expected-error@+1 {{dtype 'DT' has no choice}}
module attributes {a = #problem.dtype<name = "DT", choices = []>} {}

// -----

// expected-error@+1 {{operand 'x' has 1 strides when it should have 2}}
module attributes {a = #problem.operand<name = "x", dtype = "f32", shape = [#problem.expr<"T">, #problem.expr<"H">], strides = [#problem.expr<"1">]>} {}

// -----

// expected-error@+1 {{shape should not hold 4}}
module attributes {a = #problem.operand<name = "x", dtype = "f32", shape = [4 : i64]>} {}

// -----

// expected-error@+1 {{regime is 'slow' when it should be compute, memory or launch}}
module attributes {a = #problem.roofline<"h200", time_us = 1.0 : f64, attainable_us = 1.0 : f64, regime = "slow">} {}

// -----

// expected-error@+1 {{guard on 'T' has no value in [2, 1]}}
module attributes {a = #problem.guard<"T", lo = 2, hi = 1, multiple = 1>} {}

// -----

// expected-error@+1 {{guard on 'T' has multiple 0 when it should be 1 or more}}
module attributes {a = #problem.guard<"T", lo = 0, hi = 1, multiple = 0>} {}

// -----

// expected-error@+1 {{tensor map of operand 1: an inner box of 144 bytes, expected at most the swizzle's 128}}
module attributes {a = #problem.tensor_map<operand = 1, "bf16", extents = [<"H">], box = [72], swizzle = 128>} {}

// -----

// expected-error@+1 {{tensor map of operand 0: 0 strides, expected 1}}
module attributes {a = #problem.tensor_map<operand = 0, "bf16", extents = [<"H">, <"T">], box = [64, 8], swizzle = 0>} {}

// -----

// expected-error@+1 {{tensor map has a number out of range, expected 0 to 65535}}
module attributes {a = #problem.tensor_map<operand = -1, "bf16", extents = [<"H">], box = [64], swizzle = 0>} {}

// -----

// expected-error@+1 {{expected an expression}}
module attributes {a = #problem.expr<"T +">} {}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{needs a positive fact 'bandwidth'}}
  problem.target "h" vendor "v" arch "a" peaks {} facts {}
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{is compilable and needs a positive fact 'multiprocessors'}}
  problem.target "h" vendor "v" arch "a" compilable peaks {} facts {bandwidth = 1.0 : f64}
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{peak 'bf16' should be a float}}
  problem.target "h" vendor "v" arch "a" peaks {bf16 = 1 : i64} facts {bandwidth = 1.0 : f64}
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  problem.target "h" vendor "v" arch "a" peaks {} facts {bandwidth = 1.0 : f64}
  // expected-error@+1 {{redefines 'h'}}
  problem.target "h" vendor "v" arch "a" peaks {} facts {bandwidth = 1.0 : f64}
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{read uses unknown symbol 'Q'}}
  problem.operator "op" dims [] inputs [] outputs [] flops [] read <"Q"> write <"1"> templates []
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{declares 'T' twice}}
  problem.operator "op"
    dims [#problem.dim<name = "T", kind = "request", min = 0, max = 1>,
          #problem.dim<name = "T", kind = "request", min = 0, max = 1>]
    inputs [] outputs [] flops [] read <"1"> write <"1"> templates []
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{is of unknown operator 'op'}}
  problem.entry "e" of "op" static {} options {} dtypes {} scalars {} importance 0.0
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  problem.operator "op" dims [#problem.dim<name = "H", kind = "static", min = 0, max = 1>]
    inputs [] outputs [] flops [] read <"1"> write <"1"> templates []
  // expected-error@+1 {{does not bind static dim 'H'}}
  problem.entry "e" of "op" static {} options {} dtypes {} scalars {} importance 0.0
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  problem.operator "op" dims [#problem.dim<name = "H", kind = "static", min = 0, max = 1>]
    inputs [] outputs [] flops [] read <"1"> write <"1"> templates []
  // expected-error@+1 {{static dim 'H' should have one or more integers}}
  problem.entry "e" of "op" static {H = array<i64>} options {} dtypes {} scalars {} importance 0.0
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{is of unknown entry 'e'}}
  problem.instance "e" phase "p" dims {} count 0.0 time_us 0.0 weight 0.0
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  problem.operator "op" dims [#problem.dim<name = "T", kind = "request", min = 0, max = 1>]
    inputs [] outputs [] flops [] read <"1"> write <"1"> templates []
  problem.entry "e" of "op" static {} options {} dtypes {} scalars {} importance 0.0
  // expected-error@+1 {{does not bind dim 'T'}}
  problem.instance "e" phase "p" dims {} count 0.0 time_us 0.0 weight 0.0
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  problem.operator "op" dims [#problem.dim<name = "T", kind = "request", min = 0, max = 1>]
    inputs [] outputs [] flops [] read <"1"> write <"1"> templates []
  problem.entry "e" of "op" static {} options {} dtypes {} scalars {} importance 0.0
  // expected-error@+1 {{binds request dim 'T' to array<i64>}}
  problem.instance "e" phase "p" dims {T = array<i64>} count 0.0 time_us 0.0 weight 0.0
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  problem.operator "op" dims []
    options [#problem.option<name = "act", values = ["silu"], init = "silu">]
    inputs [] outputs [] flops [] read <"1"> write <"1"> templates []
  // expected-error@+1 {{gives 'act' the value "relu" when it should be one of ["silu"]}}
  problem.entry "e" of "op" static {} options {act = "relu"} dtypes {} scalars {} importance 0.0
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{weight is a share and should be at most 1}}
  problem.instance "e" phase "p" dims {} count 0.0 time_us 0.0 weight 2.0
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{count is -1}}
  problem.instance "e" phase "p" dims {} count -1.0 time_us 0.0 weight 0.0
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{role is 'best' when it should be 'generic', 'bucket' or 'exact'}}
  problem.candidate "k" for "e" role "best" op "op" template "t" arch "a"
    constants {} schedule {} dtypes {} multiples {} alignment 1 threads 32
    guards [] grid [#problem.expr<"1">] live <"1"> passes <"1"> model {}
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{alignment is 3 when it should be a power of two}}
  problem.candidate "k" for "e" role "exact" op "op" template "t" arch "a"
    constants {} schedule {} dtypes {} multiples {} alignment 3 threads 32
    guards [] grid [#problem.expr<"1">] live <"1"> passes <"1"> model {}
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{grid has 0 axes when it should have 1 to 3}}
  problem.candidate "k" for "e" role "exact" op "op" template "t" arch "a"
    constants {} schedule {} dtypes {} multiples {} alignment 1 threads 32
    guards [] grid [] live <"1"> passes <"1"> model {}
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  problem.operator "op" dims [] inputs [] outputs [] flops [] read <"1"> write <"1"> templates []
  problem.entry "e" of "op" static {} options {} dtypes {} scalars {} importance 0.0
  // expected-error@+1 {{is for unknown architecture 'a'}}
  problem.candidate "k" for "e" role "exact" op "op" template "t" arch "a"
    constants {} schedule {} dtypes {} multiples {} alignment 1 threads 32
    guards [] grid [#problem.expr<"1">] live <"1"> passes <"1"> model {}
}

// -----

problem.workload "a" histogram "b" unshaped 0.0 {
  // expected-error@+1 {{should not be in a workload}}
  builtin.module {}
}

// -----

// expected-error@+1 {{expects parent op 'problem.workload'}}
problem.unserved "e" arch "a" because "r"
