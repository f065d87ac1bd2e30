//===- ProgressLine.h - How far a long step is ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_PROGRESSLINE_H
#define LATHE_TOOLS_LATHE_PROGRESSLINE_H

#include "llvm/ADT/Twine.h"

#include <chrono>
#include <optional>

namespace lathe::tool {

/// One line on standard error, rewritten on a terminal, repeated now and then
/// elsewhere, and always printed at the end.
class ProgressLine {
public:
  explicit ProgressLine(size_t total) : total(total), start(Clock::now()) {}

  /// `worked`: how many of the `done` took time since the start, from which
  /// the time that is left follows; without it none is said.
  void print(size_t done, std::optional<size_t> worked,
             const llvm::Twine &text);

private:
  using Clock = std::chrono::steady_clock;
  size_t total;
  Clock::time_point start, last;
};

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_PROGRESSLINE_H
