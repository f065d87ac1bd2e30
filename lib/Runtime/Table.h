//===- Table.h - A dispatch table in memory ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_TABLE_H
#define LATHE_LIB_RUNTIME_TABLE_H

#include "CaseIndex.h"
#include "Error.h"

#include "lathe/Support/TensorMapRules.h"

#include <string_view>

namespace lathe::runtime {

/// What launches of one architecture load; views into the bundle's bytes.
struct ArchImages {
  std::string_view binary; ///< cubin or code object; empty if there is none
  std::string_view ptx;
};

/// What every launch of a tensor map has in common.
struct PreparedMap {
  TensorMapShape shape; ///< without extents and strides
  int driverType;       ///< CUtensorMapDataType
};

} // namespace lathe::runtime

/// Checked at construction; never changes afterwards. The sections point into
/// the bundle's bytes.
struct lathe_table {
  const lathe_table_header *header = nullptr;
  const lathe_table_arch *archs = nullptr;
  const lathe_table_dim *dims = nullptr;
  const lathe_table_operand *operands = nullptr;
  const lathe_table_scalar *scalars = nullptr;
  const lathe_table_case *cases = nullptr;
  const lathe_table_guard *guards = nullptr;
  const uint32_t *runtimeDims = nullptr;
  const lathe_table_map *maps = nullptr;
  const lathe_table_instr *code = nullptr;
  const char *strings = nullptr;

  std::vector<lathe::runtime::CaseIndex> indexes;        ///< per architecture
  std::vector<lathe::runtime::ArchImages> images;        ///< per architecture
  std::vector<lathe::runtime::PreparedMap> preparedMaps; ///< per map
  std::vector<uint32_t> archOfCase;
  std::vector<uint32_t> elementBytes; ///< per operand; 1 if less than a byte

  uint32_t numDims() const { return header->dims.count; }
  const char *string(uint32_t offset) const { return strings + offset; }
  const char *entry() const { return string(header->entry); }
  const char *archName(uint32_t arch) const { return string(archs[arch].name); }
};

namespace lathe::runtime {

/// Checks every field of `bytes` (8-byte aligned) and builds the indexes.
lathe_status parseTable(std::string_view bytes, lathe_table &table);

/// Fills defaults in and checks the declared ranges. `resolved` has room for
/// LATHE_MAX_DIMS values.
lathe_status resolveDims(const lathe_table &table, const int64_t *dims,
                         uint32_t numDims, int64_t *resolved);

/// The first case whose guards hold, at dims that resolveDims returned;
/// UINT32_MAX if none.
uint32_t findCase(const lathe_table &table, uint32_t arch,
                  const int64_t *resolved, uint64_t alignment);

/// The grid of a case, checked; zeros in all three if there is nothing to do.
lathe_status computeGrid(const lathe_table &table, uint32_t index,
                         const int64_t *resolved, uint32_t grid[3]);

/// Map `index` at resolved dims, over the memory of its operand; of the last
/// operand where its own has no elements and no address.
lathe_status computeMap(const lathe_table &table, uint32_t index,
                        const int64_t *resolved, void *const *pointers,
                        TensorMapShape &shape, uint64_t &address);

lathe_status noCase(const lathe_table &table, uint32_t arch,
                    uint64_t alignment);

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_TABLE_H
