//===- Register.cpp - Handlers that share one function --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Register.h"

using namespace llvm;

namespace lathe::sim {

Error requireDefined(const Site &site) {
  for (auto [index, slot] : enumerate(site.operands))
    if (slot.undefined)
      return createStringError("operand " + Twine(index) + " of " + site.name +
                               " is undefined");
  return Error::success();
}

void addNvvm(InstructionSet &set, const Twine &name, Handler run, bool isPure) {
  Instruction instruction;
  instruction.run = run;
  instruction.isPure = isPure;
  instruction.prepare =
      [](const Site &site) -> Expected<std::shared_ptr<const void>> {
    if (Error error = requireDefined(site))
      return std::move(error);
    return nullptr;
  };
  set.add(("llvm.nvvm." + name).str(), std::move(instruction));
}

} // namespace lathe::sim
