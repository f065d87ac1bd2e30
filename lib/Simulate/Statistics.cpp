//===- Statistics.cpp - How memory instructions use their paths -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"

#include "Machine.h"
#include "Program.h"

#include "llvm/ADT/SmallSet.h"

#include <map>

using namespace lathe::sim;

// A lane that runs ahead keeps requests open: it is stopped at the first bound,
// and at the second the oldest request is counted as it is.
static constexpr size_t farAhead = 256, tooFarAhead = 4096;

bool Statistics::visit(const Warp &warp, unsigned lane, const Site &site,
                       bool shared, uint64_t address, uint32_t bytes) {
  Stream &stream = streams[&warp][site.id];
  uint64_t visit = std::max(stream.visits[lane], stream.first);
  stream.visits[lane] = visit + 1;
  while (stream.first + stream.open.size() <= visit)
    stream.open.emplace_back();
  Request &request = stream.open[visit - stream.first];
  request.lanes |= uint64_t(1) << lane;
  request.address[lane] = address;
  request.bytes = std::max(request.bytes, bytes);
  request.shared = shared;
  uint64_t expected = warp.full() & ~warp.exited;
  while (!stream.open.empty() &&
         ((stream.open.front().lanes & expected) == expected ||
          stream.open.size() > tooFarAhead)) {
    count(site.id, stream.open.front());
    stream.open.pop_front();
    ++stream.first;
  }
  return stream.open.size() > farAhead;
}

void Statistics::finish(const Warp &warp) {
  auto it = streams.find(&warp);
  if (it == streams.end())
    return;
  for (auto &[site, stream] : it->second)
    for (const Request &request : stream.open)
      count(site, request);
  streams.erase(it);
}

void Statistics::count(uint32_t site, const Request &request) {
  if (!request.lanes)
    return;
  Counts &counts = this->counts[site];
  counts.shared = request.shared;
  ++counts.requests;
  if (!request.shared) {
    llvm::SmallVector<uint64_t, 128> sectors, bytes;
    uint64_t touched = 0;
    for (unsigned lane = 0; lane < 64; ++lane) {
      if (!(request.lanes >> lane & 1))
        continue;
      uint64_t address = request.address[lane];
      for (uint64_t s = address / 32; s <= (address + request.bytes - 1) / 32;
           ++s)
        sectors.push_back(s);
      bytes.push_back(address);
    }
    llvm::sort(sectors);
    sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
    llvm::sort(bytes);
    uint64_t end = 0;
    for (uint64_t address : bytes) {
      uint64_t begin = std::max(address, end);
      end = std::max(end, address + request.bytes);
      touched += end - std::min(begin, end);
    }
    counts.sectors += sectors.size();
    counts.ideal += (touched + 31) / 32;
    return;
  }
  unsigned words = std::max<unsigned>(1, (request.bytes + 3) / 4);
  unsigned lanesPerPass = std::max(1u, 32 / words);
  for (unsigned first = 0; first < 64; first += lanesPerPass) {
    std::array<llvm::SmallSet<uint64_t, 4>, 32> banks;
    size_t passes = 0;
    for (unsigned lane = first; lane < first + lanesPerPass; ++lane) {
      if (!(request.lanes >> lane & 1))
        continue;
      for (unsigned i = 0; i < words; ++i) {
        uint64_t word = request.address[lane] / 4 + i;
        banks[word % 32].insert(word);
        passes = std::max(passes, banks[word % 32].size());
      }
    }
    counts.conflicts += passes ? passes - 1 : 0;
  }
}

std::vector<AccessStatistic>
Statistics::merge(const Program &program,
                  llvm::ArrayRef<const Statistics *> parts) {
  std::map<uint32_t, Counts> sums;
  for (const Statistics *part : parts)
    for (const auto &[site, counts] : part->all()) {
      Counts &sum = sums[site];
      sum.shared = counts.shared;
      sum.requests += counts.requests;
      sum.sectors += counts.sectors;
      sum.ideal += counts.ideal;
      sum.conflicts += counts.conflicts;
    }
  std::vector<AccessStatistic> all;
  for (const auto &[id, sum] : sums) {
    const Site &site = program.sites[id];
    all.push_back({site.text.empty() ? site.name : site.text, site.location,
                   sum.shared, sum.requests, sum.sectors, sum.ideal,
                   sum.conflicts});
  }
  return all;
}
