//===- BufferForm.h - Operands of AMD buffer instructions -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_BUFFERFORM_H
#define LATHE_LIB_SIMULATE_AMD_BUFFERFORM_H

#include "BufferResource.h"

namespace lathe::sim::amd {

/// A buffer instruction: resource, index if any, offset, scalar offset and
/// cache policy follow each other.
struct BufferForm {
  unsigned resource = 0; ///< operand
  bool indexed = false;
  bool isVolatile = false;
  uint32_t bytes = 0, elementBytes = 0;
};

/// A BufferForm, or why the site is not simulated. `data`: what is transferred.
Prepared prepareBufferForm(const Site &site, unsigned resource,
                           const Slot &data);

/// Where a call of that form goes.
BufferAccess bufferAccess(const Call &call, const BufferForm &form);

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_BUFFERFORM_H
