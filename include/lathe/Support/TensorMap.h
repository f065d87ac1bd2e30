//===- TensorMap.h - Views that the copy engine reads -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that copies by TMA takes, after all other arguments, one 128-byte
// grid constant per map. What it says depends on the request, so that whoever
// launches evaluates it and asks the driver for the encoded form.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_TENSORMAP_H
#define LATHE_SUPPORT_TENSORMAP_H

#include "lathe/Support/DimGuard.h"
#include "lathe/Support/Expr.h"
#include "lathe/Support/TensorMapRules.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace lathe {

/// Innermost dimension first.
struct TensorMap {
  uint32_t operand = 0;      ///< index; inputs, then outputs
  std::string dtype;         ///< of its elements
  std::vector<Expr> extents; ///< elements, over dims
  std::vector<Expr> strides; ///< bytes, over dims; of all but the innermost
  std::vector<uint32_t> box; ///< elements that one copy moves
  uint32_t swizzle = 0;      ///< bytes: 0, 32, 64 or 128

  friend bool operator==(const TensorMap &a, const TensorMap &b) {
    return a.operand == b.operand && a.dtype == b.dtype &&
           a.extents == b.extents && a.strides == b.strides && a.box == b.box &&
           a.swizzle == b.swizzle;
  }
};

/// Most maps of one kernel: they share 4 KiB of parameters with the rest.
inline constexpr size_t maxTensorMaps = 16;

/// Rank, element type, box and swizzle; the error says which rule is broken.
llvm::Error checkTensorMap(const TensorMap &map);

/// The map at `bindings`, settled if it has no elements. Errors: an expression
/// that cannot be evaluated or is negative; whether the sizes keep the rules is
/// for checkTensorMapSizes to say, who knows the address.
llvm::Expected<TensorMapShape> evaluateTensorMap(const TensorMap &map,
                                                 const Bindings &bindings);

/// Guards that keep extents and strides within the rules wherever `known` (per
/// dim, all that is certain of it) does not; at most one per dim. The error
/// names an expression that no guard on one dim keeps there.
llvm::Expected<std::vector<DimGuard>>
tensorMapGuards(llvm::ArrayRef<TensorMap> maps,
                llvm::function_ref<DimGuard(llvm::StringRef dim)> known);

/// For messages between processes and for people.
llvm::json::Value tensorMapsToJSON(llvm::ArrayRef<TensorMap> maps);
/// Null means: none. The maps are checked.
llvm::Expected<std::vector<TensorMap>>
tensorMapsFromJSON(const llvm::json::Value *value);

} // namespace lathe

#endif // LATHE_SUPPORT_TENSORMAP_H
