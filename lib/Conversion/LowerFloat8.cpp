//===- LowerFloat8.cpp - Conversions of 8-bit floats ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8Codes.h"
#include "lathe/Conversion/Passes.h"
#include "lathe/Support/FloatFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lathe {
#define GEN_PASS_DEF_LOWERFLOAT8
#include "lathe/Conversion/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::float8;

namespace {

/// An 8-bit float type that the pass converts; nothing if it is another.
std::optional<FloatFormat> formatOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
           Float8E5M2FNUZType>(element))
    return std::nullopt;
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return lathe::parseFloatFormat(name);
}

bool isFnuz(FloatFormat format) {
  return format == FloatFormat::F8E4M3FNUZ || format == FloatFormat::F8E5M2FNUZ;
}

/// `value`, a list of f16 or f32, in another type that holds it.
Value widen(ImplicitLocOpBuilder &builder, Value value, Type element) {
  VectorType to = listType(value, element);
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  if (from.isF16())
    value = arith::ExtFOp::create(builder,
                                  listType(value, builder.getF32Type()), value);
  if (element.isF32())
    return value;
  if (element.getIntOrFloatBitWidth() == 64)
    return arith::ExtFOp::create(builder, to, value);
  return arith::TruncFOp::create(builder, to, value);
}

struct LowerFloat8 : lathe::impl::LowerFloat8Base<LowerFloat8> {
  using LowerFloat8Base::LowerFloat8Base;

  void runOnOperation() override {
    SmallVector<Operation *> conversions;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
          (isFloat8(op->getOperand(0)) || isFloat8(op->getResult(0))))
        conversions.push_back(op);
    });
    for (Operation *op : conversions)
      if (failed(lower(op)))
        return signalPassFailure();
  }

  static bool isFloat8(Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    return isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 8;
  }

  /// Which instructions the chip has for a format, if any.
  enum class Unit { None, Nvidia, Amd };
  Unit unitFor(FloatFormat format) {
    StringRef name = chip;
    if (name.starts_with("gfx94"))
      return isFnuz(format) ? Unit::Amd : Unit::None;
    unsigned version;
    if (!name.consume_front("sm_") || name.consumeInteger(10, version))
      return Unit::None;
    constexpr unsigned firstWithBytes = 89;
    return !isFnuz(format) && version >= firstWithBytes ? Unit::Nvidia
                                                        : Unit::None;
  }

  LogicalResult lower(Operation *op) {
    bool widens = isa<arith::ExtFOp>(op);
    Value value = op->getOperand(0);
    Type result = op->getResult(0).getType();
    Type narrow = widens ? value.getType() : result;
    Type wide = getElementTypeOrSelf(widens ? result : value.getType());
    std::optional<FloatFormat> format = formatOf(narrow);
    Type code = getElementTypeOrSelf(narrow);
    if (!format)
      return op->emitError() << "no conversion of " << code;
    if (!widens && !wide.isF32())
      return op->emitError()
             << "rounds " << wide << " to " << code << ", expected f32";
    if (widens &&
        !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(wide))
      return op->emitError() << "widens " << code << " to " << wide
                             << ", expected f16, bf16, f32 or f64";
    auto rounding = op->getAttrOfType<arith::RoundingModeAttr>("roundingmode");
    if (rounding && rounding.getValue() != arith::RoundingMode::to_nearest_even)
      return op->emitError()
             << "rounds " << arith::stringifyRoundingMode(rounding.getValue())
             << ", expected to nearest even";
    auto shape = dyn_cast<VectorType>(value.getType());
    if (shape && (shape.isScalable() || shape.getNumElements() == 0))
      return op->emitError() << "converts " << shape
                             << ", expected a constant number of elements";

    ImplicitLocOpBuilder builder(op->getLoc(), op);
    int64_t count = shape ? shape.getNumElements() : 1;
    Type from = getElementTypeOrSelf(value.getType());
    auto list = VectorType::get({count}, from);
    value = shape
                ? vector::ShapeCastOp::create(builder, list, value).getResult()
                : vector::BroadcastOp::create(builder, list, value);
    Unit unit = unitFor(*format);
    if (widens) {
      value = arith::BitcastOp::create(
          builder, listType(value, builder.getI8Type()), value);
      value = unit == Unit::Nvidia ? decodeByNvidia(builder, value, *format)
              : unit == Unit::Amd  ? decodeByAmd(builder, value, *format)
                                   : decodeByIntegers(builder, value, *format);
      value = widen(builder, value, wide);
    } else {
      value = unit == Unit::Nvidia ? encodeByNvidia(builder, value, *format)
              : unit == Unit::Amd  ? encodeByAmd(builder, value, *format)
                                   : encodeByIntegers(builder, value, *format);
      value = arith::BitcastOp::create(builder, listType(value, code), value);
    }
    if (shape)
      value =
          vector::ShapeCastOp::create(builder, cast<VectorType>(result), value);
    else
      value = vector::ExtractOp::create(builder, value, 0);
    op->replaceAllUsesWith(ValueRange{value});
    op->erase();
    return success();
  }
};

} // namespace
