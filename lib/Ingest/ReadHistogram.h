//===- ReadHistogram.h - A histogram file, point by point -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_READHISTOGRAM_H
#define LATHE_LIB_INGEST_READHISTOGRAM_H

#include "lathe/Ingest/Model.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lathe {

/// Everything but the points' contents: keys, names, and the sum of weights.
/// With `opset`, the file must name it.
llvm::Expected<Histogram> readHistogram(
    llvm::StringRef file, const OpSet *opset,
    llvm::function_ref<void(yaml::Reader &, const yaml::Node &, Histogram &)>
        loadPoint);

} // namespace lathe

#endif // LATHE_LIB_INGEST_READHISTOGRAM_H
