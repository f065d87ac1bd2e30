//===- LoadCases.h - Tolerances and cases of operator.yaml ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_LOADCASES_H
#define LATHE_LIB_INGEST_LOADCASES_H

#include "LoadSignature.h"

namespace lathe {

/// The `tolerance` map, with those of single outputs in it.
void loadTolerance(yaml::Reader &reader, const yaml::Node &node,
                   OperatorSpec &spec);

/// The `cases` map; dims and operands of `spec` are there already.
void loadCases(yaml::Reader &reader, const yaml::Node &node,
               SignatureLoader &signature, OperatorSpec &spec);

} // namespace lathe

#endif // LATHE_LIB_INGEST_LOADCASES_H
