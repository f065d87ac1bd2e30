//===- Float8Codes.cpp - Codes of 8-bit floats and values -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8Codes.h"

#include "lathe/Support/FloatBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace lathe;
using lathe::float8::listType;

VectorType float8::listType(Value list, Type element) {
  return cast<VectorType>(list.getType()).clone(element);
}

static int64_t countOf(Value list) {
  return cast<VectorType>(list.getType()).getNumElements();
}

static Value constant(ImplicitLocOpBuilder &builder, Type type, int64_t value) {
  TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, cast<Attribute>(attr));
  return arith::ConstantOp::create(builder, attr);
}

static Value constantFloat(ImplicitLocOpBuilder &builder, VectorType type,
                           double value) {
  return arith::ConstantOp::create(
      builder, DenseElementsAttr::get(
                   type, cast<Attribute>(builder.getF32FloatAttr(value))));
}

/// The list with zeros behind it, to whole groups of `multiple`.
static Value pad(ImplicitLocOpBuilder &builder, Value list, int64_t multiple) {
  int64_t count = countOf(list);
  int64_t padded = llvm::alignTo(count, multiple);
  if (padded == count)
    return list;
  auto type = VectorType::get(
      {padded}, cast<VectorType>(list.getType()).getElementType());
  Value zeros = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  return vector::InsertStridedSliceOp::create(
      builder, list, zeros, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
}

/// The first `count` elements.
static Value cut(ImplicitLocOpBuilder &builder, Value list, int64_t count) {
  if (countOf(list) == count)
    return list;
  return vector::ExtractStridedSliceOp::create(
      builder, list, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{count},
      ArrayRef<int64_t>{1});
}

static Value call(ImplicitLocOpBuilder &builder, StringRef name, Type result,
                  ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, result,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

/// Lists of pairs, joined.
static Value join(ImplicitLocOpBuilder &builder, ArrayRef<Value> pairs,
                  Type element) {
  auto type =
      VectorType::get({static_cast<int64_t>(pairs.size()) * 2}, element);
  Value list = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  for (auto [i, pair] : llvm::enumerate(pairs))
    list = vector::InsertStridedSliceOp::create(
        builder, pair, list, ArrayRef<int64_t>{static_cast<int64_t>(2 * i)},
        ArrayRef<int64_t>{1});
  return list;
}

//===----------------------------------------------------------------------===//
// To wider floats: bytes to a list of f16 or f32
//===----------------------------------------------------------------------===//

Value float8::decodeByNvidia(ImplicitLocOpBuilder &builder, Value bytes,
                             FloatFormat format) {
  int64_t count = countOf(bytes);
  Value padded = pad(builder, bytes, 2);
  int64_t numPairs = countOf(padded) / 2;
  Value words = vector::BitCastOp::create(
      builder, VectorType::get({numPairs}, builder.getI16Type()), padded);
  Type half = builder.getF16Type();
  StringRef name = format == FloatFormat::F8E4M3FN
                       ? "llvm.nvvm.e4m3x2.to.f16x2.rn"
                       : "llvm.nvvm.e5m2x2.to.f16x2.rn";
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < numPairs; ++i)
    pairs.push_back(
        call(builder, name, VectorType::get({2}, half),
             ValueRange{vector::ExtractOp::create(builder, words, i)}));
  return cut(builder, join(builder, pairs, half), count);
}

Value float8::decodeByAmd(ImplicitLocOpBuilder &builder, Value bytes,
                          FloatFormat format) {
  int64_t count = countOf(bytes);
  Value padded = pad(builder, bytes, 4);
  int64_t numWords = countOf(padded) / 4;
  Value words = vector::BitCastOp::create(
      builder, VectorType::get({numWords}, builder.getI32Type()), padded);
  StringRef name = format == FloatFormat::F8E4M3FNUZ
                       ? "llvm.amdgcn.cvt.pk.f32.fp8"
                       : "llvm.amdgcn.cvt.pk.f32.bf8";
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < numWords; ++i)
    for (int64_t upper : {0, 1})
      pairs.push_back(
          call(builder, name, VectorType::get({2}, builder.getF32Type()),
               ValueRange{vector::ExtractOp::create(builder, words, i),
                          constant(builder, builder.getI1Type(), upper)}));
  return cut(builder, join(builder, pairs, builder.getF32Type()), count);
}

