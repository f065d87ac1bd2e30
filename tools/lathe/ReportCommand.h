//===- ReportCommand.h - Writes a bundle's page -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_REPORTCOMMAND_H
#define LATHE_TOOLS_LATHE_REPORTCOMMAND_H

#include "llvm/Support/Error.h"

#include <string>

namespace lathe::tool {

/// Reads the bundle back from its file, so that the page shows what is there,
/// and says on the terminal what it wrote.
llvm::Error writeReport(const std::string &bundlePath, const std::string &path);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_REPORTCOMMAND_H
