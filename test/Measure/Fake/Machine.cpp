//===- Machine.cpp - Memory, streams and the simulated clock --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

using namespace fake;

Machine &fake::machine() {
  static Machine &machine = *[] {
    auto *machine = new Machine;
    machine->random.seed(options().seed);
    for (size_t i = 0; i < options().visible.size(); ++i) {
      machine->devices.push_back(std::make_unique<Device>());
      Device &device = *machine->devices.back();
      device.ordinal = int(i);
      device.physical = options().visible[i];
      device.legacy.device = &device;
    }
    return machine;
  }();
  return machine;
}

Device *&fake::current() {
  static thread_local Device *device = nullptr;
  return device;
}

bool Device::isAllocated(uint64_t at, uint64_t bytes) const {
  auto next = allocations.upper_bound(at);
  if (next == allocations.begin())
    return false;
  auto [begin, size] = *std::prev(next);
  return at - begin <= size && bytes <= size - (at - begin);
}

bool Device::isLost() const {
  if (options().lost.empty())
    return false;
  std::ifstream file(options().lost);
  for (int ordinal; file >> ordinal;)
    if (ordinal == physical)
      return true;
  return false;
}

void Machine::advance(double us) {
  now += us;
  for (auto &device : devices) {
    auto &later = device->later;
    for (size_t i = 0; i < later.size();) {
      if (later[i].first > now) {
        ++i;
        continue;
      }
      auto effect = std::move(later[i].second);
      later.erase(later.begin() + ptrdiff_t(i));
      effect();
    }
  }
}

void Machine::waitUntil(double time) {
  double wait = time - now;
  if (wait > 0) {
    if (!options().fast) {
      using namespace std::chrono;
      auto end = steady_clock::now() + duration<double, std::micro>(wait);
      // Sleeping ends late; the rest is spun.
      if (wait > 500)
        std::this_thread::sleep_for(duration<double, std::micro>(wait - 300));
      while (steady_clock::now() < end)
        ;
    }
    advance(wait);
  }
  advance(callCost);
}

double fake::enqueue(Stream &stream, double us) {
  Device &device = *stream.device;
  double start = std::max(stream.tail, machine().now);
  if (&stream == &device.legacy) {
    for (auto &other : device.streams)
      if (other->isBlocking)
        start = std::max(start, other->tail);
  } else if (stream.isBlocking) {
    start = std::max(start, device.legacy.tail);
  }
  stream.tail = start + us;
  return stream.tail;
}
