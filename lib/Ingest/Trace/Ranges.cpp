//===- Ranges.cpp - Ranges that a program marked --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace lathe;
using llvm::StringRef;

void lathe::addRange(StringRef text, TraceOp op, TraceEvents &events) {
  size_t at = text.find("sizes = [");
  StringRef name = text.split(", ").first;
  if (at == StringRef::npos && !name.contains("::")) {
    op.name = events.names.add(text);
    events.annotations.push_back(op);
    return;
  }
  op.name = events.names.add(name);
  if (at != StringRef::npos) {
    StringRef sizes = text.substr(at + 8);
    unsigned depth = 0;
    size_t end = 0;
    do {
      depth += sizes[end] == '[' ? 1 : sizes[end] == ']' ? -1 : 0;
    } while (++end < sizes.size() && depth);
    op.arguments = events.arguments.add(
        (llvm::Twine("{\"dims\":") + sizes.take_front(end) + "}").str());
    events.hasShapes = true;
  }
  events.ops.push_back(op);
}

void lathe::keepUsedLaunches(TraceEvents &events) {
  std::vector<uint64_t> used;
  for (const TraceKernel &kernel : events.kernels)
    if (kernel.correlation != noId)
      used.push_back(kernel.correlation);
  llvm::sort(used);
  llvm::erase_if(events.launches, [&](const TraceLaunch &launch) {
    return !std::binary_search(used.begin(), used.end(), launch.correlation);
  });
}
