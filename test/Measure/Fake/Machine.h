//===- Machine.h - The state of the emulated GPUs ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work has its effect when it is queued and its time on a simulated clock; only
// waiting takes real time.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_MEASURE_FAKE_MACHINE_H
#define LATHE_TEST_MEASURE_FAKE_MACHINE_H

#include "Options.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace fake {

/// CUresult values.
enum Result : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  unavailable = 46,
  invalidDevice = 101,
  invalidImage = 200,
  invalidContext = 201,
  noBinary = 209,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  outOfResources = 701,
  launchFailed = 719,
  notSupported = 801,
  captureUnsupported = 900,
  captureInvalidated = 901,
};

// µs on the stream; README.md, "Time".
constexpr double eventCost = 1.28, launchCost = 1.11, graphCost = 1.56,
                 emptyKernel = 1.0, callCost = 1.0, bytesPerUs = 4e6;

struct Device;

struct Node {
  struct Function *function = nullptr; ///< null: a fill
  std::vector<uint64_t> arguments;
  uint64_t at = 0, bytes = 0;
  unsigned char value = 0;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
};

struct Stream {
  Device *device = nullptr;
  bool isBlocking = true, isHung = false;
  unsigned number = 0;
  double tail = 0;
  std::unique_ptr<Graph> capture;
  bool isInvalid = false; ///< the capture
};

struct Event {
  bool isRecorded = false, isHung = false, isTimed = true;
  double time = 0;
};

/// A line of a module.
struct Function {
  struct Module *module = nullptr;
  std::string symbol, behaviour = "add_one";
  std::map<std::string, double> numbers;
  uint64_t launches = 0;
  std::map<uint64_t, std::vector<float>> cached;

  double number(const char *key, double otherwise) const {
    auto found = numbers.find(key);
    return found == numbers.end() ? otherwise : found->second;
  }
  bool has(const char *key) const { return numbers.count(key); }
};

struct Module {
  Device *device = nullptr;
  bool isPtx = false;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

struct Device {
  int ordinal = 0, physical = 0;
  int error = success;                      ///< of the context, for good
  std::map<uint64_t, uint64_t> allocations; ///< begin to bytes
  uint64_t used = 0;
  Stream legacy;
  std::vector<std::unique_ptr<Stream>> streams;
  uint64_t touched = 0;                   ///< bytes that went through the cache
  std::map<uint64_t, uint64_t> lastTouch; ///< of an address
  std::vector<std::pair<double, std::function<void()>>> later;
  double sideTail = 0; ///< end of what runs beside all streams

  bool isAllocated(uint64_t at, uint64_t bytes) const;
  /// If an earlier process lost it.
  bool isLost() const;
};

/// What a tracer of kernels sees.
struct TraceRecord {
  std::string kernel;
  double begin = 0, end = 0;
  unsigned stream = 0;
};

struct Machine {
  std::recursive_mutex mutex;
  bool isInitialized = false;
  double now = 0; ///< µs; of the host
  std::vector<std::unique_ptr<Device>> devices;
  std::mt19937_64 random;
  bool isTracing = false;
  std::vector<TraceRecord> trace;

  double uniform() { return std::uniform_real_distribution<>()(random); }
  /// Passes time on the host, with what happens meanwhile.
  void advance(double us);
  void waitUntil(double time);
};
Machine &machine();

/// The device of the thread's context, or null.
Device *&current();

/// Starts after what is before it on the stream; returns its end.
double enqueue(Stream &stream, double us);

/// Runs it with its effects; the answer is what cuLaunchKernel returns.
int runKernel(Function &function, const uint32_t grid[3],
              const uint32_t block[3], void **arguments, Stream &stream,
              double overhead);
/// How many arguments it reads, or -1 for kernels of lib/Measure.
int argumentCount(const Function &function);

/// Null with an error code in `result`.
std::unique_ptr<Module> parseModule(const char *image, Device &device,
                                    int &result, std::string &log);

} // namespace fake

#endif // LATHE_TEST_MEASURE_FAKE_MACHINE_H
