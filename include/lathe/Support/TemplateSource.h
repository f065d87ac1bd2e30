//===- TemplateSource.h - The text of a template ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_TEMPLATESOURCE_H
#define LATHE_SUPPORT_TEMPLATESOURCE_H

#include <string>
#include <vector>

namespace lathe {

/// A file of tile IR; `file` is its name in diagnostics.
struct TemplateText {
  std::string file, text;
};

/// A template, and the functions of other files that it calls.
struct TemplateSource {
  TemplateText kernel;
  std::vector<TemplateText> functions;

  /// One after the other, for whoever hashes or reads them.
  std::string joined() const {
    std::string all = kernel.text;
    for (const TemplateText &function : functions)
      all += "\n// " + function.file + "\n" + function.text;
    return all;
  }
};

} // namespace lathe

#endif // LATHE_SUPPORT_TEMPLATESOURCE_H
