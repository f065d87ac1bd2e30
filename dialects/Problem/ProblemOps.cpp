//===- ProblemOps.cpp - What must hold of a workload ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/ProblemOps.h"

#include "lathe/Support/TensorMap.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lathe::problem;

#define GET_OP_CLASSES
#include "Problem/ProblemOps.cpp.inc"

namespace {

/// Whether every value of `dict` is an AttrT; says which key is not.
template <typename AttrT>
LogicalResult verifyValues(Operation *op, DictionaryAttr dict, StringRef what,
                           StringRef expected) {
  for (NamedAttribute named : dict)
    if (!isa<AttrT>(named.getValue()))
      return op->emitOpError() << what << " '" << named.getName().getValue()
                               << "' should be " << expected;
  return success();
}

LogicalResult verifyFinite(Operation *op, FloatAttr value, StringRef what) {
  double number = value.getValueAsDouble();
  if (!(number >= 0) || number > 1e300)
    return op->emitOpError()
           << what << " is " << number << " when it should be 0 or more";
  return success();
}

/// All symbols of `expr` must be in `known`.
LogicalResult verifySymbols(Operation *op, ExprAttr expr, StringRef what,
                            const llvm::StringSet<> &known) {
  llvm::SetVector<StringRef> symbols;
  lathe::Expr parsed = expr.getExpr();
  parsed.collectSymbols(symbols);
  for (StringRef symbol : symbols)
    if (!known.contains(symbol))
      return op->emitOpError()
             << what << " uses unknown symbol '" << symbol << "'";
  return success();
}

} // namespace

LogicalResult TargetOp::verify() {
  if (failed(verifyValues<FloatAttr>(*this, getPeaks(), "peak", "a float")))
    return failure();
  for (NamedAttribute fact : getFacts())
    if (!isa<FloatAttr, IntegerAttr>(fact.getValue()))
      return emitOpError() << "fact '" << fact.getName().getValue()
                           << "' should be a number";
  auto bandwidth = getFacts().getAs<FloatAttr>("bandwidth");
  if (!bandwidth || bandwidth.getValueAsDouble() <= 0)
    return emitOpError("needs a positive fact 'bandwidth'");
  if (getCompilable())
    for (StringRef key : {"multiprocessors", "warpSize", "threadsPerSm",
                          "blocksPerSm", "maxThreadsPerBlock"}) {
      auto value = getFacts().getAs<IntegerAttr>(key);
      if (!value || value.getInt() <= 0)
        return emitOpError()
               << "is compilable and needs a positive fact '" << key << "'";
    }
  return success();
}

LogicalResult OperatorOp::verify() {
  llvm::StringSet<> symbols;
  auto add = [&](StringRef name) -> LogicalResult {
    if (!symbols.insert(name).second)
      return emitOpError() << "declares '" << name << "' twice";
    return success();
  };
  for (auto option : getOptions().getAsRange<OptionAttr>())
    if (failed(add(option.getName())))
      return failure();
  for (auto dtype : getDtypes().getAsRange<DTypeAttr>())
    if (failed(add((dtype.getName() + "_bytes").str())))
      return failure();
  for (auto dim : getDims().getAsRange<DimAttr>()) {
    if (dim.getInit() &&
        failed(verifySymbols(*this, dim.getInit(), dim.getName(), symbols)))
      return failure();
    if (failed(add(dim.getName())))
      return failure();
  }
  for (auto flops : getFlops().getAsRange<FlopsAttr>())
    if (failed(verifySymbols(*this, flops.getCount(), "flops", symbols)))
      return failure();
  llvm::StringSet<> names;
  for (ArrayAttr list : {getInputs(), getOutputs()})
    for (auto operand : list.getAsRange<OperandAttr>()) {
      if (!names.insert(operand.getName()).second)
        return emitOpError()
               << "declares operand '" << operand.getName() << "' twice";
      for (auto extent : operand.getShape().getAsRange<ExprAttr>())
        if (failed(verifySymbols(*this, extent, operand.getName(), symbols)))
          return failure();
      if (operand.getAlias() && !names.contains(operand.getAlias()))
        return emitOpError()
               << "operand '" << operand.getName()
               << "' may alias unknown operand " << operand.getAlias();
    }
  if (failed(verifySymbols(*this, getRead(), "read", symbols)))
    return failure();
  return verifySymbols(*this, getWrite(), "write", symbols);
}

