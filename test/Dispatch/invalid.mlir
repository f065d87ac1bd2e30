// RUN: lathe-opt %s -split-input-file -verify-diagnostics

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{guard on 'S', which is not a dim}}
  dispatch.case bucket "sm_90a" when (S in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{two guards on dim 'T'}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2, T multiple 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{guard on 'T' never holds: [200, 300] is outside the declared [0, 100]}}
  dispatch.case bucket "sm_90a" when (T in 200 to 300) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{run-time dim 'S' is not a dim}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (S)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{run-time dim 'T' is passed twice}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, T)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{grid 'S + 1' reads 'S', which is not a dim}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("S + 1", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{grid 'sum(T)' uses lists, which the runtime cannot evaluate}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("sum(T)", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{grid '0' never launches anything}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "0", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{alignment 3, expected a power of two up to 4096}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 3 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{2048 threads, expected 1 to 1024}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 2048 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{-1 bytes of shared memory, expected 0 to 1048576}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared -1 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{architecture 'hopper', expected a name like sm_80, sm_90a or gfx942}}
  dispatch.case bucket "hopper" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  dispatch.case generic "sm_90" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  // expected-error @below {{kernel 'k' is built for sm_90 and cannot serve sm_90a}}
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  // expected-error @below {{kernel 'b' has another symbol, block size or argument list than in an earlier case}}
  dispatch.case bucket "sm_90a" when (T in 3 to 4) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 64 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}
