//===- AmdLanesTest.cpp - DPP, swizzles, MFMA layouts ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulate/Amd/Lanes.h"
#include "Simulate/Amd/MfmaLayout.h"

#include "gtest/gtest.h"

#include <set>

using namespace lathe::sim::amd;

namespace {

bool exists(uint64_t control) {
  llvm::Error error = checkDppControl(control);
  bool failed = bool(error);
  consumeError(std::move(error));
  return !failed;
}

TEST(AmdDpp, KnowsTheControlsOfGfx9) {
  unsigned known = 0;
  for (unsigned control = 0; control < 0x200; ++control)
    known += exists(control);
  // Quad permutations, three shifts by 1 to 15, four wave shifts, two mirrors,
  // two broadcasts, row broadcasts of 16 lanes.
  EXPECT_EQ(known, 256u + 45 + 4 + 2 + 2 + 16);
  EXPECT_FALSE(exists(0x100)); // shifts by 0
  EXPECT_FALSE(exists(0x110));
  EXPECT_FALSE(exists(0x120));
  EXPECT_FALSE(exists(0x160)); // row_xmask of gfx10
  EXPECT_FALSE(exists(0x1FFFF));
}

TEST(AmdDpp, ReadsLanesOfTheRow) {
  EXPECT_EQ(dppSource(0x1B, 5), 6u);  // quad_perm [3,2,1,0]
  EXPECT_EQ(dppSource(0x101, 0), 1u); // row_shl:1
  EXPECT_EQ(dppSource(0x101, 15), std::nullopt);
  EXPECT_EQ(dppSource(0x10F, 16), 31u);
  EXPECT_EQ(dppSource(0x111, 16), std::nullopt); // row_shr:1
  EXPECT_EQ(dppSource(0x118, 30), 22u);
  EXPECT_EQ(dppSource(0x121, 16), 31u); // row_ror:1
  EXPECT_EQ(dppSource(0x124, 22), 18u);
  EXPECT_EQ(dppSource(0x140, 17), 30u); // row_mirror
  EXPECT_EQ(dppSource(0x141, 17), 22u); // row_half_mirror
  EXPECT_EQ(dppSource(0x153, 40), 35u); // row_newbcast:3
}

TEST(AmdDpp, ReadsAcrossRows) {
  EXPECT_EQ(dppSource(0x130, 15), 16u); // wave_shl:1
  EXPECT_EQ(dppSource(0x130, 63), std::nullopt);
  EXPECT_EQ(dppSource(0x134, 63), 0u); // wave_rol:1
  EXPECT_EQ(dppSource(0x138, 0), std::nullopt);
  EXPECT_EQ(dppSource(0x138, 16), 15u);         // wave_shr:1
  EXPECT_EQ(dppSource(0x13C, 0), 63u);          // wave_ror:1
  EXPECT_EQ(dppSource(0x142, 3), std::nullopt); // row_bcast:15
  EXPECT_EQ(dppSource(0x142, 20), 15u);
  EXPECT_EQ(dppSource(0x142, 63), 47u);
  EXPECT_EQ(dppSource(0x143, 31), std::nullopt); // row_bcast:31
  EXPECT_EQ(dppSource(0x143, 50), 31u);
}

TEST(AmdDpp, MasksRowsAndBanks) {
  EXPECT_TRUE(dppWrites(0xF, 0xF, 63));
  EXPECT_FALSE(dppWrites(0xE, 0xF, 15));
  EXPECT_TRUE(dppWrites(0x2, 0x8, 28));
  EXPECT_FALSE(dppWrites(0x2, 0x8, 27));
}

TEST(AmdSwizzle, HasThreeModes) {
  EXPECT_EQ(swizzleSource(0x8000 | 0x4E, 5), 7u);    // quad [2,3,0,1]
  EXPECT_EQ(swizzleSource(0x041F, 6), 7u);           // xor 1
  EXPECT_EQ(swizzleSource(0x401F, 40), 56u);         // xor 16
  EXPECT_EQ(swizzleSource(0x0000, 45), 32u);         // broadcast lane 0 of 32
  EXPECT_EQ(swizzleSource(0x0078, 45), 32u + 11);    // (13 & 0x18) | 3
  EXPECT_EQ(swizzleSource(0xC000 | 1 << 5, 31), 0u); // rotate left
  EXPECT_EQ(swizzleSource(0xC000 | 1 << 10 | 1 << 5, 32), 63u); // right
  EXPECT_EQ(swizzleSource(0xC000 | 1 << 5 | 0x1C, 7), 4u);      // within four
}

TEST(AmdSwizzle, RefusesWhatIsNotModelled) {
  EXPECT_TRUE(llvm::errorToBool(checkSwizzle(0xE01F)));
  EXPECT_TRUE(llvm::errorToBool(checkSwizzle(0x10000)));
  EXPECT_FALSE(llvm::errorToBool(checkSwizzle(0xDFFF)));
}

TEST(AmdMfma, PermutesLanesOfB) {
  EXPECT_EQ(mfmaPermutedLane(0, 40), 40u);
  EXPECT_EQ(mfmaPermutedLane(1, 40), 8u);
  EXPECT_EQ(mfmaPermutedLane(2, 8), 40u);
  EXPECT_EQ(mfmaPermutedLane(3, 50), 2u);
  for (unsigned quarter = 0; quarter < 4; ++quarter)
    EXPECT_EQ(mfmaPermutedLane(4 + quarter, 21), 16 * quarter + 5);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

const MfmaShape &shapeOf(llvm::StringRef name) {
  for (const MfmaShape &shape : mfmaShapes())
    if (shape.name == name)
      return shape;
  ADD_FAILURE() << "no shape " << name.str();
  return mfmaShapes().front();
}

TEST(AmdMfma, LayoutsFillTheRegisters) {
  for (const MfmaShape &shape : mfmaShapes()) {
    std::set<std::pair<unsigned, unsigned>> inputs, outputs;
    for (unsigned block = 0; block < shape.blocks; ++block)
      for (unsigned row = 0; row < shape.m; ++row) {
        for (unsigned k = 0; k < shape.k; ++k) {
          MfmaPlace place = mfmaInput(shape, block, row, k);
          EXPECT_LT(place.lane, 64u);
          EXPECT_LT(place.element, shape.inputsPerLane());
          inputs.insert({place.lane, place.element});
        }
        for (unsigned column = 0; column < shape.n; ++column) {
          MfmaPlace place = mfmaOutput(shape, block, row, column);
          EXPECT_LT(place.lane, 64u);
          EXPECT_LT(place.element, shape.outputsPerLane());
          outputs.insert({place.lane, place.element});
        }
      }
    EXPECT_EQ(inputs.size(), 64 * shape.inputsPerLane()) << shape.name.str();
    EXPECT_EQ(outputs.size(), 64 * shape.outputsPerLane()) << shape.name.str();
    EXPECT_EQ(shape.m, shape.n);
  }
}

// Formulas that AMD's matrix instruction calculator prints (--register-layout
// of MI200 and MI300), one instruction of each kind.
struct Formula {
  const char *name;
  MfmaPlace (*input)(unsigned block, unsigned row, unsigned k);
  MfmaPlace (*output)(unsigned block, unsigned row, unsigned column);
};

const Formula formulas[] = {
    {"f32.32x32x8f16",
     [](unsigned, unsigned i, unsigned k) -> MfmaPlace {
       return {32 * (k / 4) + i, k % 4};
     },
     [](unsigned, unsigned i, unsigned j) -> MfmaPlace {
       return {32 * (i / 4 % 2) + j, 4 * (i / 8) + i % 4};
     }},
    {"f32.16x16x16bf16.1k",
     [](unsigned, unsigned i, unsigned k) -> MfmaPlace {
       return {16 * (k / 4) + i, k % 4};
     },
     [](unsigned, unsigned i, unsigned j) -> MfmaPlace {
       return {16 * (i / 4) + j, i % 4};
     }},
    {"f32.32x32x16.fp8.bf8",
     [](unsigned, unsigned i, unsigned k) -> MfmaPlace {
       return {32 * (k / 8) + i, k % 8};
     },
     [](unsigned, unsigned i, unsigned j) -> MfmaPlace {
       return {32 * (i / 4 % 2) + j, 4 * (i / 8) + i % 4};
     }},
    {"f32.32x32x4f16",
     [](unsigned b, unsigned i, unsigned k) -> MfmaPlace {
       return {32 * b + i, k};
     },
     [](unsigned b, unsigned i, unsigned j) -> MfmaPlace {
       return {32 * (i / 4 % 2) + j, 16 * b + 4 * (i / 8) + i % 4};
     }},
    {"f32.16x16x1f32",
     [](unsigned b, unsigned i, unsigned) -> MfmaPlace {
       return {16 * b + i, 0};
     },
     [](unsigned b, unsigned i, unsigned j) -> MfmaPlace {
       return {16 * (i / 4) + j, 4 * b + i % 4};
     }},
    {"i32.4x4x4i8",
     [](unsigned b, unsigned i, unsigned k) -> MfmaPlace {
       return {4 * b + i, k};
     },
     [](unsigned b, unsigned i, unsigned j) -> MfmaPlace {
       return {4 * b + j, i};
     }},
    {"f64.16x16x4f64",
     [](unsigned, unsigned i, unsigned k) -> MfmaPlace {
       return {16 * k + i, 0};
     },
     [](unsigned, unsigned i, unsigned j) -> MfmaPlace {
       return {16 * (i % 4) + j, i / 4};
     }},
    {"f64.4x4x4f64",
     [](unsigned b, unsigned i, unsigned k) -> MfmaPlace {
       return {16 * k + 4 * b + i, 0};
     },
     [](unsigned b, unsigned i, unsigned j) -> MfmaPlace {
       return {16 * i + 4 * b + j, 0};
     }},
};

TEST(AmdMfma, LayoutsAreThoseOfTheCalculator) {
  for (const Formula &formula : formulas) {
    const MfmaShape &shape = shapeOf(formula.name);
    for (unsigned block = 0; block < shape.blocks; ++block)
      for (unsigned row = 0; row < shape.m; ++row) {
        for (unsigned k = 0; k < shape.k; ++k) {
          MfmaPlace found = mfmaInput(shape, block, row, k);
          MfmaPlace expected = formula.input(block, row, k);
          EXPECT_EQ(found.lane, expected.lane) << formula.name;
          EXPECT_EQ(found.element, expected.element) << formula.name;
        }
        for (unsigned column = 0; column < shape.n; ++column) {
          MfmaPlace found = mfmaOutput(shape, block, row, column);
          MfmaPlace expected = formula.output(block, row, column);
          EXPECT_EQ(found.lane, expected.lane) << formula.name;
          EXPECT_EQ(found.element, expected.element) << formula.name;
        }
      }
  }
}

} // namespace
