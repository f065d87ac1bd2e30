//===- DeviceReferenceTest.cpp - References as kernels --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/DeviceReference.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Simulate/Simulator.h"
#include "lathe/Support/FloatFormat.h"
#include "lathe/Verify/Element.h"
#include "lathe/Verify/Inputs.h"
#include "lathe/Verify/Reference.h"
#include "lathe/Verify/TestMemory.h"

#include "llvm/ADT/STLExtras.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace lathe;
using testing::HasSubstr;

using Names = std::map<std::string, std::string, std::less<>>;

static const OperatorTable &operators() {
  static const OperatorTable table =
      llvm::cantFail(loadOperators({LATHE_SOURCE_DIR "/templates"}));
  return table;
}

namespace {

/// Operands of one draw in host memory, and the slots that describe them.
struct Operands {
  std::vector<std::vector<char>> memory;
  std::vector<OperandLayout> layouts;

  Operands(const OperatorSpec &spec, const OpSetEntry &entry,
           const Bindings &bindings, const Draw &draw) {
    auto generator =
        llvm::cantFail(InputGenerator::create(spec, entry, bindings, draw));
    for (auto [i, operand] : llvm::enumerate(spec.operands)) {
      OperandLayout layout = llvm::cantFail(
          layoutOf(operand, resolveDType(entry, operand.dtype), bindings));
      std::vector<char> &bytes =
          memory.emplace_back(*layout.bytes(), char(poisonByte));
      if (!operand.isOutput)
        layout.forEachRow(
            [&, i = i](uint64_t first, uint64_t offset, int64_t length) {
              generator.fill(i, first, uint64_t(length), &bytes[offset]);
            });
      layouts.push_back(std::move(layout));
    }
  }
};

/// One operator at one size.
class Case {
public:
  Case(llvm::StringRef op, Bindings dims, std::string dtype)
      : spec(operators().find(op)->second), entry(defaultEntry(spec)) {
    if (!dtype.empty())
      entry.dtypes[spec.dtypes.front().first] = dtype;
    bindings = llvm::cantFail(bindAll(spec, entry, dims));
    reference = llvm::cantFail(compileDeviceReference(
        spec, entry.dtypes, llvm::cantFail(lookupTarget("sm_90a")),
        findToolkit()));
    auto loaded = sim::Kernel::load(reference.artifact.bitcode,
                                    reference.artifact.symbol);
    if (loaded)
      kernel = std::move(*loaded);
    else
      llvm::consumeError(loaded.takeError());
  }

  /// Elements may be `steps` of their dtype away.
  void expectHostsBits(const Draw &draw, int64_t steps = 0);
  /// Not what calls malloc, or reduces the arguments of sin and cos by carries.
  bool isSimulated() const { return kernel != nullptr; }
  unsigned rowRank() const { return reference.rowRank; }

private:
  void runHost(Operands &operands, const Draw &draw);
  void runDevice(Operands &operands, const Draw &draw);
  int64_t value(llvm::StringRef name) const {
    return bindings.find(name)->second.elements.front();
  }

  const OperatorSpec &spec;
  OpSetEntry entry;
  Bindings bindings;
  DeviceReference reference;
  std::unique_ptr<sim::Kernel> kernel;
};

} // namespace

void Case::runHost(Operands &operands, const Draw &draw) {
  auto host = llvm::cantFail(Reference::compile(spec, entry.dtypes));
  std::vector<ReferenceOperand> arguments;
  for (auto [bytes, layout] : llvm::zip(operands.memory, operands.layouts))
    arguments.push_back({bytes.data(), layout.shape, layout.strides});
  std::vector<int64_t> dims, options;
  for (const DimSpec &dim : spec.dims)
    if (dim.isForReference())
      dims.push_back(value(dim.name));
  for (const OptionSpec &option : spec.options)
    options.push_back(value(option.name));
  auto drawn = drawScalars(spec, entry, draw);
  std::vector<double> scalars;
  for (const ScalarSpec &scalar : spec.scalars)
    scalars.push_back(drawn.find(scalar.name)->second);
  llvm::cantFail(host->run(arguments, dims, options, scalars));
}

static uint64_t scalarBits(const std::string &dtype, double value) {
  auto format = parseFloatFormat(dtype);
  return format ? encodeFloat(*format, value) : uint64_t(int64_t(value));
}

