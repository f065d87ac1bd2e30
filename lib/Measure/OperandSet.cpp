//===- OperandSet.cpp - Operands of a problem on the device ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandSet.h"

#include "SeedStream.h"

#include <algorithm>
#include <utility>

using namespace lathe;
using namespace lathe::measure;

/// Bytes on each side of an operand that nobody may touch.
static constexpr uint64_t redZoneBytes = 4096;
/// What frameworks' allocators align to.
static constexpr uint64_t usualAlignment = 256;
static constexpr uint64_t maxViewBytes = uint64_t(1) << 46;
/// CUDA_ERROR_OUT_OF_MEMORY.
static constexpr int outOfMemory = 2;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DeviceMemory::DeviceMemory(Device &device, uint64_t bytes)
    : device(&device), size(bytes) {
  try {
    at = device.allocate(std::max<uint64_t>(bytes, 1));
  } catch (const DriverError &error) {
    if (error.code != outOfMemory)
      throw;
    throw TooLittleMemory("the device has no " + std::to_string(bytes) +
                          " bytes left");
  }
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : device(other.device), at(std::exchange(other.at, 0)), size(other.size) {}

DeviceMemory::~DeviceMemory() {
  if (!at)
    return;
  try {
    device->release(at);
  } catch (const DriverError &) {
    // A context that is lost has lost its memory too.
  }
}

unsigned lathe::measure::elementBytes(const OperandPlan &operand) {
  auto format = elementFormat(operand.dtype);
  if (!format)
    throw std::runtime_error("operand '" + operand.name + "' has dtype '" +
                             operand.dtype + "', which cannot be drawn");
  return format->bytes;
}

uint64_t lathe::measure::viewElements(const View &view) {
  uint64_t elements = 1;
  for (int64_t extent : view.shape)
    if (extent < 0 ||
        __builtin_mul_overflow(elements, uint64_t(extent), &elements))
      throw std::runtime_error("a view has no count of elements");
  return elements;
}

uint64_t lathe::measure::viewBytes(const View &view, unsigned elementBytes) {
  if (viewElements(view) == 0)
    return 0;
  uint64_t last = 0;
  for (size_t i = 0; i != view.shape.size(); ++i) {
    uint64_t step;
    if (view.strides[i] < 0 ||
        __builtin_mul_overflow(uint64_t(view.shape[i] - 1),
                               uint64_t(view.strides[i]), &step) ||
        __builtin_add_overflow(last, step, &last) || last > maxViewBytes)
      throw std::runtime_error("a view is larger than 2^46 bytes");
  }
  return (last + 1) * elementBytes;
}

int lathe::measure::inputInPlace(const EntryPlan &entry, const Problem &problem,
                                 size_t operand) {
  int input = entry.operands[operand].mayAlias;
  if (input < 0)
    return -1;
  const View &own = problem.views[operand],
             &other = problem.views[size_t(input)];
  bool haveOneForm = own.shape == other.shape && own.strides == other.strides &&
                     measure::elementBytes(entry.operands[operand]) ==
                         measure::elementBytes(entry.operands[size_t(input)]);
  return haveOneForm ? input : -1;
}

bool lathe::measure::hasInPlace(const EntryPlan &entry,
                                const Problem &problem) {
  for (size_t i = 0; i != entry.operands.size(); ++i)
    if (inputInPlace(entry, problem, i) >= 0)
      return true;
  return false;
}

OperandSet::OperandSet(Device &device, DeviceKernels &kernels,
                       const EntryPlan &entry, const Problem &problem,
                       const OperandMemory &memory)
    : device(device), kernels(kernels), owner(&entry), at(&problem),
      redZones(memory.redZones) {
  for (size_t i = 0; i != entry.operands.size(); ++i) {
    Operand &operand = operands.emplace_back();
    operand.elementBytes = measure::elementBytes(entry.operands[i]);
    operand.elements = viewElements(problem.views[i]);
    if (memory.aliased)
      operand.onInput = inputInPlace(entry, problem, i);
  }
  place(memory);
}

void OperandSet::place(const OperandMemory &wanted) {
  uint64_t alignment = std::max<uint64_t>(wanted.alignment, 1);
  if (!wanted.exactAlignment)
    alignment = std::max(alignment, usualAlignment);
  uint64_t zone = wanted.redZones ? redZoneBytes : 0;
  uint64_t end = 0;
  for (size_t i = 0; i != operands.size(); ++i) {
    Operand &operand = operands[i];
    if (operand.onInput >= 0) {
      if (!wanted.redZones) // keeps the index
        memory.emplace_back(device, 0);
      continue;
    }
    uint64_t own = std::max<uint64_t>(alignment, operand.elementBytes);
    uint64_t bytes = viewBytes(at->views[i], operand.elementBytes);
    if (!wanted.redZones) {
      operand.first = wanted.exactAlignment ? own : 0;
      operand.bytes = operand.first + bytes;
      memory.emplace_back(device, operand.bytes);
      continue;
    }
    // Ranges start where the allocation's alignment lets the base be exact.
    operand.offset = (end + 2 * own - 1) / (2 * own) * (2 * own);
    operand.first = (zone + 2 * own - 1) / (2 * own) * (2 * own);
    if (wanted.exactAlignment)
      operand.first += own;
    operand.bytes = operand.first + bytes + zone;
    end = operand.offset + operand.bytes;
  }
  if (wanted.redZones)
    memory.emplace_back(device, end);
}

DevicePointer OperandSet::range(const Operand &operand) const {
  if (redZones)
    return memory.front().pointer() + operand.offset;
  return memory[size_t(&operand - operands.data())].pointer();
}

DevicePointer OperandSet::pointer(size_t operand) const {
  const Operand &own = operands[operand];
  if (own.onInput >= 0)
    return pointer(size_t(own.onInput));
  return range(own) + own.first;
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

void OperandSet::draw(const DrawPlan &draw, uint64_t seed, Stream stream) {
  plan = &draw;
  unsignedPlan.reset();
  drawSeed = seed;
  inputsKnown = false;
  SeedStream fresh(seed ^ 0x5A17);
  for (size_t i = 0; i != operands.size(); ++i) {
    Operand &operand = operands[i];
    if (operand.onInput >= 0)
      continue;
    operand.salt = fresh.next();
    // Tools that watch for reads of unwritten memory must see outputs as such.
    if (redZones)
      kernels.poison(range(operand), operand.bytes, operand.salt, stream);
  }
  salts = fresh.next();
  drawInputs(stream);
}

void OperandSet::drawInputs(Stream stream) {
  for (size_t i = 0; i != operands.size(); ++i)
    if (!owner->operands[i].isOutput && operands[i].elements != 0)
      kernels.draw(drawn(), i, drawSeed, at->views[i], pointer(i), stream);
}

void OperandSet::drawMagnitudes(Stream stream) {
  unsignedPlan = plan->magnitudes();
  drawInputs(stream);
}

void OperandSet::restoreInputs(Stream stream) {
  unsignedPlan.reset();
  drawInputs(stream);
}

void OperandSet::rememberInputs(Stream stream) {
  for (size_t i = 0; i != operands.size(); ++i)
    if (!owner->operands[i].isOutput && operands[i].elements != 0)
      operands[i].inputHash = kernels.hash(owner->operands[i].dtype,
                                           at->views[i], pointer(i), stream);
  inputsKnown = true;
}

void OperandSet::resetOutputs(Stream stream) {
  SeedStream fresh(salts);
  for (size_t i = 0; i != operands.size(); ++i) {
    Operand &operand = operands[i];
    if (!owner->operands[i].isOutput)
      continue;
    if (operand.onInput >= 0) {
      auto input = size_t(operand.onInput);
      kernels.draw(*plan, input, drawSeed, at->views[input], pointer(input),
                   stream);
      continue;
    }
    operand.salt = fresh.next();
    if (redZones)
      kernels.poison(range(operand), operand.bytes, operand.salt, stream);
  }
  salts = fresh.next();
}

//===----------------------------------------------------------------------===//
// After a launch
//===----------------------------------------------------------------------===//

/// So many elements that were written may look like poison, by chance.
static uint64_t chanceOfPoison(uint64_t elements, unsigned elementBytes) {
  return elementBytes >= 8 ? 8 : 8 + (elements >> (8 * elementBytes)) * 4;
}

std::optional<Finding> OperandSet::findDamage(Stream stream) {
  if (redZones)
    for (size_t i = 0; i != operands.size(); ++i) {
      const Operand &operand = operands[i];
      if (operand.onInput >= 0)
        continue;
      const OperandPlan &own = owner->operands[i];
      uint64_t changed = kernels.changedPadding(
          range(operand), operand.bytes, operand.salt, own.dtype, at->views[i],
          operand.first, stream);
      if (changed != 0)
        return Finding{DeviceVerdict::Fault,
                       std::to_string(changed) + " bytes outside of '" +
                           own.name + "' were overwritten"};
    }
  auto holdsOutput = [&](size_t input) {
    return std::any_of(
        operands.begin(), operands.end(),
        [&](const Operand &other) { return other.onInput == int(input); });
  };
  for (size_t i = 0; i != operands.size(); ++i) {
    const Operand &operand = operands[i];
    const OperandPlan &own = owner->operands[i];
    if (operand.elements == 0)
      continue;
    if (!own.isOutput) {
      if (inputsKnown && !holdsOutput(i) &&
          kernels.hash(own.dtype, at->views[i], pointer(i), stream) !=
              operand.inputHash)
        return Finding{DeviceVerdict::Wrong,
                       "input '" + own.name + "' was changed"};
      continue;
    }
    if (operand.onInput >= 0 || !redZones)
      continue;
    uint64_t left =
        kernels.unwrittenElements(range(operand), operand.salt, own.dtype,
                                  at->views[i], operand.first, stream);
    if (left > chanceOfPoison(operand.elements, operand.elementBytes) ||
        (left == operand.elements && left * operand.elementBytes >= 8))
      return Finding{
          DeviceVerdict::Wrong,
          std::to_string(left) + " of " + std::to_string(operand.elements) +
              " elements of output '" + own.name + "' were not written"};
  }
  return std::nullopt;
}

bool OperandSet::hasUnwritten(Stream stream) {
  for (size_t i = 0; i != operands.size(); ++i) {
    const Operand &operand = operands[i];
    if (!owner->operands[i].isOutput || operand.onInput >= 0 ||
        operand.elements == 0 || !redZones)
      continue;
    uint64_t left = kernels.unwrittenElements(
        range(operand), operand.salt, owner->operands[i].dtype, at->views[i],
        operand.first, stream);
    uint64_t chance =
        operand.elementBytes >= 4
            ? 0
            : chanceOfPoison(operand.elements, operand.elementBytes);
    if (left > chance)
      return true;
  }
  return false;
}

uint64_t OperandSet::outputHash(Stream stream) {
  uint64_t hash = 0;
  for (size_t i = 0; i != operands.size(); ++i)
    if (owner->operands[i].isOutput && operands[i].elements != 0)
      hash = SeedStream(hash ^ kernels.hash(owner->operands[i].dtype,
                                            at->views[i], pointer(i), stream))
                 .next();
  return hash;
}

std::optional<Finding>
OperandSet::compare(const std::vector<DevicePointer> &expected,
                    const RowSample &sample, Stream stream,
                    const std::vector<DevicePointer> &magnitudes) {
  size_t output = 0;
  for (size_t i = 0; i != operands.size(); ++i) {
    const OperandPlan &own = owner->operands[i];
    if (!own.isOutput)
      continue;
    DevicePointer reference = expected[output],
                  scale = magnitudes.empty() ? 0 : magnitudes[output];
    ++output;
    if (operands[i].elements == 0)
      continue;
    DeviceComparison answer = kernels.compare(
        own.dtype, sample.narrow(at->views[i]), own.tolerance, plan->mode,
        reference, pointer(i), stream, sample.begins, scale);
    if (answer.failure != ToleranceFailure::None)
      return Finding{DeviceVerdict::Wrong,
                     "output '" + own.name +
                         "': " + (sample.isWhole() ? "" : "in a sample, ") +
                         answer.reason};
  }
  return std::nullopt;
}
