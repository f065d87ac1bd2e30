//===- Launch.cpp - Select, fill the arguments, launch --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prepared.h"

#include <cmath>
#include <cstring>

using namespace lathe::runtime;

static lathe_status notPrepared(const lathe_prepared &prepared,
                                const lathe_table &table) {
  return fail(LATHE_NO_IMAGE, "%s is not loaded on this device (%.63s)",
              table.entry(), prepared.device.name);
}

/// Stores `value` as the scalar's dtype; integers must be exact.
static bool storeScalar(std::string_view dtype, double value, uint64_t &slot) {
  slot = 0;
  if (dtype == "f32") {
    float narrow = float(value);
    memcpy(&slot, &narrow, sizeof narrow);
    return true;
  }
  if (dtype == "f64") {
    memcpy(&slot, &value, sizeof value);
    return true;
  }
  double limit = dtype == "i32" ? 0x1p31 : 0x1p63;
  if (!(value >= -limit && value < limit) || value != std::floor(value))
    return false;
  int64_t wide = int64_t(value);
  memcpy(&slot, &wide, sizeof wide); // little-endian: its low half is the i32
  return true;
}

/// Encodes the case's maps into `out`, 128 bytes each.
static lathe_status encodeMaps(Driver &driver, const lathe_table &table,
                               const lathe_table_case &row,
                               const int64_t *resolved, void *const *pointers,
                               unsigned char (*out)[lathe::tensorMapBytes]) {
  for (uint32_t i = 0; i < row.num_maps; ++i) {
    uint32_t index = row.first_map + i;
    lathe::TensorMapShape shape;
    uint64_t address;
    if (lathe_status status =
            computeMap(table, index, resolved, pointers, shape, address))
      return status;
    if (lathe_status status = driver.encodeMap(
            shape, table.preparedMaps[index].driverType, address, out[i]))
      return status;
  }
  return LATHE_OK;
}

lathe_status lathe_prepared_arch(const lathe_prepared *prepared,
                                 const lathe_table *table, uint32_t *arch,
                                 uint32_t *is_ptx) {
  if (!prepared || !table || !arch)
    return fail(LATHE_INVALID_ARGUMENT, "lathe_prepared_arch: null argument");
  const PreparedTable *loaded = prepared->find(table);
  if (!loaded)
    return notPrepared(*prepared, *table);
  *arch = loaded->arch;
  if (is_ptx)
    *is_ptx = loaded->isPtx;
  return LATHE_OK;
}

const lathe_table *lathe_prepared_table(const lathe_prepared *prepared,
                                        uint32_t index, const char *entry) {
  const lathe_table *table =
      prepared && entry ? lathe_table_at(prepared->bundle, index) : nullptr;
  if (table && strcmp(table->entry(), entry) == 0)
    return table;
  fail(LATHE_NOT_FOUND, "the prepared bundle has no '%.80s' at %u",
       entry ? entry : "", index);
  return nullptr;
}

lathe_status lathe_launch(const lathe_prepared *prepared,
                          const lathe_table *table, const int64_t *dims,
                          uint32_t num_dims, void *const *pointers,
                          uint32_t num_pointers, const double *scalars,
                          uint32_t num_scalars, void *stream) {
  if (!table && prepared)
    return LATHE_INVALID_ARGUMENT; // whoever looked it up has said why
  if (!prepared || (!dims && num_dims) || (!pointers && num_pointers) ||
      (!scalars && num_scalars))
    return fail(LATHE_INVALID_ARGUMENT, "lathe_launch: null argument");
  const lathe_table_header &header = *table->header;
  if (num_pointers != header.operands.count)
    return fail(LATHE_INVALID_ARGUMENT, "%s has %u operands, %u were given",
                table->entry(), header.operands.count, num_pointers);
  if (scalars && num_scalars != header.scalars.count)
    return fail(LATHE_INVALID_ARGUMENT, "%s has %u scalars, %u were given",
                table->entry(), header.scalars.count, num_scalars);
  const PreparedTable *loaded = prepared->find(table);
  if (!loaded)
    return notPrepared(*prepared, *table);

  for (uint32_t i = 0; i < num_pointers; ++i)
    if (reinterpret_cast<uintptr_t>(pointers[i]) % table->elementBytes[i] != 0)
      return fail(LATHE_INVALID_ARGUMENT,
                  "%s: the address of %s is not a multiple of its element's "
                  "%u bytes",
                  table->entry(), table->string(table->operands[i].name),
                  table->elementBytes[i]);

  int64_t resolved[LATHE_MAX_DIMS];
  if (lathe_status status = resolveDims(*table, dims, num_dims, resolved))
    return status;
  uint64_t alignment = lathe_alignment(pointers, num_pointers);
  uint32_t index = findCase(*table, loaded->arch, resolved, alignment);
  if (index == UINT32_MAX)
    return noCase(*table, loaded->arch, alignment);
  uint32_t grid[3];
  if (lathe_status status = computeGrid(*table, index, resolved, grid))
    return status;
  if (grid[0] == 0)
    return LATHE_OK;

  const lathe_table_case &row = table->cases[index];
  uint64_t slots[LATHE_MAX_SCALARS];
  alignas(lathe::tensorMapAlignment) unsigned char maps[LATHE_TABLE_MAX_MAPS]
                                                       [lathe::tensorMapBytes];
  void *arguments[LATHE_MAX_OPERANDS + LATHE_MAX_DIMS + LATHE_MAX_SCALARS +
                  LATHE_TABLE_MAX_MAPS];
  void **next = arguments;
  for (uint32_t i = 0; i < num_pointers; ++i)
    *next++ = const_cast<void **>(&pointers[i]);
  for (uint32_t i = 0; i < row.num_runtime_dims; ++i)
    *next++ = &resolved[table->runtimeDims[row.first_runtime_dim + i]];
  for (uint32_t i = 0; i < header.scalars.count; ++i) {
    const lathe_table_scalar &scalar = table->scalars[i];
    double value = scalars ? scalars[i] : scalar.default_value;
    if (!storeScalar(table->string(scalar.dtype), value, slots[i]))
      return fail(LATHE_INVALID_ARGUMENT, "%s: scalar %s is %g, expected %s",
                  table->entry(), table->string(scalar.name), value,
                  table->string(scalar.dtype));
    *next++ = &slots[i];
  }

  Driver &driver = *prepared->driver;
  if (lathe_status status =
          encodeMaps(driver, *table, row, resolved, pointers, maps))
    return status;
  for (uint32_t i = 0; i < row.num_maps; ++i)
    *next++ = maps[i];
  bool entered;
  if (lathe_status status =
          driver.enter(prepared->ordinal, prepared->context, entered))
    return status;
  lathe_status status =
      driver.launch(loaded->functions[index - loaded->firstCase], grid,
                    row.block_threads, row.shared_bytes, stream, arguments);
  driver.leave(entered);
  return status;
}
