//===- LaunchKernel.cpp - Kernels of a candidate file ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchKernel.h"

#include "Kernels/ViewArgument.h"

#include <algorithm>
#include <cmath>

using namespace lathe;
using namespace lathe::measure;

static constexpr uint32_t referenceThreads = 128;
/// Streams: the rectangles of a sample are too small to fill a device each.
static constexpr size_t referenceLanes = 8;
/// What a wiped byte holds.
static constexpr unsigned char wiped = 0xA5;

namespace {
struct alignas(tensorMapAlignment) EncodedMap {
  unsigned char bytes[tensorMapBytes];
};
} // namespace

uint64_t lathe::measure::scalarBits(const std::string &dtype, double value) {
  std::optional<ElementFormat> format = elementFormat(dtype);
  if (!format)
    throw std::runtime_error("a scalar of dtype '" + dtype +
                             "' cannot be encoded");
  double limit = std::ldexp(1, 8 * format->bytes - 1);
  if (!format->isFloat &&
      (value != std::trunc(value) || value < -limit || value >= limit))
    throw std::runtime_error("scalar " + std::to_string(value) +
                             " does not fit dtype '" + dtype + "'");
  return elementBits(*format, value);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LoadedKernel::LoadedKernel(Device &device, const Candidates &plan,
                           uint32_t kernel)
    : device(device), own(&plan.kernels[kernel]), number(kernel) {
  module = device.loadModule(plan.images[own->image].bytes);
  try {
    function = device.function(module, own->symbol, own->sharedBytes);
  } catch (const DriverError &) {
    device.unloadModule(module);
    throw;
  }
}

LoadedKernel::~LoadedKernel() {
  try {
    device.unloadModule(module);
  } catch (const DriverError &) {
    // A context that is lost has lost its modules too.
  }
}

const LaunchPlan *LoadedKernel::launchAt(uint32_t problem) const {
  for (const LaunchPlan &launch : own->launches)
    if (launch.problem == problem)
      return &launch;
  return nullptr;
}

void LoadedKernel::launch(const LaunchPlan &launch, const OperandSet &operands,
                          Stream stream) {
  std::vector<uint64_t> values;
  for (const Argument &argument : launch.arguments) {
    uint64_t value = argument.value;
    if (argument.kind == Argument::Operand)
      value = operands.pointer(size_t(value));
    else if (argument.kind == Argument::Scalar)
      value =
          scalarBits(argument.dtype, operands.drawn().scalars[size_t(value)]);
    values.push_back(value);
  }
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0)
    return;
  std::vector<EncodedMap> maps(launch.maps.size());
  for (size_t i = 0; i != maps.size(); ++i) {
    const MapPlan &map = launch.maps[i];
    CheckedMap checked = checkMap(map);
    device.encodeMap(checked.shape, checked.driverType,
                     operands.pointer(map.operand), &maps[i]);
  }
  // The driver reads as many low bytes as the parameter has.
  std::vector<void *> pointers;
  for (uint64_t &value : values)
    pointers.push_back(&value);
  for (EncodedMap &map : maps)
    pointers.push_back(&map);
  device.launch(function, launch.grid, own->block, own->sharedBytes, stream,
                pointers.data());
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

References::~References() {
  for (Stream lane : lanes)
    try {
      device.destroyStream(lane);
    } catch (const DriverError &) {
      // As below.
    }
  for (auto &[number, reference] : loaded)
    try {
      device.unloadModule(reference.module);
    } catch (const DriverError &) {
      // A context that is lost has lost its modules too.
    }
}

const References::Loaded &References::load(uint32_t number) {
  auto [at, isNew] = loaded.try_emplace(number);
  if (!isNew)
    return at->second;
  const ReferencePlan &own = plan.references[number];
  try {
    if (own.usesHeap)
      device.reserveHeap(uint64_t(1) << 30);
    at->second.module = device.loadModule(plan.images[own.image].bytes);
    at->second.function = device.function(at->second.module, own.symbol, 0);
  } catch (const DriverError &error) {
    loaded.erase(at);
    throw std::runtime_error("reference of '" + own.op + "': " + error.what());
  }
  return at->second;
}

References::Outputs References::allocate(const Problem &problem,
                                         double seconds) {
  return allocate(problem, sampleRows(plan.entries[problem.entry], problem,
                                      seconds * referenceFlopsPerSecond));
}

References::Outputs References::allocate(const Problem &problem,
                                         RowSample sample) {
  Outputs outputs;
  const EntryPlan &entry = plan.entries[problem.entry];
  outputs.sample = std::move(sample);
  uint64_t parts = outputs.sample.isWhole() ? 1 : outputs.sample.rectangles();
  for (size_t i = 0; i != entry.operands.size(); ++i)
    if (entry.operands[i].isOutput) {
      uint64_t bytes = viewBytes(outputs.sample.narrow(problem.views[i]),
                                 elementBytes(entry.operands[i]));
      outputs.memory.emplace_back(device, parts * bytes);
      outputs.pointers.push_back(outputs.memory.back().pointer());
    }
  return outputs;
}

/// Of all rows, or of those of a rectangle: its outputs then seem to start so
/// far before their memory that the rectangle lies in it.
std::vector<uint64_t> References::slotsOf(const OperandSet &operands,
                                          const Outputs &outputs,
                                          size_t rectangle) const {
  const EntryPlan &entry = operands.entry();
  const Problem &problem = operands.problem();
  const ReferencePlan &own = plan.references[entry.reference];
  const RowSample &sample = outputs.sample;
  std::vector<uint64_t> slots;
  size_t output = 0;
  for (size_t i = 0; i != entry.operands.size(); ++i) {
    const View &view = problem.views[i];
    DevicePointer at = operands.pointer(i);
    if (entry.operands[i].isOutput) {
      unsigned bytes = elementBytes(entry.operands[i]);
      at = outputs.pointers[output++] +
           rectangle * viewBytes(sample.narrow(view), bytes);
      if (!sample.isWhole())
        at -= offsetOf(view, sample.begins[rectangle]) * bytes;
    }
    slots.insert(slots.end(), {at, at, 0});
    slots.insert(slots.end(), view.shape.begin(), view.shape.end());
    slots.insert(slots.end(), view.strides.begin(), view.strides.end());
  }
  slots.insert(slots.end(), problem.referenceDims.begin(),
               problem.referenceDims.end());
  for (size_t i = 0; i != own.scalarDTypes.size(); ++i)
    slots.push_back(
        scalarBits(own.scalarDTypes[i], operands.drawn().scalars[i]));
  slots.insert(slots.end(), problem.referenceOptions.begin(),
               problem.referenceOptions.end());
  for (size_t dim = 0; dim != problem.referenceRows.size(); ++dim) {
    int64_t begin = sample.isWhole() ? 0 : sample.begins[rectangle][dim];
    int64_t extent =
        sample.isWhole() ? problem.referenceRows[dim] : sample.extents[dim];
    slots.insert(slots.end(), {uint64_t(begin), uint64_t(begin + extent)});
  }
  return slots;
}

void References::compute(const OperandSet &operands, Outputs &outputs,
                         Stream stream) {
  const EntryPlan &entry = operands.entry();
  const ReferencePlan &own = plan.references[entry.reference];
  const Loaded &reference = load(entry.reference);
  RowSample &sample = outputs.sample;
  sample.draw(operands.seed());
  std::vector<uint64_t> slots = slotsOf(operands, outputs, 0);
  uint64_t size = slots.size() * sizeof(uint64_t);
  for (size_t i = 1; i < sample.begins.size(); ++i) {
    std::vector<uint64_t> more = slotsOf(operands, outputs, i);
    slots.insert(slots.end(), more.begin(), more.end());
  }
  uint64_t rows = 1;
  for (int64_t extent : sample.isWhole() ? sample.rows : sample.extents)
    if (extent < 0 || __builtin_mul_overflow(rows, uint64_t(extent), &rows))
      throw std::runtime_error("the reference has no count of rows");
  uint64_t blocks = (rows + referenceThreads - 1) / referenceThreads;
  if (blocks > INT32_MAX)
    throw std::runtime_error("the reference has too many rows: " +
                             std::to_string(rows));
  if (blocks == 0)
    return;
  try {
    while (!sample.isWhole() && lanes.size() != referenceLanes)
      lanes.push_back(device.createStream());
    for (const DeviceMemory &memory : outputs.memory)
      device.fill(memory.pointer(), wiped, memory.bytes(), stream);
    DeviceMemory onDevice(device, slots.size() * sizeof(uint64_t));
    device.copyIn(onDevice.pointer(), slots.data(), onDevice.bytes());
    // Streams do not wait for each other.
    if (!sample.isWhole())
      device.synchronize(stream);
    uint64_t first = 0;
    const uint32_t grid[3] = {uint32_t(blocks), 1, 1};
    const uint32_t block[3] = {referenceThreads, 1, 1};
    for (uint64_t i = 0; i * size != onDevice.bytes(); ++i) {
      DevicePointer at = onDevice.pointer() + i * size;
      void *arguments[] = {&at, &first, &rows};
      device.launch(reference.function, grid, block, 0,
                    sample.isWhole() ? stream : lanes[i % lanes.size()],
                    arguments);
    }
    device.synchronize(stream);
    for (Stream lane : lanes)
      device.synchronize(lane);
  } catch (const DriverError &error) {
    throw std::runtime_error("reference of '" + own.op + "': " + error.what());
  }
}

std::optional<Finding> References::compare(OperandSet &drawn, OperandSet &found,
                                           const Outputs &expected,
                                           Stream stream) {
  auto finding = found.compare(expected.pointers, expected.sample, stream);
  const auto &operands = found.entry().operands;
  if (!finding ||
      std::none_of(operands.begin(), operands.end(), [](const auto &operand) {
        return operand.tolerance.cancellation > 0;
      }))
    return finding;
  Outputs magnitudes;
  try {
    magnitudes = allocate(drawn.problem(), expected.sample);
  } catch (const TooLittleMemory &) {
    return finding;
  }
  drawn.drawMagnitudes(stream);
  compute(drawn, magnitudes, stream);
  drawn.restoreInputs(stream);
  finding = found.compare(expected.pointers, expected.sample, stream,
                          magnitudes.pointers);
  wipe(magnitudes, stream);
  return finding;
}

void References::wipe(const Outputs &outputs, Stream stream) {
  for (const DeviceMemory &memory : outputs.memory)
    if (memory.bytes() != 0)
      device.fill(memory.pointer(), wiped, memory.bytes(), stream);
}