/// E5M2 is the upper byte of an f16. Bits of the other
/// formats, as those of an f32, are a value that is too small by the difference
/// of the biases; subnormals too.
Value float8::decodeByIntegers(ImplicitLocOpBuilder &builder, Value bytes,
                               FloatFormat format) {
  if (format == FloatFormat::F8E5M2) {
    VectorType words = listType(bytes, builder.getI16Type());
    Value word = arith::ExtUIOp::create(builder, words, bytes);
    word = arith::ShLIOp::create(builder, word, constant(builder, words, 8));
    return arith::BitcastOp::create(
        builder, listType(bytes, builder.getF16Type()), word);
  }
  const FloatLayout &layout = floatLayouts[unsigned(format)];
  VectorType words = listType(bytes, builder.getI32Type());
  VectorType floats = listType(bytes, builder.getF32Type());
  auto word = [&](int64_t value) { return constant(builder, words, value); };
  Value code = arith::ExtUIOp::create(builder, words, bytes);
  Value rest = arith::AndIOp::create(builder, code, word(0x7F));
  Value bits = arith::ShLIOp::create(builder, rest, word(23 - layout.mantissa));
  Value size = arith::MulFOp::create(
      builder, arith::BitcastOp::create(builder, floats, bits),
      constantFloat(builder, floats, std::ldexp(1.0, 127 - layout.bias)));
  Value sign = arith::ShLIOp::create(
      builder, arith::AndIOp::create(builder, code, word(0x80)), word(24));
  Value value = arith::OrIOp::create(
      builder, arith::BitcastOp::create(builder, words, size), sign);
  Value isNaN = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                      layout.isUnsignedZero ? code : rest,
                                      word(layout.nan));
  value = arith::SelectOp::create(builder, isNaN, word(0x7FC00000), value);
  return arith::BitcastOp::create(builder, floats, value);
}

//===----------------------------------------------------------------------===//
// From f32, rounded to nearest even
//===----------------------------------------------------------------------===//

/// The magnitude, as bits of an f32, from which on rounding overflows.
static uint32_t overflowBits(const FloatLayout &layout) {
  uint64_t exponent = layout.largest >> layout.mantissa;
  uint64_t fraction = layout.largest & ((1u << layout.mantissa) - 1);
  uint32_t largest =
      (exponent + 127 - layout.bias) << 23 | fraction << (23 - layout.mantissa);
  uint32_t half = 1u << (22 - layout.mantissa);
  // A tie goes to the even neighbour.
  return largest + half + (layout.largest % 2 == 0 ? 1 : 0);
}

namespace {
struct Parts {
  Value bits, size; ///< of the f32 values, with and without the sign
};
} // namespace

static Parts partsOf(ImplicitLocOpBuilder &builder, Value values) {
  VectorType words = listType(values, builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, words, values);
  Value size = arith::AndIOp::create(builder, bits,
                                     constant(builder, words, 0x7FFFFFFF));
  return {bits, size};
}

static Value isAtLeast(ImplicitLocOpBuilder &builder, Value words,
                       int64_t limit) {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, words,
                               constant(builder, words.getType(), limit));
}

/// The instruction saturates: what overflows becomes NaN before, or infinity
/// after.
Value float8::encodeByNvidia(ImplicitLocOpBuilder &builder, Value values,
                             FloatFormat format) {
  const FloatLayout &layout = floatLayouts[unsigned(format)];
  int64_t count = countOf(values);
  VectorType floats = listType(values, builder.getF32Type());
  Parts parts = partsOf(builder, values);
  Value overflows = isAtLeast(builder, parts.size, overflowBits(layout));
  bool hasInfinity = layout.overflow != layout.nan;
  if (!hasInfinity)
    values = arith::SelectOp::create(
        builder, overflows, constantFloat(builder, floats, NAN), values);
  Value padded = pad(builder, values, 2);
  StringRef name =
      hasInfinity ? "llvm.nvvm.ff.to.e5m2x2.rn" : "llvm.nvvm.ff.to.e4m3x2.rn";
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < countOf(padded); i += 2)
    pairs.push_back(
        call(builder, name, builder.getI16Type(),
             ValueRange{vector::ExtractOp::create(builder, padded, i + 1),
                        vector::ExtractOp::create(builder, padded, i)}));
  Value words = vector::FromElementsOp::create(
      builder,
      VectorType::get({static_cast<int64_t>(pairs.size())},
                      builder.getI16Type()),
      pairs);
  VectorType bytes = listType(values, builder.getI8Type());
  Value codes = cut(builder,
                    vector::BitCastOp::create(
                        builder, listType(padded, builder.getI8Type()), words),
                    count);
  if (!hasInfinity)
    return codes;
  Value sign =
      arith::AndIOp::create(builder, codes, constant(builder, bytes, 0x80));
  Value infinity = arith::OrIOp::create(
      builder, sign, constant(builder, bytes, layout.overflow));
  constexpr int64_t infinityBits = 0x7F800000;
  Value isNumber = arith::CmpIOp::create(
      builder, arith::CmpIPredicate::ule, parts.size,
      constant(builder, parts.size.getType(), infinityBits));
  return arith::SelectOp::create(
      builder, arith::AndIOp::create(builder, overflows, isNumber), infinity,
      codes);
}

