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
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace lathe {
#define GEN_PASS_DEF_EXPANDMATH
#include "lathe/Conversion/Passes.h.inc"
} // namespace lathe

using namespace mlir;

// Minimax polynomials in ascending order; errors are relative.
/// (tanh(x) - x) / x^3 in x^2 up to kTanhKnee; of tanh 4.4e-9.
static constexpr double kTanh[] = {-0.3333328194202883, 0.1333144219867098,
                                   -0.05373971513003747, 0.020639087391008427,
                                   -0.00570498715497242};
static constexpr double kTanhKnee = 0.625;
/// erf(x) / x in x^2 up to 1; 1.3e-9.
static constexpr double kErf[] = {1.128379165726713,    -0.3761262582423731,
                                  0.11283585148565076,  -0.02685381193135848,
                                  0.005188327676115868, -0.0008010193527720514,
                                  7.853860999122497e-05};
/// erfc(a) exp(a^2) / t in t = 1 / (1 + kErfcScale * a), for a from 0 to 10.1;
/// 6.3e-8.
static constexpr double kErfc[] = {
    0.22563562129571726, 0.22641963006628077,  0.20205360542702194,
    0.19275137027280193, 0.08125200537792429,  0.08581883289960274,
    0.08584652299863572, -0.14121152578950644, 0.041435098944464385};
