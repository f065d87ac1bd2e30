//===- Repair.h - Makes almost-JSON into JSON -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_REPAIR_H
#define LATHE_LIB_INGEST_TRACE_REPAIR_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace lathe {

/// Writes `text` to `result`, followed by `padding` zero bytes: inf, nan and
/// the like become null, control characters in strings spaces, and bytes that
/// are no UTF-8 question marks.
void repairJson(llvm::StringRef text, std::string &result, size_t padding);

/// A name as it may go into an output: printable, of moderate length, with `*`
/// for words that look like paths or addresses.
std::string cleanName(llvm::StringRef name);

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_REPAIR_H
