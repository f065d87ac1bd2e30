//===- ReportSummary.cpp - What the bundle is -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportHtml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using namespace lathe;
using namespace lathe::report;
using llvm::StringRef;

namespace {

struct KernelCount {
  size_t all = 0, unproven = 0;
};

/// Kernels by name: one may serve several cases.
KernelCount countKernels(const Bundle &bundle) {
  llvm::StringSet<> all, unproven;
  for (const DispatchTable &table : bundle.tables)
    for (const DispatchCase &row : table.cases) {
      all.insert(row.kernel);
      if (row.verdict != "PASSED")
        unproven.insert(row.kernel);
    }
  return {all.size(), unproven.size()};
}

void writeVerdict(const Bundle &bundle, llvm::raw_ostream &os) {
  KernelCount count = countKernels(bundle);
  if (count.all == 0) {
    os << "<p class=\"notice\">The bundle holds no kernel.</p>\n";
  } else if (count.unproven == count.all) {
    os << "<p class=\"notice\"><strong>Every kernel in this bundle is "
          "unproven</strong>: no correctness gate has passed any of them. "
          "Times "
          "are a model's predictions, not measurements.</p>\n";
  } else if (count.unproven) {
    os << "<p class=\"notice\"><strong>" << count.unproven << " of "
       << count.all
       << " kernels are unproven</strong>: no correctness gate has passed "
          "them.</p>\n";
  } else {
    os << "<p>Every kernel has passed the correctness gate on the simulator; "
          "the "
          "evidence is in the manifest. Times are a model's predictions, not "
          "measurements.</p>\n";
  }
}

void writeTile(StringRef value, StringRef what, llvm::raw_ostream &os) {
  os << "<li><b>" << value << "</b> " << what << "</li>\n";
}

void writeTiles(const Data &data, llvm::raw_ostream &os) {
  const Bundle &bundle = *data.bundle;
  std::set<StringRef> archs, entries;
  for (const DispatchTable &table : bundle.tables)
    for (const DispatchCase &row : table.cases)
      archs.insert(row.arch);
  for (const CoverageRow &row : data.coverage)
    entries.insert(row.entry);
  for (const DispatchTable &table : bundle.tables)
    entries.insert(table.entry);
  double bytes = 0;
  for (const BundleImage &image : bundle.images)
    bytes += image.isLoaded() ? double(image.bytes.size()) : 0;
  os << "<ul class=\"tiles\">";
  writeTile(std::to_string(bundle.tables.size()) + " / " +
                std::to_string(entries.size()),
            "operators served", os);
  if (data.instances)
    writeTile(std::to_string(data.instances->size()), "instances", os);
  writeTile(std::to_string(archs.size()), "architectures", os);
  writeTile(std::to_string(countKernels(bundle).all), "kernels", os);
  writeTile(siText(bytes) + "B", "of code", os);
  for (const CoverageRow &row : data.totals)
    writeTile(percentText(row.parts[0] + row.parts[1] + row.parts[2]),
              "of the time served on " + escape(row.arch), os);
  os << "</ul>\n";
}

void writeFact(StringRef name, StringRef html, llvm::raw_ostream &os) {
  if (!html.empty())
    os << "<tr><th scope=\"row\">" << name << "</th><td>" << html
       << "</td></tr>\n";
}

std::string sourceText(const Source &source) {
  std::string text = escape(source.name);
  if (!source.description.empty())
    text += "<br>" + escape(source.description);
  if (!source.source.empty())
    text += "<br>Source: " + escape(source.source);
  if (!source.sha256.empty())
    text += "<br><code>SHA-256 " + escape(source.sha256) + "</code>";
  return text;
}

std::string targetText(const Target &target) {
  std::string text = escape(target.name) + " (" + escape(target.arch) + ")";
  if (target.bandwidth > 0)
    text += "<br>" + siText(target.bandwidth) + "B/s";
  if (target.achievedBandwidth > 0)
    text += ", measured " + siText(target.achievedBandwidth) + "B/s";
  if (target.launchFloorUs > 0)
    text += "; an empty kernel takes " + shortText(target.launchFloorUs) +
            " \xc2\xb5s";
  std::string peaks;
  for (const auto &[dtype, value] : target.peaks)
    peaks += (peaks.empty() ? "" : ", ") + escape(dtype) + " " + siText(value);
  if (!peaks.empty())
    text += "<br>Peak FLOP/s: " + peaks;
  if (!target.source.empty())
    text += "<br>Source: " + escape(target.source);
  return text;
}

} // namespace

void report::writeSummary(const Data &data, llvm::raw_ostream &os) {
  std::string title = "Lathe bundle";
  if (data.opset)
    title = escape(data.opset->name);
  os << "<header><h1>" << title << "</h1>\n";
  writeVerdict(*data.bundle, os);
  writeTiles(data, os);
  os << "<nav><a href=\"#coverage\">Coverage</a> <a href=\"#roofline\">Roofline"
        "</a> <a href=\"#instances\">Instances</a> <a href=\"#images\">Images"
        "</a></nav></header>\n<section id=\"summary\"><h2>Made from</h2>\n"
        "<table class=\"facts\"><tbody>\n";
  if (data.opset)
    writeFact("op set", sourceText(*data.opset), os);
  if (data.histogram)
    writeFact("histogram", sourceText(*data.histogram), os);
  for (const Target &target : data.targets)
    writeFact("target", targetText(target), os);
  writeFact("lathe", escape(data.lathe), os);
  writeFact("LLVM", escape(data.llvm), os);
  if (!data.tools.empty())
    writeFact("tools",
              "<code>SHA-256 " + escape(data.tools) +
                  "</code><br>of the versions of all that built the code",
              os);
  os << "</tbody></table></section>\n";
}
