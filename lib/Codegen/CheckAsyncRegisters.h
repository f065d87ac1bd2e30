//===- CheckAsyncRegisters.h - Registers of wgmma in flight -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_CHECKASYNCREGISTERS_H
#define LATHE_LIB_CODEGEN_CHECKASYNCREGISTERS_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace lathe {

/// Holds a module to the rules that PTX ISA 9 has for the registers of
/// wgmma.mma_async, on every path:
/// - its result is not used before a wait_group that covers its group, except
///   as the accumulator of a further product of the same shape;
/// - a wgmma.fence comes before the first product, and between an instruction
///   that writes a register and a product that reads it;
/// - a loop does not rewrite the registers of A while a product reads them.
/// The error names kernel, instruction and source location of each breach.
llvm::Error checkAsyncRegisters(const llvm::Module &module);

/// Marks inline assembly that lanes execute together as convergent; LLVM's
/// dialect has no way to say so.
void markConvergentAssembly(llvm::Module &module);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_CHECKASYNCREGISTERS_H
