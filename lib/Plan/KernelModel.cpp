//===- KernelModel.cpp - How long a schedule should take ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/KernelModel.h"
#include "lathe/Plan/Roofline.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace lathe;

namespace {

// Costs in instructions of one thread. They set schedules apart; they are no
// chip figures.
constexpr double instructionsPerAccess = 6, instructionsPerElement = 4,
                 cyclesPerShuffle = 25, cyclesPerMaskedDim = 12,
                 cyclesPerInstruction = 1.5, baseRegisters = 24;
/// Accesses that a loop over a row keeps in flight.
constexpr double loopDepth = 2;

// Only + * / and sqrt: exactly rounded everywhere, so plans are the same on
// every machine.
double fourth(double x) { return (x * x) * (x * x); }
double fourthRoot(double x) { return std::sqrt(std::sqrt(x)); }

/// The larger of the terms, and somewhat more where they are close.
double overlap(double a, double b, double c) {
  return fourthRoot(fourth(a) + fourth(b) + fourth(c));
}

/// Reaches 1 as demand is met: about min(1, x).
double saturate(double x) { return x / fourthRoot(1 + fourth(x)); }

/// How many blocks fit one multiprocessor, and what stops the next one.
void fillOccupancy(const KernelQuestion &q, KernelAnswer &a) {
  const Hardware &hw = *q.hardware;
  int64_t registers = a.registers;
  struct Limit {
    llvm::StringRef name;
    int64_t blocks;
  };
  int64_t shared = q.compiled ? q.compiled->sharedBytes : 0;
  auto warps = llvm::divideCeil(q.threads, std::max<int64_t>(hw.warpSize, 1));
  int64_t perWarp =
      llvm::alignTo(registers, 8) * std::max<int64_t>(hw.warpSize, 1);
  Limit limits[] = {
      {"blocks", hw.blocksPerSm},
      {"threads", q.threads > hw.maxThreadsPerBlock
                      ? 0
                      : hw.threadsPerSm / std::max<int64_t>(q.threads, 1)},
      {"registers",
       hw.registersPerSm == 0 ? INT64_MAX
       : hw.maxRegistersPerThread && registers > hw.maxRegistersPerThread
           ? 0
           : hw.registersPerSm / (perWarp * int64_t(warps))},
      {"shared memory", shared == 0 ? INT64_MAX
                        : shared > hw.sharedPerBlock
                            ? 0
                            : hw.sharedPerSm / shared}};
  a.blocksPerSm = INT64_MAX;
  for (const Limit &limit : limits)
    if (limit.blocks < a.blocksPerSm) {
      a.blocksPerSm = limit.blocks;
      a.limiter = limit.name;
    }
  a.fits = a.blocksPerSm > 0;
}

} // namespace

int64_t lathe::estimateRegisters(int64_t liveElements, int64_t vectorElements) {
  return static_cast<int64_t>(baseRegisters) + liveElements +
         (vectorElements + 1) / 2;
}

