//===- ReportTable.cpp - Every instance and every image -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportHtml.h"

#include "lathe/Package/Package.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace lathe;
using namespace lathe::report;
using llvm::StringRef;

namespace {

struct Line {
  const Instance *instance;
  const Bound *bound;
};

/// What the sorting script compares; must read back as a number.
void writeKey(double value, llvm::raw_ostream &os) {
  os << " data-key=\""
     << llvm::format("%.9g", std::isfinite(value) ? value : -1.0) << "\"";
}

void writeNumber(double value, StringRef html, StringRef title,
                 llvm::raw_ostream &os) {
  os << "<td class=\"number\"";
  writeKey(value, os);
  if (!title.empty())
    os << " title=\"" << title << "\"";
  os << ">" << html << "</td>";
}

/// "70 k bf16 + 8 f32", exact counts in the title.
void writeFlops(const Instance &instance, llvm::raw_ostream &os) {
  std::string text, title;
  for (const auto &[dtype, count] : instance.flops) {
    text += (text.empty() ? "" : " + ") + siText(count) + " " + escape(dtype);
    title +=
        (title.empty() ? "" : " + ") + groupedText(count) + " " + escape(dtype);
  }
  writeNumber(instance.totalFlops(), text.empty() ? "0" : text, title, os);
}

void writeKernel(const Bound &bound, llvm::raw_ostream &os) {
  os << "<td class=\"kernel\"";
  if (bound.row) {
    const ResourceUsage &usage = bound.row->usage;
    os << " title=\"" << bound.row->blockThreads << " threads, "
       << usage.registers << " registers, " << usage.spillBytes
       << " bytes spilled, " << usage.sharedBytes + bound.row->sharedBytes
       << " bytes shared, " << bound.row->maps.size()
       << " tensor maps; chosen by " << escape(bound.row->origin) << "\">"
       << escape(bound.kernel);
  } else {
    os << ">none";
  }
  os << "</td>";
}

void writeLine(const Line &line, const Data &data, llvm::raw_ostream &os) {
  const Instance &instance = *line.instance;
  const Bound &bound = *line.bound;
  std::string dims = dimsText(instance, false),
              allDims = dimsText(instance, true);
  os << "<tr><td>" << escape(instance.entry) << "</td><td class=\"dims\"";
  if (dims != allDims)
    os << " title=\"" << escape(allDims) << "\"";
  os << ">" << escape(dims) << "</td><td>" << escape(instance.phase) << "</td>";
  writeNumber(instance.weight, percentText(instance.weight), "", os);
  writeFlops(instance, os);
  writeNumber(instance.totalBytes(), siText(instance.totalBytes()) + "B",
              groupedText(instance.read) + " read, " +
                  groupedText(instance.write) + " written",
              os);
  os << "<td>" << escape(data.targets[bound.target].name) << "</td>";
  writeNumber(bound.rooflineUs, shortText(bound.rooflineUs),
              "attainable: " + shortText(bound.attainableUs) + " \xc2\xb5s",
              os);
  os << "<td>" << escape(bound.regime) << "</td>";
  bool modelled = bound.row && bound.modelUs;
  writeNumber(modelled ? *bound.modelUs : -1,
              modelled ? shortText(*bound.modelUs) : "\xe2\x80\x93", "", os);
  bool measured = bound.row && bound.measuredUs;
  std::string confidence;
  if (measured && bound.measuredLowUs && bound.measuredHighUs)
    confidence = shortText(*bound.measuredLowUs) + " to " +
                 shortText(*bound.measuredHighUs);
  writeNumber(measured ? *bound.measuredUs : -1,
              measured ? shortText(*bound.measuredUs) : "\xe2\x80\x93",
              confidence, os);
  double score = measured   ? bound.rooflineUs / *bound.measuredUs
                 : modelled ? bound.rooflineUs / *bound.modelUs
                            : -1;
  writeNumber(score, score < 0 ? "\xe2\x80\x93" : percentText(score),
              measured ? "" : "by the model", os);
  os << "<td><i class=\"" << kindNames[bound.kind] << "\"></i>"
     << kindNames[bound.kind] << "</td><td>" << escape(verdictOf(bound))
     << "</td>";
  writeKernel(bound, os);
  os << "</tr>\n";
}

} // namespace

void report::writeInstances(const Data &data, llvm::raw_ostream &os) {
  os << "<section id=\"instances\"><h2>Instances</h2>\n";
  std::vector<Line> lines;
  if (data.instances)
    for (const Instance &instance : *data.instances)
      for (const Bound &bound : instance.bounds)
        lines.push_back({&instance, &bound});
  if (lines.empty()) {
    os << "<p>The bundle records no instances.</p></section>\n";
    return;
  }
  llvm::stable_sort(lines, [](const Line &a, const Line &b) {
    return a.instance->weight > b.instance->weight;
  });
  os << "<p>Heaviest first. W: work in FLOP by data type. Q: bytes that must "
        "move. T_roofline: the larger of W over peak and Q over bandwidth. "
        "Model: the planner's prediction for the kernel, not a measurement. "
        "Measured: on the device that chose the kernels. Of roofline: "
        "T_roofline over the measured time, or else the model's.</p>\n"
        "<p id=\"filter\" hidden><label>Filter <input type=\"search\" "
        "placeholder=\"words in a row, e.g. h200 generic\"></label> "
        "<output></output></p>\n"
        "<div class=\"scroll\"><table id=\"all\"><thead><tr>"
        "<th>operator</th><th>dims</th><th>phase</th>"
        "<th class=\"number\">weight</th><th class=\"number\">W</th>"
        "<th class=\"number\">Q</th><th>target</th>"
        "<th class=\"number\">T_roofline \xc2\xb5s</th><th>regime</th>"
        "<th class=\"number\">model \xc2\xb5s</th>"
        "<th class=\"number\">measured \xc2\xb5s</th>"
        "<th class=\"number\">of roofline</th><th>case</th><th>verdict</th>"
        "<th>kernel</th></tr></thead><tbody>\n";
  for (const Line &line : lines)
    writeLine(line, data, os);
  os << "</tbody></table></div></section>\n";
}

void report::writeImages(const Data &data, llvm::raw_ostream &os) {
  os << "<section id=\"images\"><h2>Images</h2>\n<details><summary>"
     << data.bundle->images.size()
     << " binaries with their SHA-256</summary>\n<div class=\"scroll\"><table>"
        "<thead><tr><th>operator</th><th>architecture</th><th>kind</th>"
        "<th class=\"number\">bytes</th><th>SHA-256</th></tr></thead><tbody>\n";
  for (const BundleImage &image : data.bundle->images)
    os << "<tr><th scope=\"row\">" << escape(image.entry) << "</th><td>"
       << escape(image.arch) << "</td><td>" << imageKindName(image.kind)
       << "</td><td class=\"number\">" << groupedText(image.bytes.size())
       << "</td><td class=\"kernel\">" << sha256Hex(image.bytes)
       << "</td></tr>\n";
  os << "</tbody></table></div></details></section>\n";
}
