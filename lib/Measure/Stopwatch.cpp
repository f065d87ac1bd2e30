//===- Stopwatch.cpp - One sample at a time -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stopwatch.h"

#include "DriverTable.h"

#include <algorithm>
#include <chrono>

using namespace lathe::measure;

/// The spinning thread reads the device's own timer, in ns; in PTX, so that any
/// driver assembles it for its device.
static const char timerPtx[] = R"(.version 6.4
.target sm_70
.address_size 64

.visible .entry lathe_timer_empty() {
  ret;
}

.visible .entry lathe_timer_mark() {
  ret;
}

.visible .entry lathe_timer_spin(.param .u64 lathe_timer_spin_ns) {
  .reg .u64 %limit, %first, %now, %passed;
  .reg .pred %again;
  ld.param.u64 %limit, [lathe_timer_spin_ns];
  mov.u64 %first, %globaltimer;
AGAIN:
  mov.u64 %now, %globaltimer;
  sub.u64 %passed, %now, %first;
  setp.lt.u64 %again, %passed, %limit;
  @%again bra AGAIN;
  ret;
}
)";

// What is queued behind a spin of this length was never queued in time.
static constexpr double leastSpinUs = 20, mostSpinUs = 8000;
static constexpr int attempts = 12;
static constexpr uint64_t leastCoolant = uint64_t(1) << 20;
static const uint32_t one[3] = {1, 1, 1};

double lathe::measure::hostNow() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch())
      .count();
}

static void check(const DriverTable &table, int result, const char *call) {
  if (result != cudaSuccess)
    throwDriverError(table, result, call);
}

CapturedLaunch::CapturedLaunch(Device &device, Subject &subject, unsigned set,
                               Stream stream)
    : device(device) {
  const DriverTable &table = device.driver();
  check(table, table.captureBegin(stream, captureThreadLocal),
        "cuStreamBeginCapture");
  try {
    subject.launch(set, stream);
  } catch (...) {
    // The stream is of no use while it captures.
    if (table.captureEnd(stream, &graph) == cudaSuccess && graph)
      table.graphDestroy(graph);
    throw;
  }
  check(table, table.captureEnd(stream, &graph), "cuStreamEndCapture");
  try {
    size_t nodes = 0;
    check(table, table.graphNodes(graph, nullptr, &nodes), "cuGraphGetNodes");
    std::vector<void *> handles(nodes);
    if (nodes)
      check(table, table.graphNodes(graph, handles.data(), &nodes),
            "cuGraphGetNodes");
    for (void *node : handles) {
      int type = 0;
      check(table, table.graphNodeType(node, &type), "cuGraphNodeGetType");
      count += type == nodeTypeKernel || type == nodeTypeCopy ||
               type == nodeTypeFill || type == nodeTypeGraph;
    }
    check(table, table.graphInstantiate(&executable, graph, 0),
          "cuGraphInstantiate");
    check(table, table.graphUpload(executable, stream), "cuGraphUpload");
    device.synchronize(stream);
  } catch (...) {
    if (executable)
      table.graphExecDestroy(executable);
    table.graphDestroy(graph);
    throw;
  }
}

CapturedLaunch::~CapturedLaunch() {
  device.driver().graphExecDestroy(executable);
  device.driver().graphDestroy(graph);
}

void CapturedLaunch::replay(Stream stream) {
  check(device.driver(), device.driver().graphLaunch(executable, stream),
        "cuGraphLaunch");
}

Stopwatch::Stopwatch(Device &device)
    : device(device),
      coolantBytes(std::max(2 * device.info().l2Bytes, leastCoolant)) {
  work = device.createStream();
  begin = device.createEvent(/*timing=*/true);
  end = device.createEvent(/*timing=*/true);
  module = device.loadModule(std::string_view(timerPtx, sizeof timerPtx));
  empty = device.function(module, "lathe_timer_empty", 0);
  mark = device.function(module, markName, 0);
  spinner = device.function(module, "lathe_timer_spin", 0);
  coolant = device.allocate(coolantBytes);
}

Stopwatch::~Stopwatch() {
  // In a context that is lost each of these fails, and nothing is left to do.
  const DriverTable &table = device.driver();
  table.memoryFree(coolant);
  table.moduleUnload(module);
  table.eventDestroy(begin);
  table.eventDestroy(end);
  table.streamDestroy(work);
}

void Stopwatch::cool() { device.fill(coolant, 0, coolantBytes, work); }

void Stopwatch::spin(double us) {
  uint64_t ns = uint64_t(us * 1000);
  void *arguments[] = {&ns};
  device.launch(spinner, one, one, 0, work, arguments);
}

void Stopwatch::launchEmpty() {
  device.launch(empty, one, one, 0, work, nullptr);
}

void Stopwatch::launchMark() {
  device.launch(mark, one, one, 0, work, nullptr);
}

std::optional<double> Stopwatch::byEvents(const std::function<void()> &queue,
                                          double &spinUs) {
  spinUs = std::max(spinUs, leastSpinUs);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    cool();
    spin(spinUs);
    device.record(begin, work);
    queue();
    device.record(end, work);
    bool isQueuedInTime = !device.isDone(begin);
    device.synchronize(work);
    if (isQueuedInTime)
      return device.elapsedUs(begin, end);
    if (spinUs >= mostSpinUs)
      return std::nullopt;
    spinUs = std::min(2 * spinUs, mostSpinUs);
  }
  return std::nullopt;
}

Stopwatch::HostTime Stopwatch::byHost(const std::function<void()> &queue) {
  cool();
  device.synchronize(work);
  double start = hostNow();
  queue();
  device.synchronize(work);
  double done = hostNow();
  device.synchronizeAll();
  return {done - start, hostNow() - done};
}
