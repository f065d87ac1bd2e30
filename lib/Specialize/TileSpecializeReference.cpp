//===- TileSpecializeReference.cpp - Bind a reference's dtypes ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Specialize/Passes.h"

#include "Tile/Tile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace lathe {
#define GEN_PASS_DEF_TILESPECIALIZEREFERENCE
#include "lathe/Specialize/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// f64 to f32 such that a second rounding, to 16 bits, cannot round twice:
/// what is inexact takes the neighbour whose last bit is set.
static Value truncateToOdd(OpBuilder &builder, Location loc, Value wide) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, i32, value);
  };
  Value nearest = arith::TruncFOp::create(builder, loc, f32, wide);
  Value back = arith::ExtFOp::create(builder, loc, wide.getType(), nearest);
  Value inexact = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE,
                                        back, wide);
  Value bits = arith::BitcastOp::create(builder, loc, i32, nearest);
  Value last = arith::AndIOp::create(builder, loc, bits, constant(1));
  Value even = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     last, constant(0));
  Value move = arith::AndIOp::create(builder, loc, inexact, even);
  // Bits grow away from zero, whatever the sign; so does the value.
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(wide.getType(), 0.0));
  Value positive = arith::CmpFOp::create(builder, loc,
                                         arith::CmpFPredicate::OGT, wide, zero);
  Value above = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                      wide, back);
  Value outward = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        positive, above);
  Value step =
      arith::SelectOp::create(builder, loc, outward, constant(1), constant(-1));
  Value odd = arith::AddIOp::create(builder, loc, bits, step);
  Value chosen = arith::SelectOp::create(builder, loc, move, odd, bits);
  return arith::BitcastOp::create(builder, loc, f32, chosen);
}

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}

static Value convertNative(OpBuilder &builder, Location loc, Value value,
                           FloatType to) {
  auto from = cast<FloatType>(value.getType());
  if (from == to)
    return value;
  Type f32 = builder.getF32Type();
  if (from.getWidth() < 32)
    value = arith::ExtFOp::create(builder, loc, f32, value);
  else if (from.getWidth() > 32 && to.getWidth() < 32)
    value = truncateToOdd(builder, loc, value);
  unsigned width = cast<FloatType>(value.getType()).getWidth();
  if (to.getWidth() > width)
    return arith::ExtFOp::create(builder, loc, to, value);
  if (to.getWidth() < width)
    return arith::TruncFOp::create(builder, loc, to, value);
  return value;
}

/// Calls the host's `lathe_<type>_<action>`; no host has FP8 arithmetic.
static Value callHost(OpBuilder &builder, Location loc, Type type,
                      StringRef action, Value value, Type result) {
  auto module = builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string name;
  llvm::raw_string_ostream(name) << "lathe_" << type << '_' << action;
  auto callee = module.lookupSymbol<func::FuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    callee = func::FuncOp::create(
        builder, loc, name, builder.getFunctionType(value.getType(), result));
    callee.setPrivate();
  }
  return func::CallOp::create(builder, loc, callee, value).getResult(0);
}

static Value convertScalar(OpBuilder &builder, Location loc, Value value,
                           FloatType to) {
  Type from = value.getType(), i8 = builder.getI8Type(),
       i32 = builder.getI32Type();
  if (from == to)
    return value;
  if (isFloat8(from)) {
    value = arith::BitcastOp::create(builder, loc, i8, value);
    value = arith::ExtUIOp::create(builder, loc, i32, value);
    value = callHost(builder, loc, from, "decode", value, builder.getF32Type());
  }
  if (!isFloat8(to))
    return convertNative(builder, loc, value, to);
  value = convertNative(builder, loc, value, builder.getF64Type());
  value = callHost(builder, loc, to, "encode", value, i32);
  value = arith::TruncIOp::create(builder, loc, i8, value);
  return arith::BitcastOp::create(builder, loc, to, value);
}

namespace {

struct TileSpecializeReference
    : lathe::impl::TileSpecializeReferenceBase<TileSpecializeReference> {
  using TileSpecializeReferenceBase::TileSpecializeReferenceBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<Type> types;
    for (StringRef entry : dtypes) {
      auto [name, text] = entry.split(':');
      Type type = text.empty() ? Type() : parseType(text, &getContext());
      if (name.empty() || !type || !type.isIntOrFloat()) {
        module.emitError() << "option 'dtypes' has '" << entry
                           << "', expected variable:type";
        return signalPassFailure();
      }
      types[name] = type;
    }
    std::string unbound;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](DTypeType type) -> Type {
      if (Type bound = types.lookup(type.getName()))
        return bound;
      unbound = type.getName().str();
      return type;
    });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    if (!unbound.empty()) {
      module.emitError() << "dtype variable '" << unbound << "' is not bound";
      return signalPassFailure();
    }
    WalkResult result = module.walk([&](Operation *op) {
      return failed(lower(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult lower(Operation *op) {
    if (!isa_and_nonnull<TileDialect>(op->getDialect()))
      return success();
    auto convert = dyn_cast<ConvertOp>(op);
    auto isKnown = [](Type type) {
      return isFloat8(type) ||
             isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
    };
    if (!convert || !isKnown(convert.getValue().getType()) ||
        !isKnown(convert.getResult().getType()))
      return op->emitError() << "'" << op->getName()
                             << "' in a reference, expected tile.convert of an "
                                "8, 16, 32 or 64 bit float";
    OpBuilder builder(op);
    convert.replaceAllUsesWith(
        convertScalar(builder, op->getLoc(), convert.getValue(),
                      cast<FloatType>(convert.getResult().getType())));
    convert.erase();
    return success();
  }
};

} // namespace