Value float8::encodeByAmd(ImplicitLocOpBuilder &builder, Value values,
                          FloatFormat format) {
  int64_t count = countOf(values);
  Value padded = pad(builder, values, 4);
  Type word = builder.getI32Type();
  StringRef name = format == FloatFormat::F8E4M3FNUZ
                       ? "llvm.amdgcn.cvt.pk.fp8.f32"
                       : "llvm.amdgcn.cvt.pk.bf8.f32";
  SmallVector<Value> list;
  for (int64_t i = 0; i < countOf(padded); i += 4) {
    Value packed = constant(builder, word, 0);
    for (int64_t upper : {0, 1})
      packed = call(
          builder, name, word,
          ValueRange{
              vector::ExtractOp::create(builder, padded, i + 2 * upper),
              vector::ExtractOp::create(builder, padded, i + 2 * upper + 1),
              packed, constant(builder, builder.getI1Type(), upper)});
    list.push_back(packed);
  }
  Value words = vector::FromElementsOp::create(
      builder, VectorType::get({static_cast<int64_t>(list.size())}, word),
      list);
  return cut(builder,
             vector::BitCastOp::create(
                 builder, listType(padded, builder.getI8Type()), words),
             count);
}

/// Normal results by a carry into the bits that stay,
/// subnormal ones by the rounding of an addition whose sum has their last bit.
Value float8::encodeByIntegers(ImplicitLocOpBuilder &builder, Value values,
                               FloatFormat format) {
  const FloatLayout &layout = floatLayouts[unsigned(format)];
  VectorType words = listType(values, builder.getI32Type());
  VectorType floats = listType(values, builder.getF32Type());
  auto word = [&](int64_t value) { return constant(builder, words, value); };
  Parts parts = partsOf(builder, values);
  int64_t shift = 23 - layout.mantissa;
  Value last = arith::AndIOp::create(
      builder, arith::ShRUIOp::create(builder, parts.size, word(shift)),
      word(1));
  // The change of bias, and just below half of the last bit that stays.
  int64_t offset =
      -(int64_t(127 - layout.bias) << 23) + (int64_t(1) << (shift - 1)) - 1;
  Value rounded = arith::AddIOp::create(
      builder, arith::AddIOp::create(builder, parts.size, last), word(offset));
  Value normal = arith::ShRUIOp::create(builder, rounded, word(shift));

  double large = std::ldexp(1.0, 24 - layout.bias - int(layout.mantissa));
  Value sum = arith::AddFOp::create(
      builder, arith::BitcastOp::create(builder, floats, parts.size),
      constantFloat(builder, floats, large));
  Value subnormal = arith::SubIOp::create(
      builder, arith::BitcastOp::create(builder, words, sum),
      word(llvm::bit_cast<int32_t>(float(large))));
  Value isNormal =
      isAtLeast(builder, parts.size, int64_t(128 - layout.bias) << 23);
  Value code = arith::SelectOp::create(builder, isNormal, normal, subnormal);

  code = arith::SelectOp::create(
      builder, isAtLeast(builder, parts.size, overflowBits(layout)),
      word(layout.overflow & 0x7F), code);
  constexpr int64_t pastInfinity = 0x7F800001;
  Value isNaN = isAtLeast(builder, parts.size, pastInfinity);
  code = arith::SelectOp::create(builder, isNaN, word(layout.nan & 0x7F), code);
  Value sign = arith::AndIOp::create(
      builder, arith::ShRUIOp::create(builder, parts.bits, word(24)),
      word(0x80));
  if (layout.isUnsignedZero) {
    // What is all zeros but for the sign is NaN: no sign for zero, one for NaN.
    Value isZero =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, code, word(0));
    Value overflows = isAtLeast(builder, parts.size, overflowBits(layout));
    sign = arith::SelectOp::create(builder, isZero, word(0), sign);
    sign = arith::SelectOp::create(builder, overflows, word(0x80), sign);
  } else {
    sign = arith::SelectOp::create(builder, isNaN, word(0), sign);
  }
  code = arith::OrIOp::create(builder, code, sign);
  return arith::TruncIOp::create(builder, listType(values, builder.getI8Type()),
                                 code);
}
