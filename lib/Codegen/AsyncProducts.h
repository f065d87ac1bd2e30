//===- AsyncProducts.h - wgmma as LLVM IR holds it --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_ASYNCPRODUCTS_H
#define LATHE_LIB_CODEGEN_ASYNCPRODUCTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace lathe {

/// An asm call with one wgmma.mma_async in it.
struct AsyncProduct {
  const llvm::CallBase *call = nullptr;
  llvm::StringRef shape; ///< "m64n128k16.f32.bf16.bf16"
  llvm::SmallVector<const llvm::Value *, 0> accumulators; ///< tied inputs
  llvm::SmallVector<const llvm::Value *, 4> a; ///< registers of A, if any
};

/// Nothing if the call is no such asm.
std::optional<AsyncProduct> matchProduct(const llvm::CallBase &call);

/// What an instruction does to groups of products.
struct GroupEffect {
  bool fence = false, commit = false;
  std::optional<uint64_t> wait; ///< groups that may stay open
};
GroupEffect groupEffect(const llvm::Instruction &instruction);

/// What is no instruction of the machine: empty asm, freeze, and the taking
/// apart of their results. From each such value to the one that its register
/// holds.
using Pins = llvm::DenseMap<const llvm::Value *, const llvm::Value *>;
Pins findPins(const llvm::Function &function);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_ASYNCPRODUCTS_H
