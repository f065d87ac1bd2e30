//===- ReportRoofline.cpp - One log-log plot per target -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportHtml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

using namespace lathe;
using namespace lathe::report;

namespace {

constexpr double width = 960, height = 440;
constexpr double left = 78, right = 210, top = 14, bottom = 46;
/// Decades that any real chip and shape stay within.
constexpr double leastDecade = -9, mostDecade = 21;
constexpr double lineGap = 13; ///< between two labels of peaks

struct Point {
  const Instance *instance = nullptr;
  const Bound *bound = nullptr;
  double intensity = 0, speed = 0, radius = 0;
};

/// One axis: decades to pixels.
struct Axis {
  double lo = 0, hi = 1; ///< decades
  double from = 0, to = 1;

  double at(double value) const {
    double decade = std::clamp(std::log10(value), lo, hi);
    return from + (decade - lo) / (hi - lo) * (to - from);
  }
};

class Plot {
public:
  Plot(const Data &data, size_t index, llvm::raw_ostream &os)
      : target(data.targets[index]), os(os) {
    collect(*data.instances, index);
  }
  void write();

private:
  void collect(llvm::ArrayRef<Instance> instances, size_t index);
  void scale();
  void writeGrid();
  void writeRoof();
  void writePoint(const Point &point);
  double topPeak() const;

  const Target &target;
  llvm::raw_ostream &os;
  std::vector<Point> points;
  size_t withoutFlops = 0;
  Axis x, y;
};

llvm::format_object<double> pixel(double value) {
  return llvm::format("%.1f", value);
}

bool plottable(double value) { return std::isfinite(value) && value > 0; }

} // namespace

void Plot::collect(llvm::ArrayRef<Instance> instances, size_t index) {
  double heaviest = 0;
  for (const Instance &instance : instances)
    heaviest = std::max(heaviest, instance.weight);
  for (const Instance &instance : instances)
    for (const Bound &bound : instance.bounds) {
      if (bound.target != index)
        continue;
      Point point;
      point.instance = &instance;
      point.bound = &bound;
      point.intensity = instance.totalFlops() / instance.totalBytes();
      double us =
          bound.row && bound.modelUs ? *bound.modelUs : bound.rooflineUs;
      point.speed = instance.totalFlops() / us * 1e6;
      if (!plottable(point.intensity) || !plottable(point.speed)) {
        ++withoutFlops;
        continue;
      }
      double part = heaviest > 0 ? instance.weight / heaviest : 0;
      point.radius = 3 + 6 * std::sqrt(std::clamp(part, 0.0, 1.0));
      points.push_back(point);
    }
  // Small ones on top, so that every one can be pointed at.
  llvm::stable_sort(points, [](const Point &a, const Point &b) {
    return a.radius > b.radius;
  });
}

double Plot::topPeak() const {
  double peak = 0;
  for (const auto &[dtype, value] : target.peaks)
    if (plottable(value))
      peak = std::max(peak, value);
  return peak;
}

/// Whole decades around the points and the ridge.
void Plot::scale() {
  double ridge = topPeak() / target.bandwidth;
  double xs[2] = {ridge / 100, ridge * 4}, ys[2] = {topPeak(), topPeak() * 1.2};
  for (const Point &point : points) {
    xs[0] = std::min(xs[0], point.intensity);
    xs[1] = std::max(xs[1], point.intensity);
    ys[0] = std::min(ys[0], point.speed);
    ys[1] = std::max(ys[1], point.speed);
  }
  ys[0] = std::min(ys[0], xs[0] * target.bandwidth);
  auto fit = [](double lo, double hi, double from, double to) {
    Axis axis;
    axis.lo =
        std::clamp(std::floor(std::log10(lo)), leastDecade, mostDecade - 1);
    axis.hi = std::clamp(std::ceil(std::log10(hi)), axis.lo + 1, mostDecade);
    axis.from = from;
    axis.to = to;
    return axis;
  };
  x = fit(xs[0], xs[1], left, width - right);
  y = fit(ys[0], ys[1], height - bottom, top);
}

void Plot::writeGrid() {
  auto step = [](const Axis &axis) {
    return std::max(1.0, std::ceil((axis.hi - axis.lo) / 12));
  };
  for (double decade = x.lo; decade <= x.hi; decade += step(x)) {
    double value = std::pow(10, decade), at = x.at(value);
    os << "<line class=\"grid\" x1=\"" << pixel(at) << "\" x2=\"" << pixel(at)
       << "\" y1=\"" << pixel(y.from) << "\" y2=\"" << pixel(y.to)
       << "\"/><text text-anchor=\"middle\" x=\"" << pixel(at) << "\" y=\""
       << pixel(y.from + 17) << "\">"
       << (value < 1 ? shortText(value) : siText(value)) << "</text>\n";
  }
  for (double decade = y.lo; decade <= y.hi; decade += step(y)) {
    double value = std::pow(10, decade), at = y.at(value);
    os << "<line class=\"grid\" x1=\"" << pixel(x.from) << "\" x2=\""
       << pixel(x.to) << "\" y1=\"" << pixel(at) << "\" y2=\"" << pixel(at)
       << "\"/><text text-anchor=\"end\" x=\"" << pixel(x.from - 7) << "\" y=\""
       << pixel(at + 4) << "\">" << siText(value) << "</text>\n";
  }
  os << "<text text-anchor=\"middle\" x=\"" << pixel((x.from + x.to) / 2)
     << "\" y=\"" << pixel(height - 8)
     << "\">arithmetic intensity, FLOP per byte</text>\n"
     << "<text text-anchor=\"middle\" transform=\"translate(16 "
     << pixel((y.from + y.to) / 2) << ") rotate(-90)\">FLOP/s</text>\n";
}

