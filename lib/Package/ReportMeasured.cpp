//===- ReportMeasured.cpp - What a device said ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportHtml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace lathe;
using namespace lathe::report;
using llvm::StringRef;

static void number(llvm::raw_ostream &os, StringRef text) {
  os << "<td class=\"number\">" << text << "</td>";
}

/// "+3.1%" of a ratio of 1.031; the manifest may hold anything.
static std::string marginText(double ratio) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!std::isfinite(ratio) || std::abs(ratio) > 1e6)
    return "?";
  os << llvm::format("%+.1f%%", (ratio - 1) * 100);
  return text;
}

static void writeCase(const DispatchTable &table, const DispatchCase &row,
                      llvm::raw_ostream &os) {
  const MeasuredCase &measured = *row.measured;
  os << "<tr><th scope=\"row\">" << escape(table.entry)
     << "</th><td class=\"dims\">" << escape(measured.dims) << "</td><td>"
     << caseKindName(row.kind) << "</td>";
  number(os, shortText(measured.us));
  number(os, shortText(measured.lowUs) + " \xe2\x80\x93 " +
                 shortText(measured.highUs));
  if (measured.runnerUp.empty()) {
    os << "<td></td><td class=\"kernel\">none</td>";
  } else {
    os << "<td class=\"number\" title=\"" << marginText(measured.ratioLow)
       << " to " << marginText(measured.ratioHigh) << "\">"
       << marginText(measured.ratio) << "</td><td class=\"kernel\">"
       << escape(measured.runnerUp) << "</td>";
  }
  os << "<td class=\"kernel\">" << escape(row.kernel) << "</td></tr>\n";
}

static void writeFits(const Data &data, llvm::raw_ostream &os) {
  if (data.fits.empty())
    return;
  os << "<h3>The model beside the device</h3>\n<p>How the order in which the "
        "planner's model puts kernels agrees with their measured order (1: the "
        "same), and how much slower its first choice, and the best of its "
        "first "
        "four, are than the best measured: mean, and worst size.</p>\n"
        "<div class=\"scroll\"><table><thead><tr><th>operator</th>"
        "<th>architecture</th><th class=\"number\">sizes</th>"
        "<th class=\"number\">kernels</th><th class=\"number\">order</th>"
        "<th class=\"number\">first choice</th><th class=\"number\">worst</th>"
        "<th class=\"number\">first four</th><th class=\"number\">worst</th>"
        "</tr></thead><tbody>\n";
  for (const Fit &fit : data.fits) {
    os << "<tr><th scope=\"row\">" << escape(fit.entry) << "</th><td>"
       << escape(fit.arch) << "</td>";
    number(os, std::to_string(fit.sizes));
    number(os, std::to_string(fit.kernels));
    number(os, shortText(fit.correlation));
    for (double regret :
         {fit.regret1, fit.worstRegret1, fit.regret4, fit.worstRegret4})
      number(os, marginText(1 + regret));
    os << "</tr>\n";
  }
  os << "</tbody></table></div>\n";
}

void report::writeMeasured(const Data &data, llvm::raw_ostream &os) {
  auto isMeasured = [](const DispatchTable &table) {
    return llvm::any_of(table.cases, [](const DispatchCase &row) {
      return row.measured.has_value();
    });
  };
  os << "<section id=\"measured\"><h2>Measured</h2>\n";
  if (llvm::none_of(data.bundle->tables, isMeasured)) {
    os << "<p>Nothing was measured: the planner's model chose the "
          "kernels.</p></section>\n";
    return;
  }
  os << "<p>On " << escape(data.device.name) << ", driver "
     << escape(data.device.driver)
     << ". Each case at the heaviest shape that it serves: its time in "
        "\xc2\xb5s, 95&nbsp;% confidence, and by how much the fastest other "
        "kernel is slower there.</p>\n<div class=\"scroll\"><table><thead><tr>"
        "<th>operator</th><th>dims</th><th>case</th>"
        "<th class=\"number\">\xc2\xb5s</th><th "
        "class=\"number\">confidence</th>"
        "<th class=\"number\">margin</th><th>runner-up</th><th>kernel</th>"
        "</tr></thead><tbody>\n";
  for (const DispatchTable &table : data.bundle->tables)
    for (const DispatchCase &row : table.cases)
      if (row.measured)
        writeCase(table, row, os);
  os << "</tbody></table></div>\n";
  writeFits(data, os);
  os << "</section>\n";
}
