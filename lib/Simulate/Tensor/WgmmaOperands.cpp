//===- WgmmaOperands.cpp - Matrices of wgmma in shared memory -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgmmaOperands.h"

#include "../TensorMap.h"

using namespace llvm;
using namespace lathe::sim;

Expected<MatrixDescriptor> lathe::sim::decodeDescriptor(uint64_t bits) {
  constexpr uint64_t used = 0x3FFF | uint64_t(0x3FFF) << 16 |
                            uint64_t(0x3FFF) << 32 | uint64_t(7) << 49 |
                            uint64_t(3) << 62;
  if (bits & ~used)
    return createStringError("a matrix descriptor with bits 0x%" PRIx64
                             " set, expected zeros there",
                             bits & ~used);
  if (bits >> 49 & 7)
    return createStringError(
        "a matrix descriptor with base offset %d, expected 0",
        int(bits >> 49 & 7));
  MatrixDescriptor descriptor;
  descriptor.start = (bits & 0x3FFF) << 4;
  descriptor.leadingOffset = (bits >> 16 & 0x3FFF) << 4;
  descriptor.strideOffset = (bits >> 32 & 0x3FFF) << 4;
  // 0: none, 1: 128 bytes, 2: 64 bytes, 3: 32 bytes
  unsigned layout = bits >> 62;
  descriptor.swizzleLog2 = layout ? 8 - layout : 0;
  return descriptor;
}

namespace {
/// Joins neighbouring pieces of 16 bytes.
class Runs {
public:
  Runs(const MatrixDescriptor &descriptor, uint64_t base,
       function_ref<void(const OperandRun &)> visit)
      : swizzleLog2(descriptor.swizzleLog2), base(base), visit(visit) {}
  ~Runs() { flush(); }

  void add(uint64_t offset, uint32_t operand) {
    uint64_t shared = swizzle(base + offset, swizzleLog2) - base;
    if (run.bytes && run.shared + run.bytes == shared &&
        run.operand + run.bytes == operand) {
      run.bytes += 16;
      return;
    }
    flush();
    run = {shared, operand, 16};
  }

private:
  void flush() {
    if (run.bytes)
      visit(run);
    run.bytes = 0;
  }

  unsigned swizzleLog2;
  uint64_t base;
  function_ref<void(const OperandRun &)> visit;
  OperandRun run;
};
} // namespace

void lathe::sim::forEachRunKMajor(
    const MatrixDescriptor &descriptor, uint64_t base, unsigned rows,
    unsigned kBytes, function_ref<void(const OperandRun &)> visit) {
  Runs runs(descriptor, base, visit);
  unsigned span = 1u << descriptor.swizzleLog2;
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned byte = 0; byte < kBytes; byte += 16) {
      // Without swizzle: core matrices of 8 rows of 16 bytes, LBO apart along
      // K.
      uint64_t inRow =
          descriptor.swizzleLog2
              ? row % 8 * span + byte
              : row % 8 * 16 + byte / 16 * descriptor.leadingOffset;
      runs.add(descriptor.start + uint64_t(row / 8) * descriptor.strideOffset +
                   inRow,
               row * kBytes + byte);
    }
}

void lathe::sim::forEachRunMNMajor(
    const MatrixDescriptor &descriptor, uint64_t base, unsigned rows,
    unsigned k, function_ref<void(const OperandRun &)> visit) {
  Runs runs(descriptor, base, visit);
  unsigned span = 1u << descriptor.swizzleLog2;
  for (unsigned i = 0; i < k; ++i)
    for (unsigned row = 0; row < rows; row += 8) {
      uint64_t offset = descriptor.start;
      if (descriptor.swizzleLog2) {
        unsigned inAtom = row * 2 % span;
        offset += uint64_t(row * 2 / span) * descriptor.leadingOffset +
                  uint64_t(i / 8) * descriptor.strideOffset + i % 8 * span +
                  inAtom;
      } else {
        offset += uint64_t(row / 8) * descriptor.strideOffset +
                  uint64_t(i / 8) * descriptor.leadingOffset + i % 8 * 16;
      }
      runs.add(offset, i * rows * 2 + row * 2);
    }
}
