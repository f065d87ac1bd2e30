//===- Lanes.cpp - Which lane reads which, on AMD -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

using namespace lathe::sim;

namespace {
enum DppControl : unsigned {
  QuadPermLast = 0x0FF,
  RowShl0 = 0x100, // the shifts by 0 do not exist
  RowShr0 = 0x110,
  RowRor0 = 0x120,
  RowRorLast = 0x12F,
  WaveShl = 0x130,
  WaveRol = 0x134,
  WaveShr = 0x138,
  WaveRor = 0x13C,
  RowMirror = 0x140,
  RowHalfMirror = 0x141,
  RowBroadcast15 = 0x142,
  RowBroadcast31 = 0x143,
  RowNewBroadcast0 = 0x150,
  RowNewBroadcastLast = 0x15F,
};
} // namespace

llvm::Error amd::checkDppControl(uint64_t control) {
  if (control <= RowRorLast) {
    if (control > QuadPermLast && control % 16 == 0)
      return llvm::createStringError("DPP row shift by 0 (control 0x%x)",
                                     unsigned(control));
    return llvm::Error::success();
  }
  switch (control) {
  case WaveShl:
  case WaveRol:
  case WaveShr:
  case WaveRor:
  case RowMirror:
  case RowHalfMirror:
  case RowBroadcast15:
  case RowBroadcast31:
    return llvm::Error::success();
  }
  if (control >= RowNewBroadcast0 && control <= RowNewBroadcastLast)
    return llvm::Error::success();
  return llvm::createStringError("DPP control 0x%x, which gfx9 lacks",
                                 unsigned(control));
}

std::optional<unsigned> amd::dppSource(unsigned control, unsigned lane) {
  unsigned row = lane & ~15u, column = lane & 15, amount = control & 15;
  if (control <= QuadPermLast)
    return (lane & ~3u) | ((control >> (2 * (lane & 3))) & 3);
  if (control < RowShr0)
    return column + amount < 16 ? std::optional(lane + amount) : std::nullopt;
  if (control < RowRor0)
    return column >= amount ? std::optional(lane - amount) : std::nullopt;
  if (control <= RowRorLast)
    return row | ((column - amount) & 15);
  switch (control) {
  case WaveShl:
    return lane + 1 < waveLanes ? std::optional(lane + 1) : std::nullopt;
  case WaveRol:
    return (lane + 1) % waveLanes;
  case WaveShr:
    return lane > 0 ? std::optional(lane - 1) : std::nullopt;
  case WaveRor:
    return (lane + waveLanes - 1) % waveLanes;
  case RowMirror:
    return row | (15 - column);
  case RowHalfMirror:
    return (lane & ~7u) | (7 - (lane & 7));
  case RowBroadcast15:
    return row > 0 ? std::optional(row - 1) : std::nullopt;
  case RowBroadcast31:
    return lane > 31 ? std::optional(31u) : std::nullopt;
  }
  return row | amount;
}

bool amd::dppWrites(unsigned rowMask, unsigned bankMask, unsigned lane) {
  return (rowMask >> (lane / 16)) & (bankMask >> (lane % 16 / 4)) & 1;
}

llvm::Error amd::checkSwizzle(uint64_t pattern) {
  if (pattern > 0xFFFF)
    return llvm::createStringError("swizzle pattern of more than 16 bits");
  if (pattern >= 0xE000)
    return llvm::createStringError("FFT swizzle pattern 0x%x",
                                   unsigned(pattern));
  return llvm::Error::success();
}

unsigned amd::swizzleSource(unsigned pattern, unsigned lane) {
  if (pattern >= 0xC000) {
    unsigned keep = pattern & 31, amount = (pattern >> 5) & 31;
    bool right = (pattern >> 10) & 1;
    unsigned rotated = right ? lane - amount : lane + amount;
    return (lane & ~31u) | (lane & keep) | (rotated & ~keep & 31);
  }
  if (pattern & 0x8000)
    return (lane & ~3u) | ((pattern >> (2 * (lane & 3))) & 3);
  unsigned within = lane & 31;
  within = ((within & pattern) | (pattern >> 5)) ^ (pattern >> 10);
  return (lane & ~31u) | (within & 31);
}

unsigned amd::mfmaPermutedLane(unsigned blgp, unsigned lane) {
  switch (blgp) {
  case 1: // the first 32 lanes to all
    return lane % 32;
  case 2: // the second 32
    return lane % 32 + 32;
  case 3: // rotate down
    return (lane + 16) % waveLanes;
  case 4: // one group of 16 to all
  case 5:
  case 6:
  case 7:
    return lane % 16 + 16 * (blgp - 4);
  }
  return lane;
}
