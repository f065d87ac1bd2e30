//===- Inputs.cpp - Test inputs, drawn by index ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Inputs.h"

#include "Patterns.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Verify/Element.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;

namespace {

enum class Kind {
  Normal,
  Uniform,
  Constant,
  Falling,
  Integers,
  Skewed,
  Permuted,
  Iota,
  Softmax,
  List,
  Quantized,
  Scales
};

Kind kindOf(StringRef name) {
  return llvm::StringSwitch<Kind>(name)
      .Case("normal", Kind::Normal)
      .Case("uniform", Kind::Uniform)
      .Cases({"zeros", "constant"}, Kind::Constant)
      .Case("falling", Kind::Falling)
      .Case("integers", Kind::Integers)
      .Case("skewed", Kind::Skewed)
      .Case("permuted", Kind::Permuted)
      .Case("iota", Kind::Iota)
      .Case("softmax", Kind::Softmax)
      .Cases({"lengths", "offsets"}, Kind::List)
      .Case("quantized", Kind::Quantized)
      .Default(Kind::Scales);
}

/// Most elements of a block that shares a scale, or of a softmax row.
constexpr int64_t maxGroup = 1 << 20;

struct Source {
  Kind kind = Kind::Normal;
  ElementType type;
  DistributionSpec distribution;
  std::vector<int64_t> shape;
  int64_t inner = 1; ///< extent of the last dimension
  int64_t bound = 0;
  std::vector<int64_t> values; ///< List
  size_t partner = 0;          ///< Quantized, Scales
  std::vector<int64_t> block;  ///< Quantized: its extents
  /// Softmax: sum of a row; Quantized: scale of a block; by its index.
  mutable llvm::DenseMap<uint64_t, double> groups;
};

} // namespace

struct InputGenerator::Impl {
  Draw draw;
  std::vector<Source> sources; ///< one per operand

  double valueAt(size_t operand, uint64_t index) const;
  double scaleOfBlock(size_t quantized, uint64_t block) const;
  double quantizedAt(size_t operand, uint64_t index) const;
  double softmaxAt(size_t operand, uint64_t index) const;
  llvm::Error pair(size_t operand, const OperatorSpec &spec);
};

StringRef lathe::drawModeName(DrawMode mode) {
  constexpr const char *names[] = {"realistic", "adversarial", "edge"};
  return names[static_cast<int>(mode)];
}

std::string Draw::name() const {
  return spec ? spec->name : drawModeName(mode).str();
}

uint64_t lathe::randomBits(uint64_t seed, uint64_t stream, uint64_t index) {
  // SplitMix64, started at a state that seed and stream choose.
  auto mix = [](uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  };
  constexpr uint64_t golden = 0x9E3779B97F4A7C15u;
  uint64_t state = mix(mix(seed + golden) + golden * (stream + 1));
  return mix(state + golden * (index + 1));
}

std::map<std::string, double, std::less<>>
lathe::drawScalars(const OperatorSpec &spec, const OpSetEntry &entry,
                   const Draw &draw) {
  std::map<std::string, double, std::less<>> scalars;
  for (auto [i, scalar] : llvm::enumerate(spec.scalars)) {
    auto given = entry.scalars.find(scalar.name);
    double value =
        given != entry.scalars.end() ? given->second : scalar.defaultValue;
    if (draw.otherScalars) {
      // Powers of two round as the value itself does.
      constexpr int powers[] = {-3, -2, -1, 1, 2, 3};
      value = std::ldexp(value, powers[randomBits(draw.seed, ~i, 0) % 6]);
    }
    if (draw.spec)
      if (auto own = draw.spec->scalars.find(scalar.name);
          own != draw.spec->scalars.end())
        value = own->second;
    scalars[scalar.name] = value;
  }
  return scalars;
}

