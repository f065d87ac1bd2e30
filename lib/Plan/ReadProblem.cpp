//===- ReadProblem.cpp - Problem IR back to plain structs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/ReadProblem.h"
#include "HardwareFields.h"
#include "lathe/Support/ScheduleSymbols.h"

#include "Problem/ProblemOps.h"

using namespace mlir;
using namespace lathe;

namespace {

std::vector<std::string> readTexts(ArrayAttr list) {
  std::vector<std::string> texts;
  for (StringRef text : list.getAsValueRange<StringAttr>())
    texts.push_back(text.str());
  return texts;
}

std::vector<Expr> readExprs(ArrayAttr list) {
  std::vector<Expr> exprs;
  if (list)
    for (auto expr : list.getAsRange<problem::ExprAttr>())
      exprs.push_back(expr.getExpr());
  return exprs;
}

Hardware readTarget(problem::TargetOp op) {
  Hardware hardware;
  hardware.name = op.getName().str();
  hardware.vendor = op.getVendor().str();
  hardware.arch = op.getArch().str();
  hardware.compilable = op.getCompilable();
  for (NamedAttribute peak : op.getPeaks())
    hardware.peakFlops[peak.getName().str()] =
        cast<FloatAttr>(peak.getValue()).getValueAsDouble();
  for (const IntegerFact &fact : integerFacts)
    if (auto value = op.getFacts().getAs<IntegerAttr>(fact.name))
      hardware.*fact.field = value.getInt();
  for (const RealFact &fact : realFacts)
    if (auto value = op.getFacts().getAs<FloatAttr>(fact.name))
      hardware.*fact.field = value.getValueAsDouble();
  for (const HardwareFeature &feature : hardwareFeatures)
    if (auto value = op.getFacts().getAs<IntegerAttr>(feature.name);
        value && value.getInt() != 0)
      hardware.features.push_back(feature.name.str());
  return hardware;
}

DimSpec readDim(problem::DimAttr attr) {
  DimSpec dim;
  dim.name = attr.getName().str();
  dim.kind = llvm::StringSwitch<DimKind>(attr.getKind())
                 .Case("static", DimKind::Static)
                 .Case("stride", DimKind::Stride)
                 .Case("list", DimKind::List)
                 .Case("figure", DimKind::Figure)
                 .Default(DimKind::Request);
  dim.min = attr.getMin();
  dim.max = attr.getMax();
  if (attr.getInit())
    dim.defaultValue = attr.getInit().getExpr();
  return dim;
}

OperandSpec readOperand(problem::OperandAttr attr, bool isOutput) {
  OperandSpec operand;
  operand.name = attr.getName().str();
  operand.dtype = attr.getDtype().str();
  operand.shape = readExprs(attr.getShape());
  operand.strides = readExprs(attr.getStrides());
  operand.isOutput = isOutput;
  if (attr.getAlias())
    operand.mayAlias = attr.getAlias().str();
  return operand;
}

OperatorSpec readOperator(problem::OperatorOp op) {
  OperatorSpec spec;
  spec.name = op.getName().str();
  for (auto dim : op.getDims().getAsRange<problem::DimAttr>())
    spec.dims.push_back(readDim(dim));
  for (auto option : op.getOptions().getAsRange<problem::OptionAttr>())
    spec.options.push_back({option.getName().str(),
                            readTexts(option.getValues()),
                            option.getInit().str(), ""});
  for (auto scalar : op.getScalars().getAsRange<problem::ScalarAttr>())
    spec.scalars.push_back({scalar.getName().str(), scalar.getDtype().str(),
                            scalar.getInit().getValueAsDouble(), ""});
  for (auto dtype : op.getDtypes().getAsRange<problem::DTypeAttr>())
    spec.dtypes.emplace_back(dtype.getName().str(),
                             readTexts(dtype.getChoices()));
  for (auto operand : op.getInputs().getAsRange<problem::OperandAttr>())
    spec.operands.push_back(readOperand(operand, /*isOutput=*/false));
  for (auto operand : op.getOutputs().getAsRange<problem::OperandAttr>())
    spec.operands.push_back(readOperand(operand, /*isOutput=*/true));
  for (auto flops : op.getFlops().getAsRange<problem::FlopsAttr>())
    spec.cost.flops.emplace_back(flops.getDtype().str(),
                                 flops.getCount().getExpr());
  spec.cost.readBytes = op.getRead().getExpr();
  spec.cost.writeBytes = op.getWrite().getExpr();
  spec.templates = readTexts(op.getTemplates());
  return spec;
}

OpSetEntry readEntry(problem::EntryOp op) {
  OpSetEntry entry;
  entry.name = op.getName().str();
  entry.op = op.getOp().str();
  entry.importance = op.getImportance().convertToDouble();
  for (NamedAttribute dim : op.getStatics())
    entry.staticDims[dim.getName().str()] =
        cast<DenseI64ArrayAttr>(dim.getValue()).asArrayRef().vec();
  for (NamedAttribute option : op.getOptions())
    entry.options[option.getName().str()] =
        cast<StringAttr>(option.getValue()).str();
  for (NamedAttribute dtype : op.getDtypes())
    entry.dtypes[dtype.getName().str()] =
        cast<StringAttr>(dtype.getValue()).str();
  for (NamedAttribute scalar : op.getScalars())
    entry.scalars[scalar.getName().str()] =
        cast<FloatAttr>(scalar.getValue()).getValueAsDouble();
  return entry;
}

HistogramPoint readPoint(problem::InstanceOp op) {
  HistogramPoint point;
  point.entry = op.getEntry().str();
  point.phase = op.getPhase().str();
  point.count = op.getCount().convertToDouble();
  point.timeUs = op.getTimeUs().convertToDouble();
  point.weight = op.getWeight().convertToDouble();
  for (NamedAttribute dim : op.getDims()) {
    if (auto list = dyn_cast<DenseI64ArrayAttr>(dim.getValue()))
      point.dims[dim.getName().str()] = ExprValue(list.asArrayRef().vec());
    else
      point.dims[dim.getName().str()] =
          ExprValue(cast<IntegerAttr>(dim.getValue()).getInt());
  }
  return point;
}

} // namespace

