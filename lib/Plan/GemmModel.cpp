//===- GemmModel.cpp - How long a matrix product should take --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/GemmModel.h"
#include "lathe/Plan/Roofline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace lathe;

namespace {

// Fitted to 30000 timings of bf16 products on an H200, up to 500 schedules at
// the 172 shapes of examples/models with cold L2, so that the best of the first
// eight is 1.6 % slower than the best of all on average; and to 23 of bf16 and
// fp8 with warm L2 (4096^3 to 8192^3, tiles of 128 x 128 to 256 x 128), within
// 3 %.
/// Of the steps' parts, which run at once (2^3: an eighth-order norm).
constexpr unsigned stepSquarings = 3;
/// What wgmma and TMA draw of shared memory's and the port's published rate.
constexpr double sharedCost = 0.962, portCost = 1.068;
/// Of a byte that the copy engine makes up, in those that it copies.
constexpr double outsideCost = 4.2;
/// Start of a block beside the latency of its first loads.
constexpr double startUs = 0.596;
/// Through shared memory by TMA: to begin, and bytes per clock. Straight from
/// registers: elements per clock, of which each lane has two in a row.
constexpr double storeStartUs = 0.264, staged = 44, direct = 2.7;
/// What the next group of warps waits for, of those that take turns.
constexpr double turnUs = 0.4;

/// What mma.sync reaches of wgmma's rate where both are there.
constexpr double warpShare = 0.4;
/// Part of L2 that serves repeated reads, and what a long run of loads draws of
/// the achieved bandwidth.
constexpr double l2Share = 0.0744, memoryShare = 0.911;
/// Part of L2 that holds lines of others, to be written back before they give
/// way: what a timer leaves there, and the operators before in a model.
constexpr double dirtyShare = 0.05;
/// Bytes in a row of memory below which pages open for too little.
constexpr double shortRun = 2.2;
/// To place two blocks where they can reach each other, and each doubling; what
/// is left of the multiprocessors for such pairs.
constexpr double clusterUs = 0.73, pairedShare = 0.972;

// Not fitted.
/// Warp instructions per access of a copy through registers, and how many a
/// multiprocessor issues per clock.
constexpr double instructionsPerCopy = 8, issuesPerClock = 4;
/// Elements per clock that are read as a sum lies in registers.
constexpr double directReads = 7;
/// Part of the lanes' own work that the products do not hide.
constexpr double exposedLanes = 0.5;
/// Registers beside the accumulators.
constexpr int64_t baseRegisters = 40;
/// Rows of a wgmma, and of the warps' fragments.
constexpr int64_t groupRows = 64, warpRows = 16, warpsOfGroup = 4;

double ceilDiv(int64_t a, int64_t b) {
  return a <= 0 ? 0 : double((a - 1) / std::max<int64_t>(b, 1) + 1);
}

double roundUp(double count, int64_t unit) {
  double of = double(std::max<int64_t>(unit, 1));
  return std::ceil(count / of) * of;
}

/// The model at work: what depends on the question alone.
struct Gemm {
  const GemmQuestion &q;
  const Hardware &hw;
  double operandBytes; ///< of one element
  double cycleUs, sms;
  double latencyUs, portBytesPerUs;
  double tilesM, tilesN, steps;

  explicit Gemm(const GemmQuestion &question);

