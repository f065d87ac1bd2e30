//===- Open.cpp - Opening bundles and asking about them -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

using namespace lathe::runtime;

namespace {
struct FileCloser {
  void operator()(FILE *file) const { fclose(file); }
};
} // namespace

static lathe_status readFile(const char *path, lathe_bundle &bundle) {
  std::unique_ptr<FILE, FileCloser> file(fopen(path, "rb"));
  if (!file || fseek(file.get(), 0, SEEK_END) != 0)
    return fail(LATHE_IO_ERROR, "%s: %s", path, strerror(errno));
  long size = ftell(file.get());
  if (size < 0 || fseek(file.get(), 0, SEEK_SET) != 0)
    return fail(LATHE_IO_ERROR, "%s: %s", path, strerror(errno));
  // Before memory is asked for: whatever is not a container may be of any size.
  char start[4];
  if (size > 0 && fread(start, 1, 1, file.get()) != 1)
    return fail(LATHE_IO_ERROR, "%s: %s", path, strerror(errno));
  if (size >= 4 && (fread(start + 1, 1, 3, file.get()) != 3 ||
                    memcmp(start, offloadMagic, 4) != 0))
    return fail(LATHE_NOT_A_BUNDLE, "%s: no offload binary at offset 0", path);
  rewind(file.get());
  bundle.storage.reset(new (std::nothrow) uint64_t[size_t(size) / 8 + 1]);
  if (!bundle.storage)
    return fail(LATHE_OUT_OF_MEMORY, "%s: no memory for %ld bytes", path, size);
  size_t got = fread(bundle.storage.get(), 1, size_t(size), file.get());
  if (got != size_t(size))
    return fail(LATHE_IO_ERROR, "%s: read %zu of %ld bytes", path, got, size);
  bundle.bytes = {reinterpret_cast<char *>(bundle.storage.get()), got};
  return LATHE_OK;
}

/// Runs `fill`, then checks and parses; exceptions end here.
template <typename Fill>
static lathe_status open(lathe_bundle **out, Fill fill) {
  *out = nullptr;
  try {
    auto bundle = std::make_unique<lathe_bundle>();
    if (lathe_status status = fill(*bundle))
      return status;
    if (lathe_status status = parseBundle(*bundle))
      return status;
    *out = bundle.release();
    return LATHE_OK;
  } catch (const std::exception &) {
    return fail(LATHE_OUT_OF_MEMORY, "no memory for the bundle");
  }
}

lathe_status lathe_open_file(const char *path, lathe_bundle **bundle) {
  if (!path || !bundle)
    return fail(LATHE_INVALID_ARGUMENT, "lathe_open_file: null argument");
  return open(bundle, [&](lathe_bundle &b) { return readFile(path, b); });
}

lathe_status lathe_open_memory(const void *bytes, size_t size, uint32_t flags,
                               lathe_bundle **bundle) {
  if ((!bytes && size) || !bundle || flags > LATHE_OPEN_BORROW)
    return fail(LATHE_INVALID_ARGUMENT, "lathe_open_memory: bad argument");
  if ((flags & LATHE_OPEN_BORROW) && reinterpret_cast<uintptr_t>(bytes) % 8)
    return fail(LATHE_INVALID_ARGUMENT,
                "borrowed bytes must be aligned to 8 bytes");
  return open(bundle, [&](lathe_bundle &b) {
    b.bytes = {static_cast<const char *>(bytes), size};
    if (flags & LATHE_OPEN_BORROW)
      return LATHE_OK;
    b.storage.reset(new uint64_t[size / 8 + 1]);
    if (size)
      memcpy(b.storage.get(), bytes, size);
    b.bytes = {reinterpret_cast<char *>(b.storage.get()), size};
    return LATHE_OK;
  });
}

void lathe_close(lathe_bundle *bundle) { delete bundle; }

uint32_t lathe_abi_version(void) { return LATHE_RUNTIME_ABI_VERSION; }

const char *lathe_manifest(const lathe_bundle *bundle, size_t *size) {
  if (size)
    *size = bundle ? bundle->manifest.size() : 0;
  return bundle ? bundle->manifest.c_str() : nullptr;
}

