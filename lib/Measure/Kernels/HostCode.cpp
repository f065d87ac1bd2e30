//===- HostCode.cpp - The kernels on the host -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For drivers that emulate a device, and for tests.
//
//===----------------------------------------------------------------------===//

#include "CompareKernels.h"
#include "DrawKernels.h"
#include "lathe/Measure/HostKernels.h"

using namespace lathe::measure;

/// All threads of a launch, one after the other.
template <typename Argument, typename Function>
static void runAll(Function function, const void *argument, uint64_t threads) {
  for (uint64_t i = 0; i < threads; ++i)
    function(*static_cast<const Argument *>(argument), Thread{i, threads});
}

bool lathe::measure::runKernelOnHost(std::string_view symbol,
                                     const uint32_t grid[3],
                                     const uint32_t block[3],
                                     void **arguments) {
  uint64_t threads = uint64_t(grid[0]) * block[0];
#define LATHE_KERNEL(name, Argument, function)                                 \
  if (symbol == #name) {                                                       \
    runAll<Argument>(function, arguments[0], threads);                         \
    return true;                                                               \
  }
#include "Kernels.def"
  return false;
}
