//===- Report.cpp - A bundle as one page for people -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Package/Report.h"

#include "ReportHtml.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"

using namespace lathe;
using namespace lathe::report;

llvm::Expected<std::string> lathe::renderReport(const Bundle &bundle) {
  auto data = readData(bundle);
  if (!data)
    return data.takeError();
  std::string page;
  llvm::raw_string_ostream os(page);
  // A second wall behind escaping: nothing loads, no other script runs.
  auto digest = llvm::SHA256::hash(
      llvm::arrayRefFromStringRef(llvm::StringRef(tableScript)));
  os << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; script-src 'sha256-"
     << llvm::encodeBase64(digest)
     << "'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
     << (data->opset ? escape(data->opset->name) : "Lathe bundle")
     << " - Lathe report</title>\n<style>" << styleSheet
     << "</style></head><body>\n";
  writeSummary(*data, os);
  writeCoverage(*data, os);
  writeRooflines(*data, os);
  writeMeasured(*data, os);
  writeInstances(*data, os);
  writeImages(*data, os);
  os << "<script>" << tableScript << "</script></body></html>\n";
  return page;
}
