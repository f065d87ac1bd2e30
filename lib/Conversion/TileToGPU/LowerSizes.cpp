//===- LowerSizes.cpp - Expressions over run-time dims --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lathe;

bool KernelLowering::isComputable(const Expr &expr) {
  switch (expr.kind()) {
  case Expr::Kind::Constant:
    return true;
  case Expr::Kind::Symbol:
    return bool(kernel.getDimArgument(expr.symbolName()));
  case Expr::Kind::Add:
  case Expr::Kind::Sub:
  case Expr::Kind::Mul:
  case Expr::Kind::FloorDiv:
  case Expr::Kind::CeilDiv:
  case Expr::Kind::Mod:
  case Expr::Kind::Min:
  case Expr::Kind::Max:
    return llvm::all_of(expr.operands(), [&](const Expr &operand) {
      return isComputable(operand);
    });
  default:
    return false;
  }
}

Value KernelLowering::materialize(Location loc, const Expr &expr) {
  if (std::optional<int64_t> value = expr.asConstant())
    return index(loc, *value);
  if (expr.kind() == Expr::Kind::Symbol)
    return mapping.lookup(kernel.getDimArgument(expr.symbolName()));
  SmallVector<Value> operands;
  for (const Expr &operand : expr.operands())
    operands.push_back(materialize(loc, operand));
  auto fold = [&](auto make) {
    Value value = operands.front();
    for (Value operand : ArrayRef<Value>(operands).drop_front())
      value = make(value, operand);
    return value;
  };
  switch (expr.kind()) {
  case Expr::Kind::Add:
    return fold([&](Value a, Value b) -> Value {
      return arith::AddIOp::create(builder, loc, a, b);
    });
  case Expr::Kind::Sub:
    return fold([&](Value a, Value b) -> Value {
      return arith::SubIOp::create(builder, loc, a, b);
    });
  case Expr::Kind::Mul:
    return fold([&](Value a, Value b) -> Value {
      return arith::MulIOp::create(builder, loc, a, b);
    });
  case Expr::Kind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, operands[0], operands[1]);
  case Expr::Kind::CeilDiv:
    return arith::CeilDivSIOp::create(builder, loc, operands[0], operands[1]);
  case Expr::Kind::Mod:
    return arith::RemSIOp::create(builder, loc, operands[0], operands[1]);
  case Expr::Kind::Min:
    return fold([&](Value a, Value b) -> Value {
      return arith::MinSIOp::create(builder, loc, a, b);
    });
  case Expr::Kind::Max:
    return fold([&](Value a, Value b) -> Value {
      return arith::MaxSIOp::create(builder, loc, a, b);
    });
  default:
    llvm_unreachable("isComputable refuses it");
  }
}
