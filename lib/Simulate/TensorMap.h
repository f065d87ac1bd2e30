//===- TensorMap.h - Tensor maps in 128 bytes of our own --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_TENSORMAP_H
#define LATHE_LIB_SIMULATE_TENSORMAP_H

#include "lathe/Simulate/Simulator.h"

#include <array>
#include <optional>

namespace lathe::sim {

/// What the bytes of an element mean to reductions and NaN fill.
enum class ElementKind : uint8_t { Unsigned, Signed, Float, BFloat, Float8 };

/// The contents of an encoded map. The hardware's own encoding is not public;
/// this one is as large and lives in the same 128-byte parameter.
struct EncodedMap {
  static constexpr uint32_t magicValue = 0x4D544C31;
  uint32_t magic = magicValue;
  uint8_t rank = 1;
  uint8_t elementBytes = 1;
  ElementKind kind = ElementKind::Unsigned;
  uint8_t swizzleLog2 = 0; ///< 0: none; 5, 6, 7: bytes of the span
  uint64_t base = 0;       ///< host address
  std::array<uint32_t, 5> dims = {};
  std::array<uint16_t, 5> box = {};
  std::array<uint8_t, 5> elementStrides = {};
  uint8_t fillNaN = 0;
  std::array<uint64_t, 4> strides = {}; ///< bytes, of dimensions 1 to 4

  /// Elements of the box along a dimension that are copied: with an element
  /// stride, every so many-th of the box.
  uint32_t boxElements(unsigned dim) const {
    return (box[dim] + elementStrides[dim] - 1) / elementStrides[dim];
  }
  /// Bytes of the box along the innermost dimension.
  uint64_t rowBytes() const;
  /// Rows of the box: the product of its other dimensions.
  uint64_t rows() const;
  /// From row to row in shared memory: a swizzle spans its own width.
  uint64_t pitch() const {
    return swizzleLog2 ? uint64_t(1) << swizzleLog2 : rowBytes();
  }
  /// What a transaction counts, filled elements too.
  uint64_t boxBytes() const { return rowBytes() * rows(); }
};
static_assert(sizeof(EncodedMap) <= 128, "a tensor map has 128 bytes");

/// Encodes a map over memory at `base` after checking the rules of
/// cuTensorMapEncodeTiled (CUDA Driver API, Tensor Map Object Management).
llvm::Error encodeTensorMap(const TensorMap &map, char out[128], char *base);

/// The map at `bytes`, or nothing if no such map was encoded there.
std::optional<EncodedMap> decodeTensorMap(const char *bytes);

/// Where swizzling puts a byte of shared memory: 16-byte pieces are exchanged
/// by the XOR of address bits 7.. into bits 4.. (PTX ISA 9, swizzling modes).
inline uint64_t swizzle(uint64_t address, unsigned swizzleLog2) {
  if (swizzleLog2 < 5)
    return address;
  uint64_t mask = (uint64_t(1) << (swizzleLog2 - 4)) - 1;
  return address ^ (((address >> 7) & mask) << 4);
}

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_TENSORMAP_H
