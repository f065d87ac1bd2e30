//===- DeviceCode.cpp - The kernels' entry points on a GPU ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to PTX when Lathe is built; see EmbedPtx.cmake.
//
//===----------------------------------------------------------------------===//

#include "CompareKernels.h"
#include "DrawKernels.h"

using namespace lathe::measure;

static Thread thisThread() {
  uint64_t block = __nvvm_read_ptx_sreg_ctaid_x();
  uint64_t size = __nvvm_read_ptx_sreg_ntid_x();
  uint64_t blocks = __nvvm_read_ptx_sreg_nctaid_x();
  return {block * size + uint64_t(__nvvm_read_ptx_sreg_tid_x()), blocks * size};
}

#define LATHE_KERNEL(symbol, Argument, function)                               \
  extern "C" __attribute__((nvptx_kernel)) void symbol(Argument argument) {    \
    [[clang::always_inline]] function(argument, thisThread());                 \
  }
#include "Kernels.def"
