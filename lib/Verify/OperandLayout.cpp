//===- OperandLayout.cpp - Shapes in memory -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Element.h"
#include "lathe/Verify/TestMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace lathe;

/// Longest view that fits the address space with room to spare.
constexpr uint64_t maxBytes = uint64_t(1) << 46;

llvm::Expected<OperandLayout> lathe::layoutOf(const OperandSpec &operand,
                                              llvm::StringRef dtype,
                                              const Bindings &bindings) {
  auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError("operand '" + operand.name + "': " + why);
  };
  OperandLayout layout;
  auto type = ElementType::parse(dtype);
  if (!type)
    return fail(llvm::toString(type.takeError()));
  layout.elementBytes = type->bytes;
  auto evaluate = [&](const std::vector<Expr> &exprs,
                      std::vector<int64_t> &values) -> llvm::Error {
    for (const Expr &expr : exprs) {
      auto value = expr.evaluate(bindings);
      if (!value)
        return fail(llvm::toString(value.takeError()));
      if (*value < 0)
        return fail("'" + expr.str() + "' is negative");
      values.push_back(*value);
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = evaluate(operand.shape, layout.shape))
    return std::move(error);
  if (llvm::Error error = evaluate(operand.strides, layout.strides))
    return std::move(error);
  if (operand.strides.empty()) {
    layout.strides.resize(layout.shape.size());
    int64_t stride = 1;
    for (size_t i = layout.shape.size(); i-- > 0;) {
      layout.strides[i] = stride;
      if (llvm::MulOverflow(stride, layout.shape[i], stride))
        return fail("it has more than 2^63 elements");
    }
  }
  if (!layout.bytes())
    return fail("it spans more bytes than can be mapped");
  return layout;
}

uint64_t OperandLayout::elements() const {
  uint64_t count = 1;
  for (int64_t extent : shape)
    count *= uint64_t(extent);
  return count;
}

std::optional<uint64_t> OperandLayout::bytes() const {
  if (llvm::is_contained(shape, 0))
    return 0;
  uint64_t last = 0;
  for (auto [extent, stride] : llvm::zip_equal(shape, strides)) {
    if (stride < 0 || extent < 0)
      return std::nullopt;
    bool overflow = false;
    uint64_t reach = llvm::SaturatingMultiply(uint64_t(extent - 1),
                                              uint64_t(stride), &overflow);
    last = llvm::SaturatingAdd(last, reach);
    if (overflow || last >= maxBytes)
      return std::nullopt;
  }
  return (last + 1) * elementBytes;
}

bool OperandLayout::isDense() const {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

int64_t OperandLayout::rowLength() const {
  return shape.empty() || strides.back() != 1 ? 1 : shape.back();
}

void OperandLayout::forEachRow(
    llvm::function_ref<void(uint64_t first, uint64_t offset, int64_t length)>
        visit) const {
  if (elements() == 0)
    return;
  bool runs = !shape.empty() && strides.back() == 1;
  size_t rank = shape.size() - runs;
  int64_t length = rowLength();
  std::vector<int64_t> at(rank, 0);
  uint64_t first = 0;
  while (true) {
    uint64_t offset = 0;
    for (size_t i = 0; i < rank; ++i)
      offset += uint64_t(at[i]) * uint64_t(strides[i]);
    visit(first, offset * elementBytes, length);
    first += uint64_t(length);
    size_t axis = rank;
    while (axis > 0 && ++at[axis - 1] == shape[axis - 1])
      at[--axis] = 0;
    if (axis == 0)
      return;
  }
}
