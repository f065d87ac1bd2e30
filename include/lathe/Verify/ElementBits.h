//===- ElementBits.h - Elements of operands as bits -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: the same text is compiled for the host and for GPUs.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_ELEMENTBITS_H
#define LATHE_VERIFY_ELEMENTBITS_H

#include "lathe/Support/FloatBits.h"

namespace lathe {

/// How one element lies in memory: little-endian, 1, 2, 4 or 8 bytes.
struct ElementFormat {
  bool isFloat = true; ///< else a signed integer
  FloatFormat format = FloatFormat::F32;
  uint8_t bytes = 4;
};

/// Most dimensions of an operand that is drawn or compared.
constexpr unsigned maxElementRank = 8;

inline uint64_t loadElement(const ElementFormat &element, const char *at) {
#ifdef __NVPTX__
  switch (element.bytes) {
  case 1:
    return *reinterpret_cast<const uint8_t *>(at);
  case 2:
    return *reinterpret_cast<const uint16_t *>(at);
  case 4:
    return *reinterpret_cast<const uint32_t *>(at);
  default:
    return *reinterpret_cast<const uint64_t *>(at);
  }
#else
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  uint64_t bits = 0;
  switch (element.bytes) { // constant sizes, which are single instructions
  case 1:
    __builtin_memcpy(&bits, at, 1);
    break;
  case 2:
    __builtin_memcpy(&bits, at, 2);
    break;
  case 4:
    __builtin_memcpy(&bits, at, 4);
    break;
  default:
    __builtin_memcpy(&bits, at, 8);
  }
  return bits;
#endif
}

inline void storeElement(const ElementFormat &element, uint64_t bits,
                         char *at) {
#ifdef __NVPTX__
  // Cut by an instruction: LLVM 22 stores part of a register that holds a
  // double, and ptxas 13.0 converts that to an integer then.
  auto low = uint32_t(bits);
  __asm__("" : "+r"(low));
  switch (element.bytes) {
  case 1:
    *reinterpret_cast<uint8_t *>(at) = uint8_t(low);
    break;
  case 2:
    *reinterpret_cast<uint16_t *>(at) = uint16_t(low);
    break;
  case 4:
    *reinterpret_cast<uint32_t *>(at) = low;
    break;
  default:
    *reinterpret_cast<uint64_t *>(at) = bits;
  }
#else
  switch (element.bytes) {
  case 1:
    __builtin_memcpy(at, &bits, 1);
    break;
  case 2:
    __builtin_memcpy(at, &bits, 2);
    break;
  case 4:
    __builtin_memcpy(at, &bits, 4);
    break;
  default:
    __builtin_memcpy(at, &bits, 8);
  }
#endif
}

/// A signed integer of the element's size.
inline int64_t signedElement(const ElementFormat &element, uint64_t bits) {
  unsigned unused = 64 - element.bytes * 8u;
  return int64_t(bits << unused) >> unused;
}

inline double elementValue(const ElementFormat &element, uint64_t bits) {
  return element.isFloat ? decodeFloatBits(element.format, bits)
                         : double(signedElement(element, bits));
}

/// The nearest element; ties to even, finite values saturate. Integers: towards
/// zero, and NaN is 0.
inline uint64_t elementBits(const ElementFormat &element, double value) {
  if (!element.isFloat) {
    constexpr double limit = 0x1p63;
    if (!(value > -limit && value < limit))
      return value >= limit ? ~uint64_t(0) >> 1 : value < 0 ? 1ull << 63 : 0;
    return uint64_t(int64_t(value));
  }
  if (value != value) // one NaN, whatever arithmetic gave it
    value = __builtin_nan("");
  bool isInfinite = value == value && value - value != 0;
  return encodeFloatBits(element.format, value,
                         isInfinite || value != value ? FloatOverflow::Special
                                                      : FloatOverflow::Saturate,
                         FloatRounding::NearestEven);
}

inline bool isNaNElement(const ElementFormat &element, uint64_t bits) {
  if (!element.isFloat)
    return false;
  double value = decodeFloatBits(element.format, bits);
  return value != value;
}

/// From 1 to the next value; 0 for integers.
inline double elementEpsilon(const ElementFormat &element) {
  if (!element.isFloat)
    return 0;
  unsigned mantissa = floatLayouts[unsigned(element.format)].mantissa;
  return __builtin_bit_cast(double, uint64_t(1023 - mantissa) << 52);
}

/// The largest finite value of a float format.
inline double largestElement(const ElementFormat &element) {
  const FloatLayout &layout = floatLayouts[unsigned(element.format)];
  return decodeFloatBits(layout, layout.largest << layout.padding);
}

/// Position among all values of the dtype, ascending: neighbours differ by one,
/// and -0 is 0. Not for NaN.
inline int64_t elementOrdinal(const ElementFormat &element, uint64_t bits) {
  if (!element.isFloat)
    return signedElement(element, bits);
  uint64_t sign = uint64_t(1) << (element.bytes * 8 - 1);
  const FloatLayout &layout = floatLayouts[unsigned(element.format)];
  auto size = int64_t((bits & (sign - 1)) >> layout.padding);
  return bits & sign ? -size : size;
}

} // namespace lathe

#endif // LATHE_VERIFY_ELEMENTBITS_H
