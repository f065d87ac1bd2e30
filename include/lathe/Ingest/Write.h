//===- Write.h - Writes op sets and histograms as YAML ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_WRITE_H
#define LATHE_INGEST_WRITE_H

#include "lathe/Ingest/Load.h"

#include "llvm/Support/raw_ostream.h"

namespace lathe {

/// What loadOpSet reads back to an equal value, up to digits of numbers.
void writeOpSet(llvm::raw_ostream &os, const OpSet &opset,
                const OperatorTable &operators);

/// Likewise; dims at their default are left out.
void writeHistogram(llvm::raw_ostream &os, const Histogram &histogram,
                    const OpSet &opset, const OperatorTable &operators);

/// The shortest decimal text that reads back as `value`, cut off at
/// `maxDigits`.
std::string numberText(double value, int maxDigits = 17);

/// `[1, 2 x 3]` for 1, 2, 2, 2.
std::string listText(llvm::ArrayRef<int64_t> values);

} // namespace lathe

#endif // LATHE_INGEST_WRITE_H
