//===- TracedTimes.cpp - Times from records of kernels --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TracedTimes.h"

#include <algorithm>

using namespace lathe::measure;

TracedTimes
lathe::measure::readTrace(const std::vector<KernelTracer::Record> &records,
                          const std::string &mark, unsigned launches) {
  TracedTimes times;
  std::vector<size_t> marks;
  for (size_t i = 0; i < records.size(); ++i)
    if (records[i].kernel == mark)
      marks.push_back(i);
  if (marks.size() != 2 * size_t(launches)) {
    times.missing = std::to_string(marks.size()) + " marks were recorded, " +
                    "expected " + std::to_string(2 * launches);
    return times;
  }
  for (const KernelTracer::Record &record : records)
    times.otherStream |= record.stream != records[marks.front()].stream;
  for (size_t i = 0; i < marks.size(); i += 2) {
    if (marks[i] + 1 == marks[i + 1]) {
      times.us.clear();
      times.missing = "a launch recorded no kernel";
      return times;
    }
    double end = 0;
    for (size_t k = marks[i] + 1; k < marks[i + 1]; ++k)
      end = std::max(end, records[k].endUs);
    times.us.push_back(end - records[marks[i] + 1].beginUs);
  }
  return times;
}
