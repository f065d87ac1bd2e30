//===- Buckets.cpp - Cuts one dim into intervals of kernels ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/Buckets.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <map>
#include <set>

using namespace lathe;

namespace {

/// Rounds of looking inside the intervals for a value where they lose.
constexpr int maxRounds = 8;
constexpr int probesInside = 8;

class Cutter {
public:
  explicit Cutter(const BucketQuestion &q) : q(q) {}

  BucketAnswer run();

private:
  void seed();
  const std::vector<KernelTime> &timesAt(int64_t value);
  /// As fast as the best at `value`, or a tie with it.
  bool holds(size_t kernel, int64_t value);
  bool anyRuns(int64_t value);
  int64_t lastHeld(size_t kernel, int64_t held, int64_t lost);
  std::vector<BucketInterval> cover();
  void closeGaps(std::vector<BucketInterval> &intervals);
  bool refine(llvm::ArrayRef<BucketInterval> intervals);
  int64_t down(int64_t value) const { return value / q.multiple * q.multiple; }
  /// Adds the multiple at or below base + offset, if it is in range.
  void addSample(int64_t base, int64_t offset = 0) {
    int64_t value;
    if (__builtin_add_overflow(base, offset, &value) || value < 0)
      return;
    value = down(value);
    if (value >= q.lo && value <= q.hi)
      samples.insert(value);
  }

  const BucketQuestion &q;
  std::set<int64_t> samples;
  std::map<int64_t, std::vector<KernelTime>> cache;
};

} // namespace

const std::vector<KernelTime> &Cutter::timesAt(int64_t value) {
  auto [it, isNew] = cache.try_emplace(value);
  if (isNew)
    for (size_t k = 0; k < q.kernels.size(); ++k)
      it->second.push_back(q.time(k, value));
  return it->second;
}

bool Cutter::anyRuns(int64_t value) {
  return llvm::any_of(timesAt(value),
                      [](const KernelTime &t) { return std::isfinite(t.us); });
}

bool Cutter::holds(size_t kernel, int64_t value) {
  const std::vector<KernelTime> &times = timesAt(value);
  const KernelTime &best = *llvm::min_element(
      times, [](const auto &a, const auto &b) { return a.us < b.us; });
  return std::isfinite(times[kernel].us) &&
         isTie(times[kernel], best, q.tolerance);
}

/// Ends, powers of two and the middle between them, and around hot values.
void Cutter::seed() {
  addSample(q.lo, q.multiple - 1);
  addSample(q.hi);
  for (int64_t value : q.hot)
    for (int64_t offset : {-q.multiple, int64_t(0), q.multiple})
      addSample(value, offset);
  for (int bit = 0; bit < 62; ++bit) {
    addSample(int64_t(1) << bit);
    addSample(int64_t(1) << bit, (int64_t(1) << bit) / 2);
  }
}

/// Greedy: from each sample on, the kernel that holds the longest.
std::vector<BucketInterval> Cutter::cover() {
  std::vector<int64_t> values(samples.begin(), samples.end());
  std::vector<BucketInterval> intervals;
  for (size_t at = 0; at < values.size();) {
    if (!anyRuns(values[at])) {
      ++at;
      continue;
    }
    size_t bestKernel = 0, reach = 0;
    for (size_t k = 0; k < q.kernels.size(); ++k) {
      size_t end = at;
      while (end < values.size() && holds(k, values[end]))
        ++end;
      if (end - at > reach) {
        reach = end - at;
        bestKernel = k;
      }
    }
    intervals.push_back({bestKernel, values[at], values[at + reach - 1]});
    at += reach;
  }
  return intervals;
}

/// The largest value below `lost` up to which `kernel` holds, by bisection.
int64_t Cutter::lastHeld(size_t kernel, int64_t held, int64_t lost) {
  while (lost - held > q.multiple) {
    int64_t middle = down(held + (lost - held) / 2);
    if (middle <= held)
      middle = held + q.multiple;
    if (middle >= lost)
      break;
    (holds(kernel, middle) ? held : lost) = middle;
  }
  return held;
}

/// Intervals end at samples; moves the ends so that neighbours touch.
void Cutter::closeGaps(std::vector<BucketInterval> &intervals) {
  for (size_t i = 0; i < intervals.size(); ++i) {
    BucketInterval &interval = intervals[i];
    auto next = samples.upper_bound(interval.hi);
    if (next == samples.end())
      continue;
    interval.hi = lastHeld(interval.kernel, interval.hi, *next);
    bool touches = i + 1 < intervals.size() && intervals[i + 1].lo == *next;
    if (touches)
      intervals[i + 1].lo = interval.hi + q.multiple;
  }
}

/// Adds the values inside at which an interval's kernel does not hold.
bool Cutter::refine(llvm::ArrayRef<BucketInterval> intervals) {
  bool added = false;
  for (const BucketInterval &interval : intervals) {
    double lo = std::max<double>(interval.lo, 1),
           hi = std::max<double>(interval.hi, 1);
    // A geometric walk by repeated square roots: the same on every machine.
    double step = hi / lo;
    for (int halvings = 1; halvings < probesInside; halvings *= 2)
      step = std::sqrt(step);
    std::vector<int64_t> probes{interval.lo, interval.hi};
    double value = lo;
    for (int i = 1; i < probesInside; ++i) {
      value *= step;
      probes.push_back(down(static_cast<int64_t>(value)));
    }
    for (int64_t probe : probes)
      if (probe >= interval.lo && probe <= interval.hi &&
          !holds(interval.kernel, probe))
        added |= samples.insert(probe).second;
  }
  return added;
}

BucketAnswer Cutter::run() {
  BucketAnswer answer;
  if (q.kernels.empty() || q.lo > q.hi)
    return answer;
  seed();
  for (int round = 0; round < maxRounds; ++round) {
    answer.intervals = cover();
    closeGaps(answer.intervals);
    if (!refine(answer.intervals))
      break;
  }
  return answer;
}

BucketAnswer lathe::cutBuckets(const BucketQuestion &question) {
  return Cutter(question).run();
}

void BucketQuestion::print(llvm::raw_ostream &os) const {
  os << "buckets of [" << lo << ", " << hi << "] by " << multiple << " among "
     << kernels.size() << " kernels, hot";
  for (int64_t value : hot)
    os << " " << value;
}

void BucketAnswer::print(llvm::raw_ostream &os,
                         const BucketQuestion &question) const {
  for (const BucketInterval &interval : intervals)
    os << "[" << interval.lo << ", " << interval.hi << "] "
       << question.kernels[interval.kernel] << "\n";
}
