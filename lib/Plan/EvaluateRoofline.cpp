//===- EvaluateRoofline.cpp - Costs and bounds of every instance ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/Plan.h"
#include "lathe/Plan/ReadProblem.h"
#include "lathe/Plan/Roofline.h"

#include "Problem/ProblemOps.h"

using namespace mlir;
using namespace lathe;

llvm::Error lathe::evaluateRoofline(ModuleOp module) {
  auto input = readProblem(module);
  if (!input)
    return input.takeError();
  Builder builder(module.getContext());
  problem::WorkloadOp workload = *module.getOps<problem::WorkloadOp>().begin();
  auto point = input->histogram.points.begin();
  // Points were read in the order of the operations.
  for (auto op : workload.getOps<problem::InstanceOp>()) {
    const OpSetEntry &entry = *findEntry(input->opset, op.getEntry());
    const OperatorSpec &spec = operatorOf(*input, entry);
    auto bindings = bindAll(spec, entry, (point++)->dims);
    if (!bindings)
      return bindings.takeError();
    auto cost = evaluateCost(spec, entry, *bindings);
    if (!cost)
      return cost.takeError();
    NamedAttrList flops;
    for (const auto &[dtype, count] : cost->flops)
      flops.set(dtype, builder.getI64IntegerAttr(count));
    SmallVector<Attribute> rooflines;
    for (const Hardware &hardware : input->targets) {
      RooflineAnswer answer = rooflineOf(hardware, *cost);
      rooflines.push_back(problem::RooflineAttr::get(
          module.getContext(), hardware.name,
          builder.getF64FloatAttr(answer.timeUs),
          builder.getF64FloatAttr(answer.attainableUs),
          regimeName(answer.regime)));
    }
    op.setFlopsAttr(flops.getDictionary(module.getContext()));
    op.setReadAttr(builder.getI64IntegerAttr(cost->readBytes));
    op.setWriteAttr(builder.getI64IntegerAttr(cost->writeBytes));
    op.setRooflineAttr(builder.getArrayAttr(rooflines));
  }
  return llvm::Error::success();
}