uint32_t lathe_num_tables(const lathe_bundle *bundle) {
  return bundle ? uint32_t(bundle->tables.size()) : 0;
}

const lathe_table *lathe_table_at(const lathe_bundle *bundle, uint32_t index) {
  return index < lathe_num_tables(bundle) ? bundle->tables[index].get()
                                          : nullptr;
}

const lathe_table *lathe_find_table(const lathe_bundle *bundle,
                                    const char *entry) {
  if (!bundle || !entry) {
    fail(LATHE_INVALID_ARGUMENT, "lathe_find_table: null argument");
    return nullptr;
  }
  for (auto &table : bundle->tables)
    if (!strcmp(table->entry(), entry))
      return table.get();
  try {
    const char *near = nearestEntry(*bundle, entry);
    fail(LATHE_NOT_FOUND, "no operator '%.80s'%s%s%s", entry,
         near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
  } catch (const std::exception &) {
    fail(LATHE_NOT_FOUND, "no operator '%.80s'", entry);
  }
  return nullptr;
}

/// `info` must be of this version's size; grows to a range when it grows.
template <typename Info>
static lathe_status checkInfo(const lathe_table *table, uint32_t index,
                              uint32_t count, const Info *info,
                              const char *function) {
  if (!table || !info)
    return fail(LATHE_INVALID_ARGUMENT, "%s: null argument", function);
  if (info->struct_size != sizeof(Info))
    return fail(LATHE_INVALID_ARGUMENT, "%s: struct_size is %u, expected %zu",
                function, info->struct_size, sizeof(Info));
  if (index >= count)
    return fail(LATHE_NOT_FOUND, "%s: index %u, %s has %u", function, index,
                table->entry(), count);
  return LATHE_OK;
}

lathe_status lathe_get_table_info(const lathe_table *table,
                                  lathe_table_info *info) {
  if (lathe_status status = checkInfo(table, 0, 1, info, __func__))
    return status;
  const lathe_table_header &h = *table->header;
  *info = {sizeof *info,  h.dims.count,  h.operands.count, h.scalars.count,
           h.archs.count, h.cases.count, table->entry(),   table->string(h.op)};
  return LATHE_OK;
}

lathe_status lathe_get_dim_info(const lathe_table *table, uint32_t index,
                                lathe_dim_info *info) {
  if (lathe_status status =
          checkInfo(table, index, table ? table->numDims() : 0, info, __func__))
    return status;
  const lathe_table_dim &dim = table->dims[index];
  *info = {sizeof *info, dim.default_value.length != 0, table->string(dim.name),
           dim.min, dim.max};
  return LATHE_OK;
}

lathe_status lathe_get_operand_info(const lathe_table *table, uint32_t index,
                                    lathe_operand_info *info) {
  uint32_t count = table ? table->header->operands.count : 0;
  if (lathe_status status = checkInfo(table, index, count, info, __func__))
    return status;
  const lathe_table_operand &operand = table->operands[index];
  *info = {sizeof *info, operand.is_output, table->string(operand.name),
           table->string(operand.dtype)};
  return LATHE_OK;
}

lathe_status lathe_get_scalar_info(const lathe_table *table, uint32_t index,
                                   lathe_scalar_info *info) {
  uint32_t count = table ? table->header->scalars.count : 0;
  if (lathe_status status = checkInfo(table, index, count, info, __func__))
    return status;
  const lathe_table_scalar &scalar = table->scalars[index];
  *info = {sizeof *info, 0, table->string(scalar.name),
           table->string(scalar.dtype), scalar.default_value};
  return LATHE_OK;
}

lathe_status lathe_get_case_info(const lathe_table *table, uint32_t index,
                                 lathe_case_info *info) {
  uint32_t count = table ? table->header->cases.count : 0;
  if (lathe_status status = checkInfo(table, index, count, info, __func__))
    return status;
  const lathe_table_case &row = table->cases[index];
  *info = {sizeof *info,
           row.kind,
           table->string(row.kernel),
           table->string(row.symbol),
           table->archName(table->archOfCase[index]),
           row.alignment,
           row.num_guards,
           row.block_threads,
           row.shared_bytes};
  return LATHE_OK;
}
