//===- Element.cpp - Elements of operands in memory -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Element.h"

#include "lathe/Ingest/Model.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace lathe;

llvm::Expected<ElementType> ElementType::parse(llvm::StringRef dtype) {
  ElementType type;
  type.format = parseFloatFormat(dtype);
  if (type.format) {
    type.bytes = floatStorageBits(*type.format) / 8;
    return type;
  }
  unsigned bits = dtypeBits(dtype);
  if (!dtype.starts_with("i") || !bits)
    return llvm::createStringError("no codec for elements of type '" + dtype +
                                   "'");
  type.bytes = bits < 8 ? 1 : bits / 8;
  return type;
}

uint64_t ElementType::load(const char *at) const {
  switch (bytes) {
  case 1:
    return static_cast<uint8_t>(*at);
  case 2:
    return llvm::support::endian::read16le(at);
  case 4:
    return llvm::support::endian::read32le(at);
  default:
    return llvm::support::endian::read64le(at);
  }
}

void ElementType::store(uint64_t bits, char *at) const {
  switch (bytes) {
  case 1:
    *at = static_cast<char>(bits);
    break;
  case 2:
    llvm::support::endian::write16le(at, static_cast<uint16_t>(bits));
    break;
  case 4:
    llvm::support::endian::write32le(at, static_cast<uint32_t>(bits));
    break;
  default:
    llvm::support::endian::write64le(at, bits);
  }
}

double ElementType::value(uint64_t bits) const {
  if (format)
    return decodeFloat(*format, bits);
  return static_cast<double>(llvm::SignExtend64(bits, bytes * 8));
}

bool ElementType::isNaN(uint64_t bits) const {
  return format && std::isnan(decodeFloat(*format, bits));
}

double ElementType::epsilon() const {
  if (!format)
    return 0;
  uint64_t step = *format == FloatFormat::TF32 ? uint64_t(1) << 13 : 1;
  return value(encodeFloat(*format, 1) + step) - 1;
}

int64_t ElementType::ordinal(uint64_t bits) const {
  if (!format)
    return llvm::SignExtend64(bits, bytes * 8);
  uint64_t sign = uint64_t(1) << (bytes * 8 - 1);
  // TF32 leaves the low bits out of an f32.
  unsigned unused = *format == FloatFormat::TF32 ? 13 : 0;
  auto size = static_cast<int64_t>((bits & (sign - 1)) >> unused);
  return bits & sign ? -size : size;
}
