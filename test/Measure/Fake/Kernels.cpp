//===- Kernels.cpp - What the kernels of a fake module do -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "lathe/Measure/HostKernels.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <unistd.h>

using namespace fake;

namespace {

/// The toy operator's operands.
struct Operands {
  uint64_t x = 0, y = 0;
  int64_t rows = 0, columns = 0, strideX = 0, strideY = 0;

  const float *rowX(int64_t row) const {
    return reinterpret_cast<const float *>(x) + row * strideX;
  }
  float *rowY(int64_t row) const {
    return reinterpret_cast<float *>(y) + row * strideY;
  }
  uint64_t bytes() const { return uint64_t(rows) * uint64_t(columns) * 4; }
  bool isAllocated(const Device &device) const {
    for (int64_t row = 0; row < rows; ++row)
      if (!device.isAllocated(uint64_t(rowX(row)), uint64_t(columns) * 4) ||
          !device.isAllocated(uint64_t(rowY(row)), uint64_t(columns) * 4))
        return false;
    return true;
  }
};

/// As a tracer numbers what runs beside all streams.
constexpr unsigned sideStream = 1000;

uint64_t argument(void **arguments, int index) {
  uint64_t value;
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}

Operands readOperands(void **arguments) {
  return {argument(arguments, 0),          argument(arguments, 1),
          int64_t(argument(arguments, 2)), int64_t(argument(arguments, 3)),
          int64_t(argument(arguments, 4)), int64_t(argument(arguments, 5))};
}

void addOne(const Operands &at) {
  for (int64_t row = 0; row < at.rows; ++row)
    for (int64_t column = 0; column < at.columns; ++column)
      at.rowY(row)[column] = at.rowX(row)[column] + 1;
}

bool isWarm(const Device &device, const Operands &at) {
  auto last = device.lastTouch.find(at.x);
  return last != device.lastTouch.end() &&
         device.touched - last->second < options().l2Bytes;
}

bool appliesTo(const Function &function, const Operands &at, bool warm) {
  double count = double(function.launches);
  return (!function.has("after") || count > function.number("after", 0)) &&
         (!function.has("until") || count <= function.number("until", 0)) &&
         (!function.has("beyond") ||
          double(at.rows) > function.number("beyond", 0)) &&
         (!function.has("below") ||
          double(at.rows) < function.number("below", 0)) &&
         (!function.has("every") ||
          std::fmod(count, function.number("every", 1)) == 0) &&
         (!function.has("warm") || warm) && (!function.has("cold") || !warm);
}

/// Another array of the device that holds the answer, or null.
const float *findAnswer(const Device &device, const Operands &at,
                        const std::vector<float> &answer) {
  uint64_t bytes = answer.size() * 4;
  for (auto [begin, size] : device.allocations)
    for (uint64_t from = begin; bytes && from + bytes <= begin + size;
         from += 4) {
      bool isOwn = from < at.y + bytes && at.y < from + bytes;
      if (!isOwn && std::memcmp(reinterpret_cast<void *>(from), answer.data(),
                                bytes) == 0)
        return reinterpret_cast<const float *>(from);
    }
  return nullptr;
}

void writeRows(const Operands &at, const std::vector<float> &dense) {
  for (int64_t row = 0; row < at.rows; ++row)
    std::copy_n(dense.data() + row * at.columns, at.columns, at.rowY(row));
}

std::vector<float> denseAnswer(const Operands &at) {
  std::vector<float> answer;
  for (int64_t row = 0; row < at.rows; ++row)
    for (int64_t column = 0; column < at.columns; ++column)
      answer.push_back(at.rowX(row)[column] + 1);
  return answer;
}

/// Writes wrong elements; the rest is right.
void misbehave(Function &function, const Operands &at, Device &device) {
  const std::string &what = function.behaviour;
  bool isEmpty = at.rows == 0 || at.columns == 0;
  if (what == "nothing" || isEmpty)
    return;
  if (what == "half") {
    Operands part = at;
    (at.rows > 1 ? part.rows : part.columns) /= 2;
    return addOne(part);
  }
  if (what == "cached") {
    auto [entry, isNew] = function.cached.try_emplace(at.x);
    if (isNew || entry->second.size() != size_t(at.rows * at.columns))
      entry->second = denseAnswer(at);
    return writeRows(at, entry->second);
  }
  if (what == "steal") {
    std::vector<float> answer = denseAnswer(at);
    if (!findAnswer(device, at, answer))
      std::fill(answer.begin(), answer.end(), 0.f);
    return writeRows(at, answer);
  }
  if (what == "coarse") {
    std::vector<float> answer = denseAnswer(at);
    auto quantum = float(function.number("quantum", 1));
    for (float &value : answer)
      if (std::fabs(value) < 1)
        value = std::rint(value / quantum) * quantum;
    return writeRows(at, answer);
  }
  float *lastRow = at.rowY(at.rows - 1), kept = lastRow[at.columns - 1];
  float firstX = at.rowX(0)[0];
  if (what == "wrong_rare") {
    std::vector<float> answer = denseAnswer(at);
    for (float &value : answer)
      value += value - 1 > float(function.number("above", 0)) ? 0.5f : 0;
    return writeRows(at, answer);
  }
  addOne(at);
  if (what == "constant")
    writeRows(at, std::vector<float>(size_t(at.rows * at.columns),
                                     float(function.number("value", 0))));
  else if (what == "wrong_rows")
    for (auto row = int64_t(function.number("from", 0));
         row < std::min(at.rows, int64_t(function.number("to", 0))); ++row)
      at.rowY(row)[at.columns / 2] += 1;
  else if (what == "skip_last")
    lastRow[at.columns - 1] = kept;
  else if (what == "modify_input")
    const_cast<float *>(at.rowX(0))[0] = firstX + 1;
  else if (what == "racy" && machine().uniform() < 0.5) {
    uint32_t bits;
    std::memcpy(&bits, lastRow, 4);
    bits ^= 1;
    std::memcpy(lastRow, &bits, 4);
  } else if (what == "out_of_bounds") {
    int by = int(function.number("by", 1));
    float *target = by > 0 ? lastRow + at.columns - 1 + by : at.rowY(0) + by;
    if (device.isAllocated(uint64_t(target), 4))
      *target = 0;
    else
      device.error = illegalAddress;
  }
}

/// Puts a kernel that takes `us` on the stream, after what starting it takes.
double enqueueKernel(const Function &function, Stream &stream, double overhead,
                     double us) {
  double end = enqueue(stream, overhead + us);
  if (machine().isTracing)
    machine().trace.push_back({function.symbol, end - us, end, stream.number});
  return end;
}

/// What ends the process or hangs the host; the others return.
void kill(const Function &function) {
  const std::string &what = function.behaviour;
  if (what == "abort" || what == "segv") {
    std::signal(what == "abort" ? SIGABRT : SIGSEGV, SIG_DFL);
    std::raise(what == "abort" ? SIGABRT : SIGSEGV);
  }
  if (what == "exit")
    _exit(int(function.number("code", 0)));
  while (what == "spin_host")
    pause();
}

void lose(Device &device) {
  device.error = unavailable;
  if (!options().lost.empty())
    std::ofstream(options().lost, std::ios::app) << device.physical << "\n";
}

int runToy(Function &function, void **arguments, Stream &stream,
           double overhead) {
  Device &device = *stream.device;
  Operands at = readOperands(arguments);
  bool warm = isWarm(device, at);
  const std::string &what = function.behaviour;
  bool applies = what != "add_one" && appliesTo(function, at, warm);

  double us = function.number("time_us", 5);
  if (function.has("gbps"))
    us += 2 * double(at.bytes()) / (function.number("gbps", 1) * 1000);
  us = warm ? us * function.number("warm_cache", 1)
            : us + function.number("cold_us", 0);
  if (applies) {
    kill(function);
    if (what == "too_big")
      return outOfResources;
    if (what == "launch_error")
      return int(function.number("code", 999));
    if (what == "slow")
      us = function.number("us", 1000);
  }
  std::normal_distribution<> normal;
  us *= 1 + options().jitter * std::fabs(normal(machine().random));
  bool isBeside = applies && what == "side_stream";
  double end =
      enqueueKernel(function, stream, overhead, isBeside ? emptyKernel : us);

  device.touched += 2 * at.bytes();
  device.lastTouch[at.x] = device.lastTouch[at.y] = device.touched;
  if (!at.isAllocated(device))
    device.error = illegalAddress;
  if (device.error)
    return success;
  if (!applies || what == "slow") {
    addOne(at);
  } else if (isBeside) {
    double late = end + function.number("us", 100);
    device.sideTail = std::max(device.sideTail, late);
    if (machine().isTracing)
      machine().trace.push_back({function.symbol, end, late, sideStream});
    device.later.emplace_back(late, [at, &device] {
      if (at.isAllocated(device))
        addOne(at);
    });
  } else if (what == "fault") {
    device.error = illegalAddress;
  } else if (what == "trap") {
    device.error = launchFailed;
  } else if (what == "lost") {
    lose(device);
  } else if (what == "hang") {
    stream.isHung = true;
  } else {
    misbehave(function, at, device);
  }
  return success;
}

/// Rows [first, first + count) of the reference's outer loop; slots as memref
/// descriptors, dims, and the loop's begin and end where there are so many.
void runReference(const Function &function, void **arguments, Stream &stream) {
  Device &device = *stream.device;
  uint64_t slots = argument(arguments, 0);
  auto first = int64_t(argument(arguments, 1)),
       count = int64_t(argument(arguments, 2));
  enqueueKernel(function, stream, launchCost, 50);
  if (!device.isAllocated(slots, 14 * 8)) {
    device.error = illegalAddress;
    return;
  }
  uint64_t slot[18] = {};
  bool hasRange = device.isAllocated(slots, sizeof slot);
  std::memcpy(slot, reinterpret_cast<void *>(slots),
              hasRange ? sizeof slot : 14 * 8);
  int64_t end = hasRange ? int64_t(slot[17]) : int64_t(slot[3]);
  first += int64_t(slot[16]);
  Operands at;
  at.strideX = int64_t(slot[5]);
  at.strideY = int64_t(slot[12]);
  at.x = slot[1] + 4 * (slot[2] + uint64_t(first * at.strideX));
  at.y = slot[8] + 4 * (slot[9] + uint64_t(first * at.strideY));
  at.rows = std::max<int64_t>(0, std::min(count, end - first));
  at.columns = int64_t(slot[4]);
  if (!at.isAllocated(device))
    device.error = illegalAddress;
  else
    addOne(at);
}

void logLaunch(const Function &function, const uint32_t grid[3],
               const Device &device) {
  if (options().log.empty())
    return;
  std::ofstream(options().log, std::ios::app)
      << function.symbol + " " + std::to_string(grid[0]) + "x" +
             std::to_string(grid[1]) + "x" + std::to_string(grid[2]) +
             " device " + std::to_string(device.physical) + " process " +
             std::to_string(getpid()) + "\n";
}

} // namespace

