//===- Enclosing.cpp - Which range an event lies in -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Enclosing.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <tuple>

using namespace lathe;
using llvm::ArrayRef;

std::vector<uint32_t> lathe::nestingOrder(ArrayRef<TraceOp> ops) {
  std::vector<uint32_t> order(ops.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](uint32_t a, uint32_t b) {
    return std::make_tuple(ops[a].thread, ops[a].start, -ops[a].end, a) <
           std::make_tuple(ops[b].thread, ops[b].start, -ops[b].end, b);
  });
  return order;
}

std::vector<uint32_t> lathe::parents(ArrayRef<TraceOp> ops,
                                     ArrayRef<uint32_t> order) {
  std::vector<uint32_t> parents(ops.size(), noIndex), open;
  for (uint32_t index : order) {
    const TraceOp &op = ops[index];
    while (!open.empty() && (ops[open.back()].thread != op.thread ||
                             ops[open.back()].end < op.end))
      open.pop_back();
    if (!open.empty())
      parents[index] = open.back();
    open.push_back(index);
  }
  return parents;
}

std::vector<uint32_t> lathe::enclosing(ArrayRef<TracePoint> points,
                                       ArrayRef<TraceOp> ranges) {
  std::vector<uint32_t> order = nestingOrder(ranges);
  std::vector<uint32_t> pointOrder(points.size());
  std::iota(pointOrder.begin(), pointOrder.end(), 0);
  llvm::sort(pointOrder, [&](uint32_t a, uint32_t b) {
    return std::make_tuple(points[a].thread, points[a].time, a) <
           std::make_tuple(points[b].thread, points[b].time, b);
  });
  std::vector<uint32_t> result(points.size(), noIndex), open;
  size_t next = 0;
  for (uint32_t index : pointOrder) {
    const TracePoint &point = points[index];
    for (; next != order.size(); ++next) {
      const TraceOp &range = ranges[order[next]];
      if (std::make_pair(range.thread, range.start) >
          std::make_pair(point.thread, point.time))
        break;
      while (!open.empty() && (ranges[open.back()].thread != range.thread ||
                               ranges[open.back()].end < range.end))
        open.pop_back();
      open.push_back(order[next]);
    }
    while (!open.empty() && (ranges[open.back()].thread != point.thread ||
                             ranges[open.back()].end < point.time))
      open.pop_back();
    if (!open.empty())
      result[index] = open.back();
  }
  return result;
}
