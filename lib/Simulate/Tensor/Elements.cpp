//===- Elements.cpp - Types and fragments of matrix instructions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace lathe;
using namespace lathe::sim;

std::optional<MatrixType> lathe::sim::parseMatrixType(StringRef name) {
  return StringSwitch<std::optional<MatrixType>>(name)
      .Case("f16", MatrixType::F16)
      .Case("bf16", MatrixType::BF16)
      .Case("tf32", MatrixType::TF32)
      .Case("e4m3", MatrixType::E4M3)
      .Case("e5m2", MatrixType::E5M2)
      .Case("s8", MatrixType::S8)
      .Case("u8", MatrixType::U8)
      .Case("s4", MatrixType::S4)
      .Case("u4", MatrixType::U4)
      .Case("f64", MatrixType::F64)
      .Default(std::nullopt);
}

unsigned lathe::sim::bitsOf(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
  case MatrixType::BF16:
    return 16;
  case MatrixType::TF32:
    return 32;
  case MatrixType::S4:
  case MatrixType::U4:
    return 4;
  case MatrixType::F64:
    return 64;
  default:
    return 8;
  }
}

bool lathe::sim::isInteger(MatrixType type) {
  return type >= MatrixType::S8 && type <= MatrixType::U4;
}

template <typename T, typename Convert>
static void convertAll(const void *from, double *to, size_t count,
                       Convert convert) {
  auto *bytes = static_cast<const char *>(from);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    to[i] = convert(value);
  }
}

// Halves by arithmetic alone, so that the loop is vectorised: the exponent's
// bias is made up by a multiplication, which is exact for subnormals too.
static double widenHalf(uint16_t bits) {
  uint32_t rest = uint32_t(bits & 0x7FFF) << 13;
  float value = llvm::bit_cast<float>(rest) * 0x1p112f;
  uint32_t special = (bits & 0x7C00) == 0x7C00 ? 0x7F800000u | rest : 0;
  uint32_t result =
      llvm::bit_cast<uint32_t>(value) | special | uint32_t(bits & 0x8000) << 16;
  return llvm::bit_cast<float>(result);
}

void lathe::sim::widen(MatrixType type, const void *from, double *to,
                       size_t count) {
  switch (type) {
  case MatrixType::F16:
    return convertAll<uint16_t>(from, to, count, widenHalf);
  case MatrixType::BF16:
    return convertAll<uint16_t>(from, to, count, [](uint16_t bits) {
      return double(llvm::bit_cast<float>(uint32_t(bits) << 16));
    });
  case MatrixType::TF32: // the unit reads the upper 19 bits
    return convertAll<uint32_t>(from, to, count, [](uint32_t bits) {
      return double(llvm::bit_cast<float>(bits & 0xFFFFE000u));
    });
  case MatrixType::E4M3:
  case MatrixType::E5M2: {
    const float *table = decodeTable(
        type == MatrixType::E4M3 ? FloatFormat::F8E4M3FN : FloatFormat::F8E5M2);
    return convertAll<uint8_t>(
        from, to, count, [table](uint8_t bits) { return double(table[bits]); });
  }
  case MatrixType::S8:
    return convertAll<int8_t>(from, to, count,
                              [](int8_t value) { return double(value); });
  case MatrixType::U8:
    return convertAll<uint8_t>(from, to, count,
                               [](uint8_t value) { return double(value); });
  case MatrixType::S4:
  case MatrixType::U4:
    for (size_t i = 0; i < count; ++i) {
      int value = static_cast<const uint8_t *>(from)[i / 2] >> (i % 2 * 4) & 15;
      to[i] = type == MatrixType::S4 && value > 7 ? value - 16 : value;
    }
    return;
  case MatrixType::F64:
    std::memcpy(to, from, count * sizeof(double));
    return;
  }
}

std::optional<Accumulator> lathe::sim::parseAccumulator(StringRef name) {
  return StringSwitch<std::optional<Accumulator>>(name)
      .Case("f16", Accumulator::F16)
      .Case("f32", Accumulator::F32)
      .Case("s32", Accumulator::S32)
      .Case("f64", Accumulator::F64)
      .Default(std::nullopt);
}

unsigned lathe::sim::bytesOf(Accumulator type) {
  return type == Accumulator::F16 ? 2 : type == Accumulator::F64 ? 8 : 4;
}

template <typename T> static T load(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

double lathe::sim::readAccumulator(Accumulator type, const void *from) {
  switch (type) {
  case Accumulator::F16:
    return decodeFloat(FloatFormat::F16, load<uint16_t>(from));
  case Accumulator::F32:
    return load<float>(from);
  case Accumulator::S32:
    return load<int32_t>(from);
  case Accumulator::F64:
    return load<double>(from);
  }
  llvm_unreachable("every type returns");
}

void lathe::sim::writeAccumulator(Accumulator type, void *to, double value,
                                  bool saturates) {
  switch (type) {
  case Accumulator::F16: {
    uint16_t bits = encodeFloat(FloatFormat::F16, value);
    std::memcpy(to, &bits, 2);
    return;
  }
  case Accumulator::F32: {
    float rounded = value;
    std::memcpy(to, &rounded, 4);
    return;
  }
  case Accumulator::S32: {
    if (saturates)
      value = std::clamp(value, -0x1p31, 0x1p31 - 1);
    auto wrapped = uint32_t(int64_t(value));
    std::memcpy(to, &wrapped, 4);
    return;
  }
  case Accumulator::F64:
    std::memcpy(to, &value, 8);
    return;
  }
}

double lathe::sim::addNarrow(double acc, const double *a, const double *b,
                             unsigned stride, unsigned count) {
  int top = acc == 0 ? -1000 : std::ilogb(acc);
  bool isFinite = std::isfinite(acc);
  for (unsigned i = 0; i < count; ++i) {
    double product = a[i] * b[i * stride];
    isFinite &= std::isfinite(product);
    if (product != 0) // before the product is normalized
      top = std::max(top, std::ilogb(a[i]) + std::ilogb(b[i * stride]));
  }
  double sum = 0;
  auto cut = [&](double value) {
    return isFinite
               ? std::ldexp(std::trunc(std::ldexp(value, 13 - top)), top - 13)
               : value;
  };
  for (unsigned i = 0; i < count; ++i)
    sum += cut(a[i] * b[i * stride]);
  return sum + cut(acc);
}