int fake::argumentCount(const Function &function) {
  if (function.module->isPtx)
    return function.symbol == "lathe_timer_spin"                 ? 1
           : function.symbol.compare(0, 12, "lathe_timer_") == 0 ? 0
                                                                 : -1;
  return function.behaviour == "reference" ? 3 : 6;
}

int fake::runKernel(Function &function, const uint32_t grid[3],
                    const uint32_t block[3], void **arguments, Stream &stream,
                    double overhead) {
  for (int i = 0; i < 3; ++i)
    if (grid[i] == 0 || block[i] == 0)
      return invalidValue;
  ++function.launches;
  logLaunch(function, grid, *stream.device);
  if (!function.module->isPtx) {
    if (function.behaviour != "reference")
      return runToy(function, arguments, stream, overhead);
    runReference(function, arguments, stream);
    return success;
  }
  if (function.symbol == "lathe_timer_spin") {
    // It reads the device's own timer.
    enqueueKernel(function, stream, overhead,
                  double(argument(arguments, 0)) / 1000 / options().clockScale);
    return success;
  }
  if (argumentCount(function) == 0) {
    enqueueKernel(function, stream, overhead, emptyKernel);
    return success;
  }
  enqueueKernel(function, stream, overhead, 5);
  return lathe::measure::runKernelOnHost(function.symbol, grid, block,
                                         arguments)
             ? success
             : notFound;
}
