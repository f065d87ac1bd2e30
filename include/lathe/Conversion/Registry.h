//===- Registry.h - Dialects that the pipeline passes through ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CONVERSION_REGISTRY_H
#define LATHE_CONVERSION_REGISTRY_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace lathe {

/// Every dialect between a template and the LLVM dialect, with the interfaces
/// that their conversion to LLVM needs.
void registerPipelineDialects(mlir::DialectRegistry &registry);

} // namespace lathe

#endif // LATHE_CONVERSION_REGISTRY_H
