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

// Cycles, fitted to 5200 timings of row kernels at 111 shapes on an H200 (cold
// L2, lines to write back in it): mean error 7 %, the choice is within 3 % of
// the best measured one on average, the best of the first eight within 0.5 %.
// They set schedules apart; chip figures come from Hardware.
constexpr double cyclesPerElement = 44, cyclesPerAccess = 32,
                 cyclesPerShuffle = 52, cyclesPerBarrier = 190,
                 cyclesPerWarp = 55, cyclesPerMaskedDim = 12,
                 cyclesToStartBlock = 115, cyclesBetweenBlocks = 143;
/// A warp's request for more than this per lane is served in parts, for which
/// the thread waits.
constexpr double narrowBytes = 8, cyclesPerWideByte = 20;
/// Blocks that may be partial test what is theirs before they load it.
constexpr double cyclesOfPartialBlocks = 828;
/// A loop over work items waits for its own loads each turn, and shares work
/// out before it knows which blocks are slow.
constexpr double cyclesPerTurn = 250, cyclesOfPrologue = 600,
                 staticShare = 1.05;
/// Part of a block's life that its successor does not hide.
constexpr double exposedLife = 0.78;
/// What all multiprocessors together draw, of what a long copy does.
constexpr double memoryShare = 1.035;
/// Accesses that a loop over a row keeps in flight.
constexpr double loopDepth = 2;
constexpr double baseRegisters = 24;

/// The order of the norm of what runs at once is 2^2.
constexpr unsigned squarings = 2;

/// The summary of a matrix product's answer.
KernelAnswer summarize(const GemmQuestion &q) {
  GemmAnswer gemm = predict(q);
  KernelAnswer a;
  a.fits = gemm.fits;
  a.registers = gemm.registers;
  a.blocksPerSm = gemm.blocksPerSm;
  a.limiter = gemm.limiter;
  a.timeUs = gemm.timeUs;
  a.regime = gemm.regime;
  a.waves = gemm.waves;
  a.tail = gemm.tail;
  a.laneUse = gemm.useful;
  const Hardware &hw = *q.hardware;
  double resident = std::min<double>(
      gemm.blocksPerSm,
      std::ceil(gemm.tiles / double(std::max<int64_t>(hw.multiprocessors, 1))));
  a.occupancy =
      resident * q.threads() / double(std::max<int64_t>(hw.threadsPerSm, 1));
  if (gemm.timeUs > 0)
    a.bandwidthFraction =
        gemm.memoryBytes / gemm.timeUs / (hw.bandwidth * 1e-6);
  return a;
}

} // namespace

int64_t lathe::estimateRegisters(int64_t liveElements) {
  return static_cast<int64_t>(baseRegisters) + liveElements;
}

