//===- NarrowFloats.h - Conversions of 8-bit floats as LLVM IR --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_NARROWFLOATS_H
#define LATHE_LIB_CODEGEN_NARROWFLOATS_H

#include "llvm/IR/Module.h"

namespace lathe {

/// Gives bodies to the `lathe_<format>_encode` (f64 to i32) and `_decode` (i32
/// to f32) that the module declares. They find in tables, made by
/// Support/FloatFormat, what the host computes, bit for bit.
void defineNarrowFloats(llvm::Module &module);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_NARROWFLOATS_H
