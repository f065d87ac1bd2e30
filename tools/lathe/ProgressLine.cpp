//===- ProgressLine.cpp - How far a long step is --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressLine.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe::tool;
using llvm::errs;

void ProgressLine::print(size_t done, std::optional<size_t> worked,
                         const llvm::Twine &text) {
  auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  bool terminal = llvm::sys::Process::StandardErrIsDisplayed();
  Clock::time_point now = Clock::now();
  if (done != total && seconds(now - last) < (terminal ? 0.1 : 10))
    return;
  last = now;
  errs() << (terminal ? "\r" : "") << text;
  if (done != total && worked) {
    double each = *worked ? seconds(now - start) / double(*worked) : 0;
    errs() << llvm::format(", %.0f s left", each * double(total - done));
  }
  errs() << (terminal && done != total ? "   " : "\n");
}
