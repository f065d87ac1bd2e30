//===- Bind.h - Values for the symbols of an operator -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_BIND_H
#define LATHE_INGEST_BIND_H

#include "lathe/Ingest/Model.h"

namespace lathe {

/// The op set entry with this name, or null.
const OpSetEntry *findEntry(const OpSet &opset, llvm::StringRef name);

/// What an entry chooses, without its dims: option indices and
/// `<variable>_bytes` per dtype variable.
llvm::Expected<Bindings> bindChoices(const OperatorSpec &spec,
                                     const OpSetEntry &entry);

/// Everything that expressions of `spec` can name: dims, option indices and
/// `<variable>_bytes` per dtype variable. `dims` may leave out static dims that
/// `entry` binds to a single value, and dims with a default. Unknown, missing
/// and out-of-range dims are errors.
llvm::Expected<Bindings> bindAll(const OperatorSpec &spec,
                                 const OpSetEntry &entry, const Bindings &dims);

/// As bindAll, but only the dims.
llvm::Expected<Bindings> bindDims(const OperatorSpec &spec,
                                  const OpSetEntry &entry,
                                  const Bindings &dims);

/// An entry with every option, dtype and scalar at its default.
OpSetEntry defaultEntry(const OperatorSpec &spec);

/// The dtype that `name` stands for in `entry`; dtypes stand for themselves.
DTypeName resolveDType(const OpSetEntry &entry, llvm::StringRef name);

/// How far this output may be from the reference.
const ToleranceSpec &toleranceOf(const OperatorSpec &spec,
                                 const OpSetEntry &entry,
                                 llvm::StringRef output);

struct CostValue {
  std::vector<std::pair<DTypeName, int64_t>> flops; ///< by concrete dtype
  int64_t readBytes = 0, writeBytes = 0;
};

/// `bindings` come from bindAll.
llvm::Expected<CostValue> evaluateCost(const OperatorSpec &spec,
                                       const OpSetEntry &entry,
                                       const Bindings &bindings);

/// max of the sum over dtypes of FLOPs / peak, and bytes / bandwidth, in us. A
/// dtype without a peak on `hardware` is an error.
llvm::Expected<double> rooflineUs(const CostValue &cost,
                                  const Hardware &hardware);

} // namespace lathe

#endif // LATHE_INGEST_BIND_H
