//===- SimulateLaunch.h - A launch described in YAML ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_SIMULATELAUNCH_H
#define LATHE_TOOLS_LATHE_SIMULATELAUNCH_H

#include "lathe/Simulate/Simulator.h"
#include "lathe/Verify/Element.h"
#include "lathe/Verify/TestMemory.h"

#include "llvm/Support/raw_ostream.h"

namespace lathe::tool {

struct LaunchBuffer {
  std::string name, dtype;
  ElementType type;
  uint64_t elements = 0;
  TestBuffer memory;
  std::string before; ///< bytes as the kernel found them
};

/// Elements that a buffer must hold after the launch.
struct Expectation {
  unsigned buffer = 0;
  uint64_t first = 0;
  std::string bytes;
  double absolute = 0, relative = 0; ///< allowed error; NaN matches NaN
};

/// A launch with its memory. What the file may say is in `lathe simulate
/// --help`.
struct LaunchSetup {
  std::string kernel; ///< empty: the module's only one
  sim::Launch launch;
  std::vector<LaunchBuffer> buffers;
  std::vector<Expectation> expectations;

  /// The error is an InputError with every mistake of the file.
  static llvm::Expected<LaunchSetup> read(llvm::StringRef path);
  /// Appends a buffer of poison and its entry in the launch.
  llvm::Error addBuffer(llvm::StringRef name, llvm::StringRef dtype,
                        uint64_t bytes, uint64_t alignment);
  /// Remembers every buffer's bytes, and puts them back.
  void keepBefore();
  void restore();
  /// Prints what differs, a few elements per expectation; true if nothing does.
  bool check(llvm::raw_ostream &os) const;
  /// Prints a buffer's elements, or an error that lists the names.
  llvm::Error print(llvm::StringRef buffer, llvm::raw_ostream &os) const;
  /// Writes NAME.before and NAME.after of every buffer and launch.json, which
  /// says what to launch and which of them belong to it.
  llvm::Error dump(llvm::StringRef directory, llvm::StringRef symbol) const;
};

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_SIMULATELAUNCH_H
