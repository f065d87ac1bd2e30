//===- Syntax.h - Readable lists in dispatch assembly -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsers and printers of the `custom<...>` directives in DispatchOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DIALECTS_DISPATCH_SYNTAX_H
#define LATHE_DIALECTS_DISPATCH_SYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace lathe::dispatch {

mlir::ParseResult parseDims(mlir::OpAsmParser &parser, mlir::ArrayAttr &dims);
void printDims(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               mlir::ArrayAttr dims);

mlir::ParseResult parseOperands(mlir::OpAsmParser &parser,
                                mlir::ArrayAttr &operands);
void printOperands(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::ArrayAttr operands);

mlir::ParseResult parseScalars(mlir::OpAsmParser &parser,
                               mlir::ArrayAttr &scalars);
void printScalars(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::ArrayAttr scalars);

mlir::ParseResult parseBindings(mlir::OpAsmParser &parser,
                                mlir::ArrayAttr &bindings);
void printBindings(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::ArrayAttr bindings);

mlir::ParseResult parseGuards(mlir::OpAsmParser &parser,
                              mlir::ArrayAttr &guards);
void printGuards(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::ArrayAttr guards);

mlir::ParseResult parseGrid(mlir::OpAsmParser &parser, mlir::ArrayAttr &grid);
void printGrid(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               mlir::ArrayAttr grid);

mlir::ParseResult parseNames(mlir::OpAsmParser &parser, mlir::ArrayAttr &names);
void printNames(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ArrayAttr names);

mlir::ParseResult parseMaps(mlir::OpAsmParser &parser, mlir::ArrayAttr &maps);
void printMaps(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               mlir::ArrayAttr maps);

mlir::ParseResult parseCaseKind(mlir::OpAsmParser &parser,
                                mlir::StringAttr &kind);
void printCaseKind(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::StringAttr kind);

/// A bare i64, without its type.
mlir::ParseResult parseInt(mlir::OpAsmParser &parser, mlir::IntegerAttr &value);
void printInt(mlir::OpAsmPrinter &printer, mlir::Operation *op,
              mlir::IntegerAttr value);

} // namespace lathe::dispatch

#endif // LATHE_DIALECTS_DISPATCH_SYNTAX_H