llvm::Expected<PlanInput> lathe::readProblem(ModuleOp module) {
  auto workloads = module.getOps<problem::WorkloadOp>();
  if (std::distance(workloads.begin(), workloads.end()) != 1)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "expected one problem.workload in the module, found " +
            llvm::Twine(std::distance(workloads.begin(), workloads.end())));
  problem::WorkloadOp workload = *workloads.begin();
  PlanInput input;
  input.opset.name = workload.getOpset().str();
  input.histogram.opset = input.opset.name;
  input.histogram.name = workload.getHistogram().str();
  input.histogram.unshapedWeight = workload.getUnshaped().convertToDouble();
  for (Operation &op : *workload.getBody().begin()) {
    if (auto target = dyn_cast<problem::TargetOp>(op))
      input.targets.push_back(readTarget(target));
    else if (auto oper = dyn_cast<problem::OperatorOp>(op))
      input.operators.push_back(readOperator(oper));
    else if (auto entry = dyn_cast<problem::EntryOp>(op))
      input.opset.entries.push_back(readEntry(entry));
    else if (auto instance = dyn_cast<problem::InstanceOp>(op))
      input.histogram.points.push_back(readPoint(instance));
  }
  return input;
}

const OperatorSpec &lathe::operatorOf(const PlanInput &input,
                                      const OpSetEntry &entry) {
  return *llvm::find_if(input.operators, [&](const OperatorSpec &spec) {
    return spec.name == entry.op;
  });
}

llvm::Expected<std::vector<const Hardware *>>
lathe::planningTargets(const PlanInput &input, ArrayRef<std::string> archs) {
  std::vector<const Hardware *> targets;
  for (const Hardware &hardware : input.targets) {
    bool wanted = archs.empty() || llvm::is_contained(archs, hardware.arch);
    bool first = llvm::none_of(targets, [&](const Hardware *other) {
      return other->arch == hardware.arch;
    });
    if (hardware.compilable && wanted && first)
      targets.push_back(&hardware);
  }
  for (const std::string &arch : archs)
    if (llvm::none_of(targets, [&](const Hardware *hardware) {
          return hardware->arch == arch;
        }))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "no compilable target has architecture '" +
                                         arch + "'");
  return targets;
}
