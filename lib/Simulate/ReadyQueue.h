//===- ReadyQueue.h - Fibers that can run -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_READYQUEUE_H
#define LATHE_LIB_SIMULATE_READYQUEUE_H

#include <cstddef>
#include <utility>
#include <vector>

namespace lathe::sim {

class Thread;

/// First in, first out, or any, by a number that the caller drew.
class ReadyQueue {
public:
  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  void push(Thread *thread) {
    if (count == ring.size())
      grow();
    ring[(first + count++) & (ring.size() - 1)] = thread;
  }
  Thread *pop() {
    Thread *thread = ring[first];
    first = (first + 1) & (ring.size() - 1);
    --count;
    return thread;
  }
  Thread *pop(size_t which) {
    std::swap(ring[first], ring[(first + which) & (ring.size() - 1)]);
    return pop();
  }
  void clear() { first = count = 0; }

private:
  void grow() {
    std::vector<Thread *> larger(ring.size() * 2);
    for (size_t i = 0; i < count; ++i)
      larger[i] = ring[(first + i) & (ring.size() - 1)];
    ring = std::move(larger);
    first = 0;
  }
  std::vector<Thread *> ring = std::vector<Thread *>(1024);
  size_t first = 0, count = 0;
};

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_READYQUEUE_H
