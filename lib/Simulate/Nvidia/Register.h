//===- Register.h - Handlers that share one function ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Families of intrinsics differ by parts of their names. Each member gets the
// same function and what its name says.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_NVIDIA_REGISTER_H
#define LATHE_LIB_SIMULATE_NVIDIA_REGISTER_H

#include "../Instruction.h"

#include "llvm/ADT/Twine.h"

namespace lathe::sim {

/// Fails if an operand is undef or poison: it has no value to compute with.
llvm::Error requireDefined(const Site &site);

/// `name` without "llvm.nvvm.".
void addNvvm(InstructionSet &set, const llvm::Twine &name, Handler run,
             bool isPure = false);

template <typename Info>
void addNvvm(InstructionSet &set, const llvm::Twine &name, Handler run,
             Info info, bool isPure = false) {
  Instruction instruction;
  instruction.run = run;
  instruction.isPure = isPure;
  instruction.prepare =
      [shared = std::make_shared<const Info>(std::move(info))](
          const Site &site) -> llvm::Expected<std::shared_ptr<const void>> {
    if (llvm::Error error = requireDefined(site))
      return std::move(error);
    return std::static_pointer_cast<const void>(shared);
  };
  set.add(("llvm.nvvm." + name).str(), std::move(instruction));
}

/// What the instruction was registered with.
template <typename Info> const Info &infoOf(const Call &call) {
  return *static_cast<const Info *>(call.site.prepared.get());
}

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_NVIDIA_REGISTER_H
