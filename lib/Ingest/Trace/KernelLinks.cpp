//===- KernelLinks.cpp - Kernels whose launch call leads nowhere ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLinks.h"
#include "Enclosing.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace lathe;

uint32_t lathe::findId(llvm::ArrayRef<std::pair<uint64_t, uint32_t>> map,
                       uint64_t id) {
  if (id == noId)
    return noIndex;
  auto it = std::lower_bound(map.begin(), map.end(), std::make_pair(id, 0u));
  return it == map.end() || it->first != id ? noIndex : it->second;
}

KernelLinks::KernelLinks(const TraceEvents &events) : events(events) {
  for (size_t i = 0; i != events.ops.size(); ++i)
    if (events.ops[i].external != noId)
      opByExternal.emplace_back(events.ops[i].external, i);
  llvm::sort(opByExternal);
  // Old profilers wrote the correlation id twice; it then matches operators
  // by accident only.
  uint64_t both = 0, equal = 0;
  for (const TraceKernel &kernel : events.kernels)
    if (kernel.external != noId && kernel.correlation != noId) {
      ++both;
      equal += kernel.external == kernel.correlation;
    }
  externalIsCopy = both && equal == both;
}

/// Which operator encloses the start of the arrow that ends in each kernel.
void KernelLinks::followFlows() {
  followed = true;
  opByFlow.assign(events.kernels.size(), noIndex);
  if (events.flowStarts.empty() || events.flowEnds.empty())
    return;
  std::vector<TracePoint> points;
  for (const TraceFlow &flow : events.flowStarts)
    points.push_back({flow.thread, flow.time});
  std::vector<uint32_t> ops = enclosing(points, events.ops);
  IdMap opById;
  for (size_t i = 0; i != ops.size(); ++i)
    if (ops[i] != noIndex)
      opById.emplace_back(events.flowStarts[i].id, ops[i]);
  llvm::sort(opById);

  std::vector<TraceOp> spans;
  for (const TraceKernel &kernel : events.kernels) {
    TraceOp span;
    span.start = kernel.start;
    span.end = kernel.start + kernel.duration;
    span.thread = kernel.thread;
    spans.push_back(span);
  }
  points.clear();
  for (const TraceFlow &flow : events.flowEnds)
    points.push_back({flow.thread, flow.time});
  std::vector<uint32_t> kernels = enclosing(points, spans);
  for (size_t i = 0; i != kernels.size(); ++i)
    if (kernels[i] != noIndex)
      opByFlow[kernels[i]] = findId(opById, events.flowEnds[i].id);
}

uint32_t KernelLinks::opOf(const TraceKernel &kernel) {
  bool isCopy = externalIsCopy && kernel.external != noId;
  uint32_t op = isCopy ? noIndex : findId(opByExternal, kernel.external);
  if (op != noIndex) {
    ++byExternal;
    return op;
  }
  numCopies += isCopy;
  if (!followed)
    followFlows();
  op = opByFlow[&kernel - events.kernels.data()];
  byFlow += op != noIndex;
  return op;
}

std::vector<std::string> KernelLinks::report() const {
  std::vector<std::string> lines;
  auto say = [&](uint64_t count, const char *text) {
    if (count)
      lines.push_back(std::to_string(count) + text);
  };
  say(byExternal, " kernels without a launch call in an operator were given "
                  "to the one with their external id");
  say(byFlow, " kernels without a launch call in an operator were given to "
              "the one that their flow event starts in");
  say(numCopies, " kernels without a launch call in an operator have an "
                 "external id that only repeats their correlation; it was not "
                 "used");
  return lines;
}
