//===- Inputs.cpp - Test inputs, drawn by index ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Inputs.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Verify/CheckDraw.h"
#include "lathe/Verify/DrawValue.h"
#include "lathe/Verify/Element.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;

struct InputGenerator::Impl {
  Draw draw;
  DrawSources inputs;
  /// By operand: what drawValue wants to know of groups, as far as it is known.
  mutable std::vector<llvm::DenseMap<uint64_t, double>> groups;

  double groupAt(const DrawSource &source, size_t operand,
                 uint64_t index) const;
};

static std::optional<DrawKind> kindOf(StringRef name) {
  return llvm::StringSwitch<std::optional<DrawKind>>(name)
      .Case("normal", DrawKind::Normal)
      .Case("uniform", DrawKind::Uniform)
      .Cases({"zeros", "constant"}, DrawKind::Constant)
      .Case("falling", DrawKind::Falling)
      .Case("integers", DrawKind::Integers)
      .Case("skewed", DrawKind::Skewed)
      .Case("permuted", DrawKind::Permuted)
      .Case("iota", DrawKind::Iota)
      .Case("softmax", DrawKind::Softmax)
      .Cases({"lengths", "offsets"}, DrawKind::List)
      .Case("quantized", DrawKind::Quantized)
      .Case("scales", DrawKind::Scales)
      .Default(std::nullopt);
}

StringRef lathe::drawModeName(DrawMode mode) {
  constexpr const char *names[] = {"realistic", "adversarial", "edge"};
  return names[static_cast<int>(mode)];
}

std::string Draw::name() const {
  return spec ? spec->name : drawModeName(mode).str();
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
    scalars[scalar.name] = draw.magnitudes ? std::fabs(value) : value;
  }
  return scalars;
}

double InputGenerator::Impl::groupAt(const DrawSource &source, size_t operand,
                                     uint64_t index) const {
  const DrawSource &partner = inputs.sources[source.partner];
  uint64_t group = drawGroupOf(source, partner, index);
  bool isScales = source.kind == DrawKind::Scales;
  size_t owner = isScales ? source.partner : operand;
  auto [it, isNew] = groups[owner].try_emplace(group, 0);
  if (isNew)
    it->second = isScales ? drawGroup(partner, source, owner, draw.seed, group)
                          : drawGroup(source, partner, owner, draw.seed, group);
  return it->second;
}

void InputGenerator::fill(size_t operand, uint64_t first, uint64_t count,
                          char *out) const {
  const DrawSource &source = impl->inputs.sources[operand];
  const DrawSource &partner = impl->inputs.sources[source.partner];
  bool isGrouped = drawsInGroups(source);
  for (uint64_t i = first; i < first + count; ++i) {
    double group = isGrouped ? impl->groupAt(source, operand, i) : 0;
    double value = drawValue(source, partner, operand, impl->draw.mode,
                             impl->draw.seed, i, group);
    storeElement(source.element, elementBits(source.element, value), out);
    out += source.element.bytes;
  }
}