  double peakPerUs() const;
  double l2BytesPerUs() const;
  double blocksOfCluster() const;
  double slotBytes() const;
  double loadedBytes() const;
  double sharedReads() const;
  double matrixRows() const;
  void fillStep(GemmAnswer &a, double blocks) const;
  void fillTile(GemmAnswer &a) const;
  void fillMemory(GemmAnswer &a) const;
  int64_t sharedBytes() const;
  double betweenTilesUs() const;
  double roundUs(GemmAnswer &a, double blocks) const;
  void run(GemmAnswer &a) const;
};

Gemm::Gemm(const GemmQuestion &question)
    : q(question), hw(*question.hardware),
      operandBytes(dtypeBits(question.dtype) / 8.0),
      cycleUs(1e6 / (hw.clockHz > 0 ? hw.clockHz : 1.5e9)),
      sms(double(std::max<int64_t>(hw.multiprocessors, 1))),
      latencyUs(hw.memoryLatencyNs * 1e-3),
      portBytesPerUs(hw.smBytesPerClock / cycleUs / portCost),
      tilesM(roundUp(ceilDiv(q.m, q.tileM), q.clusterM)),
      tilesN(roundUp(ceilDiv(q.n, q.tileN), q.clusterN)),
      steps(std::ceil(ceilDiv(q.k, q.tileK) / std::max<int64_t>(q.split, 1))) {}

double Gemm::peakPerUs() const {
  double peak = peakFor(hw, q.dtype);
  return (peak > 0 ? peak : peakFor(hw, "f32")) * 1e-6;
}

double Gemm::l2BytesPerUs() const {
  return (hw.l2Bandwidth > 0 ? hw.l2Bandwidth : 2 * hw.bandwidth) * 1e-6;
}

double Gemm::blocksOfCluster() const {
  return double(std::max<int64_t>(q.split, 1)) *
         double(std::max<int64_t>(q.clusterM, 1)) *
         double(std::max<int64_t>(q.clusterN, 1));
}

/// Bytes of A and B that a step has room for.
double Gemm::slotBytes() const {
  return (double(q.tileM) + double(q.tileN)) * q.tileK * operandBytes;
}

/// Bytes of A and B that a step brings: nothing from beyond their rows.
double Gemm::loadedBytes() const {
  return (double(std::min(q.tileM, q.m)) + double(std::min(q.tileN, q.n))) *
         q.tileK * operandBytes;
}

double Gemm::matrixRows() const {
  return double(llvm::alignTo(q.tileM, q.warpgroups ? groupRows : warpRows));
}

/// Bytes that a step's products read. A wgmma reads 64 rows of A and its
/// columns of B; the warps of mma.sync each their rows and columns, in the
/// arrangement that reads least.
double Gemm::sharedReads() const {
  double rows = 0;
  if (q.warpgroups) {
    double high = matrixRows() / groupRows;
    double groups = double(q.warpsOfTile()) / warpsOfGroup;
    double beside = std::max(1.0, groups / high);
    rows = high * (groupRows * beside + q.tileN);
  } else {
    for (int64_t down = 1; down <= q.warps; ++down)
      if (q.warps % down == 0) {
        double reads =
            double(q.tileM) * (q.warps / down) + double(q.tileN) * down;
        rows = rows == 0 ? reads : std::min(rows, reads);
      }
  }
  return rows * q.tileK * operandBytes;
}

void Gemm::fillStep(GemmAnswer &a, double blocks) const {
  bool is8Bit = operandBytes <= 1;
  double share = is8Bit ? hw.matrixShare8 : hw.matrixShare;
  bool hasGroups = llvm::is_contained(hw.features, "wgmma");
  if (hasGroups && !q.warpgroups)
    share *= warpShare;
  double loaded = loadedBytes();
  a.matrixUs = 2 * matrixRows() * q.tileN * q.tileK * q.mmaCost /
               (peakPerUs() * share / sms);
  if (q.copies != OperandCopies::None)
    a.sharedUs = (sharedReads() + loaded) * sharedCost /
                 (hw.sharedBytesPerClock / cycleUs);
  // Spilled registers are taken to come and go once a step.
  double spilled =
      q.compiled ? double(q.compiled->spillBytes) * q.threads() : 0;
  // The copy engine fills what lies outside with zeros, slower than it copies.
  double outside = q.copies == OperandCopies::Tma ? slotBytes() - loaded : 0;
  a.portUs = (loaded + spilled + outside * outsideCost) / portBytesPerUs;

  // What one block takes however few others there are.
  double ahead = double(std::max<int64_t>(q.stages - 1, 0));
  double alone = 0;
  if (q.copies == OperandCopies::None) {
    // What a turn loads is multiplied in it, or in the next.
    double products =
        a.matrixUs * std::max(1.0, double(warpsOfGroup) / q.warps);
    alone = ahead > 0 ? std::max(products, latencyUs) : products + latencyUs;
    a.latencyUs = alone;
  } else if (q.copies == OperandCopies::Registers) {
    // A turn's products, stores to shared memory and loads follow each other.
    double copies =
        loaded / operandBytes /
        double(q.threads() * std::max<int64_t>(q.vectorElements, 1));
    double issue =
        copies * instructionsPerCopy *
        std::ceil(double(q.threads()) / std::max<int64_t>(hw.warpSize, 1)) /
        issuesPerClock * cycleUs;
    double units = std::max(1.0, double(warpsOfGroup) / q.warps);
    double chain = a.matrixUs * units + a.sharedUs + issue;
    alone = ahead > 0 ? std::max(chain, latencyUs) : chain + latencyUs;
    a.latencyUs = alone;
  } else if (ahead > 0) {
    a.latencyUs = latencyUs / ahead;
  } else {
    alone = a.latencyUs = a.matrixUs + latencyUs;
  }
  double ring = alone > 0 ? 0 : a.latencyUs;
  double lanesPerUs = peakFor(hw, "f32") / 2 * 1e-6 / sms;
  double lanes = lanesPerUs > 0 ? q.laneOps * exposedLanes / lanesPerUs : 0;
  a.stepUs =
      std::max(alone, overlapped({blocks * a.matrixUs, blocks * a.sharedUs,
                                  blocks * a.portUs, ring},
                                 stepSquarings)) +
      blocks * lanes;
}

/// Only producers load the next tile's operands before this one is stored.
double Gemm::betweenTilesUs() const {
  if (!q.persistent)
    return latencyUs + startUs;
  return q.producers > 0 ? 0 : latencyUs;
}

void Gemm::fillTile(GemmAnswer &a) const {
  a.fillUs = latencyUs + startUs + clusterUs * std::log2(blocksOfCluster());
  double elements = double(q.tileM) * q.tileN;
  a.epilogueUs = q.storesByTma
                     ? storeStartUs + elements * q.outBytes * cycleUs / staged
                     : elements * cycleUs / direct;
  // Sums of a block's warps come together in its own shared memory.
  if (q.parts > 1)
    a.epilogueUs += elements * 4 * q.parts * cycleUs / hw.sharedBytesPerClock;
  // The parts' sums in f32, written and read once more.
  if (q.split > 1)
    a.epilogueUs += latencyUs + elements * 8 / portBytesPerUs;
  // Less than a byte each is no matrix, but rows, columns or scales.
  a.epilogueUs += std::min(q.epilogueBytes, 1.0) *
                  (latencyUs + elements * cycleUs / directReads);
}

/// What is read of each operand, and how often, where blocks go down groups of
/// `raster` rows of tiles, then to the next column.
void Gemm::fillMemory(GemmAnswer &a) const {
  double resident = std::min(a.tiles, sms * a.blocksPerSm);
  double down = std::min(q.raster > 0 ? double(q.raster) : resident, tilesM);
  double across =
      std::clamp(std::ceil(resident / std::max(down, 1.0)), 1.0, tilesN);
  double bytesA = double(q.m) * q.k * operandBytes,
         bytesB = double(q.n) * q.k * operandBytes;
  double panelA = std::min(bytesA, down * q.tileM * q.k * operandBytes),
         panelB = std::min(bytesB, across * q.tileN * q.k * operandBytes);
  double cache = l2Share * double(hw.l2Bytes);
  auto missed = [&](double between) {
    return between > 0 ? std::clamp(1 - cache / between, 0.0, 1.0) : 0.0;
  };
  double readsOfA =
      1 + (std::ceil(tilesN / across) - 1) * missed(panelA + panelB);
  double readsOfB = 1 + (std::ceil(tilesM / std::max(down, 1.0)) - 1) *
                            missed(panelA + bytesB);
  double elements = double(q.m) * q.n;
  a.memoryBytes = bytesA * readsOfA + bytesB * readsOfB +
                  elements * (q.epilogueBytes + q.outBytes);
  double achieved =
      (hw.achievedBandwidth > 0 ? hw.achievedBandwidth : hw.bandwidth) * 1e-6;
  double others = std::min(a.memoryBytes, dirtyShare * double(hw.l2Bytes));
  // What is under way of a row lies in one run.
  double run = double(q.tileK) * std::max<double>(q.stages, 1) * operandBytes;
  a.memoryUs = (a.memoryBytes * (1 + shortRun / std::max(run, 1.0)) + others) /
               (achieved * memoryShare);
  if (q.split > 1) {
    a.memoryUs += elements * 8 * q.split / l2BytesPerUs();
  }
}

/// Slots of the ring, and what a store through shared memory can have of the
/// rest.
int64_t Gemm::sharedBytes() const {
  if (q.copies == OperandCopies::None)
    return int64_t(std::min(double(q.tileM) * q.tileN * 4 * q.parts, 1e15));
  int64_t slots =
      q.copies == OperandCopies::Registers ? 1 : std::max<int64_t>(q.stages, 1);
  double ring = double(slots) * slotBytes();
  // As tile-split-stores cuts it where there is nothing else to compute.
  constexpr int64_t partColumns = 64;
  double columns = double(q.tileN);
  if (q.staging > 0 && q.tileN > partColumns)
    columns = std::min<double>(columns, double(q.staging) * partColumns +
                                            double(q.tileN % partColumns));
  double staged = double(q.tileM) * columns * q.outBytes * (q.pingpong ? 2 : 1);
  double staging =
      q.storesByTma
          ? std::clamp(staged, 0.0,
                       std::max(0.0, double(hw.sharedPerBlock) - ring))
          : 0;
  // Tiles that are done leave the ring's memory to what is stored.
  bool shares = q.copies == OperandCopies::Tma && !q.persistent;
  return int64_t(
      std::min(shares ? std::max(ring, staging) : ring + staging, 1e15));
}

/// All tiles of one round on a multiprocessor: `blocks` of them at once.
double Gemm::roundUs(GemmAnswer &a, double blocks) const {
  fillStep(a, blocks);
  double products = steps * a.stepUs;
  double rest = betweenTilesUs() + a.epilogueUs;
  // What one group of warps stores, the other hides by its products.
  if (q.pingpong)
    return std::max(products + turnUs, (products + rest) / 2);
  return products + rest / blocks;
}

void Gemm::run(GemmAnswer &a) const {
  a.timeUs = hw.launchFloorUs;
  a.regime = "launch";
  a.tiles = tilesM * tilesN * double(std::max<int64_t>(q.split, 1));
  if (!a.fits || a.tiles == 0)
    return;
  fillTile(a);
  fillMemory(a);
  double slots = sms * double(a.blocksPerSm) *
                 std::pow(pairedShare, std::log2(blocksOfCluster()));
  a.waves = a.tiles / slots;
  double rounds = std::floor(a.waves), rest = a.tiles - rounds * slots;
  a.tail = rest > 0 ? rest / slots : 1;
  a.useful = double(q.m) * q.n * q.k /
             std::max(1.0, tilesM * q.tileM * tilesN * q.tileN *
                               ceilDiv(q.k, q.tileK) * q.tileK);

  // The last round first: the answer tells of a full one where there is any.
  double compute = a.fillUs - betweenTilesUs();
  if (rest > 0)
    compute += roundUs(a, std::ceil(rest / sms));
  double blocks = rounds > 0 ? double(a.blocksPerSm) : std::ceil(rest / sms);
  double tileUs = roundUs(a, blocks);
  compute += rounds * tileUs;
  double busy = overlapped({compute, a.memoryUs}, stepSquarings);
  a.timeUs = hw.launchFloorUs + busy;
  a.peakShare =
      2 * double(q.m) * q.n * q.k / std::max(peakPerUs() * a.timeUs, 1e-9);

  double other =
      std::max(blocks * a.sharedUs, std::max(blocks * a.portUs, a.latencyUs));
  if (busy < hw.launchFloorUs / 4)
    a.regime = "launch";
  else if (a.memoryUs > compute)
    a.regime = "memory";
  else if (steps * a.stepUs < tileUs / 2)
    a.regime = "latency";
  else if (blocks * a.matrixUs >= other)
    a.regime = "tensor";
  else
    a.regime = other == a.latencyUs           ? "latency"
               : other == blocks * a.sharedUs ? "shared"
                                              : "memory";
}

} // namespace

