//===- DeviceKernels.cpp - Drawing and comparing on the device ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewArgument.h"

#include "lathe/Measure/Kernels.h"
#include "lathe/Verify/CheckDraw.h"
#include "lathe/Verify/CompareText.h"
#include "lathe/Verify/DrawValue.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace lathe;
using namespace lathe::measure;

namespace {

enum Kernel : size_t {
#define LATHE_KERNEL(symbol, argument, function) symbol,
#include "Kernels.def"
  kernelCount
};

constexpr const char *symbols[] = {
#define LATHE_KERNEL(symbol, argument, function) #symbol,
#include "Kernels.def"
};

/// Device memory that only grows.
struct Scratch {
  DevicePointer at = 0;
  uint64_t bytes = 0;
};

} // namespace

struct DeviceKernels::Impl {
  Device &device;
  void *module = nullptr;
  std::array<void *, kernelCount> functions;
  Scratch scratch, counters, starts;

  explicit Impl(Device &device) : device(device) {
    module = device.loadModule(kernelsPtx());
    for (size_t i = 0; i < kernelCount; ++i)
      functions[i] = device.function(module, symbols[i], 0);
  }
  Impl(const Impl &) = delete;
  ~Impl() {
    try {
      for (const Scratch *memory : {&scratch, &counters, &starts})
        if (memory->at)
          device.release(memory->at);
      device.unloadModule(module);
    } catch (const DriverError &) {
      // The context is lost, and all of its memory with it.
    }
  }

  /// What is queued may still use the memory that is outgrown.
  DevicePointer reserve(Scratch &memory, uint64_t bytes, Stream stream) {
    if (memory.bytes >= bytes)
      return memory.at;
    device.synchronize(stream);
    if (memory.at)
      device.release(memory.at);
    memory = {};
    memory.at = device.allocate(bytes);
    memory.bytes = bytes;
    return memory.at;
  }

  /// One thread per item, up to as many as a GPU likes to have.
  template <typename Argument>
  void launch(Kernel kernel, Argument argument, uint64_t items, Stream stream) {
    constexpr uint32_t blockSize = 256, mostBlocks = 4096;
    if (items == 0)
      return;
    uint32_t block[3] = {blockSize, 1, 1};
    auto blocks =
        std::min<uint64_t>((items + blockSize - 1) / blockSize, mostBlocks);
    uint32_t grid[3] = {uint32_t(blocks), 1, 1};
    void *arguments[] = {&argument};
    device.launch(functions[kernel], grid, block, 0, stream, arguments);
  }

  /// Launches what adds to a counter, and waits for it.
  template <typename Argument>
  uint64_t count(Kernel kernel, Argument argument, uint64_t *Argument::*counter,
                 uint64_t items, Stream stream) {
    DevicePointer at = reserve(counters, sizeof(CompareTotals), stream);
    argument.*counter = reinterpret_cast<uint64_t *>(at);
    device.fill(at, 0, sizeof(uint64_t), stream);
    launch(kernel, argument, items, stream);
    device.synchronize(stream);
    uint64_t result = 0;
    device.copyOut(&result, at, sizeof(result));
    return result;
  }

  /// Copies a list of words to the device.
  template <typename T>
  const T *place(Scratch &memory, const std::vector<T> &list, Stream stream) {
    uint64_t bytes = list.size() * sizeof(T);
    DevicePointer at = reserve(memory, bytes, stream);
    device.synchronize(stream);
    device.copyIn(at, list.data(), bytes);
    return reinterpret_cast<const T *>(at);
  }
  double *reduceGroups(const DrawPlan &plan, size_t owner, uint64_t seed,
                       Stream stream);
  void compareBatch(CompareArgument argument, DeviceComparison &answer,
                    Stream stream);
  ElementDifference differenceAt(const CompareArgument &argument,
                                 uint64_t number);
};

DeviceKernels::DeviceKernels(Device &device)
    : impl(std::make_unique<Impl>(device)) {}
DeviceKernels::~DeviceKernels() = default;

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

double *DeviceKernels::Impl::reduceGroups(const DrawPlan &plan, size_t owner,
                                          uint64_t seed, Stream stream) {
  GroupArgument argument;
  argument.source = plan.sources[owner];
  argument.scales = plan.sources[argument.source.partner];
  argument.operand = owner;
  argument.seed = seed;
  argument.groups = drawGroups(argument.source, argument.scales);
  argument.rows = argument.source.kind == DrawKind::Quantized
                      ? blockRows(argument.source)
                      : 1;
  uint64_t bytes = argument.groups * sizeof(double);
  DevicePointer at = reserve(scratch, bytes, stream);
  device.fill(at, 0, bytes, stream);
  argument.result = reinterpret_cast<uint64_t *>(at);
  launch(lathe_reduce_groups, argument, argument.groups * argument.rows,
         stream);
  return reinterpret_cast<double *>(at);
}

