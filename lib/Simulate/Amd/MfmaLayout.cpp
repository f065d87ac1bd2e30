//===- MfmaLayout.cpp - Matrices in the registers of a wave ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MfmaLayout.h"

using namespace lathe::sim;
using amd::MfmaShape;
using amd::MfmaType;

llvm::ArrayRef<MfmaShape> amd::mfmaShapes() {
  using T = MfmaType;
  static constexpr MfmaShape shapes[] = {
      {"f32.32x32x1f32", T::F32, T::F32, 32, 32, 1, 2, true},
      {"f32.16x16x1f32", T::F32, T::F32, 16, 16, 1, 4, true},
      {"f32.4x4x1f32", T::F32, T::F32, 4, 4, 1, 16, true},
      {"f32.32x32x2f32", T::F32, T::F32, 32, 32, 2, 1, true},
      {"f32.16x16x4f32", T::F32, T::F32, 16, 16, 4, 1, true},
      {"f32.32x32x4f16", T::F16, T::F16, 32, 32, 4, 2, true},
      {"f32.16x16x4f16", T::F16, T::F16, 16, 16, 4, 4, true},
      {"f32.4x4x4f16", T::F16, T::F16, 4, 4, 4, 16, true},
      {"f32.32x32x8f16", T::F16, T::F16, 32, 32, 8, 1, false},
      {"f32.16x16x16f16", T::F16, T::F16, 16, 16, 16, 1, false},
      {"f32.32x32x2bf16", T::BF16, T::BF16, 32, 32, 2, 2, true},
      {"f32.16x16x2bf16", T::BF16, T::BF16, 16, 16, 2, 4, true},
      {"f32.4x4x2bf16", T::BF16, T::BF16, 4, 4, 2, 16, true},
      {"f32.32x32x4bf16", T::BF16, T::BF16, 32, 32, 4, 1, true},
      {"f32.16x16x8bf16", T::BF16, T::BF16, 16, 16, 8, 1, true},
      {"f32.32x32x4bf16.1k", T::BF16, T::BF16, 32, 32, 4, 2, true},
      {"f32.16x16x4bf16.1k", T::BF16, T::BF16, 16, 16, 4, 4, true},
      {"f32.4x4x4bf16.1k", T::BF16, T::BF16, 4, 4, 4, 16, true},
      {"f32.32x32x8bf16.1k", T::BF16, T::BF16, 32, 32, 8, 1, false},
      {"f32.16x16x16bf16.1k", T::BF16, T::BF16, 16, 16, 16, 1, false},
      {"f32.16x16x8.xf32", T::XF32, T::XF32, 16, 16, 8, 1, false},
      {"f32.32x32x4.xf32", T::XF32, T::XF32, 32, 32, 4, 1, false},
      {"f32.16x16x32.fp8.fp8", T::FP8, T::FP8, 16, 16, 32, 1, false},
      {"f32.16x16x32.fp8.bf8", T::FP8, T::BF8, 16, 16, 32, 1, false},
      {"f32.16x16x32.bf8.fp8", T::BF8, T::FP8, 16, 16, 32, 1, false},
      {"f32.16x16x32.bf8.bf8", T::BF8, T::BF8, 16, 16, 32, 1, false},
      {"f32.32x32x16.fp8.fp8", T::FP8, T::FP8, 32, 32, 16, 1, false},
      {"f32.32x32x16.fp8.bf8", T::FP8, T::BF8, 32, 32, 16, 1, false},
      {"f32.32x32x16.bf8.fp8", T::BF8, T::FP8, 32, 32, 16, 1, false},
      {"f32.32x32x16.bf8.bf8", T::BF8, T::BF8, 32, 32, 16, 1, false},
      {"i32.32x32x4i8", T::I8, T::I8, 32, 32, 4, 2, true},
      {"i32.16x16x4i8", T::I8, T::I8, 16, 16, 4, 4, true},
      {"i32.4x4x4i8", T::I8, T::I8, 4, 4, 4, 16, true},
      {"i32.32x32x8i8", T::I8, T::I8, 32, 32, 8, 1, true},
      {"i32.16x16x16i8", T::I8, T::I8, 16, 16, 16, 1, true},
      {"i32.16x16x32.i8", T::I8, T::I8, 16, 16, 32, 1, false},
      {"i32.32x32x16.i8", T::I8, T::I8, 32, 32, 16, 1, false},
      {"f64.16x16x4f64", T::F64, T::F64, 16, 16, 4, 1, false},
      {"f64.4x4x4f64", T::F64, T::F64, 4, 4, 4, 4, false},
  };
  return shapes;
}

amd::MfmaPlace amd::mfmaInput(const MfmaShape &shape, unsigned block,
                              unsigned row, unsigned k) {
  // All rows of all blocks for the first few k, then for the next.
  unsigned perLane = shape.inputsPerLane();
  return {row + shape.m * (block + shape.blocks * (k / perLane)), k % perLane};
}

amd::MfmaPlace amd::mfmaOutput(const MfmaShape &shape, unsigned block,
                               unsigned row, unsigned column) {
  // Bands of four rows (one for f64), as many side by side as lanes allow:
  // first those of other blocks, then those of the same block.
  unsigned height = shape.a == MfmaType::F64 ? 1 : 4;
  unsigned bands = shape.m / height, slots = 64 / shape.n;
  unsigned blocksAbreast = bands >= slots ? 1 : slots / bands;
  unsigned bandsAbreast = slots / blocksAbreast;
  unsigned band = row / height;
  unsigned lane = column + shape.n * (block % blocksAbreast +
                                      blocksAbreast * (band % bandsAbreast));
  unsigned perBlock = height * (bands / bandsAbreast);
  unsigned element = perBlock * (block / blocksAbreast) +
                     height * (band / bandsAbreast) + row % height;
  return {lane, element};
}
