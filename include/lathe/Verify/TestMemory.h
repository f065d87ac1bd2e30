//===- TestMemory.h - Operands between guard pages --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand lies between two pages that nobody may touch, with a base that is
// aligned as promised and not by one bit more. Memory that nobody touches costs
// nothing, so that views beyond 2^31 elements can be had.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_TESTMEMORY_H
#define LATHE_VERIFY_TESTMEMORY_H

#include "lathe/Ingest/Model.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lathe {

/// What unwritten memory holds: NaN in every float dtype but the FNUZ formats,
/// a negative integer.
constexpr unsigned char poisonByte = 0xFF;

/// Shape and strides of an operand, in elements.
struct OperandLayout {
  std::vector<int64_t> shape, strides;
  unsigned elementBytes = 1;

  uint64_t elements() const;
  /// From the first element to the end of the last one; 0 if there are none.
  /// Nothing if it does not fit 2^46 bytes or a stride is negative.
  std::optional<uint64_t> bytes() const;
  bool isDense() const;
  /// Rows are runs along the last dimension, whose stride is 1, or single
  /// elements. Visits the row-major number of each row's first element, its
  /// byte offset and its length in elements.
  void forEachRow(
      llvm::function_ref<void(uint64_t first, uint64_t offset, int64_t length)>
          visit) const;
  int64_t rowLength() const;
};

/// The operand's layout at `bindings` (from bindAll). `dtype` is concrete.
/// Errors: a shape without a value, or a view that no address space holds.
llvm::Expected<OperandLayout> layoutOf(const OperandSpec &operand,
                                       llvm::StringRef dtype,
                                       const Bindings &bindings);

class TestBuffer {
public:
  /// `alignment` is a power of two; the base is an odd multiple of it. Filled
  /// with poison.
  static llvm::Expected<TestBuffer> create(uint64_t bytes, uint64_t alignment);
  /// Holds `content` over and over, whatever its length; its length must be a
  /// multiple of the page.
  static llvm::Expected<TestBuffer>
  createRepeating(uint64_t bytes, uint64_t alignment, llvm::StringRef content);
  TestBuffer(TestBuffer &&other) noexcept;
  TestBuffer &operator=(TestBuffer &&other) noexcept;
  ~TestBuffer();

  char *data() const { return base; }
  uint64_t bytes() const { return size; }
  /// Whether the bytes between base, end and the guard pages are unchanged.
  bool redZonesIntact() const;
  /// Ranges of bytes that somebody wrote to, at least; ascending, without
  /// overlap.
  std::vector<std::pair<uint64_t, uint64_t>> touched() const;
  /// Of what was touched: changes with any byte that somebody writes.
  uint64_t hash() const;

private:
  TestBuffer() = default;
  /// Plain: without a file behind it; may be a mapping that was in use before.
  llvm::Error reserve(uint64_t bytes, uint64_t alignment, bool isPlain);
  /// Maps `file`, of `length` bytes, over and over.
  llvm::Error mapFile(int file, uint64_t length);
  void release();
  uint64_t hashRedZones() const;

  char *mapping = nullptr, *base = nullptr;
  uint64_t mapped = 0, size = 0;
  uint64_t redZones = 0; ///< hash of the bytes around
  bool lazy = false;     ///< pages are private views of a file
  bool writable = false; ///< all pages but the guards, and none of a file
};

} // namespace lathe

#endif // LATHE_VERIFY_TESTMEMORY_H
