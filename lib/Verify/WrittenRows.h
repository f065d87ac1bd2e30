//===- WrittenRows.h - What a launch wrote of an output ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_VERIFY_WRITTENROWS_H
#define LATHE_LIB_VERIFY_WRITTENROWS_H

#include "lathe/Verify/Reference.h"
#include "lathe/Verify/TestMemory.h"

#include <map>
#include <memory>

namespace lathe {

/// Sets of indices as few boxes: what a reference shall compute.
class WrittenBoxes {
public:
  /// Ranges of the last index, at one choice of the others.
  void add(llvm::ArrayRef<int64_t> others, IndexRange range);
  /// Disjoint boxes, one range an index; rows with the same ranges share one.
  std::vector<std::vector<IndexRange>> boxes() const;

private:
  std::map<std::vector<int64_t>, std::vector<IndexRange>> ranges;
};

/// Which blocks of a launch were run.
struct BlockSample {
  uint64_t blocks = 0, total = 0;
  bool hasFirst = false, hasLast = false; ///< those of the outputs' ends
  bool hasShares = false; ///< every block writes about as much as another
};

/// One bit per byte of an output, set by the simulator.
class WrittenRows {
public:
  WrittenRows(const OperandLayout &layout, const TestBuffer &buffer);

  uint8_t *bits() { return mask.get(); }
  /// Adds the elements that were written, by their first `rank` indices.
  void addTo(WrittenBoxes &boxes, unsigned rank) const;
  /// A write to padding, or of a part of an element; else empty.
  std::string stray() const;
  /// Visits runs of written elements within rows: the index of the first one,
  /// its byte offset and their number. With `whole`, the result names the first
  /// element that nobody wrote.
  std::string
  forEachRun(bool whole,
             llvm::function_ref<void(llvm::ArrayRef<int64_t> index,
                                     uint64_t offset, int64_t length)>
                 visit) const;
  /// Of a sample of blocks that wrote `elements`: names the first or the last
  /// element if the block that has it was run and did not write it, or says
  /// that they wrote nothing, or less than half of what a block writes on
  /// average where every block has its share; else empty.
  std::string sampleProblem(uint64_t elements, const BlockSample &sample) const;

private:
  bool written(uint64_t byte) const { return mask[byte / 8] >> (byte % 8) & 1; }
  bool anyWritten(uint64_t from, uint64_t to) const;
  std::string nobodyWrote(uint64_t element) const;
  /// As OperandLayout::forEachRow, without most rows that nobody wrote to.
  void forEachTouchedRow(
      llvm::function_ref<void(uint64_t first, uint64_t offset, int64_t length)>
          visit) const;
  std::vector<int64_t> indexOf(uint64_t element) const;

  struct Free {
    void operator()(uint8_t *at) const { free(at); }
  };
  const OperandLayout &layout;
  const TestBuffer &buffer;
  uint64_t bytes;
  std::unique_ptr<uint8_t[], Free> mask; ///< lazily zero
};

} // namespace lathe

#endif // LATHE_LIB_VERIFY_WRITTENROWS_H
