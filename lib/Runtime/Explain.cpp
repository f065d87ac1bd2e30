//===- Explain.cpp - Which case, and why not the earlier ones -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace lathe::runtime;

/// The first guard of the case that fails, in the table's order, alignment
/// last.
static bool firstFailure(const lathe_table &table, uint32_t index,
                         const int64_t *dims, uint64_t alignment,
                         lathe_rejection &rejection) {
  const lathe_table_case &row = table.cases[index];
  rejection = {index, LATHE_REASON_BELOW, 0, 0, 0, 0};
  for (uint32_t g = 0; g < row.num_guards; ++g) {
    const lathe_table_guard &guard = table.guards[row.first_guard + g];
    rejection.dim = guard.dim;
    rejection.value = dims[guard.dim];
    rejection.reason = LATHE_REASON_BELOW;
    rejection.limit = guard.lo;
    if (rejection.value < guard.lo)
      return true;
    rejection.reason = LATHE_REASON_ABOVE;
    rejection.limit = guard.hi;
    if (rejection.value > guard.hi)
      return true;
    rejection.reason = LATHE_REASON_MULTIPLE;
    rejection.limit = guard.multiple;
    if (rejection.value % guard.multiple != 0)
      return true;
  }
  rejection.reason = LATHE_REASON_ALIGNMENT;
  rejection.dim = UINT32_MAX;
  rejection.value = int64_t(alignment);
  rejection.limit = row.alignment;
  return alignment != 0 && alignment < row.alignment;
}

lathe_status lathe_explain(const lathe_table *table, uint32_t arch,
                           const int64_t *dims, uint32_t num_dims,
                           uint64_t alignment, lathe_explanation *explanation,
                           lathe_rejection *rejections, uint32_t capacity) {
  if (!table || (!dims && num_dims) || !explanation ||
      arch >= table->header->archs.count || (!rejections && capacity))
    return fail(LATHE_INVALID_ARGUMENT, "lathe_explain: bad argument");
  if (explanation->struct_size != sizeof *explanation)
    return fail(LATHE_INVALID_ARGUMENT,
                "lathe_explanation: struct_size is %u, expected %zu",
                explanation->struct_size, sizeof *explanation);
  *explanation = {};
  explanation->struct_size = sizeof *explanation;
  explanation->case_index = UINT32_MAX;
  explanation->num_dims = num_dims;
  explanation->arch = table->archName(arch);
  int64_t resolved[LATHE_MAX_DIMS] = {};
  if (lathe_status status = resolveDims(*table, dims, num_dims, resolved))
    return status;
  for (uint32_t i = 0; i < num_dims; ++i)
    explanation->dims[i] = resolved[i];

  const lathe_table_arch &group = table->archs[arch];
  uint32_t end = group.first_case + group.num_cases;
  for (uint32_t i = group.first_case; i != end; ++i) {
    lathe_rejection rejection;
    if (firstFailure(*table, i, resolved, alignment, rejection)) {
      if (explanation->num_rejections < capacity)
        rejections[explanation->num_rejections] = rejection;
      ++explanation->num_rejections;
      continue;
    }
    const lathe_table_case &row = table->cases[i];
    explanation->case_index = i;
    explanation->kernel = table->string(row.kernel);
    explanation->symbol = table->string(row.symbol);
    explanation->kind = row.kind;
    explanation->block_threads = row.block_threads;
    explanation->shared_bytes = row.shared_bytes;
    return computeGrid(*table, i, resolved, explanation->grid);
  }
  return noCase(*table, arch, alignment);
}
