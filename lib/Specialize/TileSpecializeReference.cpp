//===- TileSpecializeReference.cpp - Bind a reference's dtypes ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Specialize/Passes.h"

#include "Tile/Tile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

static Value convertScalar(OpBuilder &builder, Location loc, Value value,
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
    auto isNative =
        llvm::IsaPred<Float16Type, BFloat16Type, Float32Type, Float64Type>;
    if (!convert || !isNative(convert.getValue().getType()) ||
        !isNative(convert.getResult().getType()))
      return op->emitError() << "'" << op->getName()
                             << "' in a reference, expected tile.convert of a "
                                "16, 32 or 64 bit float";
    OpBuilder builder(op);
    convert.replaceAllUsesWith(
        convertScalar(builder, op->getLoc(), convert.getValue(),
                      cast<FloatType>(convert.getResult().getType())));
    convert.erase();
    return success();
  }
};

} // namespace
