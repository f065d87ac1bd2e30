//===- Wgmma.cpp - Matrix products of a warpgroup -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"

#include "WgmmaMultiply.h"
#include "WgmmaOperands.h"

#include "llvm/ADT/StringExtras.h"

#include <deque>

using namespace llvm;
using namespace lathe::sim;

namespace {
/// A warp's products in flight. Lanes run one after the other, so that each
/// counts what it has executed; the first to get somewhere acts for the warp.
struct WgmmaGroups {
  bool fenced = false;
  std::optional<Epoch> open;
  std::deque<std::optional<Epoch>> committed; ///< not waited for
  uint64_t commits = 0, done = 0;             ///< of the warp
  std::array<uint64_t, 32> laneCommits = {};
};

/// Room that every product needs again.
struct Scratch {
  std::vector<char> raw;
  std::vector<OperandRun> runs; ///< where the bytes of `raw` lie
  std::vector<Piece> pieces;    ///< the same, joined
  std::vector<double> wide, a, b, sums;
};

/// One product, while it is computed.
class Product {
public:
  Product(ArrayRef<Call *> calls, const WgmmaKind &kind,
          ArrayRef<WgmmaLane> lanes)
      : machine(Machine::current()), calls(calls), kind(kind), lanes(lanes),
        first(*calls.front()), block(*first.thread.block) {}

  void run();

private:
  void checkUniform();
  void open();
  MatrixDescriptor descriptor(uint64_t bits, char name);
  void readShared(uint64_t bits, char name, unsigned rows, MatrixType type,
                  bool transposed, bool negated);
  void readRegisters();
  void multiply();
  void multiplyNarrow();
  void fault(FaultKind how, const Twine &message) {
    machine.abort(how, &first.thread, first.site, message);
  }

  Machine &machine;
  ArrayRef<Call *> calls;
  const WgmmaKind &kind;
  ArrayRef<WgmmaLane> lanes;
  Call &first;
  Block &block;
  Knowledge known;
  Epoch epoch;
  static thread_local Scratch scratch;
};
} // namespace

thread_local Scratch Product::scratch;

static std::string hex(uint64_t value) { return "0x" + utohexstr(value, true); }

// PTX ISA: descriptors and scale-d are the same in all threads.
void Product::checkUniform() {
  for (const WgmmaLane &lane : lanes) {
    bool isSame =
        lane.descriptorB == lanes[0].descriptorB &&
        lane.accumulates == lanes[0].accumulates &&
        (kind.aInRegisters || lane.descriptorA == lanes[0].descriptorA);
    if (!isSame)
      fault(FaultKind::InvalidOperand,
            "wgmma with descriptors " + hex(lane.descriptorA) + ", " +
                hex(lane.descriptorB) + " in thread " +
                Twine(&lane - lanes.data()) + " of the warpgroup and " +
                hex(lanes[0].descriptorA) + ", " + hex(lanes[0].descriptorB) +
                " in thread 0, expected the same");
  }
}

// Operands may be read as soon as every warp may read them: what is known is
// what all four know.
void Product::open() {
  for (unsigned w = 0; w < 4; ++w) {
    Warp &warp = *calls[w * 32]->thread.warp;
    auto &groups = warpState<WgmmaGroups>(warp);
    if (!groups.fenced)
      machine.fault(FaultKind::AsyncHazard, &calls[w * 32]->thread, first.site,
                    "wgmma.mma_async without wgmma.fence before it");
    Knowledge own;
    machine.release(warp, own);
    if (w == 0)
      known = own;
    else
      known.meet(own);
  }
  unsigned warpgroup = first.thread.warp->index / 4;
  epoch =
      machine.tick(block, machine.agentOf(block, AsyncUnit::Wgmma, warpgroup));
  for (unsigned w = 0; w < 4; ++w)
    warpState<WgmmaGroups>(*calls[w * 32]->thread.warp).open = epoch;
}