LogicalResult EntryOp::verify() {
  for (NamedAttribute named : getStatics()) {
    auto values = dyn_cast<DenseI64ArrayAttr>(named.getValue());
    if (!values || values.empty())
      return emitOpError() << "static dim '" << named.getName().getValue()
                           << "' should have one or more integers";
  }
  if (failed(verifyValues<StringAttr>(*this, getOptions(), "option",
                                      "a string")) ||
      failed(
          verifyValues<StringAttr>(*this, getDtypes(), "dtype", "a string")) ||
      failed(verifyValues<FloatAttr>(*this, getScalars(), "scalar", "a float")))
    return failure();
  return verifyFinite(*this, getImportanceAttr(), "importance");
}

LogicalResult InstanceOp::verify() {
  for (NamedAttribute named : getDims())
    if (!isa<IntegerAttr, DenseI64ArrayAttr>(named.getValue()))
      return emitOpError() << "dim '" << named.getName().getValue()
                           << "' should be an integer or an array of them";
  if (failed(verifyFinite(*this, getCountAttr(), "count")) ||
      failed(verifyFinite(*this, getTimeUsAttr(), "time_us")) ||
      failed(verifyFinite(*this, getWeightAttr(), "weight")))
    return failure();
  if (getWeight().convertToDouble() > 1)
    return emitOpError("weight is a share and should be at most 1");
  bool evaluated = getFlops().has_value();
  if (getReadAttr() == nullptr ? evaluated : !evaluated)
    return emitOpError("has only a part of its roofline");
  if (evaluated)
    return verifyValues<IntegerAttr>(*this, *getFlops(), "flops", "an integer");
  return success();
}

LogicalResult CandidateOp::verify() {
  StringRef role = getRole();
  if (role != "generic" && role != "bucket" && role != "exact")
    return emitOpError()
           << "role is '" << role
           << "' when it should be 'generic', 'bucket' or 'exact'";
  if (failed(verifyValues<IntegerAttr>(*this, getConstants(), "constant",
                                       "an integer")) ||
      failed(verifyValues<IntegerAttr>(*this, getSchedule(), "parameter",
                                       "an integer")) ||
      failed(verifyValues<IntegerAttr>(*this, getMultiples(), "multiple",
                                       "an integer")) ||
      failed(verifyValues<StringAttr>(*this, getDtypes(), "dtype", "a string")))
    return failure();
  auto alignment = static_cast<int64_t>(getAlignment());
  if (alignment < 1 || (alignment & (alignment - 1)))
    return emitOpError() << "alignment is " << alignment
                         << " when it should be a power of two";
  if (static_cast<int64_t>(getThreads()) < 1)
    return emitOpError("needs one or more threads");
  if (getGrid().empty() || getGrid().size() > 3)
    return emitOpError() << "grid has " << getGrid().size()
                         << " axes when it should have 1 to 3";
  if (getMaps() && getMaps()->size() > lathe::maxTensorMaps)
    return emitOpError() << "has " << getMaps()->size()
                         << " tensor maps when it should have at most "
                         << lathe::maxTensorMaps;
  if (getUsage())
    return verifyValues<IntegerAttr>(*this, *getUsage(), "usage", "an integer");
  return success();
}

/// An entry binds the operator's static dims, and chooses among what it offers.
static LogicalResult verifyChoices(EntryOp entry, OperatorOp oper) {
  for (auto dim : oper.getDims().getAsRange<DimAttr>())
    if (dim.getKind() == "static" &&
        !entry.getStatics().contains(dim.getName()))
      return entry.emitOpError()
             << "does not bind static dim '" << dim.getName() << "'";
  auto chooses = [&](DictionaryAttr chosen, StringRef name,
                     ArrayAttr choices) -> LogicalResult {
    auto value = chosen.getAs<StringAttr>(name);
    if (!value || llvm::is_contained(choices, value))
      return success();
    return entry.emitOpError() << "gives '" << name << "' the value " << value
                               << " when it should be one of " << choices;
  };
  for (auto option : oper.getOptions().getAsRange<OptionAttr>())
    if (failed(
            chooses(entry.getOptions(), option.getName(), option.getValues())))
      return failure();
  for (auto dtype : oper.getDtypes().getAsRange<DTypeAttr>())
    if (failed(chooses(entry.getDtypes(), dtype.getName(), dtype.getChoices())))
      return failure();
  return success();
}

