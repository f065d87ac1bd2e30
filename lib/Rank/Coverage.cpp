//===- Coverage.cpp - How much of the histogram is served how -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace lathe;

CoverageRow lathe::coverageOf(const EntryChoice &choice,
                              llvm::ArrayRef<HistogramPoint> points,
                              llvm::ArrayRef<DispatchCase> cases) {
  CoverageRow row;
  row.entry = choice.entry->name;
  row.op = choice.entry->op;
  row.arch = choice.hardware->arch;
  for (const HistogramPoint &point : points) {
    if (point.entry != row.entry)
      continue;
    ++row.instances;
    row.share += point.weight;
    // Allocators align far beyond what any kernel asks for.
    const DispatchCase *taken =
        llvm::find_if(cases, [&](const DispatchCase &item) {
          return admits(item.guards, point.dims);
        });
    double &share = taken == cases.end()              ? row.unserved
                    : taken->kind == CaseKind::Exact  ? row.exact
                    : taken->kind == CaseKind::Bucket ? row.bucket
                                                      : row.generic;
    share += point.weight;
  }
  std::set<std::string> kernels;
  for (const DispatchCase &item : cases) {
    row.exactCases += item.kind == CaseKind::Exact;
    row.buckets += item.kind == CaseKind::Bucket;
    kernels.insert(item.kernel);
  }
  row.kernels = kernels.size();
  auto count = [&](const PlannedKernel *kernel) {
    if (kernels.count(kernel->kernel))
      row.bytes += static_cast<uint64_t>(kernel->figure("code_bytes"));
  };
  if (choice.generic)
    count(choice.generic);
  for (const PlannedKernel *kernel : choice.chosen)
    count(kernel);
  return row;
}

namespace {

/// Sums over the rows of one architecture.
std::vector<CoverageRow> totals(llvm::ArrayRef<CoverageRow> rows) {
  std::vector<CoverageRow> sums;
  for (const CoverageRow &row : rows) {
    auto sum = llvm::find_if(
        sums, [&](const CoverageRow &s) { return s.arch == row.arch; });
    if (sum == sums.end()) {
      CoverageRow fresh;
      fresh.entry = "all";
      fresh.arch = row.arch;
      sums.push_back(fresh);
      sum = std::prev(sums.end());
    }
    sum->instances += row.instances;
    sum->share += row.share;
    sum->exact += row.exact;
    sum->bucket += row.bucket;
    sum->generic += row.generic;
    sum->unserved += row.unserved;
    sum->kernels += row.kernels;
    sum->exactCases += row.exactCases;
    sum->buckets += row.buckets;
    sum->bytes += row.bytes;
  }
  return sums;
}

std::string percent(double share) {
  return llvm::formatv("{0:F2}%", share * 100).str();
}

void printRow(llvm::raw_ostream &os, const CoverageRow &row, size_t width) {
  os << llvm::left_justify(row.entry, width) << " "
     << llvm::left_justify(row.arch, 8) << llvm::format("%10u", row.instances)
     << llvm::right_justify(percent(row.share), 9)
     << llvm::right_justify(percent(row.exact), 9)
     << llvm::right_justify(percent(row.bucket), 9)
     << llvm::right_justify(percent(row.generic), 9)
     << llvm::right_justify(percent(row.unserved), 9)
     << llvm::format("%8u%7u%8u%10llu", row.kernels, row.exactCases,
                     row.buckets, static_cast<unsigned long long>(row.bytes));
  if (!row.reason.empty())
    os << "  " << row.reason;
  os << "\n";
}

llvm::json::Object toObject(const CoverageRow &row) {
  llvm::json::Object object{{"arch", row.arch},
                            {"instances", row.instances},
                            {"share", row.share},
                            {"exact", row.exact},
                            {"bucket", row.bucket},
                            {"generic", row.generic},
                            {"unserved", row.unserved},
                            {"kernels", row.kernels},
                            {"exact_cases", row.exactCases},
                            {"buckets", row.buckets},
                            {"bytes", static_cast<int64_t>(row.bytes)}};
  if (!row.op.empty()) {
    object["entry"] = row.entry;
    object["operator"] = row.op;
  }
  if (!row.reason.empty())
    object["reason"] = row.reason;
  return object;
}

} // namespace

void Coverage::print(llvm::raw_ostream &os) const {
  size_t width = 8;
  for (const CoverageRow &row : rows)
    width = std::max(width, row.entry.size());
  os << llvm::left_justify("entry", width)
     << " arch     instances     time    exact   bucket  generic unserved "
        "kernels  exact buckets     bytes\n";
  for (const CoverageRow &row : rows)
    printRow(os, row, width);
  for (const CoverageRow &row : totals(rows))
    printRow(os, row, width);
  if (unshaped > 0)
    os << "no shape was recorded for " << percent(unshaped) << " of the time\n";
}

llvm::json::Value Coverage::toJSON() const {
  llvm::json::Array entries, sums;
  for (const CoverageRow &row : rows)
    entries.push_back(toObject(row));
  for (const CoverageRow &row : totals(rows))
    sums.push_back(toObject(row));
  return llvm::json::Object{{"entries", std::move(entries)},
                            {"totals", std::move(sums)},
                            {"unshaped", unshaped}};
}
