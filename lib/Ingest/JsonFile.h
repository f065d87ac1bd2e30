//===- JsonFile.h - Small JSON files that others wrote -------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_JSONFILE_H
#define LATHE_LIB_INGEST_JSONFILE_H

#include "llvm/Support/JSON.h"

namespace lathe {

/// Parses `text`, whose nesting is capped since the parser recurses. Errors
/// start with `where`.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text,
                                            llvm::StringRef where);

/// A regular file of at most 16 MiB.
llvm::Expected<std::string> readSmallFile(llvm::StringRef file);
llvm::Expected<llvm::json::Value> readJsonFile(llvm::StringRef file);

/// Text of others for messages and comments: printable and short.
std::string shownText(llvm::StringRef text);

} // namespace lathe

#endif // LATHE_LIB_INGEST_JSONFILE_H
