//===- PrepareReference.cpp - Checks and bounds of a reference ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareReference.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace lathe;

static func::FuncOp findReference(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("reference");
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

static LogicalResult
checkOperand(func::FuncOp func, unsigned position, const OperandSpec &operand,
             const std::map<std::string, std::string, std::less<>> &dtypes,
             std::vector<ReferenceForm> &operands) {
  auto bound = dtypes.find(operand.dtype);
  std::string dtype = bound == dtypes.end() ? operand.dtype : bound->second;
  Type element = parseType(dtype, func.getContext());
  Type found = func.getArgumentTypes()[position];
  auto type = dyn_cast<MemRefType>(found);
  int64_t offset;
  SmallVector<int64_t> strides;
  if (!type || type.getElementType() != element ||
      type.getRank() != int64_t(operand.shape.size()) ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return func.emitError()
           << "argument " << position << " of @reference is " << found
           << ", expected operand '" << operand.name << "', a memref of rank "
           << operand.shape.size() << " and " << dtype;
  ReferenceForm &form = operands.emplace_back();
  form.shape.assign(type.getShape().begin(), type.getShape().end());
  form.strides.assign(strides.begin(), strides.end());
  form.isDense = type.getLayout().isIdentity();
  return success();
}

LogicalResult lathe::checkReferenceSignature(
    ModuleOp module, const OperatorSpec &spec,
    const std::map<std::string, std::string, std::less<>> &dtypes,
    std::vector<ReferenceForm> &operands) {
  func::FuncOp func = findReference(module);
  if (!func || func.isDeclaration())
    return module.emitError("found no func.func @reference with a body");
  struct Number {
    StringRef what, name;
    std::string type;
  };
  std::vector<Number> numbers;
  for (const DimSpec &dim : spec.dims)
    if (dim.isForReference())
      numbers.push_back({"dimension", dim.name, "index"});
  for (const ScalarSpec &scalar : spec.scalars)
    numbers.push_back({"scalar", scalar.name, scalar.dtype});
  for (const OptionSpec &option : spec.options)
    numbers.push_back({"option", option.name, "index"});

  unsigned expected = spec.operands.size() + numbers.size();
  if (func.getNumArguments() != expected || func.getNumResults() != 0)
    return func.emitError()
           << "@reference has " << func.getNumArguments() << " arguments and "
           << func.getNumResults() << " results, expected " << expected
           << " (operands, dimensions, scalars, options) and none";
  unsigned position = 0;
  for (const OperandSpec &operand : spec.operands)
    if (failed(checkOperand(func, position++, operand, dtypes, operands)))
      return failure();
  for (const Number &number : numbers) {
    Type found = func.getArgumentTypes()[position];
    if (found != parseType(number.type, func.getContext()))
      return func.emitError() << "argument " << position << " of @reference is "
                              << found << ", expected " << number.what << " '"
                              << number.name << "', " << number.type;
    ++position;
  }
  return success();
}

LogicalResult lathe::renamePrivateFunctions(ModuleOp module) {
  SymbolTable symbols(module);
  unsigned number = 0;
  for (auto func : llvm::to_vector(module.getOps<func::FuncOp>())) {
    if (func.isDeclaration() || func == findReference(module))
      continue;
    std::string name;
    do
      name = ("reference." + Twine(number++) + "." + func.getName()).str();
    while (symbols.lookup(name));
    if (failed(symbols.rename(func, name)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

LogicalResult lathe::narrowReferenceRows(ModuleOp module, unsigned &rank) {
  func::FuncOp func = findReference(module);
  rank = 0;
  if (!func->hasAttr("lathe.rows"))
    return success();
  auto loops =
      llvm::to_vector(func.getBody().front().getOps<scf::ParallelOp>());
  if (loops.size() != 1)
    return func.emitError() << "has lathe.rows and " << loops.size()
                            << " scf.parallel at its top level, expected one";
  scf::ParallelOp loop = loops.front();
  auto isConstant = [](ValueRange values, int64_t expected) {
    return llvm::all_of(values, [&](Value value) {
      return getConstantIntValue(value) == expected;
    });
  };
  if (!isConstant(loop.getLowerBound(), 0) || !isConstant(loop.getStep(), 1))
    return loop.emitError("is the loop of lathe.rows, expected it to start at "
                          "the constant 0 with step 1");
  rank = loop.getNumLoops();
  OpBuilder builder(loop);
  Type index = builder.getIndexType();
  for (unsigned i = 0; i != rank; ++i) {
    unsigned position = func.getNumArguments();
    (void)func.insertArguments({position, position}, {index, index}, {},
                               {loop.getLoc(), loop.getLoc()});
    Value end =
        arith::MinSIOp::create(builder, loop.getLoc(), loop.getUpperBound()[i],
                               func.getArgument(position + 1));
    loop.getLowerBoundMutable()[i].set(func.getArgument(position));
    loop.getUpperBoundMutable()[i].set(end);
  }
  return success();
}
