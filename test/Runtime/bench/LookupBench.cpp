//===- LookupBench.cpp - What a lookup costs ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenedBundle.h"

#include <benchmark/benchmark.h>

using namespace lathe;
using namespace lathe::test;

/// A table as the planner makes them: per hidden size exact token counts, then
/// buckets of tokens with and without a multiple-of, then the generic case.
static DispatchTable plannedTable(int hiddenSizes, int exact, int buckets) {
  DispatchTable table = makeSignature("norm");
  auto add = [&](CaseKind kind, std::vector<DimGuard> guards,
                 int64_t alignment) {
    table.cases.push_back(
        makeCase("sm_90a", kind, std::move(guards), alignment));
  };
  for (int h = 1; h <= hiddenSizes; ++h)
    for (int t = 0; t < exact; ++t)
      add(CaseKind::Exact,
          {{"T", 7 + 97 * t, 7 + 97 * t, 1},
           {"H", 512 * h, 512 * h, 1},
           {"XS", 1, INT64_MAX, 8}},
          16);
  for (int h = 1; h <= hiddenSizes; ++h)
    for (int b = 0; b < buckets; ++b)
      add(CaseKind::Bucket,
          {{"T", int64_t(1) << b, (int64_t(2) << b) - 1, 1},
           {"H", 512 * h, 512 * h, 1},
           {"XS", 1, INT64_MAX, 8}},
          16);
  add(CaseKind::Generic, {}, 1);
  return table;
}

/// Cycles through `count` requests, so that branches do not learn one answer.
static std::vector<std::vector<int64_t>> requests(const DispatchTable &table,
                                                  size_t count) {
  Rng rng(1);
  std::vector<std::vector<int64_t>> out;
  while (out.size() < count) {
    std::vector<int64_t> dims = drawDims(rng, table);
    const DispatchCase &row =
        table.cases[size_t(draw(rng, 0, int64_t(table.cases.size()) - 1))];
    for (size_t d = 0; d < row.guards.size() && d < 2; ++d)
      dims[d] = row.guards[d].lo;
    dims[2] = dims[1];
    out.push_back(std::move(dims));
  }
  return out;
}

static void runLookups(benchmark::State &state, const DispatchTable &table) {
  Opened opened(makeBundle({table}));
  const lathe_table *native = opened.table("norm");
  auto dims = requests(table, 1024);
  size_t i = 0;
  for (auto _ : state) {
    uint32_t index;
    lathe_select(native, 0, dims[i++ & 1023].data(), 3, 16, &index);
    benchmark::DoNotOptimize(index);
  }
  state.counters["cases"] = double(table.cases.size());
}

static void BM_PlannedTable(benchmark::State &state) {
  runLookups(state, plannedTable(int(state.range(0)), int(state.range(1)), 12));
}
BENCHMARK(BM_PlannedTable)
    ->Args({1, 4})
    ->Args({4, 20})
    ->Args({10, 38}) // 501 cases
    ->Args({40, 88});

/// Ranges that overlap at random: nothing a planner would write.
static void BM_RandomTable(benchmark::State &state) {
  Rng rng(3);
  runLookups(state, makeTable(rng, "norm", {"sm_90a"}, size_t(state.range(0))));
}
BENCHMARK(BM_RandomTable)->Arg(100)->Arg(1000);

static void BM_SelectAndGrid(benchmark::State &state) {
  DispatchTable table = plannedTable(10, 38, 12);
  Opened opened(makeBundle({table}));
  const lathe_table *native = opened.table("norm");
  auto dims = requests(table, 1024);
  size_t i = 0;
  for (auto _ : state) {
    const int64_t *request = dims[i++ & 1023].data();
    uint32_t index, grid[3];
    lathe_select(native, 0, request, 3, 16, &index);
    lathe_grid(native, index, request, 3, grid);
    benchmark::DoNotOptimize(grid);
  }
}
BENCHMARK(BM_SelectAndGrid);

static void BM_Open(benchmark::State &state) {
  DispatchTable table = plannedTable(10, 38, 12);
  Bundle bundle = makeBundle({table});
  bundle.images[0].bytes.assign(size_t(1) << 20, 'x');
  std::string bytes = llvm::cantFail(serializeBundle(bundle));
  for (auto _ : state) {
    lathe_bundle *opened;
    lathe_open_memory(bytes.data(), bytes.size(), 0, &opened);
    lathe_close(opened);
  }
  state.SetBytesProcessed(int64_t(state.iterations() * bytes.size()));
}
BENCHMARK(BM_Open);

BENCHMARK_MAIN();
