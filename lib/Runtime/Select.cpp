//===- Select.cpp - Dims in, case and grid out ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "Table.h"

using namespace lathe;
using namespace lathe::runtime;

lathe_status lathe::runtime::resolveDims(const lathe_table &table,
                                         const int64_t *dims, uint32_t numDims,
                                         int64_t *resolved) {
  if (numDims != table.numDims())
    return fail(LATHE_INVALID_ARGUMENT, "%s has %u dims, %u were given",
                table.entry(), table.numDims(), numDims);
  for (uint32_t i = 0; i < numDims; ++i) {
    const lathe_table_dim &dim = table.dims[i];
    int64_t value = dims[i];
    if (value == LATHE_DIM_DEFAULT) {
      if (dim.default_value.length == 0)
        return fail(LATHE_INVALID_ARGUMENT, "%s: dim %s has no default",
                    table.entry(), table.string(dim.name));
      if (!evaluateProgram(table.code + dim.default_value.first,
                           dim.default_value.length, resolved, value))
        return fail(LATHE_OVERFLOW, "%s: the default of dim %s overflows",
                    table.entry(), table.string(dim.name));
    }
    if (value < dim.min || value > dim.max)
      return fail(
          LATHE_OUT_OF_RANGE, "%s: dim %s is %lld, expected %lld to %lld",
          table.entry(), table.string(dim.name), static_cast<long long>(value),
          static_cast<long long>(dim.min), static_cast<long long>(dim.max));
    resolved[i] = value;
  }
  return LATHE_OK;
}

uint32_t lathe::runtime::findCase(const lathe_table &table, uint32_t arch,
                                  const int64_t *resolved, uint64_t alignment) {
  return table.indexes[arch].find(resolved, alignment ? alignment : UINT64_MAX);
}

lathe_status lathe::runtime::noCase(const lathe_table &table, uint32_t arch,
                                    uint64_t alignment) {
  return fail(LATHE_NO_CASE,
              "%s: no kernel for %s takes these dims with pointers aligned to "
              "%llu bytes",
              table.entry(), table.archName(arch),
              static_cast<unsigned long long>(alignment));
}

lathe_status lathe::runtime::computeGrid(const lathe_table &table,
                                         uint32_t index,
                                         const int64_t *resolved,
                                         uint32_t grid[3]) {
  const lathe_table_case &row = table.cases[index];
  const char *archName = table.archName(table.archOfCase[index]);
  bool isAmd = archName[0] == 'g';
  // CUDA takes 2^31 - 1 blocks in x; HIP takes 2^32 - 1 threads.
  int64_t limits[3] = {isAmd ? int64_t(UINT32_MAX / row.block_threads)
                             : int64_t(INT32_MAX),
                       65535, 65535};
  int64_t blocks[3];
  bool nothing = false;
  for (int i = 0; i < 3; ++i) {
    if (!evaluateProgram(table.code + row.grid[i].first, row.grid[i].length,
                         resolved, blocks[i]) ||
        blocks[i] < 0)
      return fail(LATHE_OVERFLOW,
                  "%s: the grid of kernel %s overflows or is negative",
                  table.entry(), table.string(row.kernel));
    nothing |= blocks[i] == 0;
  }
  for (int i = 0; i < 3; ++i) {
    if (!nothing && blocks[i] > limits[i])
      return fail(LATHE_LIMIT,
                  "%s: kernel %s needs %lld blocks in %c, the hardware takes "
                  "%lld",
                  table.entry(), table.string(row.kernel),
                  static_cast<long long>(blocks[i]), "xyz"[i],
                  static_cast<long long>(limits[i]));
    grid[i] = nothing ? 0 : uint32_t(blocks[i]);
  }
  return LATHE_OK;
}

lathe_status lathe::runtime::computeMap(const lathe_table &table,
                                        uint32_t index, const int64_t *resolved,
                                        void *const *pointers,
                                        TensorMapShape &shape,
                                        uint64_t &address) {
  const lathe_table_map &map = table.maps[index];
  const char *name = table.string(table.operands[map.operand].name);
  shape = table.preparedMaps[index].shape;
  auto evaluate = [&](const lathe_table_code &code, uint64_t &out) {
    int64_t value;
    if (!evaluateProgram(table.code + code.first, code.length, resolved,
                         value) ||
        value < 0)
      return false;
    out = uint64_t(value);
    return true;
  };
  bool fits = true;
  for (uint32_t i = 0; fits && i < map.rank; ++i)
    fits = evaluate(map.extents[i], shape.extents[i]) &&
           (i + 1 == map.rank || evaluate(map.strides[i], shape.strides[i]));
  if (!fits)
    return fail(LATHE_OVERFLOW,
                "%s: the tensor map of %s overflows or is negative",
                table.entry(), name);
  address = reinterpret_cast<uintptr_t>(pointers[map.operand]);
  // Nothing is read there, so any memory of the request will do.
  if (settleEmptyTensorMap(shape) && address == 0)
    address =
        reinterpret_cast<uintptr_t>(pointers[table.header->operands.count - 1]);
  if (TensorMapProblem problem = checkTensorMapSizes(shape, address))
    return fail(LATHE_LIMIT, "%s: tensor map of %s: %s", table.entry(), name,
                problem.text);
  return LATHE_OK;
}

lathe_status lathe_select(const lathe_table *table, uint32_t arch,
                          const int64_t *dims, uint32_t num_dims,
                          uint64_t alignment, uint32_t *case_index) {
  if (!table || (!dims && num_dims) || !case_index ||
      arch >= table->header->archs.count)
    return fail(LATHE_INVALID_ARGUMENT, "lathe_select: bad argument");
  int64_t resolved[LATHE_MAX_DIMS];
  if (lathe_status status = resolveDims(*table, dims, num_dims, resolved))
    return status;
  *case_index = findCase(*table, arch, resolved, alignment);
  return *case_index == UINT32_MAX ? noCase(*table, arch, alignment) : LATHE_OK;
}

uint64_t lathe_alignment(const void *const *pointers, uint32_t count) {
  uintptr_t bits = LATHE_TABLE_MAX_ALIGNMENT;
  for (uint32_t i = 0; pointers && i < count; ++i)
    bits |= reinterpret_cast<uintptr_t>(pointers[i]);
  return bits & -bits;
}

lathe_status lathe_grid(const lathe_table *table, uint32_t case_index,
                        const int64_t *dims, uint32_t num_dims,
                        uint32_t grid[3]) {
  if (!table || (!dims && num_dims) || !grid ||
      case_index >= table->header->cases.count)
    return fail(LATHE_INVALID_ARGUMENT, "lathe_grid: bad argument");
  int64_t resolved[LATHE_MAX_DIMS];
  if (lathe_status status = resolveDims(*table, dims, num_dims, resolved))
    return status;
  return computeGrid(*table, case_index, resolved, grid);
}