/// Peaks as flat lines from where the memory allows them, and the bandwidth as
/// the slope that leads there.
void Plot::writeRoof() {
  auto slope = [&](double bandwidth, const char *style, const char *what) {
    if (!plottable(bandwidth))
      return;
    double x1 = std::pow(10, x.lo), y1 = x1 * bandwidth;
    if (double floor = std::pow(10, y.lo); y1 < floor) {
      y1 = floor;
      x1 = floor / bandwidth;
    }
    double x2 = topPeak() / bandwidth;
    os << "<line class=\"" << style << "\" x1=\"" << pixel(x.at(x1))
       << "\" y1=\"" << pixel(y.at(y1)) << "\" x2=\"" << pixel(x.at(x2))
       << "\" y2=\"" << pixel(y.at(topPeak())) << "\"><title>" << what << " "
       << siText(bandwidth) << "B/s</title></line>\n";
  };
  slope(target.bandwidth, "roof", "bandwidth");
  slope(target.achievedBandwidth, "roof achieved", "measured bandwidth");

  std::map<double, std::string, std::greater<>> peaks; // dtypes of one peak
  for (const auto &[dtype, value] : target.peaks)
    if (plottable(value)) {
      std::string &names = peaks[value];
      names += (names.empty() ? "" : ", ") + dtype;
    }
  double lastLabel = 0;
  for (const auto &[value, names] : peaks) {
    double at = y.at(value);
    std::string label = siText(value) + "FLOP/s " + names;
    os << "<line class=\"roof\" x1=\"" << pixel(x.at(value / target.bandwidth))
       << "\" x2=\"" << pixel(x.to) << "\" y1=\"" << pixel(at) << "\" y2=\""
       << pixel(at) << "\"><title>" << escape(label) << "</title></line>";
    lastLabel = std::max(at + 4, lastLabel + lineGap);
    constexpr size_t shown = 31;
    if (label.size() > shown)
      label = llvm::json::fixUTF8(label.substr(0, shown - 2)) + "\xe2\x80\xa6";
    os << "<text class=\"peak\" x=\"" << pixel(x.to + 5) << "\" y=\""
       << pixel(lastLabel) << "\">" << escape(label) << "</text>\n";
  }
}

void Plot::writePoint(const Point &point) {
  const Instance &instance = *point.instance;
  const Bound &bound = *point.bound;
  os << "<circle class=\"" << kindNames[bound.kind] << "\" cx=\""
     << pixel(x.at(point.intensity)) << "\" cy=\"" << pixel(y.at(point.speed))
     << "\" r=\"" << pixel(point.radius) << "\"><title>"
     << escape(instance.entry) << " " << escape(dimsText(instance, false))
     << "\n"
     << escape(instance.phase) << ", " << percentText(instance.weight)
     << " of the time\n"
     << shortText(point.intensity) << " FLOP/byte, " << siText(point.speed)
     << "FLOP/s\nroofline " << shortText(bound.rooflineUs) << " \xc2\xb5s ("
     << escape(bound.regime) << ")";
  if (bound.row && bound.modelUs)
    os << ", model " << shortText(*bound.modelUs) << " \xc2\xb5s";
  os << "\n" << kindNames[bound.kind];
  if (bound.row)
    os << ": " << escape(bound.kernel);
  os << "</title></circle>\n";
}

void Plot::write() {
  os << "<figure><figcaption><h3>" << escape(target.name) << " <small>"
     << escape(target.arch) << "</small></h3></figcaption>\n";
  if (!plottable(target.bandwidth) || !plottable(topPeak())) {
    os << "<p>The bundle does not record this target's peaks and bandwidth.</p>"
          "</figure>\n";
    return;
  }
  scale();
  os << "<svg class=\"plot\" viewBox=\"0 0 " << width << " " << height
     << "\" role=\"img\" aria-label=\"Roofline plot of " << escape(target.name)
     << "\">\n";
  writeGrid();
  writeRoof();
  for (const Point &point : points)
    writePoint(point);
  os << "</svg>\n";
  if (withoutFlops)
    os << "<p>" << withoutFlops
       << " instances do no floating-point work or move no bytes, and have no "
          "point; the table lists them.</p>\n";
  os << "</figure>\n";
}

void report::writeRooflines(const Data &data, llvm::raw_ostream &os) {
  os << "<section id=\"roofline\"><h2>Roofline</h2>\n";
  if (!data.instances || data.targets.empty()) {
    os << "<p>The bundle records no instances.</p></section>\n";
    return;
  }
  os << "<p>One point per instance, its area by weight. Its height is the "
        "speed "
        "that the model predicts for the kernel that serves it; what nothing "
        "serves stands, hollow, at the speed that the roofline allows. The "
        "dashed line is the bandwidth that was measured, if one was. Point at "
        "anything for its figures.</p>\n";
  writeLegend(os);
  for (size_t i = 0; i < data.targets.size(); ++i)
    Plot(data, i, os).write();
  os << "</section>\n";
}
