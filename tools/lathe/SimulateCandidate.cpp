//===- SimulateCandidate.cpp - A kernel and its operator ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulateCandidate.h"

#include "Commands.h"

#include "ParseDims.h"
#include "lathe/Conversion/Registry.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Plan/KernelName.h"
#include "lathe/Plan/TemplateGrid.h"
#include "lathe/Support/ListName.h"
#include "lathe/Verify/Compare.h"
#include "lathe/Verify/Inputs.h"
#include "lathe/Verify/MapArgument.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lathe::tool {

// Turns of persistent blocks are work items too; this many blocks take them.
static constexpr int64_t persistentBlocks = 8;

static Expected<OperatorSpec> findOperator(const CandidateQuestion &question,
                                           StringRef name) {
  auto operators = loadOperators(templateFolders(question.templates));
  if (!operators)
    return operators.takeError();
  auto found = operators->find(name);
  if (found == operators->end())
    return createStringError("kernel '" + question.symbol +
                             "' is of operator '" + name +
                             "', which no template folder has");
  return found->second;
}

static std::string valueText(const ExprValue &value) {
  return value.isList ? listName(value.elements)
                      : std::to_string(value.elements.front());
}

static Error bindCandidate(const Candidate &candidate, OperatorSpec &spec,
                           OpSetEntry &entry, Bindings &dims) {
  for (auto &[variable, dtype] : candidate.dtypes)
    entry.dtypes[variable] = dtype;
  for (auto &[name, value] : candidate.constants) {
    auto option = find_if(spec.options,
                          [&, key = StringRef(name)](const OptionSpec &option) {
                            return option.name == key;
                          });
    if (option != spec.options.end()) {
      if (value < 0 || size_t(value) >= option->values.size())
        return createStringError("option " + name + " has no value number " +
                                 Twine(value));
      entry.options[name] = option->values[value];
      continue;
    }
    auto given = dims.find(name);
    if (given != dims.end() && !(given->second == ExprValue(value)))
      return createStringError("--dims gives " + name + " the value " +
                               valueText(given->second) +
                               ", the kernel is compiled for " + Twine(value));
    dims[name] = ExprValue(value);
  }
  return Error::success();
}

static Error bindGrid(const CandidateQuestion &question,
                      const Candidate &candidate, const OperatorSpec &spec,
                      const Bindings &bindings, sim::Launch &launch) {
  launch.cluster[0] = static_cast<uint32_t>(candidate.cluster());
  if (!question.grid.empty()) {
    copy(question.grid, launch.grid.begin());
    return Error::success();
  }
  mlir::DialectRegistry registry;
  registerPipelineDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto grid = gridOfTemplate(context, spec, candidate);
  if (!grid)
    return grid.takeError();
  for (auto [axis, extent] : zip(*grid, launch.grid)) {
    auto value = axis.evaluate(bindings);
    if (!value)
      return value.takeError();
    if (*value < 1 || *value > UINT32_MAX)
      return createStringError("the grid's " + axis.str() + " is " +
                               Twine(*value) + ", expected a positive extent");
    extent = uint32_t(*value);
  }
  if (candidate.persistent())
    launch.grid[0] = uint32_t(std::min<int64_t>(
        launch.grid[0], candidate.wholeClusters(persistentBlocks)));
  return Error::success();
}

static Expected<Draw> parseDraw(const OperatorSpec &spec, StringRef name,
                                uint64_t seed) {
  Draw draw;
  draw.seed = seed;
  for (DrawMode mode :
       {DrawMode::Realistic, DrawMode::Adversarial, DrawMode::Edge})
    if (drawModeName(mode) == name) {
      draw.mode = mode;
      return draw;
    }
  std::string known = "realistic, adversarial, edge";
  for (const CaseSpec &spec : spec.cases) {
    known += ", " + spec.name;
    if (spec.name == name)
      draw.spec = &spec;
  }
  if (!draw.spec)
    return createStringError("unknown draw '" + name + "', expected one of " +
                             known);
  return draw;
}

static void fillInput(const InputGenerator &generator, size_t operand,
                      const OperandLayout &layout, char *out) {
  layout.forEachRow([&](uint64_t first, uint64_t offset, int64_t length) {
    generator.fill(operand, first, uint64_t(length), out + offset);
  });
}

