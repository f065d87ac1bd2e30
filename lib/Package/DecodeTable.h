//===- DecodeTable.h - Binary tables back to structs ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PACKAGE_DECODETABLE_H
#define LATHE_LIB_PACKAGE_DECODETABLE_H

#include "lathe/Package/Bundle.h"

namespace lathe {

/// The inverse of encodeTable, of bytes that the runtime has accepted and that
/// are 8-byte aligned. What a table does not hold (resources, origin, verdict)
/// stays empty.
DispatchTable decodeTable(llvm::StringRef bytes);

} // namespace lathe

#endif // LATHE_LIB_PACKAGE_DECODETABLE_H
