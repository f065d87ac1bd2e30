problem.workload "demo" histogram "day" unshaped 0.0 {
  problem.target "h200" vendor "nvidia" arch "sm_90a" compilable
    peaks {bf16 = 9.89e14 : f64, f32 = 6.7e13 : f64}
    facts {bandwidth = 4.8e12 : f64, achievedBandwidth = 4.28e12 : f64,
           multiprocessors = 132 : i64, warpSize = 32 : i64,
           threadsPerSm = 2048 : i64, blocksPerSm = 32 : i64,
           maxThreadsPerBlock = 1024 : i64, registersPerSm = 65536 : i64,
           maxRegistersPerThread = 255 : i64, launchFloorUs = 2.0 : f64,
           clockHz = 1.98e9 : f64, memoryLatencyNs = 650.0 : f64,
           smBytesPerClock = 64.0 : f64}
  problem.target "paper" vendor "none" arch "none" peaks {} facts {bandwidth = 1.0e12 : f64}
  problem.operator "scale"
    dims [#problem.dim<name = "T", kind = "request", min = 0, max = 1099511627776>,
          #problem.dim<name = "H", kind = "static", min = 1, max = 65536>,
          #problem.dim<name = "XS", kind = "stride", min = 0, max = 1099511627776, init = <"H">>]
    scalars [#problem.scalar<name = "factor", dtype = "f32", init = 2.0 : f64>]
    dtypes [#problem.dtype<name = "DT", choices = ["bf16", "f32"]>]
    inputs [#problem.operand<name = "x", dtype = "DT", shape = [#problem.expr<"T">, #problem.expr<"H">],
                             strides = [#problem.expr<"XS">, #problem.expr<"1">]>]
    outputs [#problem.operand<name = "out", dtype = "DT", shape = [#problem.expr<"T">, #problem.expr<"H">]>]
    flops [#problem.flops<"DT", <"T * H">>]
    read <"DT_bytes * T * H"> write <"DT_bytes * T * H"> templates ["any", "rows"]
  problem.operator "costs" dims [#problem.dim<name = "T", kind = "request", min = 0, max = 1024>]
    inputs [] outputs [] flops [] read <"T"> write <"T"> templates []
  problem.entry "scaled" of "scale" static {H = array<i64: 4002, 1024>}
    options {} dtypes {DT = "bf16"} scalars {factor = 2.0 : f64} importance 0.9
  problem.entry "counted" of "costs" static {} options {} dtypes {} scalars {} importance 0.1
  problem.instance "scaled" phase "prefill" dims {T = 16384 : i64, H = 1024 : i64, XS = 1024 : i64}
    count 1.0 time_us 1.0 weight 0.5
  problem.instance "scaled" phase "decode" dims {T = 7 : i64, H = 4002 : i64, XS = 4002 : i64}
    count 1.0 time_us 1.0 weight 0.4
  problem.instance "counted" phase "decode" dims {T = 7 : i64} count 1.0 time_us 1.0 weight 0.1
}