KernelAnswer lathe::predict(const KernelQuestion &q) {
  const Hardware &hw = *q.hardware;
  KernelAnswer a;
  a.registers = q.compiled && q.compiled->registers
                    ? q.compiled->registers
                    : estimateRegisters(q.liveElements, q.vectorElements);
  fillOccupancy(q, a);
  a.regime = "launch";
  a.timeUs = hw.launchFloorUs;
  if (!a.fits || q.workItems <= 0)
    return a;

  const double sms = static_cast<double>(hw.multiprocessors);
  const double work = static_cast<double>(q.workItems);
  const double slots = sms * static_cast<double>(a.blocksPerSm);
  const double resident =
      std::min<double>(a.blocksPerSm, std::ceil(work / sms));
  a.occupancy = resident * q.threads / hw.threadsPerSm;
  a.waves = work / slots;
  const double rounds = std::ceil(a.waves);
  const double lastWave = work - (rounds - 1) * slots;
  a.tail = lastWave / slots;

  // Idle lanes: those past the row's end in the last access of each thread.
  const double lanes = work * q.threads * std::max<int64_t>(q.liveElements, 1);
  if (q.usefulElements > 0 && q.passes <= 1)
    a.laneUse = std::clamp(q.usefulElements / lanes, 1.0 / 1024, 1.0);

  const double accessBytes =
      static_cast<double>(q.vectorElements * q.elementBytes);
  const double perThread =
      q.passes <= 1
          ? std::max<double>(accessBytes, q.liveElements * q.elementBytes)
          : loopDepth * accessBytes;
  const double latencyUs = hw.memoryLatencyNs * 1e-3;
  const double clockUs = hw.clockHz > 0 ? 1e6 / hw.clockHz : 0;
  const double achieved =
      (hw.achievedBandwidth > 0 ? hw.achievedBandwidth : hw.bandwidth) * 1e-6;
  const double portPerSm =
      clockUs > 0 ? hw.smBytesPerClock / clockUs : achieved / sms * 4;

  // Bytes per microsecond that `blocks` blocks can draw together.
  auto drawn = [&](double blocks, double *inFlight, double *share) {
    double active = std::min(sms, blocks);
    double each = std::ceil(blocks / sms) * q.threads * perThread * a.laneUse;
    double ceiling = std::min(achieved, active * portPerSm);
    // Little's law: what is in flight, per latency.
    double rate = ceiling * saturate(each * active / latencyUs / ceiling);
    if (inFlight)
      *inFlight = each;
    if (share)
      *share = rate / (hw.bandwidth * 1e-6);
    return rate;
  };
  const double bytes = q.bytesRead + q.bytesWritten;
  const double full = std::min(work, slots);
  double fullRate = drawn(full, &a.inFlightPerSm, &a.bandwidthFraction);
  double memory =
      rounds > 1
          ? bytes * ((rounds - 1) * slots / work) / fullRate +
                bytes * (lastWave / work) / drawn(lastWave, nullptr, nullptr)
          : bytes / fullRate;
  const double l2 =
      (hw.l2Bandwidth > 0 ? hw.l2Bandwidth : 2 * hw.bandwidth) * 1e-6;
  const double activeShare = std::min(1.0, work / sms);
  double repeated = (q.passes - 1) * q.bytesRead;
  if (q.compiled)
    repeated += static_cast<double>(q.compiled->spillBytes) * q.threads * work;
  memory += repeated / (l2 * activeShare);

  // Latency of one turn: load, reduce over the block, store; a new block also
  // has to start and fetch what all its rows share.
  double steps = llvm::Log2_64_Ceil(std::max<int64_t>(q.threads, 1));
  double reduce = steps * cyclesPerShuffle * clockUs;
  // A thread's own instructions follow one another.
  double perElement =
      instructionsPerElement + instructionsPerAccess / q.vectorElements;
  double serial = std::max<int64_t>(q.liveElements, 1) * perElement *
                  cyclesPerInstruction * clockUs;
  double turn = q.passes * latencyUs + serial + reduce +
                q.runtimeDims * cyclesPerMaskedDim * clockUs;
  double start = latencyUs / 2;
  double latency = rounds * turn + (q.persistent ? 1 : rounds) * start;

  // Two lanes' worth of FLOPs are one fused multiply-add.
  double lanesPerUs = peakFor(hw, "f32") / 2 * 1e-6 * activeShare;
  double moved = (q.passes * q.bytesRead + q.bytesWritten) / q.elementBytes;
  double instructions = moved * perElement;
  double issue = lanesPerUs > 0
                     ? (instructions + q.flops / 2) / a.laneUse / lanesPerUs
                     : 0;

  double busy = overlap(memory, latency, issue);
  a.timeUs = hw.launchFloorUs + busy;
  a.regime = busy < hw.launchFloorUs / 4            ? "launch"
             : memory >= latency && memory >= issue ? "memory"
             : issue >= latency                     ? "issue"
                                                    : "latency";
  return a;
}

void KernelQuestion::print(llvm::raw_ostream &os) const {
  os << "kernel on " << (hardware ? hardware->name : "nothing")
     << llvm::format(": read=%.6g write=%.6g flops=%.6g", bytesRead,
                     bytesWritten, flops)
     << " work=" << workItems << " threads=" << threads
     << " live=" << liveElements << " vec=" << vectorElements << "x"
     << elementBytes << "B passes=" << passes << " dims=" << runtimeDims
     << (persistent ? " persistent" : "");
  if (compiled)
    os << " registers=" << compiled->registers
       << " spill=" << compiled->spillBytes
       << " shared=" << compiled->sharedBytes;
}

void KernelAnswer::print(llvm::raw_ostream &os) const {
  if (!fits) {
    os << "does not fit: " << limiter;
    return;
  }
  os << "blocks/sm=" << blocksPerSm << " by " << limiter
     << " registers=" << registers
     << llvm::format(" occupancy=%.0f%% waves=%.2f tail=%.0f%% lanes=%.0f%% "
                     "in-flight=%.0fB/sm bandwidth=%.0f%% time=%.3fus ",
                     occupancy * 100, waves, tail * 100, laneUse * 100,
                     inFlightPerSm, bandwidthFraction * 100, timeUs)
     << regime;
}