void Case::runDevice(Operands &operands, const Draw &draw) {
  std::vector<uint64_t> slots;
  std::vector<int64_t> rows(reference.rowRank, 0);
  sim::Launch launch;
  for (auto [i, operand] : llvm::enumerate(spec.operands)) {
    const OperandLayout &layout = operands.layouts[i];
    auto address = reinterpret_cast<uint64_t>(operands.memory[i].data());
    slots.insert(slots.end(), {address, address, 0});
    slots.insert(slots.end(), layout.shape.begin(), layout.shape.end());
    slots.insert(slots.end(), layout.strides.begin(), layout.strides.end());
    for (size_t d = 0; operand.isOutput && d != rows.size(); ++d)
      rows[d] = std::max(rows[d], layout.shape[d]);
    sim::Buffer &buffer = launch.buffers.emplace_back();
    buffer.name = operand.name;
    buffer.data = operands.memory[i].data();
    buffer.bytes = operands.memory[i].size();
    buffer.readOnly = !operand.isOutput;
  }
  for (const DimSpec &dim : spec.dims)
    if (dim.isForReference())
      slots.push_back(uint64_t(value(dim.name)));
  auto scalars = drawScalars(spec, entry, draw);
  for (const ScalarSpec &scalar : spec.scalars)
    slots.push_back(
        scalarBits(scalar.dtype, scalars.find(scalar.name)->second));
  for (const OptionSpec &option : spec.options)
    slots.push_back(uint64_t(value(option.name)));
  uint64_t count = 1;
  for (int64_t extent : rows) {
    slots.insert(slots.end(), {0, uint64_t(extent)});
    count *= uint64_t(extent);
  }
  sim::Buffer &buffer = launch.buffers.emplace_back();
  buffer.name = "slots";
  buffer.data = reinterpret_cast<char *>(slots.data());
  buffer.bytes = slots.size() * sizeof(uint64_t);
  buffer.readOnly = true;

  // In two parts, so that the first row counts; the last block is not full.
  constexpr uint32_t threads = 32;
  uint64_t half = count / 2;
  for (auto [first, part] : {std::make_pair(uint64_t(0), half),
                             std::make_pair(half, count - half)}) {
    launch.block = {threads, 1, 1};
    launch.grid = {uint32_t((part + threads - 1) / threads), 1, 1};
    if (part == 0)
      continue;
    launch.arguments.resize(3);
    launch.arguments[0].kind = sim::Argument::Pointer;
    launch.arguments[0].buffer = unsigned(spec.operands.size());
    launch.arguments[1].value = first;
    launch.arguments[2].value = part;
    auto report = llvm::cantFail(kernel->run(launch, {}));
    std::string text;
    for (const sim::Fault &fault : report.faults)
      text += fault.message + "\n";
    ASSERT_TRUE(report.ok()) << text;
  }
}

void Case::expectHostsBits(const Draw &draw, int64_t steps) {
  ASSERT_TRUE(kernel);
  Operands host(spec, entry, bindings, draw);
  Operands device(spec, entry, bindings, draw);
  runHost(host, draw);
  runDevice(device, draw);
  for (auto [i, operand] : llvm::enumerate(spec.operands)) {
    std::string type = resolveDType(entry, operand.dtype);
    auto element = llvm::cantFail(ElementType::parse(type));
    // NaN has many forms; all mean the same to whoever compares.
    for (size_t at = 0; at < host.memory[i].size(); at += element.bytes) {
      uint64_t expected = element.load(&host.memory[i][at]);
      uint64_t found = element.load(&device.memory[i][at]);
      bool isNaN = element.isNaN(expected);
      if (expected == found || (isNaN && element.isNaN(found)))
        continue;
      if (!isNaN && !element.isNaN(found) && element.format &&
          std::abs(element.ordinal(expected) - element.ordinal(found)) <= steps)
        continue;
      ADD_FAILURE() << spec.name << ", " << operand.name << ", " << draw.name()
                    << " draw: byte " << at << ": expected "
                    << element.value(expected) << ", found "
                    << element.value(found);
      break;
    }
  }
}

static void expectHostsBits(llvm::StringRef op, const Bindings &dims,
                            const std::string &dtype = "") {
  Case one(op, dims, dtype);
  for (DrawMode mode :
       {DrawMode::Realistic, DrawMode::Adversarial, DrawMode::Edge}) {
    Draw draw;
    draw.mode = mode;
    draw.seed = 7;
    one.expectHostsBits(draw);
  }
}

static Bindings rows(int64_t count, int64_t width) {
  return {{"T", ExprValue(count)}, {"H", ExprValue(width)}};
}

TEST(DeviceReference, RmsNorm) {
  Bindings padded = rows(37, 96);
  padded["XS"] = ExprValue(int64_t(101));
  for (const char *dtype : {"bf16", "f16", "f32"})
    expectHostsBits("rms_norm", padded, dtype);
}

TEST(DeviceReference, LayerNorm) {
  expectHostsBits("layer_norm", rows(37, 96));
}

TEST(DeviceReference, L2Norm) { expectHostsBits("l2_norm", rows(33, 64)); }

TEST(DeviceReference, FusedAddRmsNorm) {
  expectHostsBits("fused_add_rms_norm", rows(33, 64));
}

TEST(DeviceReference, GatedRmsNorm) {
  expectHostsBits("gated_rms_norm", rows(33, 64));
}

TEST(DeviceReference, SiluAndMul) {
  for (const char *dtype : {"bf16", "f32"})
    expectHostsBits(
        "silu_and_mul",
        {{"T", ExprValue(int64_t(33))}, {"D", ExprValue(int64_t(64))}}, dtype);
}

