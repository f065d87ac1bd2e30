//===- WrittenRows.cpp - What a launch wrote of an output -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenRows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>

using namespace lathe;

WrittenRows::WrittenRows(const OperandLayout &layout, const TestBuffer &buffer)
    : layout(layout), buffer(buffer), bytes(buffer.bytes()),
      // calloc leaves large blocks to the kernel, which gives them when used.
      mask(static_cast<uint8_t *>(calloc(bytes / 8 + 1, 1))) {
  if (!mask)
    llvm::report_bad_alloc_error("no memory for the written bytes of a trial");
}

bool WrittenRows::anyWritten(uint64_t from, uint64_t to) const {
  while (from < to && from % 8 != 0)
    if (written(from++))
      return true;
  for (; from + 8 <= to; from += 8)
    if (mask[from / 8])
      return true;
  while (from < to)
    if (written(from++))
      return true;
  return false;
}

void WrittenRows::forEachTouchedRow(
    llvm::function_ref<void(uint64_t first, uint64_t offset, int64_t length)>
        visit) const {
  // Rows of one pitch: millions of them need not be looked at.
  bool pitched = layout.isDense() || layout.shape.size() == 2;
  auto length = uint64_t(layout.rowLength());
  if (!pitched || length <= 1 || layout.elements() == 0)
    return layout.forEachRow(visit);
  uint64_t pitch = layout.isDense() ? length : uint64_t(layout.strides[0]);
  uint64_t stride = pitch * layout.elementBytes, next = 0;
  uint64_t rows = layout.elements() / length;
  for (auto [from, to] : buffer.touched())
    for (next = std::max(next, from / std::max<uint64_t>(stride, 1));
         next < rows && next * stride < to; ++next)
      visit(next * length, next * stride, int64_t(length));
}

std::vector<int64_t> WrittenRows::indexOf(uint64_t element) const {
  std::vector<int64_t> index(layout.shape.size());
  for (size_t i = index.size(); i-- > 0;) {
    index[i] = int64_t(element % uint64_t(layout.shape[i]));
    element /= uint64_t(layout.shape[i]);
  }
  return index;
}

void WrittenRows::addLeading(std::vector<IndexRange> &ranges) const {
  if (layout.shape.empty())
    return;
  std::vector<int64_t> found;
  if (layout.elements() == 0)
    return;
  uint64_t inner = layout.elements() / uint64_t(layout.shape[0]);
  forEachTouchedRow([&](uint64_t first, uint64_t offset, int64_t length) {
    // A vector is one row, and each of its elements a leading index.
    for (int64_t i = 0; i < length; i += inner == 1 ? 1 : length) {
      uint64_t from = offset + uint64_t(i) * layout.elementBytes;
      int64_t count = inner == 1 ? 1 : length;
      if (!anyWritten(from, from + uint64_t(count) * layout.elementBytes))
        continue;
      auto leading = int64_t((first + uint64_t(i)) / inner);
      if (found.empty() || found.back() != leading)
        found.push_back(leading);
    }
  });
  for (const IndexRange &range : ranges)
    for (int64_t i = range.begin; i < range.end; ++i)
      found.push_back(i);
  std::sort(found.begin(), found.end());
  ranges.clear();
  for (int64_t index : found)
    if (!ranges.empty() && index <= ranges.back().end)
      ranges.back().end = std::max(ranges.back().end, index + 1);
    else
      ranges.push_back({index, index + 1});
}

std::string WrittenRows::stray() const {
  std::string problem;
  if (layout.isDense())
    return problem;
  uint64_t at = 0;
  auto check = [&](uint64_t to) {
    if (problem.empty() && at < to && anyWritten(at, to))
      problem = "bytes between rows were written";
    at = to;
  };
  layout.forEachRow([&](uint64_t, uint64_t offset, int64_t length) {
    // Rows that interleave have no bytes of nobody between them.
    if (offset > at)
      check(offset);
    at = std::max(at, offset + uint64_t(length) * layout.elementBytes);
  });
  check(bytes);
  return problem;
}

std::string WrittenRows::nobodyWrote(uint64_t element) const {
  std::string text = "nobody wrote element [";
  for (int64_t index : indexOf(element))
    text += (text.back() == '[' ? "" : ", ") + std::to_string(index);
  return text + "]";
}

std::string WrittenRows::sampleProblem(uint64_t elements, uint64_t blocks,
                                       uint64_t total) const {
  uint64_t all = layout.elements();
  if (all == 0)
    return "";
  for (uint64_t element : {uint64_t(0), all - 1}) {
    uint64_t offset = 0;
    for (auto [index, stride] :
         llvm::zip_equal(indexOf(element), layout.strides))
      offset += uint64_t(index) * uint64_t(stride);
    if (!written(offset * layout.elementBytes))
      return nobodyWrote(element) + ", the first and last blocks were run";
  }
  // The last block may be cut off, and some others in part.
  double share = double(all) / double(total);
  if (double(elements) < share * double(blocks - 1) / 2)
    return std::to_string(blocks) + " of " + std::to_string(total) +
           " blocks wrote " + std::to_string(elements) + " of " +
           std::to_string(all) + " elements";
  return "";
}

std::string WrittenRows::forEachRun(
    bool whole, llvm::function_ref<void(llvm::ArrayRef<int64_t> index,
                                        uint64_t offset, int64_t length)>
                    visit) const {
  std::string missing;
  uint64_t unwritten = 0;
  auto look = [&](uint64_t first, uint64_t offset, int64_t length) {
    uint64_t bytes = layout.elementBytes;
    if (!whole && !anyWritten(offset, offset + uint64_t(length) * bytes))
      return;
    auto isWritten = [&](int64_t i) {
      uint64_t from = offset + uint64_t(i) * bytes;
      for (uint64_t byte = from; byte < from + bytes; ++byte)
        if (!written(byte))
          return false;
      return true;
    };
    for (int64_t i = 0; i < length;) {
      int64_t end = i;
      while (end < length && isWritten(end))
        ++end;
      if (end == i) {
        if (whole && unwritten++ == 0)
          missing = nobodyWrote(first + uint64_t(i));
        ++i;
        continue;
      }
      visit(indexOf(first + uint64_t(i)), offset + uint64_t(i) * bytes,
            end - i);
      i = end;
    }
  };
  if (whole)
    layout.forEachRow(look);
  else
    forEachTouchedRow(look);
  if (unwritten > 1)
    missing += " and " + std::to_string(unwritten - 1) + " more";
  return missing;
}
