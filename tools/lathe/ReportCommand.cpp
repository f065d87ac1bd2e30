//===- ReportCommand.cpp - lathe report -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportCommand.h"
#include "Commands.h"

#include "lathe/Package/Package.h"
#include "lathe/Package/Report.h"

using namespace lathe;
using namespace lathe::tool;

llvm::Error tool::writeReport(const std::string &bundlePath,
                              const std::string &path) {
  llvm::Expected<Bundle> bundle = readBundle(bundlePath);
  if (!bundle)
    return bundle.takeError();
  llvm::Expected<std::string> page = renderReport(*bundle);
  if (!page)
    return llvm::createStringError(
        bundlePath + ": error: " + llvm::toString(page.takeError()));
  if (llvm::Error error = writeFileAtomically(path, *page))
    return error;
  llvm::outs() << "wrote " << path << " (" << page->size() << " bytes)\n";
  return llvm::Error::success();
}

namespace {
struct ReportOptions {
  std::string bundle, output;
};
} // namespace

void tool::addReportCommand(CLI::App &app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App *command = app.add_subcommand(
      "report", "Write a page that shows what a bundle serves and how fast");
  command->footer(
      "One HTML file that loads nothing: versions and hashes, coverage of the "
      "histogram, a\nroofline plot per target, and every instance with its "
      "bound, kernel and verdict. Times\nare the planner's predictions, not "
      "measurements. Bundles that were not made by\n`lathe compile` "
      "may lack parts; the page says which.\n"
      "Example: lathe report model.bundle -o report.html");
  command->add_option("bundle", options->bundle, "The bundle")->required();
  command
      ->add_option("-o,--output", options->output, "The page to write (HTML)")
      ->required();
  command->callback([options] {
    if (llvm::Error error = writeReport(options->bundle, options->output))
      failWith(std::move(error));
  });
}