TEST(DeviceReference, RoundsToNarrowFloats) {
  expectHostsBits("fp8_dynamic_per_token_quant", rows(33, 64));
}

/// Small sizes by name; another dim without a default is 5.
static Bindings smallDims(const OperatorSpec &spec) {
  static const std::map<std::string, int64_t, std::less<>> sizes = {
      {"D", 16},  {"DK", 8}, {"DV", 6}, {"E", 12},  {"G", 16}, {"GK", 16},
      {"GN", 16}, {"H", 32}, {"HK", 2}, {"HKV", 2}, {"HQ", 4}, {"HV", 4},
      {"I", 24},  {"K", 40}, {"N", 20}, {"R", 8},   {"C", 16}, {"TOPK", 3}};
  Bindings dims;
  for (const DimSpec &dim : spec.dims) {
    if (dim.defaultValue)
      continue;
    auto known = sizes.find(dim.name);
    dims[dim.name] = dim.kind == DimKind::List
                         ? ExprValue(std::vector<int64_t>{3, 17, 3})
                         : ExprValue(known == sizes.end() ? 5 : known->second);
  }
  return dims;
}

TEST(DeviceReference, EveryOperatorGivesTheHostsResults) {
  unsigned run = 0, manyDims = 0;
  for (const auto &item : operators()) {
    Case one(item.first, smallDims(item.second), "");
    if (!one.isSimulated())
      continue;
    ++run;
    manyDims += one.rowRank() > 1;
    Draw draw;
    draw.seed = 11;
    // exp, sin and their kin may differ in the last bit of f64.
    one.expectHostsBits(draw, /*steps=*/1);
  }
  EXPECT_GE(run, 20u);
  EXPECT_GE(manyDims, 1u);
}

TEST(DeviceReference, CompilesForEveryOperatorAndTarget) {
  Toolkit toolkit = findToolkit();
  unsigned compiled = 0;
  for (const auto &item : operators()) {
    const OperatorSpec &spec = item.second;
    OpSetEntry entry = defaultEntry(spec);
    for (const char *arch : {"sm_80", "sm_90a", "sm_100a"}) {
      auto reference = compileDeviceReference(
          spec, entry.dtypes, llvm::cantFail(lookupTarget(arch)), toolkit);
      if (!reference) {
        ADD_FAILURE() << spec.name << " for " << arch << ": "
                      << llvm::toString(reference.takeError());
        continue;
      }
      ++compiled;
      EXPECT_EQ(reference->artifact.symbol, "lathe_reference_" + spec.name);
      EXPECT_EQ(reference->artifact.image.empty(), toolkit.ptxas.empty());
      // Every sum and product rounds by itself.
      llvm::StringRef ptx = reference->artifact.text;
      EXPECT_FALSE(ptx.contains("mul.f64") || ptx.contains("add.f64"))
          << spec.name;
    }
  }
  EXPECT_EQ(compiled, 3 * operators().size());
}

TEST(DeviceReference, SaysWhatIsMissing) {
  Toolkit toolkit = findToolkit();
  toolkit.libdevice.clear();
  const TargetSpec target = llvm::cantFail(lookupTarget("sm_90a"));
  const OperatorSpec &gate = operators().find("silu_and_mul")->second;
  auto refused =
      compileDeviceReference(gate, defaultEntry(gate).dtypes, target, toolkit);
  ASSERT_FALSE(static_cast<bool>(refused));
  EXPECT_THAT(llvm::toString(refused.takeError()),
              HasSubstr("no libdevice beside ptxas for 'exp'"));
  // Square roots are an instruction.
  const OperatorSpec &norm = operators().find("rms_norm")->second;
  auto made =
      compileDeviceReference(norm, defaultEntry(norm).dtypes, target, toolkit);
  EXPECT_TRUE(static_cast<bool>(made));
  llvm::consumeError(made.takeError());
}

TEST(DeviceReference, TravelsAsAMessage) {
  const OperatorSpec &spec = operators().find("l2_norm")->second;
  Names dtypes = {{"DT", "f16"}};
  Message response = answerDeviceReference(
      deviceReferenceMessage(spec, dtypes, "sm_90a"), findToolkit());
  auto reference = llvm::cantFail(deviceReferenceFrom(
      llvm::cantFail(decodeMessage(encodeMessage(response)))));
  EXPECT_EQ(reference.rowRank, 1u);
  EXPECT_FALSE(reference.usesHeap);
  EXPECT_FALSE(reference.artifact.text.empty());
  auto refused = deviceReferenceFrom(answerDeviceReference(
      deviceReferenceMessage(spec, dtypes, "sm_1"), findToolkit()));
  ASSERT_FALSE(static_cast<bool>(refused));
  EXPECT_THAT(llvm::toString(refused.takeError()),
              HasSubstr("unknown architecture 'sm_1'"));
  EXPECT_NE(deviceReferenceKey(spec, dtypes, "sm_90a"),
            deviceReferenceKey(spec, {{"DT", "bf16"}}, "sm_90a"));
}