MatrixDescriptor Product::descriptor(uint64_t bits, char name) {
  Expected<MatrixDescriptor> descriptor = decodeDescriptor(bits);
  if (descriptor)
    return *descriptor;
  fault(FaultKind::InvalidOperand,
        Twine("operand ") + Twine(name) +
            " of wgmma: " + toString(descriptor.takeError()));
  llvm_unreachable("the launch is over");
}

// Leaves exact values in `wide`: [rows][k], or [k][rows] if transposed.
void Product::readShared(uint64_t bits, char name, unsigned rows,
                         MatrixType type, bool transposed, bool negated) {
  MatrixDescriptor where = descriptor(bits, name);
  auto base = reinterpret_cast<uint64_t>(block.arena);
  AsyncAccess access{epoch, Proxy::Async, &known};
  scratch.raw.resize(size_t(rows) * 32);
  scratch.runs.clear();
  scratch.pieces.clear();
  // Swizzles turn neighbours around, so that pieces grow at both ends.
  auto add = [&](const OperandRun &run) {
    scratch.runs.push_back(run);
    uint64_t address = base + run.shared;
    if (!scratch.pieces.empty()) {
      Piece &last = scratch.pieces.back();
      bool isBefore = address + run.bytes == last.address;
      if (isBefore || last.address + last.bytes == address) {
        last.address = std::min(last.address, address);
        last.bytes += run.bytes;
        return;
      }
    }
    scratch.pieces.push_back({address, run.bytes});
  };
  if (transposed)
    forEachRunMNMajor(where, base, rows, kind.k, add);
  else
    forEachRunKMajor(where, base, rows, 32, add);
  machine.access(first.thread, first.site, scratch.pieces, 16, AccessKind::Read,
                 access);
  for (const OperandRun &run : scratch.runs)
    for (uint32_t i = 0; i < run.bytes; i += 16)
      std::memcpy(&scratch.raw[run.operand + i], block.arena + run.shared + i,
                  16);
  size_t count = size_t(rows) * kind.k;
  scratch.wide.resize(count);
  widen(type, scratch.raw.data(), scratch.wide.data(), count);
  if (negated)
    for (double &value : scratch.wide)
      value = -value;
}

void Product::readRegisters() {
  unsigned perRegister = 32 / bitsOf(kind.a);
  scratch.wide.resize(size_t(64) * kind.k);
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned reg = 0; reg < 4; ++reg) {
      double values[4];
      widen(kind.a, &lanes[thread].a[reg], values, perRegister);
      for (unsigned i = 0; i < perRegister; ++i) {
        MatrixElement at = elementOfA(thread % 32, reg, i, perRegister, true);
        scratch.wide[(thread / 32 * 16 + at.row) * kind.k + at.column] =
            kind.negatesA ? -values[i] : values[i];
      }
    }
}

void Product::multiply() {
  WgmmaTile tile{kind.n, kind.k, scratch.a.data(), scratch.b.data(),
                 lanes[0].accumulates};
  if (kind.accumulator == Accumulator::F32) {
    float *accumulators[128];
    for (unsigned i = 0; i < 128; ++i)
      accumulators[i] = reinterpret_cast<float *>(lanes[i].accumulator);
    multiplyTile(tile, accumulators);
    return;
  }
  unsigned count = kind.n / 2, bytes = bytesOf(kind.accumulator);
  scratch.sums.resize(size_t(128) * count);
  double *accumulators[128];
  for (unsigned i = 0; i < 128; ++i) {
    accumulators[i] = &scratch.sums[size_t(i) * count];
    for (unsigned j = 0; tile.accumulates && j < count; ++j)
      accumulators[i][j] =
          readAccumulator(kind.accumulator, lanes[i].accumulator + j * bytes);
  }
  multiplyTile(tile, accumulators);
  for (unsigned i = 0; i < 128; ++i)
    for (unsigned j = 0; j < count; ++j)
      writeAccumulator(kind.accumulator, lanes[i].accumulator + j * bytes,
                       accumulators[i][j], kind.saturates);
}

