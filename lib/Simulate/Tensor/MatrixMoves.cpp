//===- MatrixMoves.cpp - ldmatrix and stmatrix ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of 8 by 8 16-bit elements: lane 8i + r gives the address of row r of
// matrix i, and holds of each matrix two neighbours of row lane / 4 (PTX ISA
// 9). sm_90 has no shapes of narrower elements.
//
//===----------------------------------------------------------------------===//

#include "../Machine.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lathe::sim;

namespace {
struct MoveKind {
  unsigned count = 1; ///< matrices, each a register
  bool transposed = false;
  bool isLoad = true;
};
} // namespace

static void move(const MoveKind &kind, LaneCalls &calls) {
  Machine &machine = Machine::current();
  std::array<char *, 32> rows = {};
  for (unsigned row = 0; row < kind.count * 8; ++row) {
    Call &call = *calls.lane[row];
    uint64_t address = call.integer(0);
    if (!machine.isShared(address))
      machine.abort(FaultKind::OutOfBounds, &call.thread, call.site,
                    "a matrix row at 0x" + utohexstr(address, true) +
                        ", expected shared memory");
    rows[row] =
        machine.access(call.thread, call.site, address, 16, 16,
                       kind.isLoad ? AccessKind::Read : AccessKind::Write);
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    Call &call = *calls.lane[lane];
    for (unsigned matrix = 0; matrix < kind.count; ++matrix)
      for (unsigned i = 0; i < 2; ++i) {
        unsigned row = lane / 4, column = 2 * (lane % 4) + i;
        if (kind.transposed)
          std::swap(row, column);
        char *shared = rows[matrix * 8 + row] + column * 2;
        if (kind.isLoad)
          std::memcpy(call.result(matrix) + i * 2, shared, 2);
        else
          std::memcpy(shared, call.data(1 + matrix) + i * 2, 2);
      }
  }
}

static void run(Call &call) {
  auto &kind = *static_cast<const MoveKind *>(call.site.prepared.get());
  meetWarp(call, [&](LaneCalls &calls) {
    if (calls.mask != 0xFFFFFFFF)
      Machine::current().abort(FaultKind::Divergence, &call.thread, call.site,
                               "a matrix moved by a warp of " +
                                   Twine(popcount(calls.mask)) +
                                   " lanes, expected 32");
    move(kind, calls);
  });
}

static Expected<std::shared_ptr<const void>> prepare(const Site &site) {
  MoveKind kind;
  StringRef name = site.name;
  kind.isLoad = name.contains("ldmatrix");
  kind.transposed = name.contains(".trans");
  kind.count = name.contains(".x4") ? 4 : name.contains(".x2") ? 2 : 1;
  if (site.operands.size() != (kind.isLoad ? 1 : 1 + kind.count) ||
      site.results.size() != (kind.isLoad ? kind.count : 0))
    return make_error<UnsupportedError>(std::vector<std::string>{site.name});
  return std::shared_ptr<const void>(std::make_shared<const MoveKind>(kind));
}

void lathe::sim::addMatrixMoves(InstructionSet &set) {
  auto add = [&](const Twine &name) {
    set.add(("llvm.nvvm." + name).str(), {run, prepare, false});
  };
  for (StringRef count : {"x1", "x2", "x4"})
    for (StringRef transposition : {"", ".trans"})
      for (StringRef base : {"ldmatrix", "stmatrix"})
        add(base + ".sync.aligned.m8n8." + count + transposition + ".b16");
}
