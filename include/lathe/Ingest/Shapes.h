//===- Shapes.h - Imports logs, tables and problem definitions  -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_SHAPES_H
#define LATHE_INGEST_SHAPES_H

#include "lathe/Ingest/ModelConfig.h"
#include "lathe/Ingest/Seen.h"

namespace lathe {

/// What an importer of shapes needs.
struct ShapeContext {
  const OperatorTable &operators;
  const Hardware &reference;           ///< for weights without times
  llvm::ArrayRef<std::string> folders; ///< with patterns/shapes.yaml
};

/// Lines of serving engines and libraries. With `model`, the tokens of each
/// step give the dims of the model's operators; without, steps are a note.
llvm::Expected<SeenShapes> importLogs(llvm::ArrayRef<std::string> files,
                                      const ModelImport *model,
                                      const ShapeContext &context);

/// CSV tables whose rows are shapes.
llvm::Expected<SeenShapes> importCsv(llvm::ArrayRef<std::string> files,
                                     const ShapeContext &context);

/// A FlashInfer-Trace folder: definitions/ and workloads/.
llvm::Expected<SeenShapes> importFlashInfer(llvm::StringRef directory,
                                            const ShapeContext &context);

/// Folders with definition.json and workload.jsonl.
llvm::Expected<SeenShapes> importSol(llvm::StringRef directory,
                                     const ShapeContext &context);

/// Writes notes and what is not covered as comments.
void writeSeenNotes(llvm::raw_ostream &os, const SeenShapes &shapes);

} // namespace lathe

#endif // LATHE_INGEST_SHAPES_H