void DeviceKernels::draw(const DrawPlan &plan, size_t operand, uint64_t seed,
                         const View &view, DevicePointer out, Stream stream) {
  auto refuse = [&](const std::string &why) {
    if (!why.empty())
      throw std::runtime_error("operand " + std::to_string(operand) + ": " +
                               why);
  };
  if (operand >= plan.sources.size())
    refuse("expected one of " + std::to_string(plan.sources.size()) +
           " operands that can be drawn");
  std::vector<DrawSource> sources = plan.sources;
  DrawArgument argument;
  const DrawSource &source = sources[operand];
  refuse(checkDrawSource(source));
  refuse(linkDrawSource(sources, operand));
  if (source.kind == DrawKind::Quantized || source.kind == DrawKind::Scales) {
    refuse(checkDrawSource(sources[source.partner]));
    refuse(linkDrawSource(sources, source.partner));
  }
  argument.source = source;
  if (source.partner < sources.size())
    argument.partner = sources[source.partner];
  argument.view = viewArgument(view, source.element);
  if (view.shape !=
      std::vector<int64_t>(source.shape, source.shape + source.rank))
    refuse("expected a view of the shape that is drawn");
  if (argument.view.elements == 0)
    return;
  argument.operand = operand;
  argument.seed = seed;
  argument.mode = plan.mode;
  argument.out = reinterpret_cast<char *>(out);
  if (source.kind == DrawKind::List) {
    if (operand >= plan.lists.size() ||
        plan.lists[operand].size() != argument.view.elements)
      refuse("expected a list of " + std::to_string(argument.view.elements) +
             " elements");
    argument.source.values =
        impl->place(impl->scratch, plan.lists[operand], stream);
  }
  if (drawsInGroups(source)) {
    DrawPlan linked = plan;
    linked.sources = sources;
    size_t owner = source.kind == DrawKind::Scales ? source.partner : operand;
    argument.groups = impl->reduceGroups(linked, owner, seed, stream);
  }
  impl->launch(lathe_draw_elements, argument, argument.view.elements, stream);
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

ElementDifference
DeviceKernels::Impl::differenceAt(const CompareArgument &argument,
                                  uint64_t number) {
  uint64_t row = number / argument.length;
  uint64_t view = row / argument.rows.elements;
  uint64_t offset = 0, rest = row % argument.rows.elements;
  for (uint32_t i = argument.rows.rank; i-- > 0;) {
    offset += rest % argument.rows.shape[i] * argument.rows.strides[i];
    rest /= argument.rows.shape[i];
  }
  offset += (number - row * argument.length) * argument.lengthStride;
  uint64_t expected = 0, found = 0;
  uint64_t start = 0;
  if (argument.starts)
    device.copyOut(&start,
                   reinterpret_cast<DevicePointer>(argument.starts + view),
                   sizeof(start));
  unsigned bytes = argument.element.bytes;
  auto copy = [&](uint64_t &to, const char *from, uint64_t element) {
    device.copyOut(&to, reinterpret_cast<DevicePointer>(from) + element * bytes,
                   bytes);
  };
  copy(expected, argument.expected, offset + view * argument.expectedStep);
  copy(found, argument.found, offset + start);
  return {number, elementValue(argument.element, expected),
          elementValue(argument.element, found),
          elementSteps(argument.element, expected, found)};
}

/// Adds the rows of one batch.
void DeviceKernels::Impl::compareBatch(CompareArgument argument,
                                       DeviceComparison &answer,
                                       Stream stream) {
  uint64_t segments = argument.rowCount * argument.segments;
  uint64_t groups = (argument.rowCount + sumGroup - 1) / sumGroup;
  uint64_t doubles = 2 * argument.rowCount + 2 * groups;
  DevicePointer at = reserve(
      scratch, segments * sizeof(SegmentSquares) + doubles * sizeof(double),
      stream);
  argument.squares = reinterpret_cast<SegmentSquares *>(at);
  argument.rms = reinterpret_cast<double *>(argument.squares + segments);
  argument.rowSquares = argument.rms + argument.rowCount;
  argument.sums = argument.rowSquares + argument.rowCount;
  at = reserve(counters, sizeof(CompareTotals), stream);
  argument.totals = reinterpret_cast<CompareTotals *>(at);
  CompareTotals totals;
  device.synchronize(stream); // copies know nothing of streams
  device.copyIn(at, &totals, sizeof(totals));
  launch(lathe_square_rows, argument, segments, stream);
  launch(lathe_finish_rows, argument, argument.rowCount, stream);
  launch(lathe_compare_rows, argument, segments, stream);
  launch(lathe_find_worst, argument, segments, stream);
  launch(lathe_sum_rows, argument, groups, stream);
  device.synchronize(stream);
  device.copyOut(&totals, at, sizeof(totals));
  std::vector<double> sums(2 * groups);
  device.copyOut(sums.data(), reinterpret_cast<DevicePointer>(argument.sums),
                 sums.size() * sizeof(double));
  ComparisonSums &all = answer.sums;
  all.elements += argument.rowCount * argument.length;
  all.mismatches += totals.mismatches;
  all.flips += totals.flips;
  all.cancelled += totals.cancelled;
  all.beyondEvaluator += totals.beyondEvaluator;
  for (uint64_t i = 0; i < groups; ++i) {
    all.referenceSquares += sums[2 * i];
    all.errorSquares += sums[2 * i + 1];
  }
  if (totals.mismatches && !answer.first)
    answer.first = differenceAt(argument, totals.first);
  double steps;
  std::memcpy(&steps, &totals.worstSteps, sizeof(steps));
  if (steps > (answer.worst ? answer.worst->steps : 0))
    answer.worst = differenceAt(argument, totals.worst);
}

DeviceComparison DeviceKernels::compare(const std::string &dtype,
                                        const View &view,
                                        const ElementTolerance &tolerance,
                                        DrawMode mode, DevicePointer expected,
                                        DevicePointer found, Stream stream,
                                        const Indices &begins,
                                        DevicePointer magnitudes) {
  CompareArgument argument;
  argument.element = elementOf(dtype);
  argument.tolerance = toleranceInMode(tolerance, mode);
  argument.rows =
      rowsOf(view, argument.element, argument.length, argument.lengthStride);
  argument.expected = reinterpret_cast<const char *>(expected);
  argument.found = reinterpret_cast<const char *>(found);
  argument.magnitudes = reinterpret_cast<const char *>(magnitudes);
  DeviceComparison answer;
  answer.sums.epsilon = elementEpsilon(argument.element);
  answer.sums.rowLength = int64_t(argument.length);
  uint64_t rows = argument.rows.elements;
  if (rows == 0)
    return answer;
  if (!begins.empty()) {
    std::vector<uint64_t> starts;
    for (const std::vector<int64_t> &begin : begins)
      starts.push_back(offsetOf(view, begin));
    argument.starts = impl->place(impl->starts, starts, stream);
    argument.expectedStep = spanOf(view);
    rows *= begins.size();
  }
  argument.segments =
      (argument.length + RowSquares::segment - 1) / RowSquares::segment;
  // Segments that scratch memory is for at once.
  constexpr uint64_t batch = 1 << 20;
  uint64_t step = std::max<uint64_t>(batch / argument.segments, 1);
  for (; argument.firstRow < rows; argument.firstRow += step) {
    argument.rowCount = std::min(step, rows - argument.firstRow);
    impl->compareBatch(argument, answer, stream);
  }
  answer.failure = failureOf(answer.sums, argument.tolerance);
  ElementDifference first = answer.first.value_or(ElementDifference());
  std::vector<int64_t> index;
  if (answer.first) {
    uint64_t elements = argument.rows.elements * argument.length;
    index = indexOf(view, first.index % elements);
    for (size_t i = 0; !begins.empty() && i != begins.front().size(); ++i)
      index[i] += begins[first.index / elements][i];
  }
  answer.reason = toleranceText(answer.sums, argument.tolerance, first, index);
  return answer;
}

//===----------------------------------------------------------------------===//
// Hashes and poison
//===----------------------------------------------------------------------===//

uint64_t DeviceKernels::hash(const std::string &dtype, const View &view,
                             DevicePointer at, Stream stream) {
  HashArgument argument;
  argument.view = viewArgument(view, elementOf(dtype));
  argument.at = reinterpret_cast<const char *>(at);
  return impl->count(lathe_hash_elements, argument, &HashArgument::sum,
                     argument.view.elements, stream);
}

static PoisonArgument poisonOf(DevicePointer at, uint64_t bytes,
                               uint64_t salt) {
  PoisonArgument argument;
  argument.at = reinterpret_cast<char *>(at);
  argument.bytes = bytes;
  argument.salt = salt;
  argument.view.elements = 0;
  return argument;
}

void DeviceKernels::poison(DevicePointer at, uint64_t bytes, uint64_t salt,
                           Stream stream) {
  impl->launch(lathe_fill_poison, poisonOf(at, bytes, salt), (bytes + 7) / 8,
               stream);
}

uint64_t DeviceKernels::changedBytes(DevicePointer at, uint64_t bytes,
                                     uint64_t salt, Stream stream) {
  return impl->count(lathe_count_changed, poisonOf(at, bytes, salt),
                     &PoisonArgument::count, (bytes + 7) / 8, stream);
}

uint64_t DeviceKernels::changedPadding(DevicePointer at, uint64_t bytes,
                                       uint64_t salt, const std::string &dtype,
                                       const View &view, uint64_t first,
                                       Stream stream) {
  PoisonArgument argument = poisonOf(at, bytes, salt);
  argument.view = byStride(viewArgument(view, elementOf(dtype)));
  argument.first = first;
  return impl->count(lathe_count_changed, argument, &PoisonArgument::count,
                     (bytes + 7) / 8, stream);
}

uint64_t DeviceKernels::unwrittenElements(DevicePointer at, uint64_t salt,
                                          const std::string &dtype,
                                          const View &view, uint64_t first,
                                          Stream stream) {
  PoisonArgument argument = poisonOf(at, 0, salt);
  argument.view = viewArgument(view, elementOf(dtype));
  argument.first = first;
  return impl->count(lathe_count_unwritten, argument, &PoisonArgument::count,
                     argument.view.elements, stream);
}