static constexpr double kErfcScale = 0.4;

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
    // Of f32 both have an instruction, which arith's own expansion would miss.
    bool isExtreme = isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
                     getElementTypeOrSelf(op->getResult(0).getType()).isF32();
    bool isMath =
        isa_and_nonnull<math::MathDialect>(op->getDialect()) || isExtreme;
    if (!approximate && !isMath)
      return success();
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    if (auto zeros = dyn_cast<math::CountLeadingZerosOp>(op)) {
      replace(op, LLVM::CountLeadingZerosOp::create(builder, zeros.getType(),
                                                    zeros.getOperand(),
                                                    /*is_zero_poison=*/false));
      return success();
    }
    if (StringRef selected = findSelected(op); !selected.empty()) {
      // AMD's lowering keeps math's; NVIDIA's would call a library.
      if (!amd || isExtreme)
        replace(op, perElement(builder, op->getOperands(), selected));
      return success();
    }
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    bool isKnown = isa<math::ExpOp, math::Exp2Op, math::Log2Op, math::RsqrtOp,
                       math::TanhOp, math::ErfOp, math::ErfcOp>(op);
    if (!isKnown && !approximate)
      return op->emitError()
             << "no expansion of '" << op->getName() << "' for " << chip;
    if (!element.isF32())
      return op->emitError()
             << "'" << op->getName() << "' of " << element << ", expected f32";

    Value x = op->getOperand(0);
    Value result =
        TypeSwitch<Operation *, Value>(op)
            .Case<math::ExpOp>(
                [&](auto) { return exp2(builder, scale(builder, x, M_LOG2E)); })
            .Case<math::Exp2Op>([&](auto) { return exp2(builder, x); })
            .Case<math::Log2Op>([&](auto) {
              return perElement(builder, x,
                                amd ? "llvm.amdgcn.log"
                                    : "llvm.nvvm.lg2.approx.f");
            })
            .Case<math::RsqrtOp>([&](auto) {
              return perElement(builder, x,
                                amd ? "llvm.amdgcn.rsq"
                                    : "llvm.nvvm.rsqrt.approx.f");
            })
            .Case<math::TanhOp>([&](auto) { return tanh(builder, x); })
            .Case<math::ErfOp>([&](auto) { return erf(builder, x); })
            .Case<math::ErfcOp>([&](auto) { return erfc(builder, x); })
            .Default([&](Operation *) -> Value {
              return arith::MulFOp::create(
                  builder, x, reciprocal(builder, op->getOperand(1)));
            });
    replace(op, result);
    return success();
  }

  static void replace(Operation *op, Value result) {
    op->replaceAllUsesWith(ValueRange{result});
    op->erase();
  }

  /// The intrinsic for which both backends have instructions, if any.
  static StringRef findSelected(Operation *op) {
    return TypeSwitch<Operation *, StringRef>(op)
        .Case<math::AbsFOp>([](auto) { return "llvm.fabs"; })
        .Case<math::FmaOp>([](auto) { return "llvm.fma"; })
        .Case<arith::MaximumFOp>([](auto) { return "llvm.maximum"; })
        .Case<arith::MinimumFOp>([](auto) { return "llvm.minimum"; })
        .Case<math::SqrtOp>([](auto) { return "llvm.sqrt"; })
        .Case<math::FloorOp>([](auto) { return "llvm.floor"; })
        .Case<math::CeilOp>([](auto) { return "llvm.ceil"; })
        .Case<math::RoundEvenOp>([](auto) { return "llvm.roundeven"; })
        .Default([](Operation *) { return ""; });
  }

  using Builder = ImplicitLocOpBuilder;

  //===--------------------------------------------------------------------===//
  // Functions
  //===--------------------------------------------------------------------===//

  /// 1 - 2 / (exp(2 |x|) + 1) with x's sign; near zero, where that cancels, a
  /// polynomial.
  Value tanh(Builder &builder, Value x) {
    Value square = arith::MulFOp::create(builder, x, x);
    Value inner = arith::MulFOp::create(
        builder, arith::MulFOp::create(builder, square, x),
        polynomial(builder, square, kTanh));
    inner = arith::AddFOp::create(builder, x, inner);
    Value size = magnitude(builder, x);
    Value one = splat(builder, x.getType(), 1);
    Value growth = exp2(builder, scale(builder, size, 2 * M_LOG2E));
    Value part =
        reciprocal(builder, arith::AddFOp::create(builder, growth, one));
    Value outer = arith::SubFOp::create(builder, one, scale(builder, part, 2));
    return choose(builder, size, kTanhKnee, inner, withSign(builder, outer, x));
  }

  Value erf(Builder &builder, Value x) {
    Value square = arith::MulFOp::create(builder, x, x);
    Value inner =
        arith::MulFOp::create(builder, x, polynomial(builder, square, kErf));
    Value size = magnitude(builder, x);
    Value outer = arith::SubFOp::create(builder, splat(builder, x.getType(), 1),
                                        complement(builder, size, square));
    return choose(builder, size, 1, inner, withSign(builder, outer, x));
  }

  Value erfc(Builder &builder, Value x) {
    Value square = arith::MulFOp::create(builder, x, x);
    Value positive = complement(builder, magnitude(builder, x), square);
    Value negative = arith::SubFOp::create(
        builder, splat(builder, x.getType(), 2), positive);
    return choose(builder, x, 0, negative, positive);
  }

  /// erfc(a) for a >= 0, of which `square` is the square.
  Value complement(Builder &builder, Value a, Value square) {
    Value stretched = arith::AddFOp::create(
        builder, scale(builder, a, kErfcScale), splat(builder, a.getType(), 1));
    Value t = reciprocal(builder, stretched);
    Value decay = exp2(builder, scale(builder, square, -M_LOG2E));
    Value slow =
        arith::MulFOp::create(builder, t, polynomial(builder, t, kErfc));
    return arith::MulFOp::create(builder, slow, decay);
  }

  //===--------------------------------------------------------------------===//
  // Pieces
  //===--------------------------------------------------------------------===//

  Value splat(Builder &builder, Type type, double value) {
    TypedAttr attr = builder.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, cast<Attribute>(attr));
    return arith::ConstantOp::create(builder, attr);
  }

  Value scale(Builder &builder, Value x, double factor) {
    return arith::MulFOp::create(builder, x,
                                 splat(builder, x.getType(), factor));
  }

  /// By Horner's rule, each step one fused multiply-add.
  Value polynomial(Builder &builder, Value x, ArrayRef<double> coefficients) {
    constexpr auto fused = arith::FastMathFlags::contract;
    Value sum = splat(builder, x.getType(), coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back())) {
      sum = arith::MulFOp::create(builder, sum, x, fused);
      sum = arith::AddFOp::create(
          builder, sum, splat(builder, x.getType(), coefficient), fused);
    }
    return sum;
  }

  Value exp2(Builder &builder, Value x) {
    return perElement(builder, x,
                      amd ? "llvm.amdgcn.exp2" : "llvm.nvvm.ex2.approx");
  }

  Value reciprocal(Builder &builder, Value x) {
    return perElement(builder, x,
                      amd ? "llvm.amdgcn.rcp" : "llvm.nvvm.rcp.approx.ftz.f");
  }

  Value magnitude(Builder &builder, Value x) {
    return perElement(builder, x, "llvm.fabs");
  }

  /// `size`, which is not negative, or its negative, as `x` is.
  Value withSign(Builder &builder, Value size, Value x) {
    return choose(builder, x, 0, arith::NegFOp::create(builder, size), size);
  }

  /// `below` where x < limit, else `above`, also for NaN.
  Value choose(Builder &builder, Value x, double limit, Value below,
               Value above) {
    Value isBelow = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, x,
                                          splat(builder, x.getType(), limit));
    return arith::SelectOp::create(builder, isBelow, below, above);
  }

  /// Calls the scalar intrinsic on each element of `values`, of one type.
  Value perElement(Builder &builder, ValueRange values, StringRef intrinsic) {
    Type type = values.front().getType();
    auto call = [&](ValueRange scalars) -> Value {
      return LLVM::CallIntrinsicOp::create(builder, getElementTypeOrSelf(type),
                                           builder.getStringAttr(intrinsic),
                                           scalars)
          .getResult(0);
    };
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return call(values);
    auto flat =
        VectorType::get({vector.getNumElements()}, vector.getElementType());
    SmallVector<Value> lists, results;
    for (Value value : values)
      lists.push_back(vector::ShapeCastOp::create(builder, flat, value));
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      SmallVector<Value> scalars;
      for (Value list : lists)
        scalars.push_back(vector::ExtractOp::create(builder, list, i));
      results.push_back(call(scalars));
    }
    return vector::FromElementsOp::create(builder, vector, results);
  }

  bool amd = false;
};
} // namespace
