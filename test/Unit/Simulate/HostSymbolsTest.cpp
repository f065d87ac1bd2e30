//===- HostSymbolsTest.cpp - Functions behind compiled code ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulate/Host/HostModule.h"

#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace lathe;

namespace {

template <typename T> T symbol(llvm::StringRef name) {
  for (auto [known, address] : host::hostSymbols())
    if (known == name)
      return reinterpret_cast<T>(address);
  ADD_FAILURE() << "no symbol " << name.str();
  return nullptr;
}

uint16_t lowBits(float value) {
  return uint16_t(llvm::bit_cast<uint32_t>(value));
}

bool sameFloat(FloatFormat format, uint64_t a, uint64_t b) {
  double x = decodeFloat(format, a), y = decodeFloat(format, b);
  return a == b || (std::isnan(x) && std::isnan(y));
}

/// Doubles around every value of the format and every middle of two.
template <typename Visit> void visitEdges(FloatFormat format, Visit visit) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double value = decodeFloat(format, bits);
    double next = decodeFloat(format, bits + 1 < 0x10000 ? bits + 1 : bits);
    double middle = value + (next - value) / 2;
    for (double edge : {value, middle, std::nextafter(middle, -INFINITY),
                        std::nextafter(middle, INFINITY)})
      visit(edge);
  }
}

TEST(HostSymbols, RoundDoublesOnce) {
  for (auto [name, format] : {std::pair("__truncdfhf2", FloatFormat::F16),
                              std::pair("__truncdfbf2", FloatFormat::BF16)}) {
    auto *round = symbol<float (*)(double)>(name);
    uint64_t wrong = 0;
    visitEdges(format, [&](double value) {
      wrong +=
          !sameFloat(format, lowBits(round(value)), encodeFloat(format, value));
    });
    EXPECT_EQ(wrong, 0u) << name;
  }
}

TEST(HostSymbols, RoundFloatsOnce) {
  for (auto [name, format] : {std::pair("__truncsfhf2", FloatFormat::F16),
                              std::pair("__truncsfbf2", FloatFormat::BF16)}) {
    auto *round = symbol<float (*)(float)>(name);
    uint64_t wrong = 0;
    visitEdges(format, [&](double value) {
      for (float near : {float(value), std::nextafter(float(value), 0.0f)})
        wrong +=
            !sameFloat(format, lowBits(round(near)), encodeFloat(format, near));
    });
    EXPECT_EQ(wrong, 0u) << name;
  }
}

TEST(HostSymbols, ExtendEveryHalf) {
  auto *extend = symbol<float (*)(float)>("__extendhfsf2");
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = extend(llvm::bit_cast<float>(bits));
    double expected = decodeFloat(FloatFormat::F16, bits);
    EXPECT_TRUE(value == expected ||
                (std::isnan(value) && std::isnan(expected)))
        << bits;
    EXPECT_EQ(std::signbit(value), bits >= 0x8000) << bits;
  }
}

/// Whether `found` is the value nearest to a * b + c, by exact comparison.
bool isNearest(FloatFormat format, uint64_t found, double a, double b,
               double c) {
  using Exact = __float128;
  // 113 bits hold the sum unless c is far smaller; then only its sign counts.
  double least = std::fabs(a * b) * 0x1p-90;
  if (c != 0 && std::fabs(c) < least)
    c = std::copysign(least, c);
  Exact exact = Exact(a) * Exact(b) + Exact(c);
  auto distance = [&](uint64_t bits) {
    Exact d = Exact(decodeFloat(format, bits)) - exact;
    return d < 0 ? -d : d;
  };
  for (uint64_t other : {found - 1, found + 1}) {
    if (!std::isfinite(decodeFloat(format, other & 0xffff)))
      continue;
    Exact mine = distance(found), its = distance(other & 0xffff);
    if (its < mine || (its == mine && (found & 1)))
      return false;
  }
  return true;
}

TEST(HostSymbols, FuseSmallFloatsWithOneRounding) {
  std::mt19937_64 random(7);
  for (auto [name, format] :
       {std::pair("lathe_host_fma_f16", FloatFormat::F16),
        std::pair("lathe_host_fma_bf16", FloatFormat::BF16)}) {
    auto *fuse = symbol<uint32_t (*)(uint32_t, uint32_t, uint32_t)>(name);
    // A quarter of the exponents near each other, so that sums cancel.
    uint32_t center = format == FloatFormat::F16 ? 0x3c00 : 0x3f80;
    for (unsigned i = 0; i < 200000; ++i) {
      uint32_t bits[3];
      for (uint32_t &operand : bits) {
        operand = uint32_t(random()) & 0xffff;
        if (i % 4)
          operand = (center + (operand & 0x7ff) - 0x400) | (operand & 0x8000);
      }
      double a = decodeFloat(format, bits[0]), b = decodeFloat(format, bits[1]),
             c = decodeFloat(format, bits[2]);
      uint32_t found = fuse(bits[0], bits[1], bits[2]);
      double value = decodeFloat(format, found);
      if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) {
        double sum = a * b + c;
        ASSERT_TRUE(std::isnan(sum) ? std::isnan(value) : value == sum);
      } else if (std::isfinite(value)) {
        ASSERT_TRUE(isNearest(format, found, a, b, c))
            << name << " of " << a << ", " << b << ", " << c << " is " << value;
      } else {
        ASSERT_GT(std::fabs(a * b + c), largestFinite(format));
      }
    }
  }
}

TEST(HostSymbols, AreNamedOnce) {
  llvm::StringSet<> names;
  for (auto [name, address] : host::hostSymbols()) {
    EXPECT_TRUE(names.insert(name).second) << name.str();
    EXPECT_NE(address, nullptr) << name.str();
  }
}

} // namespace
