//===- ModelConfig.h - Op sets from a model's config.json -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is derived is data: patterns/models.yaml of the template folders.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_MODELCONFIG_H
#define LATHE_INGEST_MODELCONFIG_H

#include "lathe/Ingest/Load.h"

namespace lathe {

struct ModelOptions {
  int64_t tensorParallel = 1, expertParallel = 1;
  int64_t blockSize = 16; ///< tokens of a cache block
  /// none, fp8 (a scale per token), fp8-block, mxfp4, or other (weights that no
  /// operator reads); empty: as the config says.
  std::string quant;
  bool fnuz = false; ///< fp8 values in the fnuz encoding
};

/// One use of an operator by one rank of the model.
struct ModelUse {
  std::string entry; ///< in the op set
  int64_t calls = 0; ///< in one step
  /// Dims that follow from T, the tokens of a step; all of the entry's request
  /// dims without a default, or none at all.
  std::vector<std::pair<std::string, Expr>> request;
};

struct ModelImport {
  std::string modelType, quant;
  OpSet opset;
  std::vector<ModelUse> uses;
  /// Work that no operator does: matrix products with their sizes, others by
  /// name; one line each.
  std::vector<std::string> uncovered;
  /// What was not understood, not derived, or assumed; one line each.
  std::vector<std::string> notes;
};

/// `templates` are the folders with patterns/models.yaml; later ones win.
llvm::Expected<ModelImport> importModel(llvm::StringRef configFile,
                                        const ModelOptions &options,
                                        const OperatorTable &operators,
                                        llvm::ArrayRef<std::string> templates);

/// Writes the op set; what it leaves out follows as comments.
void writeModelOpSet(llvm::raw_ostream &os, const ModelImport &import,
                     const OperatorTable &operators);

} // namespace lathe

#endif // LATHE_INGEST_MODELCONFIG_H
