//===- Convert.cpp - Dispatch tables to IR and back -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch/Convert.h"

#include "Dispatch/Dispatch.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::dispatch;
using lathe::problem::ExprAttr;

static CaseKind kindOf(StringRef name) {
  if (name == "exact")
    return CaseKind::Exact;
  return name == "bucket" ? CaseKind::Bucket : CaseKind::Generic;
}

static void buildCase(OpBuilder &builder, Location loc,
                      const DispatchCase &row) {
  MLIRContext *context = builder.getContext();
  SmallVector<Attribute> guards, grid;
  for (const DimGuard &guard : row.guards)
    guards.push_back(
        GuardAttr::get(context, guard.dim, guard.lo, guard.hi, guard.multiple));
  for (const Expr &expr : {row.gridX, row.gridY, row.gridZ})
    grid.push_back(ExprAttr::get(context, expr));
  SmallVector<StringRef> args(row.runtimeDims.begin(), row.runtimeDims.end());
  SmallVector<Attribute> maps;
  for (const TensorMap &map : row.maps)
    maps.push_back(problem::TensorMapAttr::get(context, map));

  // Zero is what an absent figure reads as.
  NamedAttrList usage;
  for (const ResourceField &field : resourceFields)
    if (int64_t value = row.usage.*field.field)
      usage.append(field.name, builder.getI64IntegerAttr(value));
  auto text = [&](const std::string &value) {
    return value.empty() ? StringAttr() : builder.getStringAttr(value);
  };
  CaseOp::create(
      builder, loc, builder.getStringAttr(caseKindName(row.kind)),
      builder.getStringAttr(row.arch), builder.getArrayAttr(guards),
      builder.getI64IntegerAttr(row.alignment),
      builder.getStringAttr(row.kernel), builder.getStringAttr(row.symbol),
      builder.getArrayAttr(grid), builder.getI64IntegerAttr(row.blockThreads),
      builder.getI64IntegerAttr(row.sharedBytes), builder.getStrArrayAttr(args),
      maps.empty() ? ArrayAttr() : builder.getArrayAttr(maps),
      usage.empty() ? DictionaryAttr() : usage.getDictionary(context),
      text(row.origin), text(row.verdict),
      row.modelUs == 0 ? FloatAttr() : builder.getF64FloatAttr(row.modelUs));
}

TableOp lathe::dispatch::buildTable(OpBuilder &builder, Location loc,
                                    const DispatchTable &table) {
  MLIRContext *context = builder.getContext();
  SmallVector<Attribute> dims, operands, scalars;
  for (const DispatchDim &dim : table.dims)
    dims.push_back(DimAttr::get(context, dim.name, dim.min, dim.max,
                                dim.defaultValue
                                    ? ExprAttr::get(context, *dim.defaultValue)
                                    : ExprAttr()));
  for (const DispatchOperand &operand : table.operands)
    operands.push_back(OperandAttr::get(context, operand.name, operand.dtype,
                                        operand.isOutput));
  for (const DispatchScalar &scalar : table.scalars)
    scalars.push_back(
        ScalarAttr::get(context, scalar.name, scalar.dtype,
                        builder.getF64FloatAttr(scalar.defaultValue)));
  auto bindings = [&](auto &pairs) {
    SmallVector<Attribute> result;
    for (auto &[name, value] : pairs)
      result.push_back(BindingAttr::get(context, name, value));
    return builder.getArrayAttr(result);
  };
  auto op = TableOp::create(
      builder, loc, builder.getStringAttr(table.entry),
      builder.getStringAttr(table.op), builder.getArrayAttr(dims),
      builder.getArrayAttr(operands), builder.getArrayAttr(scalars),
      bindings(table.options), bindings(table.dtypes));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  for (const DispatchCase &row : table.cases)
    buildCase(builder, loc, row);
  return op;
}

static DispatchCase readCase(CaseOp op) {
  DispatchCase row;
  row.kernel = op.getKernel().str();
  row.symbol = op.getSymbol().str();
  row.arch = op.getArch().str();
  row.kind = kindOf(op.getKind());
  for (auto guard : op.getGuards().getAsRange<GuardAttr>())
    row.guards.push_back({guard.getDim().str(), guard.getLo(), guard.getHi(),
                          guard.getMultiple()});
  row.alignment = int64_t(op.getAlignment());
  Expr *grid[] = {&row.gridX, &row.gridY, &row.gridZ};
  for (auto [target, attr] : llvm::zip(grid, op.getGrid()))
    *target = cast<ExprAttr>(attr).getExpr();
  row.blockThreads = int64_t(op.getThreads());
  row.sharedBytes = int64_t(op.getShared());
  for (auto name : op.getArgs().getAsRange<StringAttr>())
    row.runtimeDims.push_back(name.str());
  if (ArrayAttr maps = op.getMapsAttr())
    for (auto map : maps.getAsRange<problem::TensorMapAttr>())
      row.maps.push_back(map.getMap());
  if (DictionaryAttr usage = op.getUsageAttr())
    for (const ResourceField &field : resourceFields)
      if (auto attr = usage.getAs<IntegerAttr>(field.name))
        row.usage.*field.field = attr.getInt();
  row.origin = op.getOrigin().value_or("").str();
  row.verdict = op.getVerdict().value_or("").str();
  if (FloatAttr time = op.getModelUsAttr())
    row.modelUs = time.getValueAsDouble();
  return row;
}

DispatchTable lathe::dispatch::readTable(TableOp op) {
  DispatchTable table;
  table.entry = op.getEntry().str();
  table.op = op.getOp().str();
  for (auto dim : op.getDims().getAsRange<DimAttr>()) {
    DispatchDim out{dim.getName().str(), dim.getMin(), dim.getMax(), {}};
    if (dim.getInit())
      out.defaultValue = dim.getInit().getExpr();
    table.dims.push_back(std::move(out));
  }
  for (auto operand : op.getOperands().getAsRange<OperandAttr>())
    table.operands.push_back({operand.getName().str(), operand.getDtype().str(),
                              operand.getOutput()});
  for (auto scalar : op.getScalars().getAsRange<ScalarAttr>())
    table.scalars.push_back({scalar.getName().str(), scalar.getDtype().str(),
                             scalar.getInit().getValueAsDouble()});
  for (auto one : op.getOptions().getAsRange<BindingAttr>())
    table.options.push_back({one.getName().str(), one.getValue().str()});
  for (auto one : op.getDtypes().getAsRange<BindingAttr>())
    table.dtypes.push_back({one.getName().str(), one.getValue().str()});
  for (auto row : op.getBody().getOps<CaseOp>())
    table.cases.push_back(readCase(row));
  return table;
}

std::vector<DispatchTable> lathe::dispatch::readTables(ModuleOp module) {
  std::vector<DispatchTable> tables;
  for (auto op : module.getOps<TableOp>())
    tables.push_back(readTable(op));
  return tables;
}
