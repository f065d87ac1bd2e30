//===- SyntheticTables.h - Random but legal dispatch tables -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_PACKAGE_SYNTHETICTABLES_H
#define LATHE_TEST_UNIT_PACKAGE_SYNTHETICTABLES_H

#include "lathe/Package/Bundle.h"

#include <random>

namespace lathe::test {

using Rng = std::mt19937_64;

/// A closed range draw that also reaches the whole of int64.
inline int64_t draw(Rng &rng, int64_t lo, int64_t hi) {
  return std::uniform_int_distribution<int64_t>(lo, hi)(rng);
}

/// One case of `arch` with the given guards; a kernel of its own.
DispatchCase makeCase(const std::string &arch, CaseKind kind,
                      std::vector<DimGuard> guards, int64_t alignment = 1);

/// rms_norm(x[T, H], weight[H]) -> out, without cases.
DispatchTable makeSignature(const std::string &entry);

/// About `count` random cases per architecture that pass the rules.
DispatchTable makeTable(Rng &rng, const std::string &entry,
                        const std::vector<std::string> &archs, size_t count);

/// Tables with one small fake image per table and architecture.
Bundle makeBundle(std::vector<DispatchTable> tables);

/// Every dim within its declared range, near the cases' bounds half of the
/// time.
std::vector<int64_t> drawDims(Rng &rng, const DispatchTable &table);

/// Index of the first case of `arch` that holds, in the table's order; -1.
int naiveSelect(const DispatchTable &table, const std::string &arch,
                const std::vector<int64_t> &dims, uint64_t alignment);

} // namespace lathe::test

#endif // LATHE_TEST_UNIT_PACKAGE_SYNTHETICTABLES_H