// `a` and `b` row-major here: [64][k] and [n][k].
void Product::multiplyNarrow() {
  unsigned bytes = bytesOf(kind.accumulator);
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < kind.n / 2; ++i) {
      MatrixElement at = elementOfC(thread % 32, i, true);
      char *where = lanes[thread].accumulator + i * bytes;
      double acc =
          lanes[0].accumulates ? readAccumulator(kind.accumulator, where) : 0;
      size_t row = thread / 32 * 16 + at.row;
      writeAccumulator(kind.accumulator, where,
                       addNarrow(acc, &scratch.a[row * kind.k],
                                 &scratch.b[size_t(at.column) * kind.k], 1,
                                 kind.k),
                       false);
    }
}

void Product::run() {
  checkUniform();
  open();
  bool isFp8 = kind.a == MatrixType::E4M3 || kind.a == MatrixType::E5M2;
  bool isNarrow = isFp8 && machine.options().narrowFp8Accumulation;
  if (kind.aInRegisters)
    readRegisters();
  else
    readShared(lanes[0].descriptorA, 'a', 64, kind.a, kind.transposesA,
               kind.negatesA);
  if (kind.transposesA && !kind.aInRegisters) {
    std::vector<double> rows(scratch.wide.size());
    for (unsigned k = 0; k < kind.k; ++k)
      for (unsigned row = 0; row < 64; ++row)
        rows[row * kind.k + k] = scratch.wide[k * 64 + row];
    scratch.wide = std::move(rows);
  }
  if (isNarrow) {
    scratch.a = scratch.wide;
  } else {
    scratch.a.resize(sizeOfTileA(kind.k));
    arrangeA(scratch.wide.data(), kind.k, scratch.a.data());
  }
  readShared(lanes[0].descriptorB, 'b', kind.n, kind.b, kind.transposesB,
             kind.negatesB);
  if (isNarrow) {
    scratch.b = scratch.wide;
    return multiplyNarrow();
  }
  scratch.b.resize(sizeOfTileB(kind.n, kind.k));
  if (kind.transposesB)
    arrangeTransposedB(scratch.wide.data(), kind.n, kind.k, scratch.b.data());
  else
    arrangeB(scratch.wide.data(), kind.n, kind.k, scratch.b.data());
  multiply();
}

void lathe::sim::issueWgmma(ArrayRef<Call *> calls, const WgmmaKind &kind,
                            ArrayRef<WgmmaLane> lanes) {
  Product(calls, kind, lanes).run();
}

void lathe::sim::wgmmaFence(Thread &thread) {
  warpState<WgmmaGroups>(*thread.warp).fenced = true;
}

void lathe::sim::wgmmaCommit(Thread &thread) {
  auto &groups = warpState<WgmmaGroups>(*thread.warp);
  if (++groups.laneCommits[thread.lane] <= groups.commits)
    return;
  ++groups.commits;
  groups.committed.push_back(std::exchange(groups.open, std::nullopt));
}

void lathe::sim::wgmmaWait(Thread &thread, uint64_t pending) {
  auto &groups = warpState<WgmmaGroups>(*thread.warp);
  for (; groups.done + pending < groups.laneCommits[thread.lane];
       ++groups.done) {
    if (std::optional<Epoch> epoch = groups.committed.front())
      Machine::current().finished(*thread.warp, *epoch);
    groups.committed.pop_front();
  }
}

void lathe::sim::addWgmma(InstructionSet &set) {
  set.add("llvm.nvvm.wgmma.fence.sync.aligned",
          [](Call &call) { wgmmaFence(call.thread); });
  set.add("llvm.nvvm.wgmma.commit_group.sync.aligned",
          [](Call &call) { wgmmaCommit(call.thread); });
  set.add("llvm.nvvm.wgmma.wait_group.sync.aligned",
          [](Call &call) { wgmmaWait(call.thread, call.integer(0)); });
}
