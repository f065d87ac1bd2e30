//===- BundleFuzzer.cpp - Opens anything and asks everything --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte picks how deep the input reaches: as a whole file it rarely
// passes the hashes, so a table alone can be given, or a file whose hashes are
// repaired here first.
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "Sha256.h"

#include <algorithm>
#include <cstring>

using namespace lathe::runtime;

/// What a launch does before it asks the driver.
static void describe(const lathe_table &table, uint32_t index,
                     const int64_t *resolved) {
  void *pointers[LATHE_MAX_OPERANDS] = {};
  const lathe_table_case &row = table.cases[index];
  for (uint32_t i = 0; i < row.num_maps; ++i) {
    lathe::TensorMapShape shape;
    uint64_t address;
    computeMap(table, row.first_map + i, resolved, pointers, shape, address);
  }
}

/// Calls every query of a table at a few points.
static void exercise(const lathe_table &table) {
  for (uint32_t arch = 0; lathe_arch_name(&table, arch); ++arch) {
    for (int64_t seed : {INT64_MIN, int64_t(0), int64_t(1), INT64_MAX}) {
      int64_t dims[LATHE_MAX_DIMS];
      for (uint32_t i = 0; i < table.numDims(); ++i) {
        const lathe_table_dim &dim = table.dims[i];
        bool useDefault = seed == INT64_MIN && dim.default_value.length;
        dims[i] = useDefault ? LATHE_DIM_DEFAULT
                             : std::min(std::max(seed, dim.min), dim.max);
      }
      uint32_t index, grid[3];
      lathe_explanation why = {};
      why.struct_size = sizeof why;
      lathe_rejection rejections[4];
      lathe_status found =
          lathe_select(&table, arch, dims, table.numDims(), 2, &index);
      lathe_explain(&table, arch, dims, table.numDims(), 2, &why, rejections,
                    4);
      // The index and the plain scan must agree.
      if (found == LATHE_OK && why.case_index != index)
        __builtin_trap();
      if (found == LATHE_OK)
        lathe_grid(&table, index, dims, table.numDims(), grid);
      if (found == LATHE_OK)
        describe(table, index, why.dims);
    }
  }
}

static void openTable(const uint8_t *data, size_t size) {
  std::vector<uint64_t> aligned(size / 8 + 1);
  memcpy(aligned.data(), data, size);
  lathe_table table;
  if (parseTable({reinterpret_cast<char *>(aligned.data()), size}, table) ==
      LATHE_OK)
    exercise(table);
}

/// Makes every hash right that the directory states.
static void repair(std::vector<uint8_t> &bytes) {
  OffloadMember member;
  std::string_view view(reinterpret_cast<char *>(bytes.data()), bytes.size());
  if (readOffloadMember(view, 0, member))
    return;
  std::string_view image = member.entries.front().image;
  size_t start = size_t(image.data() - view.data());
  size_t fixed = sizeof(lathe_directory_header) + 32;
  if (image.size() < fixed)
    return;
  size_t count = (image.size() - fixed) / sizeof(lathe_directory_record);
  for (size_t i = 0; i < count; ++i) {
    uint8_t *at = bytes.data() + start + sizeof(lathe_directory_header) +
                  i * sizeof(lathe_directory_record);
    lathe_directory_record record;
    memcpy(&record, at, sizeof record);
    if (record.offset > bytes.size() ||
        record.size > bytes.size() - record.offset)
      continue;
    sha256(bytes.data() + record.offset, record.size, record.sha256);
    memcpy(at, &record, sizeof record);
  }
  size_t hashed = start + image.size() - 32;
  uint8_t digest[32];
  sha256(bytes.data(), hashed, digest);
  memcpy(bytes.data() + hashed, digest, 32);
}

static void openBundle(const uint8_t *data, size_t size, bool repaired) {
  std::vector<uint8_t> bytes(data, data + size);
  if (repaired)
    repair(bytes);
  lathe_bundle *bundle;
  if (lathe_open_memory(bytes.data(), bytes.size(), 0, &bundle))
    return;
  for (uint32_t i = 0; i < lathe_num_tables(bundle); ++i)
    exercise(*lathe_table_at(bundle, i));
  lathe_find_table(bundle, "rms_norn");
  lathe_close(bundle);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  switch (data[0] % 3) {
  case 0:
    openTable(data + 1, size - 1);
    break;
  default:
    openBundle(data + 1, size - 1, data[0] % 3 == 2);
  }
  return 0;
}
