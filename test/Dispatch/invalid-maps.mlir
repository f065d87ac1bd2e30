// RUN: lathe-opt %s -split-input-file -verify-diagnostics

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  // expected-error @below {{tensor maps need 'XS' up to 64 by 8, and no guard says so}}
  dispatch.case bucket "sm_90a" when (T in 0 to 100) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  // expected-error @below {{tensor maps need 'T' up to 4294967295 by 1, and no guard says so}}
  dispatch.case bucket "sm_90a" when (XS multiple 8) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  // expected-error @below {{tensor maps with alignment 8, expected a multiple of 16}}
  dispatch.case bucket "sm_90a" when (T in 0 to 100, XS multiple 8) align 8 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  // expected-error @below {{tensor maps for gfx942, which has none}}
  dispatch.case bucket "gfx942" when (T in 0 to 100, XS multiple 8) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>)
  dispatch.case generic "gfx942" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  // expected-error @below {{tensor map of operand 2, there are 2}}
  dispatch.case bucket "sm_90a" when (T in 0 to 100, XS multiple 8) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 2, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  // expected-error @below {{tensor map 'S' reads 'S', which is not a dim}}
  dispatch.case bucket "sm_90a" when (T in 0 to 100, XS multiple 8) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"S">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  // expected-error @below {{tensor map 'sum(T)' uses lists, which the runtime cannot evaluate}}
  dispatch.case bucket "sm_90a" when (T in 0 to 100, XS multiple 8) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"sum(T)">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  // expected-error @below {{stride 'XS * T * 2' must be a multiple of 16 up to 1099511627775, and no guard on one dim says so}}
  dispatch.case bucket "sm_90a" when (T in 0 to 100) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * T * 2">], box = [64, 8], swizzle = 128>)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  // expected-error @below {{17 tensor maps, expected at most 16}}
  dispatch.case bucket "sm_90a" when (T in 0 to 100, XS multiple 8) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>, <operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}

// -----

dispatch.table "norm" of "rms_norm" dims (T: 0 to 1099511627776, H: 1 to 64, XS: 1 to 64)
    operands (x: bf16) -> (out: bf16) scalars () options () dtypes () {
  dispatch.case bucket "sm_90a" when (T in 0 to 8, XS multiple 8) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 8], swizzle = 128>)
  // expected-error @below {{kernel 'b' has another symbol, block size or argument list than in an earlier case}}
  dispatch.case bucket "sm_90a" when (T in 0 to 100, XS multiple 8) align 16 kernel "b" symbol "b"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
    maps (<operand = 0, "bf16", extents = [<"H">, <"T">], strides = [<"XS * 2">], box = [64, 16], swizzle = 128>)
  dispatch.case generic "sm_90a" when () align 1 kernel "k" symbol "k"
    grid ("T", "1", "1") threads 128 shared 0 args (T, H)
}