/// N(0, 1), never further out than 5.8.
static double normalAt(uint64_t seed, uint64_t stream, uint64_t index) {
  uint64_t bits = randomBits(seed, stream, index);
  float u = float((bits >> 40) + 1) * 0x1p-24f;
  float v = float(bits & 0xFFFFFF) * 0x1p-24f;
  return std::sqrt(-2 * std::log(u)) * std::cos(6.2831853f * v);
}

/// A permutation of [0, bound): Feistel rounds, repeated until inside.
static int64_t permute(uint64_t key, uint64_t index, uint64_t bound) {
  unsigned half = 1;
  while ((uint64_t(1) << (2 * half)) < bound)
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t next = left ^ (randomBits(key, round, right) & mask);
      left = right;
      right = next;
    }
    index = left << half | right;
  } while (index >= bound);
  return static_cast<int64_t>(index);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

double InputGenerator::Impl::scaleOfBlock(size_t quantized,
                                          uint64_t block) const {
  const Source &source = sources[quantized];
  auto [it, isNew] = source.groups.try_emplace(block, 0);
  if (!isNew)
    return it->second;
  const Source &scales = sources[source.partner];
  // Corner and extent of the block, cut off at the operand's end.
  size_t rank = source.shape.size();
  std::vector<int64_t> at(rank), first(rank), last(rank);
  uint64_t rest = block;
  for (size_t i = rank; i-- > 0;) {
    first[i] = int64_t(rest % scales.shape[i]) * source.block[i];
    last[i] = std::min(first[i] + source.block[i], source.shape[i]);
    rest /= scales.shape[i];
  }
  double largest = 0;
  at = first;
  while (true) {
    uint64_t index = 0;
    for (size_t i = 0; i < rank; ++i)
      index = index * source.shape[i] + at[i];
    largest =
        std::max(largest, std::fabs(normalAt(draw.seed, quantized, index)));
    size_t axis = rank;
    while (axis > 0 && ++at[axis - 1] >= last[axis - 1]) {
      --axis;
      at[axis] = first[axis];
    }
    if (axis == 0)
      break;
  }
  float scale = float(largest * source.distribution.scale) *
                float(1 / largestFinite(*source.type.format));
  scale = std::max(scale, 1e-12f);
  source.groups[block] = scale;
  return scale;
}

double InputGenerator::Impl::quantizedAt(size_t operand, uint64_t index) const {
  const Source &source = sources[operand];
  const Source &scales = sources[source.partner];
  uint64_t block = 0, step = 1, rest = index;
  for (size_t i = source.shape.size(); i-- > 0;) {
    block += rest % source.shape[i] / source.block[i] * step;
    step *= scales.shape[i];
    rest /= source.shape[i];
  }
  return normalAt(draw.seed, operand, index) * source.distribution.scale /
         scaleOfBlock(operand, block);
}

double InputGenerator::Impl::softmaxAt(size_t operand, uint64_t index) const {
  const Source &source = sources[operand];
  uint64_t row = index / source.inner;
  auto [it, isNew] = source.groups.try_emplace(row, 0);
  if (isNew) {
    double sum = 0;
    for (int64_t i = 0; i < source.inner; ++i)
      sum += std::exp(normalAt(draw.seed, operand, row * source.inner + i));
    it->second = sum;
  }
  return std::exp(normalAt(draw.seed, operand, index)) / it->second;
}

