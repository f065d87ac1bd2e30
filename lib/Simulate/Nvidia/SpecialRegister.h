//===- SpecialRegister.h - Who and where a thread is ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_NVIDIA_SPECIALREGISTER_H
#define LATHE_LIB_SIMULATE_NVIDIA_SPECIALREGISTER_H

#include "../Machine.h"

#include <optional>

namespace lathe::sim {

struct SpecialRegister {
  uint64_t (*scalar)(Thread &thread) = nullptr;
  Dim3 (*vector)(Thread &thread) = nullptr; ///< if there is no `scalar`
  unsigned axis = 0;

  uint64_t read(Thread &thread) const;
};

/// `name` as PTX has it, without the percent sign: "tid.x", "lanemask_lt".
/// Nothing if the simulator does not know the register.
std::optional<SpecialRegister> findSpecialRegister(llvm::StringRef name);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_NVIDIA_SPECIALREGISTER_H
