//===- TrialRun.cpp - One size with one draw ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialRun.h"

#include "WrittenRows.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Verify/MapArgument.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>
#include <numeric>

using namespace lathe;
using llvm::Error;
using llvm::Expected;

namespace {

/// Operands with more elements repeat their rows, if they may.
constexpr uint64_t maxFilled = uint64_t(1) << 18;
constexpr uint64_t distinctRows = 31;
constexpr uint64_t maxDrawn = uint64_t(1) << 25;
constexpr uint64_t maxRepeated = uint64_t(64) << 20; ///< bytes
constexpr uint64_t page = 4096;

struct Operand {
  OperandLayout layout;
  ElementType type;
  TestBuffer buffer;
  uint64_t hash = 0;             ///< of an input as it was drawn
  std::optional<size_t> onInput; ///< an output that lies on this input

  Operand(OperandLayout layout, ElementType type, TestBuffer buffer)
      : layout(std::move(layout)), type(type), buffer(std::move(buffer)) {}
};

} // namespace

struct TrialRun::Impl {
  const TrialQuestion &question;
  const Trial &trial;
  Draw drawn;
  std::map<std::string, double, std::less<>> scalars;
  std::vector<Operand> operands; ///< outputs hold the reference's results
  bool computed = false;         ///< by the reference
  /// The same draw without signs, where somebody asked.
  std::unique_ptr<Impl> magnitudes;

  Impl(const TrialQuestion &question, const Trial &trial, const Draw &draw)
      : question(question), trial(trial), drawn(draw) {}
  static Expected<std::unique_ptr<Impl>>
  create(const TrialQuestion &question, const Trial &trial, const Draw &draw);
  const DispatchCase &row() const { return question.cases[trial.row]; }
  Error draw(const InputGenerator &generator);
  Expected<TestBuffer> filled(size_t index, const OperandLayout &layout,
                              const InputGenerator &generator) const;
  Expected<std::vector<sim::Argument>>
  arguments(llvm::ArrayRef<unsigned> buffers) const;
  Error compute(const Reference &reference,
                llvm::ArrayRef<const WrittenRows *> written);
  Error computeMagnitudes(const Reference &reference,
                          llvm::ArrayRef<const WrittenRows *> written);
  Error compare(TrialOutcome &outcome, const Reference &reference,
                llvm::ArrayRef<const TestBuffer *> found,
                llvm::ArrayRef<const WrittenRows *> written);
};

