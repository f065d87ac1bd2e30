//===- FloatFormat.cpp - Bits of small floats and back --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/FloatFormat.h"

#include "lathe/Support/FloatBits.h"

#include <array>

using namespace lathe;

static const FloatLayout &layoutOf(FloatFormat format) {
  return floatLayouts[unsigned(format)];
}

std::optional<FloatFormat> lathe::parseFloatFormat(llvm::StringRef dtype) {
  unsigned format = 0;
  for (const char *name : floatNames) {
    if (dtype == name)
      return FloatFormat(format);
    ++format;
  }
  return std::nullopt;
}

unsigned lathe::floatStorageBits(FloatFormat format) {
  const FloatLayout &layout = layoutOf(format);
  return layout.width + layout.padding;
}

double lathe::largestFinite(FloatFormat format) {
  const FloatLayout &layout = layoutOf(format);
  return decodeFloat(format, layout.largest << layout.padding);
}

double lathe::decodeFloat(FloatFormat format, uint64_t bits) {
  // The 8-bit formats come first.
  if (format <= FloatFormat::F8E5M2FNUZ)
    return decodeTable(format)[bits & 0xFF];
  return decodeFloatBits(format, bits);
}

const float *lathe::decodeTable(FloatFormat format) {
  static const auto tables = [] {
    std::array<std::array<float, 256>, 4> result;
    for (unsigned f = 0; f != result.size(); ++f)
      for (unsigned byte = 0; byte != 256; ++byte)
        result[f][byte] = float(decodeFloatBits(floatLayouts[f], byte));
    return result;
  }();
  return tables[unsigned(format)].data();
}

uint64_t lathe::encodeFloat(FloatFormat format, double value,
                            FloatOverflow overflow, FloatRounding rounding) {
  return encodeFloatBits(format, value, overflow, rounding);
}