double InputGenerator::Impl::valueAt(size_t operand, uint64_t index) const {
  const Source &source = sources[operand];
  const DistributionSpec &d = source.distribution;
  uint64_t bits = randomBits(draw.seed, operand, index);
  double unit = double(bits >> 11) * 0x1p-53;
  switch (source.kind) {
  case Kind::Normal: {
    PatternQuestion question;
    question.edge = draw.mode == DrawMode::Edge;
    question.seed = draw.seed;
    question.operand = operand;
    question.index = index;
    question.inner = source.inner;
    question.rows = source.shape.size() > 1;
    question.distribution = &d;
    question.type = &source.type;
    auto normal = [&](uint64_t i) { return normalAt(draw.seed, operand, i); };
    question.normal = normal;
    if (draw.mode == DrawMode::Realistic)
      return d.offset + d.scale * normal(index);
    return patternAt(question);
  }
  case Kind::Uniform:
    // The ends of the interval are legal and rarely drawn.
    if (draw.mode != DrawMode::Realistic && bits % 4 < 2)
      unit = bits % 4 ? 1 - 0x1p-24 : 0;
    return d.low + (d.high - d.low) * unit;
  case Kind::Constant:
    return d.low;
  case Kind::Falling: {
    size_t rank = source.shape.size();
    int64_t below = rank > 1 ? source.inner : 1;
    int64_t extent = rank > 1 ? source.shape[rank - 2] : source.inner;
    double step = double(index / below % extent) + unit;
    return d.high - (d.high - d.low) * step / double(extent);
  }
  case Kind::Integers:
    return d.low + double(bits % uint64_t(source.bound - int64_t(d.low)));
  case Kind::Skewed:
    return std::floor(double(source.bound) * unit * unit * unit * unit);
  case Kind::Permuted:
    return d.low + double(permute(randomBits(draw.seed, operand,
                                             ~(index / uint64_t(source.inner))),
                                  index % uint64_t(source.inner),
                                  uint64_t(source.bound - int64_t(d.low))));
  case Kind::Iota:
    return double(index % source.bound);
  case Kind::Softmax:
    return softmaxAt(operand, index);
  case Kind::List:
    return double(source.values[index]);
  case Kind::Quantized:
    return quantizedAt(operand, index);
  case Kind::Scales:
    return scaleOfBlock(source.partner, index);
  }
  llvm_unreachable("every kind returns");
}

void InputGenerator::fill(size_t operand, uint64_t first, uint64_t count,
                          char *out) const {
  const Source &source = impl->sources[operand];
  for (uint64_t i = 0; i < count; ++i, out += source.type.bytes) {
    double value = impl->valueAt(operand, first + i);
    uint64_t bits;
    if (!source.type.format)
      bits = static_cast<uint64_t>(static_cast<int64_t>(value));
    else
      bits = encodeFloat(*source.type.format, value,
                         std::isfinite(value) ? FloatOverflow::Saturate
                                              : FloatOverflow::Special);
    source.type.store(bits, out);
  }
}

