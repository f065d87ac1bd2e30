//===- RandomShapes.cpp - Every legal request finds its kernel ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lathe-test-shapes BUNDLE COUNT SEED: random requests inside the declared
// ranges of a bundle's tables. The runtime must pick the first case whose
// guards hold, as judged here from the tables in structs, and give its grid.
//
//===----------------------------------------------------------------------===//

#include "lathe/Package/Package.h"
#include "lathe/Runtime/lathe_runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace lathe;
using llvm::errs;
using llvm::outs;

namespace {

struct Request {
  const DispatchTable *table;
  std::string arch;
  std::vector<int64_t> given; ///< what the caller passes
  Bindings dims;              ///< after defaults
  uint64_t alignment;
};

class Generator {
public:
  Generator(const Bundle &bundle, uint64_t seed)
      : bundle(bundle), random(seed) {}
  Request next();

private:
  uint64_t below(uint64_t n) { return random() % n; }
  int64_t value(const DispatchDim &dim, const DispatchCase *near);

  const Bundle &bundle;
  std::mt19937_64 random;
};

} // namespace

/// Small, of any magnitude, or around the bounds of the case's guard.
int64_t Generator::value(const DispatchDim &dim, const DispatchCase *near) {
  int64_t result = dim.min + (below(2) ? int64_t(below(70))
                                       : int64_t(random() >> (1 + below(63))));
  if (near)
    for (const DimGuard &guard : near->guards)
      if (guard.dim == dim.name) {
        const int64_t values[] = {guard.lo, guard.hi, result, guard.lo - 1,
                                  guard.hi < INT64_MAX ? guard.hi + 1 : 0};
        result = values[below(8) ? below(2) : 2 + below(3)];
      }
  return std::clamp(result, dim.min, dim.max);
}

Request Generator::next() {
  Request request;
  request.table = &bundle.tables[below(bundle.tables.size())];
  const DispatchTable &table = *request.table;
  const DispatchCase &row = table.cases[below(table.cases.size())];
  const DispatchCase *near = below(2) ? &row : nullptr;
  request.arch = row.arch;
  for (const DispatchDim &dim : table.dims) {
    int64_t given, meant;
    if (!dim.defaultValue) {
      given = meant = value(dim, near);
    } else {
      int64_t least = llvm::cantFail(dim.defaultValue->evaluate(request.dims));
      bool leftOut = below(2);
      meant = leftOut ? least : least + int64_t(below(300) << below(4));
      given = leftOut ? LATHE_DIM_DEFAULT : meant;
    }
    request.given.push_back(given);
    request.dims[dim.name] = meant;
  }
  // Every element is aligned to its size, at least.
  request.alignment = uint64_t(2) << (near ? 3 + below(6) : below(9));
  return request;
}

static bool holds(const DispatchCase &row, const Request &request) {
  return request.alignment % row.alignment == 0 &&
         llvm::all_of(row.guards, [&](const DimGuard &guard) {
           int64_t value =
               request.dims.find(guard.dim)->second.elements.front();
           return value >= guard.lo && value <= guard.hi &&
                  value % guard.multiple == 0;
         });
}

/// What is wrong with the runtime's answer; empty if it is right.
static std::string check(const Request &request, const lathe_table *table,
                         CaseKind &kind) {
  llvm::ArrayRef<DispatchCase> cases = request.table->cases;
  auto expected = llvm::find_if(cases, [&](const DispatchCase &row) {
    return row.arch == request.arch && holds(row, request);
  });
  if (expected == cases.end())
    return "no case's guards hold";
  kind = expected->kind;
  uint32_t arch, chosen, grid[3];
  const uint32_t count = uint32_t(request.given.size());
  if (lathe_find_arch(table, request.arch.c_str(), &arch) ||
      lathe_select(table, arch, request.given.data(), count, request.alignment,
                   &chosen))
    return lathe_last_error();
  if (&cases[chosen] != expected)
    return "case " + std::to_string(chosen) + " was chosen, expected " +
           std::to_string(expected - cases.begin());
  if (lathe_grid(table, chosen, request.given.data(), count, grid))
    return lathe_last_error();
  // A zero anywhere is no launch, which the runtime says by three zeros.
  int64_t expectedGrid[] = {
      llvm::cantFail(expected->gridX.evaluate(request.dims)),
      llvm::cantFail(expected->gridY.evaluate(request.dims)),
      llvm::cantFail(expected->gridZ.evaluate(request.dims))};
  bool nothing = llvm::is_contained(expectedGrid, 0);
  for (auto [i, blocks] : llvm::enumerate(expectedGrid)) {
    if (nothing)
      blocks = 0;
    if (blocks != grid[i])
      return "grid " + std::to_string(grid[i]) + " on axis " +
             std::to_string(i) + ", expected " + std::to_string(blocks);
  }
  return "";
}

static int run(const char *path, unsigned count, uint64_t seed) {
  llvm::Expected<Bundle> bundle = readBundle(path);
  lathe_bundle *opened;
  if (!bundle) {
    errs() << llvm::toString(bundle.takeError()) << '\n';
    return 1;
  }
  if (lathe_open_file(path, &opened)) {
    errs() << lathe_last_error() << '\n';
    return 1;
  }
  unsigned kinds[3] = {}, wrong = 0;
  Generator generator(*bundle, seed);
  for (unsigned i = 0; i < count; ++i) {
    Request request = generator.next();
    CaseKind kind = CaseKind::Generic;
    std::string error = check(
        request, lathe_find_table(opened, request.table->entry.c_str()), kind);
    ++kinds[size_t(kind)];
    if (error.empty())
      continue;
    ++wrong;
    errs() << request.table->entry << " on " << request.arch;
    for (auto &[name, value] : request.dims)
      errs() << ' ' << name << '=' << value.elements.front();
    errs() << " alignment " << request.alignment << ": " << error << '\n';
  }
  lathe_close(opened);
  outs() << bundle->tables.size() << " operators, " << count
         << " requests: " << kinds[0] << " exact, " << kinds[1] << " bucket, "
         << kinds[2] << " generic, " << wrong << " wrong\n";
  return wrong != 0;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    errs() << "usage: lathe-test-shapes BUNDLE COUNT SEED\n";
    return 1;
  }
  return run(argv[1], unsigned(std::stoul(argv[2])), std::stoull(argv[3]));
}
