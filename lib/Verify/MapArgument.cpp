//===- MapArgument.cpp - Tensor maps for the simulator --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/MapArgument.h"

using namespace lathe;

llvm::Expected<sim::Argument> lathe::mapArgument(const TensorMap &map,
                                                 const Bindings &bindings,
                                                 unsigned buffer) {
  auto shape = evaluateTensorMap(map, bindings);
  if (!shape)
    return shape.takeError();
  sim::Argument argument;
  argument.kind = sim::Argument::Map;
  sim::TensorMap &out = argument.map;
  out.buffer = buffer;
  out.dtype = map.dtype;
  out.dims.assign(shape->extents, shape->extents + shape->rank);
  out.strides.assign(shape->strides, shape->strides + shape->rank - 1);
  out.box.assign(shape->box, shape->box + shape->rank);
  out.swizzleBytes = shape->swizzleBytes;
  return argument;
}
