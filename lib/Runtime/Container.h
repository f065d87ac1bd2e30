//===- Container.h - Members behind a directory of hashes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bundles and candidate files have in common: a sequence of offload
// binaries, whose first one is a directory (lathe_table.h) of all others.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_CONTAINER_H
#define LATHE_LIB_RUNTIME_CONTAINER_H

#include "OffloadReader.h"

namespace lathe::runtime {

/// Checks every hash and that members lie without gaps, and gives the entries
/// of all but the directory, in order; views into `bytes`, which start 8-byte
/// aligned.
lathe_status readContainer(std::string_view bytes,
                           std::vector<OffloadEntry> &entries);

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_CONTAINER_H
