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

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  // expected-error @below {{duplicate of case 0 ('b')}}
  dispatch.case bucket "sm_90a" when (T in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  dispatch.case bucket "sm_90a" when (T in 1 to 20 multiple 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  // expected-error @below {{unreachable: case 0 ('b') takes all it could serve}}
  dispatch.case bucket "sm_90a" when (T in 4 to 4, H in 1 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{the last case for sm_90a must take every 'T' in [0, 100], and takes [1, 100] by 1}}
  dispatch.case bucket "sm_90a" when (T in 1 to 100) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{the last case for sm_90a must take every 'H' in [1, 64], and takes [1, 64] by 8}}
  dispatch.case bucket "sm_90a" when (H multiple 8) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{the last case for sm_90a needs bases aligned to 16 bytes, expected no more than one element (2)}}
  dispatch.case generic "sm_90a" when () align 16 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

// expected-error @below {{no cases}}
dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
}

// -----

// expected-error @below {{dim 'T' is declared twice or has no name}}
dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, T: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T)
}

// -----

// expected-error @below {{dim 'H' has the empty range [64, 1]}}
dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 64 to 1) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

// expected-error @below {{default 'H' reads 'H', expected an earlier dim}}
dispatch.table "norm" of "rms_norm" dims (T: 0 to 100 = "H", H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

// expected-error @below {{scalar 'eps' is 'bf16', expected f32, f64, i32 or i64}}
dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars (eps: bf16 = 1.0) options () dtypes () {
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

// expected-error @below {{operand 'x' appears twice or has no name}}
dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16, x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{guard on 'T' has lo 4 above hi 2}}
  dispatch.case bucket "sm_90a" when (T in 4 to 2) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{guard on 'T' has multiple 0, expected at least 1}}
  dispatch.case bucket "sm_90a" when (T multiple 0) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{expected 'in' or 'multiple'}}
  dispatch.case bucket "sm_90a" when (T) align 1 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{kind is 'special', expected exact, bucket or generic}}
  dispatch.case special "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  // expected-error @below {{has 2 grid expressions, expected 3}}
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 100, H: 1 to 64) operands (x: bf16) -> (out: bf16)
    scalars () options () dtypes () {
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    // expected-error @below {{expected an expression}}
    grid ("T +", "1", "1") threads 128 shared 0 args (T)
}
