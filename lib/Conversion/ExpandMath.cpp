//===- ExpandMath.cpp - Math functions to hardware approximations ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace lathe {
#define GEN_PASS_DEF_EXPANDMATH
#include "lathe/Conversion/Passes.h.inc"
} // namespace lathe

using namespace mlir;

namespace {

struct ExpandMath : lathe::impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    amd = StringRef(chip).starts_with("gfx");
    WalkResult result = getOperation().walk([&](Operation *op) {
      return failed(expand(op)) ? WalkResult::interrupt()
                                : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult expand(Operation *op) {
    auto divide = dyn_cast<arith::DivFOp>(op);
    bool approximate = divide && bitEnumContainsAll(divide.getFastmath(),
                                                    arith::FastMathFlags::arcp);
    bool isMath = isa_and_nonnull<math::MathDialect>(op->getDialect());
    if (!approximate && !isMath)
      return success();
    // Both backends select these.
    if (isa<math::AbsFOp, math::FmaOp, math::SqrtOp, math::FloorOp,
            math::CeilOp, math::RoundEvenOp>(op))
      return success();
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    if (!isa<math::ExpOp, math::RsqrtOp>(op) && !approximate)
      return op->emitError()
             << "no expansion of '" << op->getName() << "' for " << chip;
    if (!element.isF32())
      return op->emitError()
             << "'" << op->getName() << "' of " << element << ", expected f32";

    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value result;
    if (isa<math::ExpOp>(op)) {
      Value x = op->getOperand(0);
      Value log2e = splat(builder, loc, x.getType(), M_LOG2E);
      result = perElement(builder, loc,
                          arith::MulFOp::create(builder, loc, x, log2e),
                          amd ? "llvm.amdgcn.exp2" : "llvm.nvvm.ex2.approx");
    } else if (isa<math::RsqrtOp>(op)) {
      result = perElement(builder, loc, op->getOperand(0),
                          amd ? "llvm.amdgcn.rsq" : "llvm.nvvm.rsqrt.approx.f");
    } else {
      Value reciprocal =
          perElement(builder, loc, divide.getRhs(),
                     amd ? "llvm.amdgcn.rcp" : "llvm.nvvm.rcp.approx.ftz.f");
      result = arith::MulFOp::create(builder, loc, divide.getLhs(), reciprocal);
    }
    op->replaceAllUsesWith(ValueRange{result});
    op->erase();
    return success();
  }

  Value splat(OpBuilder &builder, Location loc, Type type, double value) {
    TypedAttr attr = builder.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, cast<Attribute>(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }

  /// Calls the scalar intrinsic on each element of `value`.
  Value perElement(OpBuilder &builder, Location loc, Value value,
                   StringRef intrinsic) {
    auto call = [&](Value scalar) -> Value {
      return LLVM::CallIntrinsicOp::create(builder, loc, scalar.getType(),
                                           builder.getStringAttr(intrinsic),
                                           ValueRange{scalar})
          .getResult(0);
    };
    auto vector = dyn_cast<VectorType>(value.getType());
    if (!vector)
      return call(value);
    auto flat =
        VectorType::get({vector.getNumElements()}, vector.getElementType());
    Value list = vector::ShapeCastOp::create(builder, loc, flat, value);
    SmallVector<Value> results;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      results.push_back(call(vector::ExtractOp::create(builder, loc, list, i)));
    return vector::FromElementsOp::create(builder, loc, vector, results);
  }

  bool amd = false;
};
} // namespace
