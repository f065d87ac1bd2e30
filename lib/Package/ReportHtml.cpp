//===- ReportHtml.cpp - Text and figures in HTML --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportHtml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <map>

using namespace lathe;
using namespace lathe::report;
using llvm::StringRef;

std::string report::escape(StringRef text) {
  std::string valid;
  if (!llvm::json::isUTF8(text)) {
    valid = llvm::json::fixUTF8(text);
    text = valid;
  }
  std::string out;
  out.reserve(text.size());
  for (char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default: {
      bool control =
          (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') ||
          c == 0x7f;
      out += control ? "\xef\xbf\xbd" : std::string(1, c); // U+FFFD
    }
    }
  return out;
}

static std::string formatted(const char *format, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

std::string report::shortText(double value) {
  if (!std::isfinite(value))
    return "?";
  double size = std::fabs(value);
  if (size >= 99.95 && size < 1e6)
    return formatted("%.0f", value);
  return formatted("%.3g", value);
}

std::string report::siText(double value) {
  static const char *const prefixes[] = {"",   " k", " M", " G",
                                         " T", " P", " E"};
  if (!std::isfinite(value))
    return "?";
  size_t prefix = 0;
  // 999.5 would round to 1000.
  while (std::fabs(value) >= 999.5 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  return shortText(value) + prefixes[prefix];
}

std::string report::groupedText(double value) {
  if (!std::isfinite(value) || std::fabs(value) >= 1e18)
    return shortText(value);
  std::string digits = formatted("%.0f", value);
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    size_t left = digits.size() - i;
    if (i && left % 3 == 0 && digits[i - 1] != '-')
      out += "\xe2\x80\xaf"; // narrow space that does not break
    out += digits[i];
  }
  return out;
}

std::string report::percentText(double share) {
  if (!std::isfinite(share))
    return "?";
  double percent = share * 100;
  if (percent == 0)
    return "0%";
  if (percent > 0 && percent < 0.1)
    return "&lt;0.1%";
  return formatted(percent >= 99.95 ? "%.0f%%" : "%.1f%%", percent);
}

/// Sums up what is too long to read.
static std::string dimText(const Dim &dim, bool full) {
  constexpr size_t shown = 4, shownInFull = 64;
  if (!dim.isList && !dim.values.empty())
    return std::to_string(dim.values.front());
  if (!dim.isList)
    return "[" + std::to_string(dim.count) + " values from " +
           std::to_string(dim.min) + " to " + std::to_string(dim.max) +
           ", sum " + formatted("%.0f", dim.sum) + "]";
  size_t limit = full ? shownInFull : shown;
  std::string text = "[";
  for (auto [i, value] : llvm::enumerate(dim.values)) {
    if (i == limit) {
      text += " \xe2\x80\xa6 " + std::to_string(dim.values.size()) + " values";
      break;
    }
    text += (i ? "," : "") + std::to_string(value);
  }
  return text + "]";
}

std::string report::dimsText(const Instance &instance, bool full) {
  std::map<StringRef, const Dim *> left;
  for (const auto &[name, dim] : instance.dims)
    left.emplace(name, &dim);
  std::string text;
  auto add = [&](StringRef name, const Dim &dim) {
    text += (text.empty() ? "" : " ") + name.str() + "=" + dimText(dim, full);
  };
  if (instance.table)
    for (const DispatchDim &dim : instance.table->dims)
      if (auto found = left.find(dim.name); found != left.end()) {
        add(dim.name, *found->second);
        left.erase(found);
      }
  for (const auto &[name, dim] : left)
    add(name, *dim);
  return text;
}

void report::writeLegend(llvm::raw_ostream &os) {
  os << "<ul class=\"legend\">"
        "<li><i class=\"exact\"></i>exact: one kernel for one shape</li>"
        "<li><i class=\"bucket\"></i>bucket: one kernel for a range, static "
        "sizes fixed</li>"
        "<li><i class=\"generic\"></i>generic: takes every size at run "
        "time</li>"
        "<li><i class=\"unserved\"></i>unserved: no kernel</li></ul>\n";
}

StringRef report::verdictOf(const Bound &bound) {
  if (!bound.row)
    return "no kernel";
  return bound.row->verdict.empty() ? StringRef("unproven")
                                    : StringRef(bound.row->verdict);
}
