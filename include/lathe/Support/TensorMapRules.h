//===- TensorMapRules.h - What a tensor map may be --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of cuTensorMapEncodeTiled (CUDA driver API, "Tensor Map Object
// Management"), for whoever describes, simulates or launches: std only, nothing
// is allocated, nothing throws.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_TENSORMAPRULES_H
#define LATHE_SUPPORT_TENSORMAPRULES_H

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace lathe {

struct TensorMapElement {
  std::string_view dtype;
  uint32_t bytes;
  int driverType; ///< CUtensorMapDataType
};

/// FP8 travels as bytes: the copy engine has no type for it.
inline constexpr TensorMapElement tensorMapElements[] = {
    {"i8", 1, 0},     {"u8", 1, 0},   {"ui8", 1, 0},   {"f8E4M3FN", 1, 0},
    {"f8E5M2", 1, 0}, {"i16", 2, 1},  {"u16", 2, 1},   {"ui16", 2, 1},
    {"f16", 2, 6},    {"bf16", 2, 9}, {"i32", 4, 3},   {"u32", 4, 2},
    {"ui32", 4, 2},   {"f32", 4, 7},  {"tf32", 4, 11}, {"i64", 8, 5},
    {"u64", 8, 4},    {"ui64", 8, 4}, {"f64", 8, 8}};

/// Null for a type that no map has.
constexpr const TensorMapElement *findTensorMapElement(std::string_view dtype) {
  for (const TensorMapElement &element : tensorMapElements)
    if (element.dtype == dtype)
      return &element;
  return nullptr;
}

inline constexpr uint32_t maxTensorMapRank = 5;
inline constexpr uint32_t tensorMapBytes = 128;       ///< of an encoded one
inline constexpr uint32_t tensorMapAlignment = 64;    ///< of an encoded one
inline constexpr uint32_t tensorAddressMultiple = 16; ///< of what it describes
inline constexpr uint64_t maxTensorExtent = (uint64_t(1) << 32) - 1;
inline constexpr uint64_t tensorStrideMultiple = 16;
inline constexpr uint64_t tensorStrideLimit = uint64_t(1) << 40; ///< below it

/// Values of cuda.h that encode a map: not interleaved, L2 fetches of 256
/// bytes, zeros where a box leaves the tensor.
inline constexpr int tensorMapPlain = 0, tensorMapPromotion = 3,
                     tensorMapZeroFill = 0;
/// CUtensorMapSwizzle.
constexpr int tensorMapSwizzle(uint32_t bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

/// A map with its numbers, innermost dimension first.
struct TensorMapShape {
  uint32_t rank = 0;
  uint32_t elementBytes = 0;
  uint32_t swizzleBytes = 0;                   ///< 0, 32, 64 or 128
  uint32_t box[maxTensorMapRank] = {};         ///< elements of one copy
  uint64_t extents[maxTensorMapRank] = {};     ///< elements
  uint64_t strides[maxTensorMapRank - 1] = {}; ///< bytes, not of the innermost
};

/// What a rule says of a map that breaks it: found and expected, one line.
struct TensorMapProblem {
  char text[120] = "";
  explicit operator bool() const { return text[0] != 0; }
};

template <typename... Args>
TensorMapProblem tensorMapProblem(const char *format, Args... args) {
  TensorMapProblem problem;
  snprintf(problem.text, sizeof problem.text, format, args...);
  return problem;
}

/// What does not depend on sizes: rank, box, swizzle.
inline TensorMapProblem checkTensorMapBox(const TensorMapShape &shape) {
  if (shape.rank < 1 || shape.rank > maxTensorMapRank)
    return tensorMapProblem("%u dimensions, expected 1 to %u", shape.rank,
                            maxTensorMapRank);
  if (shape.swizzleBytes != 0 && shape.swizzleBytes != 32 &&
      shape.swizzleBytes != 64 && shape.swizzleBytes != 128)
    return tensorMapProblem("a swizzle of %u bytes, expected 0, 32, 64 or 128",
                            shape.swizzleBytes);
  for (uint32_t i = 0; i != shape.rank; ++i)
    if (shape.box[i] < 1 || shape.box[i] > 256)
      return tensorMapProblem("a box of %u, expected 1 to 256", shape.box[i]);
  uint32_t inner = shape.box[0] * shape.elementBytes;
  if (inner % 16)
    return tensorMapProblem(
        "an inner box of %u bytes, expected a multiple of 16", inner);
  if (shape.swizzleBytes && inner > shape.swizzleBytes)
    return tensorMapProblem(
        "an inner box of %u bytes, expected at most the swizzle's %u", inner,
        shape.swizzleBytes);
  return {};
}

/// What depends on sizes and memory; the box is checked.
inline TensorMapProblem checkTensorMapSizes(const TensorMapShape &shape,
                                            uint64_t address) {
  using Number = unsigned long long;
  if (address % tensorAddressMultiple || address == 0)
    return tensorMapProblem("the address %#llx, expected a multiple of %u",
                            Number(address), tensorAddressMultiple);
  for (uint32_t i = 0; i != shape.rank; ++i)
    if (shape.extents[i] < 1 || shape.extents[i] > maxTensorExtent)
      return tensorMapProblem("a dimension of %llu, expected 1 to 2^32 - 1",
                              Number(shape.extents[i]));
  for (uint32_t i = 0; i + 1 < shape.rank; ++i)
    if (shape.strides[i] % tensorStrideMultiple ||
        shape.strides[i] >= tensorStrideLimit)
      return tensorMapProblem(
          "a stride of %llu bytes, expected a multiple of 16 below 2^40",
          Number(shape.strides[i]));
  return {};
}

/// An operand without elements (K = 0 of a product, which still writes zeros)
/// has no map, since no extent may be 0. Its kernel copies nothing, so any map
/// will do: this makes it one of a single element, and answers whether it did.
inline bool settleEmptyTensorMap(TensorMapShape &shape) {
  bool isEmpty = false;
  for (uint32_t i = 0; i != shape.rank; ++i)
    isEmpty |= shape.extents[i] == 0;
  if (!isEmpty)
    return false;
  for (uint32_t i = 0; i != shape.rank; ++i)
    shape.extents[i] = 1;
  for (uint32_t i = 0; i + 1 < shape.rank; ++i)
    shape.strides[i] = tensorStrideMultiple;
  return true;
}

} // namespace lathe

#endif // LATHE_SUPPORT_TENSORMAPRULES_H