/// An instance binds every dim: lists by arrays, others by integers.
static LogicalResult verifyDims(InstanceOp instance, OperatorOp oper) {
  for (auto dim : oper.getDims().getAsRange<DimAttr>()) {
    Attribute value = instance.getDims().get(dim.getName());
    if (!value)
      return instance.emitOpError()
             << "does not bind dim '" << dim.getName() << "'";
    if (isa<DenseI64ArrayAttr>(value) != (dim.getKind() == "list"))
      return instance.emitOpError() << "binds " << dim.getKind() << " dim '"
                                    << dim.getName() << "' to " << value;
  }
  return success();
}

/// Tensor maps describe operands over dims.
static LogicalResult verifyMaps(CandidateOp candidate, OperatorOp oper) {
  if (!candidate.getMaps())
    return success();
  llvm::StringSet<> dims;
  for (auto dim : oper.getDims().getAsRange<DimAttr>())
    dims.insert(dim.getName());
  int64_t operands = oper.getInputs().size() + oper.getOutputs().size();
  for (auto map : candidate.getMaps()->getAsRange<TensorMapAttr>()) {
    if (map.getOperand() >= operands)
      return candidate.emitOpError() << "maps operand " << map.getOperand()
                                     << " when the operator has " << operands;
    for (ArrayRef<ExprAttr> exprs : {map.getExtents(), map.getStrides()})
      for (ExprAttr expr : exprs)
        if (failed(verifySymbols(candidate, expr, "tensor map", dims)))
          return failure();
  }
  return success();
}

/// Names are unique per kind; whatever is referred to exists.
LogicalResult WorkloadOp::verifyRegions() {
  llvm::StringSet<> targets, archs, candidates;
  llvm::StringMap<OperatorOp> operators;
  llvm::StringMap<EntryOp> entries;
  auto duplicate = [](Operation &op, StringRef name) {
    return op.emitOpError() << "redefines '" << name << "'";
  };
  for (Operation &op : *getBody().begin()) {
    if (auto target = dyn_cast<TargetOp>(op)) {
      archs.insert(target.getArch());
      if (!targets.insert(target.getName()).second)
        return duplicate(op, target.getName());
    } else if (auto oper = dyn_cast<OperatorOp>(op)) {
      if (!operators.try_emplace(oper.getName(), oper).second)
        return duplicate(op, oper.getName());
    } else if (auto entry = dyn_cast<EntryOp>(op)) {
      if (!entries.try_emplace(entry.getName(), entry).second)
        return duplicate(op, entry.getName());
    } else if (!isa<InstanceOp, CandidateOp, UnservedOp>(op)) {
      return op.emitOpError("should not be in a workload");
    }
  }
  for (auto &entry : entries) {
    EntryOp op = entry.second;
    auto oper = operators.find(op.getOp());
    if (oper == operators.end())
      return op.emitOpError()
             << "is of unknown operator '" << op.getOp() << "'";
    if (failed(verifyChoices(op, oper->second)))
      return failure();
  }
  for (Operation &op : *getBody().begin()) {
    auto reference = [&](StringRef name) -> LogicalResult {
      if (entries.contains(name))
        return success();
      return op.emitOpError() << "is of unknown entry '" << name << "'";
    };
    if (auto instance = dyn_cast<InstanceOp>(op)) {
      if (failed(reference(instance.getEntry())))
        return failure();
      if (failed(verifyDims(instance,
                            operators[entries[instance.getEntry()].getOp()])))
        return failure();
      if (instance.getRoofline())
        for (auto roof : instance.getRoofline()->getAsRange<RooflineAttr>())
          if (!targets.contains(roof.getTarget()))
            return op.emitOpError() << "has the roofline of unknown target '"
                                    << roof.getTarget() << "'";
    } else if (auto candidate = dyn_cast<CandidateOp>(op)) {
      if (failed(reference(candidate.getEntry())))
        return failure();
      if (entries[candidate.getEntry()].getOp() != candidate.getOp())
        return op.emitOpError() << "is of operator '" << candidate.getOp()
                                << "', its entry is not";
      if (!archs.contains(candidate.getArch()))
        return op.emitOpError()
               << "is for unknown architecture '" << candidate.getArch() << "'";
      if (failed(verifyMaps(candidate, operators[candidate.getOp()])))
        return failure();
      if (!candidates
               .insert(
                   (candidate.getEntry() + "\n" + candidate.getKernel()).str())
               .second)
        return duplicate(op, candidate.getKernel());
    } else if (auto unserved = dyn_cast<UnservedOp>(op)) {
      if (failed(reference(unserved.getEntry())))
        return failure();
    }
  }
  return success();
}
