//===- InstanceRecords.h - The manifest's view of a plan --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_INSTANCERECORDS_H
#define LATHE_TOOLS_LATHE_INSTANCERECORDS_H

#include "lathe/Package/Bundle.h"
#include "lathe/Plan/Plan.h"
#include "lathe/Rank/MeasuredTimes.h"

namespace lathe::tool {

/// Every target's architecture, peaks, bandwidths and launch floor.
llvm::json::Array targetRecords(llvm::ArrayRef<Hardware> targets);

/// The figures of one of those records that rooflines need.
llvm::Expected<Hardware> hardwareOfRecord(const llvm::json::Value &record);

/// Every point of the histogram: what it costs, and per target its bound and
/// the case of `tables` that takes it. Strides at their defaults are left out,
/// long lists summed up. `problem` holds the candidates with what their
/// binaries say, `times` what a device said of them (null: nothing).
llvm::Expected<llvm::json::Array>
instanceRecords(mlir::ModuleOp problem, const PlanInput &input,
                llvm::ArrayRef<DispatchTable> tables,
                const MeasuredTimes *times);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_INSTANCERECORDS_H
