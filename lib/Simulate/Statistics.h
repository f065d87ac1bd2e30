//===- Statistics.h - How memory instructions use their paths ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The n-th visits of a warp's lanes to a site are one request. Banks: 32 of 4
// bytes; a request is served in passes of 128 bytes (a warp at 4 bytes a lane,
// a half at 8, a quarter at 16; of an AMD wave twice as many), and equal words
// of a pass are read once.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_STATISTICS_H
#define LATHE_LIB_SIMULATE_STATISTICS_H

#include "Instruction.h"
#include "lathe/Simulate/Report.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace lathe::sim {

class Program;
class Warp;

class Statistics {
public:
  /// A lane's access. True: the lane is far ahead of its warp and should wait.
  bool visit(const Warp &warp, unsigned lane, const Site &site, bool shared,
             uint64_t address, uint32_t bytes);
  /// Counts the requests of a warp whose lanes all ended.
  void finish(const Warp &warp);

  struct Counts {
    bool shared = false;
    uint64_t requests = 0, sectors = 0, ideal = 0, conflicts = 0;
  };
  /// By site.
  const llvm::DenseMap<uint32_t, Counts> &all() const { return counts; }
  static std::vector<AccessStatistic>
  merge(const Program &program, llvm::ArrayRef<const Statistics *> parts);

private:
  struct Request {
    uint64_t lanes = 0;
    uint32_t bytes = 0;
    bool shared = false;
    std::array<uint64_t, 64> address;
  };
  struct Stream {
    std::array<uint64_t, 64> visits = {};
    uint64_t first = 0; ///< number of the oldest open request
    std::deque<Request> open;
  };
  void count(uint32_t site, const Request &request);

  llvm::DenseMap<const Warp *, llvm::DenseMap<uint32_t, Stream>> streams;
  llvm::DenseMap<uint32_t, Counts> counts;
};

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_STATISTICS_H