bool InputGenerator::mayRepeat(size_t operand) const {
  switch (impl->sources[operand].kind) {
  case Kind::Falling:
  case Kind::Permuted:
  case Kind::Iota:
  case Kind::List:
  case Kind::Scales:
    return false;
  default:
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Setup
//===----------------------------------------------------------------------===//

InputGenerator::InputGenerator(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
InputGenerator::InputGenerator(InputGenerator &&) noexcept = default;
InputGenerator::~InputGenerator() = default;

static llvm::Error failAt(const OperandSpec &operand, const llvm::Twine &why) {
  return llvm::createStringError("input '" + operand.name + "': " + why);
}

/// Links a quantized operand and its scales, and finds the block that shares
/// one.
llvm::Error InputGenerator::Impl::pair(size_t operand,
                                       const OperatorSpec &spec) {
  Source &source = sources[operand];
  const OperandSpec &own = spec.operands[operand];
  auto other = llvm::find_if(spec.operands, [&](const OperandSpec &candidate) {
    return candidate.name == source.distribution.of;
  });
  if (other == spec.operands.end() || other->isOutput)
    return failAt(own, "expected an input named '" + source.distribution.of +
                           "' to share scales with");
  source.partner = size_t(other - spec.operands.begin());
  const Source &partner = sources[source.partner];
  Kind wanted = source.kind == Kind::Quantized ? Kind::Scales : Kind::Quantized;
  if (partner.kind != wanted || partner.distribution.of != own.name)
    return failAt(own, "'" + other->name + "' does not name it in turn");
  if (partner.shape.size() != source.shape.size())
    return failAt(own, "'" + other->name + "' has another rank");
  if (source.kind != Kind::Quantized)
    return llvm::Error::success();
  if (!source.type.format)
    return failAt(own, "only floats can be quantized");
  int64_t elements = 1;
  for (auto [extent, scales] : llvm::zip_equal(source.shape, partner.shape)) {
    source.block.push_back(scales ? (extent + scales - 1) / scales : 1);
    elements *= std::max<int64_t>(source.block.back(), 1);
    if (elements > maxGroup)
      return failAt(own, "a block of more than " + llvm::Twine(maxGroup) +
                             " elements shares a scale");
  }
  return llvm::Error::success();
}

static llvm::Error setUp(Source &source, const OperandSpec &operand,
                         const OpSetEntry &entry, const Bindings &bindings) {
  auto type = ElementType::parse(resolveDType(entry, operand.dtype));
  if (!type)
    return failAt(operand, llvm::toString(type.takeError()));
  source.type = *type;
  source.kind = kindOf(source.distribution.kind);
  bool empty = false;
  for (const Expr &expr : operand.shape) {
    auto extent = expr.evaluate(bindings);
    if (!extent)
      return failAt(operand, llvm::toString(extent.takeError()));
    if (*extent < 0)
      return failAt(operand, "an extent is negative");
    empty |= *extent == 0;
    source.shape.push_back(*extent);
  }
  source.inner = source.shape.empty() ? 1 : source.shape.back();
  if (source.kind == Kind::Softmax && source.inner > maxGroup)
    return failAt(operand, "rows are too long for a softmax");
  if (source.distribution.bound) {
    auto bound = source.distribution.bound->evaluate(bindings);
    if (!bound)
      return failAt(operand, llvm::toString(bound.takeError()));
    source.bound = *bound;
    auto low = int64_t(source.distribution.low);
    int64_t least = source.kind == Kind::Permuted   ? low + source.inner
                    : source.kind == Kind::Integers ? low + 1
                                                    : 1;
    if (!empty && source.bound < least)
      return failAt(operand, "expected a bound of at least " +
                                 llvm::Twine(least) + ", found " +
                                 llvm::Twine(source.bound));
  }
  if (source.kind != Kind::List)
    return llvm::Error::success();
  auto list = bindings.find(source.distribution.of);
  if (list == bindings.end() || !list->second.isList)
    return failAt(operand, "no list '" + source.distribution.of + "'");
  source.values = list->second.elements;
  if (source.distribution.kind == "offsets") {
    int64_t sum = 0;
    source.values.insert(source.values.begin(), 0);
    for (int64_t &value : source.values)
      value = sum += value;
  }
  int64_t expected = 1;
  for (int64_t extent : source.shape)
    expected *= extent;
  if (expected != int64_t(source.values.size()))
    return failAt(operand, "expected " + llvm::Twine(source.values.size()) +
                               " elements, its shape has " +
                               llvm::Twine(expected));
  return llvm::Error::success();
}

Expected<InputGenerator> InputGenerator::create(const OperatorSpec &spec,
                                                const OpSetEntry &entry,
                                                const Bindings &bindings,
                                                const Draw &draw) {
  auto impl = std::make_unique<Impl>();
  impl->draw = draw;
  for (const OperandSpec &operand : spec.operands) {
    Source &source = impl->sources.emplace_back();
    if (operand.isOutput)
      continue;
    source.distribution = operand.distribution;
    if (draw.spec)
      if (auto own = draw.spec->inputs.find(operand.name);
          own != draw.spec->inputs.end())
        source.distribution = own->second;
    if (llvm::Error error = setUp(source, operand, entry, bindings))
      return std::move(error);
  }
  for (auto [i, source] : llvm::enumerate(impl->sources))
    if (!spec.operands[i].isOutput &&
        (source.kind == Kind::Quantized || source.kind == Kind::Scales))
      if (llvm::Error error = impl->pair(i, spec))
        return std::move(error);
  return InputGenerator(std::move(impl));
}
