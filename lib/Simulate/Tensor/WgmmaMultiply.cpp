//===- WgmmaMultiply.cpp - 64 by n by k, fast -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgmmaMultiply.h"

#include <cstring>

using namespace lathe::sim;

#if defined(__x86_64__) && defined(__ELF__)
#define LATHE_CLONES                                                           \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LATHE_CLONES
#endif

// Vectors of this width need no such registers: the compiler splits them.
using Double2 __attribute__((vector_size(16))) = double;
using Double8 __attribute__((vector_size(64))) = double;

namespace {
template <typename T> struct Four;
template <> struct Four<float> {
  using Half __attribute__((vector_size(16))) = float;
  using Whole __attribute__((vector_size(32))) = float;
};
template <> struct Four<double> {
  using Half __attribute__((vector_size(32))) = double;
  using Whole __attribute__((vector_size(64))) = double;
};

// Two groups of rows by `columns` pairs of columns: enough sums in flight to
// hide the latency of one.
template <typename T, unsigned columns>
__attribute__((always_inline)) inline void
multiplyBlock(const WgmmaTile &tile, const double *a, const double *b,
              T *const *low, T *const *high, unsigned column) {
  using Half = typename Four<T>::Half;
  using Whole = typename Four<T>::Whole;
  Double8 sums[2][columns] = {};
  if (tile.accumulates)
    for (unsigned group = 0; group < 2; ++group)
      for (unsigned j = 0; j < columns; ++j) {
        Half first, second;
        std::memcpy(&first, low[group] + 4 * (column + j), sizeof(Half));
        std::memcpy(&second, high[group] + 4 * (column + j), sizeof(Half));
        Whole both =
            __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
        sums[group][j] = __builtin_convertvector(both, Double8);
      }
  for (unsigned k = 0; k < tile.k; ++k) {
    Double8 rows[2];
    std::memcpy(&rows[0], a + k * 8, sizeof(Double8));
    std::memcpy(&rows[1], a + (tile.k + k) * 8, sizeof(Double8));
    for (unsigned j = 0; j < columns; ++j) {
      Double2 pair;
      std::memcpy(&pair, b + ((column + j) * size_t(tile.k) + k) * 2,
                  sizeof(Double2));
      Double8 spread =
          __builtin_shufflevector(pair, pair, 0, 1, 0, 1, 0, 1, 0, 1);
      sums[0][j] += rows[0] * spread;
      sums[1][j] += rows[1] * spread;
    }
  }
  for (unsigned group = 0; group < 2; ++group)
    for (unsigned j = 0; j < columns; ++j) {
      Whole both = __builtin_convertvector(sums[group][j], Whole);
      Half first = __builtin_shufflevector(both, both, 0, 1, 2, 3);
      Half second = __builtin_shufflevector(both, both, 4, 5, 6, 7);
      std::memcpy(low[group] + 4 * (column + j), &first, sizeof(Half));
      std::memcpy(high[group] + 4 * (column + j), &second, sizeof(Half));
    }
}

template <typename T>
__attribute__((always_inline)) inline void multiplyAll(const WgmmaTile &tile,
                                                       T *const *accumulators) {
  unsigned pairs = tile.n / 8;
  for (unsigned q = 0; q < 4; ++q) {
    const double *b = tile.b + size_t(q) * pairs * tile.k * 2;
    for (unsigned group = 0; group < 16; group += 2) {
      const double *a = tile.a + size_t(group) * tile.k * 8;
      // Group `i` of a warp starts at its row 2 * (i % 4).
      T *low[2], *high[2];
      for (unsigned i = 0; i < 2; ++i) {
        unsigned lane = (group + i) / 4 * 32 + (group + i) % 4 * 8 + q;
        low[i] = accumulators[lane];
        high[i] = accumulators[lane + 4];
      }
      unsigned column = 0;
      for (; column + 4 <= pairs; column += 4)
        multiplyBlock<T, 4>(tile, a, b, low, high, column);
      for (; column < pairs; ++column)
        multiplyBlock<T, 1>(tile, a, b, low, high, column);
    }
  }
}
} // namespace

LATHE_CLONES static void multiplySingle(const WgmmaTile &tile,
                                        float *const *accumulators) {
  multiplyAll(tile, accumulators);
}

LATHE_CLONES static void multiplyDouble(const WgmmaTile &tile,
                                        double *const *accumulators) {
  multiplyAll(tile, accumulators);
}

void lathe::sim::multiplyTile(const WgmmaTile &tile,
                              float *const *accumulators) {
  multiplySingle(tile, accumulators);
}

void lathe::sim::multiplyTile(const WgmmaTile &tile,
                              double *const *accumulators) {
  multiplyDouble(tile, accumulators);
}

void lathe::sim::arrangeA(const double *rows, unsigned k, double *to) {
  for (unsigned group = 0; group < 16; ++group) {
    unsigned row = group / 4 * 16 + group % 4 * 2;
    const unsigned order[] = {row, row + 8, row + 1, row + 9};
    for (unsigned i = 0; i < k; ++i)
      for (unsigned r : order) {
        *to++ = rows[size_t(r) * k + i];
        *to++ = rows[size_t(r) * k + i];
      }
  }
}

void lathe::sim::arrangeB(const double *columns, unsigned n, unsigned k,
                          double *to) {
  for (unsigned q = 0; q < 4; ++q)
    for (unsigned j = 0; j < n / 8; ++j) {
      const double *first = columns + size_t(8 * j + 2 * q) * k;
      for (unsigned i = 0; i < k; ++i) {
        *to++ = first[i];
        *to++ = first[k + i];
      }
    }
}

void lathe::sim::arrangeTransposedB(const double *rows, unsigned n, unsigned k,
                                    double *to) {
  for (unsigned q = 0; q < 4; ++q)
    for (unsigned j = 0; j < n / 8; ++j)
      for (unsigned i = 0; i < k; ++i) {
        std::memcpy(to, rows + size_t(i) * n + 8 * j + 2 * q, 16);
        to += 2;
      }
}
