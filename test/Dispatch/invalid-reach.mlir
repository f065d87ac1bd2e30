// RUN: lathe-opt %s -split-input-file -verify-diagnostics

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
