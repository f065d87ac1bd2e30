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

void WrittenBoxes::add(llvm::ArrayRef<int64_t> others, IndexRange range) {
  std::vector<IndexRange> &row = ranges[others.vec()];
  if (!row.empty() && row.back().begin <= range.begin &&
      range.begin <= row.back().end)
    row.back().end = std::max(row.back().end, range.end);
  else
    row.push_back(range);
}

static std::vector<IndexRange> united(std::vector<IndexRange> parts) {
  llvm::sort(parts, [](const IndexRange &a, const IndexRange &b) {
    return a.begin < b.begin;
  });
  std::vector<IndexRange> result;
  for (const IndexRange &part : parts)
    if (!result.empty() && part.begin <= result.back().end)
      result.back().end = std::max(result.back().end, part.end);
    else
      result.push_back(part);
  return result;
}

std::vector<std::vector<IndexRange>> WrittenBoxes::boxes() const {
  std::vector<std::vector<IndexRange>> result;
  auto same = [](const IndexRange &a, const IndexRange &b) {
    return a.begin == b.begin && a.end == b.end;
  };
  std::vector<int64_t> from, last; ///< others of the rows that share boxes
  std::vector<IndexRange> shared;
  auto flush = [&] {
    for (const IndexRange &range : shared) {
      std::vector<IndexRange> &box = result.emplace_back();
      for (auto [begin, end] : llvm::zip_equal(from, last))
        box.push_back({begin, end + 1});
      box.push_back(range);
    }
  };
  for (const auto &[others, parts] : ranges) {
    std::vector<IndexRange> row = united(parts);
    std::vector<int64_t> next = last;
    if (!next.empty())
      ++next.back();
    if (!shared.empty() && next == others && last.size() == others.size() &&
        llvm::equal(row, shared, same) &&
        llvm::equal(llvm::ArrayRef(from).drop_back(),
                    llvm::ArrayRef(others).drop_back())) {
      last = others;
      continue;
    }
    flush();
    from = last = others;
    shared = std::move(row);
  }
  flush();
  return result;
}

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

void WrittenRows::addTo(WrittenBoxes &boxes, unsigned rank) const {
  rank = std::min(rank, unsigned(layout.shape.size()));
  if (rank == 0)
    return;
  forEachRun(false,
             [&](llvm::ArrayRef<int64_t> index, uint64_t, int64_t length) {
               int64_t at = index[rank - 1];
               // Runs go along the last index.
               int64_t count = rank == index.size() ? length : 1;
               boxes.add(index.take_front(rank - 1), {at, at + count});
             });
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

std::string WrittenRows::sampleProblem(uint64_t elements,
                                       const BlockSample &sample) const {
  uint64_t all = layout.elements();
  if (all == 0)
    return "";
  auto isMissing = [&](uint64_t element) {
    uint64_t offset = 0;
    for (auto [index, stride] :
         llvm::zip_equal(indexOf(element), layout.strides))
      offset += uint64_t(index) * uint64_t(stride);
    return !written(offset * layout.elementBytes);
  };
  // Either block may have either end: some kernels begin with the last rows.
  bool both = sample.hasFirst && sample.hasLast;
  bool either = sample.hasFirst || sample.hasLast;
  bool noFirst = isMissing(0), noLast = isMissing(all - 1);
  if (noFirst && (both || (sample.hasFirst && noLast)))
    return nobodyWrote(0) + ", the first block was run";
  if (noLast && (both || (either && noFirst)))
    return nobodyWrote(all - 1) + ", the last block was run";
  // The last block may be cut off, and some others in part.
  double least = 1;
  if (sample.hasShares)
    least = std::max(least, double(all) / double(sample.total) *
                                double(sample.blocks - 1) / 2);
  if (double(elements) < least)
    return std::to_string(sample.blocks) + " of " +
           std::to_string(sample.total) + " blocks wrote " +
           std::to_string(elements) + " of " + std::to_string(all) +
           " elements";
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
        // Of long rows a sample writes little.
        uint64_t from = offset + uint64_t(i) * bytes;
        int64_t ahead = whole ? 1 : std::min<int64_t>(length - i, 256);
        i += anyWritten(from, from + uint64_t(ahead) * bytes) ? 1 : ahead;
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
