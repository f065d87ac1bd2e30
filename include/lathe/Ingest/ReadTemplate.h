//===- ReadTemplate.h - A template and what it calls ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_READTEMPLATE_H
#define LATHE_INGEST_READTEMPLATE_H

#include "lathe/Support/TemplateSource.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lathe {

/// Reads `directory`/`name`.mlir and adds its functions.
llvm::Expected<TemplateSource> readTemplate(llvm::StringRef directory,
                                            llvm::StringRef name);

/// Functions that `source` calls and does not define, and those that they call:
/// @f is in f.mlir of a folder `functions` beside the operator's folder, or
/// beside the one that holds that. What is not there is left to whoever parses.
llvm::Error addFunctions(TemplateSource &source, llvm::StringRef directory);

} // namespace lathe

#endif // LATHE_INGEST_READTEMPLATE_H
