//===- ImportProblem.cpp - Plain structs to problem IR --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HardwareFields.h"
#include "lathe/Plan/Plan.h"

#include "Problem/ProblemOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lathe;

namespace {

/// Builds the operations of one workload, in a fixed order.
struct Importer {
  OpBuilder builder;
  Location loc;

  explicit Importer(MLIRContext *context)
      : builder(context), loc(builder.getUnknownLoc()) {}

  MLIRContext *context() { return builder.getContext(); }
  StringAttr text(StringRef value) { return builder.getStringAttr(value); }
  FloatAttr real(double value) { return builder.getF64FloatAttr(value); }
  problem::ExprAttr expr(const Expr &value) {
    return problem::ExprAttr::get(context(), value);
  }
  ArrayAttr exprs(ArrayRef<Expr> values) {
    return builder.getArrayAttr(llvm::map_to_vector(
        values, [&](const Expr &e) -> Attribute { return expr(e); }));
  }
  ArrayAttr texts(ArrayRef<std::string> values) {
    return builder.getArrayAttr(llvm::map_to_vector(
        values, [&](const std::string &v) -> Attribute { return text(v); }));
  }
  /// A dictionary of `range`, each value made by `make`.
  template <typename Range, typename Make>
  DictionaryAttr dictionary(const Range &range, Make make) {
    SmallVector<NamedAttribute> items;
    for (const auto &[name, value] : range)
      items.emplace_back(text(name), make(value));
    return builder.getDictionaryAttr(items);
  }
  DictionaryAttr textDictionary(
      const std::map<std::string, std::string, std::less<>> &values) {
    return dictionary(values, [&](const std::string &v) { return text(v); });
  }

  void target(const Hardware &hardware);
  void oper(const OperatorSpec &spec);
  void entry(const OpSetEntry &entry);
  void instance(const HistogramPoint &point);
};

const char *kindName(DimKind kind) {
  switch (kind) {
  case DimKind::Static:
    return "static";
  case DimKind::Request:
    return "request";
  case DimKind::Stride:
    return "stride";
  case DimKind::List:
    return "list";
  case DimKind::Figure:
    return "figure";
  }
  llvm_unreachable("covered switch");
}

} // namespace

void Importer::target(const Hardware &hardware) {
  SmallVector<NamedAttribute> facts;
  for (const IntegerFact &fact : integerFacts)
    facts.emplace_back(text(fact.name),
                       builder.getI64IntegerAttr(hardware.*fact.field));
  for (const RealFact &fact : realFacts)
    facts.emplace_back(text(fact.name), real(hardware.*fact.field));
  for (const std::string &feature : hardware.features)
    facts.emplace_back(text(feature), builder.getI64IntegerAttr(1));
  problem::TargetOp::create(
      builder, loc, text(hardware.name), text(hardware.vendor),
      text(hardware.arch),
      hardware.compilable ? builder.getUnitAttr() : UnitAttr(),
      dictionary(hardware.peakFlops, [&](double v) { return real(v); }),
      builder.getDictionaryAttr(facts));
}

void Importer::oper(const OperatorSpec &spec) {
  SmallVector<Attribute> dims, options, scalars, dtypes, inputs, outputs, flops;
  for (const DimSpec &dim : spec.dims)
    dims.push_back(problem::DimAttr::get(
        context(), dim.name, kindName(dim.kind), dim.min, dim.max,
        dim.defaultValue ? expr(*dim.defaultValue) : problem::ExprAttr()));
  for (const OptionSpec &option : spec.options)
    options.push_back(problem::OptionAttr::get(
        context(), option.name, texts(option.values), option.defaultValue));
  for (const ScalarSpec &scalar : spec.scalars)
    scalars.push_back(problem::ScalarAttr::get(
        context(), scalar.name, scalar.dtype, real(scalar.defaultValue)));
  for (const auto &[variable, choices] : spec.dtypes)
    dtypes.push_back(
        problem::DTypeAttr::get(context(), variable, texts(choices)));
  for (const OperandSpec &operand : spec.operands)
    (operand.isOutput ? outputs : inputs)
        .push_back(problem::OperandAttr::get(
            context(), operand.name, operand.dtype, exprs(operand.shape),
            operand.strides.empty() ? ArrayAttr() : exprs(operand.strides),
            operand.mayAlias.empty() ? StringAttr() : text(operand.mayAlias)));
  for (const auto &[dtype, count] : spec.cost.flops)
    flops.push_back(problem::FlopsAttr::get(context(), dtype, expr(count)));
  auto list = [&](ArrayRef<Attribute> items) {
    return items.empty() ? ArrayAttr() : builder.getArrayAttr(items);
  };
  problem::OperatorOp::create(
      builder, loc, text(spec.name), builder.getArrayAttr(dims), list(options),
      list(scalars), list(dtypes), builder.getArrayAttr(inputs),
      builder.getArrayAttr(outputs), builder.getArrayAttr(flops),
      expr(spec.cost.readBytes), expr(spec.cost.writeBytes),
      texts(spec.templates));
}

void Importer::entry(const OpSetEntry &entry) {
  problem::EntryOp::create(
      builder, loc, text(entry.name), text(entry.op),
      dictionary(entry.staticDims,
                 [&](const std::vector<int64_t> &values) -> Attribute {
                   return builder.getDenseI64ArrayAttr(values);
                 }),
      textDictionary(entry.options), textDictionary(entry.dtypes),
      dictionary(entry.scalars, [&](double v) { return real(v); }),
      real(entry.importance));
}

void Importer::instance(const HistogramPoint &point) {
  auto dims = dictionary(point.dims, [&](const ExprValue &value) -> Attribute {
    if (value.isList)
      return builder.getDenseI64ArrayAttr(value.elements);
    return builder.getI64IntegerAttr(value.elements.front());
  });
  problem::InstanceOp::create(
      builder, loc, text(point.entry), text(point.phase), dims,
      real(point.count), real(point.timeUs), real(point.weight),
      DictionaryAttr(), IntegerAttr(), IntegerAttr(), ArrayAttr());
}

llvm::Expected<OwningOpRef<ModuleOp>>
lathe::importProblem(MLIRContext &context, const PlanInput &input) {
  context.loadDialect<problem::ProblemDialect>();
  Importer importer(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(importer.loc);
  importer.builder.setInsertionPointToStart(module->getBody());
  auto workload = problem::WorkloadOp::create(
      importer.builder, importer.loc, importer.text(input.opset.name),
      importer.text(input.histogram.name),
      importer.real(input.histogram.unshapedWeight));
  importer.builder.setInsertionPointToStart(&workload.getBody().emplaceBlock());

  for (const Hardware &hardware : input.targets)
    importer.target(hardware);
  llvm::StringSet<> used;
  for (const OpSetEntry &entry : input.opset.entries)
    used.insert(entry.op);
  for (const OperatorSpec &spec : input.operators)
    if (used.contains(spec.name))
      importer.oper(spec);
  for (const OpSetEntry &entry : input.opset.entries)
    importer.entry(entry);
  for (const HistogramPoint &point : input.histogram.points)
    importer.instance(point);

  // The verifier knows what must hold; its text becomes the error.
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (!diagnostics.empty())
      diagnostics += "; ";
    diagnostics += diagnostic.str();
    return success();
  });
  if (failed(mlir::verify(*module)))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "cannot plan: " + diagnostics);
  return module;
}
