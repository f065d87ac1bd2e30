//===- Report.h - A bundle as one page for people ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PACKAGE_REPORT_H
#define LATHE_PACKAGE_REPORT_H

#include "lathe/Package/Bundle.h"

namespace lathe {

/// One HTML page that loads nothing: what the bundle serves, how, and how near
/// to the roofline. A pure function of the bundle, whose texts are not trusted.
/// What the manifest does not record is left out and said to be missing; what
/// it records in another form than Lathe writes is an error.
llvm::Expected<std::string> renderReport(const Bundle &bundle);

} // namespace lathe

#endif // LATHE_PACKAGE_REPORT_H
