//===- ReportHtml.h - Text and figures in HTML ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PACKAGE_REPORTHTML_H
#define LATHE_LIB_PACKAGE_REPORTHTML_H

#include "ReportData.h"

#include "llvm/Support/raw_ostream.h"

namespace lathe::report {

/// Text for an element's content or a quoted attribute: no markup survives, no
/// invalid UTF-8, no control character.
std::string escape(llvm::StringRef text);

/// Three significant digits with an SI prefix: "1.98 P", "0", "512".
std::string siText(double value);
/// Three significant digits: "12.3", "0.00123", "1.2e+09".
std::string shortText(double value);
/// 12345678 as "12 345 678", rounded.
std::string groupedText(double value);
/// A share of 1, as HTML: "12.3%", "&lt;0.1%", "0%".
std::string percentText(double share);

/// The page's parts, in order.
void writeSummary(const Data &data, llvm::raw_ostream &os);
void writeCoverage(const Data &data, llvm::raw_ostream &os);
void writeRooflines(const Data &data, llvm::raw_ostream &os);
void writeMeasured(const Data &data, llvm::raw_ostream &os);
void writeInstances(const Data &data, llvm::raw_ostream &os);
void writeImages(const Data &data, llvm::raw_ostream &os);

/// What the colours of the four kinds of cases mean.
void writeLegend(llvm::raw_ostream &os);

/// "T=17 H=256", dims in the order of the operator where it is known. Long
/// lists are summed up unless `full`.
std::string dimsText(const Instance &instance, bool full);

/// What the page says of a case: its kernel's verdict, or that nothing serves.
llvm::StringRef verdictOf(const Bound &bound);

/// The page's style sheet and its only script (sorting and filtering).
extern const char styleSheet[], tableScript[];

} // namespace lathe::report

#endif // LATHE_LIB_PACKAGE_REPORTHTML_H
