//===- BundleText.h - Bundles in words --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_BUNDLETEXT_H
#define LATHE_TOOLS_LATHE_BUNDLETEXT_H

#include "lathe/Package/Bundle.h"

#include "llvm/Support/raw_ostream.h"

namespace lathe::tool {

/// "T = 17", "T in [1, 64]", "XS multiple of 8", joined by ", "; "always".
std::string guardsText(const DispatchTable &table, const DispatchCase &row);

/// "a: bf16 K x M, strides of XS * 2 bytes, box 64 x 128, swizzle 128".
std::string mapText(const DispatchTable &table, const TensorMap &map);

/// "3.41 us (3.39 to 3.44)"; at which dims is left to the caller.
std::string measuredText(const MeasuredCase &measured);
/// "KERNEL, 3.1 % slower (2.4 to 3.9 %)", or that nothing tells them apart.
std::string runnerUpText(const MeasuredCase &measured);

/// "error: unknown operator 'x'", with the nearest legal name or all of them.
llvm::Error unknownName(llvm::StringRef what, llvm::StringRef name,
                        llvm::ArrayRef<std::string> legal);

/// A table as JSON: signature and cases with their guards.
llvm::json::Object tableToJson(const DispatchTable &table);

/// Rows of text under a header, columns padded to their widest cell. Cells that
/// look like numbers are right-aligned.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> header) {
    rows.push_back(std::move(header));
  }
  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  void print(llvm::raw_ostream &os, unsigned indent) const;

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_BUNDLETEXT_H
