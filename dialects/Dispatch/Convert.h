//===- Convert.h - Dispatch tables to IR and back ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DIALECTS_DISPATCH_CONVERT_H
#define LATHE_DIALECTS_DISPATCH_CONVERT_H

#include "Dispatch/DispatchTable.h"

namespace mlir {
class Location;
class ModuleOp;
class OpBuilder;
} // namespace mlir

namespace lathe::dispatch {

class TableOp;

/// Adds `dispatch.table` with its cases at the builder's insertion point. The
/// context must have the dialect loaded. Nothing is verified here.
TableOp buildTable(mlir::OpBuilder &builder, mlir::Location loc,
                   const DispatchTable &table);

/// The inverse; also of tables that would not verify.
DispatchTable readTable(TableOp op);

/// The tables of a module in its order.
std::vector<DispatchTable> readTables(mlir::ModuleOp module);

} // namespace lathe::dispatch

#endif // LATHE_DIALECTS_DISPATCH_CONVERT_H
