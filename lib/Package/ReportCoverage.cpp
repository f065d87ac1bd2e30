//===- ReportCoverage.cpp - How much of the histogram is served how -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportHtml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace lathe;
using namespace lathe::report;
using llvm::StringRef;

/// `part` of `share`, in [0, 1] whatever the bundle says.
static double fraction(double part, double share) {
  double value = part / share;
  return std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 0;
}

/// "exact 20% · bucket 80%", without what is not there.
static std::string partsText(const CoverageRow &row) {
  std::string text;
  for (size_t kind = 0; kind < std::size(kindNames); ++kind)
    if (row.parts[kind] > 0)
      text += (text.empty() ? "" : " \xc2\xb7 ") +
              std::string(kindNames[kind]) + " " +
              percentText(fraction(row.parts[kind], row.share));
  return text.empty() ? "no recorded time" : text;
}

static void writeBar(const CoverageRow &row, llvm::raw_ostream &os) {
  std::string parts = partsText(row);
  os << "<td><svg class=\"bar\" viewBox=\"0 0 100 10\" "
        "preserveAspectRatio=\"none\" role=\"img\" aria-label=\""
     << parts << "\"><title>" << parts << "; " << row.instances
     << " instances, " << row.kernels << " kernels, " << groupedText(row.bytes)
     << " bytes</title><rect class=\"empty\" width=\"100\" height=\"10\"/>";
  double at = 0;
  for (size_t kind = 0; kind < std::size(kindNames); ++kind) {
    double width =
        std::min(fraction(row.parts[kind], row.share) * 100, 100 - at);
    if (width <= 0)
      continue;
    os << "<rect class=\"" << kindNames[kind] << "\" x=\""
       << llvm::format("%.2f", at) << "\" width=\""
       << llvm::format("%.2f", width) << "\" height=\"10\"/>";
    at += width;
  }
  os << "</svg><small>" << parts << "</small></td>";
}

/// One line of the table: an operator, a bar per architecture.
static void writeRow(StringRef name, StringRef op,
                     llvm::ArrayRef<const CoverageRow *> cells,
                     llvm::raw_ostream &os) {
  double share = 0;
  for (const CoverageRow *cell : cells)
    if (cell)
      share = std::max(share, cell->share);
  os << "<tr><th scope=\"row\">" << escape(name);
  if (!op.empty() && op != name)
    os << " <small>" << escape(op) << "</small>";
  os << "</th><td class=\"number\">" << percentText(share) << "</td>";
  for (const CoverageRow *cell : cells)
    if (cell)
      writeBar(*cell, os);
    else
      os << "<td><small>not planned</small></td>";
  os << "</tr>\n";
}

static void writeTable(const Data &data, llvm::raw_ostream &os) {
  std::vector<StringRef> archs;
  std::map<StringRef, size_t> column;
  auto columnOf = [&](StringRef arch) {
    auto [it, isNew] = column.try_emplace(arch, archs.size());
    if (isNew)
      archs.push_back(arch);
    return it->second;
  };
  for (const CoverageRow &row : data.coverage)
    columnOf(row.arch);
  for (const CoverageRow &row : data.totals)
    columnOf(row.arch);

  struct Line {
    StringRef name, op;
    double share = 0;
    std::vector<const CoverageRow *> cells;
  };
  std::vector<Line> lines;
  std::map<StringRef, size_t> byEntry;
  for (const CoverageRow &row : data.coverage) {
    auto [it, isNew] = byEntry.try_emplace(row.entry, lines.size());
    if (isNew)
      lines.push_back({row.entry, row.op, 0, {}});
    Line &line = lines[it->second];
    line.cells.resize(archs.size());
    line.cells[columnOf(row.arch)] = &row;
    line.share = std::max(line.share, row.share);
  }
  llvm::stable_sort(
      lines, [](const Line &a, const Line &b) { return a.share > b.share; });

  os << "<div class=\"scroll\"><table class=\"coverage\"><thead><tr>"
        "<th>operator</th><th class=\"number\">share of time</th>";
  for (StringRef arch : archs)
    os << "<th>" << escape(arch) << "</th>";
  os << "</tr></thead><tbody>\n";
  std::vector<const CoverageRow *> totals(archs.size());
  for (const CoverageRow &row : data.totals)
    totals[columnOf(row.arch)] = &row;
  writeRow("all", "", totals, os);
  for (Line &line : lines)
    writeRow(line.name, line.op, line.cells, os);
  os << "</tbody></table></div>\n";
}

/// Entries without a kernel, one line for each reason that they have.
static void writeUnserved(const Data &data, llvm::raw_ostream &os) {
  struct Hole {
    StringRef entry, reason;
    double share = 0;
    std::string archs;
  };
  std::vector<Hole> holes;
  std::map<std::pair<StringRef, StringRef>, size_t> known;
  for (const CoverageRow &row : data.coverage) {
    if (row.reason.empty())
      continue;
    auto [it, isNew] = known.try_emplace({row.entry, row.reason}, holes.size());
    if (isNew)
      holes.push_back({row.entry, row.reason, 0, ""});
    Hole &hole = holes[it->second];
    hole.share = std::max(hole.share, row.parts[unservedKind]);
    hole.archs += (hole.archs.empty() ? "" : ", ") + row.arch;
  }
  if (holes.empty()) {
    os << "<p>Every operator of the op set has a kernel on every "
          "architecture.</p>\n";
    return;
  }
  llvm::stable_sort(
      holes, [](const Hole &a, const Hole &b) { return a.share > b.share; });
  os << "<h3>Not served</h3>\n<p>A caller gets an error for these, never a "
        "substitute.</p>\n<div class=\"scroll\"><table><thead><tr>"
        "<th>operator</th><th class=\"number\">share of time</th>"
        "<th>architectures</th><th>reason</th></tr></thead><tbody>\n";
  for (const Hole &hole : holes)
    os << "<tr><th scope=\"row\">" << escape(hole.entry)
       << "</th><td class=\"number\">" << percentText(hole.share) << "</td><td>"
       << escape(hole.archs) << "</td><td>" << escape(hole.reason)
       << "</td></tr>\n";
  os << "</tbody></table></div>\n";
}

void report::writeCoverage(const Data &data, llvm::raw_ostream &os) {
  os << "<section id=\"coverage\"><h2>Coverage of the histogram</h2>\n";
  if (data.coverage.empty()) {
    os << "<p>The bundle records no coverage.</p></section>\n";
    return;
  }
  os << "<p>Bars split an operator's share of the GPU time by the case that "
        "serves it:</p>\n";
  writeLegend(os);
  writeTable(data, os);
  if (data.unshaped > 0)
    os << "<p>No shape was recorded for " << percentText(data.unshaped)
       << " of the time.</p>\n";
  writeUnserved(data, os);
  os << "</section>\n";
}