bool InputGenerator::mayRepeat(size_t operand) const {
  switch (impl->inputs.sources[operand].kind) {
  case DrawKind::Falling:
  case DrawKind::Permuted:
  case DrawKind::Iota:
  case DrawKind::List:
  case DrawKind::Scales:
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

/// The operand that shares scales with this one.
static Expected<uint32_t> partnerOf(const OperatorSpec &spec,
                                    const OperandSpec &own,
                                    const DistributionSpec &distribution) {
  for (auto [i, candidate] : llvm::enumerate(spec.operands))
    if (!candidate.isOutput && candidate.name == distribution.of)
      return static_cast<uint32_t>(i);
  return failAt(own, "expected an input named '" + distribution.of +
                         "' to share scales with");
}

static Expected<std::vector<int64_t>>
listOf(const DrawSource &source, const OperandSpec &operand,
       const DistributionSpec &distribution, const Bindings &bindings) {
  auto list = bindings.find(distribution.of);
  if (list == bindings.end() || !list->second.isList)
    return failAt(operand, "no list '" + distribution.of + "'");
  std::vector<int64_t> values = list->second.elements;
  if (distribution.kind == "offsets") {
    int64_t sum = 0;
    values.insert(values.begin(), 0);
    for (int64_t &value : values)
      value = sum += value;
  }
  if (elementCount(source) != values.size())
    return failAt(operand, "expected " + llvm::Twine(values.size()) +
                               " elements, its shape has " +
                               llvm::Twine(elementCount(source)));
  return values;
}

static Expected<DrawSource> sourceOf(const OperandSpec &operand,
                                     const DistributionSpec &distribution,
                                     const OpSetEntry &entry,
                                     const Bindings &bindings) {
  DrawSource source;
  auto type = ElementType::parse(resolveDType(entry, operand.dtype));
  if (!type)
    return failAt(operand, llvm::toString(type.takeError()));
  source.element = type->plain();
  std::optional<DrawKind> kind = kindOf(distribution.kind);
  if (!kind)
    return failAt(operand, "unknown distribution '" + distribution.kind + "'");
  source.kind = *kind;
  source.finite = distribution.finite;
  source.huge = distribution.huge;
  source.cancels = distribution.cancels;
  source.scale = distribution.scale;
  source.offset = distribution.offset;
  source.low = distribution.low;
  source.high = distribution.high;
  source.large = distribution.large;
  source.rank = static_cast<uint32_t>(operand.shape.size());
  for (auto [i, expr] : llvm::enumerate(operand.shape)) {
    auto extent = expr.evaluate(bindings);
    if (!extent)
      return failAt(operand, llvm::toString(extent.takeError()));
    if (i < maxElementRank)
      source.shape[i] = *extent;
  }
  if (distribution.bound) {
    auto bound = distribution.bound->evaluate(bindings);
    if (!bound)
      return failAt(operand, llvm::toString(bound.takeError()));
    source.bound = *bound;
  }
  if (std::string why = checkDrawSource(source); !why.empty())
    return failAt(operand, why);
  return source;
}

Expected<DrawSources> lathe::makeDrawSources(const OperatorSpec &spec,
                                             const OpSetEntry &entry,
                                             const Bindings &bindings,
                                             const Draw &draw) {
  DrawSources result;
  result.sources.resize(spec.operands.size());
  result.lists.resize(spec.operands.size());
  for (auto [i, operand] : llvm::enumerate(spec.operands)) {
    if (operand.isOutput)
      continue;
    const DistributionSpec *distribution = &operand.distribution;
    if (draw.spec)
      if (auto own = draw.spec->inputs.find(operand.name);
          own != draw.spec->inputs.end())
        distribution = &own->second;
    auto source = sourceOf(operand, *distribution, entry, bindings);
    if (!source)
      return source.takeError();
    if (source->kind == DrawKind::Quantized ||
        source->kind == DrawKind::Scales) {
      auto partner = partnerOf(spec, operand, *distribution);
      if (!partner)
        return partner.takeError();
      source->partner = *partner;
    }
    if (source->kind == DrawKind::List) {
      auto list = listOf(*source, operand, *distribution, bindings);
      if (!list)
        return list.takeError();
      result.lists[i] = std::move(*list);
    }
    source->keepsSign = operand.keepsSign;
    source->magnitude = draw.magnitudes && takesMagnitude(*source);
    result.sources[i] = *source;
  }
  for (auto [i, operand] : llvm::enumerate(spec.operands))
    if (std::string why = linkDrawSource(result.sources, i); !why.empty())
      return failAt(operand, why);
  return result;
}

Expected<InputGenerator> InputGenerator::create(const OperatorSpec &spec,
                                                const OpSetEntry &entry,
                                                const Bindings &bindings,
                                                const Draw &draw) {
  auto inputs = makeDrawSources(spec, entry, bindings, draw);
  if (!inputs)
    return inputs.takeError();
  auto impl = std::make_unique<Impl>();
  impl->draw = draw;
  impl->inputs = std::move(*inputs);
  impl->groups.resize(spec.operands.size());
  for (auto [source, list] :
       llvm::zip_equal(impl->inputs.sources, impl->inputs.lists))
    if (!list.empty())
      source.values = list.data();
  return InputGenerator(std::move(impl));
}