KernelAnswer lathe::predict(const KernelQuestion &q) {
  if (q.gemm)
    return summarize(*q.gemm);
  const Hardware &hw = *q.hardware;
  KernelAnswer a;
  a.registers = q.compiled && q.compiled->registers ? q.compiled->registers
                : q.expectedRegisters ? q.expectedRegisters
                                      : estimateRegisters(q.liveElements);
  Occupancy occupancy = occupancyOf(hw, q.threads, a.registers,
                                    q.compiled ? q.compiled->sharedBytes : 0);
  a.blocksPerSm = occupancy.blocksPerSm;
  a.limiter = occupancy.limiter;
  a.fits = a.blocksPerSm > 0;
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
  a.tail = (work - (std::ceil(a.waves) - 1) * slots) / slots;

  // What one thread handles: what it keeps, or more in a loop over the row.
  const double vector =
      static_cast<double>(std::max<int64_t>(q.vectorElements, 1));
  const double live = std::ceil(q.liveElements / vector) * vector;
  const double mine = std::max(live, q.usefulElements / (work * q.threads));
  // Idle lanes: those past the row's end in the last access of each thread.
  if (q.usefulElements > 0)
    a.laneUse = std::clamp(q.usefulElements / (work * q.threads * mine),
                           1.0 / 1024, 1.0);

  // One block's life: start, load, compute, combine, store.
  const double cycle = 1e6 / (hw.clockHz > 0 ? hw.clockHz : 1.5e9);
  const double turns =
      q.passes <= 1 ? 1 : std::max(1.0, mine / live / loopDepth);
  const double latency = q.passes * turns * hw.memoryLatencyNs * 1e-3;
  const double warps =
      std::ceil(double(q.threads) / std::max<int64_t>(hw.warpSize, 1));
  double cycles =
      q.passes * mine * (cyclesPerElement + cyclesPerAccess / vector) +
      llvm::Log2_64_Ceil(std::max<int64_t>(hw.warpSize, 2)) * cyclesPerShuffle +
      q.runtimeDims * cyclesPerMaskedDim +
      std::max(0.0, vector * q.elementBytes - narrowBytes) * cyclesPerWideByte;
  if (warps > 1)
    cycles += cyclesPerBarrier + warps * cyclesPerWarp;
  const double life = latency + cycles * cycle;
  const double start = cyclesToStartBlock * cycle;

  // What the whole grid must move, start and, where blocks queue, wait for.
  const double achieved =
      (hw.achievedBandwidth > 0 ? hw.achievedBandwidth : hw.bandwidth) * 1e-6 *
      memoryShare;
  const double port = std::min(sms, work) * hw.smBytesPerClock / cycle;
  const double l2 =
      (hw.l2Bandwidth > 0 ? hw.l2Bandwidth : 2 * hw.bandwidth) * 1e-6;
  const double bytes = q.bytesRead + q.bytesWritten;
  double repeated = (q.passes - 1) * q.bytesRead;
  if (q.compiled)
    repeated += static_cast<double>(q.compiled->spillBytes) * q.threads * work;
  const double memory =
      bytes / achieved + repeated / (l2 * std::min(1.0, work / sms));
  const double ports = bytes / port;
  const bool queued = work > slots;
  const bool loops = q.persistent && queued;
  const double starts = loops ? 0 : work / sms * cyclesBetweenBlocks * cycle;
  const double waiting =
      queued ? a.waves * (life + (loops ? cyclesPerTurn * cycle : start)) : 0;
  // Two lanes' worth of FLOPs are one fused multiply-add.
  const double lanesPerUs =
      peakFor(hw, "f32") / 2 * 1e-6 * std::min(1.0, work / sms);
  const double issue =
      lanesPerUs > 0 ? q.flops / 2 / a.laneUse / lanesPerUs : 0;

  double busy = overlapped({memory, ports, starts, waiting, issue}, squarings);
  if (loops)
    busy *= staticShare;
  const double alone = life + start +
                       (q.persistent ? cyclesOfPrologue * cycle : 0) +
                       (q.partialBlocks ? cyclesOfPartialBlocks * cycle : 0) +
                       (queued ? exposedLife * (life + start) : 0);
  a.timeUs = hw.launchFloorUs + alone + busy;
  a.inFlightPerSm = resident * q.threads * a.laneUse * q.elementBytes *
                    (mine > live ? loopDepth * vector : live);
  a.bandwidthFraction = bytes / (alone + busy) / (hw.bandwidth * 1e-6);
  const double queue = std::max(starts, waiting);
  a.regime = busy + alone < hw.launchFloorUs / 4                 ? "launch"
             : alone >= busy || queue >= std::max(memory, issue) ? "latency"
             : issue > memory                                    ? "issue"
                                                                 : "memory";
  return a;
}

void KernelQuestion::print(llvm::raw_ostream &os) const {
  if (gemm)
    return gemm->print(os);
  os << "kernel on " << (hardware ? hardware->name : "nothing")
     << llvm::format(": read=%.6g write=%.6g flops=%.6g", bytesRead,
                     bytesWritten, flops)
     << " work=" << workItems << " threads=" << threads
     << " live=" << liveElements << " vec=" << vectorElements << "x"
     << elementBytes << "B passes=" << passes << " dims=" << runtimeDims
     << (persistent ? " persistent" : "") << (partialBlocks ? " partial" : "");
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
