//===- Driver.h - What the runtime needs of a GPU driver --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_DRIVER_H
#define LATHE_LIB_RUNTIME_DRIVER_H

#include "Error.h"

#include "lathe/Support/TensorMapRules.h"

#include <string_view>

namespace lathe::runtime {

using Module = void *;
using Function = void *;

/// One vendor's driver library, loaded on first use and never unloaded. All
/// functions report their own errors.
class Driver {
public:
  virtual ~Driver() = default;

  virtual lathe_status query(int ordinal, lathe_device &device) = 0;

  /// The context to work in: this thread's, if it is on the device, else the
  /// primary one, which is then `owned` and must be released.
  virtual lathe_status retain(int ordinal, void *&context, bool &owned) = 0;
  virtual void release(int ordinal) = 0;
  /// Makes the context current for this thread until `leave`.
  virtual lathe_status enter(int ordinal, void *context, bool &entered) = 0;
  virtual void leave(bool entered) = 0;

  /// `image` is zero-terminated if it is PTX.
  virtual lathe_status load(std::string_view image, Module &module) = 0;
  virtual void unload(Module module) = 0;
  /// Resolves a kernel, loads its code and allows it `sharedBytes`.
  virtual lathe_status resolve(Module module, const char *symbol,
                               uint32_t sharedBytes, Function &function) = 0;
  /// Whether launches may take tensor maps; the error says why not.
  virtual lathe_status expectMaps() = 0;
  /// Writes the 128 bytes of a map that keeps the rules to `out`, which is
  /// aligned to 64. `driverType` is a CUtensorMapDataType.
  virtual lathe_status encodeMap(const TensorMapShape &shape, int driverType,
                                 uint64_t address, void *out) = 0;
  virtual lathe_status launch(Function function, const uint32_t grid[3],
                              uint32_t threads, uint32_t sharedBytes,
                              void *stream, void **arguments) = 0;
};

/// Null, with the reason in lathe_last_error, if the library is not there.
Driver *cudaDriver();
Driver *hipDriver();

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_DRIVER_H
