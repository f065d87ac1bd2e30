//===- KernelCase.cpp - The case that launches one kernel -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/KernelCase.h"
#include "Selection.h"
#include "lathe/Plan/KernelName.h"

using namespace lathe;

llvm::Expected<ShapeTable> lathe::rankedShapes(const PlanInput &input) {
  using Key = std::vector<std::vector<int64_t>>;
  std::map<std::string, std::map<Key, std::pair<Bindings, double>>> merged;
  for (const HistogramPoint &point : input.histogram.points) {
    Key key;
    for (const auto &dim : point.dims)
      key.push_back(dim.second.elements);
    auto &shape = merged[point.entry][key];
    shape.first = point.dims;
    shape.second += point.weight;
  }
  ShapeTable table;
  for (const auto &[name, shapes] : merged) {
    const OpSetEntry &entry = *findEntry(input.opset, name);
    const OperatorSpec &spec = operatorOf(input, entry);
    for (const auto &[key, shape] : shapes) {
      auto facts = factsOf(spec, entry, shape.first);
      if (!facts)
        return facts.takeError();
      table[name].push_back(
          {std::move(*facts), std::max(shape.second, leastWeight)});
    }
  }
  return table;
}

DispatchCase lathe::caseOf(const PlannedKernel &kernel, CaseKind kind,
                           const OperatorSpec &spec, const Hardware &hardware,
                           llvm::ArrayRef<RankedShape> shapes) {
  DispatchCase row;
  row.kernel = kernel.kernel;
  row.symbol = kernelSymbol(kernel.kernel);
  row.arch = kernel.candidate.arch;
  row.kind = kind;
  row.guards = kernel.guards;
  row.alignment = kernel.candidate.alignment;
  row.blockThreads = kernel.threads;
  row.sharedBytes = kernel.dynamicShared();
  row.maps = kernel.maps;
  row.origin = kind == CaseKind::Generic ? "template" : "model";
  row.verdict = "unproven";
  for (const ResourceField &field : resourceFields)
    row.usage.*field.field = kernel.figure(field.name);
  for (const DimSpec &dim : spec.dims)
    if (dim.isForKernels() && !kernel.candidate.constants.count(dim.name))
      row.runtimeDims.push_back(dim.name);
  row.gridX = kernel.grid[0];
  row.gridY = kernel.grid.size() > 1 ? kernel.grid[1] : Expr::constant(1);
  row.gridZ = kernel.grid.size() > 2 ? kernel.grid[2] : Expr::constant(1);
  double heaviest = -1;
  int64_t resident = 1;
  for (const RankedShape &shape : shapes) {
    auto question = askAbout(kernel, spec, hardware, shape.facts);
    if (!question || shape.weight <= heaviest)
      continue;
    KernelAnswer answer = predict(*question);
    row.modelUs = answer.timeUs;
    resident = std::max<int64_t>(answer.blocksPerSm, 1);
    heaviest = shape.weight;
  }
  if (kernel.persistent()) {
    if (heaviest < 0) {
      // Never seen: residency from the registers alone.
      KernelQuestion question;
      question.hardware = &hardware;
      question.threads = kernel.threads;
      question.liveElements = kernel.live.asConstant().value_or(16);
      if (!kernel.usage.empty())
        question.compiled = CompiledFigures{kernel.figure("registers"), 0,
                                            kernel.sharedBytes()};
      resident = std::max<int64_t>(predict(question).blocksPerSm, 1);
    }
    int64_t blocks =
        kernel.candidate.wholeClusters(hardware.multiprocessors * resident);
    row.gridX =
        Expr::make(Expr::Kind::Min, {row.gridX, Expr::constant(blocks)});
  }
  return row;
}
