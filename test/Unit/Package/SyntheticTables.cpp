//===- SyntheticTables.cpp - Random but legal dispatch tables -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyntheticTables.h"

#include "Dispatch/CheckTable.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lathe;
using namespace lathe::test;

DispatchCase lathe::test::makeCase(const std::string &arch, CaseKind kind,
                                   std::vector<DimGuard> guards,
                                   int64_t alignment) {
  static int serial = 0;
  DispatchCase row;
  row.kernel = "rms_norm.rows." + arch + ".s_ID_" + std::to_string(serial);
  row.symbol = "kernel_" + std::to_string(serial++);
  row.arch = arch;
  row.kind = kind;
  row.guards = std::move(guards);
  row.alignment = alignment;
  row.gridX = llvm::cantFail(Expr::parse("min(T ceildiv 4, 1056)"));
  row.gridY = row.gridZ = Expr::constant(1);
  row.blockThreads = 128;
  row.runtimeDims = {"T", "H", "XS"};
  row.usage.registers = 32;
  row.origin = "model";
  row.verdict = "unproven";
  row.modelUs = 2.5;
  return row;
}

DispatchTable lathe::test::makeSignature(const std::string &entry) {
  DispatchTable table;
  table.entry = entry;
  table.op = "rms_norm";
  table.dims = {{"T", 0, int64_t(1) << 40, {}},
                {"H", 1, 1 << 20, {}},
                {"XS", 1, int64_t(1) << 40, Expr::symbol("H")}};
  table.operands = {
      {"x", "bf16", false}, {"weight", "bf16", false}, {"out", "bf16", true}};
  table.scalars = {{"eps", "f32", 1e-6}};
  table.dtypes = {{"DT", "bf16"}};
  return table;
}

static DimGuard drawGuard(Rng &rng, const DispatchDim &dim) {
  int64_t top = std::min<int64_t>(dim.max, int64_t(1) << draw(rng, 1, 40));
  int64_t lo = draw(rng, dim.min, std::max(dim.min, top));
  switch (draw(rng, 0, 3)) {
  case 0:
    return {dim.name, lo, lo, 1};
  case 1:
    return {dim.name, lo, draw(rng, lo, dim.max), 1};
  case 2:
    return {dim.name, INT64_MIN, INT64_MAX, draw(rng, 2, 24)};
  default:
    return {dim.name, dim.min, draw(rng, lo, dim.max),
            int64_t(1) << draw(rng, 0, 4)};
  }
}

/// Roughly the logarithm of how many requests the guards admit.
static double volume(const DispatchTable &table, const DispatchCase &row) {
  double bits = 0;
  for (const DispatchDim &dim : table.dims) {
    double lo = double(dim.min), hi = double(dim.max), multiple = 1;
    for (const DimGuard &guard : row.guards)
      if (guard.dim == dim.name) {
        lo = std::max(lo, double(guard.lo));
        hi = std::min(hi, double(guard.hi));
        multiple = double(guard.multiple);
      }
    bits += std::log2((hi - lo) / multiple + 1);
  }
  return bits;
}

DispatchTable lathe::test::makeTable(Rng &rng, const std::string &entry,
                                     const std::vector<std::string> &archs,
                                     size_t count) {
  DispatchTable table = makeSignature(entry);
  for (const std::string &arch : archs) {
    size_t first = table.cases.size();
    for (size_t i = 0; i < count; ++i) {
      std::vector<DimGuard> guards;
      for (const DispatchDim &dim : table.dims)
        if (draw(rng, 0, 2) != 0)
          guards.push_back(drawGuard(rng, dim));
      table.cases.push_back(makeCase(arch, CaseKind::Bucket, std::move(guards),
                                     int64_t(1) << draw(rng, 0, 4)));
    }
    // Mostly from special to general, as planners write them.
    llvm::stable_sort(
        llvm::make_range(table.cases.begin() + long(first), table.cases.end()),
        [&](const DispatchCase &a, const DispatchCase &b) {
          return volume(table, a) < volume(table, b);
        });
    table.cases.push_back(makeCase(arch, CaseKind::Generic, {}));
  }
  // Drop what the rules reject: hidden cases.
  for (;;) {
    auto problems = dispatch::checkTable(table);
    if (problems.empty())
      return table;
    for (auto &problem : llvm::reverse(problems))
      table.cases.erase(table.cases.begin() + problem.caseIndex);
  }
}

Bundle lathe::test::makeBundle(std::vector<DispatchTable> tables) {
  Bundle bundle;
  bundle.tables = std::move(tables);
  for (const DispatchTable &table : bundle.tables) {
    std::map<std::string, bool> seen;
    for (const DispatchCase &row : table.cases) {
      if (!seen.try_emplace(row.arch, true).second)
        continue;
      auto kind = llvm::StringRef(row.arch).starts_with("gfx")
                      ? BundleImage::CodeObject
                      : BundleImage::Cubin;
      bundle.images.push_back({kind, table.entry, row.arch,
                               "image of " + table.entry + " " + row.arch});
    }
  }
  bundle.manifest["versions"] = llvm::json::Object{{"lathe", "0.1.0"}};
  return bundle;
}

std::vector<int64_t> lathe::test::drawDims(Rng &rng,
                                           const DispatchTable &table) {
  std::vector<int64_t> dims;
  for (const DispatchDim &dim : table.dims) {
    int64_t value = std::min(dim.max, int64_t(1) << draw(rng, 0, 40));
    value = draw(rng, dim.min, std::max(dim.min, value));
    const DispatchCase &row =
        table.cases[size_t(draw(rng, 0, int64_t(table.cases.size()) - 1))];
    for (const DimGuard &guard : row.guards)
      if (guard.dim == dim.name && draw(rng, 0, 1)) {
        int64_t edge = std::max(guard.lo, dim.min);
        if (draw(rng, 0, 1) && guard.hi < dim.max)
          edge = guard.hi;
        value = edge + draw(rng, -1, 1);
        if (draw(rng, 0, 1))
          value -= value % guard.multiple;
      }
    dims.push_back(std::clamp(value, dim.min, dim.max));
  }
  return dims;
}

int lathe::test::naiveSelect(const DispatchTable &table,
                             const std::string &arch,
                             const std::vector<int64_t> &dims,
                             uint64_t alignment) {
  for (auto [i, row] : llvm::enumerate(table.cases)) {
    if (row.arch != arch || alignment < uint64_t(row.alignment))
      continue;
    bool holds = llvm::all_of(row.guards, [&](const DimGuard &guard) {
      for (auto [d, dim] : llvm::enumerate(table.dims))
        if (dim.name == guard.dim)
          return guard.lo <= dims[d] && dims[d] <= guard.hi &&
                 dims[d] % guard.multiple == 0;
      return false;
    });
    if (holds)
      return int(i);
  }
  return -1;
}
