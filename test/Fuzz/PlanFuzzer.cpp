//===- PlanFuzzer.cpp - Candidate plans from anybody ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever readPlan accepts must be written as text that it accepts again and
// that says the same.
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Candidates.h"

#include <cstdlib>
#include <stdexcept>

using namespace lathe::measure;

static std::string writtenAgain(std::string_view text) {
  try {
    return writePlan(readPlan(text));
  } catch (const std::runtime_error &) {
    return "";
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text =
      writtenAgain({reinterpret_cast<const char *>(data), size});
  if (!text.empty() && writtenAgain(text) != text)
    abort();
  return 0;
}