Expected<CandidateLaunch>
CandidateLaunch::make(const CandidateQuestion &question, uint64_t threads) {
  auto candidate = parseKernelName(kernelNameOfSymbol(question.symbol));
  if (!candidate)
    return createStringError(toString(candidate.takeError()) +
                             "; expected --launch, or a kernel that is named "
                             "as compile names them");
  auto dims = parseDims(question.dims);
  if (!dims)
    return dims.takeError();
  auto spec = findOperator(question, candidate->op);
  if (!spec)
    return spec.takeError();
  CandidateLaunch out;
  out.spec = std::move(*spec);
  out.entry = defaultEntry(out.spec);
  auto draw = parseDraw(out.spec, question.draw, question.seed);
  if (!draw)
    return draw.takeError();
  if (draw->spec)
    for (auto &[name, value] : draw->spec->dims)
      dims->try_emplace(name, value);
  if (Error error = bindCandidate(*candidate, out.spec, out.entry, *dims))
    return std::move(error);
  auto bindings = bindAll(out.spec, out.entry, *dims);
  if (!bindings)
    return bindings.takeError();
  out.bindings = std::move(*bindings);
  for (auto &[name, multiple] : candidate->multiples)
    if (auto dim = out.bindings.find(name);
        dim != out.bindings.end() && dim->second.elements.front() % multiple)
      return createStringError(
          name + " is " + Twine(dim->second.elements.front()) +
          ", the kernel expects a multiple of " + Twine(multiple));

  sim::Launch &launch = out.setup.launch;
  launch.block = {uint32_t(threads), 1, 1};
  launch.dynamicShared = uint64_t(question.sharedBytes);
  if (Error error =
          bindGrid(question, *candidate, out.spec, out.bindings, launch))
    return std::move(error);
  out.draw = *draw;
  auto scalars = drawScalars(out.spec, out.entry, *draw);
  auto generator =
      InputGenerator::create(out.spec, out.entry, out.bindings, *draw);
  if (!generator)
    return generator.takeError();
  for (auto [i, operand] : enumerate(out.spec.operands)) {
    std::string dtype = resolveDType(out.entry, operand.dtype);
    auto layout = layoutOf(operand, dtype, out.bindings);
    if (!layout)
      return layout.takeError();
    if (Error error = out.setup.addBuffer(operand.name, dtype, *layout->bytes(),
                                          candidate->alignment))
      return std::move(error);
    sim::Buffer &buffer = launch.buffers.back();
    buffer.readOnly = buffer.initialized = !operand.isOutput;
    if (!operand.isOutput)
      fillInput(*generator, i, *layout, buffer.data);
    out.layouts.push_back(std::move(*layout));
    sim::Argument &argument = launch.arguments.emplace_back();
    argument.kind = sim::Argument::Pointer;
    argument.buffer = unsigned(i);
  }
  for (const DimSpec &dim : out.spec.dims)
    if (dim.isForKernels() && !candidate->constants.count(dim.name))
      launch.arguments.emplace_back().value =
          uint64_t(out.bindings.find(dim.name)->second.elements.front());
  for (const ScalarSpec &scalar : out.spec.scalars)
    launch.arguments.emplace_back().value =
        encodeFloat(FloatFormat::F32, scalars.find(scalar.name)->second);
  for (const TensorMap &map : question.maps) {
    if (map.operand >= out.spec.operands.size())
      return createStringError("a tensor map of operand %u, there are %zu",
                               map.operand, out.spec.operands.size());
    auto argument = mapArgument(map, out.bindings, map.operand);
    if (!argument)
      return argument.takeError();
    launch.arguments.push_back(std::move(*argument));
  }
  return out;
}

Expected<std::vector<std::string>>
CandidateLaunch::compute(const Reference &reference, bool magnitudes) const {
  std::vector<std::string> memory; // outputs of the reference; inputs as drawn
  for (const LaunchBuffer &buffer : setup.buffers)
    memory.push_back(buffer.before);
  Draw own = draw;
  own.magnitudes = magnitudes;
  auto scalars = drawScalars(spec, entry, own);
  if (magnitudes) {
    auto generator = InputGenerator::create(spec, entry, bindings, own);
    if (!generator)
      return generator.takeError();
    for (auto [i, operand] : enumerate(spec.operands))
      if (!operand.isOutput)
        fillInput(*generator, i, layouts[i], memory[i].data());
  }
  std::vector<ReferenceOperand> operands;
  for (auto [bytes, layout] : zip_equal(memory, layouts))
    operands.push_back({bytes.data(), layout.shape, layout.strides});
  std::vector<int64_t> dims, options;
  std::vector<double> values;
  for (const DimSpec &dim : spec.dims)
    if (dim.isForReference())
      dims.push_back(bindings.find(dim.name)->second.elements.front());
  for (const OptionSpec &option : spec.options)
    options.push_back(bindings.find(option.name)->second.elements.front());
  for (const ScalarSpec &scalar : spec.scalars)
    values.push_back(scalars.find(scalar.name)->second);
  if (Error error = reference.run(operands, dims, options, values))
    return std::move(error);
  return memory;
}

Expected<bool> CandidateLaunch::compare(raw_ostream &os) const {
  if (!spec.hasReference) {
    os << "operator " << spec.name
       << " has no reference: results are not compared\n";
    return true;
  }
  auto reference = Reference::compile(spec, entry.dtypes);
  if (!reference)
    return reference.takeError();
  auto memory = compute(**reference, /*magnitudes=*/false);
  if (!memory)
    return memory.takeError();
  std::vector<std::string> magnitudes;

  bool ok = true;
  for (auto [i, operand] : enumerate(spec.operands)) {
    if (!operand.isOutput)
      continue;
    const ToleranceSpec &tolerance = toleranceOf(spec, entry, operand.name);
    Comparison comparison;
    std::string why;
    const LaunchBuffer &buffer = setup.buffers[i];
    auto compareRows = [&, i = i](const char *scales) {
      comparison = {};
      layouts[i].forEachRow([&](uint64_t first, uint64_t offset,
                                int64_t length) {
        std::vector<int64_t> index(layouts[i].shape.size());
        for (size_t d = index.size(); d-- > 0;) {
          index[d] = int64_t(first % uint64_t(layouts[i].shape[d]));
          first /= uint64_t(layouts[i].shape[d]);
        }
        compareRow(comparison, buffer.type, tolerance, index, length,
                   (*memory)[i].data() + offset, buffer.memory.data() + offset,
                   scales ? scales + offset : nullptr);
      });
      return comparison.passes(tolerance, why);
    };
    bool passes = compareRows(nullptr);
    if (!passes && tolerance.cancellation > 0) {
      if (magnitudes.empty()) {
        auto made = compute(**reference, /*magnitudes=*/true);
        if (!made)
          return made.takeError();
        magnitudes = std::move(*made);
      }
      passes = compareRows(magnitudes[i].data());
    }
    os << operand.name << ": " << comparison.elements << " elements, worst "
       << format("%.4g", comparison.worst.ulp) << " ulp from the reference"
       << (passes ? "" : "; " + why) << '\n';
    ok &= passes;
  }
  return ok;
}

} // namespace lathe::tool
