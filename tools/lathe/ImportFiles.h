//===- ImportFiles.h - What the importers' commands share ----- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_IMPORTFILES_H
#define LATHE_TOOLS_LATHE_IMPORTFILES_H

#include "Commands.h"

#include "lathe/Ingest/Load.h"

namespace lathe::tool {

/// The operators of `folders`, some of which may have patterns only.
OperatorTable loadFolders(llvm::ArrayRef<std::string> folders);

/// Writes through a temporary file, so that no partial file is left.
void writeImported(llvm::StringRef file,
                   llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Writes opset.yaml and histogram.yaml, with `notes` after the points, to a
/// folder that is made if need be.
void writeImportedPair(
    const std::string &folder, const OpSet &opset, const Histogram &histogram,
    const OperatorTable &operators,
    llvm::function_ref<void(llvm::raw_ostream &)> notes = {});

/// Adds --templates to an importer.
void addTemplatesOption(CLI::App &command, std::vector<std::string> &templates);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_IMPORTFILES_H