llvm::StringRef lathe::copiesName(OperandCopies copies) {
  switch (copies) {
  case OperandCopies::None:
    return "none";
  case OperandCopies::Registers:
    return "registers";
  case OperandCopies::Async:
    return "async";
  case OperandCopies::Tma:
    return "tma";
  }
  llvm_unreachable("covered switch");
}

int64_t GemmQuestion::threads() const {
  return (warps + producers) * std::max<int64_t>(hardware->warpSize, 1);
}

GemmAnswer lathe::predict(const GemmQuestion &q) {
  GemmAnswer a;
  Gemm gemm(q);
  double lanes =
      std::max<double>(q.warps, 1) * std::max<double>(q.hardware->warpSize, 1);
  if (q.pingpong)
    lanes /= 2;
  double sums = std::min(
      double(q.tileM) * q.tileN * std::max<double>(q.parts, 1) / lanes, 1e6);
  // Operands of the turns that are under way.
  if (q.copies == OperandCopies::None)
    sums += std::min(gemm.slotBytes() * q.stages / 4 / lanes, 1e6);
  a.registers = q.compiled && q.compiled->registers ? q.compiled->registers
                : q.expectedRegisters
                    ? q.expectedRegisters
                    : baseRegisters + int64_t(std::ceil(sums));
  a.sharedBytes = q.compiled ? q.compiled->sharedBytes : gemm.sharedBytes();
  Occupancy occupancy =
      occupancyOf(*q.hardware, q.threads(), a.registers, a.sharedBytes);
  a.blocksPerSm = occupancy.blocksPerSm;
  a.limiter = occupancy.limiter;
  a.fits = a.blocksPerSm > 0;
  gemm.run(a);
  return a;
}

