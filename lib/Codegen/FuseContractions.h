//===- FuseContractions.h - Products that become part of a sum --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_FUSECONTRACTIONS_H
#define LATHE_LIB_CODEGEN_FUSECONTRACTIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace lathe {

/// Decides here, and not in instruction selection, which products and sums
/// round once: contractible pairs become llvm.fma, with the choices of the
/// generic combiner. Then every flag and note that would let a code generator
/// compute something else goes, so that all of them agree bit for bit.
void fuseContractions(llvm::Module &module);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_FUSECONTRACTIONS_H