TrialRun::TrialRun(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
TrialRun::TrialRun(TrialRun &&) noexcept = default;
TrialRun::~TrialRun() = default;

bool TrialRun::aliases() const {
  return llvm::any_of(impl->operands, [](const Operand &operand) {
    return operand.onInput.has_value();
  });
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Expected<TestBuffer>
TrialRun::Impl::filled(size_t index, const OperandLayout &layout,
                       const InputGenerator &generator) const {
  auto alignment = uint64_t(
      std::max<int64_t>(row().alignment, int64_t(layout.elementBytes)));
  uint64_t bytes = *layout.bytes();
  auto length = uint64_t(layout.rowLength());
  // Of a large operand, a prime number of rows is drawn and repeated: no power
  // of two leads from one row to its equal.
  bool repeats =
      layout.elements() > maxFilled && length > 1 && generator.mayRepeat(index);
  std::vector<std::string> drawn;
  auto writeRow = [&](uint64_t row, char *out) {
    if (!repeats)
      return generator.fill(index, row * length, length, out);
    std::string &known = drawn[row % distinctRows];
    if (known.empty()) {
      known.resize(length * layout.elementBytes);
      generator.fill(index, row % distinctRows * length, length, known.data());
    }
    memcpy(out, known.data(), known.size());
  };
  drawn.resize(repeats ? distinctRows : 0);

  // Where rows have one pitch, whole pages repeat as well.
  bool pitched = layout.isDense() || layout.shape.size() == 2;
  if (repeats && pitched) {
    uint64_t pitch = layout.isDense() ? length : uint64_t(layout.strides[0]);
    pitch *= layout.elementBytes;
    uint64_t period = std::lcm(pitch * distinctRows, page);
    if (period <= maxRepeated && period < bytes) {
      std::string content(period, char(poisonByte));
      for (uint64_t r = 0; r * pitch < period; ++r)
        writeRow(r, content.data() + r * pitch);
      return TestBuffer::createRepeating(bytes, alignment, content);
    }
  }
  if (layout.elements() > maxDrawn)
    return llvm::createStringError("an input of %llu elements is too large to "
                                   "draw",
                                   (unsigned long long)layout.elements());
  auto buffer = TestBuffer::create(bytes, alignment);
  if (buffer)
    layout.forEachRow([&](uint64_t first, uint64_t offset, int64_t) {
      writeRow(first / length, buffer->data() + offset);
    });
  return buffer;
}

Error TrialRun::Impl::draw(const InputGenerator &generator) {
  const OperatorSpec &spec = *question.spec;
  for (auto [i, operand] : llvm::enumerate(spec.operands)) {
    std::string dtype = resolveDType(*question.entry, operand.dtype);
    auto layout = layoutOf(operand, dtype, trial.bindings);
    if (!layout)
      return layout.takeError();
    auto type = ElementType::parse(dtype);
    if (!type)
      return type.takeError();
    auto buffer = operand.isOutput
                      ? TestBuffer::create(*layout->bytes(), type->bytes)
                      : filled(i, *layout, generator);
    if (!buffer)
      return buffer.takeError();
    Operand made(std::move(*layout), *type, std::move(*buffer));
    if (!operand.isOutput)
      made.hash = made.buffer.hash();
    for (auto [j, other] : llvm::enumerate(spec.operands))
      if (trial.aliased && j < i && other.name == operand.mayAlias &&
          operands[j].layout.shape == made.layout.shape &&
          operands[j].layout.strides == made.layout.strides &&
          operands[j].type.bytes == made.type.bytes)
        made.onInput = j;
    operands.push_back(std::move(made));
  }
  return Error::success();
}

Expected<std::unique_ptr<TrialRun::Impl>>
TrialRun::Impl::create(const TrialQuestion &question, const Trial &trial,
                       const Draw &draw) {
  auto generator = InputGenerator::create(*question.spec, *question.entry,
                                          trial.bindings, draw);
  if (!generator)
    return generator.takeError();
  auto impl = std::make_unique<Impl>(question, trial, draw);
  impl->scalars = drawScalars(*question.spec, *question.entry, draw);
  if (Error error = impl->draw(*generator))
    return std::move(error);
  return impl;
}

Expected<TrialRun> TrialRun::create(const TrialQuestion &question,
                                    const Trial &trial, const Draw &draw) {
  auto impl = Impl::create(question, trial, draw);
  if (!impl)
    return impl.takeError();
  return TrialRun(std::move(*impl));
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

Expected<std::vector<sim::Argument>>
TrialRun::Impl::arguments(llvm::ArrayRef<unsigned> buffers) const {
  std::vector<sim::Argument> arguments;
  for (unsigned buffer : buffers) {
    sim::Argument &argument = arguments.emplace_back();
    argument.kind = sim::Argument::Pointer;
    argument.buffer = buffer;
  }
  for (const std::string &dim : row().runtimeDims) {
    auto value = trial.bindings.find(dim);
    arguments.emplace_back().value = uint64_t(value->second.elements.front());
  }
  for (const ScalarSpec &scalar : question.spec->scalars)
    arguments.emplace_back().value =
        encodeFloat(FloatFormat::F32, scalars.find(scalar.name)->second);
  for (const TensorMap &map : row().maps) {
    if (map.operand >= buffers.size())
      return llvm::createStringError("a tensor map of operand %u, there are "
                                     "%zu",
                                     map.operand, buffers.size());
    auto argument = mapArgument(map, trial.bindings, buffers[map.operand]);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

Expected<TrialOutcome> TrialRun::launch(sim::Kernel &kernel,
                                        const Reference &reference,
                                        sim::RunOptions options) {
  const OperatorSpec &spec = *impl->question.spec;
  const DispatchCase &row = impl->row();
  sim::Launch launch;
  launch.grid = impl->trial.grid;
  launch.block = {uint32_t(row.blockThreads), 1, 1};
  launch.dynamicShared = uint64_t(row.sharedBytes);
  if (auto cluster = kernel.requiredCluster())
    launch.cluster = *cluster;

  // Outputs are fresh poison, or a copy of the input that they lie on.
  std::vector<TestBuffer> outputs;
  std::vector<WrittenRows> written;
  outputs.reserve(spec.operands.size());
  written.reserve(spec.operands.size());
  std::vector<unsigned> buffers;
  for (auto [i, operand] : llvm::enumerate(impl->operands)) {
    const OperandSpec &own = spec.operands[i];
    sim::Buffer &buffer = launch.buffers.emplace_back();
    buffers.push_back(unsigned(i));
    buffer.name = own.name;
    buffer.bytes = operand.buffer.bytes();
    buffer.readOnly = !own.isOutput;
    buffer.initialized = !own.isOutput || operand.onInput;
    buffer.data = operand.buffer.data();
    if (!own.isOutput)
      continue;
    auto alignment =
        uint64_t(std::max<int64_t>(row.alignment, int64_t(operand.type.bytes)));
    auto made = TestBuffer::create(buffer.bytes, alignment);
    if (!made)
      return made.takeError();
    if (operand.onInput) {
      memcpy(made->data(), impl->operands[*operand.onInput].buffer.data(),
             buffer.bytes);
      buffers[*operand.onInput] = unsigned(i);
    }
    buffer.data = made->data();
    outputs.push_back(std::move(*made));
    written.emplace_back(operand.layout, outputs.back());
    buffer.written = written.back().bits();
  }
  auto arguments = impl->arguments(buffers);
  if (!arguments)
    return arguments.takeError();
  launch.arguments = std::move(*arguments);
  options.blocks = impl->trial.blocks;
  auto report = kernel.run(launch, options);
  if (!report)
    return report.takeError();

  TrialOutcome outcome;
  outcome.report = std::move(*report);
  if (!outcome.report.ok())
    return outcome;
  std::vector<const TestBuffer *> found;
  std::vector<const WrittenRows *> rows;
  for (auto [output, row] : llvm::zip_equal(outputs, written)) {
    found.push_back(&output);
    rows.push_back(&row);
    outcome.hash = outcome.hash * 31 + output.hash();
  }
  if (Error error = impl->compute(reference, rows))
    return std::move(error);
  if (Error error = impl->compare(outcome, reference, found, rows))
    return std::move(error);
  return outcome;
}

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

Error TrialRun::Impl::compute(const Reference &reference,
                              llvm::ArrayRef<const WrittenRows *> written) {
  if (computed) // schedules of one draw write the same rows, or are racy
    return Error::success();
  const OperatorSpec &spec = *question.spec;
  std::vector<ReferenceOperand> arguments;
  for (Operand &operand : operands)
    arguments.push_back(
        {operand.buffer.data(), operand.layout.shape, operand.layout.strides});
  std::vector<int64_t> dims, options;
  std::vector<double> values;
  for (const DimSpec &dim : spec.dims)
    if (dim.isForReference())
      dims.push_back(trial.bindings.find(dim.name)->second.elements.front());
  for (const OptionSpec &option : spec.options)
    options.push_back(
        trial.bindings.find(option.name)->second.elements.front());
  for (const ScalarSpec &scalar : spec.scalars)
    values.push_back(scalars.find(scalar.name)->second);
  if (trial.blocks.empty() || reference.sampledRank() == 0) {
    if (Error error = reference.run(arguments, dims, options, values))
      return error;
  } else {
    WrittenBoxes wanted;
    for (const WrittenRows *rows : written)
      rows->addTo(wanted, reference.sampledRank());
    for (const std::vector<IndexRange> &box : wanted.boxes())
      if (Error error = reference.run(arguments, dims, options, values, box))
        return error;
  }
  computed = true;
  return Error::success();
}

Error TrialRun::Impl::computeMagnitudes(
    const Reference &reference, llvm::ArrayRef<const WrittenRows *> written) {
  if (!magnitudes) {
    Draw draw = drawn;
    draw.magnitudes = true;
    auto made = create(question, trial, draw);
    if (!made)
      return made.takeError();
    magnitudes = std::move(*made);
  }
  return magnitudes->compute(reference, written);
}

Error TrialRun::Impl::compare(TrialOutcome &outcome, const Reference &reference,
                              llvm::ArrayRef<const TestBuffer *> found,
                              llvm::ArrayRef<const WrittenRows *> written) {
  const OperatorSpec &spec = *question.spec;
  size_t output = 0;
  auto say = [&](const llvm::Twine &what) {
    if (outcome.problem.empty())
      outcome.problem = what.str();
  };
  for (auto [i, operand] : llvm::enumerate(operands)) {
    const std::string &name = spec.operands[i].name;
    if (!operand.buffer.redZonesIntact())
      say("the bytes around '" + name + "' were changed");
    if (!spec.operands[i].isOutput) {
      if (operand.buffer.hash() != operand.hash)
        say("input '" + name + "' was changed");
      continue;
    }
    const TestBuffer &memory = *found[output];
    const WrittenRows &rows = *written[output];
    ++output;
    if (!memory.redZonesIntact())
      say("the bytes around '" + name + "' were changed");
    if (std::string stray = rows.stray(); !stray.empty())
      say("output '" + name + "': " + stray);
    ToleranceSpec tolerance = toleranceOf(spec, *question.entry, name);
    // A handful of huge elements would be the whole norm.
    if (drawn.mode != DrawMode::Realistic)
      tolerance.drift = 0;
    Comparison &comparison = outcome.outputs.emplace_back();
    const Operand &expected = operand;
    bool whole = trial.blocks.empty();
    std::string missing, why;
    auto compareRows = [&](const char *scales) {
      comparison = {};
      missing = rows.forEachRun(whole, [&](llvm::ArrayRef<int64_t> index,
                                           uint64_t offset, int64_t length) {
        compareRow(comparison, expected.type, tolerance, index, length,
                   expected.buffer.data() + offset, memory.data() + offset,
                   scales ? scales + offset : nullptr);
      });
      return comparison.passes(tolerance, why);
    };
    bool passes = compareRows(nullptr);
    if (!passes && tolerance.cancellation > 0) {
      if (Error error = computeMagnitudes(reference, written))
        return error;
      passes = compareRows(magnitudes->operands[i].buffer.data());
    }
    if (missing.empty() && !whole)
      missing =
          rows.sampleProblem(comparison.elements,
                             {trial.blocks.size(), trial.totalBlocks(),
                              trial.hasFirst, trial.hasLast, trial.hasShares});
    if (!missing.empty())
      say("output '" + name + "': " + missing);
    if (!passes)
      say("output '" + name + "': " + why);
  }
  return Error::success();
}
