//===- HostKernels.h - The device's kernels as host code --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_HOSTKERNELS_H
#define LATHE_MEASURE_HOSTKERNELS_H

#include <cstdint>
#include <string_view>

namespace lathe::measure {

/// Runs one of the kernels of kernelsPtx() on the host, for drivers that
/// emulate a device: pointers in `arguments` are host addresses. False: no such
/// kernel.
bool runKernelOnHost(std::string_view symbol, const uint32_t grid[3],
                     const uint32_t block[3], void **arguments);

} // namespace lathe::measure

#endif // LATHE_MEASURE_HOSTKERNELS_H