void GemmQuestion::print(llvm::raw_ostream &os) const {
  os << "product on " << (hardware ? hardware->name : "nothing") << ": " << m
     << "x" << n << "x" << k << " " << dtype << " tiles=" << tileM << "x"
     << tileN << "x" << tileK << " split=" << split << " warps=" << warps << "+"
     << producers << " stages=" << stages << " copies=" << copiesName(copies)
     << llvm::format(" out=%.6gB epilogue=%.6gB", outBytes, epilogueBytes)
     << llvm::format(" cost=%.6g lanes=%.6g", mmaCost, laneOps)
     << " cluster=" << clusterM << "x" << clusterN << " parts=" << parts
     << " staging=" << staging << " vec=" << vectorElements
     << " raster=" << raster << (persistent ? " persistent" : "")
     << (pingpong ? " pingpong" : "") << (warpgroups ? " wgmma" : "")
     << (storesByTma ? " tma-store" : "");
  if (compiled)
    os << " registers=" << compiled->registers
       << " spill=" << compiled->spillBytes
       << " shared=" << compiled->sharedBytes;
}

void GemmAnswer::print(llvm::raw_ostream &os) const {
  if (!fits) {
    os << "does not fit: " << limiter;
    return;
  }
  os << "blocks/sm=" << blocksPerSm << " by " << limiter
     << " registers=" << registers << " shared=" << sharedBytes
     << llvm::format(" tiles=%.0f waves=%.2f tail=%.0f%% useful=%.0f%%", tiles,
                     waves, tail * 100, useful * 100)
     << llvm::format(" step=%.3fus (matrix=%.3f shared=%.3f port=%.3f "
                     "latency=%.3f)",
                     stepUs, matrixUs, sharedUs, portUs, latencyUs)
     << llvm::format(" fill=%.2fus epilogue=%.2fus memory=%.3gMB (%.1fus)",
                     fillUs, epilogueUs, memoryBytes * 1e-6, memoryUs)
     << llvm::format(" time=%.3fus peak=%.0f%% ", timeUs, peakShare * 100)
     << regime;
}
