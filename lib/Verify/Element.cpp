//===- Element.cpp - Elements of operands in memory -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Element.h"

#include "lathe/Verify/ParseElement.h"

using namespace lathe;

llvm::Expected<ElementType> ElementType::parse(llvm::StringRef dtype) {
  std::optional<ElementFormat> element = parseElementFormat(dtype);
  if (!element)
    return llvm::createStringError("no codec for elements of type '" + dtype +
                                   "'");
  ElementType type;
  if (element->isFloat)
    type.format = element->format;
  type.bytes = element->bytes;
  return type;
}

ElementFormat ElementType::plain() const {
  return {format.has_value(), format.value_or(FloatFormat::F32),
          static_cast<uint8_t>(bytes)};
}

uint64_t ElementType::load(const char *at) const {
  return loadElement(plain(), at);
}

void ElementType::store(uint64_t bits, char *at) const {
  storeElement(plain(), bits, at);
}

double ElementType::value(uint64_t bits) const {
  return elementValue(plain(), bits);
}

bool ElementType::isNaN(uint64_t bits) const {
  return isNaNElement(plain(), bits);
}

double ElementType::epsilon() const { return elementEpsilon(plain()); }

int64_t ElementType::ordinal(uint64_t bits) const {
  return elementOrdinal(plain(), bits);
}
