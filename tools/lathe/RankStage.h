//===- RankStage.h - From candidates and records to a bundle ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_RANKSTAGE_H
#define LATHE_TOOLS_LATHE_RANKSTAGE_H

#include "Shipment.h"

namespace lathe::tool {

struct RankOptions {
  std::string candidates, database;
  std::string device;     ///< name or part of it; empty: there is but one
  bool anyDriver = false; ///< use records of other drivers too
  std::vector<std::string> templates;
  ShipOptions ship;
};

/// Ships what was measured best. Failures throw CommandFailed after they were
/// printed.
void rankCandidates(const RankOptions &options);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_RANKSTAGE_H
