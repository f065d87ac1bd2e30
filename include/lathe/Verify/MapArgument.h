//===- MapArgument.h - Tensor maps for the simulator ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_MAPARGUMENT_H
#define LATHE_VERIFY_MAPARGUMENT_H

#include "lathe/Simulate/Simulator.h"
#include "lathe/Support/TensorMap.h"

namespace lathe {

/// The map at `bindings`, over the whole of a launch's buffer.
llvm::Expected<sim::Argument>
mapArgument(const TensorMap &map, const Bindings &bindings, unsigned buffer);

} // namespace lathe

#endif // LATHE_VERIFY_MAPARGUMENT_H
