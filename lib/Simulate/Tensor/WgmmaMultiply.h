//===- WgmmaMultiply.h - 64 by n by k, fast ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_TENSOR_WGMMAMULTIPLY_H
#define LATHE_LIB_SIMULATE_TENSOR_WGMMAMULTIPLY_H

#include <cstddef>

namespace lathe::sim {

/// Operands in the order in which the multiplication reads them. Rows come in
/// groups of four: r, r + 8, r + 1, r + 9, which lanes 4r + q and 4r + 4 + q of
/// a warp hold as pairs of columns.
struct WgmmaTile {
  unsigned n = 0, k = 0;
  const double *a = nullptr; ///< [16 groups][k][4 rows, each twice]
  const double *b = nullptr; ///< [4 q][n / 8][k][2 columns]
  bool accumulates = true;   ///< false: what the accumulators hold is not read
};

/// `accumulators`: of the 128 threads, n / 2 values each. Products are exact in
/// double for every type of wgmma; they are summed there and the result is
/// rounded once.
void multiplyTile(const WgmmaTile &tile, float *const *accumulators);
void multiplyTile(const WgmmaTile &tile, double *const *accumulators);

inline size_t sizeOfTileA(unsigned k) { return size_t(16) * k * 8; }
inline size_t sizeOfTileB(unsigned n, unsigned k) { return size_t(n) * k; }

/// From row-major [64][k].
void arrangeA(const double *rows, unsigned k, double *to);
/// From [n][k].
void arrangeB(const double *columns, unsigned n, unsigned k, double *to);
/// From [k][n].
void arrangeTransposedB(const double *rows, unsigned n, unsigned k, double *to);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_TENSOR_WGMMAMULTIPLY_H
