//===- GuardTensorMaps.cpp - Sizes that tensor maps can describe ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/PlannedKernel.h"

#include "llvm/ADT/Twine.h"

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;

llvm::Error
lathe::guardTensorMaps(llvm::ArrayRef<TensorMap> maps, KernelRole role,
                       int64_t alignment,
                       llvm::function_ref<DimGuard(StringRef)> known,
                       std::vector<DimGuard> &guards) {
  if (maps.empty())
    return llvm::Error::success();
  if (alignment % tensorAddressMultiple)
    return llvm::createStringError("its tensor maps need operands aligned to " +
                                   Twine(tensorAddressMultiple) +
                                   " bytes, it promises " + Twine(alignment));
  auto narrowed = [&](StringRef name) {
    return narrowedBy(known(name), guards);
  };
  auto needed = tensorMapGuards(maps, narrowed);
  if (!needed)
    return needed.takeError();
  for (const DimGuard &guard : *needed) {
    if (role == KernelRole::Generic)
      return llvm::createStringError(
          "its tensor maps need " + guard.dim + " up to " + Twine(guard.hi) +
          " by " + Twine(guard.multiple) +
          ", and a generic kernel takes all that is declared");
    if (!addGuard(guards, guard))
      return llvm::createStringError("its tensor maps leave no value of dim '" +
                                     guard.dim + "'");
  }
  return llvm::Error::success();
}
