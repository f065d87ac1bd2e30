//===- Deadlock.cpp - Who waits where -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"
#include "Nvidia/Mbarrier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <tuple>

using namespace lathe::sim;

std::string Machine::State::describeWaiters(Waiters &waiters) {
  using Key = std::pair<std::string, uint64_t>;
  std::map<Key, unsigned> counts;
  unsigned total = 0;
  for (auto &cluster : live)
    for (Thread &thread : cluster->threads) {
      const Thread::State &fiber = *thread.state;
      if (fiber.blocked)
        ++counts[{fiber.reason, fiber.address}];
      else if (fiber.yielded)
        ++counts[{"poll at '" + shortText(*fiber.site) + "'", 0}];
      else
        continue;
      ++total;
      if (!waiters.first)
        waiters.first = &thread;
    }
  std::vector<std::pair<Key, unsigned>> sorted(counts.begin(), counts.end());
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  std::string message = (llvm::Twine(total) +
                         (total == 1 ? " thread waits: " : " threads wait: "))
                            .str();
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i)
      message += ", ";
    if (i == 8) {
      message += "...";
      break;
    }
    const auto &[reason, address] = sorted[i].first;
    message += (llvm::Twine(sorted[i].second) + " x " + reason).str();
    if (!address)
      continue;
    message += " " + describe(address);
    if (std::string lacking = describeMbarrier(machine, address);
        !lacking.empty())
      message += " (" + lacking + ")";
    waiters.lackBytes |= lacksBytesAlone(machine, address);
  }
  return message;
}

void Machine::State::deadlock() {
  Waiters waiters;
  std::string message = describeWaiters(waiters);
  const Site &site = *waiters.first->state->site;
  if (waiters.lackBytes)
    faults.add(FaultKind::TransactionMismatch, waiters.first, site,
               "all arrived at an mbarrier, but not all bytes: " + message);
  faults.add(FaultKind::Deadlock, waiters.first, site, message);
  running = waiters.first;
  stop = Stop::Aborted;
}
