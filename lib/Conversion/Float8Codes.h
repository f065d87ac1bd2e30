//===- Float8Codes.h - Codes of 8-bit floats and values ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds conversions between lists, vectors of rank 1: of codes (i8), and of
// f16 or f32 values. The integer forms give what the instructions give.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CONVERSION_FLOAT8CODES_H
#define LATHE_LIB_CONVERSION_FLOAT8CODES_H

#include "lathe/Support/FloatKinds.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace lathe::float8 {

/// The list's type with other elements.
mlir::VectorType listType(mlir::Value list, mlir::Type element);

/// Codes to f16, by cvt.rn.f16x2.e4m3x2 and e5m2x2 (PTX ISA, "cvt").
mlir::Value decodeByNvidia(mlir::ImplicitLocOpBuilder &builder,
                           mlir::Value codes, FloatFormat format);
/// Codes to f32, by v_cvt_pk_f32_fp8 and v_cvt_pk_f32_bf8 (AMD CDNA3 ISA).
mlir::Value decodeByAmd(mlir::ImplicitLocOpBuilder &builder, mlir::Value codes,
                        FloatFormat format);
/// Codes to f16 (E5M2) or f32, by integer arithmetic.
mlir::Value decodeByIntegers(mlir::ImplicitLocOpBuilder &builder,
                             mlir::Value codes, FloatFormat format);

/// f32 to codes, rounded to nearest even, by cvt.rn.satfinite.e4m3x2.f32 and
/// e5m2x2 (PTX ISA, "cvt"), but without saturation.
mlir::Value encodeByNvidia(mlir::ImplicitLocOpBuilder &builder,
                           mlir::Value values, FloatFormat format);
/// The same by v_cvt_pk_fp8_f32 and v_cvt_pk_bf8_f32 (AMD CDNA3 ISA), which do
/// not saturate in the mode that kernels start in.
mlir::Value encodeByAmd(mlir::ImplicitLocOpBuilder &builder, mlir::Value values,
                        FloatFormat format);
/// The same by integer arithmetic.
mlir::Value encodeByIntegers(mlir::ImplicitLocOpBuilder &builder,
                             mlir::Value values, FloatFormat format);

} // namespace lathe::float8

#endif // LATHE_LIB_CONVERSION_FLOAT8CODES_H
