//===- TmaBox.h - Which bytes a box of a tensor map covers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_TENSOR_TMABOX_H
#define LATHE_LIB_SIMULATE_TENSOR_TMABOX_H

#include "../TensorMap.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lathe::sim {

/// The place of a box, innermost coordinate first; may lie outside.
using TensorCoordinates = std::array<int32_t, 5>;

/// One row of a box.
struct BoxRow {
  uint64_t index = 0;  ///< in the box
  uint64_t global = 0; ///< address of element `first`
  /// Elements inside the tensor: [first, end) of the row; empty if none.
  uint32_t first = 0, end = 0;
};

/// Calls `visit` for every row of the box, in the order of shared memory.
void forEachRow(const EncodedMap &map, const TensorCoordinates &at,
                llvm::function_ref<void(const BoxRow &)> visit);

/// The bytes of one out-of-bounds element.
uint64_t fillBits(const EncodedMap &map);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_TENSOR_TMABOX_H
